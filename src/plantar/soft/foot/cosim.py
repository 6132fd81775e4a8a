"""Two-way co-simulation: a foot by finite elements, the robot it hangs on by MuJoCo."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import mujoco
import numpy as np

from plantar._checks import require
from plantar.errors import Diverged, InvalidInput
from plantar.soft.foot.press import fe_body
from plantar.soft.foot.shape import SolidShape, solid_shape
from plantar.soft.mesh.mesh import Floats
from plantar.soft.scene.contact import Contact
from plantar.soft.scene.obstacle import Obstacle, Plane
from plantar.soft.scene.scene import Scene
from plantar.soft.solve.state import State

if TYPE_CHECKING:
    from plantar.soft.foot.solid import SolidFoot


@dataclass
class EnergyBooks:
    """What went through the ankle, as each side counts it [J].

    MuJoCo's side counts the wrench it was given times the way its ankle went; the foot's side counts the mean reaction
    of its mount over the step times the way that mount was moved. Both are the same work; their difference is energy
    that the coupling made (positive) or lost.
    """

    to_robot: float = 0.0
    """Work that the foot did on the robot, as the robot felt it."""
    from_foot: float = 0.0
    """The same work as the foot gave it."""
    passed: float = 0.0
    """Sum of the absolute work of all steps: the scale of both."""
    rows: list[dict[str, float]] = field(default_factory=list)
    """One row a step: time, both sums, the foot's elastic and kinetic energy, the vertical force."""

    @property
    def made(self) -> float:
        """Energy that the coupling made, as a share of all that passed."""
        return (self.to_robot - self.from_foot) / self.passed if self.passed else 0.0


