"""The ground as sensed by a robot: the law of soil and the stiffness of its foot, from forces and motions of steps."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import least_squares
from scipy.signal import savgol_coeffs, savgol_filter
from scipy.stats import t as student

from plantar._checks import require, require_positive
from plantar._config import Checked
from plantar.errors import InvalidInput
from plantar.ground.laws.bekker import REFERENCE
from plantar.ground.soil.measured import read_table
from plantar.ground.soil.yielding import YieldingGround
from plantar.table import Table

COLUMNS = ("step", "depth", "speed", "force")
"""Columns of a log; others are ignored."""
LEAST = 8
"""Samples of loading that a step must have."""
DEEPEST = 1.0
"""No foot sinks as far [m]; in millimetres all do."""
SHALLOW = 1e-3
"""Feet that sink less than this determine no law [m]."""
FAINT = 0.1
"""Forces below this fraction of a step's largest are left out: there the height of the surface dominates."""
REBOUND = (0.1, 0.05)
"""Fraction of its depth by which soil is assumed to spring back, and its uncertainty: a compliant foot springs back
too, and a log cannot tell the two apart."""
SMOOTH = (9, 3)
"""Samples over which readings are smoothed to see their noise, and the degree of the polynomials."""
AGAIN = 12
"""How often noise is added again, to estimate how it biases the law."""
ROUNDS = 4
"""How often the weights of samples are updated."""
Array = np.ndarray


