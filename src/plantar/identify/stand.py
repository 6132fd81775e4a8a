"""A robot that stands on a ground with its posture locked: how deep it settles, whether it creeps."""

from __future__ import annotations

import math
from dataclasses import dataclass

import mujoco
import numpy as np

from plantar.errors import Diverged
from plantar.ground.contact.ground import Ground
from plantar.identify.stage import Stage, read_contacts
from plantar.model.state import blown_up
from plantar.model.tree import below

TIMESTEP = 1e-3
"""Longest time step of a stand [s]."""
_LOCK_SOLREF, _LOCK_SOLIMP = (0.004, 1.0), (0.999, 0.9999, 0.001, 0.5, 2.0)
_SCALAR = (int(mujoco.mjtJoint.mjJNT_HINGE), int(mujoco.mjtJoint.mjJNT_SLIDE))


@dataclass(frozen=True, kw_only=True)
class Standing:
    """Result of a simulated stand."""

    depth: float
    """Load-weighted mean depth of the contacts [m]."""
    force: float
    """Normal force of all contacts [N]."""
    contacts: int
    """Number of contacts."""
    tilt: float
    """Rotation of the base since the start [rad]."""
    speed: float
    """Speed of the feet along the ground over the last quarter of the time [m/s]."""
    sinking: float
    """Speed of the base into the ground over that time [m/s]."""
    state: np.ndarray
    """qpos at the end."""
    pressure: float = 0.0
    """Centre of pressure in front of the middle of the feet's bodies [m]."""


def stand(
    stage: Stage,
    ground: Ground,
    height: float,
    *,
    slope: float = 0.0,
    duration: float = 1.0,
    start: np.ndarray | None = None,
    unaided: bool = False,
) -> Standing:
    """Simulate the robot on `ground` from rest.

    All joints are locked in the posture by equality constraints, except those within the feet; no actuator acts.
    Unless it is `unaided`, a torque on the free base keeps its attitude, as a robot that balances does: without it
    posture and slope would decide about falling over, and not the ground about depth and creep.

    Args:
        stage: The robot; it is not changed.
        ground: What it stands on.
        height: Height of the base at the start [m].
        slope: Angle of the ground, downhill along x [rad]; gravity is turned instead of the ground.
        duration: Simulated time [s].
        start: qpos to start from, or None for the posture.
        unaided: Whether it stands without help; `_lean` has postures for that.

    Raises:
        Diverged: If the motion does not stay finite.
    """
    model, data = _locked(stage, ground, slope)
    data.qpos[:] = stage.posture if start is None else start
    if start is None:
        data.qpos[stage.height_address] = height
    mujoco.mj_forward(model, data)
    balance = _Balance(stage, model, data, unaided)
    steps = max(4, round(duration / model.opt.timestep))
    for _ in range(steps - steps // 4):
        balance.step()
    feet = list(stage.feet)
    before, base, time = data.xpos[feet].mean(axis=0), float(data.xpos[stage.root, 2]), data.time
    for _ in range(steps // 4):
        balance.step()
    passed = max(data.time - time, model.opt.timestep)
    moved = (data.xpos[feet].mean(axis=0) - before) / passed
    contacts = read_contacts(model, data, stage.ground, stage.geoms)
    return Standing(
        depth=contacts.load_depth,
        force=float(contacts.force.sum()),
        contacts=len(contacts.depth),
        tilt=float(np.linalg.norm(balance.turn())),
        speed=float(np.linalg.norm(moved[:2])),
        sinking=(base - float(data.xpos[stage.root, 2])) / passed,
        state=data.qpos.copy(),
        pressure=contacts.centre - float(data.xpos[feet, 0].mean()),
    )


class _Balance:
    """A torque on a free base that keeps its attitude; none on a base that is guided."""

    def __init__(self, stage: Stage, model: mujoco.MjModel, data: mujoco.MjData, unaided: bool):
        self.model, self.data = model, data
        self.free, self.unaided = stage.free_base, unaided
        self.name, self.body = stage.name, model.body(stage.root).name
        if self.free:
            self.at, self.dof = stage.height_address + 1, slice(stage.vertical_dof + 1, stage.vertical_dof + 4)
            self.quat = stage.posture[self.at : self.at + 4].copy()
            full = np.zeros((model.nv, model.nv))
            mujoco.mj_fullM(model, data, full)
            self.inertia = full[self.dof, self.dof]
            self.rate = 0.1 / model.opt.timestep

    def turn(self) -> np.ndarray:
        """Rotation since the start, in the base [rad]."""
        turned = np.zeros(3)
        if self.free:
            mujoco.mju_subQuat(turned, self.data.qpos[self.at : self.at + 4], self.quat)
        return turned

    def step(self) -> None:
        if self.free and not self.unaided:
            wish = -(self.rate**2) * self.turn() - 2 * self.rate * self.data.qvel[self.dof]
            self.data.qfrc_applied[self.dof] = self.inertia @ wish
        time = self.data.time
        mujoco.mj_step(self.model, self.data)
        if blown_up(self.data):
            raise Diverged(f"the stand of {self.name!r} blew up: use a softer ground", time=time, body=self.body)


def _locked(stage: Stage, ground: Ground, slope: float) -> tuple[mujoco.MjModel, mujoco.MjData]:
    """The scene with every joint outside the feet held by an equality constraint."""
    assert stage.spec is not None
    spec = stage.spec.copy()
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    spec.option.timestep = min(TIMESTEP, max(spec.option.timestep, TIMESTEP / 4))
    spec.option.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_ACTUATION)
    spec.option.solver, spec.option.iterations = mujoco.mjtSolver.mjSOL_NEWTON, 100
    spec.option.tolerance, spec.option.noslip_iterations = 1e-12, 0
    free = {b for foot in stage.feet for b in below(stage.model, foot)}
    for j in range(stage.model.njnt):
        kind, body = int(stage.model.jnt_type[j]), int(stage.model.jnt_bodyid[j])
        if kind not in _SCALAR or body in free or body == stage.root:
            continue
        address = stage.model.jnt_qposadr[j]
        lock = spec.add_equality(type=mujoco.mjtEq.mjEQ_JOINT, name1=_joint_name(spec, stage.model, j))
        lock.objtype = mujoco.mjtObj.mjOBJ_JOINT
        lock.solref, lock.solimp = _LOCK_SOLREF, _LOCK_SOLIMP
        lock.data[0] = stage.posture[address] - stage.model.qpos0[address]
    model = spec.compile()
    model.geom_contype[:], model.geom_conaffinity[:] = stage.model.geom_contype, stage.model.geom_conaffinity
    model.body_contype[:], model.body_conaffinity[:] = stage.model.body_contype, stage.model.body_conaffinity
    ground.apply_to_model(model, stage.ground)
    pull = abs(model.opt.gravity[2])
    model.opt.gravity[:] = [pull * math.sin(slope), 0, -pull * math.cos(slope)]
    return model, mujoco.MjData(model)


def _joint_name(spec: mujoco.MjSpec, model: mujoco.MjModel, joint: int) -> str:
    """Name of a joint; one without a name gets one."""
    name = model.joint(joint).name
    if not name:
        name = f"plantar_joint{joint}"
        spec.joints[joint].name = name
    return name
