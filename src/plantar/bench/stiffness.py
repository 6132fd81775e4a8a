"""Force against deflection of a foot that is pressed on an obstacle or on flat ground."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

import mujoco
import numpy as np
from mujoco.batch import Batch

from plantar._checks import require, require_choice
from plantar.bench.press.press import SETTLED_SPEED, tensions
from plantar.bench.press.rig import AWAY, PREFIX, BenchFoot, PressRig
from plantar.bench.press.settle import Progress, check_batch
from plantar.bench.windlass.rig import CONTACT_SOLIMP, CONTACT_SOLREF
from plantar.errors import InvalidInput
from plantar.feet.readings import contact_points
from plantar.feet.softfoot.softfoot import SoftFoot
from plantar.table import Row, Table

Obstacle = Literal["cylinder", "point", "flat"]
OBSTACLES: tuple[Obstacle, ...] = ("cylinder", "point", "flat")
"""A cylinder that lies across under the sole, a ball under its middle chain, or the bare floor."""
LOADS = (0.0, 5.0, 10.0, 15.0, 20.0, 30.0, 40.0, 60.0, 80.0, 100.0, 150.0, 200.0, 250.0, 300.0, 350.0, 400.0)
"""Loads of the default study [N]."""
SPLIT = 0.030
"""Forces further back than this behind the ankle are the heel's, further in front the front's [m]."""
REST = 1e-6
"""Speed below which nothing is left to wait for [rad/s, m/s]."""


def stiffness(
    foot: BenchFoot | None = None,
    *,
    obstacle: Obstacle = "cylinder",
    radius: float = 0.025,
    x: float = 0.0,
    loads: Sequence[float] = LOADS,
    friction: float = 0.0,
    duration: float = 4.0,
    rig: PressRig | None = None,
    threads: int = 0,
    progress: Progress | None = None,
) -> Table:
    """Press a foot under a rising load and read how far its ankle comes down.

    Every load is a simulation of its own: the foot is put down, the load grows to its value during the
    first half of the time, and what is left is for coming to rest.

    Args:
        foot: The foot; by default `SoftFoot()` with its five chains.
        obstacle: `cylinder` lies across under the sole with its axis in the floor, so that it stands
            out by its radius; `point` is a ball there; `flat` is the floor alone.
        radius: Radius of the obstacle, and how far it stands out of the floor [m].
        x: Place of the obstacle in front of the ankle [m].
        loads: Forces on the ankle, without the foot's own weight [N]; each larger than the one before.
        friction: Sliding friction between sole and ground.
        duration: Simulated time of each load [s].
        rig: The bench to take slider and solver settings from; it replaces `radius` and `friction`.
        threads: Threads to use; 0 takes all cores.
        progress: Called with the number of loads finished since the last call.

    Returns:
        A row a load: `load`; `deflection`, of the ankle below its height when the straight foot just
        touches; `stiffness`, secant from the load before (NaN in the first row); `force_heel`,
        `force_middle`, `force_front`, vertical forces on the sole behind, within and in front of 30 mm
        of the ankle; `force_obstacle`; `weight` of what the slider carries; `tension`, the largest of
        all tendons, or of the chains of a foot without; `settled`. SI units.

    Raises:
        InvalidInput: If a load, the obstacle or its place is not allowed.
        Diverged: If a simulation blows up.
    """
    foot = SoftFoot() if foot is None else foot
    require_choice("obstacle", obstacle, OBSTACLES)
    require(0 < radius <= 0.1, "radius", radius, "a length in metres above 0, 0.1 at most")
    require(abs(x) <= 0.2, "x", x, "a length in metres within +-0.2")
    require(duration > 0, "duration", duration, "a time in seconds above 0")
    forces = _checked_loads(loads)
    rig = _rig(obstacle, radius, friction) if rig is None else rig
    top = 0.0 if obstacle == "flat" else rig.radius

    spec = rig.spec(foot)
    model = spec.compile()
    batch = Batch(model, nsim=len(forces), nthread=threads)
    touch = _touch_height(foot, rig, top, x)
    batch.bind("qpos")[:, model.joint("slider").qposadr[0]] = touch
    batch.bind("mocap_pos")[:, 0] = (x, rig.obstacle_y, top if top else AWAY)
    _load(batch, spec, forces, duration, progress)
    rows = [_read(model, batch.get_data(i), foot, touch, float(load)) for i, load in enumerate(forces)]
    return Table(_with_secants(rows))


def secant(table: Table, low: float, high: float) -> float:
    """Stiffness between two loads of a table, which may lie between its rows [N/m].

    Raises:
        InvalidInput: If a load is outside of the table.
    """
    loads, deflections = table.column("load"), table.column("deflection")
    inside = loads[0] <= low < high <= loads[-1]
    require(bool(inside), "low, high", (low, high), f"two rising loads from {loads[0]:g} to {loads[-1]:g} N")
    d = np.interp([low, high], loads, deflections)
    return float((high - low) / (d[1] - d[0]))


def _rig(obstacle: Obstacle, radius: float, friction: float) -> PressRig:
    return PressRig(
        flat=True,
        tilt=0.0,
        shape="sphere" if obstacle == "point" else "cylinder",
        radius=radius,
        friction=friction,
        contact_solref=CONTACT_SOLREF,
        contact_solimp=CONTACT_SOLIMP,
    )


def _checked_loads(loads: Sequence[float]) -> np.ndarray:
    allowed = "two or more rising forces from 0 to 2000 N"
    try:
        forces = np.array(loads, dtype=float)
    except (TypeError, ValueError) as error:
        raise InvalidInput(f"loads = {loads!r} is not allowed: give {allowed}") from error
    ok = forces.ndim == 1 and forces.size > 1 and bool(np.isfinite(forces).all())
    ok = ok and forces[0] >= 0 and forces[-1] <= 2000 and bool((np.diff(forces) > 0).all())
    require(ok, "loads", loads, allowed)
    return forces


def _touch_height(foot: BenchFoot, rig: PressRig, top: float, x: float) -> float:
    """Height of the ankle at which the straight foot just touches the floor or the obstacle [m]."""
    model = rig.spec(foot).compile()
    data = mujoco.MjData(model)
    data.mocap_pos[0] = (x, rig.obstacle_y, top if top else AWAY)
    slider = model.joint("slider").qposadr[0]
    low, high = 0.0, top + foot.sole_height + 0.1
    while high - low > 1e-7:
        data.qpos[slider] = middle = (low + high) / 2
        mujoco.mj_kinematics(model, data)
        mujoco.mj_collision(model, data)
        low, high = (middle, high) if data.ncon else (low, middle)
    return high


def _load(
    batch: Batch, spec: mujoco.MjSpec, forces: np.ndarray, duration: float, progress: Progress | None, parts: int = 40
) -> None:
    """Let each load grow to its value during the first half, then wait until all is at rest."""
    steps, told = max(1, round(duration / batch.model.opt.timestep / parts)), 0
    for part in range(1, parts + 1):
        batch.bind("ctrl")[:, 0] = forces * min(1.0, 2 * part / parts)
        before = batch.state.copy()
        batch.step(nstep=steps)
        check_batch(batch, before, spec)
        rest = part == parts or (2 * part > parts and np.abs(batch.bind("qvel")).max() < REST)
        done = batch.nsim if rest else batch.nsim * part // parts
        if progress:
            progress(done - told)
        told = done
        if rest:
            break


def _read(model: mujoco.MjModel, data: mujoco.MjData, foot: BenchFoot, touch: float, load: float) -> Row:
    mujoco.mj_forward(model, data)
    ankle = data.body(f"{PREFIX}ankle").xpos
    points = contact_points(model, data, PREFIX)
    place, force = points.position[:, 0] - ankle[0], points.force[:, 2]
    return {
        "load": load,
        "deflection": touch - float(ankle[2]),
        "stiffness": math.nan,
        "force_heel": float(force[place < -SPLIT].sum()),
        "force_middle": float(force[np.abs(place) <= SPLIT].sum()),
        "force_front": float(force[place > SPLIT].sum()),
        "force_obstacle": -float(data.sensor("obstacle_force").data[2]),
        "weight": float(model.body("slider").subtreemass[0]) * -float(model.opt.gravity[2]),
        "tension": max(tensions(model, data.sensordata, foot), default=0.0),
        "settled": bool(np.abs(data.qvel).max() < SETTLED_SPEED),
    }


def _with_secants(rows: list[Row]) -> list[Row]:
    for before, row in zip(rows, rows[1:], strict=False):
        sunk = row["deflection"] - before["deflection"]
        row["stiffness"] = (row["load"] - before["load"]) / sunk if sunk else math.inf
    return rows
