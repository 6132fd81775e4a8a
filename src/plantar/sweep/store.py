"""The folder of a sweep: which trials are done, rows as they come, and the table at the end."""

from __future__ import annotations

import collections
import contextlib
import json
import sqlite3
import time
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import Any

from plantar._files import to_json, write_text
from plantar._folders import open_output
from plantar.sweep.database import FILE, begin_writing, close_database, explained, lock, open_database, read_plan
from plantar.sweep.export import has_table, remove_table, write_table
from plantar.sweep.form import Form, blocks, find_form
from plantar.sweep.job import BAD_RESULT, STATUSES
from plantar.sweep.plan import Plan
from plantar.sweep.record import Cell, kind_of

CODES = {status: code for code, status in enumerate(STATUSES, start=1)}
"""Codes of statuses in memory, one byte per trial; 0 is a trial without a row."""
WRITING_SHARE = 0.05
"""Fraction of the time that may go into making rows durable."""
MOST_WAITING = 10_000
"""Rows that may wait for that."""
ROWS_AT_ONCE = 100
"""Rows of a statement: between two of them, threads that run trials get a turn, which can be long."""

Row = tuple[int, str, str | None, str | None, dict[str, Cell], int, Sequence[Cell]]
"""A trial that ended, as it comes: an `Outcome`, then its seed and the varying fields of its config."""

_encode = json.JSONEncoder(separators=(",", ":")).encode
_encode_rows = json.JSONEncoder(separators=(",\n", ":")).encode


class Store:
    """Storage for the rows of one sweep.

    Args:
        folder: Where it is.
        plan: The sweep.
        database: Its file, open for writing.
        holder: Lock against other runs.
    """

    def __init__(self, folder: Path, plan: Plan, database: sqlite3.Connection, holder: sqlite3.Connection):
        self.folder, self.plan = folder, plan
        self.states = bytearray(plan.identity["trials"])
        self._database, self._holder = database, holder
        self._waiting: list[Row] = []
        self._shapes: dict[Any, int] = {}
        self._last_write, self._cost = 0.0, 0.0

    def add(self, rows: Iterable[Row]) -> None:
        """Accept rows of trials that ended, and write pending ones unless that would take too much time."""
        states = self.states
        for row in rows:
            self._waiting.append(row)
            states[row[0]] = CODES[row[1]]
        is_due = time.perf_counter() - self._last_write >= self._cost / WRITING_SHARE
        if is_due or len(self._waiting) >= MOST_WAITING:
            self.flush()

    def flush(self) -> None:
        """Write the pending rows durably, all or none."""
        if not self._waiting:
            return
        with explained(self.folder), self._database:
            self._database.execute("BEGIN IMMEDIATE")
            try:
                values, width = self._values(self._waiting), 7 * ROWS_AT_ONCE
                for first in range(0, len(values), width):
                    some = values[first : first + width]
                    marks = ",".join(["(?, ?, ?, ?, ?, ?, ?)"] * (len(some) // 7))
                    self._database.execute(f"INSERT OR REPLACE INTO trials VALUES {marks}", some)
                start = time.perf_counter()
                self._database.execute("COMMIT")
            except BaseException:
                self._shapes.clear()  # those that are new are taken back too
                raise
        self._last_write = time.perf_counter()
        self._cost = self._last_write - start
        self._waiting = []

    def finish(self) -> None:
        """Write pending rows, and the table if every trial has its row."""
        self.flush()
        if all(self.states) and not has_table(self.folder):
            with explained(self.folder):
                form = find_form(self._database, self.plan.varying)
                write_table(self.folder, form, blocks(self._database, form))
                if form.odd:  # a name that only some trials returned shows when all have ended
                    self._read_states(form)

    def close(self) -> None:
        """Keep what has arrived and release the lock."""
        try:
            self.flush()
        finally:
            close_database(self._database)
            self._holder.close()

    def counts(self) -> dict[str, int]:
        """Number of trials of each status that occurs."""
        found = collections.Counter(self.states)
        return {status: found[code] for status, code in CODES.items() if found[code]}

    def resume(self, retry: Collection[str]) -> None:
        """Read what earlier runs left; trials whose status is in `retry` count as not run."""
        self._read_states(find_form(self._database, self.plan.varying))
        done = bytes(self.states)
        for status in retry:
            self.states = self.states.replace(bytes([CODES[status]]), b"\0")
        if self.states != done:
            remove_table(self.folder)
        begin_writing(self._database, self.folder)

    def _read_states(self, form: Form) -> None:
        odd = form.odd
        for trial, status, shape in self._database.execute("SELECT trial, status, shape FROM trials"):
            self.states[trial] = CODES[BAD_RESULT if shape in odd else status]

    def _values(self, rows: Sequence[Row]) -> list[Any]:
        """The values of rows as the database holds them, one after the other."""
        found: list[dict[str, list[Cell]]] = []
        numbers: list[int] = []
        for _, _, _, _, record, _, config in rows:
            cells = [*config, *record.values()]
            found.append({"": cells})
            numbers.append(self._shapes.get((tuple(record), *map(type, cells))) or self._shape(tuple(record), cells))
        # JSON of many rows at once takes half the time; no text holds a raw line feed and no cell a brace
        texts = _encode_rows(found)[len('[{"":') : -len("}]")].split('},\n{"":')
        values: list[Any] = []
        for (trial, status, error_type, error, _, seed, _), shape, text in zip(rows, numbers, texts, strict=True):
            values += (trial, seed, status, error_type, error, shape, text)
        return values

    def _shape(self, names: tuple[str, ...], cells: list[Cell]) -> int:
        """Number of the shape of a row: its names, and the kinds of its cells."""
        kinds = tuple(map(kind_of, cells))
        number = self._shapes.get((names, kinds))
        if number is None:
            texts = _encode(names), _encode(kinds)
            number = self._database.execute("INSERT INTO shapes (names, kinds) VALUES (?, ?)", texts).lastrowid or 0
            self._shapes[names, kinds] = number
        types = tuple(map(type, cells))
        if list not in types:  # types say all
            self._shapes[names, *types] = number
        return number


def open_store(out: str | Path, plan: Plan, retry: Collection[str] = (), *, overwrite: bool = False) -> Store:
    """Start a sweep in a new folder, or resume the one that is there; `overwrite` starts over in its place.

    Raises:
        InvalidInput: If the folder cannot be written, holds other files or another sweep, or is in use.
    """
    folder = Path(out).expanduser()
    folder = open_output(folder, overwrite=overwrite or (folder / FILE).exists())
    with explained(folder), contextlib.ExitStack() as stack:
        holder = lock(folder)
        stack.callback(holder.close)
        if overwrite:
            for name in (FILE, f"{FILE}-wal", f"{FILE}-shm", "sweep.json"):
                (folder / name).unlink(missing_ok=True)
            remove_table(folder)
        database = open_database(folder, plan.record())
        stack.callback(close_database, database)
        plan.require_same(read_plan(database), folder)
        if not (folder / "sweep.json").exists():
            write_text(folder / "sweep.json", to_json(plan.record(), indent=2) + "\n")
        store = Store(folder, plan, database, holder)
        store.resume(retry)
        stack.pop_all()
    return store
