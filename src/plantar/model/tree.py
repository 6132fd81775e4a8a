"""The tree of a model's bodies."""

from __future__ import annotations

from collections.abc import Iterable

import mujoco


def ancestors(model: mujoco.MjModel, body: int) -> list[int]:
    """Bodies above `body`, nearest first, without the world."""
    chain = []
    while (body := int(model.body_parentid[body])) != 0:
        chain.append(body)
    return chain


def below(model: mujoco.MjModel, body: int) -> list[int]:
    """Bodies strictly below `body`."""
    inside = {body}
    for i in range(body + 1, model.nbody):
        if int(model.body_parentid[i]) in inside:
            inside.add(i)
    return sorted(inside - {body})


def geoms_of(model: mujoco.MjModel, bodies: Iterable[int]) -> list[int]:
    """Geoms of some bodies."""
    wanted = set(bodies)
    return [g for g in range(model.ngeom) if int(model.geom_bodyid[g]) in wanted]


def collides(model: mujoco.MjModel, geom: int) -> bool:
    """Whether a geom can touch anything, by its masks or by a contact pair."""
    return bool(
        model.geom_contype[geom] or model.geom_conaffinity[geom] or geom in model.pair_geom1 or geom in model.pair_geom2
    )


def joints_of(model: mujoco.MjModel, body: int) -> list[int]:
    """Joints of a body."""
    start = int(model.body_jntadr[body])
    return list(range(start, start + int(model.body_jntnum[body]))) if start >= 0 else []


def rigid_root(model: mujoco.MjModel, body: int) -> int:
    """The topmost body that moves as one with `body`."""
    return int(model.body_weldid[body])


def common_ancestor(model: mujoco.MjModel, bodies: Iterable[int]) -> int:
    """The lowest body that has all of `bodies` in its tree, one of them included."""
    lines = [[body, *ancestors(model, body)] for body in bodies]
    return next(body for body in lines[0] if all(body in line for line in lines[1:]))
