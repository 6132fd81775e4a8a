"""One part of a sweep on disk: rows as Parquet, or as lines of JSON where pyarrow is missing; nothing is lost."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from plantar.errors import MissingExtra
from plantar.sweep._disk import durable
from plantar.sweep.job import CONFIG
from plantar.sweep.record import JSON_KIND, Cell, common_kind, kinds_of

PARQUET, JSON = ".parquet", ".jsonl"
FAILED = "[]"
"""What the column `keys` holds for a trial without a record."""

Row = tuple[int, str, str | None, str | None, dict[str, Cell], int, Sequence[Cell]]
"""A trial that ended, as it comes: an `Outcome`, then its seed and the varying fields of its config."""
Columns = dict[str, list[Any]]
"""Rows as columns: trial, seed, status, error_type, error, `config.NAME`, keys, and `.NAME` for results."""

_encode = json.JSONEncoder(separators=(",", ":")).encode


def suffix() -> str:
    """The kind of files that can be written here."""
    return PARQUET if importlib.util.find_spec("pyarrow") else JSON


def line(rows: Sequence[Row]) -> str:
    """Rows as one line of JSON, which is read whole or not at all."""
    return _encode(rows) + "\n"


def read_lines(path: Path) -> list[Row]:
    """Rows from lines of JSON; a last line that a kill cut short is left out."""
    rows: list[Row] = []
    with path.open(encoding="utf-8", errors="replace") as file:
        for text in file:
            try:
                rows += map(tuple, json.loads(text))  # type: ignore[arg-type]
            except json.JSONDecodeError:
                break
    return rows


def write_part(path: Path, rows: Sequence[Row], varying: Sequence[str]) -> None:
    """Write rows to a `.parquet` or `.jsonl` file, durably and in one piece."""
    with durable(path) as scratch:
        if path.suffix == PARQUET:
            _write_parquet(scratch, to_columns(rows, varying))
        else:
            scratch.write_text(line(rows), encoding="utf-8", newline="\n")


def read_part(path: Path, varying: Sequence[str]) -> Columns:
    """All rows of a part or a journal, in order of their trials."""
    if path.suffix == PARQUET:
        return _read_parquet(path)
    return to_columns(sorted(read_lines(path), key=lambda row: row[0]), varying)


def read_states(path: Path) -> Iterator[tuple[int, str]]:
    """Number and status of every row of a part."""
    if path.suffix == PARQUET:
        table = parquet().read_table(path, columns=["trial", "status"])
        return zip(table["trial"].to_pylist(), table["status"].to_pylist(), strict=True)
    return ((row[0], row[1]) for row in read_lines(path))


def span(path: Path) -> tuple[int, int]:
    """Numbers of the first and the last trial of a part or a journal; (0, -1) if it is empty."""
    if path.suffix == PARQUET:
        note = parquet().read_schema(path).metadata
        return int(note[b"first"]), int(note[b"last"])
    numbers = [row[0] for row in read_lines(path)]
    return (min(numbers), max(numbers)) if numbers else (0, -1)


def parquet() -> Any:
    """The module `pyarrow.parquet`.

    Raises:
        MissingExtra: If pyarrow is not installed.
    """
    try:
        import pyarrow.parquet  # noqa: PLC0415  (extra `table`)
    except ImportError:
        raise MissingExtra("reading Parquet parts needs pyarrow: install with `pip install 'plantar[table]'`") from None
    return pyarrow.parquet


def to_columns(rows: Sequence[Row], varying: Sequence[str]) -> Columns:
    """Rows as columns."""
    if not rows:
        return {}
    trial, status, error_type, error, records, seed, config = map(list, zip(*rows, strict=True))
    columns: Columns = {"trial": trial, "seed": seed, "status": status, "error_type": error_type, "error": error}
    columns |= {CONFIG + name: [cells[i] for cells in config] for i, name in enumerate(varying)}
    # which names a record has, and in which order, is part of what was returned; an empty cell cannot tell
    texts = {names: _encode(names) for names in {tuple(record) for record in records}}
    columns["keys"] = [texts[tuple(record)] for record in records]
    for name in dict.fromkeys(name for names in sorted(texts) for name in names):
        columns["." + name] = [record.get(name) for record in records]
    return columns


def _write_parquet(path: Path, columns: Columns) -> None:
    import pyarrow as pa  # noqa: PLC0415

    texts = [name for name, cells in columns.items() if _needs_text(cells)]
    trial = columns["trial"]
    note = {"first": str(trial[0]), "last": str(trial[-1]), "texts": json.dumps(texts)}
    arrays = {name: _as_texts(cells) if name in texts else cells for name, cells in columns.items()}
    parquet().write_table(pa.table({n: pa.array(c) for n, c in arrays.items()}).replace_schema_metadata(note), path)


def _read_parquet(path: Path) -> Columns:
    table = parquet().read_table(path)
    columns = table.to_pydict()
    for name in json.loads(table.schema.metadata[b"texts"]):
        columns[name] = [None if text is None else json.loads(text) for text in columns[name]]
    return columns


def _needs_text(cells: list[Cell]) -> bool:
    """Whether one column of Parquet could not give every cell back as it was."""
    kinds = kinds_of(cells)
    return len(kinds) > 1 or common_kind(kinds) == JSON_KIND


def _as_texts(cells: list[Cell]) -> list[str | None]:
    return [None if c is None else _encode(c) for c in cells]
