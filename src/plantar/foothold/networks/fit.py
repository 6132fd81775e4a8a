"""From a data set to a model file: train, choose the threshold on validation, write ONNX."""
# the extra `train` need not be installed where types are checked
# pyright: reportMissingImports=false

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import plantar
from plantar._checks import require
from plantar._fields import to_record
from plantar.foothold.classes import class_costs, class_weights
from plantar.foothold.dataset import DatasetConfig
from plantar.foothold.dataset_files import Dataset
from plantar.foothold.learned import NAME
from plantar.foothold.networks.export import export
from plantar.foothold.networks.kinds import parameters
from plantar.foothold.networks.maps import joined, to_maps
from plantar.foothold.networks.physics_heads import load_teacher, pressed_samples, scaled, taught
from plantar.foothold.networks.scores import best_threshold
from plantar.foothold.networks.training import TrainConfig, Trained, device_of, outputs, train
from plantar.foothold.physics.data import PhysicsData
from plantar.foothold.physics.model import HoldModel

SHARE = 4
"""One training map in this many is a pressed one."""


def card_of(
    kind: str, data: DatasetConfig, edges: np.ndarray, costs: np.ndarray, threshold: float, **more: Any
) -> dict[str, Any]:
    """What a model file says about itself."""
    facts = {"what": NAME, "plantar": plantar.__version__, "kind": kind, "cells": data.cells, "cell": data.cell}
    classes = {"class_edges": [float(v) for v in edges], "class_costs": [float(v) for v in costs]}
    record = to_record(data)
    return {**facts, **classes, "threshold": threshold, "robot": record["robot"], "data": record, **more}


def fit_network(
    dataset: Dataset,
    config: TrainConfig,
    path: str | Path,
    *,
    device: str = "auto",
    physics: HoldModel | PhysicsData | str | Path | None = None,
    progress: Callable[[int], None] | None = None,
) -> Trained:
    """Train a network on a data set and write it as .onnx.

    Args:
        dataset: From `plantar.foothold.load_dataset`; its test split is not read.
        config: How to train.
        path: The model file.
        device: cpu, cuda or auto.
        physics: Pressed footholds of `plantar foothold press`, or the learned score of `calibrate`, which labels every
            cell: our network learns their labels as separate heads.
        progress: Called with the number of steps done since the last call.

    Raises:
        InvalidInput: If the data set has no validation split or cannot be trained on.
    """
    data = dataset.config
    require(data.foot_yaw == 0, "foot_yaw", data.foot_yaw, "0: networks are for feet along the robot's heading")
    require(data.cells % 8 == 0, "cells", data.cells, "a multiple of 8, as the networks halve their maps three times")
    where = device_of(device)
    samples, held = dataset.samples("train"), dataset.samples("validation")
    edges = dataset.edges
    maps, validation = to_maps(samples, edges, where), to_maps(held, edges, where)
    weights = class_weights(maps.classes.cpu().numpy(), len(edges))
    heads: dict[str, list[float]] = {}
    if physics is not None:
        require(config.kind == "unet", "kind", config.kind, "unet: only it has heads for physics")
        teacher = load_teacher(physics) if isinstance(physics, str | Path) else physics
        if isinstance(teacher, HoldModel):
            others, heads = scaled(taught(teacher, samples, data.cell))
            maps = to_maps(samples, edges, where, others)
        else:
            pressed, others = pressed_samples(teacher, data)
            others, heads = scaled(others)
            own = to_maps(pressed, edges, where, others)
            maps = joined(maps, own, max(1, len(maps) // (SHARE * len(own))))
    done = train(config, data, maps, validation, weights, heads=tuple(heads), progress=progress)
    threshold = 0.5
    if config.kind == "unet":
        threshold = best_threshold(outputs(done.network, held, config.spoiled), held, edges, data.cell)
    costs = class_costs(samples.cost, edges)
    facts = {"parameters": parameters(done.network), "training": to_record(config), "accuracy": done.accuracy}
    facts["heads"] = heads
    export(done.network, data.cells, path, card_of(config.kind, data, edges, costs, threshold, **facts))
    return done
