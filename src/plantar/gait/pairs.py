"""A quadruped whose legs move in pairs, as a robot of two legs: half the unknowns, and a start for all four.

In the plane a trot is a biped's run or walk with each leg standing for a diagonal pair, but for the pitch: what is
found is a guess for the four legs. A bound has a front and a hind leg, and left and right ones that move alike keep
doing so: it is a gait of the four legs as it is, and stationary among them, since no motion to one side is better than
the same to the other.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from plantar.gait.legged import LeggedRobot
from plantar.gait.result import GaitResult, Segment

ALIKE = 1e-6
"""Largest difference of left and right legs that move as one."""
DOUBLED = ("upper_mass", "upper_inertia", "lower_mass", "lower_inertia", "leg_stiffness", "hip_stiffness")

Pairs = tuple[tuple[int, int], tuple[int, int]]

PAIRS: dict[str, Pairs] = {
    "trot": ((0, 3), (1, 2)),
    "pace": ((0, 2), (1, 3)),
    "bound": ((0, 1), (2, 3)),
    "pronk": ((0, 1), (2, 3)),
}
"""Which legs of a quadruped move as one in a pattern."""


@dataclass(frozen=True, kw_only=True)
class Paired(LeggedRobot):
    """Two legs, each of which stands for a pair."""

    name: ClassVar[str] = "paired"

    swaps: bool = False
    """Whether the legs are in each other's place half a stride later."""

    @property
    def mirror(self) -> tuple[int, ...]:
        """The legs change places, or each stays what it is: a front and a hind leg are not alike."""
        return (1, 0) if self.swaps else (0, 1)


def paired(robot: LeggedRobot, pairs: Pairs) -> Paired:
    """The robot with each pair of legs made one: at the middle of their hips, twice as heavy, stiff and strong."""
    law = robot.contact
    contact = dataclasses.replace(
        law,
        stiffness=2 * law.stiffness,
        damping=2 * law.damping,
        tangential_stiffness=2 * law.tangential_stiffness,
        tangential_damping=2 * law.tangential_damping,
    )
    hips = tuple((robot.hips[a] + robot.hips[b]) / 2 for a, b in pairs)
    apart = sum((robot.hips[leg] - hip) ** 2 for pair, hip in zip(pairs, hips, strict=True) for leg in pair)
    fields = {f.name: getattr(robot, f.name) for f in dataclasses.fields(LeggedRobot)}
    fields |= {name: 2 * fields[name] for name in DOUBLED}
    for joint in ("hip_motor", "leg_motor"):
        fields[joint] = dataclasses.replace(fields[joint], count=2 * fields[joint].count)
    # legs that are apart turn with the torso
    fields["torso_inertia"] += (robot.upper_mass + robot.lower_mass) * apart
    fields |= {"hips": hips, "contact": contact}
    return Paired(swaps=hips[0] == hips[1], **fields)


def alike(robot: LeggedRobot, pairs: Pairs) -> bool:
    """Whether the legs of a pair have the same hip, so that the two-legged robot is exactly the four-legged one."""
    return all(robot.hips[a] == robot.hips[b] for a, b in pairs)


def unpaired(values: np.ndarray, robot: LeggedRobot, pairs: Pairs) -> np.ndarray:
    """Coordinates, or their rates, of the whole robot from those of the paired one, one row per time."""
    of = {leg: i for i, pair in enumerate(pairs) for leg in pair}
    rows = [0, 1, 2]
    for start in (3, 7):
        rows += [start + 2 * of[leg] + k for leg in range(robot.legs) for k in (0, 1)]
    found = values[:, rows].copy()
    if not alike(robot, pairs):
        # a pitch that the pair's one hip did not feel would press one foot of it in and lift the other
        angles = [3 + 2 * i for i in range(2 * robot.legs)]
        found[:, angles] += found[:, 2:3]
        found[:, 2] = 0.0
    return found


def whole(result: GaitResult, robot: LeggedRobot, pairs: Pairs) -> tuple[Segment, ...]:
    """The motion of a paired robot, whose pairs are alike, as that of all legs."""
    of = np.argsort(np.concatenate(pairs)) // 2
    (segment,), (layout,) = result.segments, result.layouts
    states = [unpaired(segment.points[:, rows], robot, pairs) for rows in (layout.q, layout.v, layout.a)]
    anchors = [segment.points[:, rows][:, of] for rows in (layout.deflection, layout.rate)]
    points = np.hstack([states[0], states[1], anchors[0], states[2], anchors[1]])
    return (replace(segment, points=points),)


def folded(result: GaitResult) -> tuple[GaitResult, Pairs] | None:
    """A quadruped's gait as one of two legs, and the pairs, if its left and right legs move alike."""
    robot, pairs = result.robot, PAIRS["bound"]
    if robot.legs != 4 or result.contact != "soft" or not alike(robot, pairs):
        return None
    (segment,), (layout,) = result.segments, result.layouts
    ones = [a for a, _ in pairs]
    rows = [0, 1, 2, *[s + 2 * leg + k for s in (3, 11) for leg in ones for k in (0, 1)]]
    states = [segment.points[:, at][:, rows] for at in (layout.q, layout.v, layout.a)]
    anchors = [segment.points[:, at][:, ones] for at in (layout.deflection, layout.rate)]
    points = np.hstack([states[0], states[1], anchors[0], states[2], anchors[1]])
    found = replace(
        result,
        robot=paired(robot, pairs),
        request=replace(result.request, symmetric=False),
        segments=(replace(segment, points=points),),
    )
    same = whole(found, robot, pairs)[0].points
    return (found, pairs) if np.abs(same - segment.points).max() < ALIKE else None
