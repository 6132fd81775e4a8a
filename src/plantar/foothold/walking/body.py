"""A quadruped as its controller knows it: rigid feet that stand on points, and no contacts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import mujoco
import numpy as np

from plantar.errors import InvalidInput
from plantar.foothold.legs import LEGS
from plantar.foothold.sole import LearnedSole, Sole, sole_of
from plantar.walk.robot.legged import Legged

if TYPE_CHECKING:
    from plantar.robots import Robot

PLACES = {"left_front": "LF", "right_front": "RF", "left_hind": "LH", "right_hind": "RH"}
"""Names of the legs by those of the robot's feet."""
ROUNDS = 60
"""Most rounds of the inverse kinematics of a stance."""


class FourLegged(Legged):
    """The controller's model of a robot on four legs of three hinges.

    It is the robot's own MuJoCo model with the joints within soft feet held rigid. A foot is a point: the middle of a
    ball, or the hinge about which a soft foot tips freely, so that the ground's force goes through it.

    Args:
        robot: The robot with its feet on.
    """

    def __init__(self, robot: Robot):  # the base class' own start is for two feet
        names = [place.name for place in robot.places]
        if sorted(names) != sorted(PLACES):
            raise InvalidInput(f"robot {robot.name!r} has feet {', '.join(names) or 'none'}: a quadruped is needed")
        for place in robot.places:
            if len(place.joints) != 3:
                raise InvalidInput(f"leg {place.name!r} has {len(place.joints)} joints: walking needs legs of 3 hinges")
        self._build(robot, {place.site: 0.0 for place in robot.places})
        self._points(robot)

    def _points(self, robot: Robot) -> None:
        """Order of the legs, and the point of each foot in its link."""
        self.leg_of = [PLACES[sole.name] for sole in self.soles]
        self.order = [self.leg_of.index(leg) for leg in LEGS]
        """Number of the foot of each leg of `LEGS`."""
        self.soles = tuple(self.soles[i] for i in self.order)
        foot = next(p for p in robot.places if PLACES[p.name] == "LF").foot
        sole = sole_of(foot) if foot is not None else None
        if sole is None:
            raise InvalidInput(f"robot {robot.name!r} wears its own feet: mount softfoot_q or ball")
        self.sole: Sole | LearnedSole = sole
        """What the feet want of the ground."""
        self.ankle_height = float(sole.height)
        """End of the leg above the ground when its foot stands [m]."""
        self.point_height = self._pivot(robot, self.ankle_height)
        """Point of a foot above the ground when it stands [m]."""
        self.place(self.nominal)
        self.local = np.zeros((4, 3))
        """The points in the frames of the links that carry them."""
        for k, s in enumerate(self.soles):
            point = self.data.site_xpos[s.site] + [0.0, 0.0, self.point_height]
            turn = self.data.xmat[s.body].reshape(3, 3)
            self.local[k] = turn.T @ (point - self.data.xpos[s.body])
        self.bodies = np.array([s.body for s in self.soles])

    def _pivot(self, robot: Robot, otherwise: float) -> float:
        """Height of the hinge about which a soft foot tips, in the standing posture."""
        place = next(p for p in robot.places if PLACES[p.name] == "LF")
        arch = mujoco.mj_name2id(self.source, mujoco.mjtObj.mjOBJ_BODY, f"{place.prefix}front_arch")
        if arch < 0:
            return otherwise
        data = mujoco.MjData(self.source)
        data.qpos[:] = self.source.key(robot.keyframe).qpos
        mujoco.mj_kinematics(self.source, data)
        return float(data.xpos[arch, 2] - data.site_xpos[self.source.site(place.site).id, 2])

    def points(self, data: mujoco.MjData) -> np.ndarray:
        """The four points in the world (4, 3) [m]."""
        turns = data.xmat[self.bodies].reshape(4, 3, 3)
        return data.xpos[self.bodies] + np.einsum("kij,kj->ki", turns, self.local)

    def pose(self, base: np.ndarray, points: np.ndarray) -> np.ndarray:
        """Positions in which the base is at `base` (7,) and the feet's points are at `points` (4, 3).

        Raises:
            InvalidInput: If the legs do not reach.
        """
        qpos = self.nominal.copy()
        qpos[:7] = base
        jac = np.zeros((3, self.nv))
        worst = np.inf
        for _ in range(ROUNDS):
            self.place(qpos)
            now = self.points(self.data)
            worst = float(np.abs(points - now).max())
            if worst < 1e-6:
                return qpos
            for k, sole in enumerate(self.soles):
                mujoco.mj_jac(self.model, self.data, jac, None, now[k], sole.body)
                columns = self.v_joint[list(sole.joints)]
                step = np.linalg.lstsq(jac[:, columns], points[k] - now[k], rcond=1e-4)[0]
                qpos[self.q_joint[list(sole.joints)]] += np.clip(step, -0.3, 0.3)
        raise InvalidInput(f"the legs of {self.robot.name!r} miss the stance by {1e3 * worst:.0f} mm: stand lower")
