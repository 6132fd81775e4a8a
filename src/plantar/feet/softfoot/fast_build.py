"""The light builds of a SoftFoot: one hinge per coupling, merged chains, rods for the arch, fixed tendons."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import mujoco

from plantar.feet import defaults as _looks
from plantar.feet.defaults import HELPER_GROUP, VISUAL_GROUP, add_guide, visual
from plantar.feet.softfoot.chain import add_collider, set_part
from plantar.feet.softfoot.draw import knots, rail_offset
from plantar.feet.softfoot.fast_parts import (
    Strip,
    bare,
    cord_of,
    hinge_spring,
    joined,
    loop_impedance,
    merged,
    point_mass,
    strips,
)
from plantar.feet.softfoot.layout import Chain, Link, chain_layout, chain_offsets
from plantar.ground.soil.sole_points import TREAD

if TYPE_CHECKING:
    from plantar.feet.parts import Vector
    from plantar.feet.softfoot.softfoot import SoftFoot

_BOX, _CAPSULE = mujoco.mjtGeom.mjGEOM_BOX, mujoco.mjtGeom.mjGEOM_CAPSULE
_TENDON = mujoco.mjtObj.mjOBJ_TENDON
ROD_RADIUS = 0.001
"""Radius of the rods that modules may touch with [m]."""


def build_fast(foot: SoftFoot) -> mujoco.MjSpec:
    """Build the light spec of `foot`; names are those of the full one, chains numbered by strip."""
    spec = mujoco.MjSpec()
    spec.modelname = foot.name
    spec.compiler.degree = False
    _looks.add_materials(spec)
    _looks.add_classes(spec, foot.friction)
    # Colliders are also what is drawn: every further geom would cost time at every step.
    spec.find_default("collision").geom.group = VISUAL_GROUP
    layout = chain_layout(foot)
    ankle, heel = _add_ankle(spec, foot), _add_heel(spec, foot)
    for c, strip in enumerate(strips(foot), start=1):
        _add_strip(spec, foot, layout, heel, strip, c)
        _add_rod(spec, foot, layout, ankle, strip, c)
        if foot.tendon.present:
            _add_cord(spec, foot, layout, c)
    _add_sensors(spec, foot)
    return spec


def _looks_of(material: str) -> dict[str, Any]:
    return {"material": material, "rgba": list(_looks.COLOURS[material])}


def _add_rod_collider(
    spec: mujoco.MjSpec, body: mujoco.MjsBody, material: str, half: Vector, at: Vector, userdata: list[float]
) -> None:
    """A thin rod along the underside, which touches with its two ends, and the box that is drawn."""
    length, _, height = half
    ends = [[at[0] + x, at[1], at[2] - height + ROD_RADIUS] for x in (ROD_RADIUS - length, length - ROD_RADIUS)]
    touch = {"fromto": ends[0] + ends[1], "size": [ROD_RADIUS, 0, 0], "material": material, "userdata": userdata}
    _looks.collider(spec, body, _CAPSULE, f"{body.name}_collision", **touch)
    visual(spec, body, _BOX, material, size=list(half), pos=list(at))


def _add_ankle(spec: mujoco.MjSpec, foot: SoftFoot) -> mujoco.MjsBody:
    """The ankle with the posterior arch, which never moves against it, and the arch's share at the ankle."""
    rail = rail_offset(foot, chain_offsets(foot))
    ankle = spec.worldbody.add_body(name="ankle")
    upper = point_mass(foot.parts.anterior_arch.mass * (1 - _arch_share(foot)), (0.0, 0.0, 0.0))
    set_part(foot, ankle, joined(foot.parts.ankle, foot.parts.posterior_arch, upper))
    half, radius = foot.ankle_half, foot.rail_radius
    size = [half, min(half, rail - radius), half]
    _looks.collider(spec, ankle, _BOX, "ankle_collision", size=size, **_looks_of("cube"))
    ankle.add_site(name="ankle", size=[0.003] * 3, group=HELPER_GROUP)
    start, middle, end = knots(foot.heel_joint, foot.rail_bulge[0])
    for a, b in ((start, middle), (middle, end)):
        visual(spec, ankle, _CAPSULE, "frame", fromto=[a[0], 0, a[1], b[0], 0, b[1]], size=[radius, 0, 0])
    return ankle


