"""What ground that keeps its footprint costs: a biped walks over it and over a plain height field, in turns.

    python benchmarks/ground_yielding.py [ROUNDS]

Then a KHR-3HV stands on the same grounds, and two soles of its size tread there with hardly a robot above them: such
small soles touch few cells of a height field. Besides, the other way to
have such ground in MuJoCo: columns on slide joints with plastic springs, for a patch of the size of a foot and for one
of a stride. Times are the median of rounds that alternate.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from typing import Any

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


def stand(ground: YieldingGround | HeightField, steps: int = 1000) -> float:
    """CPU time of a step of a KHR-3HV that stands on stiff springs in its joints [us]."""
    robot = robots.load("khr3hv")
    spec = robot.spec.copy()
    ground.add(spec)
    spec.option.timestep, spec.option.integrator = 1e-3, mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    model = spec.compile()
    data, tracks = mujoco.MjData(model), ground.attach(model, [place.body for place in robot.places])
    mujoco.mj_resetDataKeyframe(model, data, model.key(robot.keyframe).id)
    height = data.qpos[2]
    hinges = np.flatnonzero(model.jnt_type == mujoco.mjtJoint.mjJNT_HINGE)
    model.jnt_stiffness[hinges] = 30.0
    model.qpos_spring[model.jnt_qposadr[hinges]] = data.qpos[model.jnt_qposadr[hinges]]
    model.dof_damping[model.jnt_dofadr[hinges]] = 0.5
    start = time.process_time()
    for _ in range(steps):
        tracks.step(data) if tracks else mujoco.mj_step(model, data)
    spent = time.process_time() - start
    assert data.xmat[1, 8] > 0.99 and abs(data.qpos[2] - height) < 0.05, "it stands"
    return 1e6 * spent / steps


def tread(ground: YieldingGround | HeightField, steps: int = 2000) -> float:
    """CPU time of a step of two soles of 50 x 40 mm, each on a slide, that are loaded in turn [us]."""
    spec = mujoco.MjSpec()
    ground.add(spec)
    spec.option.timestep, spec.option.integrator = 1e-3, mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    for side in (-1, 1):
        sole = spec.worldbody.add_body(name=f"sole{side}", pos=[0.0, 0.05 * side, 0.01])
        sole.add_joint(type=mujoco.mjtJoint.mjJNT_SLIDE, axis=[0, 0, 1], damping=[5.0, 0, 0])
        sole.add_geom(type=mujoco.mjtGeom.mjGEOM_BOX, size=[0.025, 0.02, 0.005], mass=0.2)
    model = spec.compile()
    data, tracks = mujoco.MjData(model), ground.attach(model, ["sole-1", "sole1"])
    load = np.array([1.0, -1.0])
    start = time.process_time()
    for k in range(steps):
        data.qfrc_applied[:] = -10.0 * (load * np.sin(2 * np.pi * k / 400) + 0.3)
        tracks.step(data) if tracks else mujoco.mj_step(model, data)
    return 1e6 * (time.process_time() - start) / steps


def compare(name: str, timed: Callable[[Any], float], rounds: int) -> None:
    """Time the grounds in turns, and print how many times as long the yielding one takes as each other one."""
    scenes = {
        "10mm": field(0.01),
        "20mm": field(0.02),
        "yielding": YieldingGround.of("dry_sand", origin=(-0.5, -0.5), size=(2.0, 1.0)),
    }
    timed(scenes["yielding"])  # compiles its loop
    times: dict[str, list[float]] = {scene: [] for scene in scenes}
    for _ in range(rounds):
        for scene, ground in scenes.items():
            times[scene].append(timed(ground))
    for scene, values in times.items():
        ratios = np.array(times["yielding"]) / values
        told = {"rounds": rounds, "median": float(np.median(ratios)), "low": ratios.min(), "high": ratios.max()}
        what = "yielding" if scene == "yielding" else f"height field, cells of {scene}"
        print(f"{name}: {what:28s} {np.median(values):8.0f} us a step, {told['median']:5.2f} times for yielding ground")
        if scene != "yielding":
            print(f"figure ground.yielding_cost.{name}_{scene} = {json.dumps(told)}", flush=True)


def main(rounds: int = 5) -> None:
    compare("walk", run, rounds)
    compare("khr3hv", stand, rounds)
    compare("soles", tread, rounds)
    for shape in ((10, 8), (24, 16)):
        name = f"plastic springs, {shape[0]} x {shape[1]} columns"
        print(f"{name:40s} {columns(*shape):8.0f} us a step (a plate alone; the area of the walk needs 80 000 columns)")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 5)
