"""Courses of bars that are moved without rebuilding the scene, and pushes on level ground."""

from __future__ import annotations

import math

import numpy as np

from plantar.walk.courses.course import CourseKind, Layout, Way, chance, random_push, register
from plantar.walk.sim.obstacles import LANE, Bar, Place, draw_bar

COUNT = 3
"""Bars of a course of several."""


def _flat(level: float, seed: int, way: Way) -> Layout:
    return Layout()


def _one(place: Place):  # noqa: ANN202
    def lay(level: float, seed: int, way: Way) -> Layout:
        where = float(chance(seed).uniform())
        if place == "random" and not way.holds:  # without planned steps it is met in the first quarter of the path
            return Layout(bars=(Bar(x=way.start + 0.25 * where * (way.end - way.start), height=level),))
        return Layout(bars=(draw_bar(level, place, way.holds, way.soles, where),))

    return lay


def _places(rng: np.random.Generator, way: Way) -> list[float]:
    """Places of several bars: anywhere in equal parts of the path, so that none lie together [m]."""
    part = (way.end - way.start) / COUNT
    return [way.start + (i + 0.1 + 0.8 * float(u)) * part for i, u in enumerate(rng.uniform(size=COUNT))]


def _several(level: float, seed: int, way: Way) -> Layout:
    return Layout(bars=tuple(Bar(x=x, height=level) for x in _places(chance(seed), way)))


def _one_side(level: float, seed: int, way: Way) -> Layout:
    rng = chance(seed)
    y = (1.0 if rng.uniform() < 0.5 else -1.0) * (LANE / 2 + 0.005)
    return Layout(bars=tuple(Bar(x=x, y=y, length=LANE, height=level) for x in _places(rng, way)))


def _oblique(level: float, seed: int, way: Way) -> Layout:
    rng = chance(seed)
    places = _places(rng, way)
    turns = [float(s * u) for s, u in zip(rng.choice([-1, 1], COUNT), rng.uniform(0.25, 0.8, COUNT), strict=True)]
    bars = zip(places, turns, strict=True)
    return Layout(bars=tuple(Bar(x=x, yaw=a, height=level, length=1.2 / math.cos(a)) for x, a in bars))


def _push(level: float, seed: int, way: Way) -> Layout:
    return Layout(pushes=(random_push(level, seed, way),))


for _name, _summary, _lay in (
    ("flat", "Level ground.", _flat),
    ("bar", "A bar across the path, anywhere within the fourth step.", _one("random")),
    ("heel", "A bar under the heel of the fourth step.", _one("heel")),
    ("arch", "A bar under the arch of the fourth step.", _one("arch")),
    ("toe", "A bar under the toes of the fourth step.", _one("toe")),
    ("bars", "Three bars across the path, anywhere in its thirds.", _several),
    ("one_side", "Three bars under the left or the right foot only.", _one_side),
    ("oblique", "Three bars turned by 14 to 46 degrees.", _oblique),
):
    register(
        CourseKind(name=_name, summary=_summary, lay=_lay, low=0.004, high=0.08, unit="" if _name == "flat" else "m")
    )
_PUSH = "A push at a random moment from a random side, on level ground."
register(CourseKind(name="push", summary=_PUSH, lay=_push, low=2.0, high=60.0, unit="N s"))
