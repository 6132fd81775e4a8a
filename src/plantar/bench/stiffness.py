"""Force against deflection of a foot that is pressed on an obstacle or on flat ground."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

import mujoco
import numpy as np
from mujoco.batch import Batch

from plantar._checks import require, require_choice
from plantar.bench.mechanism import MechanismResult, measure_all
from plantar.bench.press.press import tensions
from plantar.bench.press.rig import AWAY, PREFIX, PressRig
from plantar.errors import InvalidInput
from plantar.feet.foot import Foot
from plantar.feet.readings import contact_points
from plantar.feet.softfoot.softfoot import SoftFoot
from plantar.settle import FINE_REST, Progress, has_settled, settle
from plantar.table import Row, Table

Obstacle = Literal["cylinder", "point", "flat"]
OBSTACLES: tuple[Obstacle, ...] = ("cylinder", "point", "flat")
"""A cylinder that lies across under the sole, a ball under its middle chain, or the bare floor."""
LOADS = (0.0, 5.0, 10.0, 15.0, 20.0, 30.0, 40.0, 60.0, 80.0, 100.0, 150.0, 200.0, 250.0, 300.0, 350.0, 400.0)
"""Loads of the default study [N]."""
SPLIT = 0.030
"""Forces further back than this behind the ankle are the heel's, further in front the front's [m]."""
PARTS = 40
"""Times that a load is set while a foot is pressed, the first half of them rising."""


@dataclass(frozen=True, kw_only=True)
class StiffnessResult(MechanismResult):
    """Load against deflection; see `stiffness`."""

    name: ClassVar[str] = "stiffness"
    shown: ClassVar[tuple[str, ...]] = (
        "load", "deflection", "stiffness", "force_heel", "force_middle", "force_front", "tension", "settled",
    )  # fmt: skip

    @staticmethod
    def verdict(table: Table) -> Row:
        """Secant stiffness under light and heavy load and their ratio [N/m]; None where no such loads were run."""
        loads = set(table.column("load"))
        light = secant(table, 10, 40) if {10.0, 40.0} <= loads else None
        heavy = secant(table, 100, 200) if {100.0, 200.0} <= loads else None
        ratio = heavy / light if heavy and light else None
        return {"from_10_to_40_N": light, "from_100_to_200_N": heavy, "ratio": ratio}

    def found(self) -> str:
        """How much stiffer the foot is under a heavy load than under a light one."""
        own, last = self.summary[0], self.table[-1]
        sinks = f"the deflection is {1e3 * last['deflection']:.3g} mm under {last['load']:g} N"
        if own["ratio"] is None:
            return f"{sinks}; to compare light with heavy loads, measure at 10, 40, 100 and 200 N"
        return (
            f"{own['from_10_to_40_N'] / 1e3:.3g} N/mm from 10 to 40 N and {own['from_100_to_200_N'] / 1e3:.3g} N/mm "
            f"from 100 to 200 N: {own['ratio']:.2g} times as stiff under load"
            f"{self.beside('ratio', lambda ratio: f'{ratio:.2g} times')}; {sinks}"
        )


def stiffness(
    foot: Foot | None = None,
    *,
    obstacle: Obstacle = "cylinder",
    radius: float = 0.025,
    x: float = 0.0,
    loads: Sequence[float] = LOADS,
    friction: float = 0.0,
    duration: float = 4.0,
    rig: PressRig | None = None,
    beside: Mapping[str, Foot] | None = None,
    threads: int = 0,
    progress: Progress | None = None,
) -> StiffnessResult:
    """Press a foot under a rising load and read how far its ankle comes down.

    Every load is a separate simulation: the foot is put down, the load grows to its value during the
    first half of the time, and the rest is for settling.

    Args:
        foot: The foot; by default `SoftFoot()` with its five chains.
        obstacle: `cylinder` lies across under the sole with its axis in the floor, so that it stands
            out by its radius; `point` is a ball there; `flat` is the floor alone.
        radius: Radius of the obstacle, and how far it stands out of the floor [m].
        x: Place of the obstacle in front of the ankle [m].
        loads: Forces on the ankle, without the foot's own weight [N]; each larger than the one before.
        friction: Sliding friction between sole and ground.
        duration: Simulated time of each load [s].
        rig: The bench to take slider, tilt, radius, friction and solver settings from; it replaces `radius` and
            `friction`. What lies on the floor is as `obstacle` says, whatever the bench has there.
        beside: Other feet to measure in the same way, by name, such as `plantar.bench.mechanism.references`.
        threads: Threads to use; 0 takes all cores.
        progress: Called with the number of loads finished since the last call.

    Returns:
        One row per load: `load`; `deflection`, of the ankle below its height when the straight foot just
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
    forces = _checked_loads(loads)
    rig = PressRig(tilt=0.0, radius=radius, friction=friction) if rig is None else rig
    rig = replace(rig, flat=True, shape="sphere" if obstacle == "point" else "cylinder")
    place = obstacle_place(obstacle, rig, x)

    def measure(one: Foot) -> Table:
        return _curve(one, rig, place, forces, duration, threads, progress)

    settings = {"obstacle": obstacle, "radius": rig.radius, "x": x, "loads": forces.tolist(), "rig": rig}
    return StiffnessResult(**measure_all(foot, beside, measure), settings=settings)


