"""Colours, geom groups and the collision mask of a foot."""

from __future__ import annotations

import mujoco

VISUAL_GROUP, COLLISION_GROUP, HELPER_GROUP = 2, 3, 4
"""Geom groups as in MuJoCo Menagerie: 2 looks, 3 collisions; 4 holds pulleys and guide points."""

CONTYPE, CONAFFINITY = 1, 2
"""A foot touches whatever has conaffinity bit 1 (MuJoCo's default) and never touches a foot."""

COLOURS = {
    "frame": (0.90, 0.91, 0.93, 1),
    "cube": (0.13, 0.14, 0.16, 1),
    "heel": (0.83, 0.24, 0.20, 1),
    "module": (0.30, 0.32, 0.36, 1),
    "metatarsus": (0.83, 0.24, 0.20, 1),
    "rubber": (0.12, 0.12, 0.13, 1),
    "steel": (0.62, 0.65, 0.70, 1),
    "tendon": (0.95, 0.72, 0.12, 1),
    "band": (0.15, 0.45, 0.85, 1),
    "helper": (0.10, 0.90, 0.30, 0.4),
}


def add_materials(spec: mujoco.MjSpec) -> None:
    """Add Plantar's colours to a spec."""
    for name, rgba in COLOURS.items():
        shine = 0.6 if name in ("steel", "frame") else 0.2
        spec.add_material(name=name, rgba=list(rgba), specular=shine, shininess=shine)


def visual(body: mujoco.MjsBody, kind: mujoco.mjtGeom, material: str, **fields: object) -> None:
    """Add a geom that is only looked at."""
    body.add_geom(
        type=kind, material=material, contype=0, conaffinity=0, group=VISUAL_GROUP, mass=0, density=0, **fields
    )


def collider(body: mujoco.MjsBody, kind: mujoco.mjtGeom, name: str, friction: float, **fields: object) -> None:
    """Add a geom that touches the world."""
    body.add_geom(
        name=name,
        type=kind,
        contype=CONTYPE,
        conaffinity=CONAFFINITY,
        group=COLLISION_GROUP,
        friction=[friction, 0.005, 0.0001],
        mass=0,
        density=0,
        rgba=[0.5, 0.6, 0.9, 0.35],
        **fields,
    )
