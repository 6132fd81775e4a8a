"""Estimates for cells that were not seen."""

from __future__ import annotations

import numpy as np
from scipy import ndimage

Array = np.ndarray


def filled(heights: Array, method: str) -> Array:
    """A copy without NaN; `method` is nearest, lowest or plane."""
    gaps = np.isnan(heights)
    if not gaps.any():
        return heights.copy()
    if method == "plane":
        return np.where(gaps, _plane(heights, gaps), heights)
    nearest = np.asarray(ndimage.distance_transform_edt(gaps, return_distances=False, return_indices=True))
    guess = heights[tuple(nearest)]
    return np.where(gaps, guess if method == "nearest" else _lowest(heights, gaps), heights)


def _plane(heights: Array, gaps: Array) -> Array:
    rows, columns = np.indices(heights.shape)
    terms = np.stack([np.ones(heights.shape), rows, columns], axis=-1)
    known = ~gaps
    solution = np.linalg.lstsq(terms[known], heights[known], rcond=None)[0]
    return terms @ solution


def _lowest(heights: Array, gaps: Array) -> Array:
    """Every gap at the lowest known height that touches it."""
    labels = np.zeros(gaps.shape, np.int32)
    count = int(ndimage.label(gaps, structure=np.ones((3, 3)), output=labels))  # type: ignore[arg-type]
    guess = heights.copy()
    boxes = ndimage.find_objects(labels)
    for number in range(1, count + 1):
        box = tuple(slice(max(s.start - 1, 0), s.stop + 1) for s in boxes[number - 1])
        own = labels[box] == number
        rim = ndimage.binary_dilation(own, np.ones((3, 3))) & ~gaps[box]
        guess[box][own] = heights[box][rim].min()
    return guess
