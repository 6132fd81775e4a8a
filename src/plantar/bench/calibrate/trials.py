"""Many presses at once for a calibration: parameter sets times trials in one batch, and their residuals."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from mujoco.batch import Batch

from plantar._checks import require
from plantar._config import Checked
from plantar.bench.calibrate.loss import spread
from plantar.bench.calibrate.parameters import ParameterSpace
from plantar.bench.compare.measured import CONDITIONS, FORCES, rotation_columns
from plantar.bench.press.press import Trial, module_rotations, set_initial_states, vertical_forces
from plantar.bench.press.rig import PressRig
from plantar.feet.foot import Foot
from plantar.settle import Progress, Settled, settle, speeds
from plantar.table import Table

DURATION = 2.5
"""Longest simulated time of a trial [s]; nearly all are at rest after 1.2 s and are stepped no further."""
SETS = 32
"""Parameter sets in one batch; more would only take memory."""


@dataclass(frozen=True, kw_only=True)
class Noise(Checked):
    """Standard deviations of the measurement, which weigh the readings."""

    force: float = 0.02
    """Of a force, as a fraction of the reading."""
    force_floor: float = 0.05
    """Of a force, however small it is [N]."""
    rotation: float = 0.0025
    """Of a rotation [rad]."""
    factors: Mapping[str, float] = field(default_factory=dict)
    """Factors on the above by column, as in {"force_module": 3.0}."""

    def __post_init__(self) -> None:
        """Check every field."""
        require(0 <= self.force < 1, "noise.force", self.force, "a fraction from 0 to 1, 0.02 for 2 %")
        require(self.force_floor > 0, "noise.force_floor", self.force_floor, "a force above 0 N")
        require(0 < self.rotation < 1, "noise.rotation", self.rotation, "an angle in radians above 0, below 1")
        for name, value in self.factors.items():
            require(value > 0, f"noise.factors[{name!r}]", value, "a factor above 0")

    def sigma(self, column: str, readings: np.ndarray) -> np.ndarray:
        """Standard deviation of each reading of a column [N or rad]."""
        factor = self.factors.get(column, 1.0)
        if column in FORCES:
            return factor * np.hypot(self.force * np.abs(readings), self.force_floor)
        return np.full(len(readings), factor * self.rotation)


@dataclass(frozen=True, kw_only=True)
class SimulatedReadings:
    """Settled presses of one parameter set."""

    readings: np.ndarray
    """Forces [N] and rotations [rad] (trials, columns)."""
    rest: np.ndarray
    """Joint positions at the end (trials, nq), a start for the presses of a set nearby."""
    unsettled: int
    """Trials that still moved at the end."""


def simulate(
    pairs: Sequence[tuple[Foot, PressRig]],
    todo: Sequence[Trial],
    columns: Sequence[str],
    rest: np.ndarray | None = None,
    threads: int = 0,
    progress: Progress | None = None,
) -> list[SimulatedReadings]:
    """Press every foot on its rig in every trial, all in one batch.

    Args:
        pairs: Feet and rigs of the same structure.
        todo: Trials.
        columns: Readings to take.
        rest: Joint positions to start from, from an earlier answer; by default above the bench.
        threads: Threads; 0 takes all cores.
        progress: Called with the number of trials finished since the last call.

    Raises:
        Diverged: If a simulation blows up.
    """
    if len(pairs) > SETS:
        parts = [pairs[i : i + SETS] for i in range(0, len(pairs), SETS)]
        return [a for part in parts for a in simulate(part, todo, columns, rest, threads, progress)]
    models = [rig.spec(foot).compile() for foot, rig in pairs]
    batch = Batch(models[0], nsim=len(pairs) * len(todo), nthread=threads)
    batch.set_models([model for model in models for _ in todo])
    for s, (foot, rig) in enumerate(pairs):
        set_initial_states(_Rows(batch, s * len(todo)), foot, rig, todo)  # type: ignore[arg-type]
    if rest is not None:
        batch.bind("qpos")[:] = np.tile(rest, (len(pairs), 1))
    settle(batch, DURATION, progress=progress)
    return [_answer(batch, foot, s, len(todo), columns) for s, (foot, _) in enumerate(pairs)]


class _Rows:
    """The simulations of a batch from row `first` on, as `set_initial_states` wants to see them."""

    def __init__(self, batch: Batch, first: int):
        self.model, self._batch, self._first = batch.model, batch, first

    def bind(self, name: str) -> np.ndarray:
        return self._batch.bind(name)[self._first :]


def _answer(batch: Batch, foot: Foot, s: int, n: int, columns: Sequence[str]) -> SimulatedReadings:
    rows = range(s * n, (s + 1) * n)
    sensors, frames, moving = batch.bind("sensordata"), batch.bind("xmat"), ~Settled(speeds(batch)).each
    readings = []
    for i in rows:
        forces = vertical_forces(batch.model, sensors[i], foot)
        row = {f"force_{name}": force for name, force in forces.items()}
        row |= {f"rotation_{k}": r for k, r in enumerate(module_rotations(batch.model, frames[i], foot), start=1)}
        readings.append([row[c] for c in columns])
    here = slice(rows.start, rows.stop)
    return SimulatedReadings(
        readings=np.array(readings), rest=batch.bind("qpos")[here].copy(), unsettled=int(moving[here].sum())
    )


class MeasuredTrials:
    """Measured trials and how simulated ones differ from them.

    Args:
        measured: One row per trial; see `plantar.bench.measured`.
        columns: Readings to use; by default all available forces and rotations.
        noise: Weights of the readings.
        free_offsets: Whether each rotation sensor has an unknown zero, which is then taken out.
    """

    def __init__(self, measured: Table, columns: Sequence[str] | None, noise: Noise, free_offsets: bool):
        require(len(measured) > 0, "measured", "no trials", "at least one row")
        for column in CONDITIONS:
            require(column in measured.columns, "measured columns", measured.columns, f"a table with column {column!r}")
        known = [c for c in FORCES if c in measured.columns] + rotation_columns(measured.columns)
        self.columns = known if columns is None else list(columns)
        for column in self.columns:
            require(column in known, "columns", column, "columns of the measured table among " + ", ".join(known))
        for name in noise.factors:
            require(name in known, "noise.factors", name, "columns of the measured table among " + ", ".join(known))
        require(len(self.columns) > 0, "columns", columns, "at least one of " + ", ".join(known))
        self.trials = [Trial(float(r["load"]), float(r["height"]), int(r["position"])) for r in measured]
        self.readings = measured.block(self.columns)
        require(bool(np.isfinite(self.readings).all()), "measured readings", "nan", "a number in every cell")
        self.is_rotation = np.array([c not in FORCES for c in self.columns])
        self.free = self.is_rotation & free_offsets
        """Columns whose sensor has an unknown zero (columns,)."""
        self.weigh(noise)

    def weigh(self, noise: Noise) -> None:
        """Take `noise` as the standard deviations."""
        self.noise = noise
        pairs = zip(self.columns, self.readings.T, strict=True)
        self.sigma = np.stack([noise.sigma(c, x) for c, x in pairs], axis=1)  # (trials, columns)

    @property
    def telling(self) -> int:
        """Readings that say something: of each sensor with an unknown zero one goes into it."""
        return self.readings.size - int(self.free.sum())

    def spread(self, residual: np.ndarray, columns: np.ndarray | None = None) -> float:
        """Standard deviation of residuals, strays apart; those of unknown zeros are smaller by what the zeros take.

        Args:
            residual: Residuals of all readings.
            columns: Which columns count (columns,); all by default.
        """
        n = len(self.trials)
        used = (~self.free | (n > 1)) & (True if columns is None else columns)
        grown = np.where(self.free, math.sqrt(n / max(n - 1, 1)), 1.0)
        return spread((residual.reshape(self.readings.shape) * grown)[:, used])

    def misfit(self, readings: np.ndarray) -> np.ndarray:
        """Simulated minus measured (trials, columns) [N or rad], without the zeros of the sensors."""
        return readings - self.readings - self.offset(readings)

    def offset(self, readings: np.ndarray, kept: Sequence[int] | np.ndarray | slice = slice(None)) -> np.ndarray:
        """Zero of each sensor (columns,): what simulated exceeds measured by in most trials, or in those kept; or 0."""
        return np.where(self.free, _trimmed_mean((readings - self.readings)[kept], 0.1), 0.0)

    def residual(self, readings: np.ndarray) -> np.ndarray:
        """The misfit in standard deviations, flat (trials x columns)."""
        return (self.misfit(readings) / self.sigma).ravel()


def press_sets(
    space: ParameterSpace,
    data: MeasuredTrials,
    us: Sequence[np.ndarray],
    rest: np.ndarray | None,
    threads: int,
    progress: Progress | None,
) -> list[SimulatedReadings]:
    """The measured trials, simulated at fractions `us` of the space."""
    return simulate([space.build(u) for u in us], data.trials, data.columns, rest, threads, progress)


def _trimmed_mean(rows: np.ndarray, share: float) -> np.ndarray:
    """Mean of each column without `share` of its values at either end; SciPy's takes two seconds to import."""
    cut = int(share * len(rows))
    return np.sort(rows, axis=0)[cut : len(rows) - cut].mean(axis=0)
