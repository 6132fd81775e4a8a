"""Results on disk: an output folder that loses nothing, tables, and the settings they came from."""

from __future__ import annotations

import contextlib
import csv
import dataclasses
import importlib.util
import json
import math
import os
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import plantar
from plantar._checks import require
from plantar._fields import to_record
from plantar._rows import Rows, columns_of, scalar
from plantar.errors import InvalidInput

UNITS = "SI: m, kg, s, N, N m, rad, Pa; frames have x forward, y left, z up; quaternions are w x y z"
"""What the numbers in every file are measured in."""


def open_output(folder: str | Path, overwrite: bool = False) -> Path:
    """Make `folder` ready for results.

    Args:
        folder: Where results go; made with its parents if it is not there.
        overwrite: Whether a folder that already holds files may be used; files of the same name are
            then replaced one by one, others stay.

    Raises:
        InvalidInput: If the folder cannot be made or written, is a file, or holds files already.
    """
    path = Path(folder).expanduser()
    try:
        if path.exists() and not path.is_dir():
            raise InvalidInput(f"output folder {str(path)!r} is a file: give the name of a folder")
        path.mkdir(parents=True, exist_ok=True)
        # mode bits lie for root and on network drives; a file written is the only sure answer
        with tempfile.TemporaryFile(dir=path):
            pass
    except OSError as error:
        reason = error.strerror or str(error)
        raise InvalidInput(
            f"output folder {str(path)!r} cannot be written ({reason}): give a folder you may write to"
        ) from error
    if not overwrite and any(not item.name.startswith(".") for item in path.iterdir()):
        raise InvalidInput(
            f"output folder {str(path)!r} already holds files: give a new folder, or --overwrite to replace them"
        )
    return path


@contextlib.contextmanager
def filling(folder: str | Path, overwrite: bool = False) -> Iterator[Path]:
    """Give a scratch folder whose files go to `folder` only if all goes well; else nothing is left behind.

    Files of the same name are then replaced one by one, links among them and not what they point to; others stay.

    Args:
        folder: Where results go, as in `open_output`.
        overwrite: Whether a folder that already holds files may be used.

    Raises:
        InvalidInput: If the folder cannot be made or written, is a file, or holds files already.
    """
    path = Path(folder).expanduser()
    made = [p for p in (path, *path.parents) if not p.exists()]
    open_output(path, overwrite)
    try:
        with tempfile.TemporaryDirectory(dir=path, prefix=".", ignore_cleanup_errors=True) as name:
            yield Path(name)
            _move_files(Path(name), path)
    except BaseException:
        for empty in made:
            with contextlib.suppress(OSError):
                empty.rmdir()
        raise


def _move_files(source: Path, target: Path) -> None:
    """Move all files of a folder and of those in it, over files of the same name."""
    for file in sorted(f for f in source.rglob("*") if f.is_file()):
        place = target / file.relative_to(source)
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
            os.replace(file, place)
        except OSError as error:
            raise InvalidInput(f"{str(place)!r} cannot be written ({error.strerror}): give a new folder") from error


@contextlib.contextmanager
def replacing(path: str | Path) -> Iterator[Path]:
    """Give a scratch path beside `path` that takes its place only if all goes well.

    A reader sees the old file or the new one, never half of it. The scratch path has the same suffix.
    """
    path = Path(path)
    scratch = path.with_name(f".{path.stem}.{os.getpid()}{path.suffix}")
    try:
        yield scratch
        os.replace(scratch, path)
    finally:
        scratch.unlink(missing_ok=True)


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
    columns = columns_of(rows)
    records = [{c: _cell(row.get(c)) for c in columns} for row in rows]
    path = Path(folder) / f"{name}.csv"
    with replacing(path) as scratch, scratch.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, columns, lineterminator="\n")
        writer.writeheader()
        writer.writerows(records)
    if importlib.util.find_spec("pyarrow"):
        _write_parquet(path.with_suffix(".parquet"), records)
    return path


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
    """The cells as they are if Parquet can hold them in one column, else all as text."""
    kinds = {str if isinstance(c, str) else bool if isinstance(c, bool) else float for c in cells if c is not None}
    return cells if len(kinds) <= 1 else [None if c is None else str(c) for c in cells]
