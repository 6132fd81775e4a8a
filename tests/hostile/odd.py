"""Objects that are almost what is wanted, or fail when they are looked at: no field may raise anything of its own."""

from __future__ import annotations

import enum
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np


class Failing:
    """Raises whatever is done with it."""

    def _fail(self, *args: Any, **options: Any) -> Any:
        raise RuntimeError("nothing of this works")

    __repr__ = __array__ = __float__ = __index__ = __iter__ = __eq__ = __bool__ = _fail
    __hash__ = None  # type: ignore[assignment]


class Number(float):
    """A number that is one of a class of its own."""


class Named(enum.IntEnum):
    """A number with a name."""

    ONE = 1


def odd_values() -> Iterator[tuple[str, Any, bool]]:
    """Each by its name, and whether no field at all may take it."""
    ring: list[Any] = []
    ring.append(ring)
    deep: list[Any] = []
    for _ in range(5000):
        deep = [deep]
    yield from (
        ("failing", Failing(), True),
        ("ring", ring, True),
        ("deep", deep, True),
        ("ragged", [[1, 2], [3]], False),
    )
    yield from (("0-d", np.array(1.0), False), ("0-d nan", np.array(np.nan), True), ("0-d None", np.array(None), True))
    yield from (("time", np.timedelta64(1, "s"), True), ("date", np.datetime64("2020-01-01"), True))
    yield from (("half", np.float16(0.5), False), ("long", np.longdouble("1e4000"), False), ("own", Number(0.5), False))
    yield from (
        ("unsigned", np.uint64(2**64 - 1), True),
        ("named", Named.ONE, False),
        ("decimal", Decimal("0.5"), True),
    )
    yield from (("fraction", Fraction(1, 3), False), ("huge fraction", Fraction(10**400), True), ("class", int, False))
    yield from (("texts", np.array(["a", "b"]), False), ("text", np.str_("x"), False), ("surrogate", "\udcff", False))
    yield from (("bytes", memoryview(b"abc"), True), ("ellipsis", ..., True), ("keys", {1: 2}.keys(), True))
    yield "decimal", Decimal("0.5"), True
    yield from (("generator", (x for x in (1.0, 2.0)), True), ("set", {1, 2}, True), ("ragged", [[1, 2], [3]], False))
    yield from ((name, array, refused) for name, (array, refused) in _arrays().items())


def _arrays() -> dict[str, tuple[np.ndarray, bool]]:
    return {
        "masked": (np.ma.masked_equal([1.0, 2.0, 3.0], 1.0), False),
        "matrix": (np.zeros((1, 3)).view(np.matrix), False),
        "structured": (np.zeros(3, dtype=[("a", float)]), True),
        "objects": (np.array([1.0, None, "x"], object), True),
        "empty": (np.zeros((0, 3)), False),
        "cube": (np.zeros((2, 2, 2)), False),
        "endless": (np.broadcast_to(0.0, (10**6, 10**6)), True),
    }
