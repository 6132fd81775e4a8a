"""A search without derivatives: the evolution strategy with covariance matrix adaptation (Hansen 2016, CMA-ES)."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np


class Evolution:
    """CMA-ES in its standard settings, within the unit box.

    Args:
        start: First mean (n), each from 0 to 1.
        spread: First standard deviation.
        population: Points a generation; 0 takes the standard number.
        seed: Seed.
    """

    def __init__(self, start: np.ndarray, spread: float = 0.2, population: int = 0, seed: int = 0):
        n = len(start)
        self.n, self.mean, self.sigma = n, np.array(start, dtype=float), spread
        self.size = population or 4 + int(3 * math.log(n))
        self.rng = np.random.default_rng(seed)
        weights = np.log((self.size + 1) / 2) - np.log(np.arange(1, self.size // 2 + 1))
        self.weights = weights / weights.sum()
        mu = 1 / (self.weights**2).sum()
        self.mu = mu
        self.c_sigma = (mu + 2) / (n + mu + 5)
        self.d_sigma = 1 + 2 * max(0.0, math.sqrt((mu - 1) / (n + 1)) - 1) + self.c_sigma
        self.c_c = (4 + mu / n) / (n + 4 + 2 * mu / n)
        self.c_1 = 2 / ((n + 1.3) ** 2 + mu)
        self.c_mu = min(1 - self.c_1, 2 * (mu - 2 + 1 / mu) / ((n + 2) ** 2 + mu))
        self.length = math.sqrt(n) * (1 - 1 / (4 * n) + 1 / (21 * n**2))
        self.p_sigma, self.p_c = np.zeros(n), np.zeros(n)
        self.c, self.generation = np.eye(n), 0

    def ask(self) -> np.ndarray:
        """Points to try (size, n), folded back into the box."""
        values, self._axes = np.linalg.eigh(self.c)
        self._scales = np.sqrt(np.maximum(values, 1e-20))
        self._y = self.rng.standard_normal((self.size, self.n)) * self._scales @ self._axes.T
        return fold(self.mean + self.sigma * self._y)

    def tell(self, losses: np.ndarray) -> None:
        """Learn from what was asked."""
        best = np.argsort(losses, kind="stable")[: len(self.weights)]
        chosen = self._y[best]
        step = self.weights @ chosen
        self.generation += 1
        self.mean = fold(self.mean + self.sigma * step)
        whitened = self._axes @ (self._axes.T @ step / self._scales)
        self.p_sigma += -self.c_sigma * self.p_sigma + math.sqrt(self.c_sigma * (2 - self.c_sigma) * self.mu) * whitened
        norm = float(np.linalg.norm(self.p_sigma))
        decay = math.sqrt(1 - (1 - self.c_sigma) ** (2 * self.generation))
        moving = norm / decay < (1.4 + 2 / (self.n + 1)) * self.length
        self.p_c += -self.c_c * self.p_c + moving * math.sqrt(self.c_c * (2 - self.c_c) * self.mu) * step
        rank_mu = (self.weights[:, None] * chosen).T @ chosen
        keep = 1 - self.c_1 - self.c_mu + (1 - moving) * self.c_1 * self.c_c * (2 - self.c_c)
        self.c = keep * self.c + self.c_1 * np.outer(self.p_c, self.p_c) + self.c_mu * rank_mu
        self.c = (self.c + self.c.T) / 2
        self.sigma = min(0.5, self.sigma * math.exp(self.c_sigma / self.d_sigma * (norm / self.length - 1)))


def fold(x: np.ndarray) -> np.ndarray:
    """Reflect at 0 and 1."""
    return 1 - abs(1 - np.mod(x, 2.0))


def minimise(
    function: Callable[[np.ndarray], float], start: np.ndarray, *, generations: int, spread: float = 0.2, seed: int = 0
) -> tuple[np.ndarray, float]:
    """The best point found within the unit box, and its value."""
    search = Evolution(start, spread, seed=seed)
    best, least = np.array(start, dtype=float), math.inf
    for _ in range(generations):
        points = search.ask()
        losses = np.array([function(point) for point in points])
        search.tell(losses)
        if losses.min() < least:
            best, least = points[losses.argmin()].copy(), float(losses.min())
    return best, least
