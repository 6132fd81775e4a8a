"""Press the released SoftFoot twin and `SoftFoot.published()` side by side.

    python benchmarks/compare_released.py PATH/TO/iit_softfoot/softfoot.xml

Both feet hang on the same vertical slider and are pressed on a floor and on a cylinder of 25 mm
radius under the ankle. The forces of the ground are split at x = -30 mm and x = +30 mm of the ankle
into heel, middle and front; the last columns are the differences in percent of the load.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path

import mujoco
import numpy as np

from plantar.feet import SoftFoot

LOADS = (20.0, 50.0, 100.0, 200.0, 400.0)
GROUNDS = ("floor", "cylinder")
SPLITS = (-0.030, 0.030)
CYLINDER_RADIUS = 0.025
START = {"floor": 0.1, "cylinder": 0.13}


@dataclass(frozen=True)
class Row:
    """One load on one ground: forces on heel, middle and front [N]."""

    ground: str
    load: float
    released: np.ndarray
    ours: np.ndarray
    speed: float
    """Fastest joint of either foot at the end [rad/s, m/s]."""

    @property
    def error(self) -> np.ndarray:
        """Difference in percent of the load."""
        return 100 * (self.ours - self.released) / self.load


def compare(path: str | Path, loads: tuple[float, ...] = LOADS) -> list[Row]:
    rows = []
    for ground in GROUNDS:
        released = rig(mujoco.MjSpec.from_file(str(path)), ground)
        ours = rig(SoftFoot.published().spec(), ground)
        for load in loads:
            (a, speed_a), (b, speed_b) = press(released, load), press(ours, load)
            rows.append(Row(ground, load, a, b, max(speed_a, speed_b)))
    return rows


def rig(foot: mujoco.MjSpec, ground: str) -> mujoco.MjModel:
    spec = mujoco.MjSpec()
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[1, 1, 0.1], conaffinity=15)
    if ground == "cylinder":
        spec.worldbody.add_geom(
            type=mujoco.mjtGeom.mjGEOM_CYLINDER,
            size=[CYLINDER_RADIUS, 0, 0],
            fromto=[0, -0.1, 0, 0, 0.1, 0],
            conaffinity=15,
        )
    slider = spec.worldbody.add_body(name="slider", pos=[0, 0, START[ground]])
    slider.add_joint(name="load", type=mujoco.mjtJoint.mjJNT_SLIDE, axis=[0, 0, -1], damping=[100, 0, 0])
    spec.attach(foot, frame=slider.add_frame(), prefix="foot/")
    return spec.compile()


def press(model: mujoco.MjModel, load: float, duration: float = 2.0) -> tuple[np.ndarray, float]:
    """Vertical force on heel, middle and front [N], and the fastest joint at the end."""
    data = mujoco.MjData(model)
    data.qfrc_applied[0] = load
    for _ in range(round(duration / model.opt.timestep)):
        mujoco.mj_step(model, data)
    mujoco.mj_forward(model, data)
    forces, wrench = np.zeros(3), np.zeros(6)
    for i, contact in enumerate(data.contact):
        mujoco.mj_contactForce(model, data, i, wrench)
        vertical = abs((wrench[:3] @ contact.frame.reshape(3, 3))[2])
        forces[np.searchsorted(SPLITS, contact.pos[0])] += vertical
    return forces, float(abs(data.qvel).max())


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("path", help="softfoot.xml of the released twin")
    rows = compare(parser.parse_args().path)
    print(
        "ground    load/N   released heel/middle/front /N      published() /N          difference / % of load   speed"
    )
    for r in rows:
        cells = "   ".join(" ".join(f"{x:8.3f}" for x in v) for v in (r.released, r.ours, r.error))
        print(f"{r.ground:8s}  {r.load:6.0f}   {cells}   {r.speed:.1e}")
    print(f"largest difference: {max(abs(r.error).max() for r in rows):.3f} % of the load")


if __name__ == "__main__":
    main()
