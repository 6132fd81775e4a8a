"""Families of gaits: found with rubber feet from random guesses, named by their footfalls, followed over speed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from plantar._checks import require
from plantar.gait.footfalls import contacts, gait_name
from plantar.gait.legged import LeggedRobot
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
    guesses: list[int]
    """The random guess it goes back to."""

    def rows(self) -> list[dict[str, Any]]:
        """One row a gait."""
        rows = []
        for r, name, guess in zip(self.results, self.names, self.guesses, strict=True):
            times, on = contacts(r)
            row = {"speed": r.speed, "gait": name, "cost_of_transport": r.transport, "stride_time": float(times[-1])}
            row |= {"duty_factor": float(on.mean()), "flight_share": float((~on.any(axis=1)).mean()), "guess": guess}
            rows.append({**row, "defect": r.defect, "violation": r.violation, "cpu_seconds": r.cpu_seconds})
        return rows


def family(
    robot: LeggedRobot,
    speeds: Sequence[float],
    *,
    guesses: int = 4,
    seed: int = 0,
    effort: Effort | None = None,
    progress: Callable[[], None] = lambda: None,
) -> Family:
    """Find gaits with rubber feet at the first speed and follow each one over the others.

    Args:
        robot: What moves.
        speeds: Average speeds, in the order in which they are gone through.
        guesses: Random guesses at the first speed.
        seed: Seed of the first guess.
        effort: Meshes, tolerance and limits of each gait.
        progress: Called after each gait, found or not.
    """
    require(len(speeds) > 0 and min(speeds) > 0, "speeds", list(speeds), "speeds above 0")
    require(guesses >= 1, "guesses", guesses, "a whole number from 1")
    effort = effort or Effort(intervals=16, tolerance=1e-3, refinements=2)
    results, origin = [], []
    for number in range(seed, seed + guesses):
        before: GaitResult | int = number
        for speed in speeds:
            request = Request(speed=speed, apex=None, objective="transport", symmetric=robot.legs > 1)
            found = solve(robot, "soft", request, guess=before, effort=effort)
            progress()
            if found.ok:
                results.append(found)
                origin.append(number)
                before = found
    return Family(results=results, names=[gait_name(r) for r in results], guesses=origin)
