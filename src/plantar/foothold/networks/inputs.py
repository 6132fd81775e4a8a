"""What the networks are given: heights from the hip with their gaps closed, inside the graph itself."""
# the extra `train` need not be installed where types are checked
# pyright: reportMissingImports=false

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

LEVEL, SPREAD = -0.5, 0.15
"""Height relative to the hip that maps to 0, and the height above it that maps to 1 [m]."""


def gaps_closed(heights: Tensor) -> tuple[Tensor, Tensor]:
    """Heights without NaN, and 1 where they were seen (n, 1, rows, columns).

    A gap takes the mean of what was seen around it, from ever larger blocks of cells until one was seen: a pyramid of
    means, halved until it is one cell or odd, then the mean of all.
    """
    seen = torch.isnan(heights).logical_not().to(heights.dtype)
    return _closed(torch.nan_to_num(heights) * seen, seen), seen


def _closed(total: Tensor, seen: Tensor) -> Tensor:
    """`total` over `seen`; both are means over blocks."""
    rows, columns = total.shape[-2:]
    value = total / seen.clamp_min(1e-6)
    if rows % 2 or columns % 2 or min(rows, columns) < 4:
        around = total.mean((-2, -1), keepdim=True) / seen.mean((-2, -1), keepdim=True).clamp_min(1e-6)
        around = around.expand_as(value)
    else:
        coarse = _closed(F.avg_pool2d(total, 2), F.avg_pool2d(seen, 2))
        around = F.interpolate(coarse, scale_factor=2.0, mode="bilinear", align_corners=False)
    return torch.where(seen > 0, value, around)


class Heights(nn.Module):
    """The input of the paper's networks: one channel of heights (n, rows, columns) -> (n, 1, rows, columns)."""

    channels = 1

    def forward(self, heights: Tensor) -> Tensor:
        """Close gaps and scale."""
        closed, _ = gaps_closed(heights[:, None])
        return (closed - LEVEL) / SPREAD
