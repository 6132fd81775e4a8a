"""A trained policy from its ONNX file, with its card."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from plantar.errors import InvalidInput, MissingExtra
from plantar.learn.card import Card, read_card

KEY = "plantar_card"
"""Name of the card among the metadata of an ONNX file."""


def _runtime() -> Any:
    try:
        import onnxruntime  # noqa: PLC0415  (extra)
    except ImportError as error:
        raise MissingExtra("a policy needs onnxruntime: install with `pip install 'plantar[foothold]'`") from error
    return onnxruntime


class Policy:
    """A policy that was exported to ONNX, with its card.

    Raises:
        MissingExtra: If ONNX Runtime is not installed.
        InvalidInput: If the file is not a policy of `plantar learn export`.
    """

    def __init__(self, path: str | Path):
        onnxruntime = _runtime()
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        try:
            self._session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
        except Exception as error:  # ONNX Runtime raises many kinds
            raise InvalidInput(f"{str(path)!r} is not a policy: {' '.join(str(error).split())[:120]}") from error
        text = self._session.get_modelmeta().custom_metadata_map.get(KEY)
        if text is None:
            raise InvalidInput(f"{str(path)!r} has no card: export it with `plantar learn export`")
        self.card: Card = read_card(text)
        self._input = self._session.get_inputs()[0].name

    def __call__(self, seen: np.ndarray) -> np.ndarray:
        """Actions for what is seen (numbers,)."""
        (out, *_) = self._session.run(None, {self._input: np.asarray(seen, dtype=np.float32)[None]})
        return np.asarray(out)[0]
