"""Stepping to rest: one rule, one check and one dump for every press, in any room.

A simulation is stepped until nothing in it moves any more or its time is over. It **has settled** if no joint is then
faster than `SETTLED_SPEED`. One that blows up raises `Diverged` and leaves a folder from which it can be replayed.
"""

from __future__ import annotations

import contextlib
import enum
import json
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import mujoco
import numpy as np
from mujoco.batch import Batch

from plantar._checks import require
from plantar._folders import DUMPS, claim_numbered
from plantar._read import reading
from plantar.errors import Diverged

Progress = Callable[[int], None]
"""Called with the number of trials finished since the last call."""
Drive = Callable[[float], "np.ndarray | bool"]
"""Sets controls for the time that has passed [s]; returns which simulations are still being moved by it."""

SPEED_LIMIT = 1e4
"""A joint faster than this has diverged [rad/s, m/s]."""
SETTLED_SPEED = 1e-3
"""A simulation has settled when no joint is faster than this [rad/s, m/s]."""
REST_SPEED, REST_ACCELERATION = 2e-6, 1e-3
"""A simulation in which nothing is faster than this [rad/s, m/s] or accelerates by more [rad/s^2, m/s^2] is not stepped
any further: forces of the bench are then within 1e-5 N of where they would end."""
FINE_REST = 1e-8
"""The same for readings that are differences of heights of fractions of a micrometre [rad/s, m/s]."""
LONGEST = 1000.0
"""Longest simulated time that is taken seriously [s]."""
PARTS = 100
"""Default number of checks of a simulation as it runs."""
ADVICE = "use a smaller timestep or softer constraints"


class Status(enum.Enum):
    """How stepping ended; the text is the advice."""

    SETTLED = "Everything came to rest."
    MOVING = "Something still moved at the end: give it a longer duration, or look for what keeps it moving."


@dataclass(frozen=True)
class Settled:
    """The end of a run to rest."""

    speed: np.ndarray
    """Fastest joint of each simulation [rad/s, m/s], (simulations,)."""

    @property
    def each(self) -> np.ndarray:
        """Which simulations have settled, (simulations,)."""
        return self.speed < SETTLED_SPEED

    @property
    def status(self) -> Status:
        """How it ended, all simulations together."""
        return Status.SETTLED if self.each.all() else Status.MOVING


@dataclass
class Recording:
    """Poses of every body of every simulation, for pictures and films."""

    times: list[float] = field(default_factory=list)
    positions: list[np.ndarray] = field(default_factory=list)
    """One (simulations, bodies, 3) array for each frame [m]."""
    frames: list[np.ndarray] = field(default_factory=list)
    """One (simulations, bodies, 9) array for each frame, rotation matrices by rows."""

    def take(self, batch: Batch) -> None:
        """Add the present poses."""
        self.times.append(float(batch.bind("time").max()))
        self.positions.append(batch.bind("xpos").copy())
        self.frames.append(batch.bind("xmat").copy())


def settle(
    batch: Batch,
    duration: float,
    *,
    drive: Drive | None = None,
    tick: float | None = None,
    rest: float | None = None,
    progress: Progress | None = None,
    recording: Recording | None = None,
    watch: Callable[[], object] | None = None,
) -> Settled:
    """Advance every simulation until it is at rest, or for `duration`.

    Args:
        batch: The simulations; one alone is a batch of one.
        duration: Longest simulated time [s]; at least one step.
        drive: Called before each part with the time since the start [s], to move loads and bars; a simulation for
            which it returns True is not at rest, however slow it is.
        tick: Length of a part [s]; a hundredth of the duration by default.
        rest: Speed below which nothing is left to wait for [rad/s, m/s]; `REST_SPEED` by default.
        progress: Called with the fraction of simulations done.
        recording: Takes a frame after each part; parts are then shorter at the start, where things move.
        watch: Called after each part.

    Raises:
        InvalidInput: If the duration is shorter than a step, or not finite.
        Diverged: If a simulation stops being finite or MuJoCo warns.
    """
    ends = _ends(batch, duration, tick, slow_start=recording is not None)
    for name in ("sensordata", "xpos", "xmat", "qacc"):
        batch.bind(name)
    done, told = 0, 0
    for end in ends:
        moved = drive(done * batch.model.opt.timestep) if drive else False
        awake = np.flatnonzero(_moves(batch, rest) | moved | (done == 0))
        if len(awake) > 0:
            before = batch.state.copy()
            batch.step(awake, nstep=end - done)
            check(batch, before)
        done = end
        if recording:
            recording.take(batch)
        if watch:
            watch()
        now = batch.nsim if len(awake) == 0 else batch.nsim * end // ends[-1]
        if progress and now > told:
            progress(now - told)
        told = max(now, told)
        if len(awake) == 0 and not recording:
            break
    return Settled(speeds(batch))


