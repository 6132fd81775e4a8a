"""Rows as people read them: short ones in tables, long ones in blocks, brief ones in the summary."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import groupby
from typing import Any

from validation.records import Record, Row

LONG = 110
"""Characters of a cell from which a row is a block of its own."""
FEW = 3
"""Short rows from which a table is worth its head."""
BRIEF = {"what": 110, "published": 70, "ours": 90}
"""Characters that cells of the summary have at most."""
COLUMNS = ["what", "published, or expected", "ours", "verdict", "command"]


def table(columns: list[str], rows: Iterable[Iterable[Any]], title: str = "") -> str:
    """A table of Markdown."""
    lines = ["| " + " | ".join(columns) + " |", "|" + "---|" * len(columns)]
    lines += ["| " + " | ".join(str(cell).replace("|", r"\|") for cell in row) + " |" for row in rows]
    return (f"*{title}*\n\n" if title else "") + "\n".join(lines)


def brief(row: Row) -> list[str]:
    """What, published, ours and the bare verdict, cut between clauses."""
    return [*(cut(getattr(row, name), most) for name, most in BRIEF.items()), row.verdict]


def cut(text: str, most: int) -> str:
    """The text, without links; if it is long up to the last clause or word that fits, with an ellipsis."""
    text = re.sub(r" ?\(\[[^]]*\]\([^)]*\)\)|\[([^]]*)\]\([^)]*\)", lambda m: m.group(1) or "", text)
    if len(text) <= most:
        return text
    head = text[:most]
    ends = [m.start() for m in re.finditer(r"[;:.,] ", head)]
    end = ends[-1] if ends and ends[-1] > most // 2 else head.rfind(" ")
    head = head[:end].rstrip(" ,;:.(")
    if head.count("(") > head.count(")"):
        head = head[: head.rfind("(")].rstrip(" ,;:.")
    if head.count("`") % 2:
        head = head[: head.rfind("`")].rstrip(" ,;:.")
    return head + " …"


def blocks_and_table(record: Record) -> str:
    """Rows of a record in their order: those with long cells as blocks, runs of short ones as tables."""
    old = record.origin in ("recorded", "carried over")
    columns = [*COLUMNS, "held by"] if old else COLUMNS
    parts = []
    for long, group in groupby(record.rows, key=_is_long):
        rows = list(group)
        if long or len(rows) < FEW < len(record.rows):
            parts += [_block(row, old) for row in rows]
        else:
            parts.append(table(columns, ([*_cells(row), held_by(row)] if old else _cells(row) for row in rows)))
    return "\n\n".join(parts)


def held_by(row: Row) -> str:
    """What holds a row that is not measured again: the tests that its command names, or nothing but the command."""
    if "pytest" not in row.command:
        return "its command alone"
    if re.search(r"-m ['\"]?long", row.command):
        return "a long test"
    return "a test at every run"


def links(text: str) -> str:
    """Links are stored as seen from docs/; pages of papers lie one folder deeper."""
    return re.sub(r"\]\((?!\w+:|#|\.\./)", "](../", text)


def _is_long(row: Row) -> bool:
    return bool(row.n or row.controls) or max(len(cell) for cell in _cells(row)[:4]) > LONG


def _cells(row: Row) -> list[str]:
    where = f"*{row.place}:* " if row.place else ""
    verdict = f"**{row.verdict}**" + (f": {row.regime}" if row.regime else "")
    return [where + row.what, row.published, row.ours, verdict, row.command]


def _block(row: Row, old: bool) -> str:
    what, published, ours, verdict, command = _cells(row)
    lines = [
        ("Published, or expected", published),
        ("Ours", ours),
        ("Verdict", verdict),
        ("n", row.n),
        ("Controls", row.controls),
        ("Command", command),
        ("Held by", held_by(row) if old else ""),
    ]
    return f"{_sentence(what)}\n\n" + "\n".join(f"- {name}: {text}" for name, text in lines if text)


def _sentence(text: str) -> str:
    """As a heading in bold; a place in front keeps its italics."""
    place = re.match(r"\*([^*]+:)\* (.*)", text, re.DOTALL)
    if place:
        return f"**{place.group(1)} {place.group(2)}**"
    return f"**{text[:1].upper()}{text[1:]}**"
