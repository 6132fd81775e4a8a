"""Labelled elevation maps for learning: grounds of many kinds, seen by a sensor, scored by the analytic cost."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from plantar._arguments import checks_arguments
from plantar._checks import require
from plantar._config import Checked
from plantar._processes import map_in_processes
from plantar.foothold.cost import CostMap, Weights, cost_map
from plantar.foothold.sensor import Sensor
from plantar.foothold.sole import SoftSole
from plantar.ground.terrain.elevation_map import ElevationMap
from plantar.ground.terrain.reliefs import RELIEFS, draw_relief
from plantar.walk.robot.legs import LegName, Quadruped, Stance

Split = Literal["train", "validation", "test"]
SPLITS: tuple[Split, ...] = ("train", "validation", "test")
RIGHT: tuple[LegName, ...] = ("RF", "RH")
"""Legs that are labelled; left ones are mirrored (`ElevationMap.mirrored`, `CostMap.mirrored`)."""
Progress = Callable[[int], None]


@dataclass(frozen=True, kw_only=True)
class DatasetConfig(Checked):
    """How a data set is made."""

    grounds: int = 200
    """Number of grounds, spread over the kinds; no ground is in two splits."""
    patches: int = 20
    """Maps per ground, half of them for the front leg."""
    cells: int = 40
    """Cells along each side of a map."""
    cell: float = 0.02
    """Side of a cell [m]."""
    kinds: tuple[str, ...] = tuple(RELIEFS)
    """Kinds of ground."""
    sensor: Sensor = field(default_factory=Sensor.depth_camera)
    """Sensor through which the maps are seen; labels are of the true ground."""
    sole: SoftSole = field(default_factory=SoftSole)
    """The foot."""
    robot: Quadruped = field(default_factory=Quadruped)
    """The robot."""
    weights: Weights = field(default_factory=Weights)
    """How terrain and margin make the cost."""
    hip_range: tuple[float, float] = (0.42, 0.56)
    """Heights of the hip over the ground below it, drawn evenly [m]."""
    foot_yaw: float = 0.0
    """Largest turn of the foot from the robot's heading, either way, drawn evenly [rad]; 0 is the paper's."""
    class_share: float = 0.05
    """Fraction of the training cells in a class."""
    shares: tuple[float, float, float] = (0.8, 0.1, 0.1)
    """Fractions of the grounds for training, validation and test."""
    seed: int = 0
    """Random seed."""

    def __post_init__(self) -> None:
        """Check every field; the first bad one is named."""
        require(1 <= self.grounds <= 10**6, "grounds", self.grounds, "an integer from 1 to a million")
        require(1 <= self.patches <= 10**5, "patches", self.patches, "an integer from 1 to 100000")
        require(8 <= self.cells <= 400, "cells", self.cells, "an integer from 8 to 400")
        require(0 < self.cell <= 0.1, "cell", self.cell, "a length in metres above 0, 0.1 at most")
        unknown = [kind for kind in self.kinds if kind not in RELIEFS]
        require(not unknown and len(self.kinds) > 0, "kinds", unknown or self.kinds, f"some of {', '.join(RELIEFS)}")
        low, high = self.hip_range
        require(0.1 <= low <= high <= 2, "hip_range", self.hip_range, "two rising heights in metres from 0.1 to 2")
        good = min(self.shares) >= 0 and math.isclose(sum(self.shares), 1.0, abs_tol=1e-9) and self.shares[0] > 0
        require(good, "shares", self.shares, "three fractions that sum to 1, the first above 0")
        require(0 < self.class_share <= 0.5, "class_share", self.class_share, "a fraction above 0, 0.5 at most")
        require(0 <= self.foot_yaw <= math.pi, "foot_yaw", self.foot_yaw, "an angle in radians from 0 to pi")
        require(self.seed >= 0, "seed", self.seed, "an integer, 0 or more")

    @property
    def side(self) -> float:
        """Side of a map including the ground under soles at its edge [m]."""
        return (self.cells + 2 * self.rim) * self.cell

    @property
    def rim(self) -> int:
        """Cells around a map that its labels need to know."""
        return math.ceil(math.hypot(self.sole.length, self.sole.width) / 2 / self.cell) + 1

    def splits(self) -> list[Split]:
        """Split of each ground. Each kind is split separately, so that every split has as many kinds as possible."""
        rng = np.random.default_rng([self.seed, 999])
        found: list[Split] = ["train"] * self.grounds
        for k in range(len(self.kinds)):
            own = rng.permutation(np.arange(k, self.grounds, len(self.kinds)))
            # Randomly rounded up or down, so that the fractions are right over all kinds.
            ahead, behind = (int(share * len(own) + rng.random()) for share in self.shares[1:])
            for number in own[:ahead]:
                found[number] = "validation"
            for number in own[ahead : ahead + behind]:
                found[number] = "test"
        require("train" in found, "grounds", self.grounds, "more grounds: none is left for training")
        return found


@dataclass(frozen=True, eq=False)
class Samples:
    """Maps and their labels; row n of each array is map n."""

    observed: np.ndarray
    """Heights as the sensor saw them, from the hip (n, cells, cells) [m], float32; NaN: not seen."""
    ground: np.ndarray
    """True heights, from the hip (n, cells, cells) [m], float32."""
    cost: np.ndarray
    """c_f of the true ground (n, cells, cells), float32; 255: no foothold."""
    reason: np.ndarray
    """`Reason` of every cell (n, cells, cells), uint8."""
    leg: np.ndarray
    """0 right front, 1 right hind (n,), uint8."""
    kind: np.ndarray
    """Kind of ground, index into the configuration's kinds (n,), uint8."""
    terrain: np.ndarray
    """Number of the ground (n,), int32."""
    yaw: np.ndarray
    """Turn of the foot from the robot's heading (n,) [rad], float32."""

    def __len__(self) -> int:
        return len(self.cost)

    @property
    def feasible(self) -> np.ndarray:
        """Which cells are footholds."""
        return self.reason == 0


