"""Measured presses: the CSV layout, its reader, and a template to fill in."""

from __future__ import annotations

import csv
import io
import math
import numbers
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from plantar._arguments import checks_arguments
from plantar._checks import require
from plantar.bench.compare.measured_csv import bad, read_text, reason, short, split_cells
from plantar.bench.press.press import trials
from plantar.errors import InvalidInput
from plantar.table import Row, Table

CONDITIONS = ("load", "height", "position")
"""Columns that say which trial a row is."""
FORCES = ("force_heel", "force_module", "force_metatarsus")
"""Columns of the forces; all three must be there."""
ROTATION = re.compile(r"rotation_([1-9]\d*)")
"""Columns of the rotations; any of them may be left out."""
LAYOUT = """\
# Presses of a foot on an obstacle; one row per trial. SI units: newtons, metres, radians; decimal points.
# load: force put on the foot, without the foot's own weight [N]
# height: top of the obstacle over the tops of the supports [m]; 7 mm is 0.007
# position: module over the obstacle; 1 is next to the heel
# force_heel force_module force_metatarsus: vertical force on support or obstacle, positive down [N]
# rotation_1 rotation_2 ...: pitch of a module, positive front down [rad]; leave a column empty if not measured
# Lines that start with # and rows without any value are skipped. Other columns are ignored.
"""
"""What the template says about itself."""


LEAST_ROWS = 3
"""From this many rows on a column is judged as a whole."""


class Measured(Table):
    """Measured trials: `load`, `height`, `position`, the three forces, and the rotations there are.

    Args:
        rows: One mapping per trial.
        notes: What the reader left out, a sentence each.
    """

    def __init__(self, rows: Iterable[Mapping[str, Any]], notes: Sequence[str] = ()):
        super().__init__(rows)
        self.notes = tuple(notes)


def rotation_columns(columns: Iterable[str]) -> list[str]:
    """Those of `columns` that are rotations of modules, from heel to toe."""
    return sorted((c for c in columns if ROTATION.fullmatch(c)), key=lambda c: int(c.split("_")[1]))


def check_rows(table: Table, name: str) -> None:
    """Refuse trials with cells that cannot be used; those of a file were checked as it was read.

    Args:
        table: One row per trial.
        name: What they are, for the message.

    Raises:
        InvalidInput: If a column is missing, or a condition, force or rotation is not a finite number.
    """
    for n, row in enumerate(table, start=1):
        for column in (*CONDITIONS, *FORCES):
            require(column in row, f"{name} columns", list(row), f"a table with column {column!r}")
        for column in (*CONDITIONS, *FORCES, *rotation_columns(row)):
            value = row[column]
            known = isinstance(value, numbers.Real) and math.isfinite(value)
            require(known, f"{name} row {n}, {column}", value, "a finite number")
        place = row["position"]
        require(
            place == int(place), f"{name} row {n}, position", place, "a module as a whole number, 1 next to the heel"
        )


@checks_arguments
def read_measured(path: str | Path, modules: int = 6) -> Measured:
    """Read measured trials; the layout is in `docs/bench_compare.md`. Nothing is converted.

    Args:
        path: CSV file with a header, SI units, commas between cells, UTF-8.
        modules: Modules of the foot, the largest position allowed.

    Raises:
        InvalidInput: If the file cannot be used; one line names row and column. Rows are counted as
            in an editor or a spreadsheet: the first line of the file is row 1.
    """
    path = Path(path)
    header, records = split_cells(path, read_text(path))
    wanted, notes = _columns(path, header, modules)
    values = [c for c in wanted if c not in CONDITIONS]
    filled = {n: r for n, r in records.items() if any(r[c] for c in values)}
    if not filled:
        bad(path, "no row has a measured value: fill in " + ", ".join(values))
    if len(filled) < len(records):
        notes.append(f"{len(records) - len(filled)} rows without any measured value are skipped")
    empty = [c for c in rotation_columns(wanted) if not any(r[c] for r in filled.values())]
    if empty:
        notes.append(f"empty columns are skipped: {', '.join(empty)}")
    wanted = [c for c in wanted if c not in empty]
    rows = {n: {c: _number(path, n, c, r[c]) for c in wanted} for n, r in filled.items()}
    for n, row in rows.items():
        _check_row(path, n, row, modules)
    _check_columns(path, list(rows.values()))
    _check_repeats(path, rows)
    return Measured(rows.values(), notes)


