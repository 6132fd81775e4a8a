"""What four SoftFoot-Q cost on the built-in quadruped of ANYmal's size, against its ball feet and against real time.

The robot is 45 kg, at 2 ms, held by proportional-derivative control while it stands and steps in place, on one core.
Variants are timed in turns, in processor time, so that a busy machine slows all alike; the controller is not timed.

    python benchmarks/softfootq_speed.py
"""

from __future__ import annotations

import argparse
import json
import math
import time

import mujoco
import numpy as np

from plantar import robots
from plantar.feet import SoftFootQ

STIFFNESS, DAMPING = 300.0, 8.0
"""Of the control of every hinge [N m/rad, N m s/rad]."""


def quadruped(foot: SoftFootQ | None) -> mujoco.MjModel:
    robot = robots.load("quadruped")
    spec = (robot if foot is None else robots.mount(robot, foot)).spec.copy()
    if not any(geom.type == mujoco.mjtGeom.mjGEOM_PLANE for geom in spec.worldbody.geoms):
        spec.worldbody.add_geom(name="floor", type=mujoco.mjtGeom.mjGEOM_PLANE, size=[5, 5, 0.1])
    spec.option.timestep = 0.002
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    return spec.compile()


class Robot:
    """A model that stands in its keyframe `home`."""

    def __init__(self, foot: SoftFootQ | None):
        self.model = quadruped(foot)
        self.data = mujoco.MjData(self.model)
        mujoco.mj_resetDataKeyframe(self.model, self.data, 0)
        joints = [self.model.joint(self.model.actuator_trnid[i, 0]) for i in range(self.model.nu)]
        self.names = [joint.name for joint in joints]
        self.places = np.array([joint.qposadr[0] for joint in joints])
        self.speeds = np.array([joint.dofadr[0] for joint in joints])
        self.home = self.data.qpos[self.places].copy()
        self.lift = np.array([self._lift(name) for name in self.names])

    @staticmethod
    def _lift(name: str) -> float:
        """How a lifted leg turns a hinge, front legs and hind legs mirrored."""
        front = 1.0 if "front" in name else -1.0
        return front * (1.0 if "thigh" in name else -2.0 if "shank" in name else 0.0)

    def step(self, stepping: bool) -> float:
        """Take two steps; returns the processor time of MuJoCo's part [s]."""
        goal = self.home.copy()
        if stepping:
            wave = math.sin(4 * math.pi * self.data.time)
            for i, name in enumerate(self.names):
                diagonal = 1 if ("left" in name) == ("front" in name) else -1
                goal[i] += 0.35 * max(0.0, diagonal * wave) * self.lift[i]
        error = goal - self.data.qpos[self.places]
        self.data.ctrl[:] = STIFFNESS * error - DAMPING * self.data.qvel[self.speeds]
        begin = time.process_time()
        mujoco.mj_step(self.model, self.data, 2)
        return time.process_time() - begin


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=20)
    args = parser.parse_args()
    fast = SoftFootQ(fidelity="fast")
    feet = {
        "ball": None,
        "fast": fast,
        "fast, 2 strips": fast.with_(fast__strips=2),
        "fast, force sensors": fast,
        "hinge": SoftFootQ(fidelity="hinge"),
        "full": SoftFootQ(),
    }
    fleet = {name: Robot(foot) for name, foot in feet.items()}
    for robot in fleet.values():
        for _ in range(250):
            robot.step(stepping=False)
    print("motion    feet                  us a step   x ball   x real time   contacts   joints   base height")
    for what in ("standing", "stepping"):
        cost: dict[str, list[float]] = {name: [] for name in fleet}
        touching: dict[str, list[int]] = {name: [] for name in fleet}
        for _ in range(args.rounds):
            for name, robot in fleet.items():
                spent = 0.0
                for _ in range(25):
                    spent += robot.step(what == "stepping")
                    touching[name].append(robot.data.ncon)
                cost[name].append(spent / 50)
        for name, robot in fleet.items():
            ratio = float(np.median(np.array(cost[name]) / np.array(cost["ball"])))
            step, contacts = float(np.median(cost[name])), np.mean(touching[name])
            real, height = robot.model.opt.timestep / step, robot.data.qpos[2]
            print(
                f"{what:9s} {name:20s} {1e6 * step:9.1f}   {ratio:6.2f}   {real:11.1f}   {contacts:8.1f}"
                f"   {robot.model.nv:6d}   {height:.3f}"
            )
            if name in ("ball", "fast"):
                found = {"real_time": real, "cost_over_ball": ratio, "timestep": robot.model.opt.timestep}
                print(f"figure foothold.feet_speed.{what}_{name} = {json.dumps(found)}")


if __name__ == "__main__":
    main()