def speeds(batch: Batch) -> np.ndarray:
    """Fastest joint of each simulation [rad/s, m/s], (simulations,)."""
    return np.abs(batch.bind("qvel")).max(axis=1, initial=0.0)


def _moves(batch: Batch, rest: float | None) -> np.ndarray:
    """Which simulations are not at rest; one that turns back is slow, but not for long."""
    acceleration = np.abs(batch.bind("qacc")).max(axis=1, initial=0.0)
    return (speeds(batch) > (REST_SPEED if rest is None else rest)) | (acceleration > REST_ACCELERATION)


def has_settled(qvel: np.ndarray) -> bool:
    """Whether a simulation with these joint speeds has settled."""
    return bool(np.abs(qvel).max(initial=0.0) < SETTLED_SPEED)


def check(batch: Batch, before: np.ndarray) -> None:
    """Raise `Diverged`, with a dump of the state before, if a simulation of the batch is no longer valid."""
    speed = speeds(batch)
    wrong = ~(speed < SPEED_LIMIT) | batch.warning[..., 1].any(axis=1)
    if not wrong.any():
        return
    i = int(np.flatnonzero(wrong)[0])
    fastest = int(np.argmax(np.nan_to_num(np.abs(batch.bind("qvel")[i]), nan=np.inf)))
    facts = {"time": float(batch.bind("time")[i]), "body": batch.model.body(batch.model.dof_bodyid[fastest]).name}
    dump = write_dump(batch.get_model(i), before[i], **facts)
    which = f"simulation {i + 1} of {batch.nsim}" if batch.nsim > 1 else "a press"
    raise Diverged(f"{which} blew up: {ADVICE}", **facts, dump=dump)


def write_dump(model: mujoco.MjModel, state: np.ndarray, **facts: object) -> Path | None:
    """Write the model and its last good state to a new folder, from which `replay` steps it again.

    It is `diverged` in the folder of the command or of `dumps_in`, else a temporary one; None if none is wanted.
    """
    if not DUMPS:
        folder = Path(tempfile.mkdtemp(prefix="plantar_diverged_"))
    elif (place := DUMPS[-1]) is None:
        return None
    else:
        folder = claim_numbered(place / "diverged")
    mujoco.mj_saveModel(model, str(folder / "model.mjb"))
    np.save(folder / "state.npy", state)
    (folder / "facts.json").write_text(json.dumps({"mujoco": mujoco.__version__, **facts}, indent=2), encoding="utf-8")
    return folder


@contextlib.contextmanager
def dumps_in(folder: str | Path) -> Iterator[None]:
    """Keep the dump of what diverges inside the block in `folder`, beside the run's other results."""
    DUMPS.append(Path(folder))
    try:
        yield
    finally:
        DUMPS.pop()


def replay(folder: str | Path, seconds: float = 0.2) -> Diverged | None:
    """Step a dump again and say when and where it blows up.

    Args:
        folder: A folder left by a divergence.
        seconds: How long to continue from the last good state [s].

    Returns:
        The divergence, found step by step, or None if it does not happen again.

    Raises:
        InvalidInput: If the folder is not a dump, or one of another version of MuJoCo.
    """
    folder = Path(folder)
    advice = f"it needs model.mjb, written by MuJoCo {mujoco.__version__}, and state.npy"
    with reading(folder, "dump", advice):
        (folder / "model.mjb").stat()  # MuJoCo would write a log file beside its error
        model = mujoco.MjModel.from_binary_path(str(folder / "model.mjb"))
        batch = Batch(model, nsim=1, nthread=1)
        state = np.load(folder / "state.npy", allow_pickle=False)
        if state.shape != batch.state[0].shape or not np.isfinite(state).all():
            raise ValueError("its state does not belong to its model")
        batch.state[0] = state
    DUMPS.append(None)
    try:
        for _ in range(max(1, round(seconds / model.opt.timestep))):
            before = batch.state.copy()
            batch.step()
            check(batch, before)
    except Diverged as found:
        return found
    finally:
        DUMPS.pop()
    return None


def _ends(batch: Batch, duration: float, tick: float | None, *, slow_start: bool) -> list[int]:
    """Steps after which the simulations are looked at, rising to all of them."""
    step = float(batch.model.opt.timestep)
    allowed = f"a time in seconds from one step, {step:g}, to {LONGEST:g}"
    require(bool(step * 0.999 <= duration <= LONGEST), "duration", duration, allowed)
    steps = max(1, round(duration / step))
    parts = PARTS if tick is None else max(1, round(duration / tick))
    power = 3 if slow_start else 1
    return sorted({max(1, round(steps * (part / parts) ** power)) for part in range(1, parts + 1)})
