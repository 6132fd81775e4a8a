"""The joint motion that goes with a plan: what stiff joints are held to."""

from __future__ import annotations

import numpy as np

from plantar.walk.control.stepper import Stepper
from plantar.walk.robot.legged import Legged
from plantar.walk.robot.posture import Kinematics, Stance


class PlannedMotion:
    """Joint angles of the walk as planned on level ground, by inverse kinematics.

    Soles are level and all on one plane, whatever the feet have met; only their places along the ground are those
    where the feet really are, so that the legs do not pull against each other.

    Args:
        legged: The robot.
        stance: How it stands.
        dt: Time of a control step [s].
    """

    FOLLOW = 0.08
    """Time in which the plan follows feet that came down elsewhere [s]."""

    def __init__(self, legged: Legged, stance: Stance, dt: float):
        self.legged, self.stance, self.dt = legged, stance, dt
        self.kinematics = Kinematics(legged)
        self.posture = stance.qpos[legged.q_joint].copy()
        self.qpos = stance.qpos.copy()
        self.soles = np.zeros((len(legged.soles), 4))
        self.velocity = np.zeros(len(legged.joints))

    def reset(self, qpos: np.ndarray, stepper: Stepper, com: np.ndarray, heading: float) -> None:
        """Begin from the position that the robot is in."""
        self.qpos = qpos.copy()
        for i, hold in enumerate(stepper.holds):
            self.soles[i] = (*hold.xy, 0.0, hold.yaw)
        for _ in range(10):
            self._solve(com, heading)
        self.velocity[:] = 0.0

    def advance(self, stepper: Stepper, com: np.ndarray, heading: float) -> tuple[np.ndarray, np.ndarray]:
        """Angles and velocities of all joints for the plan as it is now."""
        follow = min(1.0, self.dt / self.FOLLOW)
        for i, hold in enumerate(stepper.holds):
            if stepper.swing is not None and stepper.swinging == i:
                x, y, z, yaw = stepper.swing.value
                ground = stepper.holds[1 - i].position[2]
                self.soles[i] = (x, y, max(z - ground, 0.0), yaw)
            else:
                self.soles[i, :2] += follow * (hold.xy - self.soles[i, :2])
                self.soles[i, 2] += follow * (0.0 - self.soles[i, 2])
                self.soles[i, 3] = hold.yaw
        before = self.qpos[self.legged.q_joint].copy()
        self._solve(com, heading)
        angles = self.qpos[self.legged.q_joint]
        self.velocity += 0.3 * ((angles - before) / self.dt - self.velocity)
        return angles, self.velocity

    def _solve(self, com: np.ndarray, heading: float) -> None:
        target = np.array([com[0], com[1], self.stance.com_height])
        attitude = _turned(self.stance.attitude, heading)
        self.kinematics.step(self.qpos, self.soles, target, attitude, self.posture)


def _turned(quat: np.ndarray, heading: float) -> np.ndarray:
    """An attitude turned about the world's z."""
    c, s = np.cos(heading / 2), np.sin(heading / 2)
    w, x, y, z = quat
    return np.array([c * w - s * z, c * x - s * y, c * y + s * x, c * z + s * w])
