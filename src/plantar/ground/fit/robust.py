"""Robust least squares, for noise that may grow with the force."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import least_squares, nnls
from scipy.stats import t as student

from plantar.ground.fit.models import Model
from plantar.ground.fit.press_data import PressData

TUKEY = 4.685
"""Residuals beyond this many standard deviations have no weight; 95 % efficient if there are no outliers."""
OUTLIER = 3.5
"""Residuals beyond this many standard deviations are reported as outliers."""
FLOOR = 2e-3
"""No sample is trusted to better than this fraction of the largest force: near the surface laws have kinks."""
ROUNDS = 30
TRIED = 3
"""Starts that are followed, the best ones; three times as many for laws of more than three parameters."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Robust:
    """What a robust fit found."""

    theta: np.ndarray
    covariance: np.ndarray
    force: np.ndarray
    """Forces of the law at the samples [N]."""
    sigma: np.ndarray
    """Standard deviation of the noise at each sample [N]."""
    noise: tuple[float, float]
    """Of the noise: constant part [N], and part of the force."""
    outliers: np.ndarray
    """Whether each sample is one."""

    def half_widths(self, level: float = 0.95) -> np.ndarray:
        """Half width of intervals that jointly contain all parameters with probability `level`."""
        n, p = len(self.force), len(self.theta)
        factor = float(student.ppf(1 - (1 - level) / (2 * p), max(n - p, 1)))
        return factor * np.sqrt(np.maximum(np.diag(self.covariance), 0.0))

    @property
    def correlation(self) -> np.ndarray:
        """Correlation of the parameters."""
        spread = np.sqrt(np.maximum(np.diag(self.covariance), 1e-300))
        return self.covariance / np.outer(spread, spread)


def robust_fit(model: Model, data: PressData, start: np.ndarray | None = None) -> Robust:
    """Fit `model` to `data`: an absolute-value fit from many starts, then Tukey's biweight.

    The covariance is that of M-estimators (Huber's sandwich), which assumes nothing about the distribution of the
    noise.
    """
    starts = model.thetas(data) if start is None else [start]
    starts.sort(key=lambda s: _spread(model, data, s))
    tried = TRIED if len(model.parameters) <= 3 else 3 * TRIED
    theta = min((_coarse(model, data, s) for s in starts[:tried]), key=lambda s: _spread(model, data, s))
    sigma, noise = _noise(model, data, theta)
    for _ in range(ROUNDS):
        old = theta
        weights = _weight((data.force - model.predict(theta, data)) / sigma)
        theta = _weighted(model, data, theta, np.sqrt(weights) / sigma)
        sigma, noise = _noise(model, data, theta)
        if np.allclose(theta, old, rtol=1e-8, atol=1e-10):
            break
    force = model.predict(theta, data)
    z = (data.force - force) / sigma
    return Robust(
        theta=theta,
        covariance=_sandwich(_slopes(model, data, theta) / sigma[:, None], z),
        force=force,
        sigma=sigma,
        noise=noise,
        outliers=abs(z) > OUTLIER,
    )


def _coarse(model: Model, data: PressData, start: np.ndarray) -> np.ndarray:
    scale = max(1e-12, 0.05 * float(np.median(abs(data.force))))
    found = least_squares(
        lambda theta: model.predict(theta, data) - data.force,
        start,
        bounds=model.bounds(),
        x_scale="jac",
        loss="soft_l1",
        f_scale=scale,
        max_nfev=60,
    )
    return found.x


def _spread(model: Model, data: PressData, theta: np.ndarray) -> float:
    return float(np.mean(np.minimum(abs(model.predict(theta, data) - data.force), np.max(data.force) / 3)))


def _weighted(model: Model, data: PressData, theta: np.ndarray, weights: np.ndarray) -> np.ndarray:
    low, high = model.bounds()
    inside = np.clip(theta, low + 1e-12, high - 1e-12)
    found = least_squares(
        lambda t: weights * (model.predict(t, data) - data.force),
        inside,
        bounds=(low, high),
        x_scale="jac",
        max_nfev=40,
    )
    return found.x


def _noise(model: Model, data: PressData, theta: np.ndarray) -> tuple[np.ndarray, tuple[float, float]]:
    """Standard deviation `a + b * force` from the medians of residuals in bands of equal count."""
    force = model.predict(theta, data)
    size = abs(data.force - force)
    free = max(1e-9, 1 - len(theta) / len(force))
    order = np.argsort(force, kind="stable")
    bands = [b for b in np.array_split(order, min(8, max(1, len(force) // 8))) if len(b)]
    least = FLOOR * max(float(np.quantile(abs(data.force), 0.95)), 1e-12)
    levels = np.array([max(least, 1.4826 * np.median(size[b])) for b in bands]) / np.sqrt(free)
    centres = np.array([np.median(force[b]) for b in bands])
    if len(bands) >= 3:
        # relative weights, or the loudest band would decide alone
        rows = np.stack([np.ones_like(centres), np.maximum(centres, 0)], axis=1) / levels[:, None]
        a, b = nnls(rows, np.ones(len(bands)))[0]
    else:
        a, b = float(np.median(levels)), 0.0
    return np.maximum(a + b * np.maximum(force, 0), least), (float(a), float(b))


def _weight(z: np.ndarray) -> np.ndarray:
    inside = abs(z) < TUKEY
    return np.where(inside, (1 - (z / TUKEY) ** 2) ** 2, 0.0)


def _slopes(model: Model, data: PressData, theta: np.ndarray) -> np.ndarray:
    """Derivatives of the forces by what the search sees (samples, parameters)."""
    low, high = model.bounds()
    columns = []
    for i in range(len(theta)):
        step = 1e-5 * max(1.0, abs(theta[i]))
        up, down = theta.copy(), theta.copy()
        up[i], down[i] = min(theta[i] + step, high[i]), max(theta[i] - step, low[i])
        columns.append((model.predict(up, data) - model.predict(down, data)) / (up[i] - down[i]))
    return np.stack(columns, axis=1)


def _sandwich(jacobian: np.ndarray, z: np.ndarray) -> np.ndarray:
    n, p = jacobian.shape
    psi = z * _weight(z)
    inside = abs(z) < TUKEY
    slope = np.where(inside, (1 - (z / TUKEY) ** 2) * (1 - 5 * (z / TUKEY) ** 2), 0.0)
    bread = (jacobian * slope[:, None]).T @ jacobian
    usual = np.mean(slope) * jacobian.T @ jacobian
    if np.any(np.diag(bread) < 0.3 * np.diag(usual)):
        bread = usual
    scale = np.sqrt(np.maximum(np.diag(bread), 1e-16 * np.diag(bread).max() + 1e-300))
    values, axes = np.linalg.eigh(bread / np.outer(scale, scale))
    # what the data do not determine must be reported as uncertain
    inverse = axes / np.maximum(values, 1e-12) @ axes.T / np.outer(scale, scale)
    meat = (jacobian * (psi**2)[:, None]).T @ jacobian
    return inverse @ meat @ inverse * n / max(n - p, 1)
