"""What a SoftFoot-Q looks like: primitives that touch nothing and weigh nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import mujoco

from plantar.feet.defaults import visual
from plantar.feet.softfoot.fast_parts import Strip
from plantar.feet.softfoot_q.layout import LinkQ

if TYPE_CHECKING:
    from plantar.feet.softfoot_q.softfoot_q import SoftFootQ

INNER_SHARE = 0.66
"""Width of an inner link over that of an outer one; 11.3 mm of 17 mm in the CAD."""

_BOX, _CAPSULE, _CYLINDER = mujoco.mjtGeom.mjGEOM_BOX, mujoco.mjtGeom.mjGEOM_CAPSULE, mujoco.mjtGeom.mjGEOM_CYLINDER


def draw_ankle(spec: mujoco.MjSpec, ankle: mujoco.MjsBody, foot: SoftFootQ) -> None:
    """Draw a flange, a neck and the shaft of the arches."""
    drop, radius = foot.ankle_drop, foot.ankle_radius
    visual(spec, ankle, _CYLINDER, "steel", fromto=[0, 0, -0.004, 0, 0, 0], size=[1.5 * radius, 0, 0])
    visual(spec, ankle, _CYLINDER, "cube", fromto=[0, 0, -drop, 0, 0, -0.004], size=[radius, 0, 0])
    half = 0.42 * foot.roll_width
    visual(spec, ankle, _CYLINDER, "steel", fromto=[0, -half, -drop, 0, half, -drop], size=[0.004, 0, 0])


def draw_arch(spec: mujoco.MjSpec, arch: mujoco.MjsBody, foot: SoftFootQ, x: float, z: float) -> None:
    """Draw two bowed plates from the ankle to the roll hinge, and the hub between them."""
    side = 0.3 * foot.roll_width
    points = [(0.0, 0.0), (0.35 * x, 0.06 * z), (0.75 * x, 0.42 * z), (x, z)]
    for y in (-side, side):
        for i, (a, b) in enumerate(zip(points, points[1:], strict=False)):
            inner, outer = (y * (1 - 0.33 * j) for j in (i, i + 1))
            line = [a[0], inner, a[1], b[0], outer, b[1]]
            visual(spec, arch, _CAPSULE, "frame", fromto=line, size=[0.8 * foot.arch_radius, 0, 0])
    visual(
        spec,
        arch,
        _CYLINDER,
        "frame",
        fromto=[0, -1.2 * side, 0, 0, 1.2 * side, 0],
        size=[1.1 * foot.arch_radius, 0, 0],
    )
    hinge = [0.9 * x, 0, z, 1.1 * x, 0, z]
    visual(spec, arch, _CYLINDER, "steel", fromto=hinge, size=[0.5 * foot.arch_radius, 0, 0])


def draw_roll(
    spec: mujoco.MjSpec, roll: mujoco.MjsBody, foot: SoftFootQ, side: int, line: list[float], radius: float
) -> None:
    """Draw the block that holds the chains, the hub of the hinge and the rubber tip."""
    half, low = foot.roll_width / 2, foot.tip_drop - 2 * radius
    visual(spec, roll, _BOX, "heel", size=[0.006, half, 0.4 * low + 0.003], pos=[side * 0.004, 0, -0.7 * low])
    hub = [side * -0.004, 0, 0, side * 0.008, 0, 0]
    visual(spec, roll, _CYLINDER, "heel", fromto=hub, size=[0.0095, 0, 0])
    visual(spec, roll, _CAPSULE, "rubber", fromto=line, size=[radius, 0, 0])


def draw_link(spec: mujoco.MjSpec, body: mujoco.MjsBody, foot: SoftFootQ, link: LinkQ, strip: Strip) -> None:
    """Draw the plates and pins of a chain link, and its rubber pad, for each chain that it stands for."""
    half, high, low = foot.link_width / 2, foot.inner_height / 2, foot.pad_depth
    count, reach = strip.chains, foot.pitch / 2
    for c in range(count):
        y = 0.0 if count == 1 else strip.reach * (2 * c / (count - 1) - 1)
        for x in link.bars:
            visual(spec, body, _BOX, "steel", size=[reach + 0.3 * high, INNER_SHARE * half, 0.7 * high], pos=[x, y, 0])
        for x in link.pads:
            for sign in (-1, 1):
                at = [x, y + sign * 0.85 * half, 0]
                visual(spec, body, _BOX, "module", size=[reach + 0.6 * high, 0.12 * half, 0.8 * high], pos=at)
            pad = (low - 0.9 * high) / 2
            size = [0.49 * foot.link_length, 0.96 * half, pad]
            visual(spec, body, _BOX, "rubber", size=size, pos=[x, y, pad - low])
    if link.pads:
        width = half + strip.reach
        for x in (link.pads[0] - reach, link.pads[0] + reach):
            visual(spec, body, _CYLINDER, "steel", fromto=[x, -width, 0, x, width, 0], size=[0.45 * high, 0, 0])
