"""Training of the learned score on pressed footholds, in PyTorch."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from plantar._checks import require
from plantar._config import Checked
from plantar.errors import MissingExtra
from plantar.foothold.physics.data import NAMES, PhysicsData
from plantar.foothold.physics.distil import SMALL, distil
from plantar.foothold.physics.model import HoldModel, transformed
from plantar.foothold.physics.windows import prepared, sole_cells


@dataclass(frozen=True, kw_only=True)
class TrainConfig(Checked):
    """How the learned score is trained."""

    networks: int = 1
    """Large networks whose mean is the answer; five are not better than one by more than 0.001."""
    fore_aft: bool = True
    """Whether the foot is the same from front and back, as balls and the SoftFoot-Q are."""
    quarter: bool = False
    """Whether it is also the same after a quarter turn, as balls are; the window must be a square."""
    window: tuple[int, int] = (9, 13)
    """Rows (along y) and columns (along x) of the window; SoftFoot-Q covers 3 x 8 cells."""
    layers: tuple[int, ...] = (384, 192, 96)
    """Widths of the hidden layers of the large network, which learns from presses."""
    small: tuple[int, ...] = SMALL
    """Those of the small one, which learns from the large one and is kept; empty keeps the large one."""
    epochs: int = 60
    """Passes of the large network over the data."""
    passes: int = 20
    """Passes of the small one over what the large one says."""
    batch: int = 1024
    """Footholds per step."""
    rate: float = 2e-3
    """Largest learning rate; it falls as a cosine."""
    decay: float = 1e-2
    """Weight decay of AdamW."""
    dropout: float = 0.1
    """Fraction of hidden values that are dropped while training."""
    noise: float = 0.02
    """Standard deviation of the noise on what the network sees while training."""
    seed: int = 0
    """Random seed."""

    def __post_init__(self) -> None:
        """Check every field; the first bad one is named."""
        good = all(size % 2 == 1 and 3 <= size <= 17 for size in self.window)
        require(good, "window", self.window, "two odd whole numbers from 3 to 17")
        square = not self.quarter or self.window[0] == self.window[1]
        require(square, "window", self.window, "as many rows as columns for a foot that a quarter turn does not change")
        require(len(self.layers) > 0 and min(self.layers) > 0, "layers", self.layers, "widths above 0")
        require(min(self.small, default=1) > 0, "small", self.small, "widths above 0, or none")
        require(1 <= self.passes <= 10**4, "passes", self.passes, "an integer from 1 to 10000")
        require(1 <= self.epochs <= 10**4, "epochs", self.epochs, "an integer from 1 to 10000")
        require(1 <= self.batch <= 10**6, "batch", self.batch, "an integer from 1 to a million")
        require(0 < self.rate < 1, "rate", self.rate, "a number above 0, below 1")
        require(0 <= self.dropout < 0.9, "dropout", self.dropout, "a share from 0 to 0.9")
        require(0 <= self.noise <= 1, "noise", self.noise, "a number from 0 to 1")
        require(1 <= self.networks <= 50, "networks", self.networks, "an integer from 1 to 50")


def config_for(foot: str, data: PhysicsData, **changes: Any) -> TrainConfig:
    """Settings for a foot: a window of what it covers and 4 cm around, 6 cm sideways, and the foot's symmetries."""
    rows, columns = sole_cells(_facts(data)["half"], data.cell)
    ball = foot.startswith("ball")
    window = (min(rows + 4, 17),) * 2 if ball else (min(rows + 6, 17), min(columns + 4, 17))
    alike = ball or foot.startswith("softfoot_q")
    return TrainConfig(**{"window": window, "fore_aft": alike, "quarter": ball, **changes})


