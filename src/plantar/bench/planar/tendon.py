"""The plantar tendon of the planar sole: straight between the guides of its pulleys.

A tendon that passes `arm` below the hinges of a rolling pair crosses it in a straight line of
length `d - 2 arm sin(theta / 2)`, theta front down. The line stays `arm cos(theta / 2)` from the
hinges and so touches no pulley while that is more than the pulley's radius: up to 45 degrees of
extension of the default foot, whose couplings stop at 20. Beyond that the model is too short by the
detour around the pulley. Inside one module the length is constant.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from plantar.bench.planar.kinematics import Linkage
from plantar.feet.softfoot.softfoot import SoftFoot
from plantar.feet.softfoot.tendon import Point


@dataclass(frozen=True)
class PlanarTendon:
    """Room that the tendon has left: limit less length of the path."""

    linkage: Linkage
    crossings: np.ndarray
    """Arms from each guide to the next one on another module, (crossings, frames)."""
    constant: float
    """Length of the path inside the modules [m]."""
    limit: float
    """Length at which it pulls [m]."""

    def room(self, q: np.ndarray) -> tuple[float, np.ndarray]:
        """Limit less length [m], and its derivative, (coordinates,)."""
        steps, slopes = self._steps(q)
        lengths = np.abs(steps)
        slope = np.real((np.conj(steps) / lengths)[:, None] * slopes).sum(axis=0)
        return float(self.limit - self.constant - lengths.sum()), -slope

    def curvature(self, q: np.ndarray) -> np.ndarray:
        """Second derivative of the room, (coordinates, coordinates)."""
        steps, slopes = self._steps(q)
        lengths = np.abs(steps)
        normal = steps / lengths
        along = np.real(np.conj(1j * normal)[:, None] * slopes)
        return -(along.T / lengths) @ along - self.linkage.curvature(self.crossings, normal, q)

    def _steps(self, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        turned = self.crossings * self.linkage.turns(q)
        return turned.sum(axis=1), -1j * turned @ self.linkage.angles


def build_tendon(foot: SoftFoot, linkage: Linkage) -> PlanarTendon | None:
    """Route the tendon of `foot`; None if it has none."""
    config = foot.tendon
    if not config.present:
        return None
    exit_axis = config.heel_exit or foot.chain_start
    below = config.heel_exit_guide or (exit_axis[0], exit_axis[1] - config.arm)
    constant = around(config.start, config.heel_roller, config.heel_roller_radius, below)
    crossings = []
    leaves = linkage.heel.at(*below)
    last = len(linkage.links) - 1
    for i, (body, link) in enumerate(zip(linkage.links, linkage.layout.links, strict=True)):
        rear = (0.0, -_arm(foot, i))
        front = (foot.tip_length, rear[1]) if i == last else (link.exit, -_arm(foot, i + 1))
        crossings.append(body.at(*rear) - leaves)
        constant += math.dist(rear, front)
        leaves = body.at(*front)
    arms = np.array(crossings)
    straight = constant + float(np.abs(arms.sum(axis=1)).sum())
    rest = straight if config.rest_length is None else config.rest_length
    return PlanarTendon(linkage, arms, constant, rest + config.slack)


def _arm(foot: SoftFoot, coupling: int) -> float:
    """How far the tendon passes below the hinges of a coupling, counted from 0 at the heel [m]."""
    if coupling == foot.modules:
        return foot.tendon.metatarsal_arm
    return foot.tendon.arm if coupling < foot.modules else foot.tendon.toe_arm


def around(start: Point, centre: Point, radius: float, end: Point) -> float:
    """Length of a taut cord from `start` to `end` around the far side of a roller [m]."""
    a, b = complex(*start) - complex(*centre), complex(*end) - complex(*centre)
    tangents = math.sqrt(abs(a) ** 2 - radius**2) + math.sqrt(abs(b) ** 2 - radius**2)
    between = abs(np.angle(b / a))
    turned = 2 * math.pi - between - math.acos(radius / abs(a)) - math.acos(radius / abs(b))
    return tangents + radius * turned
