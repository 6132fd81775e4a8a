"""Which foot to build: presses first, walks of the fast foot for promising ones, full feet for the final evaluation."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from plantar import feet, sweep
from plantar._arguments import checks_arguments
from plantar.design.evaluate import VIOLATION
from plantar.design.explore import explore, record_of
from plantar.design.front import bend_of, front_of, ranked
from plantar.design.judge import Judgement, fresh, judge
from plantar.design.measure import Goal, parse_goal
from plantar.design.problem import Budget, Problem
from plantar.design.result import DesignResult
from plantar.design.rounding import rounded
from plantar.design.sampler import SamplerName
from plantar.design.sensitivity import sensitivity
from plantar.design.space import Space, make_space, value_of
from plantar.design.subject import Ground, Setting
from plantar.errors import InvalidInput

Advance = Callable[[int], None]
PRESSED = 500_009
"""Added to the seed of a search for the proposals of its presses."""


@checks_arguments
def search(
    robot: str = "",
    foot: feet.Foot | str = "softfoot",
    *,
    vary: Mapping[str, Any] | Iterable[str],
    objectives: Sequence[str],
    limits: Sequence[str] = (),
    grounds: Sequence[str] = (),
    screen: Sequence[str] = (),
    held_out: Sequence[str] = (),
    steps: Mapping[str, float] | None = None,
    budget: Budget | None = None,
    seed: int = 0,
    sampler: SamplerName = "auto",
    out: str | Path,
    engine: sweep.EngineName = "threads",
    workers: int | None = None,
    progress: Advance | None = None,
    **setting: Any,
) -> DesignResult:
    """Search for the foot that is best for a robot, its grounds and limits.

    An interrupted search resumes when it is called again with the same `out`, and ends in the
    same place, bit for bit, on threads, processes and Ray alike.

    Args:
        robot: A robot of `plantar.robots`; empty if no measure needs walks.
        foot: The foot to start from.
        vary: What may change: `FIELD=LOW..HIGH` strings, or by field (low, high), a list of values, a `Dimension`.
        objectives: What to optimise; one goal, or a front of several.
        limits: Constraints.
        grounds: Grounds to walk on, as `bars:0.015`.
        screen: Press goals that select which feet walk first.
        held_out: Grounds for the final evaluation that the feet were not designed on.
        steps: Increments by field in which parts are available.
        budget: The budget.
        seed: Seed of the proposals, and of the draws of walks.
        sampler: What proposes; `auto` takes CMA-ES for one goal over numbers, TPE otherwise.
        out: Folder of the search.
        engine: Engine of `plantar.sweep`.
        workers: How many feet are measured at once.
        progress: Called with the number of feet that were measured; by default a bar is drawn.
        **setting: Fields of `Setting`: draws, mode, footsteps, distance, push, rate, fidelity.

    Raises:
        InvalidInput: If a field, measure, ground or number is not allowed; one line says what is.
    """
    base = feet.get(foot) if isinstance(foot, str) else foot
    if setting.keys() & {"robot", "grounds", "seed"}:
        raise InvalidInput("robot, grounds and seed are separate arguments")
    grounds = tuple(Ground.parse(text).text() for text in grounds)
    problem = Problem(
        space=make_space(base, vary),
        objectives=tuple(objectives),
        limits=tuple(limits),
        screen=tuple(screen),
        held_out=tuple(Ground.parse(text).text() for text in held_out),
        setting=Setting(robot=robot, grounds=grounds, seed=seed, **setting),
        steps=dict(steps or {}),
        seed=seed,
        sampler=sampler,
    )
    return solve(problem, out, budget=budget, engine=engine, workers=workers, progress=progress)


@checks_arguments
def solve(
    problem: Problem,
    out: str | Path,
    *,
    budget: Budget | None = None,
    engine: sweep.EngineName = "threads",
    workers: int | None = None,
    progress: Advance | None = None,
) -> DesignResult:
    """Answer a problem; see `search`."""
    budget, folder = budget or Budget(), Path(out)
    goals = problem.check(budget)
    signs = {goal.label: goal.sign for goal in goals}
    how: dict[str, Any] = {"batch": budget.batch, "seed": problem.seed, "sampler": problem.sampler}
    how |= {"engine": engine, "workers": workers, "progress": progress}
    pressed, first = _press_first(problem, goals, budget, folder, how)
    start = own_values(problem.space)
    rows = explore(
        problem.evaluation(),
        problem.space,
        goals,
        evaluations=budget.evaluations,
        out=folder / "search",
        first=[start, *first] if start else first,
        **how,
    )
    front = front_of(
        _again(problem, ranked(rows, signs)[: budget.finalists], signs, folder, engine, workers) or rows, signs
    )
    chosen = _chosen(front, signs, rows)
    values = {label: problem.space.active(row) for label, row in chosen.items()}
    if values:
        values["rounded"] = rounded(problem.space, next(iter(values.values())), problem.steps)
    verified = _verify(problem, values, folder, engine, workers)
    judged = _judged(problem, values, budget, folder, workers)
    return DesignResult(
        problem=problem,
        goals=tuple(goals),
        rows=rows,
        pressed=pressed,
        front=[dict(row) for row in front],
        values=values,
        verified=verified,
        sensitivity=[row for goal in goals for row in sensitivity(problem.space, rows, goal.label)],
        judgement=judged,
    )


def _press_first(
    problem: Problem, goals: Sequence[Goal], budget: Budget, folder: Path, how: Mapping[str, Any]
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Feet that were pressed before any walked, and values of the most promising ones."""
    walks = any(goal.asked.measure.level == "walk" for goal in goals)
    cheap = [parse_goal(text) for text in problem.screen]
    cheap = cheap or [goal for goal in goals if goal.asked.measure.level != "walk"]
    if not walks or not cheap or budget.presses == 0:
        return [], []
    texts = tuple(goal.text() for goal in cheap)
    quick = replace(problem.evaluation(), goals=texts, levels=("model", "press"))
    how = {**how, "seed": problem.seed + PRESSED}  # with the dice of the walks the same feet would be proposed there
    rows = explore(quick, problem.space, cheap, evaluations=budget.presses, out=folder / "press", **how)
    best = ranked(rows, {goal.label: goal.sign for goal in cheap})[: budget.keep]
    return rows, [problem.space.active(row) for row in best]


