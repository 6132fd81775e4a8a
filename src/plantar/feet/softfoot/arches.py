"""The ankle, the two arches and the heel."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import mujoco

from plantar.feet.defaults import HELPER_GROUP, collider
from plantar.feet.softfoot import draw as _draw
from plantar.feet.softfoot.chain import add_collider, set_part
from plantar.feet.softfoot.layout import Chain, chain_offsets

if TYPE_CHECKING:
    from plantar.feet.softfoot.softfoot import SoftFoot

_BOX, _CAPSULE = mujoco.mjtGeom.mjGEOM_BOX, mujoco.mjtGeom.mjGEOM_CAPSULE


def add_arches(spec: mujoco.MjSpec, foot: SoftFoot, layout: Chain) -> tuple[mujoco.MjsBody, mujoco.MjsBody]:
    """Add ankle, arches and heel; returns the heel and the anterior arch."""
    rail = _draw.rail_offset(foot, chain_offsets(foot))
    ankle = spec.worldbody.add_body(name="ankle")
    set_part(foot, ankle, foot.parts.ankle)
    half = min(foot.ankle_half, rail - foot.rail_radius)
    collider(spec, ankle, _BOX, "ankle_collision", size=[foot.ankle_half, half, foot.ankle_half])
    _draw.draw_ankle(spec, ankle, foot, half, rail)
    ankle.add_site(name="ankle", size=[0.003] * 3, group=HELPER_GROUP)

    posterior = ankle.add_body(name="posterior_arch")
    set_part(foot, posterior, foot.parts.posterior_arch)
    behind, ahead = foot.rail_bulge
    _add_rails(spec, posterior, "posterior_arch", _draw.knots(foot.heel_joint, behind), rail, foot.rail_radius)
    heel = _add_heel(spec, posterior, foot)

    anterior = ankle.add_body(name="anterior_arch")
    set_part(foot, anterior, foot.parts.anterior_arch)
    anterior.add_joint(name="anterior_arch", axis=[0, 1, 0], damping=[foot.arch_damping, 0, 0], armature=foot.armature)
    line = _draw.knots(layout.metatarsal_joint, ahead)
    _add_rails(spec, anterior, "anterior_arch", line, rail, foot.rail_radius)
    return heel, anterior


def _add_heel(spec: mujoco.MjSpec, posterior: mujoco.MjsBody, foot: SoftFoot) -> mujoco.MjsBody:
    x, z = foot.heel_joint
    heel = posterior.add_body(name="heel", pos=[x, 0, z])
    # The prototype's heel is as wide as its five chains; a narrower foot has its share.
    set_part(foot, heel, foot.parts.heel.scaled(foot.chains / 5))
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
    add_collider(spec, heel, "heel_collision", foot, half, (cx, 0, cz), pitch=foot.heel_pitch)
    _draw.draw_heel(spec, heel, foot, half)
    return heel


def _add_rails(
    spec: mujoco.MjSpec,
    body: mujoco.MjsBody,
    name: str,
    knots: tuple[_draw.Point, _draw.Point, _draw.Point],
    rail: float,
    radius: float,
) -> None:
    """Draw the two side rails and give each two straight capsules that collide."""
    _draw.draw_rails(spec, body, knots, rail, radius)
    for side, y in (("right", -rail), ("left", rail)):
        for part, (a, b) in enumerate(zip(knots, knots[1:], strict=False), start=1):
            line = [a[0], y, a[1], b[0], y, b[1]]
            label = f"{name}_{side}{part}_collision"
            collider(spec, body, _CAPSULE, label, fromto=line, size=[radius, 0, 0])
