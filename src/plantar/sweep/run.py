"""Run many trials on the available hardware."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from pathlib import Path
from typing import Any, Literal

from plantar._checks import require, require_choice
from plantar._extras import require_extra
from plantar._notebook import Shown
from plantar.errors import InvalidInput
from plantar.progress import Progress
from plantar.sweep.engines.engine import Engine
from plantar.sweep.engines.gpu import METHOD, require_gpu
from plantar.sweep.engines.pool import Pool
from plantar.sweep.engines.processes import Processes, pickled
from plantar.sweep.engines.ray import Ray
from plantar.sweep.engines.threads import Threads
from plantar.sweep.job import STATUSES, Job, Work
from plantar.sweep.plan import Plan, make_plan
from plantar.sweep.read import load
from plantar.sweep.record import Cell
from plantar.sweep.store import Store, open_store
from plantar.sweep.trials import require_trials, trial_seed
from plantar.table import Table

EngineName = Literal["threads", "processes", "ray", "gpu"]
ENGINES: tuple[EngineName, ...] = ("threads", "processes", "ray", "gpu")
OpenJobs = dict[int, tuple[int, list[Cell]]]
"""Seed and varying fields of the trials that are with workers."""
BATCH_SIZE = 64
"""Trials of a batch, unless the function has a `batch_size`."""
GPU_BATCH_SIZE = 8192
"""Trials of a batch on a GPU, unless the function has a `gpu_batch_size`."""


@dataclass(frozen=True, kw_only=True)
class SweepResult(Shown):
    """What a run did; the results themselves are in its folder."""

    out: Path
    """Folder of the sweep."""
    trials: int
    """Trials of the sweep."""
    ran: int
    """Trials that this run ran; the others had been run before."""
    counts: dict[str, int]
    """Number of trials of each status: ok, error, timeout, bad_result, died."""
    wall_s: float
    """Time this run took [s]."""

    @property
    def failed(self) -> int:
        """Trials that are not ok."""
        return self.trials - self.counts.get("ok", 0)

    def record(self) -> dict[str, Any]:
        """What is in it, as plain data."""
        names = ("trials", "ran", "counts", "wall_s")
        return {"folder": self.out, **{name: getattr(self, name) for name in names}}

    def text(self) -> str:
        """Outcome of the trials, for display."""
        return f"{count_text(self.counts)} of {self.trials} trials; table in {self.out}"

    def load(self) -> Table:
        """The table, one row per trial; see `plantar.sweep.load`."""
        return load(self.out)


def run(
    function: Any,
    trials: Sequence[Any],
    engine: EngineName = "threads",
    *,
    out: str | Path,
    seed: int = 0,
    workers: int | None = None,
    limit_s: float | None = None,
    version: str = "",
    retry: Collection[str] = (),
    attempts: int = 2,
    recycle: int | None = None,
    address: str | None = None,
    progress: Callable[[int], None] | None = None,
    overwrite: bool = False,
) -> SweepResult:
    """Run `function(config, seed)` for every config and keep what it returns as a row of a table.

    A killed run resumes where it stopped when called again. The table is the same bit
    for bit whatever the engine, the order in which trials end, and the number of interruptions. A trial
    that raises, returns no record, hangs, or takes its worker down is a row that says so.

    Args:
        function: A pure function of (config, seed) that returns a dict or dataclass of numbers, strings
            and small arrays; or an object with `run_batch(configs, seeds)` that returns a list of them
            (and `run_batch_gpu` for a GPU). A record whose names differ from those of most trials is
            a bad result.
        trials: The configs, dicts or dataclasses of plain data: a list, or a sequence that makes them
            on demand (`grid`, `sample`, `Trials`).
        engine: `threads`, for functions that release the GIL as MuJoCo does; `processes`, for any
            other, and for those that may hang or crash; `ray`, for a cluster; `gpu`, for MuJoCo Warp.
        out: Folder of the sweep. One that holds this very sweep is continued, any other is refused.
        seed: Seed of the sweep, from which each trial's follows.
        workers: Number of threads, processes or actors; by default as many as there are processors.
        limit_s: Longest time of a trial [s], after which its worker is killed. Threads cannot be
            killed, so it needs `processes` or `ray`.
        version: Counts as part of the function's name; change it when the function changes.
        retry: Statuses (error, timeout, bad_result, died) whose trials from an earlier run are run again.
        attempts: How often a trial may take its worker down before its row says so.
        recycle: Trials after which a worker process is replaced, for functions that leak memory.
        address: Ray cluster to use, as in `auto` or `10.0.0.1:6379`; by default one on this machine.
        progress: Called with the number of trials that ended since the last call; by default a bar
            is drawn if stderr is a terminal.
        overwrite: Start over in a folder that holds a sweep or other files; those stay.

    Raises:
        InvalidInput: If an argument cannot be used, or `out` belongs to another sweep or is in use.
        MissingExtra: If the engine needs a package that is not installed.
    """
    retry = (retry,) if isinstance(retry, str) else retry
    _check(function, trials, engine, limit_s, retry, workers, attempts, recycle, address)
    trial_seed(seed, 0)  # refused before anything is written
    start = time.perf_counter()
    work = Work(function=function, batch=_batch_method(function, engine), limit_s=limit_s)
    if engine == "processes":
        pickled(work, trials[0])  # refused before anything is written
    store = open_store(out, make_plan(function, trials, seed, version), retry, overwrite=overwrite)
    try:
        left = store.states.count(0)
        if left:
            made, size, batch_size = _make_engine(engine, work, workers, address)
            pool = Pool(made, work, size=min(size, left), batch_size=batch_size, attempts=attempts, recycle=recycle)
            try:
                _run(store, pool, trials, seed, left, progress)
            finally:
                made.close()
        store.finish()
    finally:
        store.close()
    return SweepResult(
        out=store.folder,
        trials=len(trials),
        ran=left,
        counts=store.counts(),
        wall_s=time.perf_counter() - start,
    )


def _run(
    store: Store, pool: Pool, trials: Sequence[Any], seed: int, left: int, progress: Callable[[int], None] | None
) -> None:
    """Run what is left and store it as it comes."""
    open_jobs: OpenJobs = {}
    with Progress(left, store.folder.name) as bar:
        for outcomes in pool.run(_jobs(store, trials, seed, open_jobs), left):
            rows: Any = (outcome + open_jobs.pop(outcome.trial) for outcome in outcomes)
            store.add(rows)
            if outcomes:
                (progress or bar.advance)(len(outcomes))


def _jobs(store: Store, trials: Sequence[Any], seed: int, open_jobs: OpenJobs) -> Iterator[Job]:
    """The trials that have no row yet; `open_jobs` holds seed and cells of those handed out."""
    plan: Plan = store.plan
    for index in range(len(trials)):
        if not store.states[index]:
            config, its_seed = trials[index], trial_seed(seed, index)
            # now, as a function may change the config it is given
            open_jobs[index] = its_seed, plan.cells(config)
            yield Job(index, config, its_seed)


def _make_engine(name: EngineName, work: Work, workers: int | None, address: str | None) -> tuple[Engine, int, int]:
    """The engine, how many workers it is to have, and how many trials go in a batch."""
    batch_size = getattr(work.function, "batch_size", BATCH_SIZE)
    if name == "gpu":
        return Threads(work), 1, getattr(work.function, "gpu_batch_size", GPU_BATCH_SIZE)
    if name == "ray":
        cluster = Ray(work, address, workers)
        return cluster, workers or cluster.processors, batch_size
    return Threads(work) if name == "threads" else Processes(work), workers or processors(), batch_size


def count_text(counts: Mapping[str, int]) -> str:
    """Numbers of trials by status, for people."""
    return ", ".join(f"{number} {status}" for status, number in counts.items()) or "none done"


def processors() -> int:
    """Processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _batch_method(function: Any, engine: EngineName) -> str | None:
    if engine == "gpu":
        return METHOD
    return "run_batch" if hasattr(function, "run_batch") else None


