"""Where the toes of a foot are, from its sole and its stations."""

from __future__ import annotations

from dataclasses import dataclass

import mujoco

from plantar.errors import InvalidInput
from plantar.feet.foot import Foot
from plantar.feet.sole import SolePart


@dataclass(frozen=True)
class Toes:
    """The parts of a foot that a windlass moves, as bodies of its sole."""

    tip: SolePart
    """Foremost part, in the middle of the sole; the bar lies under it."""
    toes: tuple[str, ...]
    """All parts in front of the metatarsus."""
    metatarsus: str
    """Part over the front support, in the middle of the sole."""
    metatarsi: tuple[str, ...]
    """All parts over the front support."""
    heel: str
    """Part over the rear support."""
    middle: tuple[tuple[str, float], tuple[str, float]]
    """The two parts of the sole halfway between them and their x [m]; one counts twice where their number is odd."""


def find_toes(foot: Foot) -> Toes:
    """The toes of a foot: parts in front of the front support that hinge against the part over it.

    Raises:
        InvalidInput: If there are none.
    """
    parts = foot.sole.parts
    none = InvalidInput(f"foot {foot.name!r} has no toes to raise: nothing hinges in front of its front support")
    if len(parts) < 2:
        raise none
    stations = foot.stations
    front = [part for part in parts if part.body.endswith(stations.front_body)]
    ball = _middle(front)
    toes = [part for part in parts if _centre(part) > _centre(ball) + 1e-6]
    if not toes:
        raise none
    tip = _middle([part for part in toes if _centre(part) > max(map(_centre, toes)) - 1e-6])
    if not _hinges(foot.spec().compile(), tip.body, ball.body):
        raise none
    places = tuple(zip(stations.bodies, stations.module_x, strict=True))
    return Toes(
        tip=tip,
        toes=tuple(part.body for part in toes),
        metatarsus=ball.body,
        metatarsi=tuple(part.body for part in front),
        heel=stations.rear_body,
        middle=(places[(len(places) + 1) // 2 - 1], places[len(places) // 2]),
    )


def _middle(parts: list[SolePart]) -> SolePart:
    return parts[(len(parts) - 1) // 2]


def _centre(part: SolePart) -> float:
    return (part.rear + part.front) / 2


def _hinges(model: mujoco.MjModel, tip: str, ball: str) -> bool:
    """Whether a hinge lies on the way from one body up to the other, or to what they both hang on."""
    above = {0}
    body = model.body(ball).id
    while body:
        above.add(body)
        body = int(model.body_parentid[body])
    body = model.body(tip).id
    while body not in above:
        first, count = int(model.body_jntadr[body]), int(model.body_jntnum[body])
        if any(model.jnt_type[j] == mujoco.mjtJoint.mjJNT_HINGE for j in range(first, first + count)):
            return True
        body = int(model.body_parentid[body])
    return False
