"""Trained networks as ONNX: weights, what they were trained for, and how to read their output, in one file."""
# the extra `train` need not be installed where types are checked
# pyright: reportMissingImports=false

from __future__ import annotations

import io
import json
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import torch
from onnx import TensorProto, helper, numpy_helper
from torch import nn

from plantar._files import replacing
from plantar.foothold.networks.mean_field import MOST, STEP, TOLERANCE, ERFNetMRF

OPSET = 18


def export(network: nn.Module, cells: int, path: str | Path, card: Mapping[str, Any], *, half: bool = False) -> Path:
    """Write a network as .onnx: `heights` (n, cells, cells) -> `out` (n, channels, cells, cells).

    Args:
        network: The trained network.
        cells: Cells along each side of a map.
        path: Where to write.
        card: What `Network` must know; kept in the file's metadata.
        half: Keep weights in 16 bits, half the size; sums stay in 32 bits.
    """
    inner = network.erf if isinstance(network, ERFNetMRF) else network
    model = _traced(inner.eval().cpu(), cells)
    if isinstance(network, ERFNetMRF):
        _append_mean_field(model, network)
    if half:
        _halve(model)
    helper.set_model_props(model, {"plantar": json.dumps(dict(card))})
    onnx.checker.check_model(model)
    path = Path(path)
    with replacing(path) as scratch:
        onnx.save(model, scratch)
    return path


def _traced(network: nn.Module, cells: int) -> onnx.ModelProto:
    # two maps: the batch must not be folded into constants of size one
    example = torch.full((2, cells, cells), -0.5)
    buffer = io.BytesIO()
    options: dict[str, Any] = {
        "input_names": ["heights"],
        "output_names": ["out"],
        "dynamic_axes": {"heights": {0: "n"}, "out": {0: "n"}},
        "opset_version": OPSET,
        "dynamo": False,
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(network, (example,), buffer, **options)  # type: ignore[arg-type]
    return onnx.load_from_string(buffer.getvalue())


def _append_mean_field(model: onnx.ModelProto, network: ERFNetMRF) -> None:
    """The loop of Algorithm 1 behind the class scores, run until it has converged."""
    graph, field = model.graph, network.field
    kernel, scale = field.pairwise().detach().numpy(), float(field.scale.detach())
    for node in graph.node:
        node.output[:] = ["logits" if name == "out" else name for name in node.output]
    graph.initializer.extend([
        numpy_helper.from_array(np.array(scale, np.float32), "field.scale"),
        numpy_helper.from_array(np.array(MOST, np.int64), "field.most"),
        numpy_helper.from_array(np.array(True), "field.go"),
    ])  # fmt: skip
    side = kernel.shape[-1]
    # the softmax over classes is written out: ONNX Runtime's own transposes the maps and back, which costs more than
    # all else in a round; constants lie inside the loop, where they are prepared once
    body = helper.make_graph(
        [
            helper.make_node("Conv", ["q", "field.kernel"], ["pairwise"], pads=[side // 2] * 4),
            helper.make_node("Add", ["field.first", "pairwise"], ["u"]),
            helper.make_node("ReduceMax", ["u", "field.classes"], ["peak"]),
            helper.make_node("Sub", ["u", "peak"], ["below"]),
            helper.make_node("Exp", ["below"], ["raw"]),
            helper.make_node("ReduceSum", ["raw", "field.classes"], ["total"]),
            helper.make_node("Div", ["raw", "total"], ["new"]),
            helper.make_node("Sub", ["new", "q"], ["change"]),
            helper.make_node("Mul", ["change", "field.step"], ["part"]),
            helper.make_node("Add", ["q", "part"], ["next"]),
            helper.make_node("Abs", ["change"], ["size"]),
            helper.make_node("ReduceMax", ["size"], ["most"], keepdims=0),
            helper.make_node("GreaterOrEqual", ["most", "field.tolerance"], ["on"]),
        ],
        "round",
        [
            helper.make_tensor_value_info("count", TensorProto.INT64, []),
            helper.make_tensor_value_info("go", TensorProto.BOOL, []),
            helper.make_tensor_value_info("q", TensorProto.FLOAT, None),
            helper.make_tensor_value_info("last", TensorProto.FLOAT, None),
        ],
        [
            helper.make_tensor_value_info("on", TensorProto.BOOL, []),
            helper.make_tensor_value_info("next", TensorProto.FLOAT, None),
            helper.make_tensor_value_info("new", TensorProto.FLOAT, None),
        ],
        [
            numpy_helper.from_array((-scale * kernel).astype(np.float32), "field.kernel"),
            numpy_helper.from_array(np.array([1], np.int64), "field.classes"),
            numpy_helper.from_array(np.array(STEP, np.float32), "field.step"),
            numpy_helper.from_array(np.array(TOLERANCE, np.float32), "field.tolerance"),
        ],
    )
    graph.node.extend([
        helper.make_node("LogSoftmax", ["logits"], ["field.log"], axis=1),
        helper.make_node("Mul", ["field.log", "field.scale"], ["field.first"]),
        helper.make_node("Exp", ["field.log"], ["field.q0"]),
        helper.make_node("Loop", ["field.most", "field.go", "field.q0", "field.q0"], ["field.q", "out"], body=body),
    ])  # fmt: skip


def _halve(model: onnx.ModelProto) -> None:
    """Large weights in 16 bits, with a cast that runtimes do once when they load."""
    graph, casts = model.graph, []
    for tensor in graph.initializer:
        values = numpy_helper.to_array(tensor)
        if values.dtype != np.float32 or values.size < 256:
            continue
        name = tensor.name
        tensor.CopyFrom(numpy_helper.from_array(values.astype(np.float16), f"{name}.half"))
        casts.append(helper.make_node("Cast", [f"{name}.half"], [name], to=TensorProto.FLOAT))
    for number, node in enumerate(casts):
        graph.node.insert(number, node)
