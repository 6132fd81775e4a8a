"""A trained policy from its ONNX file, with its card."""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np

from plantar._onnx import open_network
from plantar._read import reading
from plantar.errors import InvalidInput
from plantar.feet import Foot
from plantar.learn.card import Card, read_card

KEY = "plantar_card"
"""Name of the card among the metadata of an ONNX file."""


def digest_of(path: str | Path) -> str:
    """SHA-256 of a file.

    Raises:
        InvalidInput: If it cannot be read.
    """
    with reading(path, "file", "give one that exists"):
        return hashlib.sha256(Path(path).read_bytes()).hexdigest()


class Policy:
    """A policy that was exported to ONNX, with its card.

    Raises:
        MissingExtra: If ONNX Runtime is not installed.
        InvalidInput: If the file is not a policy of `plantar learn export`.
    """

    def __init__(self, path: str | Path):
        self.path = Path(path)
        self._session = open_network(path, 1, what="policy", made_by="plantar learn export")
        text = self._session.get_modelmeta().custom_metadata_map.get(KEY)
        if text is None:
            raise InvalidInput(f"{str(path)!r} has no card: export it with `plantar learn export`")
        self.card: Card = read_card(text, f"what {str(path)!r} carries")
        sizes = [ends[0].shape[-1] for ends in (self._session.get_inputs(), self._session.get_outputs())]
        told = [self.card.width, len(self.card.drives)]
        if any(isinstance(size, int) and size != own for size, own in zip(sizes, told, strict=True)):
            raise InvalidInput(
                f"what {str(path)!r} carries is not its card: it tells of {told[0]} observations and {told[1]} "
                f"actions, and the network has {sizes[0]} and {sizes[1]}"
            )
        self._input = self._session.get_inputs()[0].name

    @property
    def feet(self) -> tuple[Foot | str, ...]:
        """The feet of its training, `own` and `plate` as words.

        Raises:
            InvalidInput: If one of them is not known here.
        """
        try:
            return self.card.worn
        except InvalidInput as error:
            raise InvalidInput(f"{str(self.path)!r} was trained on feet that cannot be built: {error}") from error

    def __call__(self, seen: np.ndarray) -> np.ndarray:
        """Actions for an observation (numbers,)."""
        (out, *_) = self._session.run(None, {self._input: np.asarray(seen, dtype=np.float32)[None]})
        return np.asarray(out)[0]
