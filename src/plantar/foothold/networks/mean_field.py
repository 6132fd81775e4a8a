"""The Markov random field on top of ERFNet: Algorithm 1 of Bednarek et al. (2020)."""
# the extra `train` need not be installed where types are checked
# pyright: reportMissingImports=false

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from plantar.foothold.networks.erfnet import ERFNet

SIDE = 3
"""Side of the kernel; the paper does not give it."""
TOLERANCE, MOST = 1e-3, 50
"""In use the loop ends when no probability would change by more than this, or after this many rounds."""
STEP = 0.5
"""Step fraction towards the new probabilities per round in use. All cells are updated at once; with full steps
trained fields oscillate between two states forever, half steps converge to the same fixed point."""


class MeanField(nn.Module):
    """Mean field approximation: q = softmax(-(-log q0 + conv(q, kernel)) s), repeated.

    The kernel is class to class and starts at random; its diagonal of classes stays zero: no class pushes itself.
    """

    def __init__(self, classes: int, side: int = SIDE):
        super().__init__()
        self.kernel = nn.Parameter(torch.randn(classes, classes, side, side) * 0.01)
        self.scale = nn.Parameter(torch.ones(()))
        others = 1 - torch.eye(classes)[:, :, None, None]
        self.register_buffer("others", others, persistent=False)
        self.others: Tensor

    def pairwise(self) -> Tensor:
        """The kernel with its zero diagonal."""
        return self.kernel * self.others

    def scores(self, unary: Tensor, q: Tensor) -> Tensor:
        """U of one round; `unary` is -log of the first probabilities."""
        return -(unary + F.conv2d(q, self.pairwise(), padding=self.kernel.shape[-1] // 2)) * self.scale

    def forward(self, logits: Tensor) -> Tensor:
        """Scores after one round in training, after convergence in use; their softmax is q."""
        unary = -F.log_softmax(logits, dim=1)
        u = self.scores(unary, torch.exp(-unary))
        return u if self.training else self.converged(unary, u)[0]

    def converged(self, unary: Tensor, u: Tensor) -> tuple[Tensor, int]:
        """Scores when no probability changes any more, and the number of rounds; `u` are those of the first."""
        q = F.softmax(-unary, dim=1)
        for rounds in range(1, MOST + 1):
            change = F.softmax(u, dim=1) - q
            if float(change.detach().abs().max()) < TOLERANCE:
                return u, rounds
            q = q + STEP * change
            u = self.scores(unary, q)
        return u, MOST


class ERFNetMRF(nn.Module):
    """ERFNet with the random field on top; as `ERFNet`."""

    def __init__(self, classes: int):
        super().__init__()
        self.erf = ERFNet(classes)
        self.field = MeanField(classes)

    def forward(self, heights: Tensor) -> Tensor:
        """Class scores before the softmax."""
        return self.field(self.erf(heights))
