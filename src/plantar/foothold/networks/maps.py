"""Labelled maps on the training device, all as seen by the right front leg, and their augmentation."""
# the extra `train` need not be installed where types are checked
# pyright: reportMissingImports=false

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from plantar.foothold.classes import to_classes
from plantar.foothold.dataset import Samples
from plantar.foothold.networks.kinds import Labels

SEEN = 0.7
"""Fraction of degraded training maps seen by the data set's sensor; the others start from the true ground."""


@dataclass(frozen=True)
class Maps:
    """Maps and labels as tensors (n, rows, columns)."""

    ground: Tensor
    observed: Tensor
    cost: Tensor
    """Over 255."""
    feasible: Tensor
    classes: Tensor
    others: Tensor
    """Other heads (n, heads, rows, columns)."""
    edges: Tensor
    """Right ends of the classes over 255 (classes,)."""

    def __len__(self) -> int:
        return len(self.cost)

    def labels(self, index: Tensor) -> Labels:
        """Labels of some of them."""
        there = self.feasible[index].float()
        return Labels(self.classes[index].long(), self.cost[index], there, self.others[index])


def joined(first: Maps, second: Maps, times: int = 1) -> Maps:
    """Two sets of maps as one, the second `times` times; heads missing from one of them are unknown there."""
    count = max(first.others.shape[1], second.others.shape[1])

    def heads(maps: Maps) -> Tensor:
        if maps.others.shape[1] == count:
            return maps.others
        return torch.full((len(maps), count, *maps.cost.shape[1:]), float("nan"), device=maps.cost.device)

    names = ("ground", "observed", "cost", "feasible", "classes")
    parts = {name: torch.cat([getattr(first, name), *[getattr(second, name)] * times]) for name in names}
    return Maps(**parts, others=torch.cat([heads(first), *[heads(second)] * times]), edges=first.edges)


def to_front(values: np.ndarray, leg: np.ndarray) -> np.ndarray:
    """Maps (n, ..., rows, columns) with those of hind legs (1) turned front to back: hind legs mirror front ones."""
    hind = np.asarray(leg, bool).reshape(-1, *([1] * (values.ndim - 1)))
    return np.where(hind, values[..., ::-1], values)


def to_maps(
    samples: Samples, edges: np.ndarray, device: torch.device | str = "cpu", others: np.ndarray | None = None
) -> Maps:
    """Samples on a device, all as for the right front leg."""

    def move(values: np.ndarray, dtype: torch.dtype = torch.float32) -> Tensor:
        return torch.tensor(to_front(values, samples.leg), dtype=dtype, device=device)

    if others is None:
        others = np.zeros((len(samples), 0, *samples.cost.shape[1:]), np.float32)
    return Maps(
        ground=move(samples.ground),
        observed=move(samples.observed),
        cost=move(samples.cost / np.float32(255)),
        feasible=move(samples.feasible, torch.bool),
        classes=move(to_classes(samples.cost, edges), torch.uint8),
        others=move(others),
        edges=torch.tensor(edges / 255, dtype=torch.float32, device=device),
    )


def spoiled(ground: Tensor, observed: Tensor) -> Tensor:
    """Training maps for use behind any sensor: as seen by a sensor or true, half of them further degraded.

    These are drawn afresh each time: noise of up to 12 mm, a false tilt and offset, lost cells and lost patches.
    """
    n, rows, columns = ground.shape
    draw = {"device": ground.device, "dtype": ground.dtype}

    def chance(share: float) -> Tensor:
        return torch.rand(n, 1, 1, **draw) < share

    x = torch.where(chance(SEEN), observed, ground)
    noise = torch.randn(x.shape, **draw) * (0.012 * torch.rand(n, 1, 1, **draw))
    axis_x = torch.linspace(-0.5, 0.5, columns, **draw) * 0.02 * columns
    axis_y = torch.linspace(-0.5, 0.5, rows, **draw) * 0.02 * rows
    tilt = 0.02 * torch.randn(2, n, 1, 1, **draw)
    plane = tilt[0] * axis_x[None, None] + tilt[1] * axis_y[None, :, None] + 0.02 * torch.randn(n, 1, 1, **draw)
    lost = torch.rand(x.shape, **draw) < 0.4 * torch.rand(n, 1, 1, **draw)
    blobs = F.interpolate(torch.rand(n, 1, rows // 4, columns // 4, **draw), (rows, columns), mode="bilinear")[:, 0]
    lost |= (blobs < 0.25 * torch.rand(n, 1, 1, **draw)) & chance(0.5)
    nothing = torch.full_like(x, float("nan"))
    return torch.where(chance(0.5), torch.where(lost, nothing, x + noise + plane), x)
