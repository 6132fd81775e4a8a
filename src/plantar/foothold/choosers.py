"""Ways to choose a foothold: none, by slope, by the analytic cost, by physics, by a network, or your own."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from plantar.errors import InvalidInput
from plantar.foothold.choose import PULL, Choice, choose
from plantar.foothold.cost import INFEASIBLE, CostMap, cost_map
from plantar.foothold.reach import Reason
from plantar.foothold.sole import BallSole, LearnedSole, Sole, load_sole, sole_of
from plantar.ground.terrain.elevation_map import ElevationMap
from plantar.walk.footholds import FINDERS, Chooser, Question, register

BORDER = 8
"""Cells around the near ones that a learned score looks at."""
POOR = 150.0
"""A foothold of this cost is not taken if there is a better one along the path, unless the last step was short too."""

Score = Callable[[Question], CostMap]
"""Costs of the cells of a question's map."""


def _sole_of(question: Question) -> Any:
    """What the foot that steps wants of the ground."""
    if question.foot is None:
        raise InvalidInput(
            "a robot's own feet are not known to the choosers of footholds: mount ball or softfoot_q on it"
        )
    return sole_of(question.foot)


def slope(question: Question, sole: Any = None) -> CostMap:
    """The least slope under the sole; misfit and curvature do not count."""
    # a learned score has no slopes: the foot's own sole has
    sole = _sole_of(question) if sole is None or isinstance(sole, LearnedSole) else sole
    if isinstance(sole, BallSole):
        return _costs(question, replace(sole, roughness=1e6, bump=1e6))
    return _costs(question, replace(sole, fit_weight=0.0, curvature_weight=(0.0, 0.0), slope_weight=(2.0, 1.0)))


def analytic(question: Question, sole: Any = None) -> CostMap:
    """The analytic cost of the foot: eq. 3 of Bednarek et al. for soft soles, the earlier method's style for balls."""
    sole = sole or _sole_of(question)
    return _costs(question, _Seen(sole, question) if isinstance(sole, LearnedSole) else sole)


def _costs(question: Question, sole: Sole | LearnedSole) -> CostMap:
    """Costs of cells on which the leg can stand until it is lifted again; where there are none, until it has landed."""
    q = question
    leg: Any = _leg(q)
    now, then = (cost_map(q.elevation, sole, leg=leg, robot=q.robot, stance=s) for s in (q.stance, q.later))
    both = now.feasible & then.feasible
    if not q.limits.allowed(both).any():
        return now
    reason = np.where(now.feasible, then.reason, now.reason).astype(np.uint8)
    return replace(now, cost=np.where(both, np.maximum(now.cost, then.cost), INFEASIBLE), reason=reason)


def _leg(question: Question) -> str:
    """The leg that steps, of a robot whose legs have measures."""
    if question.robot is None:
        raise InvalidInput("the choosers of footholds know the legs of quadrupeds: give a biped level or nominal")
    return question.leg


class _Seen(LearnedSole):
    """A learned score computed only on part of a map, as it is slow; the height is that of the foot that steps."""

    def __init__(self, sole: LearnedSole, question: Question):
        self._height = _sole_of(question).height
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
    mine = _sole_of(question)
    if isinstance(mine, BallSole):
        return _costs(question, mine)
    return _costs(question, replace(_sole("calibrated"), length=mine.length, width=mine.width, height=mine.height))


def physics(question: Question) -> CostMap:
    """The score that was learned from presses and pushes of the foot itself, in simulation."""
    learned = _sole("physics", "ball" if isinstance(_sole_of(question), BallSole) else "softfoot_q")
    return _costs(question, _Seen(learned, question))


@functools.lru_cache(maxsize=4)
def _sole(name: str, foot: str = "softfoot_q") -> Any:
    return load_sole(name, foot)


def scored(score: Score, k: float = PULL) -> Chooser:
    """The chooser that minimises score plus distance.

    Args:
        score: Costs of the cells.
        k: Cost per metre from the nominal foothold.
    """

    @functools.wraps(score)
    def chooser(question: Question) -> Choice | None:
        return decide(question, score, k)

    return chooser


def decide(question: Question, score: Score, k: float = PULL) -> Choice | None:
    """The foothold to take by a score; None means the nominal one, if there is no other.

    Where all near footholds are poor, a good one along the path makes a short step, but not twice in a row.

    Args:
        question: The question.
        score: The score.
        k: Cost per metre from the nominal foothold.
    """
    costs = score(question)
    choice = _best(question, costs, question.limits.allowed(costs.feasible), k)
    if choice.cost > POOR and not question.shortened:
        short = _best(question, costs, question.limits.allowed(costs.feasible & (costs.cost <= POOR), short=True), k)
        choice = short if short.status.ok and short.cost <= POOR else choice
    return choice if choice.status.ok else None


def _best(question: Question, costs: CostMap, allowed: np.ndarray, k: float) -> Choice:
    reason = np.where(costs.feasible & ~allowed, Reason.REACH, costs.reason).astype(np.uint8)
    return choose(replace(costs, reason=reason), question.nominal, k)


SCORES: dict[str, Score] = {"slope": slope, "analytic": analytic, "calibrated": calibrated, "physics": physics}
"""Scores by name; each gives a chooser."""
for _name, _score in SCORES.items():
    register(_name, scored(_score))


def find(name: str) -> Chooser | None:
    """A chooser of this room by name, or None.

    `network` is the shipped network, a name that ends in `.onnx` one from a file. `slope@FILE` and `analytic@FILE` take
    the sole of soft feet from a file written by `plantar foothold calibrate`.
    """
    name, _, file = name.partition("@")
    if file and name in ("slope", "analytic"):
        return scored(_with_sole(SCORES[name], _sole(file)))
    if name in SCORES:
        return scored(SCORES[name])
    if name == "network" or name.endswith(".onnx"):
        return scored(_network("softfoot_q" if name == "network" else name))
    return None


FINDERS.append(find)


def _with_sole(score: Any, sole: Sole | LearnedSole) -> Score:
    @functools.wraps(score)
    def soled(question: Question) -> CostMap:
        return score(question, None if isinstance(_sole_of(question), BallSole) else sole)

    return soled


@functools.lru_cache(maxsize=4)
def _network(model: str, threads: int = 1) -> Score:
    from plantar.foothold.learned import Network  # noqa: PLC0415  (ONNX Runtime is loaded only when needed)

    net = Network.load(model, threads=threads)
    return lambda q: net.cost_map(q.elevation, leg=_leg(q), stance=q.stance, robot=q.robot)  # type: ignore[arg-type]
