"""The fit: `mujoco.sysid` on the residuals of settled presses."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from plantar._extras import require_extra
from plantar.bench.calibrate.loss import make_loss
from plantar.bench.calibrate.parameters import ParameterSpace
from plantar.bench.calibrate.trials import MeasuredTrials, SimulatedReadings, press_sets
from plantar.settle import Progress

STEP = 0.003
"""Step of the finite differences, as a fraction of the bounds; forces settle to 1e-6 N, far below its effect."""
OFF_BOUND = 0.002
"""How far from a bound a descent starts at least, as a fraction of the bounds."""
ITERATIONS = 12
"""Largest number of descents in the last stage."""


def sysid() -> Any:
    """The module `mujoco.sysid`.

    Raises:
        MissingExtra: If what it needs is not installed.
    """
    require_extra("calibrate")
    import mujoco.sysid  # noqa: PLC0415  (extra `calibrate`)

    return mujoco.sysid


@dataclass(frozen=True, kw_only=True)
class Slopes:
    """How residuals change with the free parameters."""

    jacobian: np.ndarray
    """Change of each residual for a change of a fraction (readings, free parameters)."""
    smooth: np.ndarray
    """Readings whose forward and backward slopes agree (readings,)."""


@dataclass
class Problem:
    """The residuals as a function of the fractions `u`, with what has been pressed so far."""

    space: ParameterSpace
    data: MeasuredTrials
    robust: bool = True
    threads: int = 0
    progress: Progress | None = None
    evaluations: int = 0
    """Parameter sets pressed."""
    known: dict[bytes, SimulatedReadings] = field(default_factory=dict)
    """Answers from above the bench, by the fractions' bytes."""
    known_slopes: dict[bytes, Slopes] = field(default_factory=dict)

    def answer(self, u: np.ndarray) -> SimulatedReadings:
        """The presses at `u`, simulated once."""
        return self.answers([u])[0]

    def answers(self, us: list[np.ndarray]) -> list[SimulatedReadings]:
        """The presses at every `u`, those not yet known in one batch."""
        new = [u for u in us if u.tobytes() not in self.known]
        if new:
            self.evaluations += len(new)
            found = press_sets(self.space, self.data, new, None, self.threads, self.progress)
            self.known.update({u.tobytes(): a for u, a in zip(new, found, strict=True)})
        return [self.known[u.tobytes()] for u in us]

    def residual(self, u: np.ndarray) -> np.ndarray:
        """Residuals in standard deviations."""
        return self.data.residual(self.answer(u).readings)

    def cost(self, u: np.ndarray) -> float:
        """The loss at `u`."""
        return float(make_loss(self.columns).value(self.residual(u)))

    @property
    def columns(self) -> int | None:
        """Readings of a trial if the loss is robust, else None."""
        return len(self.data.columns) if self.robust else None

    def slopes(self, u: np.ndarray, free: np.ndarray) -> Slopes:
        """Slopes of the residuals at `u`, or just inside the bounds if it lies on one.

        The presses of the differences start from the rest at `u`, so that they stay on its branch. Of
        forward and backward slope the smaller is taken: a jump spoils one of them, seldom both.
        """
        u = np.where(free, np.clip(u, STEP, 1 - STEP), u)
        key = u.tobytes() + free.tobytes()
        if key not in self.known_slopes:
            base = self.answer(u)
            r = self.data.residual(base.readings)
            steps = [step * np.eye(len(u))[i] for i in np.flatnonzero(free) for step in (STEP, -STEP)]
            self.evaluations += len(steps)
            found = press_sets(self.space, self.data, [u + s for s in steps], base.rest, self.threads, self.progress)
            change = np.stack([self.data.residual(a.readings) - r for a in found], axis=1)
            forward, backward = change[:, ::2] / STEP, -change[:, 1::2] / STEP
            slope = np.where(abs(forward) < abs(backward), forward, backward)
            allowed = 0.3 * np.maximum(abs(forward), abs(backward)) + 0.1 * np.sqrt(np.mean(slope**2, axis=0))
            smooth = (abs(forward - backward) <= allowed).all(axis=1)
            self.known_slopes[key] = Slopes(jacobian=slope, smooth=smooth)
        return self.known_slopes[key]


def parameter_dict(space: ParameterSpace, u: np.ndarray, free: np.ndarray) -> Any:
    """The parameters as sysid's, in fractions of their bounds; those that are not free are frozen.

    Fractions, because the steps and tolerances of the optimiser are the same for all parameters, and
    metres and Shore degrees are far apart.
    """
    module = sysid()
    parameters = module.ParameterDict()
    for name, value, is_free in zip(space.names, u, free, strict=True):
        parameters.add(module.Parameter(name, value, 0.0, 1.0, frozen=not is_free))
    return parameters


def minimise(
    parameters: Any,
    residual: Callable[[np.ndarray], np.ndarray],
    columns: int | None,
    *,
    jacobian: Callable[[np.ndarray], np.ndarray] | None = None,
    iterations: int = 50,
    tolerance: float = 1e-6,
) -> tuple[np.ndarray, Any]:
    """Run `mujoco.sysid.optimize`; `residual` and `jacobian` take all parameters, frozen ones included.

    A start on a bound, where a descent can stall, is moved by `OFF_BOUND` of the way between the bounds.

    Returns:
        The fractions, and sysid's result with the Jacobian at the end.
    """

    def full(x: np.ndarray) -> np.ndarray:
        parameters.update_from_vector(x)
        return parameters.as_vector(include_frozen=True)

    def residuals(x: np.ndarray, _: Any) -> tuple[list[np.ndarray], None, None]:
        return [np.stack([residual(full(column)) for column in x.T], axis=1)], None, None

    parameters.move_off_bounds(fraction=OFF_BOUND)
    options: dict[str, Any] = {"max_iters": iterations, "norm": make_loss(columns), "output": io.StringIO()}
    if jacobian is not None:
        options["jacobian"] = lambda x, _: jacobian(full(x.ravel()))
    found, result = sysid().optimize(
        parameters,
        residuals,
        optimizer="mujoco",
        verbose=False,
        xtol=tolerance,
        gtol=tolerance,
        mu_factor=8.0,
        **options,
    )
    return found.as_vector(include_frozen=True), result


def descend(problem: Problem, u: np.ndarray, free: np.ndarray) -> tuple[np.ndarray, bool]:
    """Minimise on the simulation itself from `u`.

    Returns:
        The fractions, and whether the descent ended by itself.
    """
    parameters = parameter_dict(problem.space, u, free)
    found, result = minimise(
        parameters,
        problem.residual,
        problem.columns,
        jacobian=lambda full: problem.slopes(full, free).jacobian,
        iterations=ITERATIONS,
        tolerance=3e-4,
    )
    return found, len(result.extras["objective"]) <= ITERATIONS


def take_noise(problem: Problem, u: np.ndarray) -> None:
    """Scale the noise of forces and of rotations to what the residuals show, outliers apart."""
    data, old = problem.data, problem.data.noise
    r = problem.residual(u)
    force, rotation = (data.spread(r, kind) for kind in (~data.is_rotation, data.is_rotation))
    floor = max(force * old.force_floor, 1e-3)
    data.weigh(
        replace(old, force=min(0.9, force * old.force), force_floor=floor, rotation=min(0.9, rotation * old.rotation))
    )
    problem.known_slopes.clear()
