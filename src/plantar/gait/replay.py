"""An optimal gait in MuJoCo: the same robot, motors and foot, built there and run open loop."""

from __future__ import annotations

import math
from dataclasses import dataclass

import mujoco
import numpy as np

from plantar._arguments import checks_arguments
from plantar._checks import require
from plantar.errors import Diverged
from plantar.feet import BallFoot
from plantar.gait._boundary import mirrored_rows
from plantar.gait.legged import LeggedRobot
from plantar.gait.mujoco_contact import RubberFeet
from plantar.gait.result import GaitResult
from plantar.gait.rubber import BALL_MASS, GRAVITY
from plantar.model.state import blown_up

TINY = 1e-6
"""Mass of the bodies that carry the rotors [kg]; their inertia is the joint's armature."""


def build(robot: LeggedRobot) -> mujoco.MjSpec:
    """The robot as a MuJoCo spec in SI units: a planar torso, telescopic legs on `BallFoot`s, rotors and springs."""
    m, length = robot.unit_mass, robot.unit_length
    inertia = m * length**2
    spec = mujoco.MjSpec()
    spec.modelname = robot.name
    spec.option.gravity = [0, 0, -GRAVITY]
    spec.compiler.degree = False
    spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[0, 0, 1], contype=0, conaffinity=0)
    # a strip to look at; the feet's law knows the ground as z = 0
    strip = {"pos": [0.3 * length, 0, -0.005], "size": [1.2 * length, 0.2, 0.005]}
    spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_BOX, **strip, **_looks([0.8, 0.82, 0.85, 1]))
    torso = spec.worldbody.add_body(name="torso")
    for name, kind, axis in (
        ("x", mujoco.mjtJoint.mjJNT_SLIDE, [1, 0, 0]),
        ("y", mujoco.mjtJoint.mjJNT_SLIDE, [0, 0, 1]),
        ("pitch", mujoco.mjtJoint.mjJNT_HINGE, [0, -1, 0]),
    ):
        torso.add_joint(name=name, type=kind, axis=axis)
    _solid(torso, m * robot.torso_mass, inertia * robot.torso_inertia, 0.0)
    half = max(0.35, max(robot.hips) - min(robot.hips)) * length / 2 + 0.05
    torso.add_geom(type=mujoco.mjtGeom.mjGEOM_BOX, size=[half, 0.08, 0.05], **_looks([0.35, 0.4, 0.47, 1]))
    for i, hip in enumerate(robot.hips):
        _leg(spec, torso, robot, i, hip * length)
    return spec


def _leg(spec: mujoco.MjSpec, torso: mujoco.MjsBody, robot: LeggedRobot, i: int, hip: float) -> None:
    m, length = robot.unit_mass, robot.unit_length
    names = robot.coordinates
    side = 0.0 if robot.legs == 1 else (-0.06 if i % 2 else 0.06)
    upper = torso.add_body(name=f"upper{i}", pos=[hip, side, 0])
    upper.add_joint(name=names[3 + 2 * i], type=mujoco.mjtJoint.mjJNT_HINGE, axis=[0, -1, 0])
    _solid(upper, m * robot.upper_mass, m * length**2 * robot.upper_inertia, -robot.upper_centre * length)
    rod = [0, 0, 0, 0, 0, -0.55 * length]
    upper.add_geom(type=mujoco.mjtGeom.mjGEOM_CAPSULE, fromto=rod, size=[0.022, 0, 0], **_looks([0.55, 0.6, 0.66, 1]))
    # the slide's zero is the leg at rest, hip to foot centre one unit long
    lower = upper.add_body(name=f"lower{i}")
    lower.add_joint(name=names[4 + 2 * i], type=mujoco.mjtJoint.mjJNT_SLIDE, axis=[0, 0, -1])
    foot = foot_of(robot)
    ankle = lower.add_frame(pos=[0, 0, -length + foot.shank_length])
    spec.attach(foot.spec(), frame=ankle, prefix=f"foot{i}/")
    _rest_of_lower(lower, robot, foot)
    lower.add_geom(
        type=mujoco.mjtGeom.mjGEOM_CAPSULE,
        fromto=[0, 0, -0.4 * length, 0, 0, -length + foot.shank_length],
        size=[0.014, 0, 0],
        **_looks([0.85, 0.63, 0.1, 1]),
    )
    _motors(spec, robot, i)


