"""Training of one network: AdamW, one cosine, the best state by validation."""
# the extra `train` need not be installed where types are checked
# pyright: reportMissingImports=false

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from plantar._checks import require, require_choice
from plantar._config import Checked
from plantar.foothold.dataset import Samples
from plantar.foothold.networks.kinds import KINDS, LOSSES, Kind, Labels, make_network
from plantar.foothold.networks.maps import Maps, spoiled, to_front

Progress = Callable[[int], None]


@dataclass(frozen=True, kw_only=True)
class TrainConfig(Checked):
    """How a network is trained; the same for all kinds, so that budgets are equal."""

    kind: str = "unet"
    """erf, erf_difference, erf_mrf or unet."""
    spoiled: bool = True
    """Whether maps are as sensors see them; otherwise the true ground, to which the labels belong."""
    steps: int = 4000
    """Steps of the optimiser."""
    batch: int = 256
    """Maps per step."""
    rate: float = 2e-3
    """Largest learning rate; it rises for a tenth of the steps and falls to 0 as a cosine."""
    decay: float = 1e-4
    """Weight decay."""
    plus: float = 0.0
    """Added to the distance between classes in difference weighting; 0 is the paper's literal definition."""
    checks: int = 8
    """Number of validation checks."""
    seed: int = 0
    """Seed of weights and batches."""

    def __post_init__(self) -> None:
        """Check every field; the first bad one is named."""
        require_choice("kind", self.kind, KINDS)
        require(1 <= self.steps <= 10**7, "steps", self.steps, "an integer from 1 to ten million")
        require(2 <= self.batch <= 65536, "batch", self.batch, "an integer from 2 to 65536")
        require(0 < self.rate <= 1, "rate", self.rate, "a learning rate above 0, 1 at most")
        require(0 <= self.decay <= 1, "decay", self.decay, "a weight decay from 0 to 1")
        require(0 <= self.plus <= 100, "plus", self.plus, "a number from 0 to 100")
        require(1 <= self.checks <= 1000, "checks", self.checks, "an integer from 1 to 1000")
        require(self.seed >= 0, "seed", self.seed, "an integer, 0 or more")


@dataclass(frozen=True, kw_only=True)
class Trained:
    """A trained network and its training history."""

    network: nn.Module
    """The best state on validation, on the training device."""
    accuracy: float
    """Validation accuracy of that state."""
    history: list[dict[str, float]]
    """Step, loss and validation accuracy of every check."""
    seconds: float
    """Time it took [s]."""


