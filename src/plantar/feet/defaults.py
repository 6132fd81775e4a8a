"""Colours, default classes and the collision mask of a foot."""

from __future__ import annotations

import mujoco

VISUAL_GROUP, COLLISION_GROUP, HELPER_GROUP = 2, 3, 4
"""Geom groups as in MuJoCo Menagerie: 2 visual, 3 collision; 4 holds pulleys and guide points."""

CONTYPE, CONAFFINITY = 1, 2
"""A foot touches whatever has conaffinity bit 1 (MuJoCo's default) and never touches a foot."""

COLOURS = {
    "frame": (0.93, 0.94, 0.95, 1),
    "cube": (0.17, 0.18, 0.21, 1),
    "heel": (0.80, 0.15, 0.13, 1),
    "module": (0.27, 0.29, 0.33, 1),
    "metatarsus": (0.80, 0.15, 0.13, 1),
    "rubber": (0.10, 0.10, 0.11, 1),
    "steel": (0.66, 0.69, 0.74, 1),
    "tendon": (0.98, 0.74, 0.12, 1),
    "band": (0.15, 0.45, 0.85, 1),
    "helper": (0.10, 0.90, 0.30, 0.4),
}
"""Red, green, blue and opacity of each material."""

SHINE = {"steel": 0.8, "frame": 0.5, "tendon": 0.6, "rubber": 0.05}
"""Specular reflection of the materials that differ from 0.25."""


def add_materials(spec: mujoco.MjSpec) -> None:
    """Add Plantar's colours to a spec."""
    for name, rgba in COLOURS.items():
        shine = SHINE.get(name, 0.25)
        spec.add_material(name=name, rgba=list(rgba), specular=shine, shininess=shine)


def add_classes(spec: mujoco.MjSpec, friction: float) -> None:
    """Add the default classes `visual`, `collision` and `helper`."""
    look = spec.add_default("visual", spec.default).geom
    look.group, look.contype, look.conaffinity, look.mass = VISUAL_GROUP, 0, 0, 0

    touch = spec.add_default("collision", spec.default).geom
    touch.group, touch.contype, touch.conaffinity, touch.mass = COLLISION_GROUP, CONTYPE, CONAFFINITY, 0
    touch.friction, touch.condim = [friction, 0.005, 0.0001], 3 if friction else 1
    touch.rgba = [0.5, 0.6, 0.9, 0.35]

    helper = spec.add_default("helper", spec.default)
    helper.geom.group, helper.geom.contype, helper.geom.conaffinity, helper.geom.mass = HELPER_GROUP, 0, 0, 0
    helper.geom.material = helper.site.material = "helper"
    helper.site.group, helper.site.size = HELPER_GROUP, [0.0008] * 3


def visual(spec: mujoco.MjSpec, body: mujoco.MjsBody, kind: mujoco.mjtGeom, material: str, **fields: object) -> None:
    """Add a visual geom; lengths rounded to a tenth of a micrometre keep saved files readable."""
    fields = {k: [round(x, 7) for x in v] if isinstance(v, list) else v for k, v in fields.items()}
    body.add_geom(spec.find_default("visual"), type=kind, material=material, **fields)  # type: ignore[arg-type]


def collider(spec: mujoco.MjSpec, body: mujoco.MjsBody, kind: mujoco.mjtGeom, name: str, **fields: object) -> None:
    """Add a colliding geom."""
    body.add_geom(spec.find_default("collision"), name=name, type=kind, **fields)  # type: ignore[arg-type]


def add_guide(
    spec: mujoco.MjSpec, body: mujoco.MjsBody, name: str, pos: list[float], **fields: object
) -> mujoco.MjsSite:
    """Add a point that a tendon passes or a constraint ties."""
    return body.add_site(spec.find_default("helper"), name=name, pos=pos, **fields)  # type: ignore[arg-type]
