"""Figures that tests and benchmarks have recorded: kept in files, and told in rows."""

from __future__ import annotations

import ast
import fcntl
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any
from xml.etree import ElementTree

from validation.records import ROOT, Record, Row, shorten, stamp

FOLDER = ROOT / "docs" / "results" / "figures"
LINE = re.compile(r"^figure ([a-z0-9_]+(?:\.[a-z0-9_]+)+) = (.+)$")


@dataclass(frozen=True, kw_only=True)
class Kept:
    """One figure, and where it comes from."""

    value: Any
    """A number, text, or a list or mapping of them, in SI units."""
    command: str
    """What recorded it."""
    date: str
    version: str


def of_lines(lines: Iterable[str]) -> dict[str, Any]:
    """Figures in lines `figure NAME = VALUE`, values as JSON."""
    found = {}
    for line in lines:
        if match := LINE.match(line.strip()):
            found[match[1]] = json.loads(match[2])
    return found


def of_junit(text: str) -> dict[str, Any]:
    """Figures that tests recorded as properties, in the report that pytest wrote; tests that failed have none."""
    found = {}
    for case in ElementTree.fromstring(text).iter("testcase"):  # noqa: S314 (pytest's own file)
        for item in case.iter("property"):
            found[item.attrib["name"]] = _value(item.attrib["value"])
    return found


def _value(text: str) -> Any:
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text


def keep(found: Mapping[str, Any], command: str) -> None:
    """Write figures to the files of their rooms; other figures there stay."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    for room in sorted({name.partition(".")[0] for name in found}):
        with (FOLDER / f"{room}.json").open("a+", encoding="utf-8") as file:
            fcntl.flock(file, fcntl.LOCK_EX)  # two commands may end at once
            file.seek(0)
            kept = json.loads(file.read() or "{}")
            for name, value in found.items():
                if name.startswith(f"{room}."):
                    kept[name] = asdict(Kept(value=shorten(value), command=command, **stamp()))
            file.truncate(0)
            file.write(json.dumps(dict(sorted(kept.items())), indent=1, ensure_ascii=False) + "\n")


def read(room: str) -> dict[str, Kept]:
    """The figures of a room by name."""
    text = (FOLDER / f"{room}.json").read_text(encoding="utf-8")
    return {name: Kept(**data) for name, data in json.loads(text).items()}


class Figures:
    """Figures of one room while rows are made of them; it notes which were used."""

    def __init__(self, room: str) -> None:
        self.room, self._kept = room, read(room)
        self.used: dict[str, Kept] = {}

    def __getitem__(self, name: str) -> Any:
        """The value of a figure, by its name after that of the room."""
        whole = f"{self.room}.{name}"
        if whole not in self._kept:
            raise KeyError(f"{whole} was never recorded: python tools/figures.py with the command that records it")
        self.used[whole] = self._kept[whole]
        return self._kept[whole].value

    def below(self, topic: str) -> dict[str, Any]:
        """All figures of a topic by their whole names."""
        names = [name for name in self._kept if name.startswith(f"{self.room}.{topic}.")]
        return {name: self[name.partition(".")[2]] for name in names}

    def row(self, *names: str, good: bool | None, otherwise: str = "not confirmed", **cells: str) -> Row:
        """A row whose commands are those that recorded `names`.

        Args:
            names: Figures that the row shows.
            good: Whether they are as expected; None where nothing is expected.
            otherwise: The verdict if not.
            cells: What, published, ours and the other cells of the row.
        """
        commands = dict.fromkeys(self.used[f"{self.room}.{name}"].command for name in names if [self[name]])
        verdict = "reported" if good is None else "confirmed" if good else otherwise
        return Row(verdict=verdict, command=", ".join(f"`{command}`" for command in commands), **cells)

    def record(self, title: str, rows: list[Row], text: str = "") -> Record:
        """A record of rows, with the figures that they used."""
        dates = sorted(kept.date for kept in self.used.values())
        when = dates[0] if dates[0] == dates[-1] else f"{dates[0]} to {dates[-1]}"
        values = {name: kept.value for name, kept in self.used.items()}
        return Record(title=title, text=text, rows=rows, values=values | {"recorded": when}, origin="recorded")
