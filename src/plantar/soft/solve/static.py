"""Equilibria by Newton's method."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from plantar.soft.solve.dump import diverged
from plantar.soft.solve.implicit import StepResult
from plantar.soft.solve.linearise import motion, respond
from plantar.soft.solve.mixer import Mixer

if TYPE_CHECKING:
    from plantar.soft.scene.scene import Scene

LONGEST = 0.05
"""Largest motion of one iteration, as a share of the size of the scene."""


@dataclass(frozen=True, kw_only=True)
class StaticResult:
    """An equilibrium."""

    iterations: int
    """Linearisations it took."""
    motion: float
    """Largest motion of the last one [m]."""
    residual: float
    """Largest force out of balance on a free number [N]."""
    history: tuple[float, ...]
    """Largest motion of every iteration [m]."""

    def as_step(self, scene: Scene) -> StepResult:
        """The same as the result of a step."""
        return StepResult(
            time=scene.state.time,
            efforts=dict(scene.efforts),
            strokes=scene.strokes(),
            motion=self.motion,
            iterations=self.iterations,
            touches=scene.touches,
        )


def solve_static(scene: Scene, tolerance: float, limit: int) -> StaticResult:
    """Iterate to equilibrium; steps are shortened where they are too long or fail."""
    history: list[float] = []
    most = LONGEST * scene._size
    longest, regular, failures, floor, trust = most, 0.0, 0, 0.0, True
    mixer = Mixer() if not scene.system.frames else None
    start = scene.state.copy()
    scene.state.v[:] = 0.0
    for contact in scene.contacts.values():
        contact.anchor = contact.map.positions(start.x, start.quat)
    for iteration in range(limit):
        before = scene.state.copy()
        prescribed = scene._prescribed
        scene._exact = trust and bool(history) and history[-1] < 1e-3 * scene._size
        try:
            moved = _iterate(scene, longest, regular, None if scene._exact else mixer)
            # away from loads that follow the surface the exact tangent converges at once; else it is not worth having
            trust = trust and not (scene._exact and (moved is None or moved > 0.3 * history[-1]))
        finally:
            scene._exact = False
        if moved is None:
            scene.state, scene._prescribed = before, prescribed
            longest, failures = longest / 4, failures + 1
            if iteration < 4:
                # held by bonds or contacts alone: stiffness is singular, a trace of mass is not
                floor = max(10 * floor, 1e-3 * _first_regular(scene))
                regular, longest = floor, most
            elif failures > 3:
                regular = max(4 * regular, _first_regular(scene))
            if longest < 1e-9 * scene._size:
                break
            continue
        history.append(moved)
        longest, failures = min(2 * longest, most), 0
        small = moved <= tolerance * scene._size or _at_rounding(history, scene._size)
        if small and regular <= floor and scene._prescribed is None:
            if scene.mode == "static":
                scene.state.time += scene.dt
            return StaticResult(
                iterations=iteration + 1, motion=moved, residual=residual(scene), history=tuple(history)
            )
        if small:
            regular = floor
        elif _stuck(history):
            regular = max(2 * regular, _first_regular(scene))
        else:
            regular = max(regular / 4, floor) if regular > 1e-3 * _first_regular(scene) else floor
    reached = history[-1] if history else float("nan")
    scene.state = start
    why = f"no equilibrium after {limit} iterations (last motion {reached:.3g}); is every body held?"
    raise diverged(scene, scene.state.v, why)


def _first_regular(scene: Scene) -> float:
    """Mass in the matrix that makes a stray step about the size of a soft mode: (2 pi f)^2 of the scene's stiffness."""
    system = scene.system
    stiffness = float(np.trace(system.K[system.row == system.col].mean(axis=0)) / 3)
    return 1e-4 * stiffness / float(system.mass[system.mass > 0].mean())


def _at_rounding(history: list[float], size: float) -> bool:
    """Whether motion is tiny and has stopped shrinking: what is left is rounding."""
    return len(history) > 8 and history[-1] <= 1e-9 * size and min(history[-6:]) >= 0.2 * min(history[:-6])


def _stuck(history: list[float]) -> bool:
    """Whether motion has not shrunk over the last dozen iterations."""
    return len(history) > 24 and min(history[-8:]) > 0.5 * min(history[-24:-8])


def _iterate(scene: Scene, longest: float, regular: float, mixer: Mixer | None) -> float | None:
    answer = respond(scene, None, regular)
    if answer is None:
        return None
    linear, found = answer
    d, _ = motion(scene, linear, found.value)
    moved = float(np.abs(d).max())
    if not moved < 1e6 * scene._size:
        return None
    share = min(1.0, longest / moved) if moved > 0 else 1.0
    if mixer is not None:
        d = mixer.mix(scene.state.x, d, moved) if share == 1.0 and scene._prescribed is None else mixer.forget(d)
    scene._advance(share * d)
    if not scene._sound():
        if mixer is not None:
            mixer.forget(d)
        return None
    if scene._prescribed is not None:
        left = scene._prescribed * (1 - share)
        scene._prescribed = left if share < 1 else None
    scene._last = found
    scene._store(linear.names, found.value)
    return moved


def residual(scene: Scene) -> float:
    """Largest force out of balance on a free number, with the present efforts and contact forces."""
    F = scene._forces(None)
    scene._known_loads(F, False)
    active = scene._active_rows(False)
    loads = active.stack[1:] if active.loads is None else active.loads
    force = scene._start(active.names)
    if len(force):
        F = F + np.tensordot(force, loads, axes=(0, 0))
    scene.system.turn_arms(scene.state.quat)
    return float(np.abs(scene.system.reduce(F[None])[0]).max())
