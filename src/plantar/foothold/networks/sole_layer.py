"""The bounded fit of a sole as a layer without weights: exact on clean ground, a feature on degraded ground."""
# the extra `train` need not be installed where types are checked
# pyright: reportMissingImports=false

from __future__ import annotations

import math

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from plantar.foothold._patch import soft_patch
from plantar.foothold.sole import SoftSole
from plantar.foothold.terrain_cost import REFERENCE_CELL


class SoleLayer(nn.Module):
    """Eqs. 2-4 of Bednarek et al. (2020) for a foot along the map's x, by convolutions with fixed kernels.

    The cells under such a foot are a full rectangle, so that all four bounded coefficients separate: each is a linear
    filter, cut off at its limits.
    """

    def __init__(self, sole: SoftSole, cell: float):
        super().__init__()
        patch = soft_patch(sole.length, sole.width, 0.0, cell)
        rows, columns = int(np.abs(patch.rows).max()), int(np.abs(patch.columns).max())
        x, y, n = patch.x, patch.y, len(patch.x)
        a, b = x * x - patch.means[0], y * y - patch.means[1]
        filters = np.stack([np.full(n, 1 / n), x / (x @ x), y / (y @ y), a / (a @ a), b / (b @ b)])
        self.reach = (columns, columns, rows, rows)
        self.close = sole.close_holes
        self.sole = sole
        self.fit = sole.fit_weight
        if sole.misfit == "mean":
            self.fit *= sole.length * sole.width / REFERENCE_CELL**2 / n
        shape = (2 * rows + 1, 2 * columns + 1)
        at = (patch.rows + rows) * shape[1] + patch.columns + columns
        self._constant("filters", _spread(filters, at, shape))
        self._constant("pick", _spread(np.eye(n), at, shape))
        terms = np.stack([np.ones(n), x, y, a, b], axis=1)
        self._constant("terms", terms[:, :, None, None])
        limits = np.array([*sole.slope_limit, *sole.curvature_limit])
        self._constant("limits", limits[None, :, None, None])
        self._constant("wanted", np.array([*sole.slope_preferred, *sole.curvature_preferred])[None, :, None, None])
        weights = np.array([*sole.slope_weight, *sole.curvature_weight]) / (2 * limits)
        self._constant("weights", weights[None, :, None, None])

    def _constant(self, name: str, values: np.ndarray) -> None:
        self.register_buffer(name, torch.tensor(values, dtype=torch.float32), persistent=False)

    def forward(self, heights: Tensor) -> Tensor:
        """Heights without gaps (n, 1, rows, columns) [m] -> four coefficients over their limits, and the cost.

        At the edge the map is extended by its last cells.
        """
        # GPUs round to ten bits for speed, and heights would be wrong by half a millimetre
        if heights.is_cuda:
            return self.double()._fit(heights.double()).to(heights.dtype)
        return self.float()._fit(heights)

    @torch.no_grad()
    def _fit(self, heights: Tensor) -> Tensor:
        h = _holes_closed(heights) if self.close else heights
        wide = F.pad(h, self.reach, mode="replicate")
        shape = F.conv2d(wide, self.get_buffer("filters"))
        limits = self.get_buffer("limits")
        bounded = torch.minimum(torch.maximum(shape[:, 1:], -limits), limits)
        surface = F.conv2d(torch.cat([shape[:, :1], bounded], dim=1), self.get_buffer("terms"))
        miss = (F.conv2d(wide, self.get_buffer("pick")) - surface).abs().sum(dim=1, keepdim=True)
        off = (self.get_buffer("weights") * (self.get_buffer("wanted") - bounded).abs()).sum(dim=1, keepdim=True)
        return torch.cat([bounded / limits, self.fit * miss + off], dim=1)


def _spread(values: np.ndarray, at: np.ndarray, shape: tuple[int, int]) -> np.ndarray:
    """Kernels (k, 1, *shape) with row k of `values` at the cells `at`."""
    out = np.zeros((len(values), math.prod(shape)))
    out[:, at] = values
    return out.reshape(len(values), 1, *shape)


def _holes_closed(h: Tensor) -> Tensor:
    """As `plantar.foothold.close_holes`: a cell lower than both neighbours on a line is raised to their mean."""
    closed = h
    for pad, before, after in (
        ((1, 1, 0, 0), (slice(None), slice(0, -2)), (slice(None), slice(2, None))),
        ((0, 0, 1, 1), (slice(0, -2), slice(None)), (slice(2, None), slice(None))),
    ):
        # off the map there is nothing to hang a hull on: far below, no cell is lower than that
        wide = F.pad(h, pad, value=-1e4)
        a, b = wide[:, :, before[0], before[1]], wide[:, :, after[0], after[1]]
        closed = torch.where((h < a) & (h < b), torch.maximum(closed, (a + b) / 2), closed)
    return closed
