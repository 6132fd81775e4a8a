"""Policies made for tests: one that stands still, and files of the shipped quadruped's with other actions or cards."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from plantar._files import to_json
from plantar.cli.app import run
from plantar.learn import TaskConfig, TrainConfig
from plantar.learn.card import SEEN, Card
from plantar.learn.controller import SHIPPED
from plantar.learn.policy import KEY

TROTS = SHIPPED / "quadruped_softfoot_q.onnx"


class Still:
    """A policy that asks for the standing posture, and counts how often it is asked."""

    def __init__(self, subject, **more):
        self.card = Card(
            robot="biped",
            seen=SEEN,
            drives=subject.drives[::-1],  # in another order than the robot has them
            posture=subject.posture,
            period=0.02,
            timestep=0.005,
            task=TaskConfig(),
            training=TrainConfig(),
            **{"feet": ("softfoot:fast",), "foot": 2, **more},
        )
        self.seen: list[np.ndarray] = []

    def __call__(self, seen):
        self.seen.append(seen)
        return np.zeros(len(self.card.drives))


def altered(path: Path, shift: float = 0.0, **card: Any) -> str:
    """The quadruped's policy with other actions, or with another card."""
    onnx = pytest.importorskip("onnx")
    model = onnx.load(TROTS)
    last = next(one for one in model.graph.initializer if list(one.dims) == [12])
    last.CopyFrom(onnx.numpy_helper.from_array(onnx.numpy_helper.to_array(last) + np.float32(shift), last.name))
    (held,) = (one for one in model.metadata_props if one.key == KEY)
    data = json.loads(held.value) | card
    held.value = json.dumps({name: value for name, value in data.items() if value is not None})
    onnx.save(model, path)
    return str(path)


def network(path: Path, card: Card) -> str:
    """A policy that asks for the standing posture."""
    onnx = pytest.importorskip("onnx")
    still = onnx.numpy_helper.from_array(np.zeros((card.width, len(card.drives)), np.float32), "w")
    ends = [
        onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, [1, size])
        for name, size in (("obs", card.width), ("actions", len(card.drives)))
    ]
    node = onnx.helper.make_node("MatMul", ["obs", "w"], ["actions"])
    graph = onnx.helper.make_graph([node], "still", ends[:1], ends[1:], [still])
    model = onnx.helper.make_model(graph, ir_version=8, opset_imports=[onnx.helper.make_opsetid("", 18)])
    model.metadata_props.add(key=KEY, value=to_json(card))
    onnx.save(model, path)
    return str(path)


def refused(capsys, *command: Any) -> str:
    """The line with which a command is refused."""
    assert run([str(word) for word in command]) == 2
    told = capsys.readouterr().err.strip()
    assert told and "\n" not in told
    return told
