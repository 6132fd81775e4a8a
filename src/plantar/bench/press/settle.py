"""Stepping a batch of simulations: progress, recording, and what happens when one blows up."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import mujoco
import numpy as np
from mujoco.batch import Batch

from plantar.errors import Diverged, InvalidInput

Progress = Callable[[int], None]
"""Called with the number of trials finished since the last call."""

SPEED_LIMIT = 1e4
"""A joint faster than this has diverged [rad/s, m/s]."""
REST_SPEED = 1e-8
"""A simulation in which nothing is faster than this is at rest and not stepped any further; over the
seconds that are left it could not move by more than the rounding of a table [rad/s, m/s]."""


@dataclass
class Recording:
    """Poses of every body of every simulation, for pictures and films."""

    times: list[float] = field(default_factory=list)
    positions: list[np.ndarray] = field(default_factory=list)
    """One (simulations, bodies, 3) array a frame [m]."""
    frames: list[np.ndarray] = field(default_factory=list)
    """One (simulations, bodies, 9) array a frame, rotation matrices by rows."""

    def take(self, batch: Batch) -> None:
        """Add the present poses."""
        self.times.append(float(batch.bind("time").max()))
        self.positions.append(batch.bind("xpos").copy())
        self.frames.append(batch.bind("xmat").copy())


def step_all(
    batch: Batch,
    steps: int,
    *,
    spec: mujoco.MjSpec | None = None,
    progress: Progress | None = None,
    recording: Recording | None = None,
    parts: int = 50,
) -> None:
    """Advance every simulation by `steps`, in parts, or until it is at rest under a constant load.

    Args:
        batch: The simulations.
        steps: Steps of each.
        spec: What the batch's model was compiled from; a divergence then leaves a dump.
        progress: Told of the share of trials done.
        recording: Takes a frame after each part; parts are shorter at the start, where things move.
        parts: Number of parts.

    Raises:
        Diverged: If a simulation stops being finite or MuJoCo warns.
    """
    for name in ("sensordata", "xpos", "xmat"):
        batch.bind(name)
    power = 3 if recording else 1
    ends = [round(steps * (part / parts) ** power) for part in range(1, parts + 1)]
    done = 0
    for part, end in enumerate(ends, start=1):
        before = batch.state.copy()
        if end > done:
            awake = np.flatnonzero((np.abs(batch.bind("qvel")).max(axis=1) > REST_SPEED) | (batch.bind("time") <= 0))
            if len(awake) > 0:
                batch.step(awake, nstep=end - done)
            done = end
            check_batch(batch, before, spec)
            if recording:
                recording.take(batch)
        if progress:
            progress(batch.nsim * part // parts - batch.nsim * (part - 1) // parts)


def check_batch(batch: Batch, before: np.ndarray, spec: mujoco.MjSpec | None) -> None:
    """Raise `Diverged` if a simulation of the batch is no longer sound."""
    speed = np.abs(batch.bind("qvel"))
    wrong = ~(speed.max(axis=1) < SPEED_LIMIT) | batch.warning[..., 1].any(axis=1)
    if not wrong.any():
        return
    i = int(np.flatnonzero(wrong)[0])
    fastest = int(np.argmax(np.nan_to_num(speed[i], nan=np.inf)))
    body = batch.model.body(batch.model.dof_bodyid[fastest]).name
    time = float(batch.bind("time")[i])
    dump = write_dump(spec, before[i], time=time, body=body) if spec else None
    raise Diverged(
        f"simulation {i + 1} of {batch.nsim} blew up: take a smaller timestep or softer constraints",
        time=time,
        body=body,
        dump=dump,
    )


def write_dump(spec: mujoco.MjSpec, state: np.ndarray, **facts: object) -> Path:
    """Write the model and the last good state to a new folder, to be replayed."""
    folder = Path(tempfile.mkdtemp(prefix="plantar_diverged_"))
    (folder / "model.xml").write_text(spec.to_xml(), encoding="utf-8")
    np.save(folder / "state.npy", state)
    (folder / "facts.json").write_text(json.dumps(facts, indent=2), encoding="utf-8")
    return folder


def replay(folder: str | Path, seconds: float = 0.2) -> Diverged | None:
    """Step a dump again and say when and where it blows up.

    Args:
        folder: A folder left by a divergence.
        seconds: How long to go on from the last good state [s].

    Returns:
        The divergence, found step by step, or None if it does not happen again.

    Raises:
        InvalidInput: If the folder is no dump.
    """
    folder = Path(folder)
    try:
        model = mujoco.MjModel.from_xml_path(str(folder / "model.xml"))
        state = np.load(folder / "state.npy")
    except (OSError, ValueError) as error:
        raise InvalidInput(f"{str(folder)!r} is not a dump: it needs model.xml and state.npy") from error
    batch = Batch(model, nsim=1, nthread=1)
    batch.state[0] = state
    try:
        for _ in range(round(seconds / model.opt.timestep)):
            batch.step()
            check_batch(batch, batch.state.copy(), None)
    except Diverged as divergence:
        return divergence
    return None
