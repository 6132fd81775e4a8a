"""What a worker does: call the function, and turn whatever happens into an outcome."""

from __future__ import annotations

import functools
import re
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from plantar.sweep.record import Cell, NotPlain, all_nan, flatten, is_record

OK, ERROR, TIMEOUT, BAD_RESULT, DIED = "ok", "error", "timeout", "bad_result", "died"
STATUSES = (OK, ERROR, TIMEOUT, BAD_RESULT, DIED)
"""Possible outcomes of a trial."""

RESERVED = ("trial", "seed", "status", "error_type", "error")
"""Columns of every table, which a result may not use."""
CONFIG = "config."
"""Prefix of the columns that hold the varying fields of the configs."""
LONGEST_ERROR = 500
ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")


class Job(NamedTuple):
    """One trial to run."""

    trial: int
    config: Any
    seed: int


class Outcome(NamedTuple):
    """The outcome of a trial."""

    trial: int
    status: str
    error_type: str | None
    error: str | None
    record: dict[str, Cell]


@dataclass(frozen=True, kw_only=True)
class Work:
    """The function of a sweep, as workers get it."""

    function: Any
    """A pure function of (config, seed), or an object with the method `batch`."""
    batch: str | None = None
    """Name of the method that runs many trials in one call, or None if there is none."""
    limit_s: float | None = None
    """Longest time of a trial [s]."""

    def run(self, jobs: Sequence[Job], budget_s: float) -> Iterator[Outcome]:
        """Run jobs in order; after `budget_s` [s] no further one is started, except that the first always is."""
        if self.batch:
            yield from self._batch(jobs)
            return
        end = time.perf_counter() + budget_s
        for job in jobs:
            yield self._one(job)
            if time.perf_counter() > end:
                return

    def _one(self, job: Job) -> Outcome:
        start = 0.0 if self.limit_s is None else time.perf_counter()
        try:
            result = self.function(job.config, job.seed)
        except BaseException as error:  # even `sys.exit()` in a trial is only that trial's end
            return failed(job.trial, error)
        if self.limit_s is not None and time.perf_counter() - start > self.limit_s:
            return timed_out(job.trial, self.limit_s)
        return judged(job.trial, result)

    def _batch(self, jobs: Sequence[Job]) -> Iterator[Outcome]:
        assert self.batch is not None
        try:
            results = list(getattr(self.function, self.batch)([j.config for j in jobs], [j.seed for j in jobs]))
            if len(results) != len(jobs):
                raise ValueError(f"{self.batch} returned {len(results)} records for {len(jobs)} trials")
        except BaseException as error:
            if len(jobs) == 1:
                yield failed(jobs[0].trial, error)
                return
            # halves, until the failing trial is isolated
            middle = len(jobs) // 2
            yield from self._batch(jobs[:middle])
            yield from self._batch(jobs[middle:])
            return
        for job, result in zip(jobs, results, strict=True):
            is_error = isinstance(result, BaseException)
            yield failed(job.trial, result) if is_error else judged(job.trial, result)


def name_of(function: Any) -> str:
    """Name of a function, or of the class of an object."""
    return getattr(function, "__qualname__", type(function).__name__)


def judged(trial: int, result: Any) -> Outcome:
    """The outcome of a trial that returned: its record, or why it is not one."""
    try:
        if not is_record(result):
            raise NotPlain(f"returned {_shown(result)}: return a dict or a dataclass")
        record = flatten(result)
        if not record:
            raise NotPlain("returned an empty record")
        if taken := _taken(tuple(record)):
            raise NotPlain(f"returned the name {taken!r}, which is reserved: choose another name")
        if all_nan(record.values()):
            raise NotPlain(f"returned no number but NaN in {', '.join(record)}")
    except NotPlain as error:
        return bad_result(trial, str(error))
    except Exception as error:  # a result may fail in any way
        return bad_result(trial, f"returned a {type(result).__name__} that cannot be read: {type(error).__name__}")
    return Outcome(trial, OK, None, None, record)


@functools.lru_cache
def _taken(names: tuple[str, ...]) -> str | None:
    return next((name for name in names if name in RESERVED or name.startswith(CONFIG)), None)


def bad_result(trial: int, why: str) -> Outcome:
    """The outcome of a trial that returned nonsense."""
    return Outcome(trial, BAD_RESULT, "BadResult", _one_line(why), {})


def failed(trial: int, error: BaseException) -> Outcome:
    """The outcome of a trial that raised."""
    try:
        text = str(error)
    except Exception:  # an error may be broken too
        text = ""
    return Outcome(trial, ERROR, type(error).__name__, _one_line(text), {})


def timed_out(trial: int, limit_s: float) -> Outcome:
    """The outcome of a trial that took too long."""
    return Outcome(trial, TIMEOUT, "Timeout", f"took longer than limit_s = {limit_s:g} s", {})


def died(trial: int) -> Outcome:
    """The outcome of a trial that took its worker down."""
    return Outcome(trial, DIED, "WorkerDied", "the process that ran it ended", {})


def _shown(value: Any) -> str:
    """A value, or only its type where its text may change from run to run."""
    return repr(value)[:100] if isinstance(value, bool | int | float | str | None) else f"a {type(value).__name__}"


def _one_line(text: str) -> str:
    # memory addresses change from run to run, and a table must not
    text = ADDRESS.sub("", text).encode("utf-8", "replace").decode()
    text = " ".join(text.split())
    return text if len(text) <= LONGEST_ERROR else text[: LONGEST_ERROR - 3] + "..."
