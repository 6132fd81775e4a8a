"""Boundaries that move."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from plantar._checks import require
from plantar.errors import InvalidInput
from plantar.soft.mesh.mesh import chosen
from plantar.soft.scene.body import SoftBody

if TYPE_CHECKING:
    from plantar.soft.solve.drive import Driver


def prescribe(scene: Driver, moves: np.ndarray | None, body: str, displacement: np.ndarray, region: Any) -> np.ndarray:
    """Motion of fixed blocks in the next step, added to what is planned already (n, 3)."""
    system = scene.system
    if body not in system.offset:
        raise InvalidInput(f"unknown body {body!r}: the scene has {', '.join(system.offset)}")
    require(bool(np.isfinite(displacement).all()), "displacement", displacement, "finite numbers")
    moves = np.zeros((system.size, 3)) if moves is None else moves.copy()
    if body in system.frame_name:
        _move_frame(scene, moves, body, displacement)
        return moves
    owner, at = system.bodies[body], system.offset[body]
    nodes = _fixed(owner, region)
    if not len(nodes):
        raise InvalidInput(f"body {body!r} has no fixed nodes to move: give it `fixed`")
    bad = system.kind[at + nodes] != 1
    if bad.any():
        raise InvalidInput(f"node {int(nodes[bad][0])} of body {body!r} is not fixed: only fixed nodes can be moved")
    fits = displacement.shape in ((3,), (len(nodes), 3))
    require(fits, "displacement", displacement, f"three numbers, in m, or three for each of {len(nodes)} nodes")
    moves[at + nodes] = displacement
    return moves


def _fixed(owner: Any, region: Any) -> np.ndarray:
    if isinstance(owner, SoftBody):
        return owner.fixed_nodes() if region is None else owner.nodes(region)
    nodes = chosen("region", owner.fixed if region is None else region, len(owner.nodes))
    return 2 * nodes if hasattr(owner, "section") else nodes


def _move_frame(scene: Driver, moves: np.ndarray, body: str, displacement: np.ndarray) -> None:
    system = scene.system
    frame = system.frame_name[body]
    block = system.frame_block[frame]
    if system.kind[block] != 1:
        raise InvalidInput(f"body {body!r} is not fixed: only a fixed rigid body can be moved")
    fits = displacement.size in (3, 6)
    require(fits, "displacement", displacement, "three numbers, in m, or six, the last three a rotation vector")
    move = np.zeros(6)
    move[: displacement.size] = displacement.ravel()
    moves[block], moves[block + 1] = move[:3], move[3:]
    mine = system.carried[system.master_frame[system.carried] == frame]
    arm = scene.state.x[mine] - scene.state.x[block]
    moves[mine] = _rotate(arm, move[3:]) - arm + move[:3]


def _rotate(arm: np.ndarray, vector: np.ndarray) -> np.ndarray:
    angle = float(np.linalg.norm(vector))
    if angle == 0:
        return arm
    k = vector / angle
    return arm * np.cos(angle) + np.cross(k, arm) * np.sin(angle) + np.outer(arm @ k, k) * (1 - np.cos(angle))
