"""MuJoCo Warp in which steep capsules touch planes with the same friction pyramid as in MuJoCo.

Both engines lay one edge of the pyramid along the capsule. MuJoCo Warp 4.0 does so only while the capsule is within 60
degrees of the plane; beyond that its edges follow the axes of the world. As a pyramid holds less along its edges than
between them, forces on feet with capsules that stood that steep differed by up to 43 % of themselves.
"""

from __future__ import annotations

import importlib
from functools import cache
from typing import Any

from plantar.sweep.engines.gpu import quiet_warp

TURNED = "4.0"
"""The version of MuJoCo Warp that is corrected; the functions of another one may differ."""
STEEPEST = 1e-6
"""Sine of the angle between a capsule and the normal below which any tangent is as good as another."""


@cache
def mujoco_warp() -> Any:
    """The module `mujoco_warp`, with frames of capsules on planes as in MuJoCo.

    To be called before the first model is put there: kernels are compiled then.
    """
    wp = quiet_warp()
    found = importlib.import_module("mujoco_warp")
    if not found.__version__.startswith(TURNED):
        return found
    collisions: Any = importlib.import_module("mujoco_warp._src.collision_primitive")
    original = collisions.plane_capsule
    steepest = wp.constant(STEEPEST)

    def plane_capsule(normal, point, middle, axis, radius, half):  # noqa: ANN001, ANN202
        dist, pos, frame = original(normal, point, middle, axis, radius, half)
        flat = axis - normal * wp.dot(normal, axis)
        if wp.length(flat) > steepest:
            along = wp.normalize(flat)
            across = wp.cross(normal, along)
            frame = wp.matrix_from_rows(normal, along, across)
        return dist, pos, frame

    vectors = dict.fromkeys(("normal", "point", "middle", "axis"), wp.vec3)
    plane_capsule.__annotations__ = {**vectors, "radius": float, "half": float}
    collisions.plane_capsule = wp.func(plane_capsule)
    return found
