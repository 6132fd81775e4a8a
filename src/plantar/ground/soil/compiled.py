"""The loop over sole points for the CPU: compiled with Numba where it is installed, slow Python where not."""

from __future__ import annotations

import hashlib
import importlib.util
import os
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import FunctionType
from typing import Any

from plantar._jit import njit
from plantar.ground.soil import law, loop

PARTS: tuple[tuple[Callable[..., Any], ...], ...] = (
    (law.polynomial, law.modulus, law.relief, law.column, loop.turn, loop.shorten),
    (law.against, law.at_rest, law.look, law.leave, loop.velocity, loop.rest),
    (loop.answer,),
    (loop.find, loop.point),
    (loop.press, loop.lift),
)
"""Functions of the law, in an order in which each calls earlier ones only."""


def _stamp() -> str:
    """Name of this version of the law: what calls a function that has changed is not taken from Numba's cache."""
    texts = (Path(module.__file__).read_bytes() for module in (law, loop) if module.__file__)
    return hashlib.sha256(b"".join(texts)).hexdigest()[:10]


def rebuilt(compile_one: Callable[[FunctionType], Any]) -> dict[str, Any]:
    """The functions of the law by name, compiled."""
    done: dict[str, Any] = {}
    stamp = _stamp()
    for level in PARTS:
        made = {}
        for function in level:
            assert isinstance(function, FunctionType)
            copy = FunctionType(function.__code__, {**function.__globals__, **done}, function.__name__)
            copy.__annotations__, copy.__module__ = dict(function.__annotations__), function.__module__
            copy.__qualname__ = f"{function.__qualname__}_{stamp}"
            made[function.__name__] = compile_one(copy)
        done |= made
    return done


@cache
def functions() -> tuple[Callable[..., tuple[float, int]], Callable[..., None]]:
    """`press` and `lift` of the loop, for NumPy arrays."""
    if os.environ.get("PLANTAR_NO_NUMBA") or importlib.util.find_spec("numba") is None:
        return loop.press, loop.lift
    done = rebuilt(njit(nogil=True, error_model="numpy", fastmath=True))
    return done["press"], done["lift"]
