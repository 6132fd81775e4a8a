"""Reading a sweep: its table, whether it has ended or not."""

from __future__ import annotations

import collections
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

from plantar.sweep._store import read_plan
from plantar.sweep._table import blocks, find_form, find_table, read_table
from plantar.table import Table

T = TypeVar("T")


def load(out: str | Path) -> Table:
    """The table of a sweep, a row a trial in order; of one that has not ended, the rows there are.

    Columns are `trial`, `seed`, `status` (ok, error, timeout, bad_result, died), `error_type` and
    `error`, then `config.NAME` for each field of the configs that varies, then what the trials
    returned. Cells of a trial that failed are None.

    Raises:
        InvalidInput: If the folder holds no sweep.
    """
    return _patiently(lambda: Table(row for table in tables(out) for row in table))


def tables(out: str | Path) -> Iterator[Table]:
    """The table of a sweep in pieces of 4 000 rows, for one that is larger than memory."""
    folder = Path(out).expanduser()
    read_plan(folder)
    path = find_table(folder)
    found = read_table(path) if path else blocks(folder, find_form(folder))
    for columns in found:
        yield Table(dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True))


def status(out: str | Path) -> dict[str, Any]:
    """What became of the trials so far: how many there are, how many have ended, and how.

    Raises:
        InvalidInput: If the folder holds no sweep.
    """
    folder = Path(out).expanduser()
    plan = read_plan(folder)
    counts = _patiently(lambda: collections.Counter(row["status"] for table in tables(folder) for row in table))
    found = {"function": plan["function"], "trials": plan["trials"], "done": sum(counts.values())}
    return found | {"counts": dict(sorted(counts.items()))}


def _patiently(read: Callable[[], T], tries: int = 5) -> T:
    """Read again if a run at work put a part in the place of a journal meanwhile."""
    for _ in range(tries - 1):
        try:
            return read()
        except FileNotFoundError:
            continue
    return read()
