"""The table of a sweep: every trial once, in order, the same bits however the rows came about."""

from __future__ import annotations

import collections
import itertools
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import plantar
from plantar._files import UNITS
from plantar.sweep import _parts
from plantar.sweep._disk import durable
from plantar.sweep._merge import merged
from plantar.sweep._parts import FAILED, Columns
from plantar.sweep.job import CONFIG, OK, RESERVED, bad_result
from plantar.sweep.record import JSON_KIND, common_kind, converter, kinds_of

BLOCK = 4_000
"""Trials that are in memory at once, and rows of a row group."""


@dataclass(frozen=True)
class Form:
    """The columns that all rows together ask for."""

    names: tuple[str, ...]
    """Names that a result must have: those that most trials returned."""
    kinds: dict[str, str | None]
    """Kind of each column of the table, in order."""


def find_table(folder: Path) -> Path | None:
    """The finished table in `folder`, if it is there."""
    paths = [folder / f"table{suffix}" for suffix in (_parts.PARQUET, _parts.JSON)]
    return next((path for path in paths if path.exists()), None)


def write_table(folder: Path) -> Path:
    """Write `table.parquet`, or `table.jsonl` where pyarrow is missing, from all parts."""
    form = find_form(folder)
    path = folder / f"table{_parts.suffix()}"
    with durable(path) as scratch:
        (_write_parquet if path.suffix == _parts.PARQUET else _write_lines)(scratch, form, blocks(folder, form))
    return path


def read_table(path: Path, columns: list[str] | None = None) -> Iterator[Columns]:
    """The blocks of a finished table, or some columns of them."""
    if path.suffix == _parts.PARQUET:
        with _parts.parquet().ParquetFile(path) as file:
            for group in range(file.num_row_groups):
                yield file.read_row_group(group, columns).to_pydict()
    else:
        with path.open(encoding="utf-8") as text:
            while rows := [json.loads(line) for line in itertools.islice(text, BLOCK)]:
                yield {name: [row[name] for row in rows] for name in columns or rows[0]}


def read_states(path: Path) -> Iterator[tuple[int, str]]:
    """Number and status of every row of a finished table."""
    for block in read_table(path, ["trial", "status"]):
        yield from zip(block["trial"], block["status"], strict=True)


def find_form(folder: Path) -> Form:
    """Go through all rows for what columns they need; the order in which they came plays no part."""
    varying = _varying(folder)
    counts: collections.Counter[frozenset[str]] = collections.Counter()
    order: dict[frozenset[str], tuple[str, ...]] = {}
    kinds: dict[Any, set[str]] = collections.defaultdict(set)
    for block in merged(folder, varying, BLOCK):
        for name in varying:
            kinds[CONFIG + name] |= kinds_of(block[CONFIG + name])
        for text, rows in _by_keys(block).items():
            names = tuple(json.loads(text))
            shape = frozenset(names)
            counts[shape] += len(rows)
            order.setdefault(shape, names)
            for name in names:
                column = block["." + name]
                kinds[shape, name] |= kinds_of(column if len(rows) == len(column) else [column[i] for i in rows])
    # dicts keep order, so of equally common shapes the one of the earliest trial counts
    shape = max(counts, key=counts.__getitem__, default=frozenset())
    names = order.get(shape, ())
    found: dict[str, str | None] = dict(zip(RESERVED, ("int", "int", "str", "str", "str"), strict=True))
    found |= {CONFIG + name: common_kind(kinds[CONFIG + name]) for name in varying}
    found |= {name: common_kind(kinds[shape, name]) for name in names}
    return Form(names, found)


def blocks(folder: Path, form: Form) -> Iterator[Columns]:
    """All rows in order, as columns of the table, a block at a time."""
    converters = {name: change for name, kind in form.kinds.items() if (change := converter(kind))}
    for block in merged(folder, _varying(folder), BLOCK):
        _check_names(block, form.names)
        empty = [None] * len(block["trial"])
        columns = {name: block[name] for name in form.kinds if name not in form.names}
        columns |= {name: block.get("." + name, empty) for name in form.names}
        yield {n: [converters[n](c) for c in cells] if n in converters else cells for n, cells in columns.items()}


def _check_names(block: Columns, expected: tuple[str, ...]) -> None:
    """Make rows with other names than most a bad result."""
    for text, rows in _by_keys(block).items():
        names = json.loads(text)
        if set(names) == set(expected):
            continue
        for i in rows:
            record = {name: block["." + name][i] for name in names}
            why = f"returned the names {sorted(names)}, where most trials return {sorted(expected)}: {record}"
            _, block["status"][i], block["error_type"][i], block["error"][i], _ = bad_result(block["trial"][i], why)
            for name in names:
                block["." + name][i] = None


def _by_keys(block: Columns) -> dict[str, Any]:
    """Places of the rows that have a record, by the names in it."""
    keys = block["keys"]
    if len(found := set(keys)) == 1:
        return {} if FAILED in found else {keys[0]: range(len(keys))}
    places: dict[str, list[int]] = {}
    for i, text in enumerate(keys):
        if block["status"][i] == OK:
            places.setdefault(text, []).append(i)
    return places


def _varying(folder: Path) -> list[str]:
    return json.loads((folder / "sweep.json").read_text(encoding="utf-8"))["varying"]


def _write_parquet(path: Path, form: Form, found: Iterable[Columns]) -> None:
    import pyarrow as pa  # noqa: PLC0415  (extra `table`)

    note = {"plantar": plantar.__version__, "units": UNITS}
    schema = pa.schema([pa.field(name, _arrow_type(pa, kind)) for name, kind in form.kinds.items()], metadata=note)
    with _parts.parquet().ParquetWriter(path, schema) as writer:
        for columns in found:
            writer.write_table(pa.table(columns, schema=schema))


def _write_lines(path: Path, _: Form, found: Iterable[Columns]) -> None:
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for columns in found:
            rows = zip(*columns.values(), strict=True)
            file.writelines(json.dumps(dict(zip(columns, row, strict=True))) + "\n" for row in rows)


def _arrow_type(pa: Any, kind: str | None) -> Any:
    if kind is None:
        return pa.null()
    if kind.startswith("["):
        return pa.list_(_arrow_type(pa, kind[1:-1]))
    return {"int": pa.int64, "float": pa.float64, "bool": pa.bool_, "str": pa.string, JSON_KIND: pa.string}[kind]()