def foot_of(robot: LeggedRobot) -> BallFoot:
    """The rubber ball at the end of a leg."""
    radius = robot.foot_radius * robot.unit_length
    return BallFoot(radius=radius, shank_length=2 * radius, shank_radius=radius / 4, mass=BALL_MASS)


def _rest_of_lower(lower: mujoco.MjsBody, robot: LeggedRobot, foot: BallFoot) -> None:
    """The lower leg without its foot, so that both together have the robot's mass, centre and inertia."""
    model = foot.model()
    mass, places, turns = model.body_mass, np.empty(model.nbody), model.body_inertia[:, 1]
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    mujoco.mj_comPos(model, data)
    top = -robot.unit_length + foot.shank_length
    places = data.xipos[:, 2] + top
    whole, inertia = robot.unit_mass * robot.lower_mass, robot.unit_mass * robot.unit_length**2 * robot.lower_inertia
    centre = -(1 - robot.lower_centre) * robot.unit_length
    own = whole - mass.sum()
    require(own > 0, "lower_mass", robot.lower_mass, f"more than the ball's {mass.sum() / robot.unit_mass:.3g}")
    at = (whole * centre - (mass * places).sum()) / own
    left = inertia + whole * centre**2 - (turns + mass * places**2).sum() - own * at**2
    require(left > 0, "lower_inertia", robot.lower_inertia, "more than the ball's own about the leg's centre")
    _solid(lower, float(own), float(left), float(at))


def _motors(spec: mujoco.MjSpec, robot: LeggedRobot, i: int) -> None:
    """Rotors as separate joints, coupled to the leg by tendons that are the series springs."""
    m, length = robot.unit_mass, robot.unit_length
    force, time = m * GRAVITY, math.sqrt(length / GRAVITY)
    bodies = 3 + 2 * robot.legs
    for k, (kind, motor, stiffness, damping, arm) in enumerate(
        (
            (mujoco.mjtJoint.mjJNT_HINGE, robot.hip_motor, robot.hip_stiffness, robot.hip_damping, length**2),
            (mujoco.mjtJoint.mjJNT_SLIDE, robot.leg_motor, robot.leg_stiffness, robot.leg_damping, 1.0),
        )
    ):
        joint, name = robot.coordinates[3 + 2 * i + k], robot.coordinates[bodies + 2 * i + k]
        rotor = spec.worldbody.add_body(name=f"rotor_{name}", pos=[0, 0, 0])
        rotor.add_joint(name=name, type=kind, axis=[0, 1, 0], armature=motor.inertia * m * arm)
        rotor.explicitinertial = True
        rotor.mass, rotor.inertia = TINY, [TINY] * 3
        tendon = spec.add_tendon(name=f"spring_{name}")
        # forces per length along the leg, torques per angle at the hip
        unit = force / length if k else force * length
        tendon.stiffness, tendon.damping = [stiffness * unit, 0, 0], [damping * unit * time, 0, 0]
        tendon.springlength = [0.0, 0.0]
        tendon.wrap_joint(name, 1.0)
        tendon.wrap_joint(joint, -1.0)
        actuator = spec.add_actuator(name=name, target=name, trntype=mujoco.mjtTrn.mjTRN_JOINT)
        actuator.set_to_motor()


def _solid(body: mujoco.MjsBody, mass: float, inertia: float, z: float) -> None:
    body.explicitinertial = True
    body.mass, body.ipos, body.inertia = mass, [0, 0, z], [inertia] * 3


def _looks(rgba: list[float]) -> dict:
    return {"rgba": rgba, "contype": 0, "conaffinity": 0, "mass": 0}


@dataclass(frozen=True, kw_only=True)
class Replay:
    """A gait in MuJoCo beside the optimiser's."""

    times: np.ndarray
    """Times [robot's units]."""
    q: np.ndarray
    """MuJoCo's coordinates [robot's units]."""
    wanted: np.ndarray
    """The optimiser's."""
    error: float
    """Largest difference of a body coordinate [l0, rad]."""
    height_error: float
    """Largest difference of the torso's height [l0]."""
    peak_force: float
    """Largest ground force across [m g]."""
    model: mujoco.MjModel
    """What was simulated."""
    positions: np.ndarray
    """Body positions of each frame, for a film [m]."""
    frames: np.ndarray
    """Body orientations."""