def train(
    data: PhysicsData,
    config: TrainConfig | None = None,
    *,
    device: str | None = None,
    progress: Callable[[int], None] | None = None,
    **card: Any,
) -> HoldModel:
    """Train the learned score.

    Args:
        data: Pressed footholds; those whose simulation failed are left out.
        config: How it is trained.
        device: PyTorch's device; the GPU if there is one.
        progress: Called with 1 after each pass of each network, small ones too.
        **card: Facts to keep with the model.

    Raises:
        MissingExtra: If PyTorch is not installed.
    """
    config = config or TrainConfig()
    data = data.finite()
    require(len(data) >= 2, "data", f"{len(data)} footholds", "at least two sound footholds")
    labels = transformed(np.stack([getattr(data.labels, name) for name in NAMES], axis=1))
    mean, scale = labels.mean(axis=0), labels.std(axis=0) + 1e-9
    facts = _facts(data)
    inputs = prepared(data.windows(*config.window), sole_cells(facts["half"], data.cell))
    targets = ((labels - mean) / scale).astype(np.float32)
    names = ("window", "fore_aft", "quarter", "batch", "rate", "decay", "dropout", "noise")
    options = {name: getattr(config, name) for name in names} | {"device": device, "progress": progress}
    found = [
        fit_layers(inputs, targets, config.layers, passes=config.epochs, seed=config.seed + number, **options)
        for number in range(config.networks)
    ]
    layers = list(zip(*found, strict=True))
    large = HoldModel(
        weights=tuple(np.stack([weight for weight, _ in layer]) for layer in layers),
        biases=tuple(np.stack([bias[None] for _, bias in layer]) for layer in layers),
        window=config.window,
        cell=data.cell,
        mean=mean,
        scale=scale,
        card={**facts, "footholds": len(data), "presses": len(data) * data.directions, "seed": config.seed, **card},
    )
    if not config.small:
        return large
    turns = {"fore_aft": config.fore_aft, "quarter": config.quarter, "seed": config.seed, "device": device}
    maps = data.maps[np.unique(data.tile)]
    return distil(large, maps, config.small, passes=config.passes, progress=progress, **turns)


def _facts(data: PhysicsData) -> dict[str, Any]:
    """What a score needs to know of its data: what good footholds hold, how high and how large the foot is."""
    size = {"height": float(data.card.get("height", 0.0)), "half": list(data.card.get("half", (0.08, 0.028)))}
    return {"best": float(np.percentile(data.labels.hold, 95)), **size}


def fit_layers(
    inputs: np.ndarray,
    targets: np.ndarray,
    layers: tuple[int, ...],
    *,
    window: tuple[int, int],
    passes: int,
    fore_aft: bool = True,
    quarter: bool = False,
    batch: int = 1024,
    rate: float = 2e-3,
    decay: float = 1e-2,
    dropout: float = 0.0,
    noise: float = 0.0,
    seed: int = 0,
    device: str | None = None,
    progress: Callable[[int], None] | None = None,
) -> list[tuple[np.ndarray, np.ndarray]]:
    """Train dense layers from prepared windows (n, 2 * rows * columns) to targets (n, outputs); weights and biases."""
    torch = _torch()
    device = device or ("cuda" if torch.cuda.is_available() else "cpu")
    torch.manual_seed(seed)
    seen, wanted = torch.tensor(inputs, device=device), torch.tensor(targets, device=device)
    net = _network(torch, inputs.shape[1], layers, dropout, targets.shape[1]).to(device)
    batch = min(batch, len(seen))
    steps = len(seen) // batch
    best = torch.optim.AdamW(net.parameters(), lr=rate, weight_decay=decay)
    fall = torch.optim.lr_scheduler.OneCycleLR(best, rate, total_steps=steps * passes, pct_start=0.1)
    net.train()
    for _ in range(passes):
        order = torch.randperm(len(seen), device=device)
        for step in range(steps):
            chosen = order[step * batch : (step + 1) * batch]
            x = _seen_anew(torch, seen[chosen].view(len(chosen), -1, *window), fore_aft, quarter).flatten(1)
            x = x + noise * torch.randn_like(x) if noise else x
            loss = torch.nn.functional.smooth_l1_loss(net(x), wanted[chosen], beta=0.5)
            best.zero_grad()
            loss.backward()
            best.step()
            fall.step()
        if progress:
            progress(1)
    found = [layer for layer in net.eval() if isinstance(layer, torch.nn.Linear)]
    return [(one.weight.detach().cpu().numpy().T.copy(), one.bias.detach().cpu().numpy()) for one in found]


def _seen_anew(torch: Any, x: Any, fore_aft: bool, quarter: bool) -> Any:
    """Left and right change places at random, and front and back and quarter turns of a foot that has none."""

    def some() -> Any:
        return torch.rand(len(x), 1, 1, 1, device=x.device) < 0.5

    for axis in (2, 3) if fore_aft else (2,):
        x = torch.where(some(), x.flip(axis), x)
    return torch.where(some(), x.transpose(2, 3), x) if quarter else x


def _network(torch: Any, inputs: int, layers: tuple[int, ...], dropout: float, outputs: int) -> Any:
    parts, width = [], inputs
    for layer in layers:
        parts += [torch.nn.Linear(width, layer), torch.nn.SiLU()]
        parts += [torch.nn.Dropout(dropout)] if dropout else []
        width = layer
    return torch.nn.Sequential(*parts, torch.nn.Linear(width, outputs))


def _torch() -> Any:
    if importlib.util.find_spec("torch") is None:
        raise MissingExtra("training footholds needs torch: install with `pip install 'plantar[train]'`")
    return importlib.import_module("torch")