def rate_at(step: int, config: TrainConfig) -> float:
    """Learning rate of a step."""
    rise = max(1, config.steps // 10)
    if step < rise:
        return config.rate * (step + 1) / rise
    return config.rate * 0.5 * (1 + math.cos(math.pi * (step - rise) / max(1, config.steps - rise)))


def train(
    config: TrainConfig,
    data: Any,
    maps: Maps,
    validation: Maps,
    weights: np.ndarray,
    *,
    heads: Sequence[str] = (),
    progress: Progress | None = None,
) -> Trained:
    """Train one network.

    Args:
        config: How.
        data: The `DatasetConfig` of the maps.
        maps: Training maps, on the device to train on.
        validation: Maps that choose the state to keep; nothing else is chosen by them.
        weights: Weights of the classes (classes,).
        heads: Names of other heads; `maps.others` has their labels.
        progress: Called with the number of steps done since the last call.
    """
    begin = time.monotonic()
    device = maps.cost.device
    torch.manual_seed(config.seed)
    kind: Any = config.kind
    network = placed(make_network(kind, classes=len(weights), config=data, heads=heads), device).train()
    step = _Step(network, kind, config, maps, torch.tensor(weights, dtype=torch.float32, device=device))
    history: list[dict[str, float]] = []
    best, kept = -1.0, {k: v.clone() for k, v in network.state_dict().items()}
    marks = {round(config.steps * (k + 1) / config.checks) for k in range(config.checks)}
    for count in range(1, config.steps + 1):
        loss = step(rate_at(count - 1, config))
        if progress:
            progress(1)
        if count in marks:
            found = class_accuracy(network, kind, validation, config)
            history.append({"step": count, "loss": float(loss), "accuracy": found})
            if found > best:
                best, kept = found, {k: v.clone() for k, v in network.state_dict().items()}
    network.load_state_dict(kept)
    return Trained(network=network.eval(), accuracy=best, history=history, seconds=time.monotonic() - begin)


class _Step:
    """One step of the optimiser; on a GPU it is recorded once and replayed, since launching it costs more than it."""

    def __init__(self, network: nn.Module, kind: Kind, config: TrainConfig, maps: Maps, weights: Tensor):
        self.network, self.config, self.maps, self.weights = network, config, maps, weights
        self.kind: Kind = kind
        self.gpu = maps.cost.device.type == "cuda"
        rate = torch.tensor(config.rate, device=maps.cost.device) if self.gpu else config.rate
        options: dict[str, Any] = {"capturable": True, "fused": True} if self.gpu else {}
        self.optimizer = torch.optim.AdamW(network.parameters(), lr=rate, weight_decay=config.decay, **options)
        self.graph: Any = None
        self.loss = torch.zeros((), device=maps.cost.device)
        self.count = 0

    def __call__(self, rate: float) -> Tensor:
        inputs, labels = self._draw()
        for group in self.optimizer.param_groups:
            if isinstance(group["lr"], Tensor):
                group["lr"].fill_(rate)
            else:
                group["lr"] = rate
        if not self.gpu:
            self._work(inputs, labels)
            return self.loss
        self._replay(inputs, labels)
        return self.loss

    def _draw(self) -> tuple[Tensor, Labels]:
        index = torch.randint(len(self.maps), (self.config.batch,), device=self.maps.cost.device)
        ground = self.maps.ground[index]
        x = spoiled(ground, self.maps.observed[index]) if self.config.spoiled else ground
        return x, self.maps.labels(index)

    def _work(self, inputs: Tensor, labels: Labels) -> None:
        self.optimizer.zero_grad(set_to_none=True)
        loss = LOSSES[self.kind](self.network(inputs), labels, self.weights, self.config.plus)
        loss.backward()
        self.optimizer.step()
        self.loss = loss.detach()

    def _replay(self, inputs: Tensor, labels: Labels) -> None:
        self.count += 1
        if self.graph is None and self.count <= 4:
            # the first steps warm up on a side stream, as recording wants it
            side = torch.cuda.Stream()
            side.wait_stream(torch.cuda.current_stream())
            with torch.cuda.stream(side):
                self._work(inputs, labels)
            torch.cuda.current_stream().wait_stream(side)
            return
        if self.graph is None:
            self._record(inputs, labels)
        if self.graph is False:
            self._work(inputs, labels)
            return
        graph: Any = self.graph
        self.slots[0].copy_(inputs)
        for name in _FIELDS:
            getattr(self.slots[1], name).copy_(getattr(labels, name))
        graph.replay()

    def _record(self, inputs: Tensor, labels: Labels) -> None:
        self.slots = (inputs.clone(), Labels(*(getattr(labels, n).clone() for n in _FIELDS)))
        graph: Any = torch.cuda.CUDAGraph()
        try:
            with torch.cuda.graph(graph):
                self._work(*self.slots)
        except RuntimeError as error:
            print(f"steps are not recorded ({error}): each is launched by itself", file=sys.stderr)
            graph = False
        self.graph = graph


_FIELDS = ("classes", "cost", "feasible", "others")


def predict(network: nn.Module, inputs: Tensor, batch: int = 512) -> Tensor:
    """Output for many maps, in evaluation mode; the network's mode is put back."""
    mode = network.training
    network.eval()
    with torch.no_grad():
        out = torch.cat([network(part) for part in inputs.split(batch)])
    network.train(mode)
    return out


def outputs(network: nn.Module, samples: Samples, spoiled: bool) -> np.ndarray:
    """Raw output for samples, each turned back to its own leg."""
    heights = to_front(samples.observed if spoiled else samples.ground, samples.leg)
    device = next(network.parameters()).device
    return to_front(predict(network, torch.tensor(heights, device=device)).cpu().numpy(), samples.leg)


def class_accuracy(network: nn.Module, kind: Kind, maps: Maps, config: TrainConfig) -> float:
    """Fraction of cells whose class is right, over maps as the data set's sensor or the truth gives them."""
    inputs = maps.observed if config.spoiled else maps.ground
    return float((found_classes(kind, predict(network, inputs), maps.edges) == maps.classes).float().mean())


def found_classes(kind: Kind, out: Tensor, edges: Tensor) -> Tensor:
    """Predicted class of every cell; `edges` are right ends of the classes over 255."""
    if kind != "unet":
        return out.argmax(dim=1)
    last = len(edges) - 1
    found = torch.searchsorted(edges, out[:, 0].contiguous()).clamp_max(last)
    return torch.where(out[:, 1] > 0, found, last)


def placed(network: nn.Module, device: torch.device) -> nn.Module:
    """The network on a device, in the order of channels that is fast there."""
    if device.type == "cuda":
        return network.to(device, memory_format=torch.channels_last)  # type: ignore[call-overload]
    return network.to(device)


def device_of(name: str) -> torch.device:
    """The device to train on: cpu, cuda, or auto for the GPU where there is one."""
    require_choice("device", name, ("auto", "cpu", "cuda"))
    if name == "auto":
        name = "cuda" if torch.cuda.is_available() else "cpu"
    require(name == "cpu" or torch.cuda.is_available(), "device", name, "cpu: PyTorch finds no GPU here")
    if name == "cuda":
        with suppress(AttributeError):
            torch.backends.cudnn.benchmark = True
    return torch.device(name)
