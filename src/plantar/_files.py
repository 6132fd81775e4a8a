"""Results on disk: files that appear whole, tables, and the settings they came from; folders are in `_folders`."""

from __future__ import annotations

import contextlib
import csv
import dataclasses
import glob
import importlib.util
import json
import math
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import plantar
from plantar._checks import require
from plantar._fields import to_record
from plantar._folders import DISK_FAULTS
from plantar._rows import Rows, columns_of, scalar
from plantar.errors import PlantarError

UNITS = "SI: m, kg, s, N, N m, rad, Pa; frames have x forward, y left, z up; quaternions are w x y z"
"""What the numbers in every file are measured in."""


@contextlib.contextmanager
def replacing(path: str | Path) -> Iterator[Path]:
    """Give a scratch path beside `path` that takes its place only if all goes well.

    A reader sees the old file or the new one, never half of it. The scratch path has the same suffix.

    Raises:
        PlantarError: If the disk is full or broken; what was there before is there still.
    """
    path = Path(path)
    scratch = path.with_name(f".{path.stem}.{os.getpid()}{path.suffix}")
    _clear_up(path)
    try:
        yield scratch
        os.replace(scratch, path)
    except OSError as error:
        if error.errno not in DISK_FAULTS:
            raise
        raise PlantarError(f"{str(path)!r} cannot be written ({error.strerror or error}): fix that first") from error
    finally:
        with contextlib.suppress(OSError):  # of a folder that has vanished too
            scratch.unlink()


def _clear_up(path: Path) -> None:
    """Take away scratch files of `path` that processes left behind which were killed on this machine."""
    if os.name == "nt":  # where signal 0 is Ctrl-C
        return
    for left in path.parent.glob(f".{glob.escape(path.stem)}.*{path.suffix}"):
        number = left.name[len(path.stem) + 2 : len(left.name) - len(path.suffix)]
        with contextlib.suppress(OSError, ValueError, OverflowError):
            try:
                os.kill(int(number), 0)
            except ProcessLookupError:
                left.unlink()


def write_text(path: str | Path, text: str) -> Path:
    """Write UTF-8 text in one piece."""
    path = Path(path)
    with replacing(path) as scratch:
        scratch.write_text(text, encoding="utf-8", newline="\n")
    return path


def write_table(folder: str | Path, name: str, rows: Rows) -> Path:
    """Write `rows` as `name.csv`, and as `name.parquet` where pyarrow is installed.

    Args:
        folder: An existing folder.
        name: File name without suffix.
        rows: One mapping a row; columns are in the order in which they first appear. Floats keep all
            their digits; a missing value is an empty cell.

    Returns:
        Path of the CSV file.
    """
    require(len(rows) > 0, f"table {name!r}", "no rows", "at least one row")
    path = write_csv(Path(folder) / f"{name}.csv", rows)
    if importlib.util.find_spec("pyarrow"):
        _write_parquet(Path(folder) / f"{name}.parquet", _records(rows))
    return path


def write_csv(path: str | Path, rows: Rows) -> Path:
    """Write `rows` to this one file, as `write_table` does."""
    path = Path(path)
    with replacing(path) as scratch, scratch.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, columns_of(rows), lineterminator="\n")
        writer.writeheader()
        writer.writerows(_records(rows))
    return path


def _records(rows: Rows) -> list[dict[str, Any]]:
    columns = columns_of(rows)
    return [{c: _cell(row.get(c)) for c in columns} for row in rows]


def write_config(folder: str | Path, *, seed: int | None = None, **fields: Any) -> Path:
    """Write `config.json`: versions, seed, units, and whatever made these results.

    It holds no time and no path of the machine, so that equal runs write equal files.

    Args:
        folder: An existing folder.
        seed: Seed of the run, or None if nothing in it is random.
        **fields: Settings; dataclasses, feet, arrays and paths are turned into plain data.
    """
    import mujoco  # noqa: PLC0415  (tables can be written without loading the engine)

    header = {"plantar": plantar.__version__, "mujoco": mujoco.__version__, "seed": seed, "units": UNITS}
    return write_text(Path(folder) / "config.json", to_json({**header, **fields}, indent=2) + "\n")


def to_json(value: Any, indent: int | None = None) -> str:
    """Strict JSON of plain data, dataclasses, feet and arrays; numbers that are not finite become null."""
    return json.dumps(plain(value), indent=indent, allow_nan=False, ensure_ascii=False)


def plain(value: Any) -> Any:
    """`value` as dicts, lists, texts and finite numbers."""
    if hasattr(value, "to_dict"):
        value = value.to_dict()
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        value = to_record(value)
    value = scalar(value)
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset | range):
        return [plain(item) for item in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if isinstance(value, str | int | None) else str(value)


def _cell(value: Any) -> Any:
    """A table cell: NumPy scalars become Python's, enums and paths become text."""
    value = scalar(value)
    return value if isinstance(value, str | int | float | None) else str(value)


def _write_parquet(path: Path, records: list[dict[str, Any]]) -> None:
    import pyarrow as pa  # noqa: PLC0415  (extra `table`)
    import pyarrow.parquet as pq  # noqa: PLC0415

    columns = {name: _one_kind([record[name] for record in records]) for name in records[0]}
    note = {"plantar": plantar.__version__, "units": UNITS}
    with replacing(path) as scratch:
        pq.write_table(pa.table(columns).replace_schema_metadata(note), scratch)


def _one_kind(cells: list[Any]) -> list[Any]:
    """The cells as they are if Parquet can hold them in one column, else all as floats or as text."""
    kinds = {next(k for k in (str, bool, int, float) if isinstance(c, k)) for c in cells if c is not None}
    if len(kinds) <= 1:
        return cells
    made: type = float if kinds == {int, float} else str  # an integer of 64 bits may lie between two floats
    return [None if c is None else made(c) for c in cells]
