"""The Kondo KHR-3HV, a humanoid of 1.76 kg with 22 hinges, as Gora and Dutta simulate it."""

from __future__ import annotations

import math

import mujoco
import numpy as np

from plantar.robots.built_in.khr3hv_table import ARM, LEG, MIDDLE, RIGHT_BOXES, RIGHT_ORIGINS, WAIST, Box, Link

FEET = ("left_foot", "right_foot")
"""Bodies that stand on the ground."""
LIMIT = 2.356
"""Range of every hinge, both ways [rad]."""
FRICTION_LOSS = 0.08
"""Dry friction of every hinge [N m]."""
DENSITY = 1000.0
"""Density of every box [kg/m^3]."""
STAND_DROP, STAND_FORWARD = 0.0204, 0.0106
"""How far the keyframe `stand` lowers the hips below straight legs, and sets the feet forward [m]."""
_AXES = {"x": (1, 0, 0), "y": (0, 1, 0), "z": (0, 0, 1)}


def khr3hv() -> mujoco.MjSpec:
    """The Kondo KHR-3HV: 1.76 kg, a free base, 22 hinges with motors, only the two soles collide.

    Keyframe `zero` has straight legs, where the right sole is 0.5 mm lower than the left; in `stand` the knees
    are bent, both soles are level at the same height and the centre of mass is over their middle. In both the
    lower sole just touches z = 0.
    """
    spec = mujoco.MjSpec()
    spec.modelname = "khr3hv"
    spec.compiler.degree = False  # ranges are in radians
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    waist = spec.worldbody.add_body(name="waist", pos=[0, 0, 0.3])
    waist.add_freejoint(name="base")
    _add_boxes(waist, WAIST, "waist")
    for link in (*MIDDLE, *_side("left"), *_side("right")):
        _add_link(spec, link)
    _add_keyframes(spec)
    return spec


def leg_angles(drop: float, forward: float) -> tuple[float, float, float]:
    """Hip, knee and ankle pitch that bring a level ankle to a place [rad].

    Args:
        drop: How much closer to the hip than with a straight leg the ankle is, vertically [m].
        forward: How far ahead of its place under a straight leg it is [m].
    """
    thigh, shin = np.array(LEG[3].origin)[[0, 2]], np.array(LEG[4].origin)[[0, 2]]
    goal = thigh + shin + [forward, drop]
    a, b, reach = np.hypot(*thigh), np.hypot(*shin), np.hypot(*goal)
    bend = math.acos((reach**2 - a**2 - b**2) / (2 * a * b))
    # angles from straight down, front up; a pitch about +y turns a hanging leg backwards
    lead = math.acos((a**2 + reach**2 - b**2) / (2 * a * reach))
    hip = math.atan2(thigh[0], -thigh[1]) - (math.atan2(goal[0], -goal[1]) + lead)
    knee = bend + math.atan2(shin[0], -shin[1]) - math.atan2(thigh[0], -thigh[1])
    return hip, knee, -hip - knee


def _side(side: str) -> list[Link]:
    links = [link._replace(name=f"{side}_{link.name}", parent=_parent(side, link.parent)) for link in (*LEG, *ARM)]
    return links if side == "left" else [_mirrored(link) for link in links]


def _parent(side: str, name: str) -> str:
    return name if name in ("waist", "torso") else f"{side}_{name}"


def _mirrored(link: Link) -> Link:
    part = link.name.removeprefix("right_")
    x, y, z = link.origin
    boxes = RIGHT_BOXES.get(part) or tuple(
        b._replace(centre=(b.centre[0], -b.centre[1], b.centre[2]), roll=-b.roll) for b in link.boxes
    )
    return link._replace(origin=RIGHT_ORIGINS.get(part, (x, -y, z)), boxes=boxes)


def _add_link(spec: mujoco.MjSpec, link: Link) -> None:
    body = spec.body(link.parent).add_body(name=link.name, pos=link.origin)
    joint = body.add_joint(name=f"{link.name}_{link.axis}", type=mujoco.mjtJoint.mjJNT_HINGE, axis=_AXES[link.axis])
    joint.limited, joint.range, joint.frictionloss = True, [-LIMIT, LIMIT], FRICTION_LOSS
    _add_boxes(body, link.boxes, link.name)
    motor = spec.add_actuator(name=joint.name, target=joint.name, trntype=mujoco.mjtTrn.mjTRN_JOINT)
    motor.set_to_motor()


def _add_boxes(body: mujoco.MjsBody, boxes: tuple[Box, ...], name: str) -> None:
    touches = name in FEET
    for i, box in enumerate(boxes):
        turn, angle = ("y", box.pitch) if box.pitch else ("x", box.roll)
        half = math.radians(angle) / 2
        quat = [math.cos(half), *(math.sin(half) * np.array(_AXES[turn]))]
        geom = body.add_geom(type=mujoco.mjtGeom.mjGEOM_BOX, size=box.half, pos=box.centre, quat=quat, density=DENSITY)
        geom.name = f"{name}_sole" if touches else f"{name}_{i + 1}"
        geom.contype = geom.conaffinity = int(touches)
        geom.rgba = [0.25, 0.27, 0.3, 1] if touches else [0.75, 0.76, 0.78, 1]


def _add_keyframes(spec: mujoco.MjSpec) -> None:
    model = spec.compile()
    data = mujoco.MjData(model)
    spec.add_key(name="zero", qpos=_on_ground(model, data).tolist())
    mujoco.mj_resetData(model, data)
    longer = LEG[-1].origin[2] - RIGHT_ORIGINS["foot"][2]
    for side, drop in (("left", STAND_DROP), ("right", STAND_DROP + longer)):
        angles = leg_angles(drop, STAND_FORWARD)
        for part, angle in zip(("thigh", "shin", "ankle"), angles, strict=True):
            data.qpos[model.joint(f"{side}_{part}_y").qposadr[0]] = angle
    spec.add_key(name="stand", qpos=_on_ground(model, data).tolist())


def _on_ground(model: mujoco.MjModel, data: mujoco.MjData) -> np.ndarray:
    """The posture with its lower sole at z = 0."""
    mujoco.mj_kinematics(model, data)
    soles = [model.geom(f"{foot}_sole").id for foot in FEET]
    data.qpos[2] -= min(data.geom_xpos[i, 2] - model.geom_size[i, 2] for i in soles)
    return data.qpos.copy()
