"""Make a scene move so that its shapes can be learned: actuators driven one by one and together."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import numpy as np

from plantar._checks import require
from plantar.errors import InvalidInput
from plantar.soft.scene.cable import Cable, LiveCable
from plantar.soft.scene.cavity import Cavity
from plantar.soft.scene.scene import Scene
from plantar.soft.solve.state import State


def amplitudes(scene: Scene) -> dict[str, float]:
    """How far each actuator is driven: its limit, or a tenth of a cable's length where it has none.

    Raises:
        InvalidInput: If a cavity, or a cable driven by force, has no limit to go by.
    """
    return {name: _amplitude(scene, name) for name in scene.actuators}


def _amplitude(scene: Scene, name: str) -> float:
    config, live = scene.configs[name], scene.actuators[name]
    by_effort = config.drive in ("force", "pressure")
    limit = config.limits[1] if by_effort else config.stroke[1]
    if math.isfinite(limit):
        return float(limit)
    if isinstance(config, Cable) and isinstance(live, LiveCable) and not by_effort:
        return 0.1 * live.rest
    kind = "max_pressure" if isinstance(config, Cavity) else "max_force"
    raise InvalidInput(f"actuator {name!r} has no limit to shake it by: give {kind}, or its amplitude")


def shake(
    scene: Scene,
    *,
    samples: int = 12,
    increments: int = 4,
    steps: int = 2,
    amplitude: Mapping[str, float] | None = None,
    seed: int = 0,
    progress: Callable[[int], object] | None = None,
) -> list[State]:
    """States of a scene whose actuators are driven one by one to their amplitude, then to drawn combinations.

    Args:
        scene: A fresh scene; it is left where the last combination brought it.
        samples: Combinations, spread evenly.
        increments: Intermediate commands to each.
        steps: Steps after each command.
        amplitude: Largest command by actuator [SI]; by default `amplitudes(scene)`.
        seed: Seed of the combinations.
        progress: Called with 1 after each command.
    """
    most = amplitudes(scene) if amplitude is None else dict(amplitude)
    names = list(most)
    require(len(names) > 0, "scene", "no actuators", "a scene with cables or cavities, or states of a run")
    alone = np.eye(len(names)) if seed == 0 else np.zeros((0, len(names)))
    together = combinations(samples, len(names), seed)
    states: list[State] = []
    before = np.zeros(len(names))
    for goal in (*alone, *together):
        for k in range(1, increments + 1):
            share = before + (goal - before) * k / increments
            scene.command({name: float(share[i] * most[name]) for i, name in enumerate(names)})
            for _ in range(steps):
                scene.step()
            states.append(scene.state)
            if progress:
                progress(1)
        before = goal
    return states


def combinations(samples: int, count: int, seed: int) -> np.ndarray:
    """Points (samples, count) from 0 to 1, one in each of `samples` equal parts of every axis (Latin hypercube)."""
    rng = np.random.default_rng(seed)
    parts = np.stack([rng.permutation(samples) for _ in range(count)], axis=1)
    return (parts + rng.random((samples, count))) / samples
