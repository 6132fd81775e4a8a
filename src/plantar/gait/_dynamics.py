"""Explicit accelerations of a legged robot in NumPy, for checking and integrating what the optimiser found."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from plantar.gait._casadi import casadi
from plantar.gait._mechanics import mechanics
from plantar.gait.cost import drawn
from plantar.gait.legged import LeggedRobot


@functools.lru_cache(maxsize=16)
def _terms(robot: LeggedRobot) -> Any:
    ca, m = casadi(), mechanics(robot)
    outputs = [m.mass, m.bias, m.jacobian, m.drift, m.place, m.soft, m.soft_rate, m.joint]
    return ca.Function("terms", [m.q, m.v, m.deflection], [ca.densify(o) for o in outputs])


class Dynamics:
    """Accelerations of many states at once.

    Args:
        robot: The robot.
    """

    def __init__(self, robot: LeggedRobot) -> None:
        self.robot = robot
        self.bodies, self.size = 3 + 2 * robot.legs, 3 + 4 * robot.legs
        motors = [m for _ in range(robot.legs) for m in (robot.hip_motor, robot.leg_motor)]
        self.inertia = np.array([m.inertia for m in motors])
        self.loss_factor = np.array([m.loss_factor for m in motors])
        self._terms = _terms(robot)

    def terms(self, q: np.ndarray, v: np.ndarray, deflection: np.ndarray | None = None) -> dict[str, np.ndarray]:
        """Mass matrix, bias, foot Jacobian and so on; states are rows."""
        count = len(q)
        slack = np.zeros((count, self.robot.legs)) if deflection is None else deflection
        raw = [np.asarray(o) for o in self._terms(q.T, v.T, slack.T)]
        names = ("mass", "bias", "jacobian", "drift", "place", "soft", "soft_rate", "joint")
        shapes = {"mass": (self.bodies, self.bodies), "jacobian": (2 * self.robot.legs, self.bodies)}
        found = {}
        for name, value in zip(names, raw, strict=True):
            if name in shapes:
                rows, columns = shapes[name]
                found[name] = value.reshape(rows, count, columns).transpose(1, 0, 2)
            else:
                found[name] = value.T
        return found

    def soft(self, q: np.ndarray, v: np.ndarray, deflection: np.ndarray, torque: np.ndarray) -> tuple:
        """Accelerations, deflection rates and ground forces with rubber feet."""
        t = self.terms(q, v, deflection)
        push = np.einsum("nfb,nf->nb", t["jacobian"], t["soft"])
        body = np.linalg.solve(t["mass"], (push - t["bias"])[..., None])[..., 0]
        return np.hstack([body, (torque - t["joint"]) / self.inertia]), t["soft_rate"], t["soft"]

    def rigid(self, q: np.ndarray, v: np.ndarray, torque: np.ndarray, stance: tuple[int, ...]) -> tuple:
        """Accelerations and ground forces with the feet `stance` fixed to the ground."""
        t = self.terms(q, v)
        rows = [2 * foot + k for foot in stance for k in (0, 1)]
        j, n = t["jacobian"][:, rows], self.bodies
        system = np.zeros((len(q), n + len(rows), n + len(rows)))
        system[:, :n, :n], system[:, :n, n:], system[:, n:, :n] = t["mass"], -j.transpose(0, 2, 1), j
        right = np.concatenate([-t["bias"], -t["drift"][:, rows]], axis=1)
        found = np.linalg.solve(system, right[..., None])[..., 0]
        force = np.zeros((len(q), 2 * self.robot.legs))
        force[:, rows] = found[:, n:]
        return np.hstack([found[:, :n], (torque - t["joint"]) / self.inertia]), force

    def impact(self, q: np.ndarray, v: np.ndarray, stance: tuple[int, ...]) -> np.ndarray:
        """Velocities after the feet `stance` have come down and stay, one state."""
        t = self.terms(q[None], v[None])
        rows = [2 * foot + k for foot in stance for k in (0, 1)]
        mass, j = t["mass"][0], t["jacobian"][0][rows]
        across = np.linalg.solve(mass, j.T)
        after = v.copy()
        after[: self.bodies] -= across @ np.linalg.solve(j @ across, j @ v[: self.bodies])
        return after

    def drawn(self, cost: str, torque: np.ndarray, speed: np.ndarray) -> np.ndarray:
        """Power that counts, of many states at once."""
        return drawn(cost, torque, speed, self.loss_factor)
