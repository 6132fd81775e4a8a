"""What a SoftFoot looks like: primitives that touch nothing and weigh nothing."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import mujoco

from plantar.feet.defaults import visual
from plantar.feet.softfoot.layout import Link

if TYPE_CHECKING:
    from plantar.feet.softfoot.softfoot import SoftFoot
    from plantar.feet.softfoot.tendon import Point

RAIL_SEGMENTS = 4
"""Straight pieces that draw one side rail."""

_BOX, _CAPSULE, _CYLINDER = mujoco.mjtGeom.mjGEOM_BOX, mujoco.mjtGeom.mjGEOM_CAPSULE, mujoco.mjtGeom.mjGEOM_CYLINDER


def draw_ankle(spec: mujoco.MjSpec, ankle: mujoco.MjsBody, foot: SoftFoot, width: float, rail: float) -> None:
    """Draw a cube with bevelled edges and the shaft that carries the arches."""
    bevel, half, radius = 0.9, foot.ankle_half, foot.rail_radius
    for scale in ((1, bevel, bevel), (bevel, 1, bevel), (bevel, bevel, 1)):
        size = [scale[0] * half, scale[1] * width, scale[2] * half]
        visual(spec, ankle, _BOX, "cube", size=size)
    visual(spec, ankle, _CYLINDER, "steel", fromto=[0, 0, half, 0, 0, 1.1 * half], size=[0.6 * half, 0, 0])
    _pin(spec, ankle, "steel", (0, 0), rail + 0.8 * radius, 1.4 * radius)
    _pin(spec, ankle, "frame", (0, 0), rail - 0.4 * radius, 2.8 * radius)


def draw_rails(
    spec: mujoco.MjSpec, body: mujoco.MjsBody, knots: tuple[Point, Point, Point], rail: float, radius: float
) -> None:
    """Draw two side rails as an arc through three points (x, z), and the pivots at its end."""
    points = _arc(*knots)
    for y in (-rail, rail):
        for a, b in zip(points, points[1:], strict=False):
            visual(spec, body, _CAPSULE, "frame", fromto=[a[0], y, a[1], b[0], y, b[1]], size=[radius, 0, 0])
    _pin(spec, body, "steel", points[-1], rail + radius, 0.6 * radius)


def draw_heel(spec: mujoco.MjSpec, heel: mujoco.MjsBody, foot: SoftFoot, half: tuple[float, float, float]) -> None:
    """Draw a tray on a rubber pad, open above so that the tendons can be seen turning."""
    length, width, height = half
    x, z = foot.heel_centre
    pad, wall = 0.3 * height, 0.07 * width
    floor = z - height + 2 * pad
    visual(spec, heel, _BOX, "rubber", size=[length, 0.97 * width, pad], pos=[x, 0, z - height + pad])
    visual(spec, heel, _BOX, "heel", size=[0.97 * length, 0.94 * width, 0.12 * height], pos=[x, 0, floor])
    tall = (z + height - floor) / 2
    for side in (-1, 1):
        at = [x, side * (0.94 * width - wall), floor + tall]
        visual(spec, heel, _BOX, "heel", size=[0.9 * length, wall, tall], pos=at)
    back, top = x - 0.9 * length, z + 0.55 * height
    rim = [back, -0.9 * width, top, back, 0.9 * width, top]
    visual(spec, heel, _CAPSULE, "heel", fromto=rim, size=[0.2 * length, 0, 0])
    size = [0.1 * length, 0.94 * width, (top - floor) / 2]
    visual(spec, heel, _BOX, "heel", size=size, pos=[back, 0, (top + floor) / 2])
    if foot.tendon.present:
        _pin(spec, heel, "steel", foot.tendon.heel_roller, 0.9 * width, 0.9 * foot.tendon.heel_roller_radius)


def draw_link(spec: mujoco.MjSpec, body: mujoco.MjsBody, foot: SoftFoot, link: Link) -> None:
    """Draw the rolling ends, the bridge between them and two rubber strips beside the tendon."""
    roll, half, front = foot.coupling_length / 2, link.half_size, link.length
    material = "metatarsus" if link.name == "metatarsus" else "module"
    width = 0.9 * half[1]
    for x in (0.0, front):
        _pin(spec, body, material, (x, 0), width, 0.96 * roll)
    visual(spec, body, _BOX, material, size=[front / 2, 0.8 * width, 0.45 * roll], pos=[front / 2, 0, 0.3 * roll])
    pad = (half[2] - 0.5 * roll) / 2
    for side in (-1, 1):
        at = [link.centre, side * 0.66 * width, pad - half[2]]
        visual(spec, body, _BOX, "rubber", size=[0.85 * half[0], 0.34 * width, pad], pos=at)
    if link.name == "metatarsus":
        x, z = foot.metatarsal_joint
        visual(spec, body, _CAPSULE, material, fromto=[front / 2, 0, 0, x, 0, z], size=[0.8 * width, 0, 0])


def knots(end: Point, bulge: float) -> tuple[Point, Point, Point]:
    """Start, middle and end of a rail from the ankle, arched by `bulge` at half way."""
    x, z = end
    length = math.hypot(x, z)
    return (0.0, 0.0), (x / 2 + bulge * -z / length, z / 2 + abs(bulge * x) / length), end


def rail_offset(foot: SoftFoot, offsets: tuple[float, ...]) -> float:
    """Lateral distance of the side rails from the middle of the foot [m]."""
    return max(abs(y) for y in offsets) + foot.module_half_size[1] + 1.5 * foot.rail_radius


def _arc(a: Point, middle: Point, b: Point) -> list[Point]:
    """Points of the parabola from `a` to `b` that passes `middle` at half way."""
    control = tuple(2 * m - (p + q) / 2 for m, p, q in zip(middle, a, b, strict=True))
    points = []
    for i in range(RAIL_SEGMENTS + 1):
        t = i / RAIL_SEGMENTS
        x, z = ((1 - t) ** 2 * p + 2 * t * (1 - t) * c + t**2 * q for p, c, q in zip(a, control, b, strict=True))
        points.append((x, z))
    return points


def _pin(spec: mujoco.MjSpec, body: mujoco.MjsBody, material: str, at: Point, reach: float, radius: float) -> None:
    """Draw a cylinder across the foot, `reach` to either side."""
    x, z = at
    visual(spec, body, _CYLINDER, material, fromto=[x, -reach, z, x, reach, z], size=[radius, 0, 0])
