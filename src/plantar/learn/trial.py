"""One walk of a policy in plain MuJoCo: over bars, pushed, on feet of any stiffness and build."""

from __future__ import annotations

import math
from dataclasses import dataclass

import mujoco
import numpy as np

from plantar._config import Checked, Duration, NotNegative, Positive
from plantar.learn.laws import laws_of, stiffened
from plantar.learn.policy import Pilot, Policy
from plantar.learn.subject import Subject
from plantar.model.shape import lowest
from plantar.model.tree import below

FULL_STEP = 0.002
"""Physics step of feet that are built in full [s]."""
SETTLE = 2.0
"""Speed and cost are measured from this time on [s]."""
FALLEN = math.radians(70)
"""Tilt of the base at which a robot has fallen [rad], as in training."""
LOOK = 0.01
"""Time between two looks at the contacts [s]."""
SLACK = 1.0
"""Length at which a tendon stops that is not there [m]."""


@dataclass(frozen=True, kw_only=True)
class Walk(Checked, prefix="walk."):
    """What one walk is asked for; walks of the same seed have the same bars, push and start on any feet."""

    speed: float = 0.5
    """Commanded velocity forward [m/s]."""
    seconds: Duration = 10.0
    """Length [s]."""
    bar: NotNegative = 0.0
    """Height of square bars across the way, one every 0.5 to 0.9 m [m]."""
    push: NotNegative = 0.0
    """Sudden change of the base's velocity in a random direction, every two seconds [m/s]."""
    stiffness: Positive = 1.0
    """Factor on the stiffness of soft feet; 1000 is locked."""
    tendons: bool = True
    """Whether soft feet have their tendons."""
    friction: Positive = 1.0
    """Friction of the soles."""
    seed: int = 0
    """Seed of bars, pushes and start."""


class Stage:
    """A robot on its feet in a scene with servos; models are made once for each height of bars.

    Args:
        subject: The robot; its joints must be those that the policy moves.
        policy: The policy.
    """

    def __init__(self, subject: Subject, policy: Policy):
        self.subject, self.policy, self.card = subject, policy, policy.card
        rough = subject.foot is not None and subject.soft and subject.foot.fidelity == "full"
        self.timestep = FULL_STEP if rough else self.card.timestep

    def model(self, walk: Walk) -> mujoco.MjModel:
        """The scene of a walk."""
        spec, rng = self.subject.spec.copy(), np.random.default_rng([walk.seed, 1])
        spec.option.timestep = self.timestep
        spec.option.integrator = mujoco.mjtIntegrator.mjINT_DISCRETE
        spec.worldbody.add_geom(name="floor", type=mujoco.mjtGeom.mjGEOM_PLANE, size=[0, 0, 1])
        x, reach = 0.8, max(abs(walk.speed), 0.5) * walk.seconds + 1
        while walk.bar and x < reach:
            size = [walk.bar / 2, 2.0, walk.bar / 2]
            spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_BOX, size=size, pos=[x, 0, walk.bar / 2])
            x += rng.uniform(0.5, 0.9)
        for drive in self.card.drives:
            spec.joint(drive.joint).armature = drive.armature
            servo = spec.add_actuator(name=drive.joint, trntype=mujoco.mjtTrn.mjTRN_JOINT, target=drive.joint)
            servo.set_to_position(kp=drive.stiffness, kv=drive.damping)
            servo.forcelimited, servo.forcerange = True, [-drive.effort, drive.effort]
        model = spec.compile()
        self._set_feet(model, walk)
        return model

    def _set_feet(self, model: mujoco.MjModel, walk: Walk) -> None:
        subject = self.subject
        springs = [model.joint(name).id for name in subject.springs]
        for values in (model.jnt_stiffness, model.jnt_stiffnesspoly) if springs else ():
            values[springs] = stiffened(values[springs], walk.stiffness)
        for cord in () if walk.tendons else subject.cords:
            model.tendon(cord).range[1] = SLACK
        soles, laws = [model.geom(name).id for name in subject.soles], laws_of(subject, (walk.friction,))
        model.geom_friction[soles, 0] = walk.friction
        model.geom_priority[soles] = 1  # the friction that is asked for, not the floor's
        if laws.solref is not None and laws.solimp is not None:
            model.geom_solref[soles], model.geom_solimp[soles] = laws.solref[0], laws.solimp[0]

    def told(self, walk: Walk, kind: int = 0) -> tuple[float, ...]:
        """What the policy is told: stiffness and tendons of soft feet, or which of several kinds it has."""
        if self.card.foot == 0:
            return ()
        if len(self.card.feet) > 1:
            return tuple(float(i == kind) for i in range(self.card.foot))
        return (math.log(walk.stiffness) / math.log(1000.0), float(walk.tendons))[: self.card.foot]

    def run(self, walk: Walk, kind: int = 0) -> dict[str, float]:
        """Walk, and return the figures."""
        model = self.model(walk)
        data = mujoco.MjData(model)
        at = int(model.jnt_qposadr[model.body_jntadr[model.body(self.subject.base).id]])
        data.qpos[at : at + 7] = self.subject.root
        rng = np.random.default_rng([walk.seed, 2])
        for name, angle in self.card.posture.items():
            data.qpos[model.joint(name).qposadr[0]] = angle + rng.uniform(-0.02, 0.02)
        mujoco.mj_kinematics(model, data)
        data.qpos[at + 2] -= lowest(model, data, [model.geom(name).id for name in self.subject.soles])
        mujoco.mj_forward(model, data)
        pilot = Pilot(self.policy, model, self.subject.base, self.told(walk, kind))
        return _Run(self, walk, model, data, pilot, rng).figures()