@dataclass(frozen=True, kw_only=True, eq=False)
class FootLog(Checked):
    """Readings of a foot over steps, one entry per sample; SI units."""

    step: Array
    """Number of the step."""
    depth: Array
    """How far the ankle, or the sole of a rigid foot, is below where it touched down [m]; an estimate is enough."""
    speed: Array
    """Speed of sinking [m/s]."""
    force: Array
    """Force of the ground, upwards [N]."""
    area: float
    """Area of the sole [m^2]."""
    diameter: float
    """Its equivalent diameter, four times the area over the girth [m]."""

    def __post_init__(self) -> None:
        """Check every field; the first bad one is named."""
        require_positive(self, "", ("area", "diameter"))
        sizes = {len(getattr(self, name)) for name in COLUMNS}
        require(len(sizes) == 1, "depth", f"{sizes} entries", "as many entries as step, speed and force")
        for name in COLUMNS:
            require(bool(np.isfinite(getattr(self, name)).all()), name, "not finite", "finite numbers")
        deepest = float(np.max(self.depth, initial=0.0))
        require(deepest <= DEEPEST, "depth", deepest, f"metres, {DEEPEST:g} at most")
        require(deepest > 0, "depth", "never above 0", "depths that count positive into the ground [m]")

    def loading(self) -> FootLog:
        """Samples of every step up to its greatest depth, without faint ones."""
        return self._phase(0)

    def relief(self) -> FootLog:
        """The same from there on, while the foot is unloaded."""
        return self._phase(1)

    def _phase(self, phase: int) -> FootLog:
        keep = np.zeros(len(self.step), bool)
        for step in np.unique(self.step):
            mine = np.flatnonzero(self.step == step)
            faint = FAINT * self.force[mine].max()
            # readings are noisy: the greatest depth is that of a mean over five
            top = int(np.argmax(np.convolve(self.depth[mine], np.full(5, 0.2), "same")))
            part = mine[top:] if phase else mine[: top + 1]
            part = part[self.force[part] > faint]
            keep[part] = len(part) >= LEAST
        if not keep.any():
            raise InvalidInput(f"no step has {LEAST} samples in which the foot sinks: give a log with a higher rate")
        parts = {name: getattr(self, name)[keep] for name in COLUMNS}
        return FootLog(**parts, area=self.area, diameter=self.diameter)

    def noisier(self, rng: np.random.Generator) -> FootLog:
        """The log with as much noise of forces and speeds again as it seems to have, by what smoothing takes away."""
        left = np.sqrt(1 - savgol_coeffs(*SMOOTH)[SMOOTH[0] // 2])
        force, speed = self.force.copy(), self.speed.copy()
        for step in np.unique(self.step):
            mine = np.flatnonzero(self.step == step)
            if len(mine) < SMOOTH[0]:
                continue
            smooth = np.asarray(savgol_filter(self.force[mine], *SMOOTH))
            loud = smooth > FAINT * smooth.max()
            share = np.sqrt(np.mean((self.force[mine] / smooth - 1)[loud] ** 2)) / left
            shaking = np.std(self.speed[mine] - savgol_filter(self.speed[mine], *SMOOTH)) / left
            force[mine] *= 1 + share * rng.normal(size=len(mine))
            speed[mine] += shaking * rng.normal(size=len(mine))
        return dataclasses.replace(self, force=force, speed=speed)

    @classmethod
    def load(cls, path: str | Path, *, area: float, diameter: float) -> FootLog:
        """Read a log from CSV or NPZ with the columns step, depth, speed and force."""
        table = read_table(path)
        lacking = [name for name in COLUMNS if name not in table]
        if lacking:
            raise InvalidInput(f"{Path(path).name!r} lacks {', '.join(lacking)}: give the columns {', '.join(COLUMNS)}")
        try:
            columns: dict[str, Any] = {name: table[name].astype(float) for name in COLUMNS}
        except ValueError:
            raise InvalidInput(f"{Path(path).name!r} has entries that are not numbers") from None
        return cls(**columns, area=area, diameter=diameter)


@dataclass(frozen=True, kw_only=True, eq=False)
class Sensed:
    """What a robot has learned about its ground."""

    parameters: Table
    """One row per number: value, joint 95 % interval, and whether the log determines it."""
    depth: float
    """Depth at which `pressure` is given [m]."""
    ground: YieldingGround
    """The soil, for feet of this size."""
    foot_stiffness: float | None
    """Of the foot [N/m]; None if not requested."""
    noise: float
    """Noise of forces, and of depths over that of their step, that the fit leaves."""
    samples: int
    """Samples that were used."""
    steps: int
    """Steps that were used."""
    notes: tuple[str, ...]
    """What the log cannot determine."""

    def holds(self, **truth: float) -> bool:
        """Whether all of these numbers lie in their intervals."""
        rows = {row["parameter"]: row for row in self.parameters}
        return all(rows[name]["low"] <= value <= rows[name]["high"] for name, value in truth.items())

    def to_dict(self) -> dict[str, Any]:
        """The result as plain data."""
        plain = {name: getattr(self, name) for name in ("depth", "foot_stiffness", "noise", "samples", "steps")}
        lists = {"parameters": list(self.parameters), "notes": list(self.notes)}
        return {**plain, **lists, "ground": self.ground.to_dict()}


def sense(log: FootLog, *, stiffness: bool = False, name: str = "sensed soil") -> Sensed:
    """Find the law of the ground from steps.

    Free are the pressure at a middle depth, the exponent of sinkage, the cost of speed, where the surface was in each
    step, and the compliance of the foot if requested, which follows from how it rises when unloaded. How noisy
    forces and depths are is found with the rest.

    Args:
        log: Readings of a foot.
        stiffness: Whether the foot is a spring whose stiffness is to be found.
        name: Name of the soil.

    Raises:
        InvalidInput: If no step has enough samples.
    """
    seen = log.loading()
    # under a compliant foot, only part of the depth is in the soil
    middle = float(np.median(seen.depth)) * (0.5 if stiffness else 1.0)
    require(middle > 0, "depth", middle, "depths that are mostly above 0 [m]")
    problem = _Problem(log, middle, stiffness)
    x, spread, noise, free = problem.solve()
    count = 5 if stiffness else 3
    # noise of forces and speeds biases a law; the same noise again biases it by as much again, which is subtracted
    rng = np.random.default_rng(0)
    again = [_Problem(log.noisier(rng), middle, stiffness).solve()[0][:count] for _ in range(AGAIN)]
    x = np.append(2 * x[:count] - np.mean(again, axis=0), x[count:])
    # Bonferroni: all intervals hold jointly
    half = student.ppf(1 - 0.025 / count, max(free, 1)) * np.sqrt(np.diag(spread)[:count])
    low, high = x[:count] - half, x[:count] + half
    pressure, n = float(np.exp(x[0])), float(x[1])
    rows = [
        _row("pressure", pressure, float(np.exp(low[0])), float(np.exp(high[0])), half[0] < 1),
        _row("n", n, float(low[1]), float(high[1]), half[1] < n),
        # noise of speeds biases it by more than its own interval: no interval is given
        _row("damping", float(x[2]), np.nan, np.nan, False),
    ]
    spring = None
    if stiffness:
        spring = float(1 / x[3]) if x[3] > 0 else np.inf
        soft, hard = (float(1 / c) if c > 0 else np.inf for c in (high[3], low[3]))
        rows.append(_row("foot_stiffness", spring, soft, hard, bool(low[3] > 0)))
        rows.append(_row("rebound", float(x[4]), float(low[4]), float(high[4]), half[4] < 2 * REBOUND[1]))
    modulus = pressure / middle**n
    ground = YieldingGround(
        name=name, k_c=0.0, k_phi=modulus, n=n, cohesion=0.0, damping=max(0.0, float(x[2])), rebound=min(0.1, 0.9 / n)
    )
    return Sensed(
        parameters=Table(rows),
        depth=middle,
        ground=ground,
        foot_stiffness=spring,
        noise=noise,
        samples=len(seen.step),
        steps=len(np.unique(seen.step)),
        notes=_notes(rows, middle, log.diameter),
    )


class _Problem:
    """Least squares of depths at forces that are noisy as well."""

    def __init__(self, log: FootLog, middle: float, soft: bool):
        self.middle, self.soft, self.fixed = middle, soft, 5 if soft else 3
        self.area = log.area
        loading = log.loading()
        self.names = np.unique(loading.step)
        parts = [loading, log.relief()] if soft else [loading]
        columns = [np.concatenate([getattr(part, name) for part in parts]) for name in COLUMNS]
        known = np.isin(columns[0], self.names)
        step, self.depth, self.speed, self.force = (column[known] for column in columns)
        self.back = np.concatenate([np.full(len(part.step), i) for i, part in enumerate(parts)])[known]
        self.owner = np.searchsorted(self.names, step)
        loads = [np.sort(loading.force[loading.step == name])[-3:].mean() for name in self.names]
        self.peak = np.array(loads)[self.owner]
        self.deepest = np.array([loading.depth[loading.step == name].max() for name in self.names])[self.owner]

    def made(self, x: Array, force: Array) -> Array:
        """Depth of the ankle by the law at forces."""

        def sunk(force: Array, speed: Array) -> Array:
            share = np.maximum(force, 1e-9) / (self.area * np.exp(x[0]) * np.maximum(1 + x[2] * speed, 0.1))
            return self.middle * share ** (1 / x[1])

        depth = sunk(force, self.speed)
        if self.soft:
            deep = sunk(self.peak, np.zeros(len(self.peak)))
            relieved = deep * (1 - x[4] * (1 - force / self.peak))
            depth = np.where(self.back > 0, relieved, depth) + x[3] * force
        return depth - x[self.fixed :][self.owner]

    def solve(self) -> tuple[Array, Array, float, int]:
        """Numbers, their covariance, noise of depths over their range, and degrees of freedom."""
        x = np.zeros(self.fixed + len(self.names))
        x[:2] = np.log(np.median(self.force) / self.area), 1.1
        wide = np.full(len(x), np.inf)
        wide[1], low = 4.0, -wide
        low[1] = 0.2
        scale = np.array([0.1, 0.1, 0.5, *([1e-5, 0.05] * self.soft), *([1e-4] * len(self.names))])
        weight, found, noise = np.full(len(self.force), 1 / self.middle), None, 0.0

        def wrong(x: Array, weight: Array) -> Array:
            missed = (self.made(x, self.force) - self.depth) * weight
            return np.append(missed, (x[4] - REBOUND[0]) / REBOUND[1]) if self.soft else missed

        for _ in range(ROUNDS):
            found = least_squares(wrong, x, bounds=(low, wide), x_scale=scale, args=(weight,))
            x = found.x
            made = self.made(x, self.force)
            slope = (self.made(x, self.force * 1.001) - made) / (0.001 * self.force)
            # forces and depths are equally noisy, of themselves and of the depth of the step
            spread = np.hypot(self.deepest, slope * self.force)
            noise = np.sqrt(np.sum(((self.depth - made) / spread) ** 2) / (len(self.force) - len(x)))
            weight = 1 / (noise * spread)
        assert found is not None
        return x, np.linalg.pinv(found.jac.T @ found.jac), float(noise), len(self.force) - len(x)


def _row(name: str, value: float, low: float, high: float, told: bool) -> dict[str, Any]:
    return {"parameter": name, "value": value, "low": low, "high": high, "told": bool(told)}


def _notes(rows: list[dict[str, Any]], middle: float, diameter: float) -> tuple[str, ...]:
    notes = [f"pressure is that of a sole {diameter:.3g} m wide, {1e3 * middle:.3g} mm deep"]
    if middle < SHALLOW:
        notes.append("feet sink less than 1 mm: the surface height dominates, and the numbers cannot be trusted")
    notes += [f"{row['parameter']} is not determined by this log" for row in rows if not row["told"]]
    notes.append(
        "one size of foot does not determine how pressure depends on size (m, k_c); feet that do not slide do not"
    )
    notes[-1] += (
        f" determine friction; k_phi of the ground holds for this width with m = 0 (at {REFERENCE:g} m otherwise)"
    )
    return tuple(notes)
