"""Which feet are down when, and the name of that gait."""

from __future__ import annotations

import numpy as np

from plantar._checks import require
from plantar.gait.result import GaitResult

ALIKE = 0.8
"""Fraction of their stance that two feet must spend together to count as in step."""

SAME = 0.02
"""Fraction of the time that left and right feet may differ and still be in step."""

BOUNCE = 0.05
"""Fraction of the stride that a foot may be off the ground and still be in one stance; a stance lasts longer."""
LOADED = 1e-2
"""Force across from which a foot counts as down [m g]; a swinging foot may graze the ground."""


def contacts(result: GaitResult, samples: int = 400) -> tuple[np.ndarray, np.ndarray]:
    """Times and which feet carry force (samples, feet); a symmetric half is completed to a whole stride.

    Where left and right feet are in step, as in a bound, the half is a whole stride already.
    """
    times = np.linspace(0, result.stride_time, samples)
    on = np.stack([np.interp(times, result.times, f) > LOADED for f in result.force[:, 1::2].T], axis=1)
    mirrored = on[:, list(result.robot.mirror)]
    if result.request.symmetric and (on != mirrored).mean() > SAME:
        times = np.concatenate([times, times + result.stride_time])
        on = np.concatenate([on, mirrored])
    return times, on


def gait_name(result: GaitResult) -> str:
    """The usual name of a gait, from which feet are down together and whether all are ever up."""
    require(hasattr(result, "robot"), "result", result, "a GaitResult")
    _, on = contacts(result)
    flight = bool((~on.any(axis=1)).mean() > 0.01)
    if not on.any(axis=0).all():
        return "a foot never touches"
    if result.robot.legs == 1:
        return "hop" if flight else "bob"
    if result.robot.legs == 2:
        if _together(on[:, 0], on[:, 1]) > ALIKE:
            return "hop" if flight else "bob"
        if flight and min(_landings(foot) for foot in on.T) > 1:
            return "skip"
        return "run" if flight else "walk"
    return _four(on, flight)


def _landings(down: np.ndarray) -> int:
    """How often a foot comes down in a stride, bounces and scuffs aside."""
    spans = range(1, round(BOUNCE * len(down)) + 1)
    after = np.any([np.roll(down, k) for k in spans], axis=0)
    lasting = np.all([np.roll(down, -k) for k in spans], axis=0)
    return int((down & ~after & lasting).sum())


def _four(on: np.ndarray, flight: bool) -> str:
    """Left front, right front, left hind, right hind."""
    pair = {
        name: min(_together(on[:, a], on[:, b]), _together(on[:, c], on[:, d]))
        for name, (a, b, c, d) in {"bound": (0, 1, 2, 3), "trot": (0, 3, 1, 2), "pace": (0, 2, 1, 3)}.items()
    }
    if min(pair.values()) > ALIKE:
        return "pronk" if flight else "bob"
    best = max(pair, key=pair.__getitem__)
    if pair[best] > ALIKE:
        return best if flight else f"walking {best}"
    return "gallop" if flight else "walk"


def _together(a: np.ndarray, b: np.ndarray) -> float:
    """Time both feet are down over time either is."""
    either = (a | b).sum()
    return float((a & b).sum() / either) if either else 0.0
