"""Which bodies of a model are feet."""

from __future__ import annotations

import re
from collections.abc import Sequence

import mujoco

from plantar.errors import InvalidInput
from plantar.model.legs import feet_of
from plantar.model.tree import ancestors, below

FOOT_NAMES = ((r"(foot|feet|sole)(_?link)?$", True), (r"foot|feet|sole", True), (r"ankle", False))
"""Patterns of the names of feet, the first that fits counts; and whether the topmost or the lowest body counts."""


def find_feet(model: mujoco.MjModel, feet: Sequence[str] | None, robot: str) -> tuple[int, ...]:
    """Bodies that are feet: those named, those with a foot's name that collide, or else the ends of legs.

    Args:
        model: The robot.
        feet: Names of bodies or geoms; of a geom its body counts. None finds them by name.
        robot: Name of the robot in messages.

    Raises:
        InvalidInput: If a name is not in the model, or no foot is found.
    """
    if feet is not None:
        return tuple(dict.fromkeys(_named(model, name) for name in feet))
    names = [model.body(i).name for i in range(model.nbody)]
    for pattern, topmost in FOOT_NAMES:
        fits = [
            i for i in range(1, model.nbody) if re.search(pattern, names[i], re.IGNORECASE) and foot_geoms(model, i)
        ]
        beyond = ancestors if topmost else below
        found = tuple(i for i in fits if not set(beyond(model, i)) & set(fits))
        if found:
            return found
    if structural := feet_of(model):
        return structural
    ends = [
        n for i, n in enumerate(names) if i and n and i not in set(model.body_parentid[1:]) and foot_geoms(model, i)
    ]
    raise InvalidInput(
        f"robot {robot!r} has no body named like a foot: name the bodies or geoms it stands on; "
        f"ends of its limbs are {', '.join(ends) or 'none that collide'}"
    )


def foot_geoms(model: mujoco.MjModel, body: int) -> list[int]:
    """Geoms of a body and of all below it that can collide."""
    return [
        g
        for g in range(model.ngeom)
        if (model.geom_contype[g] or model.geom_conaffinity[g])
        and body in (int(model.geom_bodyid[g]), *ancestors(model, int(model.geom_bodyid[g])))
    ]


def _named(model: mujoco.MjModel, name: str) -> int:
    body = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_BODY, name)
    geom = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_GEOM, name)
    if body < 0 and geom >= 0:
        body = int(model.geom_bodyid[geom])
    if body <= 0:
        known = ", ".join(n for i in range(1, model.nbody) if (n := model.body(i).name))
        raise InvalidInput(f"foot {name!r} is not in the model: its bodies are {known}")
    if not foot_geoms(model, body):
        raise InvalidInput(f"foot {name!r} has no geom that collides: give a body that touches the ground")
    return body
