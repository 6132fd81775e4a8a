"""Compare with a reference file: run every state in it and measure the difference."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from plantar.errors import Diverged
from plantar.soft.fem.material import Corotational, Rotation
from plantar.soft.reference.reference import ReferenceState, read_reference
from plantar.soft.scene.body import SoftBody
from plantar.soft.scene.obstacle import Plane
from plantar.soft.scene.scene import Scene
from plantar.soft.solve.factor import Backend

FRICTION_STEPS = 1500
"""Steps of a state with friction whose file does not give the number the other engine took."""
SETTLED = 1e-7
"""Largest motion of a step, as a fraction of the size of the scene, of a body that counts as settled."""


@dataclass(frozen=True, kw_only=True)
class Difference:
    """One state beside the reference."""

    label: str
    """What the state shows."""
    command: str
    """What drives it."""
    difference: float | None
    """Largest distance between the two, as a fraction of the state's largest displacement; None if it was not run."""
    displacement: float
    """Largest displacement of the state, in the file's unit."""
    compared: str
    """What was compared: nodes, points, or why nothing was."""
    failed: bool
    """Whether our own run failed where the reference has a state."""
    steps: int
    """Linearisations it took."""
    indicative: bool
    """Whether the state depends on its path, so that the reference is indicative only."""

    def ok(self, tolerance: float) -> bool:
        """Whether it agrees."""
        return not self.failed and (self.difference is None or self.difference <= tolerance)


def compare(
    path: str | Path,
    *,
    rotation: Rotation | None = None,
    backend: Backend = "auto",
    progress: Callable[[], None] | None = None,
) -> list[Difference]:
    """Run all states of a reference file.

    Args:
        path: A JSON file in the reference layout.
        rotation: Rotation of corotational elements; that of the file if None. `polar` is the textbook element.
        backend: Sparse library.
        progress: Called after every state.
    """
    found = []
    for state in read_reference(path):
        if rotation is not None and isinstance(state.material, Corotational) and state.material.rotation != "none":
            layers = {n: replace(m, rotation=rotation) for n, m in state.layers.items()}  # type: ignore[call-arg]
            state = replace(state, material=replace(state.material, rotation=rotation), layers=layers)  # noqa: PLW2901
        found.append(run_state(state, backend))
        if progress:
            progress()
    return found


def run_state(state: ReferenceState, backend: Backend = "auto") -> Difference:
    """Settle one state and compare it."""
    command = ", ".join(f"{v:g}" for v in state.commands.values())
    if state.goal is not None:
        command = "goal " + ", ".join(f"{t:g}" for t in state.goal.target or ())
    if state.contact is not None:
        floor = state.contact.against
        assert isinstance(floor, Plane)
        command = f"mu {state.contact.friction:g}, floor {np.dot(floor.point, floor.normal):g}"
    if state.failed:
        return _nothing(state, command, f"the reference failed: {state.failed}")
    if state.nodes is None and state.places is None:
        return _nothing(state, command, "no positions in the reference")
    scene = build(state, backend)
    try:
        steps = settle(scene, state)
    except Diverged as error:
        return _nothing(state, command, str(error), failed=True)
    difference, displacement, compared = _measure(scene, state)
    return Difference(
        label=state.label,
        command=command,
        difference=difference,
        displacement=displacement,
        compared=compared,
        failed=False,
        steps=steps,
        indicative=state.indicative,
    )


def build(state: ReferenceState, backend: Backend = "auto") -> Scene:
    """The scene of a state, at rest."""
    body = SoftBody(
        name="body",
        mesh=state.mesh,
        material=state.material,
        parts=state.layers,
        fixed=state.fixed,
        check=False,
        **state.mass,
    )
    moving = state.goal is not None or (state.contact is not None and state.contact.friction > 0)
    return Scene(
        [body],
        state.actuators,
        contacts=[] if state.contact is None else [state.contact],
        goals=[] if state.goal is None else [state.goal],
        gravity=state.gravity,
        dt=state.dt,
        rayleigh=state.rayleigh,
        mode="dynamic" if moving else "static",
        backend=backend,
    )


def settle(scene: Scene, state: ReferenceState) -> int:
    """Bring the scene to the state; returns the linearisations it took."""
    if state.goal is not None:
        return _settle_inverse(scene, state)
    if scene.mode == "dynamic":
        scene.command(state.commands)
        return sum(scene.step().substeps for _ in range(state.steps or FRICTION_STEPS))
    try:
        scene.command(state.commands)
        return scene.equilibrium().iterations
    except Diverged:
        return _settle_slowly(scene, state)


def _settle_inverse(scene: Scene, state: ReferenceState) -> int:
    for step in range(max(60, 3 * state.steps)):
        result = scene.solve_inverse(energy=state.energy, pace=np.inf)
        if result.motion <= 1e-11 * scene.size:
            return step + 1
    return max(60, 3 * state.steps)


def _settle_slowly(scene: Scene, state: ReferenceState, ramp: int = 100) -> int:
    """Backward Euler with the command ramped up, as the other engine did it, then Newton's method."""
    scene.reset()
    scene.mode = "dynamic"
    steps, motion = 0, np.inf
    for i in range(20 * ramp):
        share = min(1.0, (i + 1) / ramp)
        result = scene.step({n: share * v for n, v in state.commands.items()})
        steps, motion = steps + result.substeps, result.motion
        if i > ramp and motion <= 1e-9 * scene.size:
            break
    scene.mode = "static"
    try:
        return steps + scene.equilibrium().iterations
    except Diverged:
        if motion > SETTLED * scene.size:
            raise
        return steps  # the state is still the settled one


def _measure(scene: Scene, state: ReferenceState) -> tuple[float, float, str]:
    rest = state.mesh.nodes
    here = scene.positions("body")
    if state.nodes is not None:
        return *_relative(here, state.nodes, rest, slice(None), None), "nodes"
    assert state.points is not None and state.places is not None
    scale = slice(0, 1) if state.loose else slice(None)
    name = "effector" if state.loose else f"{len(state.places)} points"
    return *_relative(state.points.rest(here), state.places, state.points.rest(rest), scale, state.size), name


def _relative(
    here: np.ndarray, there: np.ndarray, rest: np.ndarray, which: Any, known: float | None
) -> tuple[float, float]:
    size = known or float(np.linalg.norm(there - rest, axis=1).max())
    away = float(np.linalg.norm((here - there)[which], axis=1).max())
    # a state that hardly moves is judged by the size of the body
    least = 1e-9 * float(np.linalg.norm(np.ptp(rest, axis=0)) or 1.0)
    return away / max(size, least), size


def _nothing(state: ReferenceState, command: str, why: str, *, failed: bool = False) -> Difference:
    return Difference(
        label=state.label,
        command=command,
        difference=None,
        displacement=0.0,
        compared=why,
        failed=failed,
        steps=0,
        indicative=state.indicative,
    )
