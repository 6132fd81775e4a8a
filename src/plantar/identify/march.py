"""A robot that steps over yielding ground, held upright: what the ground does under real feet."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import mujoco
import numpy as np

from plantar._checks import require, require_positive
from plantar._config import Checked
from plantar.errors import Diverged, InvalidInput
from plantar.ground.soil.tracks import Tracks
from plantar.ground.soil.yielding import YieldingGround
from plantar.identify.sources import load_spec
from plantar.identify.stage import AnyRobot
from plantar.model.feet import find_feet
from plantar.table import Table


@dataclass(frozen=True, kw_only=True)
class March(Checked):
    """Steps of a robot whose base is guided: upright and along x, but free up and down.

    It is no gait: a gantry keeps the robot from falling, its legs lift and press by turns. What is tested is the
    ground under its feet.
    """

    steps: int = 6
    """Number of steps."""
    period: float = 0.6
    """Time of one step [s]."""
    lift: float = 0.8
    """How far hip and ankle bend to lift a foot [rad]; the knee bends twice as far."""
    stride: float = 0.03
    """Way of the base a step [m]."""
    timestep: float = 1e-3
    """Time step [s]."""

    def __post_init__(self) -> None:
        """Check every field; the first bad one is named."""
        require(self.steps >= 1, "steps", self.steps, "a whole number from 1")
        require_positive(self, "", ("period", "lift", "timestep"))
        require(math.isfinite(self.stride) and self.stride >= 0, "stride", self.stride, "a length of 0 or above [m]")


@dataclass(frozen=True, kw_only=True, eq=False)
class MarchResult:
    """What a march left behind."""

    rows: Table
    """Every tenth time step: time, height of the base, force and lowest point of each foot, work, stored, lost."""
    tracks: Tracks
    """The ground with its footprints."""
    data: mujoco.MjData
    """The robot at the end."""


def march(
    robot: AnyRobot, ground: YieldingGround, plan: March | None = None, feet: Sequence[str] | None = None
) -> MarchResult:
    """Let a robot step over yielding ground.

    Args:
        robot: Built-in name, path, or spec; two legs with joints named like hip pitch, knee and ankle pitch.
        ground: The ground.
        plan: How it steps.
        feet: Its feet; None finds them by name.

    Raises:
        InvalidInput: If the robot has no free base or no such joints.
        Diverged: If the motion does not stay finite.
    """
    plan = plan or March()
    if isinstance(robot, mujoco.MjModel):
        raise InvalidInput("a march needs a robot's name, file or MjSpec, not a compiled model")
    spec = load_spec(robot)
    ground.add(spec)
    spec.option.timestep, spec.option.integrator = plan.timestep, mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    model = _with_servos(spec)
    tracks = ground.attach(model, feet)
    gantry = _Gantry(model, plan, find_feet(model, feet, "robot"))
    data = gantry.start()
    rows = []
    for i in range(round((plan.steps + 1) * plan.period / plan.timestep)):
        mujoco.mj_step1(model, data)
        gantry.drive(data)
        tracks.apply(data)
        mujoco.mj_step2(model, data)
        if i % 10 == 0:
            if not np.isfinite(data.qpos).all():
                raise Diverged("the march does not stay finite: give a shorter time step", time=data.time, body="base")
            rows.append(_row(data, tracks, gantry))
    return MarchResult(rows=Table(rows), tracks=tracks, data=data)


class _Gantry:
    """Guides the base, and moves the legs by turns."""

    def __init__(self, model: mujoco.MjModel, plan: March, feet: Sequence[int]):
        self.model, self.plan, self.feet = model, plan, feet
        if model.jnt_type[0] != mujoco.mjtJoint.mjJNT_FREE or len(feet) != 2:
            raise InvalidInput("a march needs a robot with a free base and two feet")
        self.legs = [self._pitches(foot) for foot in feet]
        self.posture = model.qpos0.copy()

    def _pitches(self, foot: int) -> list[int]:
        """The last three joints above a foot that turn about y: hip, knee, ankle."""
        chain, body = [], foot
        while body > 0:
            first = int(self.model.body_jntadr[body])
            for j in range(first, first + int(self.model.body_jntnum[body])):
                if self.model.jnt_type[j] == mujoco.mjtJoint.mjJNT_HINGE and abs(self.model.jnt_axis[j][1]) > 0.9:
                    chain.append(j)
            body = int(self.model.body_parentid[body])
        if len(chain) < 3:
            raise InvalidInput(f"leg of {self.model.body(foot).name!r} lacks hip, knee and ankle that turn about y")
        return [chain[2], chain[1], chain[0]]

    def start(self) -> mujoco.MjData:
        """The robot with its soles just above the ground."""
        data = mujoco.MjData(self.model)
        mujoco.mj_forward(self.model, data)
        geoms = [g for g in range(self.model.ngeom) if self.model.geom_bodyid[g] in self.feet]
        data.qpos[2] -= min(_lowest(self.model, data, g) for g in geoms) - 1e-4
        self.posture = data.qpos.copy()
        mujoco.mj_forward(self.model, data)
        hip, ankle = (data.xanchor[self.legs[0][i]] for i in (0, 2))
        self.length = float(np.linalg.norm(hip - ankle))
        names = {j: f"march_{self.model.joint(j).name}" for leg in self.legs for j in leg}
        self.servo = {j: self.model.equality(name).id for j, name in names.items()}
        full = np.zeros((self.model.nv, self.model.nv))
        mujoco.mj_fullM(self.model, data, full)
        self.inertia = full
        return data

    def places(self, time: float) -> tuple[float, list[float], list[float]]:
        """Way of the base, places of the feet along it [m], and how far each is lifted, 0 to 1."""
        stride, at = self.plan.stride, time / self.plan.period - 1
        done = min(max(0.0, at), float(self.plan.steps))
        feet, lifted = [0.0, 0.0], [0.0, 0.0]
        for step in range(math.ceil(done)):
            leg, phase = step % 2, min(1.0, done - step)
            smooth = phase - math.sin(2 * math.pi * phase) / (2 * math.pi)
            feet[leg] += smooth * ((step + 1.5) * stride - feet[leg])
            lifted[leg] = math.sin(math.pi * phase) ** 2
        return stride * done, feet, lifted

    def drive(self, data: mujoco.MjData) -> None:
        """Aims of the servos and guiding forces for the present state."""
        way, feet, lifted = self.places(data.time)
        for leg, place, up in zip(self.legs, feet, lifted, strict=True):
            lean = math.asin(np.clip((way - place) / self.length, -0.5, 0.5))
            bend = self.plan.lift * up
            for joint, angle in zip(leg, (lean - bend, 2 * bend, -lean - bend), strict=True):
                axis = math.copysign(1.0, self.model.jnt_axis[joint][1])
                self.model.eq_data[self.servo[joint], 0] = axis * angle
        rate = 60.0
        turned = np.zeros(3)
        mujoco.mju_subQuat(turned, data.qpos[3:7], self.posture[3:7])
        push = self.inertia[3:6, 3:6] @ (-(rate**2) * turned - 2 * rate * data.qvel[3:6])
        data.qfrc_applied[3:6] = push
        aim = self.posture[:2] + [way, 0.0]
        data.qfrc_applied[:2] = self.inertia[0, 0] * (rate**2 * (aim - data.qpos[:2]) - 2 * rate * data.qvel[:2])


def _with_servos(spec: mujoco.MjSpec) -> mujoco.MjModel:
    """The model with a stiff aim for every hinge, and motors off."""
    spec.option.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_ACTUATION)
    for i, joint in enumerate(spec.joints):
        if joint.type == mujoco.mjtJoint.mjJNT_HINGE:
            joint.name = joint.name or f"march_joint{i}"
            servo = spec.add_equality(name=f"march_{joint.name}", type=mujoco.mjtEq.mjEQ_JOINT, name1=joint.name)
            servo.objtype, servo.solref = mujoco.mjtObj.mjOBJ_JOINT, [0.01, 1.0]
            servo.solimp = [0.99, 0.999, 0.001, 0.5, 2.0]
    return spec.compile()


def _lowest(model: mujoco.MjModel, data: mujoco.MjData, geom: int) -> float:
    turn = data.geom_xmat[geom].reshape(3, 3)
    centre = data.geom_xpos[geom] + turn @ model.geom_aabb[geom, :3]
    return float(centre[2] - abs(turn[2]) @ model.geom_aabb[geom, 3:])


def _row(data: mujoco.MjData, tracks: Tracks, gantry: _Gantry) -> dict[str, float]:
    row = {"time": float(data.time), "base": float(data.qpos[2]), "way": float(data.qpos[0])}
    for side, foot in zip(("first", "second"), gantry.feet, strict=True):
        mine = np.flatnonzero(tracks.bodies == foot)
        row[f"force_{side}"] = float(tracks.force[mine, 2].sum())
        geoms = [g for g in range(gantry.model.ngeom) if gantry.model.geom_bodyid[g] == foot]
        row[f"sole_{side}"] = min(_lowest(gantry.model, data, g) for g in geoms)
    return {**row, "work": tracks.work, "stored": tracks.stored_energy(), "lost": tracks.lost_energy}
