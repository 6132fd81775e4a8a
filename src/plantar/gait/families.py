"""Families of gaits: found with rubber feet, named by their footfalls, followed over speed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from plantar._arguments import checks_arguments
from plantar._checks import require
from plantar.errors import InvalidInput
from plantar.gait.cost import Cost
from plantar.gait.effort import Effort
from plantar.gait.files import effort_of, load_gait, save_gait
from plantar.gait.footfalls import contacts, gait_name
from plantar.gait.legged import LeggedRobot
from plantar.gait.patterns import PATTERNS, pattern
from plantar.gait.request import Request
from plantar.gait.result import GaitResult
from plantar.gait.solve import solve


@dataclass(frozen=True, kw_only=True)
class Family:
    """Gaits at several speeds."""

    results: list[GaitResult]
    """The gaits that were found."""
    names: list[str]
    """What each one is."""
    starts: list[str]
    """The pattern, or the seed of the random guess, that it goes back to."""

    def examples(self, most: int) -> list[tuple[GaitResult, str]]:
        """Gaits to draw: of each kind evenly spread over speed, and of those at one speed the cheapest."""
        kinds = list(dict.fromkeys(self.names))
        chosen = []
        for kind in kinds:
            some = [r for r, name in zip(self.results, self.names, strict=True) if name == kind]
            best = {r.request.speed: r for r in sorted(some, key=lambda r: -r.transport)}
            ordered = [best[speed] for speed in sorted(best)]
            count = min(len(ordered), max(1, most // len(kinds)))
            picked = np.unique(np.linspace(0, len(ordered) - 1, count).round().astype(int))
            chosen += [(ordered[i], kind) for i in picked]
        return chosen

    def rows(self) -> list[dict[str, Any]]:
        """One row per gait."""
        rows = []
        for r, name, start in zip(self.results, self.names, self.starts, strict=True):
            times, on = contacts(r)
            row = {"speed": r.speed, "gait": name, "cost_of_transport": r.transport, "stride_time": float(times[-1])}
            row |= {"duty_factor": float(on.mean()), "flight_share": float((~on.any(axis=1)).mean()), "start": start}
            rows.append({**row, "defect": r.defect, "violation": r.violation, "cpu_seconds": r.cpu_seconds})
        return rows


@checks_arguments
def family(
    robot: LeggedRobot,
    speeds: Sequence[float],
    *,
    starts: Sequence[str | int] | None = None,
    cost: Cost = "electrical",
    effort: Effort | None = None,
    folder: str | Path | None = None,
    progress: Callable[[], None] = lambda: None,
) -> Family:
    """Find gaits with rubber feet at one speed and follow each one up and down from there.

    Args:
        robot: The robot.
        speeds: Average speeds.
        starts: Patterns of footfalls by name, and seeds of random guesses; every pattern of the robot if not given.
            They are initial guesses only: the result is named by its own footfalls. "run@0.8" starts at that one of
            the speeds, others at the first.
        cost: Cost to minimise.
        effort: Meshes, tolerance and limits of each gait.
        folder: Where each gait is written as soon as it is found; gaits that are there already are read and not solved
            again.
        progress: Called after each gait, found or not.
    """
    require(len(speeds) > 0 and min(speeds) > 0, "speeds", list(speeds), "speeds above 0")
    starts = list(PATTERNS[robot.legs]) if starts is None else list(starts)
    require(len(starts) > 0, "starts", starts, "at least one pattern or seed")
    begins: dict[tuple[str | int, float], str | int] = {}
    for start in starts:
        # what is said twice is one start, as run and run@0.4 where 0.4 is the first speed
        begins.setdefault(parted(robot, start, speeds), start)
    effort = effort or Effort(intervals=14, tolerance=1e-4, refinements=5)
    results, origin = [], []
    for (begin, first), start in begins.items():
        near: dict[float, GaitResult] = {}
        for speed, before in _order(speeds, first):
            request = Request(speed=speed, apex=None, objective="transport", symmetric=robot.legs > 1, cost=cost)
            guess = begin if before is None else near.get(before, begin)
            found = _kept(robot, request, guess, effort, folder, gait_file(start, speed))
            progress()
            if found.ok:
                results.append(found)
                origin.append(str(start))
                near[speed] = found
            elif before in near:
                # past a speed without a gait, the last one found is the best starting point
                near[speed] = near[before]
    return Family(results=results, names=[gait_name(r) for r in results], starts=origin)


def gait_file(start: str | int, speed: float) -> str:
    """Name of the file of the gait that goes back to `start` at `speed`."""
    return f"{start}_{speed:g}.npz"


def parted(robot: LeggedRobot, start: str | int, speeds: Sequence[float]) -> tuple[str | int, float]:
    """A start and the speed it begins at.

    Raises:
        InvalidInput: If the robot has no such pattern, or the speed is not one of the speeds.
    """
    if not isinstance(start, str):
        return start, speeds[0]
    name, _, at = start.partition("@")
    pattern(robot, name)
    if not at:
        return name, speeds[0]
    known = {f"{speed:g}": speed for speed in speeds}
    require(at in known, "start", start, f"a speed after the @ that is one of {', '.join(known)}")
    return name, known[at]


def _order(speeds: Sequence[float], first: float) -> list[tuple[float, float | None]]:
    """Speeds in the order in which they are solved for, each with the one before: upwards, then downwards."""
    up = sorted(s for s in set(speeds) if s > first)
    down = sorted((s for s in set(speeds) if s < first), reverse=True)
    return [(first, None), *zip(up, [first, *up], strict=False), *zip(down, [first, *down], strict=False)]


def _kept(
    robot: LeggedRobot,
    request: Request,
    guess: GaitResult | str | int,
    effort: Effort,
    folder: str | Path | None,
    name: str,
) -> GaitResult:
    """The gait of that name in the folder, or else solved for and written there."""
    path = None if folder is None else Path(folder) / name
    if path is not None and path.is_file():
        found = load_gait(path)
        same = found.request == request and found.robot == robot
        if not same:
            raise InvalidInput(f"file {str(path)!r} holds a gait of another request: give another folder")
        if effort_of(path) not in (effort, None):
            raise InvalidInput(f"file {str(path)!r} was solved with another effort: give another folder, or delete it")
        return found
    found = solve(robot, "soft", request, guess=guess, effort=effort)
    if path is not None:
        path.parent.mkdir(parents=True, exist_ok=True)
        save_gait(found, path, effort=effort)
    return found