@checks_arguments
def replay(result: GaitResult, *, strides: int = 1, step: float = 2e-5, samples: int = 200) -> Replay:
    """Run a soft gait's motor forces open loop in MuJoCo, with the same rubber law as passive force on its feet.

    Args:
        result: A gait with rubber feet.
        strides: How many times from start to end; two for a whole stride of a symmetric gait.
        step: MuJoCo's time step [s].
        samples: Number of frames in the result.

    Raises:
        Diverged: If the simulation blows up.
    """
    require(result.contact == "soft", "contact", result.contact, "a gait with rubber feet ('soft')")
    robot, length = result.robot, result.robot.unit_length
    spec = build(robot)
    spec.option.timestep = step
    model = spec.compile()
    data = mujoco.MjData(model)
    names = robot.coordinates
    where = np.array([model.joint(name).qposadr[0] for name in names])
    speeds = np.array([model.joint(name).dofadr[0] for name in names])
    unit, zero = _units(robot)
    data.qpos[where], data.qvel[speeds] = (result.q[0] - zero) * unit, result.v[0] * unit / robot.unit_time
    feet = RubberFeet(model, [f"foot{i}/ball" for i in range(robot.legs)], robot.contact, robot.foot_radius * length)
    feet.deflection[:] = result.deflection[0] * length
    total = strides * result.stride_time
    steps = round(total * robot.unit_time / step)
    moments = (np.arange(steps) + 0.5) * step / robot.unit_time
    torque = _wanted(result, moments)["torque"] * _force_units(robot)
    every = np.unique(np.linspace(0, steps, samples).astype(int))
    path, positions, frames, peak, at = [], [], [], 0.0, 0
    mujoco.mj_forward(model, data)
    for mark in every:
        peak = max(peak, feet.run(data, torque[at:mark]))
        at = int(mark)
        if blown_up(data):
            raise Diverged("the replay blows up: use a smaller step", time=data.time, body="torso")
        mujoco.mj_kinematics(model, data)
        path.append(data.qpos[where] / unit + zero)
        positions.append(data.xpos.copy())
        frames.append(data.xmat.copy())
    times = every * step / robot.unit_time
    wanted = _wanted(result, times)["q"]
    q, bodies = np.array(path), 3 + 2 * robot.legs
    off = np.abs(q - wanted)[:, :bodies]
    return Replay(
        times=times,
        q=q,
        wanted=wanted,
        error=float(off[:-1].max()),
        height_error=float(off[:-1, 1].max()),
        peak_force=peak / (robot.unit_mass * GRAVITY),
        model=model,
        positions=np.array(positions),
        frames=np.array(frames),
    )


def _wanted(result: GaitResult, times: np.ndarray) -> dict[str, np.ndarray]:
    """Coordinates and motor forces of the optimum over several strides; legs change places after each half."""
    found, past = result.at(times % result.stride_time), np.floor(times / result.stride_time)
    q, torque = found["q"], found["torque"]
    if result.request.symmetric:
        odd = past % 2 == 1
        q[odd] = q[odd][:, mirrored_rows(result.robot)]
        motors = [2 * leg + k for leg in result.robot.mirror for k in (0, 1)]
        torque[odd] = torque[odd][:, motors]
    q[:, 0] += past * result.distance
    return {"q": q, "torque": torque}


def _units(robot: LeggedRobot) -> tuple[np.ndarray, np.ndarray]:
    """Metres or radians in a unit of each coordinate, and the value at MuJoCo's zero."""
    unit, zero = np.ones(len(robot.coordinates)), np.zeros(len(robot.coordinates))
    bodies = 3 + 2 * robot.legs
    lengths = [0, 1, *range(4, bodies, 2), *range(bodies + 1, len(unit), 2)]
    unit[lengths] = robot.unit_length
    zero[4:bodies:2] = 1.0
    return unit, zero


def _force_units(robot: LeggedRobot) -> np.ndarray:
    force = robot.unit_mass * GRAVITY
    return np.tile([force * robot.unit_length, force], robot.legs)
