"""A small network distilled from a large one on every cell of many maps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from plantar._checks import require
from plantar.foothold.physics.model import HoldModel
from plantar.foothold.physics.windows import prepared, sole_cells

SMALL = (160, 96, 48)
"""Widths of the small network."""
CHUNK = 32
"""Maps per batch."""


def distil(
    teacher: HoldModel,
    maps: np.ndarray,
    layers: tuple[int, ...] = SMALL,
    *,
    window: tuple[int, int] | None = None,
    passes: int = 20,
    batch: int = 4096,
    rate: float = 3e-3,
    most: int = 1_000_000,
    fore_aft: bool = True,
    quarter: bool = False,
    seed: int = 0,
    device: str | None = None,
    progress: Callable[[int], None] | None = None,
) -> HoldModel:
    """Train a small network on the output of a large one: presses are expensive, its output is cheap.

    A press labels one cell of a map; the large network labels all of them, without the noise of presses. So a network
    that is a third of its size can learn to rank as it does.

    Args:
        teacher: The large network.
        maps: Heights (maps, rows, columns) [m] with the teacher's cells; of kinds that it was fitted on.
        layers: Widths of the hidden layers.
        window: Rows and columns that the small one sees; those of the large one if None, never more.
        passes: Number of passes over all windows.
        batch: Windows per step.
        rate: Largest learning rate; it falls as a cosine.
        most: Windows that are drawn at most.
        fore_aft: Whether the foot is the same from front and back.
        quarter: Whether it is the same after a quarter turn.
        seed: Random seed.
        device: PyTorch's device; the GPU if there is one.
        progress: Called with 1 after each pass.

    Raises:
        MissingExtra: If PyTorch is not installed.
    """
    from plantar.foothold.physics.train import fit_layers  # noqa: PLC0415  (it imports this)

    window = window or teacher.window
    inside = all(0 < own <= top and own % 2 for own, top in zip(window, teacher.window, strict=True))
    require(inside, "window", window, f"two odd numbers, {teacher.window} at most")
    inputs, targets = _answers(teacher, maps, window, most, np.random.default_rng(seed))
    options: dict[str, Any] = {"window": window, "fore_aft": fore_aft, "quarter": quarter, "passes": passes}
    options |= {"batch": batch, "rate": rate, "decay": 1e-4, "seed": seed, "device": device, "progress": progress}
    found = fit_layers(inputs, targets, layers, **options)
    facts: dict[str, Any] = {"taught_by": [list(w.shape) for w in teacher.weights], "windows": len(inputs)}
    return replace(
        teacher,
        weights=tuple(weight[None] for weight, _ in found),
        biases=tuple(bias[None, None] for _, bias in found),
        window=window,
        card={**teacher.card, **facts},
    )


def _answers(
    teacher: HoldModel, maps: np.ndarray, window: tuple[int, int], most: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Inputs of the small network for cells drawn from all maps, and the output of the large one."""
    sole = sole_cells(teacher.card["half"], teacher.cell)
    cut = tuple(slice((a - b) // 2, (a + b) // 2) for a, b in zip(teacher.window, window, strict=True))
    cells = (maps.shape[1] - teacher.window[0] + 1) * (maps.shape[2] - teacher.window[1] + 1)
    count = min(cells, max(1, most // len(maps)))
    seen, said = [], []
    for first in range(0, len(maps), CHUNK):
        some = np.asarray(maps[first : first + CHUNK], np.float32)
        views = np.lib.stride_tricks.sliding_window_view(some, teacher.window, axis=(1, 2))
        flat = np.concatenate([rng.permutation(cells)[:count] for _ in some])
        tile, (row, column) = np.repeat(np.arange(len(some)), count), np.unravel_index(flat, views.shape[1:3])
        windows = views[tile, row, column]
        said.append(teacher.raw(windows).astype(np.float32))
        seen.append(prepared(windows[(slice(None), *cut)], sole))
    return np.concatenate(seen), np.concatenate(said)
