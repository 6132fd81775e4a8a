"""The columns needed by the rows of a sweep, and the rows in that form: the same whatever their order."""

from __future__ import annotations

import collections
import json
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from plantar.sweep.job import BAD_RESULT, CONFIG, RESERVED, bad_result
from plantar.sweep.record import Cell, common_kind, converter

BLOCK = 4_000
"""Rows that are in memory at once."""
Columns = dict[str, Sequence[Any]]


@dataclass(frozen=True)
class Form:
    """The columns that all rows together need."""

    varying: tuple[str, ...]
    """Fields of the configs."""
    names: tuple[str, ...]
    """Names that a result must have: those that most trials returned."""
    kinds: dict[str, str | None]
    """Kind of each column of the table, in order."""
    converters: dict[str, Callable[[Cell], Cell]]
    """What makes cells of that kind, for columns that hold others."""
    shapes: dict[int, tuple[str, ...]]
    """Names that the rows of each shape have; none for trials without a record."""

    @property
    def odd(self) -> frozenset[int]:
        """Shapes of rows with other names than most."""
        return frozenset(i for i, names in self.shapes.items() if names and set(names) != set(self.names))


def find_form(database: sqlite3.Connection, varying: Sequence[str]) -> Form:
    """Find the columns from the shapes of the rows alone; what they hold is not read."""
    counts: collections.Counter[frozenset[str]] = collections.Counter()
    order: dict[frozenset[str], tuple[str, ...]] = {}
    kinds: dict[Any, set[str]] = collections.defaultdict(set)
    shapes: dict[int, tuple[str, ...]] = {}
    # in the order of trials, so that of equally common names those of the earliest trial count
    query = """
        SELECT id, names, kinds, number FROM shapes JOIN
          (SELECT shape, count(*) AS number, min(trial) AS first FROM trials GROUP BY shape) ON shape = id
        ORDER BY first"""
    for number, names_text, kinds_text, rows in database.execute(query):
        names, its_kinds = tuple(json.loads(names_text)), json.loads(kinds_text)
        shapes[number] = names
        for name, kind in zip(varying, its_kinds, strict=False):
            kinds[CONFIG + name].add(kind)
        if names:
            shape = frozenset(names)
            counts[shape] += rows
            order.setdefault(shape, names)
            for name, kind in zip(names, its_kinds[len(varying) :], strict=True):
                kinds[shape, name].add(kind)
    shape = max(counts, key=counts.__getitem__, default=frozenset())
    names = order.get(shape, ())
    columns = {CONFIG + name: kinds[CONFIG + name] - {""} for name in varying}
    columns |= {name: kinds[shape, name] - {""} for name in names}
    common = {name: common_kind(found) for name, found in columns.items()}
    changes = {name: c for name, kind in common.items() if columns[name] != {"float"} and (c := converter(kind))}
    reserved: dict[str, str | None] = dict(zip(RESERVED, ("int", "int", "str", "str", "str"), strict=True))
    return Form(tuple(varying), names, reserved | common, changes, shapes)


def blocks(database: sqlite3.Connection, form: Form) -> Iterator[Columns]:
    """All rows in order, as columns of the table, a block at a time; a running sweep is not blocked in between."""
    last = -1
    query = "SELECT trial, seed, status, error_type, error, shape, cells FROM trials WHERE trial > ? ORDER BY trial"
    while rows := database.execute(f"{query} LIMIT {BLOCK}", (last,)).fetchall():
        last = rows[-1][0]
        # rows of shapes that came after the form was found belong to the next look
        rows = [row for row in rows if row[5] in form.shapes]
        if rows:
            yield _columns(form, rows)


def _columns(form: Form, rows: list[tuple]) -> Columns:
    *reserved, shapes, texts = zip(*rows, strict=True)
    cells = json.loads(f"[{','.join(texts)}]")
    plain = {i for i, names in form.shapes.items() if names == form.names}
    if not plain.issuperset(shapes):
        reserved = [list(column) for column in reserved]
        for i, shape in enumerate(shapes):
            if shape not in plain:
                cells[i] = _arranged(form, reserved, i, form.shapes[shape], cells[i])
    columns: Columns = dict(zip(form.kinds, (*reserved, *zip(*cells, strict=True)), strict=True))
    return columns | {name: [change(c) for c in columns[name]] for name, change in form.converters.items()}


def _arranged(form: Form, reserved: list[Any], i: int, names: Sequence[str], cells: list[Cell]) -> list[Cell]:
    """The cells of row `i` in the order of the form; without those of a result that has other names than most."""
    record = dict(zip(names, cells[len(form.varying) :], strict=True))
    if record and record.keys() != set(form.names):
        why = f"returned the names {sorted(names)}, where most trials return {sorted(form.names)}: {record}"
        _, reserved[2][i], reserved[3][i], reserved[4][i], record = bad_result(reserved[0][i], why)
    return [*cells[: len(form.varying)], *(record.get(name) for name in form.names)]


def count_statuses(database: sqlite3.Connection, form: Form) -> dict[str, int]:
    """Number of trials by status."""
    counts: collections.Counter[str] = collections.Counter()
    odd = form.odd
    query = "SELECT status, shape, count(*) FROM trials GROUP BY status, shape"
    for status, shape, number in database.execute(query):
        counts[BAD_RESULT if shape in odd else status] += number
    return dict(sorted(counts.items()))
