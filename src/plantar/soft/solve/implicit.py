"""One time step: backward Euler with one linearisation, smaller where it fails."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from plantar.soft.scene.contact import Touch
from plantar.soft.solve.dump import diverged
from plantar.soft.solve.linearise import motion, respond

if TYPE_CHECKING:
    from plantar.soft.scene.scene import Scene

SMALLEST = 2.0**-8
"""Least share of dt that is tried before a step is given up."""
FARTHEST = 3.0
"""A step that moves anything by more than this many sizes of the scene has failed."""


@dataclass(frozen=True, kw_only=True)
class StepResult:
    """What a step did."""

    time: float
    """Time at its end [s]."""
    efforts: dict[str, float]
    """Tension of cables [N] and pressure of cavities [Pa]."""
    strokes: dict[str, float]
    """Cable length pulled in [m] and growth of volume [m^3]."""
    motion: float
    """Largest motion of a node [m]."""
    substeps: int = 1
    """Parts the step was cut into; 1 if all went well."""
    iterations: int = 1
    """Linearisations."""
    touches: list[Touch] = field(default_factory=list)
    """Contacts with a force."""


def step_dynamic(scene: Scene) -> StepResult:
    """Advance by dt, in smaller parts if the step fails."""
    for contact in scene.contacts.values():
        contact.anchor = None
    moved, parts = _advance(scene, scene.dt, 1.0)
    if parts == 0:
        raise diverged(scene, scene.state.v)
    scene._prescribed = None
    return StepResult(
        time=scene.state.time,
        efforts=dict(scene.efforts),
        strokes=scene.strokes(),
        motion=moved,
        substeps=parts,
        touches=scene.touches,
    )


def _advance(scene: Scene, h: float, share: float) -> tuple[float, int]:
    """Largest motion and number of parts; no parts if it failed."""
    before = scene.state.copy()
    whole = scene._prescribed
    moved = attempt(scene, h)
    if moved is not None:
        return moved, 1
    scene.state = before.copy()
    if share / 2 < SMALLEST:
        return 0.0, 0
    total, count = 0.0, 0
    for _ in range(2):
        scene._prescribed = None if whole is None else whole / 2
        moved, parts = _advance(scene, h / 2, share / 2)
        if not parts:
            scene.state, scene._prescribed = before, whole
            return 0.0, 0
        total, count = total + moved, count + parts
    scene._prescribed = whole
    return total, count


def attempt(scene: Scene, h: float) -> float | None:
    """One step of length h; the largest motion, or None if it failed."""
    answer = respond(scene, h)
    if answer is None:
        return None
    linear, found = answer
    d, change = motion(scene, linear, found.value)
    moved = float(np.abs(d).max())
    if not moved < FARTHEST * scene._size:  # also catches NaN
        return None
    scene._last = found
    scene.state.v += change
    scene._advance(d)
    if not scene._sound():
        return None
    scene.state.time += h
    scene._store(linear.names, found.value)
    return moved