@checks_arguments
def make_samples(
    config: DatasetConfig, grounds: list[int], progress: Progress | None = None, processes: int = 1
) -> Samples:
    """Maps and labels of some grounds of a data set; independent of other grounds and the number of processes."""
    require(len(grounds) > 0, "grounds", grounds, "at least one ground")
    require(processes >= 1, "processes", processes, "an integer, 1 or more")
    work, rows = functools.partial(_of_ground, config), list[dict[str, Any]]()
    each = map(work, grounds) if processes == 1 else map_in_processes(work, grounds, processes=processes, chunksize=4)
    for own in each:
        rows.extend(own)
        if progress:
            progress(1)
    kinds = {"leg": np.uint8, "kind": np.uint8, "terrain": np.int32, "yaw": np.float32, "reason": np.uint8}
    return Samples(**{name: np.array([row[name] for row in rows], kinds.get(name, np.float32)) for name in rows[0]})


def _of_ground(config: DatasetConfig, number: int) -> list[dict[str, Any]]:
    rng = np.random.default_rng([config.seed, number])
    kind = number % len(config.kinds)
    side = max(4.0, 2.5 * config.side)
    ground, rows = draw_relief(config.kinds[kind], rng, side=side, cell=config.cell), []
    for patch in range(config.patches):
        leg = patch % 2
        heading, at, hip, turn = _pose(config, rng, side)
        count = config.cells + 2 * config.rim
        axis = (np.arange(count) - (count - 1) / 2) * config.cell
        wide = ground.resampled(axis, axis, yaw=heading, at=at)
        middle = count // 2
        below = wide.heights[middle - 2 : middle + 2, middle - 2 : middle + 2].mean()
        wide = wide.shifted(dz=-(float(below) + hip), frame="hip")
        facts = {"leg": leg, "kind": kind, "terrain": number, "yaw": turn}
        rows.append({**_labelled(config, wide, RIGHT[leg], turn, rng), **facts})
    return rows


def _pose(
    config: DatasetConfig, rng: np.random.Generator, side: float
) -> tuple[float, tuple[float, float], float, float]:
    """Heading, place, height of the hip and turn of the foot."""
    heading = rng.uniform(-math.pi, math.pi)
    room = side / 2 - config.side * math.sqrt(0.5)
    x, y = rng.uniform(-room, room, 2)
    hip = rng.uniform(*config.hip_range)
    return heading, (float(x), float(y)), float(hip), float(rng.uniform(-config.foot_yaw, config.foot_yaw))


def costs_below(config: DatasetConfig, wide: ElevationMap, leg: LegName, turn: float) -> CostMap:
    """Costs of a map whose zero is the hip's height, with the leg's nominal place in its middle."""
    robot = config.robot
    x, y, _ = robot.nominal(leg)
    stance = Stance(position=(-float(x), -float(y), -robot.hip[2]))
    return cost_map(wide, config.sole, turn, leg=leg, robot=robot, stance=stance, weights=config.weights)


def _labelled(
    config: DatasetConfig, wide: ElevationMap, leg: LegName, turn: float, rng: np.random.Generator
) -> dict[str, np.ndarray]:
    """True and seen heights, cost and reason of the middle of a wide map whose zero is the hip's height."""
    costs = costs_below(config, wide, leg, turn)
    seen = config.sensor.observe(wide, rng)
    inner = slice(config.rim, config.rim + config.cells)
    cut = {"observed": seen.heights, "ground": wide.heights, "cost": costs.cost, "reason": costs.reason}
    return {name: values[inner, inner] for name, values in cut.items()}
