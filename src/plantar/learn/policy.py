"""A trained policy from its ONNX file, with its card."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from plantar._onnx import open_network
from plantar.errors import InvalidInput
from plantar.learn.card import Card, read_card

KEY = "plantar_card"
"""Name of the card among the metadata of an ONNX file."""


class Policy:
    """A policy that was exported to ONNX, with its card.

    Raises:
        MissingExtra: If ONNX Runtime is not installed.
        InvalidInput: If the file is not a policy of `plantar learn export`.
    """

    def __init__(self, path: str | Path):
        self._session = open_network(path, 1, what="policy", made_by="plantar learn export")
        text = self._session.get_modelmeta().custom_metadata_map.get(KEY)
        if text is None:
            raise InvalidInput(f"{str(path)!r} has no card: export it with `plantar learn export`")
        self.card: Card = read_card(text)
        self._input = self._session.get_inputs()[0].name

    def __call__(self, seen: np.ndarray) -> np.ndarray:
        """Actions for an observation (numbers,)."""
        (out, *_) = self._session.run(None, {self._input: np.asarray(seen, dtype=np.float32)[None]})
        return np.asarray(out)[0]