def write_measured(path: str | Path, rows: Sequence[Mapping[str, Any]]) -> Path:
    """Write trials, for instance of `press`, in the layout of measured data; other columns are left out.

    Raises:
        InvalidInput: If there is a file already, or it cannot be written.
    """
    require(len(rows) > 0, "rows", list(rows), "at least one trial")
    columns = [*CONDITIONS, *FORCES, *rotation_columns(rows[0])]
    text = io.StringIO()
    text.write(LAYOUT)
    writer = csv.DictWriter(text, columns, restval="", extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    path = Path(path)
    try:
        with path.open("x", encoding="utf-8", newline="") as file:
            file.write(text.getvalue())
    except FileExistsError:
        raise InvalidInput(f"file {str(path)!r} exists: give a new name") from None
    except (OSError, ValueError) as error:
        raise InvalidInput(f"file {str(path)!r} cannot be written ({reason(error)}): give another place") from error
    return path


@checks_arguments
def write_template(path: str | Path, modules: int = 6) -> Path:
    """Write a CSV with the paper's trials (48 for 6 modules) and empty cells for what is measured.

    Raises:
        InvalidInput: If there is a file already, or it cannot be written.
    """
    empty = {f"rotation_{k}": "" for k in range(1, modules + 1)}
    conditions = trials(positions=range(1, modules + 1))
    return write_measured(
        path, [{"load": t.load, "height": t.height, "position": t.position} | empty for t in conditions]
    )


def _columns(path: Path, header: list[str], modules: int) -> tuple[list[str], list[str]]:
    """The columns to read, and a note on those that are not."""
    there = ", ".join(short(c) for c in header if c)
    for name in (*CONDITIONS, *FORCES):
        if name not in header:
            bad(path, f"column {name!r} is missing: the columns are {there}")
    rotations = rotation_columns(header)
    wanted = [*CONDITIONS, *FORCES, *rotations]
    for name in wanted:
        if header.count(name) > 1:
            bad(path, f"column {name!r} appears {header.count(name)} times: keep one")
    if rotations and int(rotations[-1].split("_")[1]) > modules:
        bad(path, f"column {rotations[-1]!r} is for a module that does not exist: the foot has {modules} modules")
    extra = [short(c) for c in header if c and c not in wanted]
    return wanted, [f"columns ignored: {', '.join(extra)}"] if extra else []


def _number(path: Path, n: int, column: str, cell: str) -> float | int:
    unit = {"position": "a module from 1", "height": "metres", "load": "newtons"}.get(column)
    unit = unit or ("radians" if ROTATION.fullmatch(column) else "newtons")
    where = f"row {n}, column {column!r}"
    if not cell:
        bad(path, f"{where} is empty: give {unit}, or leave the whole {_rest(column)} empty")
    try:
        value = float(cell)
    except ValueError:
        value = None
    if value is None or "_" in cell:
        point = ", with a decimal point" if re.fullmatch(r"[-+]?\d*,\d+", cell) else ""
        bad(path, f"{where}: {short(cell)!r} is not a number: give {unit}{point}")
    if not math.isfinite(value):
        bad(path, f"{where}: {cell!r} is not a finite number: give {unit}, or delete the row")
    if column == "position":
        if value != int(value):
            bad(path, f"{where}: {cell!r} is not an integer: give {unit}")
        return int(value)
    return value


def _rest(column: str) -> str:
    return "column" if ROTATION.fullmatch(column) else "row"


def _check_row(path: Path, n: int, row: Row, modules: int) -> None:
    """Refuse impossible values, naming the unit they look like."""

    def check(ok: bool, column: str, advice: str) -> None:
        if not ok:
            bad(path, f"row {n}, column {column!r}: {row[column]:g} {advice}")

    load, height = row["load"], row["height"]
    check(1 <= row["position"] <= modules, "position", f"is not a module: give 1 (next to the heel) to {modules}")
    check(load >= 0, "load", "is negative: give newtons, positive down")
    check(load <= 2000, "load", "looks like millinewtons: give newtons, 2000 at most")
    check(load == 0 or load >= 0.1, "load", "looks like kilonewtons: give newtons")
    check(height >= 0, "height", "is negative: give metres over the supports, 0 for no obstacle")
    check(height <= 0.1, "height", "looks like millimetres: give metres, 0.1 at most")
    check(height == 0 or height >= 1e-4, "height", "is 1000 times too small: give metres, such as 0.007")
    most, least = 50 * (load + 10), -1 - 0.05 * load
    for column in FORCES:
        check(row[column] <= most, column, f"looks like millinewtons under a load of {load:g} N: give newtons")
        check(row[column] >= least, column, "is negative: give the force of the foot on the bench, positive down")
    total = sum(row[c] for c in FORCES)
    if 0 < total < load / 50:
        bad(path, f"row {n}: the forces add up to {total:g} under a load of {load:g} N: give newtons, not kilonewtons")
    for column in rotation_columns(row):
        check(abs(row[column]) <= 2 * math.pi, column, "looks like degrees: give radians")


def _check_columns(path: Path, rows: list[Row]) -> None:
    """A force column far below all loads, and never zero, is in another unit."""
    if len(rows) < LEAST_ROWS:
        return
    for column in FORCES:
        shares = [row[column] / row["load"] for row in rows if row["load"] > 0]
        if shares and 0 < min(shares) and max(shares) < 0.002:
            bad(path, f"column {column} is below 0.2 % of the load in every row: give newtons, not kilonewtons")


def _check_repeats(path: Path, rows: dict[int, Row]) -> None:
    seen: dict[tuple[float, ...], int] = {}
    for n, row in rows.items():
        key = tuple(row[c] for c in CONDITIONS)
        if key in seen:
            bad(path, f"rows {seen[key]} and {n} are the same trial: keep one, or their mean")
        seen[key] = n
