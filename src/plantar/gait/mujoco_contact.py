"""The rubber law in MuJoCo: a passive force on ball feet, with its derivatives."""

from __future__ import annotations

from collections.abc import Sequence

import mujoco
import numpy as np

from plantar._checks import require
from plantar.errors import InvalidInput
from plantar.gait import _compiled
from plantar.gait import _formulas as formulas
from plantar.gait.rubber import RubberContact


class RubberFeet:
    """Rubber feet of a model on the level ground at z = 0, in the plane of x and z.

    The feet's own collision geoms are switched off; the law's force and the torque of its lever arm, the ball's
    radius, go into `xfrc_applied` of the balls between the two halves of a MuJoCo step. The anchors of the tangential
    springs are this object's state.

    Args:
        model: A compiled model; contacts of the balls' geoms are switched off in it.
        balls: Names of the bodies whose origins are the balls' centres.
        law: The contact law in the model's units.
        radius: Radius of the balls.

    Raises:
        InvalidInput: If a body is not there.
    """

    def __init__(self, model: mujoco.MjModel, balls: Sequence[str], law: RubberContact, radius: float) -> None:
        require(radius > 0, "radius", radius, "a number above 0 [m]")
        known = [model.body(i).name for i in range(model.nbody)]
        for name in balls:
            if name not in known:
                raise InvalidInput(f"body {name!r} is not in the model: its bodies are {', '.join(known)}")
        self.model, self.law, self.radius = model, law, radius
        self.balls = np.array([model.body(name).id for name in balls])
        self.deflection = np.zeros(len(balls))
        for geom in range(model.ngeom):
            if model.geom_bodyid[geom] in self.balls:
                model.geom_contype[geom] = model.geom_conaffinity[geom] = 0
        self._jac = np.empty((3, model.nv)), np.empty((3, model.nv))

    def jacobian(self, data: mujoco.MjData) -> np.ndarray:
        """Slip and lift velocity of each ball's lowest point by joint velocities (balls, 2, nv)."""
        rows = np.empty((len(self.balls), 2, self.model.nv))
        for i, body in enumerate(self.balls):
            mujoco.mj_jacBody(self.model, data, *self._jac, body)
            rows[i, 0] = self._jac[0][0] - self.radius * self._jac[1][1]
            rows[i, 1] = self._jac[0][2]
        return rows

    def contact(self, data: mujoco.MjData) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Depth, sinking speed and slip of each ball; positions and velocities must be up to date."""
        speed = np.empty((len(self.balls), 6))
        for i, body in enumerate(self.balls):
            mujoco.mj_objectVelocity(self.model, data, mujoco.mjtObj.mjOBJ_XBODY, body, speed[i], 0)
        depth = self.radius - data.xpos[self.balls, 2]
        return depth, -speed[:, 5], speed[:, 3] - self.radius * speed[:, 1]

    def forces(self, data: mujoco.MjData) -> np.ndarray:
        """Ground force on each ball: along, across."""
        depth, sink, slip = self.contact(data)
        along = self.law.tangential_force(depth, sink, slip, self.deflection)
        return np.stack([along, self.law.force(depth, sink)], axis=1)

    def apply(self, data: mujoco.MjData) -> np.ndarray:
        """Put the present forces into `xfrc_applied` and move the anchors on by one time step; return the forces."""
        depth, sink, slip = self.contact(data)
        along = self.law.tangential_force(depth, sink, slip, self.deflection)
        across = self.law.force(depth, sink)
        arm = data.xpos[self.balls] - data.xipos[self.balls]
        wrench = data.xfrc_applied
        wrench[self.balls, 0], wrench[self.balls, 2] = along, across
        # at the ball's lowest point, brought to the body's centre of mass
        wrench[self.balls, 4] = (arm[:, 2] - self.radius) * along - arm[:, 0] * across
        self._advance(depth, sink, slip)
        return np.stack([along, across], axis=1)

    def _advance(self, depth: np.ndarray, sink: np.ndarray, slip: np.ndarray) -> None:
        """Exact for a release rate that is constant over the step."""
        rate = formulas.release(self.law, depth, sink, slip, self.deflection, np)
        step = self.model.opt.timestep
        decay = np.exp(-rate * step)
        slow = rate * step <= 1e-9
        self.deflection[:] = self.deflection * decay + slip * np.where(
            slow, step, (1 - decay) / np.where(slow, 1, rate)
        )

    def run(self, data: mujoco.MjData, controls: np.ndarray, *, compiled: bool | None = None) -> float:
        """Step once for each row of `controls`; return the largest force across.

        Args:
            data: State, moved on in place.
            controls: Values of `ctrl`, one row per step.
            compiled: Whether the loop runs compiled by Numba, without Python between steps; None where it can.
        """
        if len(controls) and (_compiled.available() if compiled is None else compiled):
            return _compiled.run(self, data, controls)
        peak = 0.0
        for control in controls:
            mujoco.mj_step1(self.model, data)
            peak = max(peak, float(self.apply(data)[:, 1].max()))
            data.ctrl[:] = control
            mujoco.mj_step2(self.model, data)
        return peak

    def derivatives(self, data: mujoco.MjData) -> tuple[np.ndarray, np.ndarray]:
        """Joint forces of the feet by joint positions and by velocities (nv, nv), anchors held.

        What the Jacobian itself changes by with the posture is left out, as in MuJoCo's own derivatives of passive
        forces; it is small where joint angles change little while a foot is down.
        """
        j = self.jacobian(data)
        depth, sink, slip = self.contact(data)
        slopes = self.law.tangential_slopes(depth, sink, slip, self.deflection)
        by_q, by_v = np.zeros((self.model.nv,) * 2), np.zeros((self.model.nv,) * 2)
        for i in range(len(self.balls)):
            along, up = j[i]
            stiff, damp = self.law.stiffness_at(depth[i], sink[i]), self.law.damping_at(depth[i], sink[i])
            by_q += np.outer(up, -stiff * up) + np.outer(along, -slopes.depth[i] * up)
            by_v += np.outer(up, -damp * up) + np.outer(along, slopes.slip[i] * along - slopes.speed[i] * up)
        return by_q, by_v
