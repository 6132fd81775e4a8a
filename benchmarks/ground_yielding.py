"""What ground that keeps its footprint costs: a biped walks over it and over a plain height field, in turns.

    python benchmarks/ground_yielding.py [ROUNDS]

Besides, the other way to have such ground in MuJoCo: columns on slide joints with plastic springs, for a patch of
the size of a foot and for one of a stride. Times are the median of rounds that alternate.
"""

from __future__ import annotations

import sys
import time

import mujoco
import numpy as np

from plantar import robots, walk
from plantar.ground import ElevationMap, Ground, HeightField
from plantar.ground.soil.yielding import YieldingGround

STEPS = 3
"""Steps of the walk."""


def run(ground: YieldingGround | HeightField) -> float:
    """Time of the physics of a walk for each time step [us]; the controller is not counted."""
    course = walk.Course(robots.mount("biped", "flat"), gait=walk.Gait(steps=STEPS), terrain=ground)
    result = course.run()
    return 1e6 * result.physics_s / (result.duration / course.scene.model.opt.timestep)


def field(cell: float) -> HeightField:
    """Nearly level ground, rough by a tenth of a millimetre, as large as the yielding one."""
    rows, columns = round(1.0 / cell) + 1, round(2.0 / cell) + 1
    heights = 1e-4 * np.random.default_rng(0).random((rows, columns))
    return HeightField(grid=ElevationMap(origin=(-0.5, -0.5), cell=cell, heights=heights), ground=Ground())


def columns(rows: int, across: int, steps: int = 300) -> float:
    """CPU time of a step of a plate on columns with plastic springs, 5 mm apart [us]."""
    spec = mujoco.MjSpec()
    spec.option.timestep, spec.option.integrator = 1e-3, mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    for i in range(rows):
        for j in range(across):
            body = spec.worldbody.add_body(pos=[0.005 * (i - rows / 2), 0.005 * (j - across / 2), -0.02])
            joint = body.add_joint(type=mujoco.mjtJoint.mjJNT_SLIDE, axis=[0, 0, 1], damping=[0.5, 0, 0])
            joint.stiffness, joint.springyield = [200.0, 0, 0], 5e-4
            size = [0.0024, 0.0024, 0.02]
            body.add_geom(type=mujoco.mjtGeom.mjGEOM_BOX, size=size, mass=0.002, contype=0, conaffinity=1)
    foot = spec.worldbody.add_body(pos=[0, 0, 0.012])
    foot.add_joint(type=mujoco.mjtJoint.mjJNT_SLIDE, axis=[0, 0, 1])
    foot.add_geom(type=mujoco.mjtGeom.mjGEOM_BOX, size=[0.025, 0.02, 0.01], mass=0.9, contype=1, conaffinity=0)
    model = spec.compile()
    data = mujoco.MjData(model)
    start = time.process_time()
    mujoco.mj_step(model, data, steps)
    return 1e6 * (time.process_time() - start) / steps


def main(rounds: int = 5) -> dict[str, float]:
    sand = YieldingGround.of("dry_sand", origin=(-0.5, -0.5), size=(2.0, 1.0))
    scenes = {
        "height field, cells of 10 mm": field(0.01),
        "height field, cells of 20 mm": field(0.02),
        "yielding": sand,
    }
    times: dict[str, list[float]] = {name: [] for name in scenes}
    for _ in range(rounds):
        for name, ground in scenes.items():
            times[name].append(run(ground))
    medians = {name: float(np.median(values)) for name, values in times.items()}
    for name, value in medians.items():
        print(f"{name:32s} {value:8.0f} us a step, {medians['yielding'] / value:5.2f} times for the yielding ground")
    for shape in ((10, 8), (24, 16)):
        name = f"plastic springs, {shape[0]} x {shape[1]} columns"
        medians[name] = columns(*shape)
        print(f"{name:32s} {medians[name]:8.0f} us a step (a plate alone; the area of the walk needs 80 000 columns)")
    return medians


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 5)
