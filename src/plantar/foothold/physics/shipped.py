"""Learned scores that come with Plantar."""

from __future__ import annotations

from importlib import resources

from plantar.errors import InvalidInput
from plantar.foothold.physics.model import HoldModel, load_model

FOLDER = "weights"


def shipped(foot: str = "softfoot_q") -> HoldModel:
    """The learned score of a foot, fitted to physics on the kinds of `FITTING`.

    Raises:
        InvalidInput: If there is none for that foot.
    """
    folder = resources.files("plantar.foothold.physics") / FOLDER
    file = folder / f"hold_{foot}.npz"
    if not file.is_file():
        known = ", ".join(sorted(item.name[5:-4] for item in folder.iterdir() if item.name.startswith("hold_")))
        raise InvalidInput(
            f"no learned score of {foot!r} comes with Plantar, only of {known}: "
            "make one with `plantar foothold press` and `plantar foothold calibrate --learn`"
        )
    with resources.as_file(file) as path:
        return load_model(path)
