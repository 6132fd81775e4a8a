"""A quadruped on a ground, simulated with its controller."""

from __future__ import annotations

import math

import mujoco
import numpy as np

from plantar.errors import Diverged
from plantar.foothold.walking.controller import Controller
from plantar.walk.sim.scene import Scene

FALLEN_TILT = math.radians(50)
"""Tilt of the base from which on the robot has fallen [rad]."""
FALLEN_HEIGHT = 0.45
"""Share of its standing height below which the base has fallen."""


class Simulation:
    """One walk as it happens.

    Args:
        scene: Robot and ground.
        controller: What moves it.
        seed: Seed of the start.
        scatter: How far the start is off; 0 is the perfect stance.
    """

    def __init__(self, scene: Scene, controller: Controller, *, seed: int = 0, scatter: float = 1.0):
        self.scene, self.controller = scene, controller
        self.data = mujoco.MjData(scene.model)
        self.substeps = max(1, round(controller.dt / scene.model.opt.timestep))
        rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(7,)))
        draw = rng.uniform(-1, 1, size=7) * scatter
        qpos = controller.start((0.03 * draw[0], 0.02 * draw[1]))
        self.height = float(controller.planner.crawl.height + controller.legged.ankle_height)
        self._settle_feet()
        self.data.qpos[scene.q_index] = qpos
        self.data.qpos[scene.q_index[2]] += 0.002
        self.data.qvel[scene.v_index[:2]] = 0.02 * draw[2:4]
        self.data.qvel[scene.v_index[3:6]] = 0.02 * draw[4:7]
        mujoco.mj_forward(scene.model, self.data)
        self._loads = scene.load_index[controller.legged.order] + 2
        controller.reset(0.0, *self.state())

    def _settle_feet(self) -> None:
        """Put the joints of the feet where the standing keyframe has them."""
        robot, m = self.scene.robot, self.scene.model
        source = self.controller.legged.source
        key = source.key(robot.keyframe).qpos
        for j in range(source.njnt):
            if source.jnt_type[j] != mujoco.mjtJoint.mjJNT_FREE:
                here = mujoco.mj_name2id(m, mujoco.mjtObj.mjOBJ_JOINT, source.joint(j).name)
                if here >= 0:
                    self.data.qpos[m.jnt_qposadr[here]] = key[source.jnt_qposadr[j]]

    def state(self) -> tuple[np.ndarray, np.ndarray]:
        """Positions and velocities that the controller is told."""
        return self.data.qpos[self.scene.q_index], self.data.qvel[self.scene.v_index]

    @property
    def loads(self) -> np.ndarray:
        """Vertical force on each foot, in the order of the legs [N]."""
        return self.data.sensordata[self._loads]

    def act(self) -> None:
        """Observe and set the motors."""
        d = self.data
        qpos, qvel = self.state()
        d.ctrl[self.scene.motors] = self.controller.act(d.time, qpos, qvel, self.loads)

    def advance(self) -> None:
        """Simulate until the next control step."""
        m, d = self.scene.model, self.data
        mujoco.mj_step(m, d, self.substeps)
        if d.warning[mujoco.mjtWarning.mjWARN_BADQACC].number or not math.isfinite(d.qpos[0]):
            fastest = int(np.argmax(np.abs(d.cvel[:, 3:]).max(axis=1)))
            raise Diverged("the walk blew up: try a shorter timestep", time=d.time, body=m.body(fastest).name)

    def tick(self) -> None:
        """One control step."""
        self.act()
        self.advance()

    @property
    def tilt(self) -> float:
        """Angle of the base from level [rad]."""
        return math.acos(min(1.0, max(-1.0, float(self.data.xmat[self.scene.base, 8]))))

    @property
    def fallen(self) -> bool:
        """Whether the robot lies on the ground, or is about to."""
        ends = sorted(self.controller.dynamics.points[:, 2].tolist())
        ground = (ends[1] + ends[2]) / 2 - self.controller.legged.point_height
        above = float(self.data.xpos[self.scene.base, 2]) - ground
        return bool(self.tilt > FALLEN_TILT or above < FALLEN_HEIGHT * self.height)
