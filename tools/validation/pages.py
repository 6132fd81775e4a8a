"""Pages from result files: one a paper, and the table of docs/validation.md."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from validation.cells import blocks_and_table, brief, cut, links, table
from validation.index import SHOWN, standing_for
from validation.papers import PAPERS
from validation.records import FOLDER, ROOT, VERDICTS, Record, Row, read_all

DOCS = ROOT / "docs"
SUMMARY = DOCS / "validation.md"
BEGIN, END = "<!-- begin: made by tools/validate.py -->", "<!-- end -->"
MADE = {
    "measured": "measured by `python tools/validate.py {paper}`",
    "read": "read by it from the stored tables of long studies",
    "recorded": "made of figures that the commands of the rows recorded",
    "carried over": "carried over from the pages of an earlier version",
}
ORIGIN = {
    "measured": "Measured on {date} ({version}) by `{command}`.",
    "read": "Read on {date} ({version}) from stored tables by `{command}`.",
    "recorded": "Made on {date} ({version}) by `{command}` from figures that the commands of the rows recorded "
    "(`docs/results/figures`).",
    "carried over": "Carried over from the pages of an earlier version on {date}; not measured again. Each row names "
    "the command that made it and what holds it now.",
}


def page_path(paper: str) -> Path:
    """Where the page of a paper is."""
    return DOCS / "validation" / f"{paper}.md"


def page(name: str) -> str:
    """The page of a paper."""
    paper = PAPERS[name]
    records = read_all(name, list(paper.measures))
    rows = [row for record in records.values() for row in record.rows]
    parts = [
        f"# {paper.title}",
        f"{paper.about}\n\nThis page is made from the files in `docs/results/validation/{name}`.",
        _counts(name, records),
        _index(name, rows),
        _claims(rows),
    ]
    parts += [_section(name, record) for record in records.values()]
    return "\n\n".join(part for part in parts if part) + "\n"


def summary_table() -> str:
    """The tables of docs/validation.md: every row of every paper, in brief; first what was not confirmed."""
    everything = {
        name: [row for record in read_all(name, list(paper.measures)).values() for row in record.rows]
        for name, paper in PAPERS.items()
    }
    parts = [_not_confirmed(everything)]
    for name, paper in PAPERS.items():
        if rows := everything[name]:
            parts.append(
                f"### {paper.short}\n\n[Tables, pictures, counts, controls and commands](validation/{name}.md)"
            )
            parts.append(table(["what", "published, or expected", "ours", "verdict"], map(brief, rows)))
    return "\n\n".join(parts)


def _not_confirmed(everything: dict[str, list[Row]]) -> str:
    """How many rows have which verdict on each page, and those that were not confirmed."""
    counts = [
        [f"[{PAPERS[name].short}](validation/{name}.md)", *(sum(row.verdict == v for row in rows) for v in VERDICTS)]
        for name, rows in everything.items()
    ]
    cells = [
        [PAPERS[name].short, cut(row.what, 110), cut(row.ours, 90), cut(row.regime, 110)]
        for name, rows in everything.items()
        for row in rows
        if row.verdict == "not confirmed"
    ]
    return (
        table(["page", *VERDICTS], counts)
        + "\n\n### Not confirmed\n\n"
        + table(["page", "what", "ours", "why, as far as it is known"], cells)
    )


def with_summary(text: str) -> str:
    """The text of docs/validation.md with its table made again."""
    head, _, rest = text.partition(BEGIN)
    _, found, tail = rest.partition(END)
    if not found:
        raise ValueError(f"{SUMMARY.name} has lost the lines {BEGIN!r} and {END!r}")
    return f"{head}{BEGIN}\n\n{summary_table()}\n\n{END}{tail}"


def write(papers: list[str]) -> None:
    """Write pages and table."""
    for name in papers:
        page_path(name).parent.mkdir(exist_ok=True)
        page_path(name).write_text(page(name), encoding="utf-8")
    SUMMARY.write_text(with_summary(SUMMARY.read_text(encoding="utf-8")), encoding="utf-8")


def differences() -> list[str]:
    """What does not agree: pages with files, pictures that are lost or large."""
    wrong = []
    for name, paper in PAPERS.items():
        path = page_path(name)
        if not path.is_file() or path.read_text(encoding="utf-8") != page(name):
            wrong.append(f"docs/validation/{name}.md is not what its files say: python tools/validate.py --pages")
        for key, record in read_all(name, list(paper.measures)).items():
            for picture in record.pictures:
                file = FOLDER / name / picture["file"]
                if not file.is_file() or file.stat().st_size > 150_000:
                    wrong.append(f"{name}/{key}: picture {picture['file']} is lost or above 150 kB")
    text = SUMMARY.read_text(encoding="utf-8")
    if text != with_summary(text):
        wrong.append("docs/validation.md is not what the files say: python tools/validate.py --pages")
    return wrong


def _counts(paper: str, records: dict[str, Record]) -> str:
    """How many rows have which verdict, and where their figures come from."""
    rows = [row for record in records.values() for row in record.rows]
    if not rows:
        return ""
    verdicts = Counter(row.verdict for row in rows)
    made = Counter(record.origin for record in records.values() for _ in record.rows)
    said = ", ".join(f"{verdicts[v]} {v}" for v in VERDICTS if verdicts[v])
    told = "; ".join(f"{made[o]} {text.format(paper=paper)}" for o, text in MADE.items() if made[o])
    return f"{len(rows)} rows: {said}. Of these, {told}."


def _index(paper: str, rows: list[Row]) -> str:
    """Every table and figure of the paper, and what stands for it here."""
    if paper not in SHOWN:
        return ""
    cells = []
    for shown in SHOWN[paper]:
        verdicts = Counter(row.verdict for row in standing_for(shown, rows))
        several = ", ".join(f"{verdicts[v]} {v}" if verdicts[v] > 1 else v for v in VERDICTS if verdicts[v])
        cells.append([shown.place, shown.what, several or links(shown.instead)])
    return "## Tables and figures of the paper\n\n" + table(["in the paper", "shows", "rows here"], cells)


def _claims(rows: list[Row]) -> str:
    """What the paper claims in words."""
    briefly = [(row.place, *brief(row)) for row in rows if row.place.startswith("Section")]
    cells = [[place, claim, what, ours, verdict] for place, what, claim, ours, verdict in briefly]
    if not cells:
        return ""
    return "## Claims of the paper in words\n\n" + table(
        ["in the paper", "claim", "looked at", "ours", "verdict"], cells
    )


def _section(paper: str, record: Record) -> str:
    parts = [f"## {record.title}", links(record.text)]
    for picture in record.pictures:
        parts.append(
            f"![{picture['caption']}](../results/validation/{paper}/{picture['file']})\n\n*{picture['caption']}*"
        )
    parts += [table(t["columns"], t["rows"], t.get("title", "")) for t in record.tables]
    parts.append(links(blocks_and_table(record)))
    parts.append(ORIGIN[record.origin].format(date=record.date, version=record.version, command=record.command))
    return "\n\n".join(part for part in parts if part)
