"""Presses drawn at random: any load, obstacle, place and tilt, the same for every foot."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Literal

import mujoco
import numpy as np
from mujoco.batch import Batch

from plantar._checks import require
from plantar._config import Checked
from plantar.bench.press.press import Trial, module_rotations, tensions
from plantar.bench.press.rig import AWAY, PREFIX, PressRig
from plantar.bench.stiffness import SPLIT
from plantar.feet.foot import Foot
from plantar.feet.readings import contact_points
from plantar.settle import Progress, has_settled, settle
from plantar.table import Row, Table

ObstacleShape = Literal["cylinder", "box", "sphere"]
ACROSS: tuple[ObstacleShape, ...] = ("cylinder", "box")
"""Obstacles that lie across the whole sole."""
RADII = (0.003, 0.025)
"""Radius of a drawn obstacle, or its half length along the sole if it is a box [m]."""
TICK = 0.02
"""A load that grows is set this often [s]."""
AVERAGE = 0.5
"""A foot that never comes to rest is read as the mean over this time at the end [s]."""
REGIONS = ("heel", "middle", "front")
"""Behind, on and in front of the obstacle."""


@dataclass(frozen=True, kw_only=True)
class Press(Checked):
    """One press: a load on the ankle, and what lies under the sole."""

    load: float
    """Force of the slider on the ankle, without the foot's own weight [N]."""
    height: float
    """Top of the obstacle over floor or supports [m]; 0 takes the obstacle away."""
    x: float
    """Place of the obstacle from the ankle [m]."""
    tilt: float
    """Pitch of the ankle, front down [rad]."""
    shape: ObstacleShape
    """Shape of the obstacle."""
    radius: float
    """Its radius, or its half length along the sole if it is a box [m]."""
    flat: bool
    """True for a floor, False for the two supports of the bench."""
    y: float = 0.0
    """Place of the obstacle to the left [m]."""

    def __post_init__(self) -> None:
        """Check the load and the place as those of a `Trial`; `rig` checks the rest."""
        Trial(self.load, self.height, 1)
        for name in ("x", "y"):
            value = getattr(self, name)
            require(abs(value) <= 0.5, name, value, "a length in metres within +-0.5")

    def rig(self, base: PressRig) -> PressRig:
        """The bench of this press."""
        return replace(base, tilt=self.tilt, shape=self.shape, radius=self.radius, flat=self.flat, obstacle_y=self.y)


def random_presses(
    foot: Foot,
    count: int,
    *,
    seed: int = 0,
    shapes: Sequence[ObstacleShape] = ACROSS,
    loads: tuple[float, float] = (10.0, 500.0),
    heights: tuple[float, float] = (0.0, 0.020),
    tilts: tuple[float, float] = (math.radians(-5), math.radians(5)),
) -> list[Press]:
    """Draw presses evenly from their ranges; press i depends on the seed and on i alone.

    Args:
        foot: The foot, whose stations say where an obstacle can be.
        count: How many.
        seed: Seed of the draw.
        shapes: Shapes to choose from.
        loads: Least and most load [N].
        heights: Lowest and highest obstacle [m].
        tilts: Least and most tilt [rad].
    """
    require(count >= 1, "count", count, "1 or more")
    require(seed >= 0, "seed", seed, "0 or more")
    require(len(shapes) > 0, "shapes", shapes, "at least one of cylinder, box, sphere")
    rig = PressRig()
    reach = (rig.obstacle_x(foot, 1), rig.obstacle_x(foot, len(foot.stations.module_x)))
    presses = []
    for i in range(count):
        rng = np.random.default_rng([seed, i])
        presses.append(
            Press(
                load=float(rng.uniform(*loads)),
                height=float(rng.uniform(*heights)),
                x=float(rng.uniform(*reach)),
                tilt=float(rng.uniform(*tilts)),
                shape=shapes[int(rng.integers(len(shapes)))],
                radius=float(rng.uniform(*RADII)),
                flat=bool(rng.integers(2)),
            )
        )
    return presses