class CoSimulation:
    """A robot in MuJoCo whose foot is a finite-element body.

    Each step MuJoCo moves the ankle under the foot's reaction, the ankle's motion moves the foot's mount, the foot is
    stepped with its contact, and all is repeated with the new reaction. The robot's model holds no foot: its mass and
    contact are the finite elements'.

    Args:
        model: The robot.
        data: Its state.
        body: Name of the body that carries the ankle; the ankle's frame is the body's.
        foot: The foot.
        ground: What it may touch; the floor at height 0 if not given.
        substeps: Steps of MuJoCo for each step of the foot.
        iterations: How often each step is repeated with the reaction found: 1 is loose coupling, whose energy error
            shrinks with the step; with 3 both sides count nearly the same work.
        relax: Share of the new reaction that is taken; less than 1 calms a light robot on a stiff foot.
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
        iterations: int = 3,
        relax: float = 1.0,
    ):
        require(substeps >= 1, "substeps", substeps, "1 or more")
        require(0 < relax <= 1, "relax", relax, "more than 0, at most 1")
        require(iterations >= 1, "iterations", iterations, "1 or more")
        self.model, self.data, self.substeps, self.relax = model, data, substeps, relax
        self.iterations = iterations
        self.body = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_BODY, body)
        if self.body < 0:
            names = ", ".join(model.body(i).name for i in range(1, model.nbody))
            raise InvalidInput(f"unknown body {body!r}: the robot has {names}")
        mujoco.mj_forward(model, data)
        self.shape: SolidShape = solid_shape(foot)
        floor = Plane() if ground is None else ground
        self.scene = self._scene(foot, floor)
        self.mount = self.shape.mount
        self.wrench = np.zeros(6)
        self.books = EnergyBooks()
        self._pose = self._ankle()

    def _scene(self, foot: SolidFoot, floor: Obstacle) -> Scene:
        """The foot where the ankle is; finite elements turn with it, so it is built where it starts."""
        body = fe_body(foot, self.shape)
        place, turn = self._ankle()
        mesh = self.shape.mesh.moved(rotation=turn, translation=place)
        object.__setattr__(body, "mesh", mesh)
        contact = Contact(
            name="ground", body="foot", points="sole", against=floor, friction=foot.friction, margin=0.004
        )
        h = self.model.opt.timestep * self.substeps
        scene = Scene([body], contacts=[contact], dt=h, gravity=self.model.opt.gravity.tolist())
        scene.contact_tolerance, scene.contact_rounds = 1e-8, 500
        return scene

    def _ankle(self) -> tuple[Floats, Floats]:
        return self.data.xpos[self.body].copy(), self.data.xmat[self.body].reshape(3, 3).copy()

    def step(self) -> dict[str, float]:
        """Advance robot and foot by one step of the foot; returns the row that was noted."""
        before, start = self._pose, self.wrench.copy()
        robot, foot = self._save(), self.scene.state
        given = reaction = start
        for round_ in range(self.iterations):
            if round_:
                self._restore(robot, foot)
            # work counts with the mean of the forces at both ends of the step
            given = 0.5 * (start + self.wrench) if round_ else start
            self._step_robot(given)
            self._move_mount()
            self.scene.step()
            reaction = self._reaction()
            self.wrench = (1 - self.relax) * self.wrench + self.relax * reaction
        return self._note(given, 0.5 * (start + reaction), before)

    def _step_robot(self, wrench: Floats) -> None:
        model, data = self.model, self.data
        for _ in range(self.substeps):
            data.xfrc_applied[self.body] = self._at_centre_of_mass(wrench)
            mujoco.mj_step(model, data)
        mujoco.mj_kinematics(model, data)
        if not np.isfinite(data.qpos).all() or any(w.number for w in data.warning):
            raise Diverged("the robot blew up: take smaller steps or relax < 1", time=float(data.time), body="ankle")
        self._pose = self._ankle()

    def _save(self) -> Floats:
        state = np.zeros(mujoco.mj_stateSize(self.model, mujoco.mjtState.mjSTATE_INTEGRATION))
        mujoco.mj_getState(self.model, self.data, state, mujoco.mjtState.mjSTATE_INTEGRATION)
        return state

    def _restore(self, robot: Floats, foot: State) -> None:
        mujoco.mj_setState(self.model, self.data, robot, mujoco.mjtState.mjSTATE_INTEGRATION)
        mujoco.mj_kinematics(self.model, self.data)
        mujoco.mj_comPos(self.model, self.data)
        self.scene.restore(foot)

    def _move_mount(self) -> None:
        place, turn = self._pose
        rest = self.shape.mesh.nodes[self.mount]
        now = rest @ turn.T + place
        self.scene.move("foot", now - self.scene.positions("foot")[self.mount])

    def _reaction(self) -> Floats:
        """Force and torque of the foot on the ankle, about the ankle, in the world (6,).

        The mount's nodes are held: what is left over on them of all forces, inertia included, is what holds them.
        """
        scene = self.scene
        f = np.zeros((scene.system.size, 3))
        K = scene.system.K.copy()
        scene.system.assemble(scene.state.x, scene.state.quat, f)
        F = f[self.mount] + scene.system.mass[self.mount, None] * scene.gravity
        F = F - self._damping()[self.mount]
        scene.system.K[:] = K
        arms = scene.state.x[self.mount] - self._pose[0]
        return np.concatenate([F.sum(axis=0), np.cross(arms, F).sum(axis=0)])

    def _damping(self) -> Floats:
        """Forces of the rubber's damping, beta K v."""
        scene = self.scene
        out = np.zeros((scene.system.size, 3))
        scene.system.multiply(scene.state.v, scene.system.beta, out)
        return out

    def _at_centre_of_mass(self, wrench: Floats) -> Floats:
        """The wrench about the body's centre of mass, where MuJoCo applies it."""
        arm = self.data.xpos[self.body] - self.data.xipos[self.body]
        force, torque = wrench[:3], wrench[3:]
        return np.concatenate([force, torque + np.cross(arm, force)])

    def _note(self, given: Floats, middle: Floats, before: tuple[Floats, Floats]) -> dict[str, float]:
        way = self._pose[0] - before[0]
        turn = _small_rotation(self._pose[1] @ before[1].T)
        way6 = np.concatenate([way, turn])
        books = self.books
        books.to_robot += float(given @ way6)
        books.from_foot += float(middle @ way6)
        books.passed += abs(float(middle @ way6))
        energy = self.scene.energy()
        row = {
            "time": float(self.data.time),
            "force_z": float(self.wrench[2]),
            "to_robot": books.to_robot,
            "from_foot": books.from_foot,
            "elastic": energy["elastic"],
            "kinetic": energy["kinetic"],
            "ankle_z": float(self._pose[0][2]),
        }
        books.rows.append(row)
        return row

    def summary(self) -> dict[str, Any]:
        """The energy check in a few numbers."""
        b = self.books
        return {"steps": len(b.rows), "to_robot_J": b.to_robot, "from_foot_J": b.from_foot, "made_share": b.made}


def _small_rotation(R: Floats) -> Floats:
    """Rotation vector of a rotation by a small angle."""
    return 0.5 * np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
