"""Robots that are put on a ground: where they come from."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import mujoco

from plantar.errors import InvalidInput
from plantar.robots import Robot
from plantar.robots.load.sources import read

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


def load_spec(robot: str | Path | mujoco.MjSpec | Robot) -> mujoco.MjSpec:
    """A copy of a robot's spec with its own ground: a ball, a box, or whatever `plantar.robots.load` knows.

    Raises:
        InvalidInput: If there is no such robot, or MuJoCo cannot read the file.
    """
    if isinstance(robot, Robot):
        return robot.spec.copy()
    if isinstance(robot, str | Path):
        return SHAPES[str(robot)]() if str(robot) in SHAPES else read(robot, ground=True, also=tuple(SHAPES)).spec
    if not isinstance(robot, mujoco.MjSpec):
        kind = type(robot).__name__
        raise InvalidInput(f"robot of type {kind} is not allowed: give a name, a file, an MjSpec or a plantar Robot")
    return robot.copy()


def _free_body(name: str, mass: float, kind: mujoco.mjtGeom, size: Sequence[float]) -> mujoco.MjSpec:
    spec = mujoco.MjSpec()
    spec.modelname = name.removesuffix("_foot")
    body = spec.worldbody.add_body(name=name)
    body.add_freejoint()
    body.add_geom(name=spec.modelname, type=kind, size=size, mass=mass)
    return spec
