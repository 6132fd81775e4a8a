"""The cost of every foothold of a map: terrain, margin and what forbids it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from plantar._arguments import checks_arguments
from plantar._checks import require
from plantar._config import Checked
from plantar._files import replacing
from plantar.foothold.reach import Reach, Reason, reach
from plantar.foothold.sole import Sole, sole_of
from plantar.foothold.terrain_cost import terrain_cost
from plantar.ground.terrain.elevation_map import ElevationMap
from plantar.walk.robot.legs import LegName, Quadruped, Stance

INFEASIBLE = 255.0
"""Cost of a cell that is not a foothold."""
WORST = 254.0
"""Highest cost of a foothold."""


@dataclass(frozen=True, kw_only=True)
class Weights(Checked):
    """How terrain and margin make the cost c_f = 255 (c_k + 2 c_m) / 3 of Belter et al. (2019)."""

    terrain: float = 2 / 3
    """Weight of the terrain cost c_m, which is capped at 1."""
    margin: float = 1 / 3
    """Weight of the margin's cost c_k."""
    full_margin: float = 0.10
    """Margin beyond which c_k is 0 [m]; at the limit of reach it is 1."""

    def __post_init__(self) -> None:
        """Check every field."""
        shares = min(self.terrain, self.margin) >= 0 and 0 < self.terrain + self.margin <= 1 + 1e-9
        require(shares, "terrain and margin", (self.terrain, self.margin), "two weights, 0 or more, 1 together at most")
        require(0 < self.full_margin <= 1, "full_margin", self.full_margin, "a length in metres above 0, 1 at most")


@dataclass(frozen=True, kw_only=True, eq=False)
class CostMap:
    """Costs of all cells of a map, for one leg or for the terrain alone."""

    elevation: ElevationMap
    """The ground."""
    cost: np.ndarray
    """c_f (rows, columns), from 0 (best) to 254, and 255 where there is no foothold."""
    reason: np.ndarray
    """`Reason` of every cell (rows, columns), uint8."""
    terrain: np.ndarray
    """Terrain cost, eq. 3 (rows, columns); NaN where the ground is unknown."""
    margin: np.ndarray | None = None
    """Distance from the end of the leg's reach (rows, columns) [m]; None without a leg."""
    yaw: float = 0.0
    """Yaw of the foot in the map's frame [rad]."""
    leg: LegName | None = None
    """Leg they are for; None: the terrain alone."""

    @property
    def feasible(self) -> np.ndarray:
        """Which cells are footholds (rows, columns)."""
        return self.reason == Reason.OK

    def counts(self) -> dict[str, int]:
        """Cells of each reason."""
        return {reason.name.lower(): int((self.reason == reason).sum()) for reason in Reason}

    def mirrored(self) -> CostMap:
        """Left and right change places; leg names too."""
        other: Any = None if self.leg is None else ("R" if self.leg[0] == "L" else "L") + self.leg[1]
        flip = {"cost": self.cost, "reason": self.reason, "terrain": self.terrain, "margin": self.margin}
        flipped = {k: None if v is None else v[::-1].copy() for k, v in flip.items()}
        return replace(self, elevation=self.elevation.mirrored(), yaw=-self.yaw, leg=other, **flipped)

    def save(self, path: str | Path) -> Path:
        """Write costs, reasons and heights as .npz."""
        path = Path(path)
        arrays: dict[str, Any] = {"cost": self.cost, "reason": self.reason, "terrain": self.terrain}
        if self.margin is not None:
            arrays["margin"] = self.margin
        grid = self.elevation
        with replacing(path) as scratch, scratch.open("wb") as file:
            np.savez_compressed(
                file,
                **arrays,
                heights=grid.heights,
                cell=np.array(grid.cell),
                origin=np.array(grid.origin),
                frame=np.array(grid.frame),
                yaw=np.array(self.yaw),
                leg=np.array(self.leg or ""),
            )
        return path


@checks_arguments
def cost_map(elevation: ElevationMap, foot: Any = "softfoot_q", yaw: float = 0.0, **options: Any) -> CostMap:
    """Score every cell of a map as a foothold, for a foot turned by `yaw` about z from the map's x [rad].

    The options are those of `cost_maps`.

    Raises:
        InvalidInput: If the map's cells are too large for the foot, or a name is unknown.
    """
    return cost_maps([elevation], foot, (yaw,), **options)[0][0]


@checks_arguments
def cost_maps(
    elevations: Sequence[ElevationMap],
    foot: Any = "softfoot_q",
    yaws: Sequence[float] = (0.0,),
    *,
    leg: LegName | None = None,
    robot: Quadruped | None = None,
    stance: Stance | None = None,
    weights: Weights | None = None,
) -> list[list[CostMap]]:
    """Score many maps at several yaws: one list of `CostMap` per map, in the order of `yaws`.

    Reach and collisions do not depend on the foot's yaw and are computed once per map; maps may differ in size.

    Args:
        elevations: The grounds. Cells are footholds only where all cells under the sole are known.
        foot: A foot of `plantar.feet`, its name, a `SoftSole` or a `BallSole`.
        yaws: Turns of the foot about z from the map's x [rad].
        leg: LF, RF, LH or RH checks reach and collisions of that leg; None scores the terrain alone.
        robot: The robot's legs; ANYmal C's by default.
        stance: Where the robot is; by default the leg's nominal place is over the map's origin and the hip
            `robot.stand_height` above z = 0.
        weights: Weights of terrain and margin.

    Raises:
        InvalidInput: If a map's cells are too large for the foot, or a name is unknown.
    """
    sole: Sole = sole_of(foot)
    require(len(yaws) > 0, "yaws", list(yaws), "at least one yaw [rad]")
    robot, weights = robot or Quadruped(), weights or Weights()
    if leg is not None:
        stance = stance or Stance.under_hip(robot, leg)
    found = []
    for one in elevations:
        costs = [terrain_cost(one, sole, yaw).cost for yaw in yaws]
        # with one yaw the leg is checked only where the sole finds ground
        reached = (
            None
            if stance is None or leg is None
            else reach(one, leg, robot, stance, sole.height, costs[0] if len(yaws) == 1 else None)
        )
        found.append([_scored(one, cost, yaw, leg, reached, weights) for cost, yaw in zip(costs, yaws, strict=True)])
    return found


def _scored(
    elevation: ElevationMap,
    terrain: np.ndarray,
    yaw: float,
    leg: LegName | None,
    reached: Reach | None,
    weights: Weights,
) -> CostMap:
    """The costs of one yaw, of the terrain alone where there is no leg."""
    unknown, margin = np.isnan(terrain), None
    if reached is None:
        cost, reason = 255 * terrain, np.where(unknown, Reason.UNKNOWN, Reason.OK)
    else:
        margin, reason = np.where(unknown, np.nan, reached.margin), np.where(unknown, Reason.UNKNOWN, reached.reason)
        cost = np.minimum(terrain, 1.0)
        cost *= 255 * weights.terrain
        cost += 255 * weights.margin * (1 - np.clip(margin / weights.full_margin, 0, 1))
    cost = np.where(reason == Reason.OK, np.minimum(cost, WORST), INFEASIBLE)
    how = {"reason": reason.astype(np.uint8), "terrain": terrain, "margin": margin, "yaw": yaw, "leg": leg}
    return CostMap(elevation=elevation, cost=cost, **how)
