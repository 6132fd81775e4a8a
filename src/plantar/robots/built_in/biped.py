"""A humanoid of the size of COMAN+: 64 kg, 28 torque-controlled hinges, primitive geoms."""

from __future__ import annotations

import mujoco

from plantar.robots.built_in.biped_table import ARM, LEG, MIDDLE, WAIST
from plantar.robots.built_in.links import add_force_sensor, add_home, add_link, mirrored, start

HIP, KNEE = -0.405, 0.731
"""Pitch of hip and knee [rad]: the walking posture of COMAN+, waist level, soles under the centre of mass."""
ARMS = {"shoulder_pitch": 0.9, "shoulder_roll": 0.15, "elbow": -1.6}
"""Arms in the keyframe `home`, left side [rad]."""
DAMPING, ARMATURE = 1.0, 0.08
"""Of every hinge [N m s/rad, kg m^2]."""


def biped() -> mujoco.MjSpec:
    """A humanoid of the size of COMAN+: 64 kg, a free base `waist`, 28 hinges with motors.

    Six hinges per leg, two in the waist, seven per arm.
    In the keyframe `home` its knees are bent, its soles level on z = 0. Links touch the ground but not each other,
    except for the feet. Sensors: `imu_*` in the waist, `left_ankle_force`, `left_ankle_torque` and those of the right
    above the soles.
    """
    spec = start("biped", "waist", 1.0, WAIST)
    left = (*LEG, *ARM)
    for link in (*MIDDLE, *left, *map(mirrored, left)):
        body = add_link(spec, link, damping=DAMPING, armature=ARMATURE)
        if link.name.endswith("_foot"):
            add_force_sensor(spec, body, f"{link.name.removesuffix('_foot')}_ankle", (0.0, 0.0, -0.035))
    angles = {"hip_pitch": HIP, "knee": KNEE, "ankle_pitch": -HIP - KNEE, **ARMS}
    names = {"hip_pitch": "upper_thigh", "knee": "shank", "ankle_pitch": "ankle"}
    home = {}
    for side, sign in (("left", 1), ("right", -1)):
        for name, angle in angles.items():
            home[f"{side}_{names.get(name, name)}"] = sign * angle if name.endswith("roll") else angle
    add_home(spec, home)
    return spec
