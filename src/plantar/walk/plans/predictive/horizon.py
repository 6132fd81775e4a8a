"""The time ahead, cut at every change of contact: which foot stands where, and when."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from plantar.errors import InvalidInput


@dataclass(frozen=True, kw_only=True)
class Stance:
    """One foot on the ground."""

    foot: int
    """Which foot, counted as in the robot's places."""
    corners: np.ndarray
    """Corners of its sole in the world, shape (corners, 3) [m]."""
    step: int = -1
    """Which step ahead puts it there, from 0; -1 when it stands there now and cannot be moved."""


@dataclass(frozen=True, kw_only=True)
class Phase:
    """A time in which the same feet stand."""

    start: float
    """[s]"""
    end: float
    """[s]"""
    stances: tuple[Stance, ...]
    """Feet on the ground."""

    @cached_property
    def points(self) -> np.ndarray:
        """Contact points, shape (points, 3) [m]."""
        return np.concatenate([s.corners for s in self.stances]) if self.stances else np.zeros((0, 3))

    @cached_property
    def owners(self) -> np.ndarray:
        """The step ahead that each contact point belongs to; -1 for a foot that stands now."""
        return np.repeat([s.step for s in self.stances], [len(s.corners) for s in self.stances]).astype(int)


@dataclass(frozen=True, kw_only=True)
class Horizon:
    """Intervals of the time ahead, and the contact points of each."""

    times: np.ndarray
    """Ends of the intervals, the first being now, shape (intervals + 1,) [s]."""
    phase: np.ndarray
    """Index of the phase of each interval."""
    phases: tuple[Phase, ...]
    """All phases that the horizon touches."""

    @cached_property
    def lengths(self) -> np.ndarray:
        """How long each interval lasts [s]."""
        return np.diff(self.times)

    @cached_property
    def steps(self) -> int:
        """How many steps ahead may be moved."""
        return 1 + max((s.step for p in self.phases for s in p.stances), default=-1)

    def of(self, interval: int) -> Phase:
        """The phase that an interval is part of."""
        return self.phases[self.phase[interval]]


def horizon(phases: Sequence[Phase], now: float, seconds: float, longest: float) -> Horizon:
    """Cut the time from `now` on at every change of contact and so that no interval is longer than `longest`.

    Intervals that begin or end with a contact let the plan know to the millisecond when a foot may push,
    which a grid of equal steps does not.

    Raises:
        InvalidInput: If the phases do not cover the time.
    """
    end = now + seconds
    ahead = [p for p in phases if p.end > now + 1e-9 and p.start < end - 1e-9]
    if not ahead or ahead[0].start > now + 1e-9 or ahead[-1].end < end - 1e-9:
        raise InvalidInput(f"phases must cover the time from {now:g} to {end:g} s; give more of them")
    times, index = [now], []
    for i, phase in enumerate(ahead):
        stop = min(phase.end, end)
        pieces = max(1, int(np.ceil((stop - times[-1]) / longest - 1e-9)))
        times.extend(np.linspace(times[-1], stop, pieces + 1)[1:])
        index.extend([i] * pieces)
    return Horizon(times=np.array(times), phase=np.array(index), phases=tuple(ahead))