def _add_heel(spec: mujoco.MjSpec, foot: SoftFoot) -> mujoco.MjsBody:
    x, z = foot.heel_joint
    heel = spec.body("ankle").add_body(name="heel", pos=[x, 0, z])
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
    cx, cz = foot.heel_centre
    half = (length, foot.chains * width, height)
    add_collider(spec, heel, "heel_collision", foot, half, (cx, 0.0, cz), foot.heel_pitch, **_looks_of("heel"))
    return heel


def _add_strip(
    spec: mujoco.MjSpec, foot: SoftFoot, layout: Chain, heel: mujoco.MjsBody, strip: Strip, number: int
) -> None:
    """The links of one strip, each one hinge from the next."""
    x, z = foot.chain_start
    parent, end = heel, [x, strip.y, z]
    for i, link in enumerate(layout.links):
        name = f"chain{number}_{link.name}"
        body = parent.add_body(name=name, pos=[end[0] + foot.coupling_length, end[1], end[2]])
        part = merged(link.part, strip)
        if i == layout.metatarsus:
            dx, dz = foot.metatarsal_joint
            lower = foot.parts.anterior_arch.mass * _arch_share(foot) * strip.chains / foot.chains
            part = joined(part, point_mass(lower, (dx, 0.0, dz)))
            for site in ("sole", "arch"):
                add_guide(spec, body, f"loop{number}_{site}", [dx, 0, dz])
        set_part(foot, body, part)
        _add_hinge(foot, body, link, strip)
        length, width, height = link.half_size
        material = "metatarsus" if link.name == "metatarsus" else "module"
        wide = width + strip.reach
        # there are gaps between the chains a strip represents, under which soft ground is not pressed
        tread = [TREAD, strip.chains * width / wide]
        half, at = (length, wide, height), (link.centre, 0.0, link.lift)
        # the foot is as wide where it stands: at the heel, at the metatarsus and at the tip of the toes
        narrow = foot.fast.touch == "rod" and i != layout.metatarsus and i + 1 < len(layout.links)
        if narrow:
            _add_rod_collider(spec, body, material, half, at, tread)
        else:
            add_collider(spec, body, f"{name}_collision", foot, half, at, userdata=tread, **_looks_of(material))
        parent, end = body, [link.length, 0, 0]


def _add_hinge(foot: SoftFoot, body: mujoco.MjsBody, link: Link, strip: Strip) -> None:
    down, up = foot.flexion_limit, foot.extension_limit
    linear, cubic = hinge_spring(foot)
    n, fast = strip.chains, foot.fast
    body.add_joint(
        name=body.name,
        axis=[0, 1, 0],
        pos=[-foot.coupling_length / 2, 0, 0],
        limited=True,
        range=[-down, up] if link.reversed else [-up, down],
        stiffness=[n * fast.bend * linear, 0, n * (fast.bend * cubic + fast.harden * linear)],
        damping=[n * foot.band.damping / 2, 0, 0],
        armature=n * foot.armature / 2,
    )


def _add_rod(
    spec: mujoco.MjSpec, foot: SoftFoot, layout: Chain, ankle: mujoco.MjsBody, strip: Strip, number: int
) -> None:
    """The anterior arch as a rod of fixed length, which yields as the rolling pairs would lengthen the chain."""
    top = add_guide(spec, ankle, f"loop{number}_top", [0, strip.y, 0])
    rod = spec.add_tendon(name=f"loop{number}_rod", width=foot.rail_radius, material="frame")
    rod.wrap_site(top.name)
    rod.wrap_site(f"loop{number}_sole")
    path = _add_path(spec, foot, layout, strip, number)
    x, z = layout.metatarsal_joint
    stretch = x / math.hypot(x, z) if foot.fast.stretch is None else foot.fast.stretch
    spec.add_equality(
        name=f"loop{number}",
        type=mujoco.mjtEq.mjEQ_TENDON,
        name1=rod.name,
        name2=path.name,
        # Over points half a pitch from a hinge the path shortens by pitch (1 - cos), not coupling_length (1 - cos).
        data=[foot.fast.rod_offset, stretch * foot.coupling_length / foot.pitch, *[0] * 10],
        solref=list(foot.fast.loop_solref),
        solimp=list(loop_impedance(foot)),
    )
    if foot.built_chains > 1:
        _share_arch(spec, foot, layout, ankle, strip, number)


