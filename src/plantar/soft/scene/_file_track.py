"""Tracks in scene files: what is commanded or aimed at, over time."""

from __future__ import annotations

from typing import Any

import numpy as np

from plantar._checks import require
from plantar.errors import InvalidInput


def read_track(what: str, rows: Any, width: int) -> np.ndarray:
    """Rows of `width` numbers with increasing times.

    Raises:
        InvalidInput: If they are not.
    """
    try:
        table = np.asarray(rows, dtype=float)
    except (TypeError, ValueError) as error:
        raise InvalidInput(f"{what} = {rows!r} is not allowed: give rows of {width} numbers, time first") from error
    ok = table.ndim == 2 and table.shape[1] == width and bool((np.diff(table[:, 0]) > 0).all())
    require(ok, what, rows, f"rows of {width} numbers, with increasing times")
    return table
