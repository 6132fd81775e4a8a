"""A foot pressed onto a terrain of any kind, rigid or yielding, at places of it."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import mujoco
import numpy as np

from plantar._arguments import checks_arguments
from plantar._checks import require
from plantar.errors import Diverged
from plantar.feet.contact import set_contact
from plantar.feet.foot import Foot
from plantar.feet.readings import contact_points
from plantar.feet.slider import PREFIX, Slider
from plantar.ground.terrain.terrain import Terrain
from plantar.model.polygon import convex_hull, polygon_area
from plantar.settle import SPEED_LIMIT, has_settled
from plantar.table import Row, Table

CLEARANCE = 0.002
"""Gap between sole and ground before the load is applied [m]."""
LOADING = 0.5
"""Fraction of the time over which the load grows."""
LOWER, DEEPEST = 0.001, 0.3
"""A foot that does not touch the highest ground around it is lowered in such steps, so far at most [m]."""
NEAR = 1e-6
"""How exactly the first touch is found [m]."""


@checks_arguments
def press_terrain(
    foot: Foot,
    terrain: Terrain,
    *,
    places: Sequence[tuple[float, float]],
    loads: Sequence[float] = (50.0,),
    yaw: float = 0.0,
    duration: float = 2.0,
    timestep: float = 0.002,
    progress: Callable[[int], None] | None = None,
) -> Table:
    """Press a foot on a terrain by a load on a vertical slider, and read how it stands.

    Args:
        foot: The foot.
        terrain: What it is pressed on, from `plantar.ground`.
        places: Where its ankle comes down (x, y) [m].
        loads: Forces of the slider [N].
        yaw: Turn of the foot about z [rad].
        duration: Simulated time of a press [s].
        timestep: Time step [s].
        progress: Called with the number of presses finished since the last call.

    Returns:
        One row per place and load: `x`, `y`, `load`, the height at which the sole first touches `ground`, how far it is
        above that at the end `sole` (below 0: bent or sunk in), the vertical `force` of the ground, the number of
        `contacts`, the area of their hull `support` [m^2] (none on ground that yields, which presses all over the sole)
        and whether it `settled`. SI units.

    Raises:
        InvalidInput: If there is no ground at a place, or a number is not allowed.
        Diverged: If a simulation blows up.
    """
    require(len(places) > 0 and len(loads) > 0, "places, loads", (places, loads), "one or more of each")
    require(1e-5 <= timestep <= 0.05, "timestep", timestep, "a time in seconds from 1e-5 to 0.05")
    require(
        timestep <= duration <= 1000, "duration", duration, f"a time in seconds from one step, {timestep:g}, to 1000"
    )
    rows = []
    for x, y in places:
        highest = _highest(foot, terrain, (x, y), yaw)
        for load in loads:
            require(0 <= load <= 2000, "load", load, "a force from 0 to 2000 N")
            rows.append(_press(foot, terrain, (x, y), yaw, highest, load, (duration, timestep)))
            (progress or (lambda _: None))(1)
    return Table(rows)


def _highest(foot: Foot, terrain: Terrain, place: tuple[float, float], yaw: float) -> float:
    """Highest ground under the sole [m]."""
    low, high = _sole(foot)
    x, y = np.meshgrid(np.linspace(low[0], high[0], 60), np.linspace(low[1], high[1], 30))
    c, s = math.cos(yaw), math.sin(yaw)
    highest = float(np.max(terrain.elevation(place[0] + c * x - s * y, place[1] + s * x + c * y)))
    require(math.isfinite(highest), "places", place, "places where there is ground")
    return highest


def _sole(foot: Foot) -> tuple[np.ndarray, np.ndarray]:
    """Corners of the rectangle around the foot from its ankle, seen from above [m]."""
    model = foot.spec().compile()
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    touching = np.flatnonzero(model.geom_contype | model.geom_conaffinity)
    reach = model.geom_rbound[touching, None]
    middle = data.geom_xpos[touching, :2]
    turn = np.abs(data.geom_xmat[touching].reshape(-1, 3, 3)[:, :2])
    half = np.minimum(np.einsum("gij,gj->gi", turn, model.geom_aabb[touching, 3:]), reach)
    return (middle - half).min(axis=0), (middle + half).max(axis=0)


def _press(
    foot: Foot,
    terrain: Terrain,
    place: tuple[float, float],
    yaw: float,
    highest: float,
    load: float,
    time: tuple[float, float],
) -> Row:
    duration, timestep = time
    spec = Slider(timestep=timestep).spec(foot)
    slider = spec.body("slider")
    slider.pos, slider.quat = [*place, 0.0], [math.cos(yaw / 2), 0, 0, math.sin(yaw / 2)]
    terrain.add(spec)
    set_contact(spec, foot, PREFIX)
    model = spec.compile()
    data, tracks = mujoco.MjData(model), terrain.attach(model, [f"{PREFIX}ankle"])
    height = int(model.joint("slider").qposadr[0])
    start = highest + foot.sole_height
    # ground that yields is no contact of MuJoCo's: a foot would be lowered through it
    ground = _touch(model, data, height, start, down=tracks is None) - foot.sole_height
    data.qpos[height] += CLEARANCE
    while data.time < duration:
        data.ctrl[0] = load * min(1.0, data.time / (LOADING * duration))
        if tracks is None:
            mujoco.mj_step(model, data)
        else:
            tracks.step(data)
        if not np.abs(data.qvel).max() < SPEED_LIMIT:
            raise Diverged("the press does not stay finite: use a shorter time step", time=data.time, body="slider")
    points = contact_points(model, data, PREFIX)
    force = points.force[:, 2].sum() if tracks is None else tracks.wrench()[2]
    return {
        "x": place[0],
        "y": place[1],
        "load": load,
        "ground": ground,
        "sole": float(data.qpos[height]) - foot.sole_height - ground,
        "force": float(force),
        "contacts": len(points),
        "support": polygon_area(convex_hull(points.position[:, :2])),
        "settled": bool(has_settled(data.qvel)),
    }


def _touch(model: mujoco.MjModel, data: mujoco.MjData, address: int, start: float, *, down: bool) -> float:
    """Height of the ankle at which the foot just touches, where it is left [m].

    `start` may be below a peak, or above: the highest ground around a foot need not be under its sole. A foot that
    finds nothing below is left at `start`.
    """
    for _ in range(10):
        depth = _depth(model, data, address, start)
        if depth < NEAR:
            break
        start += depth
    low, high = start, start
    if down:
        drops = np.arange(0.0, DEEPEST, LOWER)
        low = next((start - drop for drop in drops if _depth(model, data, address, start - drop) > 0), start)
        high = min(low + LOWER, start)
    while high - low > NEAR:
        middle = (low + high) / 2
        low, high = (middle, high) if _depth(model, data, address, middle) > 0 else (low, middle)
    data.qpos[address] = high
    return float(high)


def _depth(model: mujoco.MjModel, data: mujoco.MjData, address: int, height: float) -> float:
    """Deepest contact of the foot with its ankle at a height; 0 without any [m]."""
    data.qpos[address] = height
    mujoco.mj_fwdPosition(model, data)
    return float(contact_points(model, data, PREFIX).depth.max(initial=0.0))
