"""Networks and the analytic cost on labelled maps, behind any sensor, with intervals. Needs no PyTorch."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from plantar._checks import require, require_choice
from plantar._fields import from_record
from plantar.errors import InvalidInput
from plantar.foothold.dataset import RIGHT, DatasetConfig, Samples, make_samples
from plantar.foothold.learned import Network
from plantar.foothold.networks.analytic import analytic_reading
from plantar.foothold.networks.readout import Reading
from plantar.foothold.networks.scores import METRICS, summary, tally
from plantar.foothold.sensor import Sensor

SENSORS: dict[str, Callable[[], Sensor]] = {
    "none": Sensor,
    "depth_camera": Sensor.depth_camera,
    "lidar": Sensor.lidar,
}
"""Sensors by name; `none` shows the true ground."""
BATCH = 64


@dataclass(frozen=True, eq=False)
class Evaluation:
    """Comparison of several scores behind one sensor."""

    sensor: str
    samples: Samples
    readings: Mapping[str, Reading]
    """Predictions of each score."""
    figures: Mapping[str, Mapping[str, Mapping[str, float]]]
    """Mean, low and high of every metric, for each score."""

    def rows(self) -> list[dict[str, Any]]:
        """One row per method, with the ends of the intervals."""
        out = []
        for who, own in self.figures.items():
            row: dict[str, Any] = {"sensor": self.sensor, "by": who}
            for name in METRICS:
                row |= {name: own[name]["mean"], f"{name}_low": own[name]["low"], f"{name}_high": own[name]["high"]}
            out.append(row)
        return out


def read_samples(network: Network, samples: Samples, edges: np.ndarray | None = None) -> Reading:
    """Predictions of a network for observed maps, each for its own leg; classes are those of `edges`, or its own."""
    require(samples.cost.shape[1:] == (network.cells,) * 2, "samples", samples.cost.shape, "maps of the network's size")
    parts: dict[str, Any] = {}
    for number, leg in enumerate(RIGHT):
        own = np.flatnonzero(samples.leg == number)
        for start in range(0, len(own), BATCH):
            index = own[start : start + BATCH]
            found = network.read(samples.observed[index], leg, edges)
            for name in ("classes", "cost", "feasible"):
                values = getattr(found, name)
                into = parts.setdefault(name, np.zeros((len(samples), *values.shape[1:]), values.dtype))
                into[index] = values
    return Reading(**parts)


def _check_alike(networks: Mapping[str, Network], config: DatasetConfig, grounds: Sequence[int]) -> None:
    """Refuse networks that the maps are not for, or that have seen their grounds."""
    first, head = next(iter(networks.items()))
    for name, network in networks.items():
        if network.cells != config.cells or not np.isclose(network.cell, config.cell):
            maps = [f"{n} x {n} cells of {c:g} m" for n, c in ((one.cells, one.cell) for one in (network, config))]
            raise InvalidInput(f"network {name!r} is for maps of {maps[0]}: give one for {maps[1]}")
        if network.kind != "unet" and network.card["class_edges"] != head.card["class_edges"]:
            raise InvalidInput(f"network {name!r} has other classes of cost than {first!r}: evaluate it by itself")
        if seen := _seen(network, config, grounds):
            few = ", ".join(map(str, seen[:3])) + (", ..." if len(seen) > 3 else "")
            raise InvalidInput(
                f"network {name!r} has seen {len(seen)} of the {len(grounds)} grounds in training ({few}): "
                f"give grounds of another seed than {config.seed}"
            )


def _seen(network: Network, config: DatasetConfig, grounds: Sequence[int]) -> list[int]:
    """Which grounds of a data set are among those that a network was trained or validated on."""
    own = config_of(network)
    if own.seed != config.seed:
        return []
    return [
        number
        for number, split in enumerate(own.splits())
        if split != "test"
        and number in set(grounds)
        and own.kinds[number % len(own.kinds)] == config.kinds[number % len(config.kinds)]
    ]


def evaluate(
    networks: Mapping[str, Network],
    config: DatasetConfig,
    grounds: Sequence[int],
    sensor: str,
    *,
    analytic: bool = True,
    processes: int = 1,
    progress: Callable[[int], None] | None = None,
) -> Evaluation:
    """Score grounds of a data set seen by a sensor, with networks and with the analytic cost.

    Args:
        networks: By the name that rows get. All are judged by the cost classes of the first.
        config: How the maps are made; its own sensor does not matter.
        grounds: Numbers of the grounds; those that a network was trained on are refused.
        sensor: One of `SENSORS`.
        analytic: Whether the analytic cost is scored too, as it is and with smoothing and erosion.
        processes: Number of processes that make maps.
        progress: Called with the number of grounds finished since the last call.

    Raises:
        InvalidInput: If a network is for other maps or classes, or was trained on some of the grounds.
    """
    require_choice("sensor", sensor, tuple(SENSORS))
    require(len(networks) > 0, "networks", list(networks), "at least one network")
    _check_alike(networks, config, grounds)
    own = replace(config, sensor=SENSORS[sensor]())
    samples = make_samples(own, list(grounds), progress, processes)
    card = next(iter(networks.values())).card
    edges = np.array(card["class_edges"])
    readings: dict[str, Reading] = {}
    if analytic:
        readings["analytic"] = analytic_reading(samples, own, edges, "plain", processes)
        readings["analytic, smoothed and eroded"] = analytic_reading(samples, own, edges, "careful", processes)
    readings |= {name: read_samples(network, samples, edges) for name, network in networks.items()}
    figures = {name: summary([tally(reading, samples, edges, own.cell)]) for name, reading in readings.items()}
    return Evaluation(sensor, samples, readings, figures)


def config_of(network: Network, **changes: Any) -> DatasetConfig:
    """The configuration of the data that a network was trained on, with some fields changed."""
    return replace(from_record(DatasetConfig, network.card["data"]), **changes)
