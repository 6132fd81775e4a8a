"""The networks by name, how each is trained, and how its output is read."""
# the extra `train` need not be installed where types are checked
# pyright: reportMissingImports=false

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from plantar.foothold.networks.erfnet import ERFNet
from plantar.foothold.networks.mean_field import ERFNetMRF
from plantar.foothold.networks.unet import FootholdNet

Kind = Literal["erf", "erf_difference", "erf_mrf", "unet"]
KINDS: tuple[Kind, ...] = ("erf", "erf_difference", "erf_mrf", "unet")
COST_WEIGHT = 10.0
"""Weight of the cost's error over 255 against the cross entropy of feasibility."""
OTHERS_WEIGHT = 1.0
"""Weight of the error of each other head, in its own standard deviations."""


@dataclass(frozen=True)
class Labels:
    """What is true of a batch of maps."""

    classes: Tensor
    """Cost class (n, rows, columns), int64."""
    cost: Tensor
    """Cost over 255 (n, rows, columns)."""
    feasible: Tensor
    """1 where there is a foothold (n, rows, columns)."""
    others: Tensor
    """Other heads (n, heads, rows, columns); NaN where not known."""


Loss = Callable[[Tensor, Labels, Tensor, float], Tensor]
"""Output, labels, class weights and what is added to the distance between classes, to a number."""


def class_loss(out: Tensor, labels: Labels, weights: Tensor, plus: float = 0.0) -> Tensor:
    """Cross entropy with class weights, the paper's basic loss."""
    return F.cross_entropy(out, labels.classes, weights)


def difference_loss(out: Tensor, labels: Labels, weights: Tensor, plus: float = 0.0) -> Tensor:
    """The same, each cell's error times the distance between predicted and true class, plus `plus`.

    0 is the paper to the letter, where a cell whose class is right does not count; with 1 it counts once.
    """
    each = F.cross_entropy(out, labels.classes, weights, reduction="none")
    distance = (out.detach().argmax(dim=1) - labels.classes).abs() + plus
    return (each * distance).sum() / weights[labels.classes].sum()


def cost_loss(out: Tensor, labels: Labels, weights: Tensor, plus: float = 0.0) -> Tensor:
    """Cross entropy of feasibility, and the absolute error of the cost of footholds; class weights do not matter."""
    there = labels.feasible
    chance = F.binary_cross_entropy_with_logits(out[:, 1], there)
    miss = ((out[:, 0] - labels.cost).abs() * there).sum() / there.sum().clamp_min(1.0)
    total = chance + COST_WEIGHT * miss
    if out.shape[1] > 2:
        known = torch.isnan(labels.others).logical_not()
        error = torch.where(known, out[:, 2:] - torch.nan_to_num(labels.others), 0.0)
        rest = F.smooth_l1_loss(error, torch.zeros_like(error), reduction="sum") / known.sum().clamp_min(1)
        total = total + OTHERS_WEIGHT * rest
    return total


LOSSES: dict[Kind, Loss] = {
    "erf": class_loss,
    "erf_difference": difference_loss,
    "erf_mrf": difference_loss,
    "unet": cost_loss,
}


def make_network(kind: Kind, *, classes: int, config: Any, heads: Sequence[str] = ()) -> nn.Module:
    """A network with random weights for maps of a `DatasetConfig`."""
    if kind == "unet":
        return FootholdNet(config.sole, config.cell, config.cells, heads, config.weights.terrain)
    return ERFNetMRF(classes) if kind == "erf_mrf" else ERFNet(classes)


def parameters(network: nn.Module) -> int:
    """Number of trained numbers."""
    return sum(p.numel() for p in network.parameters())
