"""How many foot-steps per second each engine reaches on this machine."""

from __future__ import annotations

import math
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar

import mujoco
import numpy as np
from mujoco.batch import Batch

from plantar._checks import require
from plantar._config import Checked
from plantar.bench.press.gpu import Bench, press_on_gpu
from plantar.bench.press.press import Trial, set_initial_states, vertical_forces
from plantar.bench.press.rig import PressRig
from plantar.errors import InvalidInput, MissingExtra
from plantar.feet.foot import Foot
from plantar.sweep.run import EngineName, processors, run
from plantar.sweep.trials import Trials
from plantar.table import Row, Table

LOAD, HEIGHT, POSITION = 100.0, 0.010, 3
"""The press that is timed: a load [N] on an obstacle [m] under a module."""
GPU_STEPS, GPU_BATCHES = 2500, 3
"""Steps of a trial on a GPU, as long as a press of 5 s, and batches, of which the first compiles and is not timed."""


@dataclass(frozen=True, kw_only=True)
class StepTrials(Checked):
    """Trials that step a pressed foot, at rest or not, so that their number of steps is known."""

    batch_size: ClassVar[int] = 4
    gpu_batch_size: ClassVar[int] = 16384

    foot: Foot
    """The foot."""
    steps: int = 250
    """Steps of a trial."""
    rig: PressRig = field(default_factory=PressRig)
    """The bench."""
    released: str | None = None
    """Path of a model file that stands in for the foot's own, with the same names in it."""

    def run_batch(self, configs: Sequence[Mapping[str, Any]], seeds: Sequence[int]) -> list[Row]:
        """Step presses on one thread, from first touch to full load."""
        child = None if self.released is None else mujoco.MjSpec.from_file(self.released)
        model = (self.rig.spec(self.foot) if child is None else self.rig.spec(self.foot, child)).compile()
        batch = Batch(model, nsim=len(configs), nthread=1)
        set_initial_states(batch, self.foot, self.rig, [Trial(config["load"], HEIGHT, POSITION) for config in configs])
        sensors = batch.bind("sensordata")
        batch.step(nstep=self.steps)
        return [{"force_total": vertical_forces(model, row, self.foot)["total"]} for row in sensors]

    def run_batch_gpu(self, configs: Sequence[Mapping[str, Any]], seeds: Sequence[int]) -> list[Row | Exception]:
        """Step presses in MuJoCo Warp, all at once."""
        child = None if self.released is None else mujoco.MjSpec.from_file(self.released)
        bench = Bench.build(self.foot, self.rig, child)
        todo = [(Trial(config["load"], HEIGHT, POSITION), bench) for config in configs]
        return press_on_gpu(todo, [self.steps] * len(todo), read=_read_total)


def _read_total(model: mujoco.MjModel, foot: Foot, trial: Trial, i: int, sensors: np.ndarray, *_: Any) -> Row:
    return {"force_total": vertical_forces(model, sensors, foot)["total"]}


def throughput(
    feet: Mapping[str, StepTrials],
    engines: Sequence[EngineName] = ("threads", "processes", "ray", "gpu"),
    *,
    seconds: float = 3.0,
    workers: int | None = None,
    progress: Callable[[int], None] | None = None,
) -> Table:
    """Time every engine with every foot.

    Args:
        feet: What to time, by the name it has in the table.
        engines: Engines; one that cannot run here gets a row that says why.
        seconds: About how long each is timed [s], once its workers have started; a GPU gets two full batches.
        workers: Workers of each engine; by default as many as there are processors.
        progress: Called with 1 after each row.

    Returns:
        A row for each foot and engine: workers, trials, `startup` until the first trial ended [s],
        `steps` per second, `real_time` as simulated seconds per second of all workers together, and a note.
    """
    require(seconds > 0, "seconds", seconds, "a time in seconds above 0")
    rows = []
    for name, trials in feet.items():
        for engine in engines:
            rows.append({"foot": name, "engine": engine, **_time(trials, engine, seconds, workers)})
            if progress:
                progress(1)
    return Table(rows)


def _time(trials: StepTrials, engine: EngineName, seconds: float, workers: int | None) -> Row:
    size = 1 if engine == "gpu" else workers or processors()
    if engine == "gpu":
        trials = replace(trials, steps=GPU_STEPS)
        count = GPU_BATCHES * trials.gpu_batch_size
    else:
        # every worker needs a few batches, or the last one to end decides
        count = max(math.ceil(seconds / _seconds_each(trials)), 6 * trials.batch_size) * size
    clock = _Clock()
    try:
        with tempfile.TemporaryDirectory() as folder:
            # loads differ a little, as no two trials of a sweep are the same
            todo = Trials(count, lambda i: {"load": LOAD * (1 + 0.001 * (i % 100))})
            result = run(trials, todo, engine, out=Path(folder) / "run", workers=workers, progress=clock.tick)
    except (InvalidInput, MissingExtra) as error:
        return _row(workers=size, note=str(error))
    pace = clock.pace * trials.steps
    failed = f"{result.failed} trials failed" if result.failed else ""
    real_time = pace * trials.rig.timestep
    return _row(workers=size, trials=count, startup=clock.startup, steps=pace, real_time=real_time, note=failed)


def _seconds_each(trials: StepTrials) -> float:
    start = time.perf_counter()
    trials.run_batch([{"load": LOAD}] * trials.batch_size, [0] * trials.batch_size)
    return (time.perf_counter() - start) / trials.batch_size


def _row(
    *,
    workers: int,
    trials: int | None = None,
    startup: float | None = None,
    steps: float | None = None,
    real_time: float | None = None,
    note: str = "",
) -> Row:
    found: Row = {"workers": workers, "trials": trials, "startup": startup, "steps": steps}
    return found | {"real_time": real_time, "note": note}


class _Clock:
    """Times what comes after the first report, by which all workers are about to be at work."""

    def __init__(self) -> None:
        self._start = time.perf_counter()
        self._first = self._last = self._start
        self._count = -1

    def tick(self, ended: int) -> None:
        self._last = time.perf_counter()
        if self._count < 0:
            self._first, self._count = self._last, 0
        else:
            self._count += ended

    @property
    def startup(self) -> float:
        return self._first - self._start

    @property
    def pace(self) -> float:
        """Trials per second."""
        return self._count / max(self._last - self._first, 1e-9)
