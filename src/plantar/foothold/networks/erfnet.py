"""ERFNet (Romera et al. 2018), the segmentation network of Bednarek et al. (2020), for maps of one channel."""
# the extra `train` need not be installed where types are checked
# pyright: reportMissingImports=false

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from plantar.foothold.networks.inputs import Heights


class Downsampler(nn.Module):
    """Half the size: a strided convolution beside a maximum, then norm and ReLU."""

    def __init__(self, before: int, after: int):
        super().__init__()
        self.conv = nn.Conv2d(before, after - before, 3, stride=2, padding=1)
        self.pool = nn.MaxPool2d(2, stride=2)
        self.norm = nn.BatchNorm2d(after, eps=1e-3)

    def forward(self, x: Tensor) -> Tensor:
        """(n, before, h, w) -> (n, after, h / 2, w / 2)."""
        return F.relu(self.norm(torch.cat([self.conv(x), self.pool(x)], dim=1)))


class Factorized(nn.Module):
    """Non-bottleneck-1D: two pairs of 3 x 1 and 1 x 3 convolutions, the second dilated, around a shortcut."""

    def __init__(self, channels: int, dropout: float, dilation: int):
        super().__init__()
        self.tall1 = nn.Conv2d(channels, channels, (3, 1), padding=(1, 0))
        self.wide1 = nn.Conv2d(channels, channels, (1, 3), padding=(0, 1))
        self.norm1 = nn.BatchNorm2d(channels, eps=1e-3)
        self.tall2 = nn.Conv2d(channels, channels, (3, 1), padding=(dilation, 0), dilation=(dilation, 1))
        self.wide2 = nn.Conv2d(channels, channels, (1, 3), padding=(0, dilation), dilation=(1, dilation))
        self.norm2 = nn.BatchNorm2d(channels, eps=1e-3)
        self.dropout = nn.Dropout2d(dropout) if dropout > 0 else nn.Identity()

    def forward(self, x: Tensor) -> Tensor:
        """(n, channels, h, w) -> the same."""
        y = F.relu(self.norm1(self.wide1(F.relu(self.tall1(x)))))
        y = self.norm2(self.wide2(F.relu(self.tall2(y))))
        return F.relu(self.dropout(y) + x)


class Upsampler(nn.Module):
    """Twice the size: a transposed convolution, norm and ReLU."""

    def __init__(self, before: int, after: int):
        super().__init__()
        self.conv = nn.ConvTranspose2d(before, after, 3, stride=2, padding=1, output_padding=1)
        self.norm = nn.BatchNorm2d(after, eps=1e-3)

    def forward(self, x: Tensor) -> Tensor:
        """(n, before, h, w) -> (n, after, 2 h, 2 w)."""
        return F.relu(self.norm(self.conv(x)))


class ERFNet(nn.Module):
    """Heights (n, rows, columns) [m from the hip, NaN: not seen] -> class scores (n, classes, rows, columns).

    Rows and columns must be multiples of 8.
    """

    def __init__(self, classes: int):
        super().__init__()
        self.heights = Heights()
        self.encoder = nn.Sequential(
            Downsampler(1, 16),
            Downsampler(16, 64),
            *(Factorized(64, 0.03, 1) for _ in range(5)),
            Downsampler(64, 128),
            *(Factorized(128, 0.3, r) for _ in range(2) for r in (2, 4, 8, 16)),
        )
        self.decoder = nn.Sequential(
            Upsampler(128, 64),
            *(Factorized(64, 0.0, 1) for _ in range(2)),
            Upsampler(64, 16),
            *(Factorized(16, 0.0, 1) for _ in range(2)),
            nn.ConvTranspose2d(16, classes, 2, stride=2),
        )

    def forward(self, heights: Tensor) -> Tensor:
        """Class scores before the softmax."""
        return self.decoder(self.encoder(self.heights(heights)))
