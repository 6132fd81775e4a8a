"""What a user should know about a robot on its new feet."""

from __future__ import annotations

import mujoco

from plantar.model.keyframes import posed
from plantar.model.shape import lowest
from plantar.model.tree import below, collides, geoms_of
from plantar.robots.report import MountReport
from plantar.robots.robot import Robot

HEAVY = 0.2
"""Fraction of the robot's mass above which feet are worth a note."""
LARGE = 1.3
"""A sole longer or wider than this times the one it replaces is worth a note."""
POINT = 0.02
"""A sole shorter or narrower than this is a ball's or an edge, with which nothing is compared [m]."""
LONG, FITTING = 0.5, 0.3
"""Fraction of the base's height above which a foot in place of a ball is long, and the fraction that would fit."""
UNEVEN = 1e-3
"""Difference of the heights of soles in the standing keyframe that is worth a note [m]."""
DEEP = 5e-3
"""How far something else may reach below the soles without a note [m]."""


def notes_on(robot: Robot, change: MountReport) -> tuple[str, ...]:
    """Notes in words; none if everything is as expected."""
    notes = []
    mass, feet = change.mass[1], sum(p.foot_mass for p in change.places)
    if feet > HEAVY * mass:
        notes.append(f"the feet are {feet / mass:.0%} of the robot's mass")
    notes += _size_note(change)
    if len(change.places) == 2:
        notes += _balance_note(change)
    foot = robot.places[0].foot
    return (*notes, *(foot.caveats if foot else ()), *_keyframe_notes(robot))


def _size_note(change: MountReport) -> list[str]:
    """Whether a scaled-down foot would suit the robot better; the first leg represents all."""
    (old, new), height = change.places[0].extent, change.height[1]
    for before, after, word in zip(old, new, ("long", "wide"), strict=True):
        if before >= POINT and after > LARGE * before:
            return [
                f"the sole is {1e3 * after:.0f} mm {word} instead of {1e3 * before:.0f} mm: a foot scaled by about "
                f"{before / after:.2g} would be as {word} as the one it replaces"
            ]
    if old[0] < POINT and new[0] > LONG * height:
        return [
            f"the sole is {1e3 * new[0]:.0f} mm long under a base {1e3 * height:.0f} mm high: a foot scaled by about "
            f"{FITTING * height / new[0]:.2g} would be {FITTING:.0%} of that"
        ]
    return []


def _balance_note(change: MountReport) -> list[str]:
    where, rear, front = (change.balance[k] for k in ("centre_of_mass", "support_rear", "support_front"))
    outside = max(rear - where, where - front)
    if outside <= 1e-9:
        return []
    side = "behind" if where < rear else "in front of"
    return [f"the centre of mass is {1e3 * outside:.0f} mm {side} its support: it cannot stand without stepping"]


def _keyframe_notes(robot: Robot) -> list[str]:
    model = robot.model()
    data, base = mujoco.MjData(model), model.body(robot.base).id
    feet = {b for p in robot.places for a in [model.body(f"{p.prefix}ankle").id] for b in (a, *below(model, a))}
    rest = [g for g in geoms_of(model, {base, *below(model, base)} - feet) if collides(model, g)]
    notes = []
    for k in range(model.nkey):
        posed(model, data, model.key_qpos[k])
        name = model.key(k).name or f"#{k}"
        if lowest(model, data, rest) < -DEEP:
            notes.append(
                f"in keyframe {name} something else reaches {-1e3 * lowest(model, data, rest):.0f} mm below the soles"
            )
        heights = [data.site(p.site).xpos[2] for p in robot.places]
        if name == robot.keyframe and max(heights) - min(heights) > UNEVEN:
            notes.append(
                f"in keyframe {name} the soles differ by {1e3 * (max(heights) - min(heights)):.1f} mm in height"
            )
    return notes
