"""Reduce a robot by name, or a scene file: what `plantar soft reduce` does."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np

from plantar.soft.reduction.card import ReductionCard, reduction_card
from plantar.soft.reduction.reduce import Reduction, reduce_scene
from plantar.soft.reduction.snapshots import amplitudes, combinations, shake
from plantar.soft.robots import registry
from plantar.soft.robots.reduced import reduce_robot, robot_cards
from plantar.soft.scene.file import load_scene
from plantar.soft.scene.scene import Scene

Progress = Callable[[int], object]


def reduce_named(
    name: str,
    fields: Mapping[str, object],
    *,
    modes: int | None = None,
    samples: int = 10,
    seed: int = 0,
    progress: Progress | None = None,
) -> tuple[Reduction, list[ReductionCard]]:
    """A soft robot reduced, and its error cards."""
    robot = registry.get(name, **fields)
    reduction = reduce_robot(robot, modes=modes, samples=samples, seed=seed, progress=progress)
    return reduction, robot_cards(robot, reduction, progress=progress)


def reduce_file(
    path: Path,
    *,
    modes: int = 24,
    samples: int = 10,
    seed: int = 0,
    carrier: str | None = None,
    progress: Progress | None = None,
) -> tuple[Reduction, list[ReductionCard]]:
    """A scene file reduced by shaking its actuators, and its card on commands that were not seen."""

    def build() -> Scene:
        return load_scene(path).scene

    most = amplitudes(build())
    states = shake(build(), samples=samples, seed=seed, amplitude=most, progress=progress)
    reduction = reduce_scene(build(), states, modes=modes, tolerance=1e-8, carrier=carrier, train=60)
    goals = np.vstack([np.zeros(len(most)), combinations(4, len(most), seed + 1)])
    shares = [goals[i] + (goals[i + 1] - goals[i]) * k / 8 for i in range(4) for k in range(1, 9)]

    def drive(scene: Scene, k: int) -> None:
        scene.step({name: float(share * most[name]) for name, share in zip(most, shares[k], strict=True)})

    card = reduction_card(build, reduction, drive, len(shares), run="unseen commands", progress=progress)
    return reduction, [card]
