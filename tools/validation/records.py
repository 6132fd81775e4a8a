"""Results as files: what was published, what we found, the verdict, and where the figures come from."""

from __future__ import annotations

import json
import math
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import mujoco

import plantar

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "docs" / "results" / "validation"
SHARED = ROOT.parent / "shared"
VERDICTS = ("confirmed", "not confirmed", "only in a regime", "reported")
ORIGINS = ("measured", "read", "recorded", "carried over")
DIGITS = 5
"""Digits that numbers of result files keep."""


class NotHere(Exception):
    """Something that a measurement needs is not on this machine."""


@dataclass(frozen=True, kw_only=True)
class Row:
    """One claim, table or figure: the published quantity beside ours."""

    what: str
    """The quantity."""
    published: str = ""
    """What the paper says, or what is expected."""
    ours: str
    """What we found."""
    verdict: str
    """One of `VERDICTS`; `reported` where there is nothing to hold it against."""
    command: str
    """What shows it again."""
    place: str = ""
    """Where the paper has it."""
    n: str = ""
    """How many, and the interval."""
    controls: str = ""
    """What it was compared with."""
    regime: str = ""
    """Where the verdict holds."""

    def __post_init__(self) -> None:
        """Refuse verdicts that are none."""
        if self.verdict not in VERDICTS:
            raise ValueError(f"verdict = {self.verdict!r} is not allowed: give one of {', '.join(VERDICTS)}")


@dataclass(frozen=True, kw_only=True)
class Record:
    """Rows, tables and pictures that one run made."""

    title: str
    """Heading on the page."""
    rows: list[Row]
    """Claims, with verdicts."""
    text: str = ""
    """What was done, in sentences without figures."""
    tables: list[dict[str, Any]] = field(default_factory=list)
    """Each with `title`, `columns` and `rows` of cells."""
    pictures: list[dict[str, str]] = field(default_factory=list)
    """Each with `file`, in the record's folder, and `caption`."""
    values: dict[str, Any] = field(default_factory=dict)
    """Numbers behind rows and pictures, SI units."""
    origin: str = "measured"
    """`measured` by this command, `read` by it from stored tables, made of figures that other commands `recorded`,
    or `carried over` from an earlier version's pages."""
    command: str = ""
    """The command that made the record."""
    date: str = ""
    """When."""
    version: str = ""
    """With which versions."""

    def __post_init__(self) -> None:
        """Refuse origins that are none."""
        if self.origin not in ORIGINS:
            raise ValueError(f"origin = {self.origin!r} is not allowed: give one of {', '.join(ORIGINS)}")


def stamp() -> dict[str, str]:
    """Date and versions of a run that is being made."""
    return {
        "date": datetime.now(UTC).strftime("%Y-%m-%d"),
        "version": f"plantar {plantar.__version__}, MuJoCo {mujoco.__version__}",
    }


def path_of(paper: str, name: str) -> Path:
    """The file of a record."""
    return FOLDER / paper / f"{name}.json"


def write(paper: str, name: str, record: Record) -> Path:
    """Write a record; numbers keep `DIGITS` digits."""
    path = path_of(paper, name)
    path.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps(shorten(asdict(record)), indent=1, ensure_ascii=False)
    path.write_text(text + "\n", encoding="utf-8")
    return path


def read(path: Path) -> Record:
    """Read a record."""
    data = json.loads(path.read_text(encoding="utf-8"))
    return Record(**{**data, "rows": [Row(**row) for row in data["rows"]]})


def read_all(paper: str, order: list[str]) -> dict[str, Record]:
    """The records of a paper: those named in `order` first, then the others by name."""
    paths = {path.stem: path for path in sorted((FOLDER / paper).glob("*.json"))}
    names = [name for name in order if name in paths] + [name for name in paths if name not in order]
    return {name: read(paths[name]) for name in names}


def shorten(value: Any) -> Any:
    """The value with numbers of `DIGITS` digits."""
    if isinstance(value, dict):
        return {str(k): shorten(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [shorten(v) for v in value]
    if hasattr(value, "tolist"):
        return shorten(value.tolist())
    if isinstance(value, float) and math.isfinite(value):
        return float(f"{value:.{DIGITS}g}")
    return value


def replace_origin(record: Record, command: str) -> Record:
    """The record with command, date and versions of the run that is being made."""
    return replace(record, command=command, **stamp())


def shared(name: str) -> Path:
    """A file or folder of ../shared.

    Raises:
        NotHere: If it is not on this machine.
    """
    path = SHARED / name
    if not path.exists():
        raise NotHere(f"needs ../shared/{name}, which is not here; what the page shows stays")
    return path
