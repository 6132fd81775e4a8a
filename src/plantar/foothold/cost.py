"""The cost of every foothold of a map: terrain, margin and what forbids it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from plantar._checks import require
from plantar._config import Checked
from plantar._files import replacing
from plantar.foothold.reach import Reach, Reason, reach
from plantar.foothold.sole import Sole, sole_of
from plantar.foothold.terrain_cost import terrain_cost
from plantar.ground.terrain.elevation_map import ElevationMap
from plantar.walk.robot.legs import LegName, Quadruped, Stance

INFEASIBLE = 255.0
"""Cost of a cell that is no foothold."""
WORST = 254.0
"""Highest cost of a foothold."""


@dataclass(frozen=True, kw_only=True)
class Weights(Checked):
    """How terrain and margin make the cost c_f = 255 (c_k + 2 c_m) / 3 of Belter et al. (2019)."""

    terrain: float = 2 / 3
    """Share of the terrain cost c_m, which is cut off at 1."""
    margin: float = 1 / 3
    """Share of the margin's cost c_k."""
    full_margin: float = 0.10
    """Margin from which on c_k is 0 [m]; at the end of reach it is 1."""

    def __post_init__(self) -> None:
        """Check every field."""
        shares = min(self.terrain, self.margin) >= 0 and 0 < self.terrain + self.margin <= 1 + 1e-9
        require(shares, "terrain and margin", (self.terrain, self.margin), "two shares, 0 or more, 1 together at most")
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
    """Turn of the foot in the map's frame [rad]."""
    leg: LegName | None = None
    """Whose costs they are; None: the terrain's alone."""

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


def cost_map(
    elevation: ElevationMap,
    foot: Any = "softfoot_q",
    yaw: float = 0.0,
    *,
    leg: LegName | None = None,
    robot: Quadruped | None = None,
    stance: Stance | None = None,
    weights: Weights | None = None,
) -> CostMap:
    """Score every cell of a map as a foothold.

    Args:
        elevation: The ground. Cells are footholds only where all cells under the sole are known.
        foot: A foot of `plantar.feet`, its name, a `SoftSole` or a `BallSole`.
        yaw: Turn of the foot about z from the map's x [rad].
        leg: LF, RF, LH or RH checks reach and collisions of that leg; None scores the terrain alone.
        robot: The robot's legs; ANYmal C's by default.
        stance: Where the robot is; by default the leg's nominal place is over the map's origin and the hip
            `robot.stand_height` above z = 0.
        weights: Shares of terrain and margin.

    Raises:
        InvalidInput: If the map's cells are too large for the foot, or a name is unknown.
    """
    sole = sole_of(foot)
    weights = weights or Weights()
    terrain = terrain_cost(elevation, sole, yaw).cost
    if leg is None:
        unknown = np.isnan(terrain)
        cost = np.where(unknown, INFEASIBLE, np.minimum(255 * terrain, WORST))
        reason = np.where(unknown, Reason.UNKNOWN, Reason.OK).astype(np.uint8)
        return CostMap(elevation=elevation, cost=cost, reason=reason, terrain=terrain, yaw=yaw)
    robot = robot or Quadruped()
    stance = stance or Stance.under_hip(robot, leg)
    found = reach(elevation, leg, robot, stance, sole.height, terrain)
    return _for_leg(elevation, terrain, found, yaw, leg, weights)


def _for_leg(
    elevation: ElevationMap, terrain: np.ndarray, found: Reach, yaw: float, leg: LegName, weights: Weights
) -> CostMap:
    margin, reason = found
    cost = np.minimum(terrain, 1.0)
    cost *= 255 * weights.terrain
    cost += 255 * weights.margin * (1 - np.clip(margin / weights.full_margin, 0, 1))
    cost = np.where(reason == Reason.OK, np.minimum(cost, WORST), INFEASIBLE)
    return CostMap(
        elevation=elevation, cost=cost, reason=reason, terrain=terrain, margin=margin, yaw=yaw, leg=leg
    )  # fmt: skip


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
    """Score many maps at several yaws: one list of `CostMap` a map, in the order of `yaws`.

    Reach and collisions do not depend on the foot's yaw and are found once a map. Arguments are those of
    `cost_map`; maps may differ in size.
    """
    sole: Sole = sole_of(foot)
    require(len(yaws) > 0, "yaws", list(yaws), "at least one yaw [rad]")
    if leg is None or len(yaws) == 1:
        options: dict[str, Any] = {"leg": leg, "robot": robot, "stance": stance, "weights": weights}
        return [[cost_map(one, sole, yaw, **options) for yaw in yaws] for one in elevations]
    robot, weights = robot or Quadruped(), weights or Weights()
    stance = stance or Stance.under_hip(robot, leg)
    return [_turned(one, sole, yaws, leg, robot, stance, weights) for one in elevations]


def _turned(
    elevation: ElevationMap,
    sole: Sole,
    yaws: Sequence[float],
    leg: LegName,
    robot: Quadruped,
    stance: Stance,
    weights: Weights,
) -> list[CostMap]:
    margin, reason = reach(elevation, leg, robot, stance, sole.height)
    found = []
    for yaw in yaws:
        terrain = terrain_cost(elevation, sole, yaw).cost
        unknown = np.isnan(terrain)
        own = Reach(np.where(unknown, np.nan, margin), np.where(unknown, Reason.UNKNOWN, reason).astype(np.uint8))
        found.append(_for_leg(elevation, terrain, own, yaw, leg, weights))
    return found