def own_values(space: Space) -> dict[str, Any]:
    """The values of the foot to start from, if all that count lie in the space."""
    own: dict[str, Any] = {}
    for dimension in space.dimensions:
        if dimension.counts(own):
            value = value_of(space.foot, dimension.name)
            if not dimension.has(value):
                return {}
            own[dimension.name] = value
    return own


def _again(
    problem: Problem,
    best: Sequence[Mapping[str, Any]],
    signs: Mapping[str, float],
    folder: Path,
    engine: Any,
    workers: int | None,
) -> list[dict[str, Any]]:
    """The best feet with means over the search and over their separate draws."""
    if not best:
        return []
    evaluation = problem.evaluation()
    evaluation = replace(evaluation, setting=fresh(evaluation.setting, 1))
    configs = [{"values": problem.space.active(row)} for row in best]
    made = sweep.run(evaluation, configs, engine, out=folder / "again", workers=workers, progress=lambda _: None)
    found = []
    for row, new in zip(best, (record_of(one, signs) for one in made.load()), strict=True):
        if new[VIOLATION] <= 0:
            found.append({**row, **{label: (row[label] + new[label]) / 2 for label in signs}})
    return found


def _chosen(
    front: Sequence[Mapping[str, Any]], signs: Mapping[str, float], rows: Sequence[Mapping[str, Any]]
) -> dict[str, Mapping[str, Any]]:
    """The foot at the knee of the front, and the best in each goal, each once."""
    if not front:
        return {}
    found = {"chosen": bend_of(front, signs, rows)}
    for label, sign in signs.items():
        best = min(front, key=lambda row: (sign * row[label], row["trial"]))
        if all(best["trial"] != row["trial"] for row in found.values()):
            found[f"best {label}"] = best
    return found


def _verify(
    problem: Problem, values: Mapping[str, Mapping[str, Any]], folder: Path, engine: Any, workers: int | None
) -> list[dict[str, Any]]:
    """Start, chosen and rounded feet, measured again on draws that the search did not use."""
    if not values:
        return []
    evaluation = problem.evaluation()
    evaluation = replace(evaluation, setting=fresh(evaluation.setting))
    configs = [{"label": label, "values": dict(own)} for label, own in {"start": {}, **values}.items()]
    made = sweep.run(evaluation, configs, engine, out=folder / "fresh", workers=workers, progress=lambda _: None)
    labels = [one.label for one in evaluation.asked()]
    pairs = zip(configs, made.load(), strict=True)
    return [{"foot": config["label"], **record_of(row, labels)} for config, row in pairs]


def _judged(
    problem: Problem, values: Mapping[str, Mapping[str, Any]], budget: Budget, folder: Path, workers: int | None
) -> Judgement | None:
    setting = problem.setting
    if budget.judged == 0 or not values:
        return None
    made = {label: problem.space.build(values[label]) for label in ("chosen", "rounded")}
    named = {"chosen": made["chosen"], "start": problem.space.foot, "rounded": made["rounded"]}
    how: dict[str, Any] = {"draws": budget.judged, "fidelity": budget.judge, "workers": workers}
    return judge(named, setting, folder / "judge", grounds=problem.held_out or None, **how)
