"""Numba where it is installed; without it the NumPy versions are used."""

from __future__ import annotations

import functools
import importlib.util
import os
from collections.abc import Callable
from typing import Any

from plantar._jit import njit


@functools.cache
def has_numba() -> bool:
    """Whether compiled kernels can be used; `PLANTAR_NO_NUMBA=1` turns them off."""
    return not os.environ.get("PLANTAR_NO_NUMBA") and importlib.util.find_spec("numba") is not None


def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile `function` to machine code where Numba is installed; leave it as it is elsewhere."""
    if not has_numba():
        return function
    return njit(fastmath=False, nogil=True)(function)
