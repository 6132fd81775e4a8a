"""Where a leg may put its foot: workspace, margin, and collisions with the ground and with other legs."""

from __future__ import annotations

import functools
import math
from enum import IntEnum
from typing import NamedTuple

import numpy as np

from plantar._arguments import checks_arguments
from plantar.foothold import _reach_numba as loops
from plantar.foothold import _reach_numpy as plain
from plantar.foothold._jit import has_numba
from plantar.ground.terrain.elevation_map import ElevationMap
from plantar.walk.robot.legs import LEGS, LegName, Quadruped, Stance


class Reason(IntEnum):
    """Why a cell is not a foothold."""

    OK = loops.OK
    """It is one."""
    UNKNOWN = loops.UNKNOWN
    """A cell under the sole is not known or off the map."""
    REACH = loops.REACH
    """The leg does not reach it."""
    GROUND = loops.GROUND
    """Thigh or shank would hit the ground."""
    LEGS = loops.LEGS
    """The leg would hit another one."""

    @property
    def text(self) -> str:
        """What it means, for people."""
        return REASONS[self]


REASONS = {
    Reason.OK: "foothold",
    Reason.UNKNOWN: "ground not known under the whole sole",
    Reason.REACH: "out of the leg's reach",
    Reason.GROUND: "thigh or shank hits the ground",
    Reason.LEGS: "leg hits another leg",
}


class Reach(NamedTuple):
    """What a leg can do on every cell."""

    margin: np.ndarray
    """Distance from the end of the leg's reach (rows, columns) [m]; NaN where the ground is unknown."""
    reason: np.ndarray
    """`Reason` of every cell (rows, columns), uint8."""


@checks_arguments
def reach(
    elevation: ElevationMap,
    leg: LegName,
    robot: Quadruped,
    stance: Stance,
    height: float,
    known: np.ndarray | None = None,
) -> Reach:
    """Margin and collisions of a leg for every cell of a map.

    Args:
        elevation: The ground; what is not known hits nothing.
        leg: Which leg steps.
        robot: Its legs.
        stance: Where the robot is.
        height: Leg's end above the ground when its foot stands [m].
        known: NaN where a cell must not be used; the heights themselves by default.
    """
    h = np.ascontiguousarray(elevation.heights)
    known = h if known is None else np.ascontiguousarray(known)
    cell = elevation.cell
    share = max(0.0, 1 - robot.ankle_free / robot.shank)
    geometry, pose = _arrays(robot, stance, height, share)
    others, gaps = _other_legs(leg, robot, stance, geometry, pose)
    if not has_numba():
        return _plain(elevation, known, leg, robot, stance, height, others, gaps, share)
    thigh, shank = np.empty(h.shape), np.empty(h.shape)
    loops.envelope_loop(h, robot.thigh_radius, cell, thigh)
    loops.envelope_loop(h, robot.shank_radius, cell, shank)
    margin, reason = np.empty(h.shape), np.empty(h.shape, np.uint8)
    sides, hip = np.array(robot.sides(leg), float), robot.hip_of(leg)
    grid = np.array([*elevation.origin, cell])
    loops.reach_loop(h, known, geometry, sides, hip, pose, grid, thigh, shank, others, gaps**2, margin, reason)
    return Reach(margin, reason)


@checks_arguments
def leg_points(elevation: ElevationMap, leg: LegName, robot: Quadruped, stance: Stance, height: float) -> np.ndarray:
    """Start of the thigh, knee and end of the leg for every cell, in the map's frame (rows, columns, 3, 3) [m]."""
    x, y = np.meshgrid(elevation.x, elevation.y)
    ends = stance.to_base(np.stack([x, y, elevation.heights + height], axis=-1))
    return stance.to_map(robot.forward(leg, robot.inverse(leg, ends)))


def _plain(
    elevation: ElevationMap,
    known: np.ndarray,
    leg: LegName,
    robot: Quadruped,
    stance: Stance,
    height: float,
    others: np.ndarray,
    gaps: np.ndarray,
    share: float,
) -> Reach:
    x, y = np.meshgrid(elevation.x, elevation.y)
    ends = stance.to_base(np.stack([x, y, elevation.heights + height], axis=-1))
    margin = np.where(np.isnan(known), np.nan, robot.margin(leg, ends))
    legs = leg_points(elevation, leg, robot, stance, height)
    radii = (robot.thigh_radius, robot.shank_radius)
    thigh, shank = (plain.envelope(elevation.heights, radius, elevation.cell) for radius in radii)
    grid = np.array([*elevation.origin, elevation.cell])
    steps = (int(2 * robot.thigh / elevation.cell) + 2, int(2 * robot.shank / elevation.cell) + 2)
    return Reach(margin, plain.reasons(margin, known, legs, grid, (thigh, shank), steps, share, others, gaps))


def _arrays(robot: Quadruped, stance: Stance, height: float, share: float) -> tuple[np.ndarray, np.ndarray]:
    """Measures of the legs and pose of the base, as the loops take them."""
    low, high = robot.roll_range
    geometry = np.array([
        robot.hip_forward, robot.thigh_out, robot.knee_out, robot.foot_out, robot.thigh, robot.shank, low, high,
        *robot.reach, height, share, math.cos(low), math.sin(low), math.cos(high), math.sin(high),
    ])  # fmt: skip
    return geometry, np.array([*stance.position, math.cos(stance.yaw), math.sin(stance.yaw)])


def _other_legs(
    leg: LegName, robot: Quadruped, stance: Stance, geometry: np.ndarray, pose: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Segments of the other legs (n, 2, 3), and the least distance of thigh and shank from each (n, 2).

    A leg that cannot stand as requested is ignored; it hits nothing.
    """
    names, sides, hips, standing = _fixed(robot, leg)
    ends = standing @ stance.rotation.T + pose[:3]
    for k, name in enumerate(names):
        if name in stance.feet:
            ends[k] = stance.feet[name]
    parts, stands = np.zeros((3, 2, 2, 3)), np.zeros(3, bool)
    loops.stand_loop(ends, geometry, sides, hips, pose, parts, stands)
    radii = np.array([robot.thigh_radius, robot.shank_radius])
    return parts[stands].reshape(-1, 2, 3), np.tile(radii[:, None] + radii, (int(stands.sum()), 1))


@functools.lru_cache(maxsize=64)
def _fixed(robot: Quadruped, leg: LegName) -> tuple[list[LegName], np.ndarray, np.ndarray, np.ndarray]:
    """Names of the other legs, their sides (3, 2), hips (3, 3) and nominal ends (3, 3) in the base's frame."""
    names: list[LegName] = [name for name in LEGS if name != leg]
    sides = np.array([robot.sides(name) for name in names], float)
    return names, sides, np.array([robot.hip_of(n) for n in names]), np.array([robot.nominal(n) for n in names])
