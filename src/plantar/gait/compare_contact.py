"""Which contact model explains a recorded squat better?"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from plantar._arguments import checks_arguments
from plantar._notebook import Shown
from plantar._read import read_csv
from plantar.errors import InvalidInput
from plantar.gait.ramone import Ramone
from plantar.gait.rigid import RigidContact
from plantar.gait.rubber import RubberContact
from plantar.gait.squat import Squat, SquatMotion, simulate
from plantar.table import Table

MILLIMETRE = 1e-3
FARTHEST = 0.5
"""How high a foot's centre is in a squat, or how far along the ground from its mean place, at most [m]; beyond it a
recording is in other units."""


@dataclass(frozen=True, kw_only=True)
class Comparison(Shown):
    """Hard and soft feet beside a recording."""

    robot: Ramone
    """What squats."""
    recorded: Table
    """time, foot_x_LEG and foot_z_LEG of every leg [s, m]."""
    hard: SquatMotion
    """With rigid feet."""
    soft: SquatMotion
    """With rubber feet."""
    rows: list[dict[str, Any]]
    """One row per foot and direction: root mean square error of both models [m]."""

    @property
    def errors(self) -> dict[str, float]:
        """Root mean square error over all feet and directions [m]."""
        return {m: math.sqrt(float(np.mean([r[f"error_{m}"] ** 2 for r in self.rows]))) for m in ("hard", "soft")}

    @property
    def better(self) -> str:
        """The model with the smaller error."""
        return min(self.errors, key=self.errors.__getitem__)


@checks_arguments
def compare_contact(
    robot: Ramone,
    recorded: Table,
    squat: Squat | None = None,
    *,
    soft: RubberContact | None = None,
    hard: RigidContact | None = None,
) -> Comparison:
    """Simulate a squat open loop with both models and measure their distance from a recording.

    Args:
        robot: What squats.
        recorded: time, foot_x_LEG, foot_z_LEG of every leg [s, m]; time 0 is the start of the first squat. Horizontal
            positions are relative to their own mean, since the robot's position is unknown.
        squat: What the motors did.
        soft: Law of the rubber feet; the racquetball if not given.
        hard: The rigid feet.
    """
    squat = squat or Squat()
    _check(robot, recorded, squat)
    motions = {
        "hard": simulate(robot, squat, hard or RigidContact()),
        "soft": simulate(robot, squat, soft or RubberContact()),
    }
    time, rows = recorded.column("time"), []
    for i, leg in enumerate(robot.names):
        for k, axis in enumerate(("x", "z")):
            data = recorded.column(f"foot_{axis}_{leg}")
            row: dict[str, Any] = {"foot": leg, "direction": "horizontal" if axis == "x" else "vertical"}
            for name, motion in motions.items():
                model = np.interp(time, motion.time, motion.feet[:, i, k])
                if axis == "x":
                    model, data = model - model.mean(), data - data.mean()
                row[f"error_{name}"] = float(np.sqrt(np.mean((model - data) ** 2)))
            rows.append(row)
    return Comparison(robot=robot, recorded=recorded, rows=rows, **motions)


@checks_arguments
def synthetic_squat(robot: Ramone, squat: Squat | None = None, *, seed: int = 0, noise: float = 0.3e-3) -> Table:
    """A synthetic recording: rubber feet slightly different from the model, heavier segments, and noise.

    RAMbi's recordings are not public. A recording that was made with rubber feet says nothing about which model is
    nearer to a real robot; it shows that the comparison can tell.

    Args:
        robot: What squats.
        squat: What its motors do.
        seed: Seed of the changes and of the noise.
        noise: Standard deviation of each sample [m].
    """
    rng, law = np.random.default_rng(seed), RubberContact()
    changed = replace(law, stiffness=law.stiffness * rng.uniform(0.8, 1.2), damping=law.damping * rng.uniform(0.7, 1.3))
    heavier = replace(robot, body_mass=robot.body_mass * rng.uniform(1.02, 1.06))
    motion = simulate(heavier, squat or Squat(), changed)
    feet = motion.feet + rng.normal(0, noise, motion.feet.shape)
    rows = []
    for i, time in enumerate(motion.time):
        row = {"time": float(time)}
        for k, leg in enumerate(robot.names):
            row |= {f"foot_x_{leg}": float(feet[i, k, 0]), f"foot_z_{leg}": float(feet[i, k, 1])}
        rows.append(row)
    return Table(rows)


def read_recording(path: str | Path) -> Table:
    """Read a recording from a CSV file.

    Raises:
        InvalidInput: If the file cannot be read, or a cell is not a number.
    """
    path = Path(path)
    rows = read_csv(path, "give a CSV file")
    try:
        return Table([{k: float(v) for k, v in row.items()} for row in rows])
    except (TypeError, ValueError) as error:
        raise InvalidInput(f"file {path.name!r} holds a cell that is not a number ({error})") from error


def _check(robot: Ramone, recorded: Table, squat: Squat) -> None:
    wanted = ["time", *(f"foot_{axis}_{leg}" for leg in robot.names for axis in ("x", "z"))]
    missing = [name for name in wanted if name not in recorded.columns]
    if missing:
        raise InvalidInput(f"the recording has no column {missing[0]!r}: give {', '.join(wanted)}")
    for name in wanted:
        values = recorded.column(name).astype(float)
        if not np.isfinite(values).all():
            raise InvalidInput(f"the recording holds {name} = {values[~np.isfinite(values)][0]}: leave such rows out")
        # heights are compared as they are, places along the ground from their mean
        moved = values - values.mean() if "_x_" in name else values
        if name != "time" and (most := np.abs(moved).max()) > FARTHEST:
            raise InvalidInput(f"the recording's {name} goes to {most:.3g} m: is it millimetres? Give metres")
    time = recorded.column("time")
    length = squat.duration - squat.settle
    if time.max() > length + 1e-6:
        raise InvalidInput(f"the recording lasts {time.max():g} s and the squats {length:g} s: give more squats")
    if time.min() < -squat.settle:
        raise InvalidInput(f"the recording begins at {time.min():g} s: time 0 is the start of the first squat")
