"""A diff of two models: what was lost."""

from __future__ import annotations

from typing import Any

import mujoco

from plantar.robots.mount.stance import Stance

KINDS = ("body", "jnt", "geom", "site", "cam", "light", "actuator", "sensor", "tendon", "eq", "exclude", "pair", "key")
"""Kinds of elements that are compared, by MuJoCo's short names."""
_WORDS = {"jnt": "joint", "cam": "camera", "eq": "equality", "key": "keyframe", "pair": "contact pair"}
_TYPES = {
    "body": mujoco.mjtObj.mjOBJ_BODY,
    "jnt": mujoco.mjtObj.mjOBJ_JOINT,
    "geom": mujoco.mjtObj.mjOBJ_GEOM,
    "site": mujoco.mjtObj.mjOBJ_SITE,
    "cam": mujoco.mjtObj.mjOBJ_CAMERA,
    "light": mujoco.mjtObj.mjOBJ_LIGHT,
    "actuator": mujoco.mjtObj.mjOBJ_ACTUATOR,
    "sensor": mujoco.mjtObj.mjOBJ_SENSOR,
    "tendon": mujoco.mjtObj.mjOBJ_TENDON,
    "eq": mujoco.mjtObj.mjOBJ_EQUALITY,
    "exclude": mujoco.mjtObj.mjOBJ_EXCLUDE,
    "pair": mujoco.mjtObj.mjOBJ_PAIR,
    "key": mujoco.mjtObj.mjOBJ_KEY,
}


def compare(old: mujoco.MjModel, new: mujoco.MjModel, stances: tuple[Stance, Stance]) -> dict[str, Any]:
    """Fields of a report that follow from the models before and after."""
    before, after = stances
    lost = {word(kind): lost_names(old, new, kind) for kind in KINDS if kind != "geom"}
    return {
        "mass": (before.mass, after.mass),
        "height": (before.height, after.height),
        "inertia": (before.inertia, after.inertia),
        "centre_of_mass": (before.com, after.com),
        "support": (before.support, after.support),
        "counts": {word(kind): (_count(old, kind), _count(new, kind)) for kind in KINDS},
        "lost": {kind: names for kind, names in lost.items() if names},
    }


def word(kind: str) -> str:
    """A kind of element in a word."""
    return _WORDS.get(kind, kind)


def names_of(model: mujoco.MjModel, kind: str) -> list[str]:
    """Names of all elements of a kind; those without one are left out."""
    named = (mujoco.mj_id2name(model, _TYPES[kind], i) for i in range(_count(model, kind)))
    return [name for name in named if name]


def lost_names(old: mujoco.MjModel, new: mujoco.MjModel, kind: str) -> tuple[str, ...]:
    """Names of `old` that `new` does not have; elements without names are counted."""
    there = set(names_of(new, kind))
    lost = [name for name in names_of(old, kind) if name not in there]
    nameless = [_count(m, kind) - len(names_of(m, kind)) for m in (old, new)]
    if nameless[1] < nameless[0]:
        lost.append(f"{nameless[0] - nameless[1]} without a name")
    return tuple(lost)


def geom_name(model: mujoco.MjModel, geom: int) -> str:
    """A geom by its name, or by its kind and mesh."""
    name = model.geom(geom).name
    if name:
        return name
    kind = mujoco.mjtGeom(int(model.geom_type[geom])).name.removeprefix("mjGEOM_").lower()
    mesh = int(model.geom_dataid[geom])
    return f"{kind} {model.mesh(mesh).name}" if kind == "mesh" and mesh >= 0 else kind


def _count(model: mujoco.MjModel, kind: str) -> int:
    return int(getattr(model, {"actuator": "nu", "jnt": "njnt"}.get(kind, f"n{kind}")))