def obstacle_place(obstacle: Obstacle, rig: PressRig, x: float) -> tuple[float, float, float]:
    """Where the top of the obstacle is [m]; on flat ground out of the way."""
    return (x, rig.obstacle_y, AWAY if obstacle == "flat" else rig.radius)


def secant(table: Table | StiffnessResult, low: float, high: float) -> float:
    """Stiffness between two loads of a table, which may lie between its rows [N/m].

    Raises:
        InvalidInput: If a load is outside of the table.
    """
    loads, deflections = table.column("load"), table.column("deflection")
    inside = loads[0] <= low < high <= loads[-1]
    require(bool(inside), "low, high", (low, high), f"two rising loads from {loads[0]:g} to {loads[-1]:g} N")
    d = np.interp([low, high], loads, deflections)
    return float((high - low) / (d[1] - d[0]))


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


def _curve(
    foot: Foot,
    rig: PressRig,
    place: tuple[float, float, float],
    forces: np.ndarray,
    duration: float,
    threads: int,
    progress: Progress | None,
) -> Table:
    """Put the foot down on what is at `place` and let each load grow to its value during the first half."""
    batch, touch = put_down(foot, rig, place, len(forces), threads)
    tick = duration / PARTS
    settle(batch, duration, drive=growing(batch, forces, duration, tick), tick=tick, rest=FINE_REST, progress=progress)
    rows = [_read(batch.model, batch.get_data(i), foot, touch, float(load)) for i, load in enumerate(forces)]
    return Table(_with_secants(rows))


def put_down(
    foot: Foot, rig: PressRig, place: tuple[float, float, float], count: int, threads: int
) -> tuple[Batch, float]:
    """Simulations in which a foot just touches what is at `place`, and the height of its ankle there [m]."""
    model = rig.spec(foot).compile()
    batch = Batch(model, nsim=count, nthread=threads)
    touch = _touch_height(model, place, max(place[2], 0.0) + foot.sole_height + 0.1)
    batch.bind("qpos")[:, model.joint("slider").qposadr[0]] = touch
    batch.bind("mocap_pos")[:, 0] = place
    return batch, touch


def growing(batch: Batch, forces: np.ndarray, duration: float, tick: float) -> Callable[[float], bool]:
    """Lets each load grow to its value during the first half of the time."""

    def grow(time: float) -> bool:
        share = min(1.0, 2 * (time + tick) / duration)
        batch.bind("ctrl")[:, 0] = forces * share
        return share < 1

    return grow


def _touch_height(model: mujoco.MjModel, place: tuple[float, float, float], above: float) -> float:
    """Height of the ankle at which the straight foot just touches the floor or the obstacle [m]."""
    data = mujoco.MjData(model)
    data.mocap_pos[0] = place
    slider = model.joint("slider").qposadr[0]
    low, high = 0.0, above
    while high - low > 1e-7:
        data.qpos[slider] = middle = (low + high) / 2
        mujoco.mj_fwdPosition(model, data)
        low, high = (middle, high) if data.ncon else (low, middle)
    return high


def _read(model: mujoco.MjModel, data: mujoco.MjData, foot: Foot, touch: float, load: float) -> Row:
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
        "settled": has_settled(data.qvel),
    }


def _with_secants(rows: list[Row]) -> list[Row]:
    for before, row in zip(rows, rows[1:], strict=False):
        sunk = row["deflection"] - before["deflection"]
        row["stiffness"] = (row["load"] - before["load"]) / sunk if sunk else math.inf
    return rows
