"""Our network: from the sole's fit and the heights to the cost and the probability of a foothold."""
# the extra `train` need not be installed where types are checked
# pyright: reportMissingImports=false

from __future__ import annotations

from collections.abc import Sequence

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from plantar.foothold.networks.inputs import LEVEL, SPREAD, gaps_closed
from plantar.foothold.networks.sole_layer import SoleLayer
from plantar.foothold.sole import SoftSole

WIDTHS = (24, 48, 80)
"""Channels at a half, a quarter and an eighth of the map's size."""
DETAIL = 0.02
"""Height above the surroundings that becomes 1 [m]."""


class Features(nn.Module):
    """Channels of every cell: height, detail, whether it was seen, and the sole's fit there."""

    channels = 8

    def __init__(self, sole: SoftSole, cell: float):
        super().__init__()
        self.sole = SoleLayer(sole, cell)

    def forward(self, heights: Tensor) -> Tensor:
        """(n, rows, columns) -> (n, channels, rows, columns)."""
        closed, seen = gaps_closed(heights[:, None])
        around = F.avg_pool2d(F.pad(closed, (2, 2, 2, 2), mode="replicate"), 5, stride=1)
        # as its cost, the misfit of a cliff would drown all others
        fit = self.sole(closed).clamp(-2, 2)
        detail = ((closed - around) / DETAIL).clamp(-5, 5)
        return torch.cat([(closed - LEVEL) / SPREAD, detail, seen, fit], dim=1)


class Block(nn.Sequential):
    """Convolution, norm, ReLU."""

    def __init__(self, before: int, after: int, stride: int = 1):
        super().__init__(
            nn.Conv2d(before, after, 3, stride=stride, padding=1, bias=False), nn.BatchNorm2d(after), nn.ReLU()
        )


class Up(nn.Module):
    """Twice the size, added to what was there before it was halved."""

    def __init__(self, before: int, after: int):
        super().__init__()
        self.thin = nn.Conv2d(before, after, 1)
        self.block = Block(after, after)

    def forward(self, x: Tensor, skip: Tensor) -> Tensor:
        """(n, before, h, w), (n, after, 2 h, 2 w) -> (n, after, 2 h, 2 w)."""
        return self.block(F.interpolate(self.thin(x), scale_factor=2.0, mode="nearest") + skip)


class FootholdNet(nn.Module):
    """A small U-Net with a regression and a feasibility head.

    Heights (n, rows, columns) [m from the hip, NaN: not seen] -> (n, 2 + heads, rows, columns): cost over 255 if the
    cell is a foothold, the logit that it is one, and any other requested heads.
    No convolution runs at the map's full size: the first one halves it, and each cell of the last stands for two by
    two. What a leg reaches depends on the place, which is learned as a map that is added to the first features. The
    cost is what the sole's fit says plus what the network adds.
    """

    def __init__(
        self,
        sole: SoftSole,
        cell: float,
        cells: int,
        heads: Sequence[str] = (),
        terrain: float = 2 / 3,
        widths: Sequence[int] = WIDTHS,
    ):
        super().__init__()
        self.features = Features(sole, cell)
        self.terrain = terrain
        a, b, c = widths
        self.stem = nn.Conv2d(Features.channels, a, 4, stride=2, padding=1, bias=False)
        self.norm = nn.BatchNorm2d(a)
        self.place = nn.Parameter(torch.zeros(1, a, cells // 2, cells // 2))
        self.first = Block(a, a)
        self.second = nn.Sequential(Block(a, b, 2), Block(b, b))
        self.third = nn.Sequential(Block(b, c, 2), Block(c, c), Block(c, c))
        self.up2, self.up1 = Up(c, b), Up(b, a)
        self.head = nn.Conv2d(a, 4 * (2 + len(heads)), 1)

    def forward(self, heights: Tensor) -> Tensor:
        """Cost, score of feasibility, other heads."""
        features = self.features(heights)
        first = self.first(F.relu(self.norm(self.stem(features)) + self.place))
        second = self.second(first)
        found = self.head(self.up1(self.up2(self.third(second), second), first))
        out = F.pixel_shuffle(found, 2)
        known = self.terrain * features[:, -1:].clamp(0, 1)
        return torch.cat([out[:, :1] + known, out[:, 1:]], dim=1)