class _Run:
    """A walk as it happens."""

    def __init__(
        self,
        stage: Stage,
        walk: Walk,
        model: mujoco.MjModel,
        data: mujoco.MjData,
        pilot: Pilot,
        rng: np.random.Generator,
    ):
        self.stage, self.walk, self.model, self.data, self.pilot, self.rng = stage, walk, model, data, pilot, rng
        self.base = model.body(stage.subject.base).id
        self.dof = int(model.jnt_dofadr[model.body_jntadr[self.base]])
        self.joints = np.array([int(model.joint(d.joint).dofadr[0]) for d in stage.card.drives])
        self.feet = [[model.body(b).id, *below(model, model.body(b).id)] for b in stage.subject.bodies]
        self.weight = float(model.body_subtreemass[self.base]) * 9.81
        self.work = self.positive = self.slid = self.carried = self.off = 0.0
        self.loads: list[np.ndarray] = []

    def figures(self) -> dict[str, float]:
        """Go to the end, or to the fall."""
        walk, data, dt = self.walk, self.data, self.stage.timestep
        per_action, per_look = round(self.stage.card.period / dt), round(LOOK / dt)
        start, measured, fallen, i, steps = None, 0, False, 0, round(walk.seconds / dt)
        for i in range(steps):
            if i % per_action == 0:
                self._command(i * dt)
                fallen = self._fallen()
                if fallen:
                    break
            mujoco.mj_step(self.model, data)
            if i * dt >= SETTLE:
                start = data.xpos[self.base, :2].copy() if start is None else start
                self._add_work(dt)
                measured += 1
            if i % per_look == 0:
                self._look(counted=i * dt >= SETTLE)
        way = float(np.linalg.norm(data.xpos[self.base, :2] - start)) if start is not None else 0.0
        return self._record(fallen, i * dt if fallen else walk.seconds, way, measured * dt)

    def _command(self, now: float) -> None:
        walk, data = self.walk, self.data
        turn = data.xmat[self.base].reshape(3, 3)
        yaw = math.atan2(turn[1, 0], turn[0, 0])
        self.pilot.act(data, np.array([walk.speed, 0.0, min(max(-0.5 * yaw, -0.5), 0.5)]))
        due = walk.push and now > 0 and abs(now / 2.0 - round(now / 2.0)) < 1e-9
        if due:
            way = self.rng.uniform(0, 2 * math.pi)
            data.qvel[self.dof : self.dof + 2] += walk.push * np.array([math.cos(way), math.sin(way)])
        if now >= SETTLE:
            local = turn.T @ data.qvel[self.dof : self.dof + 3]
            self.off += float(np.hypot(local[0] - walk.speed, local[1])) * self.stage.card.period

    def _fallen(self) -> bool:
        upright = float(self.data.xmat[self.base].reshape(3, 3)[2, 2])
        low = self.data.xpos[self.base, 2] < 0.5 * self.stage.subject.root[2]
        return bool(upright < math.cos(FALLEN) or low or not np.isfinite(self.data.qpos).all())

    def _add_work(self, dt: float) -> None:
        power = self.data.actuator_force * self.data.qvel[self.joints]
        self.work += float(np.abs(power).sum()) * dt
        self.positive += float(np.maximum(power, 0).sum()) * dt

    def _look(self, *, counted: bool) -> None:
        """Take down the load of each foot, and how fast what carries slides."""
        loads, wrench, velocity = np.zeros(len(self.feet)), np.zeros(6), np.zeros(6)
        for i, contact in enumerate(self.data.contact):
            owners = [int(self.model.geom_bodyid[g]) for g in contact.geom]
            for k, bodies in enumerate(self.feet):
                mine = [b for b in owners if b in bodies]
                if len(mine) != 1 or 0 not in owners:
                    continue
                mujoco.mj_contactForce(self.model, self.data, i, wrench)
                frame = contact.frame.reshape(3, 3)
                force = abs(float((frame.T @ wrench[:3])[2]))
                loads[k] += force
                mujoco.mj_objectVelocity(self.model, self.data, mujoco.mjtObj.mjOBJ_XBODY, mine[0], velocity, 0)
                at = velocity[3:] + np.cross(velocity[:3], contact.pos - self.data.xpos[mine[0]])
                if counted:
                    self.slid += force * float(np.linalg.norm(at - frame[0] * (frame[0] @ at))) * LOOK
                    self.carried += force * LOOK
        self.loads.append(loads)

    def _record(self, fallen: bool, lasted: float, way: float, measured: float) -> dict[str, float]:
        loads = np.array(self.loads)[round(SETTLE / LOOK) :]
        walked = way > 0.2 and len(loads) > 1
        rate = np.abs(np.diff(loads, axis=0)).max() / LOOK if walked else math.nan
        return {
            "fallen": float(fallen),
            "lasted": lasted,
            "way": way,
            "speed_error": self.off / measured if measured else math.nan,
            "transport": self.work / (self.weight * way) if walked else math.nan,
            "transport_positive": self.positive / (self.weight * way) if walked else math.nan,
            "force_peak": float(loads.max() / self.weight) if walked else math.nan,
            "force_rate": float(rate / self.weight),
            "slip": self.slid / self.carried * measured / way if walked and self.carried else math.nan,
        }
