"""The folder of a sweep: what is done, rows as they come, and the table at the end."""

from __future__ import annotations

import collections
import json
import os
import time
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import IO, Any

from plantar._files import open_output, to_json
from plantar.errors import InvalidInput
from plantar.sweep import _parts
from plantar.sweep._disk import lock, write_durably
from plantar.sweep._parts import Row
from plantar.sweep._table import find_table, read_states, write_table
from plantar.sweep.job import STATUSES
from plantar.sweep.plan import Plan

PART_ROWS = 4_000
"""Rows that wait in a journal before they become a part."""
CODES = {status: code for code, status in enumerate(STATUSES, start=1)}
"""How a status is kept in memory, one byte a trial; 0 is a trial without a row."""
WRITING_SHARE = 0.05
"""Share of the time that may go into making results durable."""


class Store:
    """Where the rows of one sweep go.

    Rows are appended to a journal of JSON lines, which becomes a part when it is long enough, when
    the run ends, or when the next run finds it. Every journal has a file of its own, so that a line
    cut short by a kill is the last one of its file.
    """

    def __init__(self, folder: Path, plan: Plan, lock_file: IO[str]):
        self.folder, self.plan, self._lock = folder, plan, lock_file
        self.states = bytearray(plan.identity["trials"])
        self._parts = folder / "parts"
        self._parts.mkdir(exist_ok=True)
        self._rows: list[Row] = []
        self._unwritten: list[Row] = []
        self._journal: IO[str] | None = None
        self._next, self._last_write, self._cost = 0, 0.0, 0.0

    def add(self, rows: Iterable[Row]) -> None:
        """Take rows of trials that ended."""
        fresh = list(rows)
        self._unwritten += fresh
        self._mark((row[0], row[1]) for row in fresh)
        self.tick()

    def tick(self) -> None:
        """Make what came durable, unless that would take more than its share of the time."""
        if self._unwritten and time.perf_counter() - self._last_write >= self._cost / WRITING_SHARE:
            self.flush()
        if len(self._rows) + len(self._unwritten) >= PART_ROWS:
            self.seal()

    def flush(self) -> None:
        """Append what came to the journal, durably."""
        if not self._unwritten:
            return
        if self._journal is None:
            self._journal = self._path("journal", _parts.JSON).open("x", encoding="utf-8", newline="\n")
        self._journal.write(_parts.line(self._unwritten))
        start = time.perf_counter()
        self._journal.flush()
        os.fsync(self._journal.fileno())
        self._last_write = time.perf_counter()
        self._cost = self._last_write - start
        self._rows += self._unwritten
        self._unwritten = []

    def seal(self) -> None:
        """Make the journal a part."""
        self.flush()
        if self._journal is None:
            return
        self._journal.close()
        self._journal = None
        self._seal(self._path("journal", _parts.JSON), self._rows)
        self._rows = []
        self._next += 1

    def finish(self) -> None:
        """Seal, and write the table if every trial has its row."""
        self.seal()
        if find_table(self.folder) is None and all(self.states):
            # a name that only some trials returned shows when all have ended
            self._mark(read_states(write_table(self.folder)))

    def close(self) -> None:
        """Keep what came and let other runs in."""
        try:
            self.seal()
        finally:
            self._lock.close()

    def counts(self) -> dict[str, int]:
        """Number of trials of each status that occurs."""
        found = collections.Counter(self.states)
        return {status: found[code] for status, code in CODES.items() if found[code]}

    def resume(self, retry: Collection[str]) -> None:
        """Read what earlier runs left; trials whose status is in `retry` count as not run."""
        for journal in sorted(self._parts.glob("journal-*")):
            self._seal(journal, _parts.read_lines(journal))
        paths = sorted(self._parts.glob("part-*"))
        table = find_table(self.folder)
        for states in [read_states(table)] if table else map(_parts.read_states, paths):
            self._mark(states)
        self._next = 1 + max((int(path.stem.split("-")[1]) for path in paths), default=-1)
        states = self.states
        for status in retry:
            states = states.replace(bytes([CODES[status]]), b"\0")
        if table is not None and states != self.states:
            table.unlink()
        self.states = states

    def _mark(self, states: Iterable[tuple[int, str]]) -> None:
        for trial, status in states:
            self.states[trial] = CODES[status]

    def _seal(self, journal: Path, rows: list[Row]) -> None:
        part = journal.with_name(journal.name.replace("journal", "part")).with_suffix(_parts.suffix())
        is_sealed = any(part.with_suffix(suffix).exists() for suffix in (_parts.PARQUET, _parts.JSON))
        if rows and not is_sealed:
            _parts.write_part(part, sorted(rows, key=lambda row: row[0]), self.plan.varying)
        journal.unlink()

    def _path(self, kind: str, suffix: str) -> Path:
        return self._parts / f"{kind}-{self._next:06d}{suffix}"


def open_store(out: str | Path, plan: Plan, retry: Collection[str] = ()) -> Store:
    """Start a sweep in a new folder, or go on with the one that is there.

    Raises:
        InvalidInput: If the folder cannot be written, holds other files or another sweep, or is in use.
    """
    folder = Path(out).expanduser()
    folder = open_output(folder, overwrite=(folder / "sweep.json").exists())
    lock_file = lock(folder)
    try:
        if not (folder / "sweep.json").exists():
            write_durably(folder / "sweep.json", to_json(plan.record(), indent=2) + "\n")
        plan.require_same(read_plan(folder), folder)
        store = Store(folder, plan, lock_file)
        store.resume(retry)
    except BaseException:
        lock_file.close()
        raise
    return store


def read_plan(folder: Path) -> dict[str, Any]:
    """The record of the sweep in `folder`.

    Raises:
        InvalidInput: If there is none.
    """
    try:
        return json.loads((folder / "sweep.json").read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InvalidInput(f"{str(folder)!r} holds no sweep: give the folder that a sweep's `out` named") from error
