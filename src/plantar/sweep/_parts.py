"""One part of a sweep on disk: rows as Parquet, or as lines of JSON where pyarrow is missing; nothing is lost."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from plantar.errors import MissingExtra
from plantar.sweep._disk import durable
from plantar.sweep._plain import Cell, common_kind, kinds_of
from plantar.sweep._work import CONFIG, RESERVED

PARQUET, JSON = ".parquet", ".jsonl"
_encode = json.JSONEncoder(separators=(",", ":")).encode


class Row(NamedTuple):
    """One trial that ended, as it is kept until the table is made."""

    trial: int
    seed: int
    status: str
    error_type: str | None
    error: str | None
    config: Sequence[Cell]
    """The varying fields, in the order of `Plan.varying`."""
    record: dict[str, Cell]


def suffix() -> str:
    """The kind of files that can be written here."""
    return PARQUET if importlib.util.find_spec("pyarrow") else JSON


def lines(rows: Iterable[Row]) -> str:
    """Rows as lines of JSON."""
    return "".join([_encode(row) + "\n" for row in rows])


def read_lines(path: Path) -> list[Row]:
    """Rows from lines of JSON; a last line that a kill cut short is left out."""
    rows = []
    with path.open(encoding="utf-8", errors="replace") as file:
        for line in file:
            try:
                rows.append(Row(*json.loads(line)))
            except (json.JSONDecodeError, TypeError):
                break
    return rows


def write_part(path: Path, rows: Sequence[Row], varying: Sequence[str]) -> None:
    """Write rows to a `.parquet` or `.jsonl` file, durably and in one piece."""
    with durable(path) as scratch:
        if path.suffix == PARQUET:
            _write_parquet(scratch, rows, varying)
        else:
            scratch.write_text(lines(rows), encoding="utf-8", newline="\n")


def read_part(path: Path) -> list[Row]:
    """All rows of a part."""
    return _read_parquet(path) if path.suffix == PARQUET else read_lines(path)


def read_states(path: Path) -> Iterator[tuple[int, str]]:
    """Number and status of every row of a part."""
    if path.suffix == PARQUET:
        table = parquet().read_table(path, columns=["trial", "status"])
        yield from zip(table["trial"].to_pylist(), table["status"].to_pylist(), strict=True)
    else:
        for row in read_lines(path):
            yield row.trial, row.status


def first_trial(path: Path) -> int:
    """Number of the first row of a part, without reading the rest."""
    if path.suffix == PARQUET:
        return int(parquet().read_schema(path).metadata[b"first"])
    with path.open(encoding="utf-8") as file:
        return json.loads(file.readline())[0]


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


def _write_parquet(path: Path, rows: Sequence[Row], varying: Sequence[str]) -> None:
    import pyarrow as pa  # noqa: PLC0415

    trial, seed, status, error_type, error, config, records = zip(*rows, strict=True)
    columns = dict(zip(RESERVED, (trial, seed, status, error_type, error), strict=True))
    columns |= {CONFIG + name: cells for name, cells in zip(varying, zip(*config, strict=True), strict=bool(varying))}
    # which names a row has, and in which order, is part of what the trial returned; an empty cell cannot tell
    columns["keys"] = [_encode(list(record)) for record in records]
    for name in dict.fromkeys(name for record in records for name in record):
        columns["." + name] = [record.get(name) for record in records]
    texts = [name for name, cells in columns.items() if _needs_text(cells)]
    columns |= {name: [None if c is None else _encode(c) for c in columns[name]] for name in texts}
    note = {"first": str(rows[0].trial), "texts": json.dumps(texts)}
    parquet().write_table(pa.table({n: pa.array(c) for n, c in columns.items()}).replace_schema_metadata(note), path)


def _needs_text(cells: Sequence[Cell]) -> bool:
    kinds = kinds_of(cells)
    return len(kinds) > 1 or "json" in str(common_kind(kinds))


def _read_parquet(path: Path) -> list[Row]:
    table = parquet().read_table(path)
    texts = json.loads(table.schema.metadata[b"texts"])
    columns = {name: table[name].to_pylist() for name in table.column_names}
    for name in texts:
        columns[name] = [None if c is None else json.loads(c) for c in columns[name]]
    base = [columns[name] for name in RESERVED]
    config = [cells for name, cells in columns.items() if name.startswith(CONFIG)]
    configs = zip(*config, strict=True) if config else [()] * table.num_rows
    return [Row(*cells, c, r) for *cells, c, r in zip(*base, configs, _records(columns), strict=True)]


def _records(columns: dict[str, list[Any]]) -> Iterator[dict[str, Cell]]:
    """The records as they were returned: names in order, absent ones absent."""
    known: dict[str, tuple[list[str], Any]] = {}
    for i, text in enumerate(columns["keys"]):
        if text not in known:
            names = json.loads(text)
            known[text] = names, [columns["." + name] for name in names]
        names, cells = known[text]
        yield {name: column[i] for name, column in zip(names, cells, strict=True)}
