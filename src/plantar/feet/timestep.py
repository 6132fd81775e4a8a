"""How large a time step a model can take, and what limits it: a prediction, and runs that verify it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np

from plantar._checks import require, require_choice
from plantar.errors import InvalidInput
from plantar.feet._timestep_bounds import (
    Bound,
    constraint_bounds,
    contact_bounds,
    landing_bounds,
    spring_bounds,
)
from plantar.model.state import blown_up

INTEGRATORS = {
    "euler": mujoco.mjtIntegrator.mjINT_EULER,
    "implicit": mujoco.mjtIntegrator.mjINT_IMPLICIT,
    "implicitfast": mujoco.mjtIntegrator.mjINT_IMPLICITFAST,
    "discrete": mujoco.mjtIntegrator.mjINT_DISCRETE,
}
LARGEST, RATIO = 64e-3, 2**0.25
"""Runs try steps from half of the model's own to this [s]; neighbours have this ratio."""
CALM = 5.0
"""A run whose joints are faster at its end than this many times those of the smallest step shakes."""


@dataclass(frozen=True)
class Forecast:
    """What limits the time step of a model."""

    bounds: tuple[Bound, ...]
    """Every bound, the tightest first."""
    stable: float
    """Largest step that should not blow up [s]."""
    faithful: float
    """Largest step at which no constraint is softened by MuJoCo [s]; above it forces begin to drift."""
    measured: float | None
    """Largest step that did not blow up or shake in a run, all smaller ones did not either [s]."""
    failed: str
    """What happened at the next larger one."""
    timestep: float
    """The model's own step [s]."""
    integrator: str
    """Integrator that was checked."""

    @property
    def limiting(self) -> Bound | None:
        """What sets the stable step."""
        return next((bound for bound in self.bounds if bound.hard), None)

    @property
    def advice(self) -> str:
        """The prediction in words."""
        first, own = self.bounds[0] if self.bounds else None, f"the model's own step is {1e3 * self.timestep:g} ms"
        lines = [f"integrator {self.integrator}; {own}"]
        if first:
            lines.append(f"faithful up to {_ms(self.faithful)}: {first.what} {first.element} ({first.why})")
        if self.limiting:
            lines.append(f"stable up to {_ms(self.stable)}, predicted: {self.limiting.what} {self.limiting.element}")
        if self.measured is not None:
            lines.append(f"stable up to {_ms(self.measured)} in a run{self.failed and ', then ' + self.failed}")
        return "\n".join(lines)

    def record(self) -> dict[str, Any]:
        """The prediction as plain data."""
        fields = ("stable", "faithful", "measured", "failed", "timestep", "integrator")
        bounds = [vars(bound) for bound in self.bounds]
        limiting = f"{self.limiting.what} {self.limiting.element}" if self.limiting else None
        return {**{name: getattr(self, name) for name in fields}, "limiting": limiting, "bounds": bounds}


def check_model(
    spec: mujoco.MjSpec,
    *,
    integrator: str | None = None,
    load: float | None = None,
    verify: bool = True,
    duration: float = 1.0,
) -> Forecast:
    """Predict the largest stable step of a model and optionally find it by simulation.

    Args:
        spec: The model; its first keyframe, if it has one, is where runs start. It is not changed.
        integrator: `euler`, `implicit`, `implicitfast` or `discrete` in place of the model's.
        load: Force that contacts carry [N]; None takes the weight and the first keyframe's controls.
        verify: Whether to run the model with growing steps.
        duration: Simulated time of each run [s].

    Raises:
        InvalidInput: If the model does not compile, or an argument is not allowed.
    """
    require(duration > 0, "duration", duration, "a time in seconds above 0")
    try:
        model = spec.compile()
    except ValueError as error:
        raise InvalidInput(f"the model does not compile: {error}") from error
    if integrator is not None:
        require_choice("integrator", integrator, tuple(INTEGRATORS))
        model.opt.integrator = INTEGRATORS[integrator]
    data = start(model)
    mujoco.mj_forward(model, data)
    weight = float(model.body_subtreemass[0] * np.linalg.norm(model.opt.gravity))
    force = weight + float(np.abs(data.actuator_force).sum()) if load is None else load
    bounds = [
        *spring_bounds(model, data),
        *constraint_bounds(model),
        *contact_bounds(model, data, force),
        *landing_bounds(model, data, force),
    ]
    bounds.sort(key=lambda bound: bound.step)
    hard = [bound.step for bound in bounds if bound.hard]
    measured, failed = find_step(model, duration) if verify else (None, "")
    name = next((name for name, kind in INTEGRATORS.items() if kind == model.opt.integrator), "rk4")
    return Forecast(
        tuple(bounds),
        stable=min(hard, default=math.inf),
        faithful=min((bound.step for bound in bounds), default=math.inf),
        measured=measured,
        failed=failed,
        timestep=float(model.opt.timestep),
        integrator=name,
    )


def find_step(model: mujoco.MjModel, duration: float = 1.0) -> tuple[float, str]:
    """Largest step up to which no run blows up or shakes [s], and what the next one did."""
    own = model.opt.timestep
    heard = mujoco.get_mju_user_warning()
    # MuJoCo would write a log file for the blow-ups provoked here.
    mujoco.set_mju_user_warning(lambda message: None)
    try:
        step = own / 2
        calm, why = _run(model, step, duration)
        while why and step > own / 64:
            step /= 2
            calm, why = _run(model, step, duration)
        while not why and step * RATIO <= LARGEST:
            speed, why = _run(model, step * RATIO, duration)
            if not why and speed > CALM * calm + 1.0:
                why = f"joints move at {speed:.0f} rad/s at {_ms(step * RATIO)}"
            step = step if why else step * RATIO
    finally:
        model.opt.timestep = own
        mujoco.set_mju_user_warning(heard)
    return step, why


def start(model: mujoco.MjModel) -> mujoco.MjData:
    """The model at its first keyframe, or at rest in its zero pose."""
    data = mujoco.MjData(model)
    if model.nkey:
        mujoco.mj_resetDataKeyframe(model, data, 0)
    return data


def _run(model: mujoco.MjModel, step: float, duration: float) -> tuple[float, str]:
    """Fastest joint in the last fifth of a run [rad/s, m/s], and what went wrong."""
    model.opt.timestep = step
    data, fastest = start(model), 0.0
    chunk = max(1, round(duration / step / 100))
    while data.time < duration:
        mujoco.mj_step(model, data, chunk)
        if blown_up(data) or not np.isfinite(data.qvel).all():
            return math.inf, f"it blows up at {_ms(step)}, within {duration:g} s"
        if data.time > 0.8 * duration:
            fastest = max(fastest, float(np.abs(data.qvel).max(initial=0.0)))
    return fastest, ""


def _ms(step: float) -> str:
    return "any step" if math.isinf(step) else f"{1e3 * step:.3g} ms"
