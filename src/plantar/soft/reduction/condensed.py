"""A scene condensed to its actuators, goals and contact points: the compliance between them at the present state."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from plantar._checks import require
from plantar.soft.mesh.mesh import Floats
from plantar.soft.scene.scene import Scene
from plantar.soft.solve.linearise import linearise_dense
from plantar.soft.solve.state import Commands, Method


@dataclass(frozen=True, eq=False)
class CondensedScene:
    r"""The few numbers that a controller needs: :math:`\delta = W \lambda + \delta_{free}` (paper's eq. 12)."""

    names: tuple[str, ...]
    """Owner of each row: actuators, contacts, then goals with their axis."""
    W: Floats
    """Compliance between the rows (k, k) [m/N, m^3/Pa and between]."""
    free: Floats
    """Strokes, gaps and goal errors after the step if no force acted (k,)."""
    actuators: int
    """How many rows are actuators; they come first."""
    goals: int
    """How many rows are goals; they come last."""

    def predict(self, efforts: Mapping[str, float]) -> dict[str, float]:
        """Strokes and goal errors under given efforts, contacts left out."""
        known = self.names[: self.actuators]
        for name in efforts:
            require(name in known, "effort", name, f"one of {', '.join(known)}")
        effort = np.array([efforts.get(name, 0.0) for name in known])
        delta = self.free + self.W[:, : self.actuators] @ effort
        return dict(zip(self.names, delta.tolist(), strict=True))

    def jacobian(self) -> Floats:
        """How goals move per stroke of each actuator, W_ea W_aa^-1 (goals, actuators)."""
        a = self.actuators
        goals = self.W[len(self.names) - self.goals :, :a]
        return np.asarray(np.linalg.solve(self.W[:a, :a], goals.T).T, dtype=np.float64)


def condense_scene(scene: Scene) -> CondensedScene:
    """Condense a scene as it stands; the scene is not stepped.

    In dynamic mode W and the free motion are those of one step, in static mode those of one linearisation.
    """
    require(len(scene.actuators) > 0, "scene", "no actuators", "a scene with cables or cavities")
    method = Method(h=scene.dt if scene.mode == "dynamic" else None, inverse=True)
    linear = linearise_dense(scene, scene.state, Commands(scene.commands), method)
    names: list[str] = []
    for owner, count in linear.names:
        if owner in scene.goals:
            names += [f"{owner}_{'xyz'[axis]}" for axis in scene.goals[owner].axes]
        else:
            names += [owner] if count == 1 else [f"{owner}_{i}" for i in range(count)]
    goals = sum(g.rows for g in scene.goals.values())
    return CondensedScene(tuple(names), linear.W, linear.delta, len(scene.actuators), goals)
