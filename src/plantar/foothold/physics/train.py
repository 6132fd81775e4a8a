"""Training of the learned score on pressed footholds, in PyTorch."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from plantar._checks import require
from plantar.errors import MissingExtra
from plantar.feet._valid import check_fields
from plantar.foothold.physics.data import NAMES, PhysicsData
from plantar.foothold.physics.model import HoldModel, prepared, sole_cells, transformed


@dataclass(frozen=True, kw_only=True)
class TrainConfig:
    """How the learned score is trained."""

    networks: int = 1
    """Networks whose mean is the answer; five are not better than one by more than 0.001."""
    fore_aft: bool = True
    """Whether the foot is the same from front and back, as balls and the SoftFoot-Q are."""
    window: tuple[int, int] = (13, 17)
    """Rows (along y) and columns (along x) of the window; SoftFoot-Q covers 3 x 8 cells."""
    layers: tuple[int, ...] = (384, 192, 96)
    """Widths of the hidden layers."""
    epochs: int = 50
    """Passes over the data."""
    batch: int = 1024
    """Footholds a step."""
    rate: float = 2e-3
    """Largest learning rate; it falls as a cosine."""
    decay: float = 1e-2
    """Weight decay of AdamW."""
    dropout: float = 0.1
    """Share of hidden values that are dropped while training."""
    noise: float = 0.02
    """Standard deviation of the noise on what the network sees while training."""
    seed: int = 0
    """Seed of everything random."""

    def __post_init__(self) -> None:
        """Check every field; the first bad one is named."""
        check_fields(self)
        good = all(size % 2 == 1 and 3 <= size <= 17 for size in self.window)
        require(good, "window", self.window, "two odd whole numbers from 3 to 17")
        require(len(self.layers) > 0 and min(self.layers) > 0, "layers", self.layers, "widths above 0")
        require(1 <= self.epochs <= 10**4, "epochs", self.epochs, "a whole number from 1 to 10000")
        require(1 <= self.batch <= 10**6, "batch", self.batch, "a whole number from 1 to a million")
        require(0 < self.rate < 1, "rate", self.rate, "a number above 0, below 1")
        require(0 <= self.dropout < 0.9, "dropout", self.dropout, "a share from 0 to 0.9")
        require(0 <= self.noise <= 1, "noise", self.noise, "a number from 0 to 1")
        require(1 <= self.networks <= 50, "networks", self.networks, "a whole number from 1 to 50")


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
        progress: Called with 1 after each epoch of each network.
        **card: Facts to keep with the model.

    Raises:
        MissingExtra: If PyTorch is not installed.
    """
    config = config or TrainConfig()
    torch = _torch()
    device = device or ("cuda" if torch.cuda.is_available() else "cpu")
    data = data.finite()
    require(len(data) >= 2, "data", f"{len(data)} footholds", "at least two sound footholds")
    labels = transformed(np.stack([getattr(data.labels, name) for name in NAMES], axis=1))
    mean, scale = labels.mean(axis=0), labels.std(axis=0) + 1e-9
    facts = _facts(data)
    sole = sole_cells(facts["half"], data.cell)
    inputs = torch.tensor(prepared(data.windows(*config.window), sole), device=device)
    targets = torch.tensor(((labels - mean) / scale).astype(np.float32), device=device)
    found = []
    for number in range(config.networks):
        torch.manual_seed(config.seed + number)
        net = _network(torch, inputs.shape[1], config, targets.shape[1]).to(device)
        _fit(torch, net, inputs, targets, config, progress)
        found.append([layer for layer in net if isinstance(layer, torch.nn.Linear)])
    layers = list(zip(*found, strict=True))
    return HoldModel(
        weights=tuple(np.stack([one.weight.detach().cpu().numpy().T for one in layer]) for layer in layers),
        biases=tuple(np.stack([one.bias.detach().cpu().numpy()[None] for one in layer]) for layer in layers),
        window=config.window,
        cell=data.cell,
        mean=mean,
        scale=scale,
        card={**facts, "footholds": len(data), "presses": len(data) * data.directions, "seed": config.seed, **card},
    )


def _facts(data: PhysicsData) -> dict[str, Any]:
    """What a score needs to know of its data: what good footholds hold, how high and how large the foot is."""
    size = {"height": float(data.card.get("height", 0.0)), "half": list(data.card.get("half", (0.08, 0.028)))}
    return {"best": float(np.percentile(data.labels.hold, 95)), **size}


def _network(torch: Any, inputs: int, config: TrainConfig, outputs: int) -> Any:
    parts, width = [], inputs
    for layer in config.layers:
        parts += [torch.nn.Linear(width, layer), torch.nn.SiLU(), torch.nn.Dropout(config.dropout)]
        width = layer
    return torch.nn.Sequential(*parts, torch.nn.Linear(width, outputs))


def _fit(torch: Any, net: Any, inputs: Any, targets: Any, config: TrainConfig, progress: Any) -> None:
    count = len(inputs)
    steps = max(1, count // config.batch)
    best = torch.optim.AdamW(net.parameters(), lr=config.rate, weight_decay=config.decay)
    fall = torch.optim.lr_scheduler.OneCycleLR(best, config.rate, total_steps=steps * config.epochs, pct_start=0.1)
    net.train()
    for _ in range(config.epochs):
        order = torch.randperm(count, device=inputs.device)
        for step in range(steps):
            chosen = order[step * config.batch : (step + 1) * config.batch]
            x = inputs[chosen].view(-1, 2, *config.window)
            # Left and right may change places, and front and back of a foot that has none.
            for axis in (2, 3) if config.fore_aft else (2,):
                swap = torch.rand(len(x), 1, 1, 1, device=x.device) < 0.5
                x = torch.where(swap, x.flip(axis), x)
            x = (x + config.noise * torch.randn_like(x)).flatten(1)
            loss = torch.nn.functional.smooth_l1_loss(net(x), targets[chosen], beta=0.5)
            best.zero_grad()
            loss.backward()
            best.step()
            fall.step()
        if progress:
            progress(1)
    net.eval()


def _torch() -> Any:
    if importlib.util.find_spec("torch") is None:
        raise MissingExtra("training footholds needs torch: install with `pip install 'plantar[train]'`")
    return importlib.import_module("torch")
