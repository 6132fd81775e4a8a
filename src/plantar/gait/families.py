"""Families of gaits: found with rubber feet, named by their footfalls, followed over speed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from plantar._checks import require
from plantar.gait.footfalls import contacts, gait_name
from plantar.gait.legged import LeggedRobot
from plantar.gait.patterns import PATTERNS, pattern
from plantar.gait.request import Request
from plantar.gait.result import GaitResult
from plantar.gait.solve import Effort, solve


@dataclass(frozen=True, kw_only=True)
class Family:
    """Gaits at several speeds."""

    results: list[GaitResult]
    """The gaits that were found."""
    names: list[str]
    """What each one is."""
    starts: list[str]
    """The pattern, or the seed of the random guess, that it goes back to."""

    def rows(self) -> list[dict[str, Any]]:
        """One row a gait."""
        rows = []
        for r, name, start in zip(self.results, self.names, self.starts, strict=True):
            times, on = contacts(r)
            row = {"speed": r.speed, "gait": name, "cost_of_transport": r.transport, "stride_time": float(times[-1])}
            row |= {"duty_factor": float(on.mean()), "flight_share": float((~on.any(axis=1)).mean()), "start": start}
            rows.append({**row, "defect": r.defect, "violation": r.violation, "cpu_seconds": r.cpu_seconds})
        return rows


def family(
    robot: LeggedRobot,
    speeds: Sequence[float],
    *,
    starts: Sequence[str | int] | None = None,
    effort: Effort | None = None,
    progress: Callable[[], None] = lambda: None,
) -> Family:
    """Find gaits with rubber feet at the first speed and follow each one over the others.

    Args:
        robot: What moves.
        speeds: Average speeds, in the order in which they are gone through.
        starts: Patterns of footfalls by name, and seeds of random guesses; every pattern of the robot if not given.
            They are first guesses only: what comes out is named by its own footfalls.
        effort: Meshes, tolerance and limits of each gait.
        progress: Called after each gait, found or not.
    """
    require(len(speeds) > 0 and min(speeds) > 0, "speeds", list(speeds), "speeds above 0")
    starts = list(PATTERNS[robot.legs]) if starts is None else list(starts)
    require(len(starts) > 0, "starts", starts, "at least one pattern or seed")
    for start in starts:
        if isinstance(start, str):
            pattern(robot, start)
    effort = effort or Effort(intervals=12, tolerance=1e-4, refinements=4)
    results, origin = [], []
    for start in starts:
        before: GaitResult | str | int = start
        for speed in speeds:
            request = Request(speed=speed, apex=None, objective="transport", symmetric=robot.legs > 1)
            found = solve(robot, "soft", request, guess=before, effort=effort)
            progress()
            if found.ok:
                results.append(found)
                origin.append(str(start))
                before = found
    return Family(results=results, names=[gait_name(r) for r in results], starts=origin)
