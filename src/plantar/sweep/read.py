"""Reading a sweep: its table, whether it has ended or not."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from plantar._arguments import checks_arguments
from plantar.sweep.database import read_plan, reading
from plantar.sweep.form import blocks, count_statuses, find_form
from plantar.table import Table


@checks_arguments
def load(out: str | Path) -> Table:
    """The table of a sweep, one row per trial in order; of an unfinished one, the rows so far.

    Columns are `trial`, `seed`, `status` (ok, error, timeout, bad_result, died), `error_type` and
    `error`, then `config.NAME` for each field of the configs that varies, then what the trials
    returned. Cells of a trial that failed are None.

    Raises:
        InvalidInput: If the folder does not hold a sweep.
    """
    return Table(row for table in tables(out) for row in table)


@checks_arguments
def tables(out: str | Path) -> Iterator[Table]:
    """The table of a sweep in pieces of 4 000 rows, for one that is larger than memory.

    Raises:
        InvalidInput: If the folder does not hold a sweep.
    """
    with reading(Path(out).expanduser()) as database:
        form = find_form(database, read_plan(database)["varying"])
        for columns in blocks(database, form):
            yield Table(dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True))


@checks_arguments
def status(out: str | Path) -> dict[str, Any]:
    """Progress of the trials: how many there are, how many have ended, and how.

    Raises:
        InvalidInput: If the folder does not hold a sweep.
    """
    with reading(Path(out).expanduser()) as database:
        plan = read_plan(database)
        counts = count_statuses(database, find_form(database, plan["varying"]))
    found = {"function": plan["function"], "trials": plan["trials"], "done": sum(counts.values())}
    return found | {"counts": counts}
