"""Drops of a foot: recordings from a file, and synthetic ones where there are none."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from plantar._checks import require, require_positive
from plantar._config import Checked
from plantar._read import read_csv
from plantar.errors import InvalidInput
from plantar.gait import _formulas as formulas
from plantar.gait.rubber import GRAVITY, RubberContact
from plantar.table import Table

CHANNELS = ("height", "acceleration")
LONGEST_CONTACT = 0.08
"""Longest time that a synthetic drop is followed in contact [s]."""
LONGEST_DROP, DEEPEST, HARDEST = 60.0, 0.5, 3e4
"""Time [s], depth in the ground [m] and acceleration [m/s^2] beyond which a recording is in other units."""


@dataclass(frozen=True, kw_only=True)
class Recording:
    """One drop: time, and height or acceleration or both."""

    name: str
    """Number or name in the file."""
    time: np.ndarray
    """Evenly spaced times [s]."""
    height: np.ndarray | None = None
    """Lowest point of the undeformed foot above the ground, negative in contact [m]."""
    acceleration: np.ndarray | None = None
    """Upward acceleration, -9.81 in free fall [m/s^2]."""

    @property
    def step(self) -> float:
        """Sampling time [s]."""
        return float(self.time[-1] - self.time[0]) / (len(self.time) - 1)


@dataclass(frozen=True, kw_only=True)
class DropRig(Checked):
    """How drops are made: what falls, from where, how it is recorded."""

    mass: float = 0.5
    """Mass that falls with the foot [kg]."""
    heights: tuple[float, ...] = (0.01, 0.03, 0.06, 0.12, 0.2)
    """Free fall of each drop [m]; the paper has five drops."""
    rate: float = 10e3
    """Samples per second [Hz]."""
    before: float = 0.004
    """Recorded time before touch-down [s]."""
    after: float = 0.004
    """Recorded time after lift-off [s]."""
    noise: float = 0.02
    """Standard deviation of each channel over its largest value in contact."""

    def __post_init__(self) -> None:
        """Check every field; the first bad one is named."""
        require_positive(self, "", ("mass", "rate", "before", "after"))
        require(self.noise >= 0, "noise", self.noise, "a number that is 0 or above")
        good = bool(self.heights) and all(math.isfinite(h) and h > 0 for h in self.heights)
        require(good, "heights", self.heights, "heights above 0 [m]")


def fall(
    law: RubberContact | Params, mass: float, height: np.ndarray, speed: np.ndarray, step: Any, count: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Heights, speeds and accelerations of falling masses, `count` samples `step` apart (samples, drops).

    Fourth-order Runge-Kutta, one step per sample; upward is positive.
    """
    z, v = np.array(height, float), np.array(speed, float)
    out = np.empty((3, count, *z.shape))
    h = step

    def acceleration(z: np.ndarray, v: np.ndarray) -> np.ndarray:
        return law.force(-z, -v) / mass - GRAVITY

    for i in range(count):
        a1 = acceleration(z, v)
        out[0, i], out[1, i], out[2, i] = z, v, a1
        a2 = acceleration(z + h / 2 * v, v + h / 2 * a1)
        a3 = acceleration(z + h / 2 * v + h * h / 4 * a1, v + h / 2 * a2)
        a4 = acceleration(z + h * v + h * h / 2 * a2, v + h * a3)
        z, v = z + h * v + h * h / 6 * (a1 + a2 + a3), v + h / 6 * (a1 + 2 * a2 + 2 * a3 + a4)
    return out[0], out[1], out[2]


class Params:
    """The normal law with its three parameters as arrays, for many laws at once."""

    def __init__(self, stiffness: np.ndarray, damping: np.ndarray, damping_speed: np.ndarray) -> None:
        self.stiffness, self.damping, self.damping_speed = stiffness, damping, damping_speed
        self.transition_depth = np.sqrt(3 * damping / stiffness)

    def force(self, depth: np.ndarray, speed: np.ndarray) -> np.ndarray:
        """Normal force [N]."""
        return formulas.normal(self, depth, speed, np)


