"""Fit the normal law of a rubber foot to recorded drops, all of them at once, with intervals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from scipy.optimize import least_squares
from scipy.signal import savgol_filter
from scipy.stats import t as student

from plantar._arguments import checks_arguments
from plantar._checks import require, require_choice
from plantar._notebook import Shown
from plantar.errors import InvalidInput, PlantarError
from plantar.gait.drops import Params, Recording, fall, from_table
from plantar.gait.rubber import GRAVITY, RubberContact
from plantar.table import Table

NAMES = ("stiffness", "damping", "damping_speed")
LOWEST, HIGHEST = (1e2, 1e-3, 5e-3), (1e10, 1e4, 1e2)
"""Search range of the parameters, in SI units."""
LEAST_FALL = 5
"""Fewest samples in free fall from which a start is taken."""
UNITS = {"stiffness": "N/m^2", "damping": "N", "damping_speed": "m/s"}


@dataclass(frozen=True, kw_only=True)
class DropFit(Shown):
    """A law fitted to drops."""

    law: RubberContact
    """The fitted law; tangential fields are the defaults."""
    intervals: dict[str, tuple[float, float]]
    """95 % intervals of the three parameters."""
    drops: list[dict[str, Any]]
    """For each drop: speed at touch-down, deepest, peak force measured and fitted, noise left."""
    recordings: list[Recording]
    """What was fitted."""
    fitted: list[dict[str, np.ndarray]]
    """Height, speed and acceleration of the fit at the recorded times."""
    mass: float
    """Falling mass [kg]."""
    noise: dict[str, float]
    """What is left of each channel, over its largest value."""
    evaluations: int
    """Batches of simulated drops."""

    def rows(self) -> list[dict[str, Any]]:
        """One row per parameter."""
        symbols = {"stiffness": "k_N", "damping": "d_N1", "damping_speed": "d_N2"}
        return [
            {
                "parameter": symbols[name],
                "field": name,
                "value": getattr(self.law, name),
                "low": self.intervals[name][0],
                "high": self.intervals[name][1],
                "unit": UNITS[name],
            }
            for name in NAMES
        ]


@checks_arguments
def fit_drops(
    data: Table | Sequence[Recording],
    mass: float,
    *,
    velocity: Literal["position", "acceleration"] | None = None,
) -> DropFit:
    """Find k_N, d_N1 and d_N2 with which simulated drops follow the recorded ones.

    The whole motion is fitted, not force against a differentiated position, so that noise does not bias the damper.
    Start height and speed of each drop are unknowns too.

    Args:
        data: Recordings, or a table of them.
        mass: What falls, foot included [kg].
        velocity: Which channel the motion is taken from if both are there; None takes both.

    Raises:
        InvalidInput: If there is no contact in a drop, or a channel is missing.
        PlantarError: If no law is found that follows all drops.
    """
    require(np.isfinite(mass) and 1e-3 <= mass <= 1e3, "mass", mass, "a mass of 1e-3 to 1e3 kg")
    recordings = from_table(data) if isinstance(data, Table) else list(data)
    require(len(recordings) > 0, "drops", 0, "at least one recorded drop")
    if velocity is not None:
        require_choice("velocity", velocity, ("position", "acceleration"))
    problem = _Problem(recordings, mass, velocity)
    x0 = problem.start()
    free = np.full(len(x0) - 3, np.inf)
    bounds = np.concatenate([np.log(LOWEST), -free]), np.concatenate([np.log(HIGHEST), free])
    x0[:3] = np.clip(x0[:3], np.log(LOWEST) + 0.1, np.log(HIGHEST) - 0.1)
    slopes: Any = problem.jacobian
    found = least_squares(problem.residual, x0, jac=slopes, bounds=bounds, x_scale="jac", max_nfev=60)
    return problem.fit(found)


class _Problem:
    """Unknowns: logarithms of the three parameters, then start height and speed of each drop."""

    def __init__(self, recordings: list[Recording], mass: float, velocity: str | None) -> None:
        self.recordings, self.mass, self.evaluations = recordings, mass, 0
        self.channels = {"position": ("height",), "acceleration": ("acceleration",), None: ("height", "acceleration")}[
            velocity
        ]
        for r in recordings:
            if all(getattr(r, c) is None for c in self.channels):
                raise InvalidInput(f"drop {r.name} has no {' or '.join(self.channels)}: add that column")
        self.count = max(len(r.time) for r in recordings)
        self.size = {c: [_size(r, c) for r in recordings] for c in self.channels}

    def start(self) -> np.ndarray:
        """A guess that needs no user: touch-down speed, deepest point and peak force tell the rest."""
        starts, stiff, damp = [], [], []
        for r in self.recordings:
            z, v, a = smoothed(r)
            force = self.mass * (a + GRAVITY)
            deep = np.argmin(z)
            if -z[deep] <= 0 or force.max() < 2 * self.mass * GRAVITY:
                raise InvalidInput(f"drop {r.name} does not reach the ground: height must be 0 at first touch")
            starts.append(before_contact(r, z, v))
            stiff.append(force[deep] / z[deep] ** 2)
            lost = self.mass / 2 * (v.min() ** 2 - v[deep:].max() ** 2)
            damp.append(max(lost, 1e-3) / (2 * -z[deep]))
        return np.concatenate([np.log([np.median(stiff), np.median(damp), 0.15]), np.array(starts).ravel()])

    def simulate(self, x: np.ndarray) -> np.ndarray:
        """Height, speed, acceleration (3, samples, rows of x, drops)."""
        x = np.atleast_2d(x)
        self.evaluations += 1
        law = Params(*np.exp(x[:, :3]).T[..., None])
        step = np.array([r.step for r in self.recordings])
        return np.stack(fall(law, self.mass, x[:, 3::2], x[:, 4::2], step, self.count))

    def residual(self, x: np.ndarray) -> np.ndarray:
        """Differences from the recordings over their sizes."""
        return self._residuals(x)[0]

    def jacobian(self, x: np.ndarray) -> np.ndarray:
        """Central differences, all of them in one batch of simulations."""
        steps = np.where(np.arange(len(x)) < 3, 1e-5, 1e-7)
        moved = np.concatenate([x + np.diag(steps), x - np.diag(steps)])
        r = self._residuals(moved)
        return ((r[: len(x)] - r[len(x) :]) / (2 * steps[:, None])).T

    def _residuals(self, x: np.ndarray) -> np.ndarray:
        z, _, a = self.simulate(x)
        parts = []
        for i, r in enumerate(self.recordings):
            for c, model in (("height", z), ("acceleration", a)):
                data = getattr(r, c)
                if c in self.channels and data is not None:
                    parts.append((model[: len(data), :, i].T - data) / self.size[c][i])
        return np.concatenate(parts, axis=1)

    def fit(self, found: Any) -> DropFit:
        """The result, with intervals from the curvature at the optimum."""
        x, n = found.x, len(found.fun)
        if found.status <= 0:
            raise PlantarError(f"the fit did not settle in {found.nfev} steps: leave out drops unlike the others")
        covariance = np.linalg.pinv(found.jac.T @ found.jac) * 2 * found.cost / (n - len(x))
        spread = np.diag(covariance)  # below 0 by rounding where a parameter tells nothing
        half = student.ppf(0.975, n - len(x)) * np.sqrt(np.where(spread >= 0, spread, np.nan))
        values = {name: float(np.exp(x[i])) for i, name in enumerate(NAMES)}
        z, v, a = self.simulate(x)[:, :, 0]
        drops, fitted = [], []
        for i, r in enumerate(self.recordings):
            keep = slice(0, len(r.time))
            if z[keep, i].min() >= 0:
                raise PlantarError(f"drop {r.name} never lands in the fit: leave it out, or check mass and units")
            fitted.append({"height": z[keep, i], "speed": v[keep, i], "acceleration": a[keep, i]})
            measured = None if r.acceleration is None else float(self.mass * (smoothed(r)[2].max() + GRAVITY))
            drops.append(
                {
                    "drop": r.name,
                    "speed": float(-v[keep, i].min()),
                    "deepest": float(-z[keep, i].min()),
                    "peak_force": float(self.mass * (a[keep, i].max() + GRAVITY)),
                    "peak_force_measured": measured,
                }
            )
        return DropFit(
            law=RubberContact(**values),
            intervals={n: tuple(np.exp(x[i] + s * half[i]) for s in (-1, 1)) for i, n in enumerate(NAMES)},
            drops=drops,
            recordings=self.recordings,
            fitted=fitted,
            mass=self.mass,
            noise={c: self._noise(c, z, a) for c in self.channels},
            evaluations=self.evaluations,
        )

    def _noise(self, channel: str, z: np.ndarray, a: np.ndarray) -> float:
        model = z if channel == "height" else a
        parts = [
            (model[: len(r.time), i] - getattr(r, channel)) / self.size[channel][i]
            for i, r in enumerate(self.recordings)
            if getattr(r, channel) is not None
        ]
        return float(np.sqrt(np.mean(np.concatenate(parts) ** 2))) if parts else float("nan")


def before_contact(r: Recording, z: np.ndarray, v: np.ndarray) -> tuple[float, float]:
    """Start height and speed of a drop, from the free fall before it touches the ground.

    A slope at the end of a noisy path is off by more than its value, and from there a drop that has no height to
    follow can be thrown up so high that it never lands.
    """
    falling = np.flatnonzero(z <= 0)[0] if (z <= 0).any() else 0
    if r.height is None or falling < LEAST_FALL:
        return float(z[0]), float(v[0])
    time = r.step * np.arange(falling)
    speed, height = np.polyfit(time, r.height[:falling] + GRAVITY / 2 * time**2, 1)
    return float(height), float(speed)


def _size(r: Recording, channel: str) -> float:
    """Largest value in contact."""
    z, _, a = smoothed(r)
    return float(-z.min()) if channel == "height" else float(a.max() + GRAVITY)


def smoothed(r: Recording) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Height, speed and acceleration of a recording, smoothed; missing channels follow from the one that is there."""
    window = min(15, len(r.time) // 4 * 2 + 1)
    if r.height is not None:
        z = np.asarray(savgol_filter(r.height, window, 3))
        v = np.asarray(savgol_filter(r.height, window, 3, deriv=1, delta=r.step))
    else:
        a = np.asarray(r.acceleration)
        # an accelerometer alone: it falls freely until the force rises, and comes back to the same height then
        rise = int(np.argmax(a > -GRAVITY + 0.05 * (a.max() + GRAVITY)))
        out = len(a) - 1 - int(np.argmax(a[::-1] > -GRAVITY + 0.05 * (a.max() + GRAVITY)))
        moved = np.concatenate([[0.0], np.cumsum((a[1:] + a[:-1]) / 2) * r.step])
        path = np.concatenate([[0.0], np.cumsum((moved[1:] + moved[:-1]) / 2) * r.step])
        v0 = -(path[out] - path[rise]) / ((out - rise) * r.step)
        v, z = moved + v0, path + v0 * (r.time - r.time[0])
        z = z - z[rise]
    if r.acceleration is not None:
        return z, v, np.asarray(savgol_filter(r.acceleration, window, 3))
    return z, v, np.asarray(savgol_filter(np.asarray(r.height), window, 4, deriv=2, delta=r.step))
