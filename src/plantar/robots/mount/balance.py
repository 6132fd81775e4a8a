"""How a foot must sit under a robot so that it stands balanced."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, replace
from functools import lru_cache

import mujoco
import numpy as np
from mujoco.batch import Batch

from plantar.errors import Diverged
from plantar.feet import readings
from plantar.feet.foot import Foot
from plantar.feet.slider import PREFIX, Slider
from plantar.settle import settle, write_dump

PITCHES = np.radians(4.0)
"""Range in which the pitch of a soft foot is searched, both ways [rad]."""
GRAVITY = 9.81
"""Gravity under which a foot settles under its load [m/s^2]."""
INNER = 0.25
"""A rigid sole need not move if the centre of mass is at least this fraction of its length inside either end."""
FREE = 0.1
"""Fraction of the sole's length; if the centre of pressure moves less than this with the pitch, the pitch is left
alone."""
SETTLE = 0.6
"""Simulated time in which a foot settles under its load [s]."""
STEPS = (0.001, 0.00025)
"""Time step of that simulation, and a shorter one if it blows up [s]."""


@dataclass(frozen=True, kw_only=True)
class Balance:
    """Where a foot goes, and why."""

    offset: float
    """How far in front of the robot's ankle the foot's is [m]."""
    pitch: float
    """Turn of the foot from the old sole, toes down [rad]."""
    target: float
    """Centre of mass in front of the robot's ankle [m]."""
    middle: float
    """Middle of the loaded support in front of the foot's ankle [m]."""
    reach: tuple[float, float]
    """Rear and front end of the support, in front of the foot's ankle [m]."""
    pressure: float
    """Centre of pressure in front of the robot's ankle, with stiff joints [m]."""
    give: float = 0.0
    """How far the foot pitches for a moment about its middle under this load; 0 of rigid ones [rad/(N m)]."""

    def places(self) -> dict[str, float]:
        """Centre of mass, support and centre of pressure in front of the robot's ankle [m]."""
        return {
            "centre_of_mass": self.target,
            "support_middle": self.offset + self.middle,
            "support_rear": self.offset + self.reach[0],
            "support_front": self.offset + self.reach[1],
            "centre_of_pressure": self.pressure,
        }


def solve(
    foot: Foot,
    reach: tuple[float, float],
    load: float,
    target: float,
    offset: float | None,
    pitch: float | None,
    tilt: float = 0.0,
) -> Balance:
    """Choose offset and pitch so that a foot under `load` carries it at `target`.

    A soft foot is put under the load with its ankle held level: how far its centre of pressure can move within a few
    degrees is its support. Offset brings the middle of that under the centre of mass, pitch the centre of pressure
    itself. A rigid sole is only moved if the centre of mass is close to one of its ends.

    Args:
        foot: The foot.
        reach: Rear and front end of the unloaded sole, in front of the ankle [m].
        load: Force it carries [N].
        target: Centre of mass in front of the robot's ankle [m].
        offset: Given offset, or None to solve it [m].
        pitch: Given pitch from the old sole, or None to solve it [rad].
        tilt: Pitch of the old sole over level ground in the standing posture, toes down [rad].
    """
    soft = foot.model().nv > 0
    if not soft:
        inner = INNER * (reach[1] - reach[0])
        if offset is None:
            offset = target - min(max(target, reach[0] + inner), reach[1] - inner)
        return _made(offset, pitch or 0.0, target, reach, pressure=target)
    try:
        back, front = sorted(pressure_at(foot, load, p) for p in (-PITCHES, PITCHES))
    except Diverged:
        if offset is None or pitch is None:
            raise
        return _made(offset, pitch, target, reach, pressure=target)
    if offset is None:
        offset = target - (back + front) / 2
    if pitch is None:
        # a foot that turns freely at its ankle is carried there, whatever the pitch
        free = front - back < FREE * (reach[1] - reach[0])
        pitch = 0.0 if free else _pitch_for(foot, load, target - offset) - tilt
    made = _made(offset, pitch, target, (back, front), offset + pressure_at(foot, load, pitch + tilt))
    return replace(made, give=2 * PITCHES / (load * max(front - back, 1e-3)))


def weight(model: mujoco.MjModel, base: int) -> float:
    """Weight of a robot under its own gravity, or under that of the earth if it has none [N]."""
    return float(model.body_subtreemass[base] * (np.linalg.norm(model.opt.gravity) or GRAVITY))


def unsolved(offset: float, pitch: float) -> Balance:
    """A foot at a place that was not chosen for balance."""
    return _made(offset, pitch, 0.0, (0.0, 0.0), 0.0)


def _made(offset: float, pitch: float, target: float, reach: tuple[float, float], pressure: float) -> Balance:
    return Balance(offset=offset, pitch=pitch, target=target, middle=sum(reach) / 2, reach=reach, pressure=pressure)


def _pitch_for(foot: Foot, load: float, wanted: float) -> float:
    """Pitch at which the centre of pressure is `wanted` in front of the ankle, to a hundredth of a degree."""
    low, high = -PITCHES, PITCHES
    rising = pressure_at(foot, load, high) > pressure_at(foot, load, low)
    while high - low > np.radians(0.01):
        middle = (low + high) / 2
        if (pressure_at(foot, load, middle) < wanted) == rising:
            low = middle
        else:
            high = middle
    return float((low + high) / 2)


def pressure_at(foot: Foot, load: float, pitch: float) -> float:
    """Centre of pressure in front of the ankle of a foot that carries `load` with its ankle held at `pitch` [m]."""
    return _pressure(foot.fingerprint(), foot, round(load, 3), round(pitch, 7))


@lru_cache(maxsize=512)
def _pressure(_: str, foot: Foot, load: float, pitch: float) -> float:
    *longer, shortest = STEPS
    for step in longer:
        with contextlib.suppress(Diverged):
            return _rest(foot, load, pitch, step)
    try:
        return _rest(foot, load, pitch, shortest)
    except Diverged as error:
        reason = f"foot {foot.name!r} does not settle under {load:.0f} N, its balance cannot be solved: "
        reason += "give offset and pitch"
        raise Diverged(reason, time=error.time, body=error.body, dump=error.dump) from error


def _rest(foot: Foot, load: float, pitch: float, step: float) -> float:
    """Put a foot under a post of that weight and read where it is carried once it rests [m]."""
    mass = load / GRAVITY
    # with friction the sole would creep for seconds to where it goes at once without
    height, damping = foot.sole_height + 0.001, 60 * mass
    post = Slider(height=height, tilt=pitch, damping=damping, mass=mass, friction=0.0, timestep=step)
    model = post.on_floor(foot).compile()
    batch = Batch(model, nsim=1, nthread=1)
    pressures: list[float] = []

    def read() -> None:
        data = batch.get_data(0)
        mujoco.mj_forward(model, data)
        pressures.append(float(readings.centre_of_pressure(model, data, PREFIX)[0]))

    def watch() -> None:
        if float(batch.bind("time")[0]) > 0.8 * SETTLE:
            read()

    settle(batch, SETTLE, tick=SETTLE / 50, watch=watch)
    read()
    if not np.isfinite(pressures).any():
        dump = write_dump(model, batch.state[0], time=SETTLE, body="ankle")
        raise Diverged("a foot never came down on the floor", time=SETTLE, body="ankle", dump=dump)
    return float(np.nanmean(pressures))
