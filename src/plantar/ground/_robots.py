"""Robots that are put on a ground: where they come from, and what they stand on."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path

import mujoco

from plantar.errors import InvalidInput
from plantar.robots.legs import feet_of
from plantar.robots.load.sources import read
from plantar.robots.tree import ancestors, below

FOOT_NAMES = ((r"(foot|feet|sole)(_?link)?$", True), (r"foot|feet|sole", True), (r"ankle", False))
"""Patterns of the names of feet, the first that fits counts; and whether the topmost or the lowest body counts."""
BALL_RADIUS, BOX_HALF = 0.01, (0.025, 0.020, 0.02)
"""The ball of Gora and Dutta, and a box on the sole of their robot [m]."""


def ball(mass: float = 1.0, radius: float = BALL_RADIUS) -> mujoco.MjSpec:
    """A free ball; its body is `ball_foot`."""
    return _free_body("ball_foot", mass, mujoco.mjtGeom.mjGEOM_SPHERE, (radius, 0, 0))


def box(mass: float = 1.0, half: tuple[float, float, float] = BOX_HALF) -> mujoco.MjSpec:
    """A free box; its body is `box_foot`."""
    return _free_body("box_foot", mass, mujoco.mjtGeom.mjGEOM_BOX, half)


SHAPES: dict[str, Callable[[], mujoco.MjSpec]] = {"ball": ball, "box": box}
"""Free bodies of 1 kg by name, the simplest robots."""


def load_spec(robot: str | Path | mujoco.MjSpec) -> mujoco.MjSpec:
    """The spec of a robot with the ground it brings: a ball, a box, or whatever `plantar.robots.load` knows.

    Raises:
        InvalidInput: If there is no such robot, or MuJoCo cannot read the file.
    """
    if not isinstance(robot, str | Path):
        return robot.copy()
    return SHAPES[str(robot)]() if str(robot) in SHAPES else read(robot, ground=True, also=tuple(SHAPES)).spec


def find_feet(model: mujoco.MjModel, feet: Sequence[str] | None, robot: str) -> tuple[int, ...]:
    """Bodies that are feet: those named, those with a foot's name that collide, or else the ends of legs.

    Args:
        model: The robot.
        feet: Names of bodies or geoms; of a geom its body counts. None finds them by name.
        robot: What to call the robot in messages.

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
        f"robot {robot!r} has no body named like a foot: name the bodies or geoms that stand; "
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


def _free_body(name: str, mass: float, kind: mujoco.mjtGeom, size: Sequence[float]) -> mujoco.MjSpec:
    spec = mujoco.MjSpec()
    spec.modelname = name.removesuffix("_foot")
    body = spec.worldbody.add_body(name=name)
    body.add_freejoint()
    body.add_geom(name=spec.modelname, type=kind, size=size, mass=mass)
    return spec
