"""Ways to choose a foothold: none, by slope, by the analytic cost, by physics, by a network, or your own."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from plantar.errors import InvalidInput
from plantar.foothold.choose import PULL, Choice, choose
from plantar.foothold.cost import INFEASIBLE, CostMap, cost_map
from plantar.foothold.legs import LegName, Quadruped, Stance
from plantar.foothold.reach import Reason
from plantar.foothold.sole import BallSole, LearnedSole, SoftSole, Sole, load_sole
from plantar.foothold.walking.limits import Limits
from plantar.ground.terrain.elevation_map import ElevationMap

CELLS = 60
"""Cells a side of the map that a chooser sees around the nominal foothold: the ground below the hip is within."""
BORDER = 8
"""Cells around the near ones that a learned score looks at."""


@dataclass(frozen=True, kw_only=True)
class Question:
    """What a robot asks before a step."""

    elevation: ElevationMap
    """The ground around the nominal foothold, 60 x 60 cells."""
    leg: LegName
    """Which leg steps."""
    robot: Quadruped
    """Its legs."""
    stance: Stance
    """Where the robot will be: level, its hip of that leg where it will be, the other feet where they stand."""
    later: Stance
    """Where it will be when that foot is lifted again."""
    sole: Sole | LearnedSole
    """What its feet want."""
    nominal: tuple[float, float]
    """Where the foot would go on level ground [m]."""
    limits: Limits
    """Which cells the leg may take at all: near, within reach as the robot leans, not too steep."""


Chooser = Callable[[Question], CostMap | None]
"""Costs of the map's cells; None takes the nominal foothold."""


def nominal(question: Question) -> None:
    """The nominal foothold, whatever the ground."""
    return


def slope(question: Question) -> CostMap:
    """The least slope under the sole; misfit and curvature do not count."""
    sole = question.sole
    if isinstance(sole, BallSole):
        return _costs(question, replace(sole, roughness=1e6, bump=1e6))
    sole = sole if isinstance(sole, SoftSole) else SoftSole()
    return _costs(question, replace(sole, fit_weight=0.0, curvature_weight=(0.0, 0.0), slope_weight=(2.0, 1.0)))


def analytic(question: Question) -> CostMap:
    """The analytic cost of the foot: eq. 3 of Bednarek et al. for soft soles, the earlier method's manner for balls."""
    sole = question.sole
    return _costs(question, _Seen(sole, question) if isinstance(sole, LearnedSole) else sole)


def _costs(question: Question, sole: Sole | LearnedSole) -> CostMap:
    """Costs of cells on which the leg can stand until it is lifted again; where there are none, until it has landed."""
    q = question
    now, then = (cost_map(q.elevation, sole, leg=q.leg, robot=q.robot, stance=s) for s in (q.stance, q.later))
    both = now.feasible & then.feasible
    if not q.limits.allowed(both).any():
        return now
    reason = np.where(now.feasible, then.reason, now.reason).astype(np.uint8)
    return replace(now, cost=np.where(both, np.maximum(now.cost, then.cost), INFEASIBLE), reason=reason)


class _Seen(LearnedSole):
    """A learned score of a part of a map, taken over by the whole; it is slow where nobody looks."""

    def __init__(self, sole: LearnedSole, question: Question):
        self._height = sole.height
        grid = question.elevation
        rows, columns = (np.flatnonzero(question.limits.short.any(axis=axis)) for axis in (1, 0))
        j, i = (slice(max(c[0] - BORDER, 0), c[-1] + BORDER + 1) for c in (rows, columns))
        part = replace(grid, heights=grid.heights[j, i], origin=grid.position(j.start, i.start))
        self._cost = np.full(grid.shape, np.nan)
        self._cost[j, i] = sole.terrain_cost(part, 0.0)

    @property
    def height(self) -> float:
        return self._height

    def terrain_cost(self, elevation: ElevationMap, yaw: float) -> np.ndarray:
        return self._cost


def calibrated(question: Question) -> CostMap:
    """The analytic cost with the weights of a SoftFoot-Q that were calibrated to physics; balls keep theirs."""
    return _costs(question, question.sole if isinstance(question.sole, BallSole) else _sole("calibrated"))


def physics(question: Question) -> CostMap:
    """The score that was learned from presses and pushes of the foot itself, in simulation."""
    sole = _sole("physics", "ball" if isinstance(question.sole, BallSole) else "softfoot_q")
    return _costs(question, _Seen(sole, question))


@functools.lru_cache(maxsize=4)
def _sole(name: str, foot: str = "softfoot_q") -> Any:
    return load_sole(name, foot)


CHOOSERS: dict[str, Chooser] = {
    "nominal": nominal,
    "slope": slope,
    "analytic": analytic,
    "calibrated": calibrated,
    "physics": physics,
}
"""Ways to choose by name; add yours."""


def find_chooser(name: str) -> Chooser:
    """A chooser by name; `network` is the shipped network, a name that ends in `.onnx` one from a file.

    Raises:
        InvalidInput: If there is none; the message lists those there are.
    """
    if name in CHOOSERS:
        return CHOOSERS[name]
    if name == "network" or name.endswith(".onnx"):
        return _network("softfoot_q" if name == "network" else name)
    raise InvalidInput(f"choose = {name!r} is not known: known are {', '.join(CHOOSERS)}, network, or an .onnx file")


@functools.lru_cache(maxsize=4)
def _network(model: str, threads: int = 1) -> Chooser:
    from plantar.foothold import learned  # noqa: PLC0415  (ONNX Runtime is loaded only when needed)

    return learned.chooser(model, threads=threads)


def decide(question: Question, chooser: Chooser, k: float = PULL) -> Choice | None:
    """The foothold to take; None means the nominal one, for want of another or of costs.

    Args:
        question: What is asked.
        chooser: Who scores.
        k: Cost of a metre away from the nominal foothold.
    """
    costs = chooser(question)
    if costs is None:
        return None
    taken = question.limits.allowed(costs.feasible)
    reason = np.where(costs.feasible & ~taken, Reason.REACH, costs.reason).astype(np.uint8)
    choice = choose(replace(costs, reason=reason), question.nominal, k)
    return choice if choice.status.ok else None