def _check(
    function: Any,
    trials: Sequence[Any],
    engine: EngineName,
    limit_s: float | None,
    retry: Collection[str],
    workers: int | None,
    attempts: int,
    recycle: int | None,
    address: str | None,
) -> None:
    require_choice("engine", engine, ENGINES)
    require_trials(trials)
    if not callable(function) and not hasattr(function, "run_batch") and not hasattr(function, METHOD):
        raise InvalidInput(f"function = {function!r} is not allowed: give a function of (config, seed)")
    if limit_s is not None:
        require(isinstance(limit_s, Real) and limit_s > 0, "limit_s", limit_s, "a time in seconds above 0")
        if engine in ("threads", "gpu"):
            raise InvalidInput(
                f"limit_s = {limit_s!r} is not allowed with engine = {engine!r}, as a thread cannot be stopped: "
                "give engine='processes' or engine='ray'"
            )
    require(isinstance(retry, Collection), "retry", retry, f"a list with some of {', '.join(STATUSES[1:])}")
    for status in retry:
        require_choice("retry", status, STATUSES[1:])  # type: ignore[arg-type]
    for name, value in (("workers", workers), ("attempts", attempts), ("recycle", recycle)):
        ok = isinstance(value, Integral) and value >= 1 if value is not None else name != "attempts"
        require(ok, name, value, "an integer above 0")
    require(address is None or engine == "ray", "address", address, "no address, or engine='ray'")
    if engine == "ray":
        require_extra("cluster")
    if engine == "gpu":
        require_gpu(function)
