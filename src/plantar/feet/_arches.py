"""The ankle, the two arches and the heel."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import mujoco

from plantar.feet._chain import add_collider, set_part
from plantar.feet._layout import Chain, chain_offsets
from plantar.feet._looks import collider, visual

if TYPE_CHECKING:
    from plantar.feet.softfoot import SoftFoot

CUBE_HALF = 0.033
"""Half side of the ankle cube of the prototype [m]."""
RAIL_RADIUS = 0.005
"""Radius of the arches' side rails [m]; the prototype's are plates of about that thickness."""

_BOX, _CAPSULE, _CYLINDER = mujoco.mjtGeom.mjGEOM_BOX, mujoco.mjtGeom.mjGEOM_CAPSULE, mujoco.mjtGeom.mjGEOM_CYLINDER


def add_arches(spec: mujoco.MjSpec, foot: SoftFoot, layout: Chain) -> tuple[mujoco.MjsBody, mujoco.MjsBody]:
    """Add ankle, arches and heel; returns the heel and the anterior arch."""
    ankle = spec.worldbody.add_body(name="ankle")
    set_part(ankle, foot.parts.ankle)
    half = min(CUBE_HALF, rail_offset(foot) - RAIL_RADIUS)
    collider(ankle, _BOX, "ankle_collision", foot.friction, size=[CUBE_HALF, half, CUBE_HALF])
    visual(ankle, _BOX, "cube", size=[0.97 * CUBE_HALF, half, 0.97 * CUBE_HALF])
    visual(ankle, _CYLINDER, "steel", fromto=[0, -half - 0.006, 0, 0, half + 0.006, 0], size=[0.013, 0, 0])
    ankle.add_site(name="ankle", size=[0.003] * 3, group=4)

    posterior = ankle.add_body(name="posterior_arch")
    set_part(posterior, foot.parts.posterior_arch)
    _add_rails(posterior, "posterior_arch", foot, foot.heel_joint, bulge=-0.012)
    heel = _add_heel(posterior, foot)

    anterior = ankle.add_body(name="anterior_arch")
    set_part(anterior, foot.parts.anterior_arch)
    anterior.add_joint(
        name="anterior_arch", axis=[0, 1, 0], damping=[foot.arch_damping, 0, 0], armature=foot.armature
    )
    _add_rails(anterior, "anterior_arch", foot, layout.metatarsal_joint, bulge=0.014)
    return heel, anterior


def rail_offset(foot: SoftFoot) -> float:
    """Lateral distance of the side rails from the middle of the foot [m]."""
    return max(abs(y) for y in chain_offsets(foot)) + foot.module_half_size[1] + RAIL_RADIUS + 0.0025


def _add_heel(posterior: mujoco.MjsBody, foot: SoftFoot) -> mujoco.MjsBody:
    x, z = foot.heel_joint
    heel = posterior.add_body(name="heel", pos=[x, 0, z])
    # The prototype's heel is as wide as its five chains; a narrower foot has its share.
    set_part(heel, foot.parts.heel.scaled(foot.chains / 5))
    heel.add_joint(
        name="heel",
        axis=[0, 1, 0],
        stiffness=[foot.heel_stiffness, 0, 0],
        damping=[foot.arch_damping, 0, 0],
        armature=foot.armature,
        limited=True,
        range=[-math.pi / 2, math.pi / 2],
    )
    length, width, height = foot.heel_half_size
    half = (length, foot.chains * width, height)
    cx, cz = foot.heel_centre
    add_collider(heel, "heel_collision", foot, half, (cx, 0, cz), pitch=foot.heel_pitch)
    lift = 0.4 * height
    visual(heel, _BOX, "heel", size=[0.86 * length, 0.92 * half[1], 0.55 * height], pos=[cx, 0, cz + lift - 0.001])
    visual(heel, _BOX, "rubber", size=[length, 0.94 * half[1], 0.42 * height], pos=[cx, 0, cz - 0.58 * height])
    reach = rail_offset(foot)
    visual(heel, _CYLINDER, "steel", fromto=[0, -reach, 0, 0, reach, 0], size=[0.0035, 0, 0])
    return heel


def _add_rails(body: mujoco.MjsBody, name: str, foot: SoftFoot, end: tuple[float, float], bulge: float) -> None:
    """Two side rails from the ankle to `end` (x, z), arched by `bulge` at half way."""
    x, z = end
    length = math.hypot(x, z)
    middle = (x / 2 + bulge * -z / length, z / 2 + abs(bulge * x) / length)
    for side in (-1, 1):
        y = side * rail_offset(foot)
        for part, (a, b) in enumerate((((0, 0), middle), (middle, end)), start=1):
            line = [a[0], y, a[1], b[0], y, b[1]]
            visual(body, _CAPSULE, "frame", fromto=line, size=[RAIL_RADIUS, 0, 0])
            label = f"{name}_{'left' if side > 0 else 'right'}{part}_collision"
            collider(body, _CAPSULE, label, foot.friction, fromto=line, size=[RAIL_RADIUS, 0, 0])