def _add_path(spec: mujoco.MjSpec, foot: SoftFoot, layout: Chain, strip: Strip, number: int) -> mujoco.MjsTendon:
    """A path over points half a pitch before and behind every hinge up to the metatarsus; modules share theirs."""
    path = spec.add_tendon(name=f"loop{number}_path", width=0.0005, material="helper")
    back, ahead = foot.coupling_length / 2 - foot.pitch / 2, foot.pitch / 2 - foot.coupling_length / 2
    x, z = foot.chain_start
    parent, at, last = spec.body("heel"), [x + back, strip.y, z], math.nan
    for link in layout.links[: layout.metatarsus + 1]:
        name = f"chain{number}_{link.name}"
        if not abs(at[0] - last) < 1e-9:
            path.wrap_site(add_guide(spec, parent, f"{name}_path_rear", at).name)
        path.wrap_site(add_guide(spec, spec.body(name), f"{name}_path", [ahead, 0, 0]).name)
        parent, at, last = spec.body(name), [link.length + back, 0, 0], ahead
    return path


def _share_arch(
    spec: mujoco.MjSpec, foot: SoftFoot, layout: Chain, ankle: mujoco.MjsBody, strip: Strip, number: int
) -> None:
    """Make all rods swing together, like the single arch they represent."""
    x, z = layout.metatarsal_joint
    # Seen from a point square to the rod, the distance of its lower end is its swing.
    at = add_guide(spec, ankle, f"loop{number}_aside", [x - z, strip.y, z + x])
    swing = spec.add_tendon(name=f"loop{number}_swing", width=0.0005, material="helper")
    swing.wrap_site(at.name)
    swing.wrap_site(f"loop{number}_sole")
    if number > 1:
        spec.add_equality(
            name=f"loop{number}_swing",
            type=mujoco.mjtEq.mjEQ_TENDON,
            name1=swing.name,
            name2="loop1_swing",
            data=[0, 1, *[0] * 10],
            solref=list(foot.fast.loop_solref),
            solimp=list(loop_impedance(foot)),
        )


def _add_cord(spec: mujoco.MjSpec, foot: SoftFoot, layout: Chain, number: int) -> None:
    """The plantar tendon as a sum of joint angles times moment arms; its length is from the straight foot's."""
    arms, slack = cord_of(bare(foot))
    cord = spec.add_tendon(
        name=f"tendon{number}",
        limited=True,
        range=[-1, slack + foot.fast.cord_slack],
        solref_limit=list(foot.tendon.solref),
        solimp_limit=list(foot.tendon.solimp),
    )
    for link, arm in zip(layout.links, arms, strict=True):
        cord.wrap_joint(f"chain{number}_{link.name}", foot.fast.cord_arm * arm)


def _arch_share(foot: SoftFoot) -> float:
    """Fraction of the anterior arch's mass that its lower joint carries."""
    x, _, z = foot.parts.anterior_arch.com
    return min(1.0, math.hypot(x, z) / math.hypot(*chain_layout(foot).metatarsal_joint))


def _add_sensors(spec: mujoco.MjSpec, foot: SoftFoot) -> None:
    for c in range(1, foot.built_chains + 1):
        if foot.tendon.present:
            kind = mujoco.mjtSensor.mjSENS_TENDONLIMITFRC
            spec.add_sensor(name=f"tendon{c}_tension", type=kind, objtype=_TENDON, objname=f"tendon{c}")
        for part in ("rod", "path"):
            kind = mujoco.mjtSensor.mjSENS_TENDONPOS
            spec.add_sensor(name=f"loop{c}_{part}", type=kind, objtype=_TENDON, objname=f"loop{c}_{part}")