def synthetic_drops(law: RubberContact | None = None, rig: DropRig | None = None, *, seed: int = 0) -> Table:
    """Synthetic drops of a known foot with noise, in the form `fit_drops` reads: drop, time, height, acceleration.

    The recordings of Schumann et al. (ICRA 2018), to which Raff and Remy fit their law, are not public.

    Args:
        law: The foot; the racquetball if not given.
        rig: What falls, from where, how it is recorded.
        seed: Seed of the noise.
    """
    law, rig, rng = law or RubberContact(), rig or DropRig(), np.random.default_rng(seed)
    speed = np.sqrt(2 * GRAVITY * np.array(rig.heights))
    start = speed * rig.before - GRAVITY / 2 * rig.before**2
    longest = rig.before + rig.after + LONGEST_CONTACT
    paths = fall(law, rig.mass, start, GRAVITY * rig.before - speed, 1 / rig.rate, int(longest * rig.rate))
    rows = []
    for i in range(len(rig.heights)):
        z, a = paths[0][:, i], paths[2][:, i]
        left = np.flatnonzero((z > 0) & (np.arange(len(z)) > np.argmin(z)))
        end = min(len(z), int(left[0] + rig.after * rig.rate) if len(left) else len(z))
        z, a = z[:end], a[:end]
        z = z + rng.normal(0, 1, end) * rig.noise * float(-z.min())
        a = a + rng.normal(0, 1, end) * rig.noise * float(a.max() + GRAVITY)
        times = np.arange(end) / rig.rate
        rows += [
            {"drop": i + 1, "time": t, "height": h, "acceleration": b}
            for t, h, b in zip(times.tolist(), z.tolist(), a.tolist(), strict=True)
        ]
    return Table(rows)


def read_drops(path: str | Path) -> list[Recording]:
    """Read recordings from a CSV file with columns drop, time, and height or acceleration or both.

    Raises:
        InvalidInput: If the file cannot be used; the message names line or column.
    """
    path = Path(path)
    rows = read_csv(path, "give a CSV file of drops")
    names = tuple(rows[0]) if rows else ()
    if not rows or "time" not in names or not set(names) & set(CHANNELS):
        raise InvalidInput(
            f"file {path.name!r} has columns {', '.join(map(str, names)) or 'none'}: give time, and height or "
            f"acceleration or both; drop tells drops apart"
        )
    numbers = [
        {k: v if k == "drop" else _number(path, i, k, v) for k, v in row.items() if k in ("drop", "time", *CHANNELS)}
        for i, row in enumerate(rows, start=2)
    ]
    return from_table(Table(numbers))


def _number(path: Path, line: int, name: str, text: str | None) -> float:
    try:
        value = float(text or "")
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise InvalidInput(f"line {line} of {path.name!r}: {name} = {text!r} is not a number")
    return value


def from_table(table: Table) -> list[Recording]:
    """Recordings from rows with the columns of the file."""
    drops = list(dict.fromkeys(str(row.get("drop", 1)) for row in table))
    found = []
    for name in drops:
        rows = [row for row in table if str(row.get("drop", 1)) == name]
        time = np.array([row["time"] for row in rows])
        even = len(time) >= 20 and np.allclose(np.diff(time), np.diff(time).mean(), rtol=0.05)
        if not even or time[1] <= time[0]:
            raise InvalidInput(f"drop {name}: time is not evenly spaced and rising over at least 20 samples")
        channels = {c: np.array([row[c] for row in rows]) for c in CHANNELS if c in rows[0]}
        _check_units(name, time, channels)
        found.append(Recording(name=name, time=time, **channels))
    return found


def _check_units(name: str, time: np.ndarray, channels: dict[str, np.ndarray]) -> None:
    """Refuse what no drop of a foot reaches: it is in other units, most likely."""
    limits = {"time": (float(np.ptp(time)), LONGEST_DROP, "s: is it milliseconds?")}
    if "height" in channels:
        limits["height"] = (-float(channels["height"].min()), DEEPEST, "m below the ground: is it millimetres?")
    if "acceleration" in channels:
        hardest = float(np.abs(channels["acceleration"]).max())
        limits["acceleration"] = (hardest, HARDEST, "m/s^2: is it millimetres per square second?")
    for column, (value, most, unit) in limits.items():
        if value > most:
            raise InvalidInput(f"drop {name}: {column} goes to {value:.3g} {unit} Give SI units, {most:g} at most")
