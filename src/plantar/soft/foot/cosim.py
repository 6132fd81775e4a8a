"""Two-way co-simulation: a foot by finite elements, its robot by MuJoCo."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import mujoco
import numpy as np

from plantar._checks import require
from plantar.errors import Diverged, InvalidInput
from plantar.soft.foot.coupling import ankle_stiffness, lightness, momentum, restore, save, twist
from plantar.soft.foot.press import fe_body
from plantar.soft.foot.shape import SolidShape, solid_shape
from plantar.soft.foot.spec import mount_points
from plantar.soft.mesh.mesh import Floats
from plantar.soft.scene.contact import Contact
from plantar.soft.scene.obstacle import Obstacle, Plane
from plantar.soft.scene.scene import Scene

if TYPE_CHECKING:
    from plantar.soft.foot.solid import SolidFoot

TOLERANCE, GIVEN_UP = 1e-6, 1e-2
"""Difference between the force given to the robot and the one the foot answers with, as a fraction of the larger or of
the foot's weight: at which a step is done, and above which it has failed."""


class CoSimulation:
    """A robot in MuJoCo whose foot is a finite-element body.

    Each step MuJoCo moves the ankle under the foot's reaction, the ankle's motion moves the foot's mount, and the foot
    is stepped with its contact. The reaction is what the balance of momentum of the whole foot leaves over: rubber,
    mount plate (`SolidFoot.mount_mass`) and nodes fixed to it, weight, ground. It depends on the ankle's motion in the
    same step, so both are solved for together, by Broyden's method on the six numbers of the reaction: the coupling is
    implicit, and a robot may be arbitrarily light compared with its foot. The robot's model holds no foot: its mass and
    contact are the finite elements'.

    Args:
        model: The robot; any integrator but RK4.
        data: Its state; a foot of a robot that moves starts with its velocity.
        body: Name of the body that carries the ankle; the ankle's frame is the body's.
        foot: The foot.
        ground: What it may touch; the floor at height 0 if not given.
        substeps: Steps of MuJoCo for each step of the foot.
        rounds: Largest number of repetitions of each step until robot and foot agree on the reaction.

    Attributes:
        wrench: Force and torque of the foot on the robot in the last step, about the ankle, in the world [N, N m].
        rows: One row per step: time, force and height of the ankle, energy of both together, rounds, the remainder of
            the difference, and whether the foot's contacts converged, with their residual.
    """

    def __init__(
        self,
        model: mujoco.MjModel,
        data: mujoco.MjData,
        body: str,
        foot: SolidFoot,
        *,
        ground: Obstacle | None = None,
        substeps: int = 1,
        rounds: int = 25,
    ):
        require(substeps >= 1, "substeps", substeps, "1 or more")
        require(rounds >= 2, "rounds", rounds, "2 or more")
        rk4 = model.opt.integrator == mujoco.mjtIntegrator.mjINT_RK4
        require(not rk4, "the robot's integrator", "RK4", "one that moves by its new velocity: Euler or implicit")
        self.model, self.data, self.substeps, self.rounds = model, data, substeps, rounds
        self.body = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_BODY, body)
        if self.body < 0:
            names = ", ".join(model.body(i).name for i in range(1, model.nbody))
            raise InvalidInput(f"unknown body {body!r}: the robot has {names}")
        mujoco.mj_forward(model, data)
        self.h = model.opt.timestep * substeps
        self.shape: SolidShape = solid_shape(foot)
        self.scene = self._scene(foot, Plane() if ground is None else ground)
        self.plate, plate_masses = mount_points(foot, self.shape)
        self.masses = np.concatenate([self.scene.system.mass, plate_masses])
        self.mass = float(self.masses.sum() + mujoco.mj_getTotalmass(model))
        self.wrench = np.zeros(6)
        self.rows: list[dict[str, float]] = []
        self._slope, self._touching = np.eye(6), None
        self._stiffness = ankle_stiffness(foot)
        self._lag = self.h * (self.h + foot.loss_time)
        self._pose = self._ankle()
        self._start_moving()

    def step(self) -> dict[str, float]:
        """Advance robot and foot by one step of the foot; return the recorded row.

        Raises:
            Diverged: If either blows up, or they do not agree on the force between them.
        """
        start = (save(self.model, self.data), self.scene.state, self._pose, self._places(), self._velocities())
        trial, light = self.wrench, lightness(self.model, self.data, self.body)
        difference, touching = self._try(trial, start), bool(self.scene.touches)
        slope = self._slope if self._touching == touching else self._rigid_slope(touching, light)
        count = 1
        while self._share(difference, trial) > TOLERANCE and count < self.rounds:
            change = np.linalg.solve(slope, difference)
            trial, before, touched = trial + change, difference, touching
            difference, touching = self._try(trial, start), bool(self.scene.touches)
            count += 1
            if touching != touched:
                slope = self._rigid_slope(touching, light)
            else:
                # Broyden: the slope that explains what this change did
                slope = slope + np.outer(before - difference - slope @ change, change) / (change @ change)
        share = self._share(difference, trial)
        if not share <= GIVEN_UP:
            raise Diverged(
                f"robot and foot do not agree on the force between them after {self.rounds} rounds "
                f"({100 * share:.2g} % apart): use smaller steps",
                time=float(self.data.time),
                body="ankle",
            )
        self.wrench, self._slope, self._touching = trial, slope, touching
        return self._note(count, share)

    def energy(self) -> float:
        """Kinetic, elastic and gravitational energy of robot and foot together [J]."""
        mujoco.mj_fwdPosition(self.model, self.data)
        mujoco.mj_energyPos(self.model, self.data)
        mujoco.mj_energyVel(self.model, self.data)
        plate = len(self.plate)
        v, x, m = self._velocities()[-plate:], self._places()[-plate:], self.masses[-plate:]
        moving = 0.5 * float(m @ (v**2).sum(axis=1)) - float(m @ (x @ self.scene.gravity))
        return float(self.data.energy.sum()) + sum(self.scene.energy().values()) + moving

    def momentum(self) -> Floats:
        """Linear momentum and angular momentum about the origin of robot and foot together (6,) [kg m/s, kg m^2/s]."""
        p, x = self.masses[:, None] * self._velocities(), self._places()
        return momentum(self.model, self.data) + np.concatenate([p.sum(axis=0), np.cross(x, p).sum(axis=0)])

    def centre(self) -> Floats:
        """Centre of mass of robot and foot together (3,) [m]."""
        robot = self.model.body_subtreemass[0]
        return (robot * self.data.subtree_com[0] + self.masses @ self._places()) / self.mass

    def _scene(self, foot: SolidFoot, floor: Obstacle) -> Scene:
        """The foot where the ankle is; finite elements turn with it, so it is built where it starts."""
        place, turn = self._ankle()
        body = replace(fe_body(foot, self.shape), mesh=self.shape.mesh.moved(rotation=turn, translation=place))
        contact = Contact(
            name="ground", body="foot", points="sole", against=floor, friction=foot.friction, margin=0.004
        )
        scene = Scene([body], contacts=[contact], dt=self.h, gravity=self.model.opt.gravity.tolist())
        scene.contact_tolerance, scene.contact_rounds = 1e-8, 500
        return scene

    def _start_moving(self) -> None:
        """Give the foot the velocity of its ankle."""
        both = np.zeros(6)
        mujoco.mj_objectVelocity(self.model, self.data, mujoco.mjtObj.mjOBJ_BODY, self.body, both, 0)
        # MuJoCo gives the velocity of the body's frame, turning first
        spin, speed = both[:3], both[3:]
        at = self._pose[0]
        state = self.scene.state
        self.scene.restore(replace(state, v=speed + np.cross(spin, state.x - at)))
        self._plate_velocity = speed + np.cross(spin, self._places()[-len(self.plate) :] - at)

    def _ankle(self) -> tuple[Floats, Floats]:
        return self.data.xpos[self.body].copy(), self.data.xmat[self.body].reshape(3, 3).copy()

    def _places(self) -> Floats:
        """Nodes of the foot, then points of its mount plate (n, 3) [m]."""
        place, turn = self._pose
        return np.concatenate([self.scene.state.x, self.plate @ turn.T + place])

    def _velocities(self) -> Floats:
        return np.concatenate([self.scene.state.v, self._plate_velocity])

    def _try(self, wrench: Floats, start: tuple) -> Floats:
        """Step both from `start` with this wrench on the robot: the foot's reaction minus the wrench."""
        robot, foot, pose, places, velocities = start
        restore(self.model, self.data, robot)
        self.scene.restore(foot)
        self._pose = pose
        self._step_robot(wrench)
        place, turn = self._pose
        mount = self.shape.mount
        self.scene.move("foot", self.shape.mesh.nodes[mount] @ turn.T + place - foot.x[mount])
        self._foot_step = self.scene.step()
        self._plate_velocity = (self._places() - places)[-len(self.plate) :] / self.h
        return self._reaction(pose[0], places, velocities) - wrench

    def _reaction(self, about: Floats, places: Floats, velocities: Floats) -> Floats:
        """Force and torque of the foot on the ankle (6,): weight and ground, less the change of the foot's momentum."""
        m, h, gravity = self.masses[:, None], self.h, self.scene.gravity
        touches = self.scene.touches
        ground = np.array([touch.force for touch in touches]).reshape(-1, 3)
        arms = np.array([touch.position for touch in touches]).reshape(-1, 3)
        x, v = self._places(), self._velocities()
        # momenta at both ends of the step, weights, forces of the ground: where they act, and how they count
        where = np.concatenate([x, places, x, arms]) - about
        what = np.concatenate([-m * v / h, m * velocities / h, m * gravity, ground])
        return np.concatenate([what.sum(axis=0), np.cross(where, what).sum(axis=0)])

    def _rigid_slope(self, touching: bool, light: Floats) -> Floats:
        """How the difference falls with the wrench (6, 6): as for a foot that moves in one piece with the ankle.

        Where it touches, the rubber between ankle and a sole that is held all over comes on top: no contact is stiffer,
        so that the next trial does not take off from the ground again.
        """
        wide = twist(self._places() - self._pose[0])
        inertia = np.einsum("n,nki,nkj->ij", self.masses, wide, wide)
        if touching:
            turn = np.kron(np.eye(2), self._pose[1])
            inertia = inertia + self._lag * turn @ self._stiffness @ turn.T
        return np.eye(6) + inertia @ light

    def _share(self, difference: Floats, wrench: Floats) -> float:
        """Size of a difference of wrenches as a fraction of the wrench or of the foot's weight; torques per 0.1 m."""
        size = np.array([1, 1, 1, 10, 10, 10])
        weight = float(self.masses.sum()) * 9.81
        return float(np.abs(size * difference).max() / max(np.abs(size * wrench).max(), weight))

    def _step_robot(self, wrench: Floats) -> None:
        model, data = self.model, self.data
        arm = data.xpos[self.body] - data.xipos[self.body]
        # MuJoCo applies it at the body's centre of mass
        about_centre = np.concatenate([wrench[:3], wrench[3:] + np.cross(arm, wrench[:3])])
        others = data.xfrc_applied[self.body].copy()
        data.xfrc_applied[self.body] += about_centre
        for _ in range(self.substeps):
            mujoco.mj_step(model, data)
        data.xfrc_applied[self.body] = others
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        if not np.isfinite(data.qpos).all() or any(w.number for w in data.warning):
            raise Diverged("the robot blew up: use smaller steps", time=float(data.time), body="ankle")
        self._pose = self._ankle()

    def _note(self, rounds: int, share: float) -> dict[str, float]:
        row = {
            "time": float(self.data.time),
            "force_z": float(self.wrench[2]),
            "ankle_z": float(self._pose[0][2]),
            "energy": self.energy(),
            "rounds": rounds,
            "difference": share,
            "converged": self._foot_step.converged,
            "residual": self._foot_step.residual,
        }
        self.rows.append(row)
        return row
