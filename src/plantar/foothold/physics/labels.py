"""From readings to labels: slip, holding force, tilt and support of presses and of footholds."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

from plantar.foothold.physics.plan import Presses
from plantar.foothold.physics.rig import PushRig
from plantar.foothold.physics.trace import Reader, Traces, push_ratio

LOST = 0.02
"""An ankle that moves aside by more than this when it is loaded has lost its foothold [m]: a cell of the map."""
HELD = 0.01
"""A push is held as long as the sole has not moved further than this under it [m]."""
HOLD_CAP = 1.0
"""Pushes over the load beyond this count as this for a foothold: a foot caught behind a stone holds more, but no step
needs it, and whether it is caught is random."""
SLIP_RATIO = 0.4
"""Push over load at which slip is read: what trotting occasionally requires."""

LEAST_PRESSES = 3
"""Fewest presses of a foothold that tell its worst direction."""


@dataclass(frozen=True, eq=False)
class Labels:
    """Labels of presses or footholds; row n of each array is one of them."""

    hold: np.ndarray
    """Largest push that was held, over the load (n,); of a foothold, in the worst direction."""
    slip: np.ndarray
    """How far the foot was from where it was put at a push of `SLIP_RATIO` times the load (n,) [m]."""
    settle: np.ndarray
    """How far the ankle moved aside when it was loaded (n,) [m]."""
    tilt: np.ndarray
    """Angle of the ankle base under the load alone (n,) [rad]."""
    area: np.ndarray
    """Support area before the push (n,) [m^2]."""
    spread: np.ndarray
    """Root mean square distance of the contacts from the centre of pressure (n,) [m]."""

    def __len__(self) -> int:
        return len(self.hold)

    @staticmethod
    def names() -> tuple[str, ...]:
        """Names of the labels, in order."""
        return tuple(item.name for item in fields(Labels))


def label_presses(traces: Traces, start: Presses, rig: PushRig, reader: Reader) -> Labels:
    """Labels of single presses; NaN where the simulation failed.

    The held push is the largest before the sole moved by `HELD`, and 0 for a foothold that was lost when loaded. It is
    what the ground resists, by the balance of impulse between two readings: push less damping times shift less mass
    times change of speed. So it is friction, however fast the foot then slides.
    """
    first = rig.settle_samples - 1
    away = traces.ankle[:, first, None] + traces.sole - traces.sole[:, first, None]
    gone = np.linalg.norm(away, axis=2)  # (n, samples)
    way = np.stack([np.cos(start.direction), np.sin(start.direction)], axis=1)[:, None]
    time = rig.sample * rig.timestep
    shift = (np.diff(traces.ankle, axis=1) * way).sum(axis=2) / time
    gain = (np.diff(traces.speed, axis=1) * way).sum(axis=2) / time
    ratio = push_ratio(rig, np.arange(rig.samples))
    given = ratio[None, 1:] * start.load[:, None] - rig.slide_damping * shift - reader.mass * gain
    held = given[:, first:] / start.load[:, None]
    settle = np.linalg.norm(traces.ankle[:, first], axis=1)
    moved = np.linalg.norm(traces.sole - traces.sole[:, first, None], axis=2)
    stays = np.logical_and.accumulate(moved[:, first:-1] <= HELD, axis=1) & (settle <= LOST)[:, None]
    hold = np.where(stays, held, 0.0).max(axis=1)
    at = int(np.searchsorted(ratio, SLIP_RATIO - 1e-9))
    found = (hold, gone[:, at], settle, traces.tilt[:, first], traces.area, traces.spread)
    return Labels(*(np.where(traces.ok, values, np.nan).astype(np.float32) for values in found))


def label_footholds(single: Labels, direction: np.ndarray) -> Labels:
    """Labels of footholds from those of their presses, pushed in `direction` (n, directions) [rad].

    All but the held push are means over the presses that did not fail. The held push is that of the worst direction,
    by the first harmonic of all presses: hold = a + b cos + c sin, least squares, worst a - |(b, c)|. That repeats
    better than the least of a few presses.
    """
    found = {item.name: getattr(single, item.name).reshape(direction.shape) for item in fields(Labels)}
    means = {name: _mean(values) for name, values in found.items()}
    return Labels(**{**means, "hold": worst(found["hold"], direction)})


def worst(hold: np.ndarray, direction: np.ndarray) -> np.ndarray:
    """Push held in the worst direction (n,), from pushes (n, k) in directions (n, k) [rad]; NaN if fewer than 3."""
    good = np.isfinite(hold).astype(float)
    held = np.where(good > 0, np.minimum(hold, HOLD_CAP), 0.0)
    terms = np.stack([np.ones_like(direction), np.cos(direction), np.sin(direction)], axis=2) * good[..., None]
    normal = np.einsum("nki,nkj->nij", terms, terms) + 1e-9 * np.eye(3)
    a, b, c = np.linalg.solve(normal, np.einsum("nki,nk->ni", terms, held)[..., None])[..., 0].T
    return np.where(good.sum(axis=1) >= LEAST_PRESSES, a - np.hypot(b, c), np.nan).astype(np.float32)


def _mean(values: np.ndarray) -> np.ndarray:
    good = np.isfinite(values)
    count = good.sum(axis=1)
    return np.where(count > 0, np.where(good, values, 0).sum(axis=1) / np.maximum(count, 1), np.nan).astype(np.float32)
