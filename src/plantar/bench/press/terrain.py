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
        `contacts`, the area of their hull `support` [m^2] and whether it `settled`. SI units.

    Raises:
        InvalidInput: If there is no ground at a place, or a number is not allowed.
        Diverged: If a simulation blows up.
    """
    require(len(places) > 0 and len(loads) > 0, "places, loads", (places, loads), "one or more of each")
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
    ground = _touch(model, data, height, highest + foot.sole_height) - foot.sole_height
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


def _touch(model: mujoco.MjModel, data: mujoco.MjData, address: int, start: float) -> float:
    """Height of the ankle at which the foot just touches, where it is left; `start` may be below a peak [m]."""
    data.qpos[address] = start
    for _ in range(10):
        mujoco.mj_forward(model, data)
        depth = contact_points(model, data, PREFIX).depth
        if len(depth) == 0 or depth.max() < 1e-6:
            break
        data.qpos[address] += float(depth.max())
    return float(data.qpos[address])