def run_presses(
    foot: Foot,
    presses: Sequence[Press],
    *,
    rig: PressRig | None = None,
    ramp: float = 0.5,
    duration: float = 4.0,
    threads: int = 0,
    progress: Progress | None = None,
    found: Callable[[int, Row], None] | None = None,
) -> Table:
    """Press a foot in every way listed, until it rests, and read forces and rotations.

    Args:
        foot: The foot.
        presses: What to do.
        rig: The bench, apart from what a press decides.
        ramp: Time in which the load grows to its value [s]; put on at once, it decides by the impact in which
            of its equilibria a foot ends that has more than one.
        duration: Longest simulated time of a press, more than `ramp` [s].
        threads: Threads to use; 0 takes all cores.
        progress: Called with the number of presses finished since the last call.
        found: Called with the number and the row of a press as soon as it is there.

    Returns:
        One row per press, in order: the press, vertical forces `force_heel` (behind the obstacle),
        `force_middle` (on the obstacle) and `force_front`; the same split at 30 mm behind and in
        front of the ankle as `split_heel`, `split_middle`, `split_front`; `deflection`, how far the
        ankle came down from where it started; rotations of the modules, tension of a chain's
        tendon, and whether it settled; if not, all are means over the last half second. SI units.
        Without an obstacle both splits are the same.

    Raises:
        InvalidInput: If a press ends before its load is on, or cannot be built.
        Diverged: If a simulation blows up.
    """
    require(len(presses) > 0, "presses", list(presses), "at least one press")
    require(duration > ramp, "duration", duration, f"a time in seconds above the ramp of the load, {ramp:g}")
    base = PressRig() if rig is None else rig

    def one(i: int) -> Row:
        row = {"press": i + 1, **_run(foot, presses[i], base, ramp, duration)}
        if progress:
            progress(1)
        if found:
            found(i, row)
        return row

    with ThreadPoolExecutor(threads or os.cpu_count()) as pool:
        return Table(pool.map(one, range(len(presses))))


def _run(foot: Foot, press: Press, base: PressRig, ramp: float, duration: float) -> Row:
    rig = press.rig(base)
    model = rig.spec(foot).compile()
    batch = Batch(model, nsim=1, nthread=1)
    start = rig.start_height(foot, press.height)
    batch.bind("qpos")[0, model.joint("slider").qposadr[0]] = start
    batch.bind("mocap_pos")[0, 0] = (press.x, press.y, press.height if press.height > 0 else AWAY)
    rows: list[Row] = []

    def grow(time: float) -> bool:
        share = 1.0 if ramp <= 0 else min(1.0, (time + TICK / 2) / ramp)
        batch.bind("ctrl")[0, 0] = press.load * share
        return share < 1

    def watch() -> None:
        if float(batch.bind("time")[0]) > duration - AVERAGE:
            rows.append(read())

    def read() -> Row:
        data = batch.get_data(0)
        mujoco.mj_forward(model, data)
        return _read(model, data, foot, press, start)

    settle(batch, duration, drive=grow, tick=TICK, watch=watch)
    last = read()
    return last if last["settled"] else _mean([*rows, last])


def _mean(rows: Sequence[Row]) -> Row:
    """The last row with the means of all numbers that are measured."""
    measured = ("force_", "split_", "rotation_", "tension", "deflection")
    return {
        name: float(np.mean([row[name] for row in rows])) if name.startswith(measured) else value
        for name, value in rows[-1].items()
    }


def _read(model: mujoco.MjModel, data: mujoco.MjData, foot: Foot, press: Press, start: float) -> Row:
    points = contact_points(model, data, PREFIX)
    x, force = points.position[:, 0] - data.body(f"{PREFIX}ankle").xpos[0], points.force[:, 2]
    split = [float(force[part].sum()) for part in (x < -SPLIT, np.abs(x) <= SPLIT, x > SPLIT)]
    on_obstacle = -float(data.sensor("obstacle_force").data[2])
    behind, ahead = float(force[x < press.x].sum()), float(force[x >= press.x].sum())
    if press.height > 0:
        touching = _obstacle_contacts(model, data)
        behind -= float(touching[touching[:, 0] < press.x, 1].sum())
        ahead -= float(touching[touching[:, 0] >= press.x, 1].sum())
        regions = [behind, on_obstacle, ahead]
    else:
        regions = split
    row: Row = {name: getattr(press, name) for name in ("load", "height", "x", "tilt", "shape", "radius", "flat", "y")}
    row |= {f"force_{name}": value for name, value in zip(REGIONS, regions, strict=True)}
    row |= {f"split_{name}": value for name, value in zip(REGIONS, split, strict=True)}
    row |= {f"rotation_{k}": r for k, r in enumerate(module_rotations(model, data.xmat, foot), start=1)}
    row["tension"] = max(tensions(model, data.sensordata, foot), default=0.0)
    row["deflection"] = start - float(data.qpos[model.joint("slider").qposadr[0]])
    row["settled"] = has_settled(data.qvel)
    return row


def _obstacle_contacts(model: mujoco.MjModel, data: mujoco.MjData) -> np.ndarray:
    """Place along the sole and upward force of each contact with the obstacle, (n, 2)."""
    block, wrench, rows = model.geom("obstacle_block").id, np.zeros(6), []
    for i, contact in enumerate(data.contact):
        if block in contact.geom and contact.efc_address >= 0:
            mujoco.mj_contactForce(model, data, i, wrench)
            # The force acts on the second geom of a contact.
            sign = 1.0 if contact.geom[0] == block else -1.0
            rows.append((contact.pos[0], sign * (wrench[:3] @ contact.frame.reshape(3, 3))[2]))
    return np.array(rows).reshape(-1, 2)
