"""How a policy drives a robot's motors: a position servo for each, with gains derived from its torque limit."""

from __future__ import annotations

import math
from dataclasses import dataclass

import mujoco
import numpy as np

from plantar._arguments import checks_arguments
from plantar.errors import InvalidInput

REACH = 1.75
"""Position error at which a servo gives all its torque [rad]: about what the G1's servos in mjlab have (1.4 to 2.2)."""
FREQUENCY, DAMPING_RATIO = 2 * math.pi * 10, 2.0
"""Natural frequency [rad/s] and damping ratio of a servo on its own rotor (mjlab's choice for the G1)."""
SHARE, LEGGY_SHARE = 0.25, 0.5
"""Torque of an action of 1 as a fraction of the joint's limit (mjlab's choice), and for robots with more than two feet:
these stand so well that weaker actions never lift a foot."""
BIPED = 2
"""Feet of a robot that falls unless it steps."""
_ON_JOINT = (int(mujoco.mjtTrn.mjTRN_JOINT), int(mujoco.mjtTrn.mjTRN_JOINTINPARENT))
_HINGE = int(mujoco.mjtJoint.mjJNT_HINGE)


@dataclass(frozen=True, kw_only=True)
class Drive:
    """The servo of one joint."""

    joint: str
    """The joint."""
    stiffness: float
    """Torque per radian of position error [N m/rad]."""
    damping: float
    """Torque per radian per second [N m s/rad]."""
    effort: float
    """Largest torque [N m]."""
    armature: float
    """Inertia of the rotor seen at the joint [kg m^2]."""
    share: float = SHARE
    """Torque of an action of 1, as a fraction of the largest torque."""

    @property
    def scale(self) -> float:
        """Change of its target for an action of 1 [rad]."""
        return self.share * self.effort / self.stiffness


@checks_arguments
def drives_of(model: mujoco.MjModel, name: str = "robot", feet: int = BIPED) -> tuple[Drive, ...]:
    """Servos for all motors of a robot, in the order of their joints.

    Whatever kind of actuators the model has, only their largest torques are taken: a policy's targets need softer
    servos than those a model usually has.

    Args:
        model: The robot.
        name: Its name, for messages.
        feet: Number of its feet; more than two make actions stronger.

    Raises:
        InvalidInput: If nothing is actuated, or a motor has no torque limit or moves something other than a hinge.
    """
    limits: dict[int, float] = {}
    for i in range(model.nu):
        joint = int(model.actuator_trnid[i, 0])
        if int(model.actuator_trntype[i]) not in _ON_JOINT or int(model.jnt_type[joint]) != _HINGE:
            raise InvalidInput(f"actuator {model.actuator(i).name!r} of {name} does not drive a hinge: leave it out")
        limits[joint] = _effort(model, i, joint, name)
    if not limits:
        raise InvalidInput(f"{name} has no actuators: give its joints motors with torque limits")
    share = SHARE if feet <= BIPED else LEGGY_SHARE
    return tuple(_drive(model, joint, limits[joint], share) for joint in sorted(limits))


def _drive(model: mujoco.MjModel, joint: int, effort: float, share: float) -> Drive:
    stiffness = effort / REACH
    return Drive(
        joint=model.joint(joint).name,
        stiffness=stiffness,
        damping=2 * DAMPING_RATIO * stiffness / FREQUENCY,
        effort=effort,
        armature=float(model.dof_armature[model.jnt_dofadr[joint]]) or stiffness / FREQUENCY**2,
        share=share,
    )


def _effort(model: mujoco.MjModel, actuator: int, joint: int, name: str) -> float:
    """Largest torque of an actuator at its joint [N m]."""
    gear = abs(float(model.actuator_gear[actuator, 0]))
    found = []
    if model.actuator_forcelimited[actuator]:
        found.append(gear * float(np.abs(model.actuator_forcerange[actuator]).min()))
    if model.jnt_actfrclimited[joint]:
        found.append(float(np.abs(model.jnt_actfrcrange[joint]).min()))
    plain = int(model.actuator_biastype[actuator]) == int(mujoco.mjtBias.mjBIAS_NONE)
    if plain and model.actuator_ctrllimited[actuator]:
        gain = abs(float(model.actuator_gainprm[actuator, 0]))
        found.append(gear * gain * float(np.abs(model.actuator_ctrlrange[actuator]).min()))
    if not found or min(found) <= 0:
        raise InvalidInput(
            f"actuator {model.actuator(actuator).name!r} of {name} has no torque limit: give it a forcerange, or its "
            "joint an actuatorfrcrange"
        )
    return min(found)
