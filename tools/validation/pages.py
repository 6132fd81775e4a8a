"""Pages from result files: one a paper, and the table of docs/validation.md."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import Any

from validation.papers import PAPERS
from validation.records import FOLDER, ROOT, VERDICTS, Record, Row, read_all

DOCS = ROOT / "docs"
SUMMARY = DOCS / "validation.md"
BEGIN, END = "<!-- begin: made by tools/validate.py -->", "<!-- end -->"
ORIGIN = {
    "measured": "Measured on {date} ({version}) by `{command}`.",
    "read": "Read on {date} ({version}) from stored tables by `{command}`.",
    "carried over": "Carried over from the pages of an earlier version on {date}; not measured again by this command. "
    "Each row names the command that made it.",
}


def page_path(paper: str) -> Path:
    """Where the page of a paper is."""
    return DOCS / "validation" / f"{paper}.md"


def page(name: str) -> str:
    """The page of a paper."""
    paper = PAPERS[name]
    records = read_all(name, list(paper.measures))
    parts = [
        f"# {paper.title}",
        f"{paper.about}\n\nMade by `python tools/validate.py {name}` from the files in "
        f"`docs/results/validation/{name}`; no figure is typed by hand.",
        _counts(records),
    ]
    parts += [_section(name, record) for record in records.values()]
    return "\n\n".join(part for part in parts if part) + "\n"


def summary_table() -> str:
    """The table of docs/validation.md: every row of every paper."""
    parts = []
    for name, paper in PAPERS.items():
        rows = [row for record in read_all(name, list(paper.measures)).values() for row in record.rows]
        if rows:
            parts.append(f"### {paper.short}\n\n[Page with tables and pictures](validation/{name}.md)")
            parts.append(_table(["what", "published, or expected", "ours", "verdict", "command"], map(_short, rows)))
    return "\n\n".join(parts)


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


def _counts(records: dict[str, Record]) -> str:
    rows = [row for record in records.values() for row in record.rows]
    counts = Counter(row.verdict for row in rows)
    return "Rows: " + ", ".join(f"{counts[v]} {v}" for v in VERDICTS if counts[v]) + "." if rows else ""


def _section(paper: str, record: Record) -> str:
    parts = [f"## {record.title}", _links(record.text)]
    for picture in record.pictures:
        parts.append(
            f"![{picture['caption']}](../results/validation/{paper}/{picture['file']})\n\n*{picture['caption']}*"
        )
    parts += [_table(t["columns"], t["rows"], t.get("title", "")) for t in record.tables]
    if record.rows:
        columns = ["what", "published, or expected", "ours", "verdict", "command"]
        parts.append(_links(_table(columns, map(_full, record.rows))))
    parts.append(ORIGIN[record.origin].format(date=record.date, version=record.version, command=record.command))
    return "\n\n".join(part for part in parts if part)


def _short(row: Row) -> list[str]:
    return [row.what, row.published, row.ours, row.verdict + (f": {row.regime}" if row.regime else ""), row.command]


def _full(row: Row) -> list[str]:
    where = f"*{row.place}:* " if row.place else ""
    more = [f"{name}: {value}" for name, value in (("n", row.n), ("controls", row.controls)) if value]
    verdict = f"**{row.verdict}**" + (f": {row.regime}" if row.regime else "")
    return [where + row.what, row.published, "; ".join([row.ours, *more]), verdict, row.command]


def _table(columns: list[str], rows: Any, title: str = "") -> str:
    lines = ["| " + " | ".join(columns) + " |", "|" + "---|" * len(columns)]
    lines += ["| " + " | ".join(str(cell).replace("|", r"\|") for cell in row) + " |" for row in rows]
    return (f"*{title}*\n\n" if title else "") + "\n".join(lines)


def _links(text: str) -> str:
    """Links are stored as seen from docs/; pages of papers lie one folder deeper."""
    return re.sub(r"\]\((?!\w+:|#|\.\./)", "](../", text)
