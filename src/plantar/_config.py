"""One mechanism that checks every field of every configuration: kind, finiteness, size, range.

A configuration is a frozen dataclass that inherits `Checked`. Its fields are checked against their annotations before
its own `__post_init__` looks at how they go together, so that it can rely on numbers being numbers. A range that holds
for a field by itself is part of its annotation: `mass: Positive = 1.0`, `tilt: Annotated[float, Within(-1.5, 1.5)]`.
"""

from __future__ import annotations

import dataclasses
import functools
import math
import numbers
import types
from collections.abc import Sequence
from typing import Annotated, Any, ClassVar, Union, get_args, get_origin, get_type_hints

import numpy as np

from plantar._checks import require
from plantar._kinds import Check, Long, MayBeInfinite, MayHaveGaps, Within, check_of, is_number
from plantar._notebook import Shown

Positive = Annotated[float, Within(0.0, above=True)]
"""A number above 0."""
NotNegative = Annotated[float, Within(0.0)]
"""A number, 0 or more."""
Share = Annotated[float, Within(0.0, 1.0)]
"""A number from 0 to 1."""
Angle = Annotated[float, Within(-2 * math.pi, 2 * math.pi, unit="an angle in radians")]
"""One turn either way at most: more is degrees, most likely."""
Distance = Annotated[float, Within(0.0, 1000.0, above=True, unit="a length in metres")]
"""A length above 0; a kilometre at most, as more is millimetres, most likely."""
Bump = Annotated[float, Within(0.0, 2.0, above=True, unit="a height in metres")]
"""How high ground rises under a foot; 2 m at most, as more is millimetres, most likely."""
Duration = Annotated[float, Within(0.0, 1e6, above=True, unit="a time in seconds")]
"""A time above 0."""
Limit = Annotated[float, MayBeInfinite()]
"""A number, or infinity where there is no limit."""
Gappy = Annotated[np.ndarray, MayHaveGaps()]
"""An array with NaN where nothing is known."""
Vector = Annotated[Sequence[float], Long(3)]
"""x, y and z."""
Quaternion = Annotated[Sequence[float], Long(4)]
"""w, x, y and z."""
Count = Annotated[int, Within(1, 10**7)]
"""How many of something that is made or run."""
Seed = Annotated[int, Within(0)]
"""A seed."""


def check_value(field: str, value: Any, hint: Any) -> None:
    """Raise `InvalidInput` unless an argument of a function fits an annotation, as a field of a configuration must."""
    check_of(hint)(value, field)


class Checked(Shown):
    """Base of all configurations: their fields are checked against their annotations as they are made."""

    _prefix: ClassVar[str] = ""

    def __init_subclass__(cls, prefix: str = "", **options: Any) -> None:
        """Let the check run before the class's own `__post_init__`; `prefix` stands before fields in messages."""
        super().__init_subclass__(**options)
        cls._prefix = prefix or cls._prefix
        own = cls.__dict__.get("__post_init__")
        if own is not None:

            @functools.wraps(own)
            def checked(self: Any) -> None:
                check_fields(self)
                own(self)

            cls.__post_init__ = checked  # type: ignore[method-assign]

    def __post_init__(self) -> None:
        """Check every field; the first bad one is named."""
        check_fields(self)


def check_fields(config: Any) -> None:
    """Raise `InvalidInput` naming the first field of a dataclass whose value does not fit its annotation.

    A list where a tuple belongs becomes one, and a number one of Python's, so that what came from a file and what was
    written in Python are equal.
    """
    prefix = getattr(config, "_prefix", "")
    for name, is_tuple, check in _checks_of(type(config)):
        value = getattr(config, name)
        try:
            made = _plain(_tuple_of(value) if is_tuple else value)
            if made is not value:
                object.__setattr__(config, name, made)
            check(made, prefix + name)
        except RecursionError:
            require(False, prefix + name, value, "what is not nested so deeply")
        except MemoryError:
            require(False, prefix + name, value, "less than fills the memory")


@functools.cache
def _checks_of(cls: type) -> tuple[tuple[str, bool, Check], ...]:
    """Name of each field, whether a tuple belongs there, and its check."""
    try:
        hints = get_type_hints(cls, include_extras=True)
    except NameError:  # a class inside a function names others that only that function knows
        hints = {}
    fields = [f.name for f in dataclasses.fields(cls) if f.init]  # type: ignore[arg-type]
    return tuple((n, _holds_tuple(hints[n]), check_of(hints[n])) for n in fields if n in hints)


def _holds_tuple(hint: Any) -> bool:
    if get_origin(hint) is Annotated:
        hint = get_args(hint)[0]
    if get_origin(hint) in (Union, types.UnionType):
        return any(get_origin(option) is tuple for option in get_args(hint))
    return get_origin(hint) is tuple


def _tuple_of(value: Any) -> Any:
    return tuple(_tuple_of(item) for item in value) if isinstance(value, list) else value


def _plain(value: Any) -> Any:
    """A number as one of Python's, whichever library it is of: half precision would spread to all that follows."""
    if isinstance(value, tuple):
        return tuple(map(_plain, value)) if type(value) is tuple else value
    if type(value) in (float, int, bool) or not is_number(value):
        return bool(value) if isinstance(value, np.bool_) else value
    try:
        return int(value) if isinstance(value, numbers.Integral) else float(value)
    except OverflowError:
        return value
