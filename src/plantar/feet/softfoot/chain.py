"""The modules of one chain, their couplings and the joint that closes the loop."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import mujoco

from plantar.feet.defaults import add_guide, collider
from plantar.feet.inertia import set_mass
from plantar.feet.parts import Part
from plantar.feet.softfoot.draw import draw_link
from plantar.feet.softfoot.fast_parts import hinge_spring
from plantar.feet.softfoot.layout import Chain, Link

if TYPE_CHECKING:
    from plantar.feet.softfoot.softfoot import HalfSize, SoftFoot

_BOX, _CAPSULE = mujoco.mjtGeom.mjGEOM_BOX, mujoco.mjtGeom.mjGEOM_CAPSULE


def add_chain(
    spec: mujoco.MjSpec,
    foot: SoftFoot,
    layout: Chain,
    heel: mujoco.MjsBody,
    anterior: mujoco.MjsBody,
    *,
    chain: int,
    y: float,
) -> None:
    """Add chain number `chain` at lateral position `y`, heel to toe, and close its loop."""
    x, z = foot.chain_start
    parent, position = heel, [x + foot.coupling_length, y, z]
    for link in layout.links:
        name = f"chain{chain}_{link.name}"
        body = parent.add_body(name=name, pos=position)
        set_part(foot, body, link.part)
        _add_coupling(spec, foot, body, name, link)
        add_collider(spec, body, f"{name}_collision", foot, link.half_size, (link.centre, 0, link.lift))
        draw_link(spec, body, foot, link)
        if link.name == "metatarsus":
            _close_loop(spec, foot, layout, body, anterior, chain=chain, y=y)
        parent, position = body, [link.length + foot.coupling_length, 0, 0]


def set_part(foot: SoftFoot, body: mujoco.MjsBody, part: Part) -> None:
    """Give a body the mass and inertia of a part, which is described for a left foot."""
    set_mass(body, part if foot.side == "left" else part.mirrored())


def add_collider(
    spec: mujoco.MjSpec,
    body: mujoco.MjsBody,
    name: str,
    foot: SoftFoot,
    half: HalfSize,
    centre: tuple[float, float, float],
    pitch: float = 0.0,
    **more: Any,
) -> None:
    """Add the shape that touches the ground: a box, or capsules with the same underside; `more` goes to its geoms."""
    if foot.collider == "box":
        quat = [math.cos(pitch / 2), 0, math.sin(pitch / 2), 0]
        collider(spec, body, _BOX, name, size=list(half), pos=list(centre), quat=quat, **more)
        return
    length, width, height = half
    radius = min(width, length, height)
    x, y, z = centre
    low = z - height + radius
    if width <= length:
        line = [x - length + radius, y, low, x + length - radius, y, low]
        collider(spec, body, _CAPSULE, name, fromto=line, size=[radius, 0, 0], **more)
        return
    for end, sign in (("", -1), ("_front", 1)):
        at = x + sign * (length - radius)
        line = [at, y - width + radius, low, at, y + width - radius, low]
        collider(spec, body, _CAPSULE, name + end, fromto=line, size=[radius, 0, 0], **more)


def add_coupling_class(spec: mujoco.MjSpec, foot: SoftFoot) -> None:
    """Add the default class `coupling`: what all hinges between modules have in common."""
    rolling = foot.coupling == "rolling"
    if not rolling:
        # a band across one hinge in the middle would become shorter and push the coupling over
        stiffness = hinge_spring(foot)
    else:
        stiffness = (foot.band.hinge_stiffness if foot.band_model == "joint" else 0.0, 0.0)
    # Two equal hinges in series are half as heavy and as damped as each alone.
    share = 1.0 if rolling else 0.5
    default = spec.add_default("coupling", spec.default)
    joint, tie = default.joint, default.equality
    joint.axis, joint.limited = [0, 1, 0], True
    joint.stiffness, joint.damping = [stiffness[0], 0, stiffness[1]], [share * foot.band.damping, 0, 0]
    joint.armature = share * foot.armature
    tie.solref, tie.solimp = list(foot.coupling_solref), list(foot.coupling_solimp)


def _add_coupling(spec: mujoco.MjSpec, foot: SoftFoot, body: mujoco.MjsBody, name: str, link: Link) -> None:
    """Join `body` to its parent by a rolling pair, or by one hinge at the pair's middle."""
    down, up = foot.flexion_limit, foot.extension_limit
    low, high = (-down, up) if link.reversed else (-up, down)
    rolling, shared = foot.coupling == "rolling", spec.find_default("coupling")
    places = {"a": -foot.coupling_length, "b": 0.0} if rolling else {"": -foot.coupling_length / 2}
    joints = [
        body.add_joint(
            shared,
            name=f"{name}_{end}".rstrip("_"),
            pos=[x, 0, 0],
            range=[low / len(places), high / len(places)],
        )
        for end, x in places.items()
    ]
    if rolling:
        spec.add_equality(
            shared,
            name=f"{name}_rolling",
            type=mujoco.mjtEq.mjEQ_JOINT,
            name1=joints[0].name,
            name2=joints[1].name,
        )


def _close_loop(
    spec: mujoco.MjSpec,
    foot: SoftFoot,
    layout: Chain,
    metatarsus: mujoco.MjsBody,
    anterior: mujoco.MjsBody,
    *,
    chain: int,
    y: float,
) -> None:
    """Tie the metatarsal joint of the chain to the anterior arch, in position only."""
    x, z = layout.metatarsal_joint
    dx, dz = foot.metatarsal_joint
    on_arch = add_guide(spec, anterior, f"loop{chain}_arch", [x, y, z])
    on_sole = add_guide(spec, metatarsus, f"loop{chain}_sole", [dx, 0, dz])
    spec.add_equality(
        name=f"loop{chain}",
        type=mujoco.mjtEq.mjEQ_CONNECT,
        objtype=mujoco.mjtObj.mjOBJ_SITE,
        name1=on_arch.name,
        name2=on_sole.name,
        solref=list(foot.loop_solref),
        solimp=list(foot.loop_solimp),
    )
