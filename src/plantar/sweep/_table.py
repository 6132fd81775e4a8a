"""The table of a sweep: every trial once, in order, the same bits however the rows came about."""

from __future__ import annotations

import collections
import heapq
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
from plantar.sweep._parts import Row
from plantar.sweep._plain import JSON_KIND, Cell, common_kind, converter, kinds_of
from plantar.sweep._work import CONFIG, OK, RESERVED, bad_result

BLOCK_ROWS = 10_000
"""Rows that are in memory at once, and rows of a row group."""
Columns = dict[str, list[Cell]]


@dataclass(frozen=True)
class Form:
    """The columns that all rows together ask for."""

    varying: tuple[str, ...]
    """Varying fields of the configs."""
    names: tuple[str, ...]
    """Names that a result must have: those that most trials returned."""
    kinds: dict[str, str | None]
    """Kind of each column."""


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


def read_table(path: Path) -> Iterator[Columns]:
    """The blocks of a finished table."""
    if path.suffix == _parts.PARQUET:
        file = _parts.parquet().ParquetFile(path)
        for group in range(file.num_row_groups):
            yield file.read_row_group(group).to_pydict()
    else:
        with path.open(encoding="utf-8") as text:
            while rows := [json.loads(line) for line in itertools.islice(text, BLOCK_ROWS)]:
                yield {name: [row[name] for row in rows] for name in rows[0]}


def find_form(folder: Path) -> Form:
    """Go through all rows for what columns they need; the order in which they came plays no part."""
    varying = tuple(json.loads((folder / "sweep.json").read_text(encoding="utf-8"))["varying"])
    shapes: collections.Counter[frozenset[str]] = collections.Counter()
    order: dict[frozenset[str], tuple[str, ...]] = {}
    kinds: dict[frozenset[str], dict[str, set[str]]] = {}
    config: dict[str, set[str]] = {name: set() for name in varying}
    for block in _batched(merged(folder)):
        for name, cells in zip(varying, zip(*(row.config for row in block), strict=True), strict=bool(varying)):
            config[name] |= kinds_of(cells)
        for names, records in _by_names(block).items():
            shape = frozenset(names)
            shapes[shape] += len(records)
            order.setdefault(shape, names)
            found = kinds.setdefault(shape, {name: set() for name in names})
            for name in names:
                found[name] |= kinds_of([record[name] for record in records])
    # dicts keep order, so of equally common shapes the one of the earliest trial counts
    shape = max(shapes, key=shapes.__getitem__, default=frozenset())
    base = dict(zip(RESERVED, ("int", "int", "str", "str", "str"), strict=True))
    return Form(
        varying,
        order.get(shape, ()),
        base
        | {CONFIG + name: common_kind(found) for name, found in config.items()}
        | {name: common_kind(kinds[shape][name]) for name in order.get(shape, ())},
    )


def blocks(folder: Path, form: Form) -> Iterator[Columns]:
    """All rows in order, as columns, `BLOCK_ROWS` at a time."""
    expected = set(form.names)
    converters = {name: change for name, kind in form.kinds.items() if (change := converter(kind))}
    for block in _batched(_checked(row, expected) for row in merged(folder)):
        *base, config, records = zip(*block, strict=True)
        configs = zip(*config, strict=True) if form.varying else ()
        columns: list[Iterable[Cell]] = [*base, *configs]
        columns += [[record.get(name) for record in records] for name in form.names]
        named = dict(zip(form.kinds, columns, strict=True))
        yield {n: [converters[n](c) for c in cells] if n in converters else list(cells) for n, cells in named.items()}


def merged(folder: Path) -> Iterator[Row]:
    """All rows in order of their trials; where a trial has several, the newest."""
    paths = [*(folder / "parts").glob("part-*"), *(folder / "parts").glob("journal-*")]
    waiting = sorted((_first(path), path.stem.split("-")[1], path) for path in paths)
    heap: list[tuple[int, int, int, Row, Iterator[Row]]] = []
    waiting.reverse()
    last = -1
    while heap or waiting:
        if waiting and (not heap or waiting[-1][0] <= heap[0][0]):
            _, number, path = waiting.pop()
            rows = iter(_rows(path))
            push, entry = heapq.heappush, (-int(number), len(waiting))
        else:
            trial, *entry, row, rows = heap[0]
            push = heapq.heapreplace
            if trial != last:
                yield row
            last = trial
        following = next(rows, None)
        if following is not None:
            push(heap, (following.trial, *entry, following, rows))  # type: ignore[arg-type]
        elif push is heapq.heapreplace:
            heapq.heappop(heap)


def _rows(path: Path) -> list[Row]:
    rows = _parts.read_part(path)
    # a journal is in the order in which trials ended
    return sorted(rows, key=lambda row: row.trial) if path.stem.startswith("journal") else rows


def _first(path: Path) -> int:
    if path.stem.startswith("journal"):
        return min((row.trial for row in _parts.read_lines(path)), default=0)
    return _parts.first_trial(path)


def _checked(row: Row, expected: set[str]) -> Row:
    """The row, or a bad result if it has other names than most."""
    if row.status != OK or row.record.keys() == expected:
        return row
    here, there = sorted(row.record), sorted(expected)
    outcome = bad_result(row.trial, f"returned the names {here}, where most trials return {there}: {row.record}")
    return row._replace(status=outcome.status, error_type=outcome.error_type, error=outcome.error, record={})


def _by_names(rows: Iterable[Row]) -> dict[tuple[str, ...], list[dict[str, Cell]]]:
    groups: dict[tuple[str, ...], list[dict[str, Cell]]] = {}
    for row in rows:
        if row.status == OK:
            groups.setdefault(tuple(row.record), []).append(row.record)
    return groups


def _batched(rows: Iterable[Row]) -> Iterator[list[Row]]:
    rows = iter(rows)
    while block := list(itertools.islice(rows, BLOCK_ROWS)):
        yield block


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
    return {"int": pa.int64(), "float": pa.float64(), "bool": pa.bool_(), "str": pa.string(), JSON_KIND: pa.string()}[kind]
