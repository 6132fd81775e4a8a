"""Assemble the spec of a SoftFoot-Q at any fidelity."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import mujoco

from plantar.feet import defaults as _looks
from plantar.feet.defaults import HELPER_GROUP, add_guide, collider
from plantar.feet.inertia import set_mass
from plantar.feet.softfoot_q import draw
from plantar.feet.softfoot_q.layout import LayoutQ, LinkQ, layout, strip_part
from plantar.feet.softfoot_q.parts import turned
from plantar.ground.soil.sole_points import TREAD

if TYPE_CHECKING:
    from plantar.feet.softfoot.fast_parts import Strip
    from plantar.feet.softfoot_q.softfoot_q import SoftFootQ

_BOX, _CAPSULE = mujoco.mjtGeom.mjGEOM_BOX, mujoco.mjtGeom.mjGEOM_CAPSULE
_SLIDE = mujoco.mjtJoint.mjJNT_SLIDE
ENDS = {"front": 1, "back": -1}
"""The two halves of the arch, and the side of the ankle that each is on."""


def build_softfootq(foot: SoftFootQ) -> mujoco.MjSpec:
    """Build the spec of `foot`."""
    spec = mujoco.MjSpec()
    spec.modelname = foot.name
    spec.compiler.degree = False
    _looks.add_materials(spec)
    _looks.add_classes(spec, foot.friction)
    _add_defaults(spec, foot)
    where = layout(foot)
    ankle = _add_ankle(spec, foot)
    rolls = {end: _add_half(spec, foot, where, ankle, end) for end in ENDS}
    _add_spring(spec, foot)
    for c, strip in enumerate(where.strips, start=1):
        _add_chain(spec, foot, where, rolls, strip, c)
    if foot.built_chains == 1:
        _tie_rolls(spec, foot)
    _add_sensors(spec, foot)
    return spec


def _add_defaults(spec: mujoco.MjSpec, foot: SoftFootQ) -> None:
    pin = spec.add_default("pin", spec.default).joint
    pin.axis, pin.limited, pin.range = [0, 1, 0], True, [-foot.link_limit, foot.link_limit]
    play = spec.add_default("play", spec.default).joint
    play.limited = True
    play.solref_limit, play.solimp_limit = list(foot.loop_solref), list(foot.loop_solimp)


def _add_ankle(spec: mujoco.MjSpec, foot: SoftFootQ) -> mujoco.MjsBody:
    ankle = spec.worldbody.add_body(name="ankle")
    part = foot.parts.ankle
    x, y, z = part.com
    set_mass(ankle, replace(part, com=(x, y, z - foot.ankle_drop)))
    line = [0, 0, -foot.ankle_drop, 0, 0, -foot.ankle_radius]
    collider(spec, ankle, _CAPSULE, "ankle_collision", fromto=line, size=[foot.ankle_radius, 0, 0])
    ankle.add_site(name="ankle", size=[0.003] * 3, group=HELPER_GROUP)
    draw.draw_ankle(spec, ankle, foot)
    return ankle


def _add_half(spec: mujoco.MjSpec, foot: SoftFootQ, where: LayoutQ, ankle: mujoco.MjsBody, end: str) -> mujoco.MjsBody:
    """An arch link and its roll link; returns the latter. Positive turns of both arches close them."""
    side = ENDS[end]
    arch = ankle.add_body(name=f"{end}_arch", pos=[0, 0, -foot.ankle_drop])
    set_mass(arch, foot.parts.arch if side > 0 else turned(foot.parts.arch))
    limit = foot.arch_limit
    arch.add_joint(
        name=f"{end}_arch",
        axis=[0, side, 0],
        limited=True,
        range=[-limit, limit],
        damping=[foot.arch_damping, 0, 0],
        armature=foot.armature,
    )
    x, z = side * where.roll[0], where.roll[1]
    collider(spec, arch, _CAPSULE, f"{end}_arch_collision", fromto=[0, 0, 0, x, 0, z], size=[foot.arch_radius, 0, 0])
    draw.draw_arch(spec, arch, foot, x, z)
    roll = arch.add_body(name=f"{end}_roll", pos=[x, 0, z], quat=_pitch(-side * foot.roll_tilt))
    set_mass(roll, foot.parts.roll if side > 0 else turned(foot.parts.roll))
    roll.add_joint(
        name=f"{end}_roll",
        axis=[1, 0, 0],
        limited=True,
        range=[-foot.roll_limit, foot.roll_limit],
        damping=[foot.roll_damping, 0, 0],
        armature=foot.armature,
    )
    _add_tip(spec, foot, roll, side)
    return roll


def _add_tip(spec: mujoco.MjSpec, foot: SoftFootQ, roll: mujoco.MjsBody, side: int) -> None:
    """The rounded end of the foot, level in the straight foot though its link is tilted."""
    radius = min(foot.tip_radius, 0.9 * foot.tip_reach, 0.45 * foot.tip_drop)
    x, z = side * (foot.tip_reach - radius), radius - foot.tip_drop
    tilt = side * foot.roll_tilt
    ahead, up = x * math.cos(tilt) + z * math.sin(tilt), z * math.cos(tilt) - x * math.sin(tilt)
    half = foot.roll_width / 2 - radius
    line = [ahead, -half, up, ahead, half, up]
    collider(spec, roll, _CAPSULE, f"{roll.name}_collision", fromto=line, size=[radius, 0, 0])
    draw.draw_roll(spec, roll, foot, side, line, radius)


def _add_spring(spec: mujoco.MjSpec, foot: SoftFootQ) -> None:
    """The spring between the arches, on the sum of their turns."""
    rest = [foot.arch_rest, foot.arch_rest]
    spring = spec.add_tendon(name="arch_spring", stiffness=[foot.arch_stiffness, 0, 0], springlength=rest)
    for end in ENDS:
        spring.wrap_joint(f"{end}_arch", 1.0)


def _tie_rolls(spec: mujoco.MjSpec, foot: SoftFootQ) -> None:
    """Let both roll links turn alike, as chains side by side make them do."""
    spec.add_equality(
        name="rolls",
        type=mujoco.mjtEq.mjEQ_JOINT,
        name1="front_roll",
        name2="back_roll",
        solref=list(foot.loop_solref),
        solimp=list(foot.loop_solimp),
    )


def _add_chain(
    spec: mujoco.MjSpec, foot: SoftFootQ, where: LayoutQ, rolls: dict[str, mujoco.MjsBody], strip: Strip, number: int
) -> None:
    """The links of one strip from the back roll link forward, closed at the front one."""
    dx, dz = foot.insertion
    parent, at, quat = rolls["back"], [-dx, strip.y, dz], _pitch(-foot.roll_tilt)
    for i, link in enumerate(where.links):
        body = parent.add_body(name=f"chain{number}_{link.name}", pos=at, quat=quat)
        set_mass(body, strip_part(link, strip))
        _add_pin(spec, foot, body, strip, first=i == 0)
        _add_pads(spec, foot, body, link, strip)
        parent, at, quat = body, [link.length, 0, 0], [1, 0, 0, 0]
    on_sole = add_guide(spec, parent, f"loop{number}_sole", at)
    on_arch = add_guide(spec, rolls["front"], f"loop{number}_arch", [dx, strip.y, dz])
    spec.add_equality(
        name=f"loop{number}",
        type=mujoco.mjtEq.mjEQ_CONNECT,
        objtype=mujoco.mjtObj.mjOBJ_SITE,
        name1=on_arch.name,
        name2=on_sole.name,
        solref=list(foot.loop_solref),
        solimp=list(foot.loop_solimp),
    )


def _add_pin(spec: mujoco.MjSpec, foot: SoftFootQ, body: mujoco.MjsBody, strip: Strip, *, first: bool) -> None:
    """The pin behind a link: pitch, and its play. Light builds have all play at the first pin."""
    n, play = strip.chains, spec.find_default("play")
    turn = {"damping": [n * foot.link_damping, 0, 0], "armature": n * foot.armature}
    pins = foot.links + 1
    # Along the chain all play is at the first pin: the others would move alike.
    if first and foot.play_length > 0:
        longest = pins * foot.play_length
        weight = n * foot.armature / foot.pitch**2
        body.add_joint(
            play,
            name=f"{body.name}_play",
            type=_SLIDE,
            axis=[1, 0, 0],
            range=[0, longest],
            damping=[n * foot.link_damping / foot.pitch**2, 0, 0],
            armature=weight,
        )
    lumped = 1 if foot.fidelity == "full" else pins
    loose = {"twist": ([1, 0, 0], lumped * foot.play_twist), "yaw": ([0, 0, 1], lumped * foot.play_yaw)}
    for name, (axis, reach) in loose.items():
        built = foot.fidelity == "full" or (first and (foot.fidelity == "hinge" or name == "yaw"))
        if reach > 0 and built:
            end = min(reach, math.pi / 4)
            stiffness = [n * foot.play_stiffness / lumped, 0, 0]
            body.add_joint(play, name=f"{body.name}_{name}", axis=axis, range=[-end, end], stiffness=stiffness, **turn)
    # Merged links have fewer pins in series for the same bend.
    stiff = foot.link_stiffness * ((foot.links // 2 - 1) / (foot.links - 1) if foot.fidelity == "fast" else 1.0)
    dry = 0.0 if foot.fidelity == "fast" else foot.link_friction
    body.add_joint(spec.find_default("pin"), name=body.name, frictionloss=dry, stiffness=[n * stiff, 0, 0], **turn)


def _add_pads(spec: mujoco.MjSpec, foot: SoftFootQ, body: mujoco.MjsBody, link: LinkQ, strip: Strip) -> None:
    half, width = foot.link_length / 2, foot.link_width / 2 + strip.reach
    top = foot.inner_height / 2
    tread = [TREAD, strip.chains * foot.link_width / 2 / width]  # merged chains have gaps between them
    for x in link.pads:
        if foot.collider == "rod":
            radius = min(foot.pad_depth, width) * 0.8
            low = radius - foot.pad_depth
            line = [x, radius - width, low, x, width - radius, low]
            collider(spec, body, _CAPSULE, f"{body.name}_collision", fromto=line, size=[radius, 0, 0], userdata=tread)
        else:
            size, at = [half, width, (foot.pad_depth + top) / 2], [x, 0, (top - foot.pad_depth) / 2]
            collider(spec, body, _BOX, f"{body.name}_collision", size=size, pos=at, userdata=tread)
    if not link.pads:
        size = [half, draw.INNER_SHARE * width, top]
        collider(spec, body, _BOX, f"{body.name}_collision", size=size, pos=[link.bars[0], 0, 0])
    draw.draw_link(spec, body, foot, link, strip)


def _add_sensors(spec: mujoco.MjSpec, foot: SoftFootQ) -> None:
    """Chain tensions and loop residuals.

    - `chain<c>_tension`: pull of strip c once its play is used up [N];
    - `loop<c>_residual`: gap of strip c's loop, sole from arch, in the roll link's frame [m].
    """
    for c in range(1, foot.built_chains + 1):
        if foot.play_length > 0:
            kind, joint = mujoco.mjtSensor.mjSENS_JOINTLIMITFRC, mujoco.mjtObj.mjOBJ_JOINT
            spec.add_sensor(name=f"chain{c}_tension", type=kind, objtype=joint, objname=f"chain{c}_link1_play")
        spec.add_sensor(
            name=f"loop{c}_residual",
            type=mujoco.mjtSensor.mjSENS_FRAMEPOS,
            objtype=mujoco.mjtObj.mjOBJ_SITE,
            objname=f"loop{c}_sole",
            reftype=mujoco.mjtObj.mjOBJ_SITE,
            refname=f"loop{c}_arch",
        )


def _pitch(angle: float) -> list[float]:
    """Quaternion of a turn about y, front down."""
    return [math.cos(angle / 2), 0.0, math.sin(angle / 2), 0.0]
