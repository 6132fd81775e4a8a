"""What an annotation of a field allows: kinds, sizes and ranges of values, as checks that name the field."""

from __future__ import annotations

import collections.abc
import dataclasses
import math
import numbers
import types
import typing
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import numpy as np

from plantar._checks import require, require_choice
from plantar.errors import InvalidInput

HUGE = 1e18
"""No quantity in SI units that Plantar knows is larger: what is beyond is a slip, and overflows when it is squared."""
LARGEST_INTEGER = 2**63 - 1
"""Integers go into tables and files as 64 bits."""
Check = Callable[[Any, str], None]
"""Takes a value and the name of its field, and raises `InvalidInput` if they do not go together."""


@dataclasses.dataclass(frozen=True)
class Within:
    """The range of a number, or of every number of a tuple, in an annotation."""

    low: float = -math.inf
    """Least value."""
    high: float = math.inf
    """Greatest value."""
    above: bool = False
    """Whether `low` itself is not allowed."""
    unit: str = ""
    """What is counted, for the message: `metres`, `radians`."""

    def check(self, value: Any, where: str) -> None:
        """Raise `InvalidInput` unless `value` is in the range."""
        for number in value if isinstance(value, tuple) else (value,):
            if number is not None:
                ok = self.low <= number <= self.high and not (self.above and number == self.low)
                require(ok, where, value, self.text())

    def text(self) -> str:
        """The range for people."""
        low = f"{'above' if self.above else 'from'} {self.low:g}"
        if self.low == -math.inf:
            ends = f"{self.high:g} or less"
        elif self.high == math.inf:
            ends = low if self.above else f"{self.low:g} or more"
        else:
            ends = f"{low} to {self.high:g}"
        return f"{self.unit or 'a number'}, {ends}" if self.unit else f"a number {ends}"


@dataclasses.dataclass(frozen=True)
class Long:
    """How many items a list has, in an annotation."""

    count: int
    """That many."""

    def check(self, value: Any, where: str) -> None:
        """Raise `InvalidInput` unless `value` is that long."""
        require(np.shape(value)[:1] == (self.count,), where, value, f"{self.count} numbers")


@dataclasses.dataclass(frozen=True)
class MayHaveGaps:
    """Says in an annotation that an array may hold NaN, where nothing is known."""


@dataclasses.dataclass(frozen=True)
class MayBeInfinite:
    """Says in an annotation that a number may be infinite: no limit."""


def check_of(hint: Any) -> Check:
    """The check for an annotation; unknown ones are not checked."""
    made = _GENERIC.get(get_origin(hint) or hint)
    return made(get_args(hint)) if made else _SCALARS.get(hint) or _instance(hint)


def is_number(value: Any) -> bool:
    """Whether a value is a real number, be it of another library; True and False are none."""
    real = isinstance(value, numbers.Real) and not isinstance(value, bool | np.bool_)
    return real and not isinstance(value, np.timedelta64)  # which NumPy takes for an integer


def _number(value: Any, where: str) -> None:
    ok = is_number(value)
    try:
        ok = ok and abs(float(value)) <= HUGE  # False for nan
    except OverflowError:
        ok = False
    require(ok, where, value, "a finite number" if _is_small(value) else f"a number, {HUGE:g} at most")


def _limit(value: Any, where: str) -> None:
    if not (isinstance(value, float | np.floating) and math.isinf(value)):
        _number(value, where)


def _is_small(value: Any) -> bool:
    """Whether a value is refused for what it is and not for its size."""
    return not is_number(value) or not math.isfinite(_as_float(value))


def _as_float(value: Any) -> float:
    try:
        return float(value)
    except OverflowError:
        return HUGE


def _whole(value: Any, where: str) -> None:
    ok = isinstance(value, numbers.Integral) and is_number(value)
    require(ok, where, value, "an integer")
    require(abs(int(value)) <= LARGEST_INTEGER, where, value, "an integer of at most 18 digits")


def _truth(value: Any, where: str) -> None:
    require(isinstance(value, bool | np.bool_), where, value, "True or False")


def _text(value: Any, where: str) -> None:
    require(isinstance(value, str), where, value, "a string")


def _path(value: Any, where: str) -> None:
    require(isinstance(value, str | Path), where, value, "a path")


def _nothing(value: Any, where: str) -> None:
    require(value is None, where, value, "None")


def _anything(value: Any, where: str) -> None:
    pass


_SCALARS: dict[Any, Check] = {
    float: _number,
    int: _whole,
    bool: _truth,
    str: _text,
    Path: _path,
    type(None): _nothing,
    None: _nothing,
    Any: _anything,
    object: _anything,
}


def _instance(hint: Any) -> Check:
    if not isinstance(hint, type) or typing.is_typeddict(hint):
        return _anything
    return lambda value, where: require(isinstance(value, hint), where, value, f"a {hint.__name__}")


def _annotated(hint: Any, notes: Iterable[Any]) -> Check:
    kinds = {type(note) for note in notes}
    inner = _gappy if MayHaveGaps in kinds else _limit if MayBeInfinite in kinds else check_of(hint)
    ranges = [note for note in notes if isinstance(note, Within | Long)]

    def check(value: Any, where: str) -> None:
        inner(value, where)
        for one in ranges:
            one.check(value, where)

    return check


def _lists_numbers(hint: Any) -> bool:
    """Whether a hint stands for a list of numbers, or of such lists."""
    if get_origin(hint) not in (collections.abc.Sequence, list):
        return False
    item = get_args(hint)[0]
    return item in (float, int) or _lists_numbers(item)


def _any_of(options: tuple[Any, ...]) -> Check:
    arrays = any((get_origin(option) or option) is np.ndarray for option in options)
    checks = [check_of(one) for one in options if not (arrays and _lists_numbers(one))]  # arrays may be lists too

    def check(value: Any, where: str) -> None:
        first: InvalidInput | None = None
        for one in checks:
            try:
                return one(value, where)
            except InvalidInput as error:
                first = first or error
        assert first is not None
        raise first

    return check


def _tuple(hints: tuple[Any, ...]) -> Check:
    many = Ellipsis in hints
    checks = [check_of(hint) for hint in hints if hint is not Ellipsis]
    allowed = "a tuple" if many else f"a tuple of {len(checks)}"

    def check(value: Any, where: str) -> None:
        require(isinstance(value, tuple) and (many or len(value) == len(checks)), where, value, allowed)
        for i, item in enumerate(value):
            checks[0 if many else i](item, where)

    return check


def _sequence(inner: Check) -> Check:
    def check(value: Any, where: str) -> None:
        if isinstance(value, np.ndarray):
            return _array(value, where)
        require(isinstance(value, list | tuple | range), where, value, "a list")
        for item in value:
            inner(item, where)
        return None

    return check


def _mapping(key: Check, inner: Check) -> Check:
    def check(value: Any, where: str) -> None:
        require(isinstance(value, Mapping), where, value, "a table of names and values")
        for name, item in value.items():
            key(name, where)
            inner(item, f"{where}.{name}" if isinstance(name, str) else where)

    return check


def _array(value: Any, where: str, gaps: bool = False) -> None:
    found = _numeric(value, where)
    with np.errstate(invalid="ignore"):
        bad = np.abs(found) > HUGE if gaps else ~(np.abs(found) <= HUGE)
    if bad.any():
        first = np.argwhere(bad)[0][:1].tolist()
        row = found[first[0]] if first else found
        allowed = "finite numbers, or NaN where nothing is known" if gaps else "finite numbers"
        require(False, f"{where}{first or ''}", row, allowed)


def _gappy(value: Any, where: str) -> None:
    _array(value, where, gaps=True)


def _numeric(value: Any, where: str) -> np.ndarray:
    ok = isinstance(value, np.ndarray | list | tuple) and not isinstance(value, np.ma.MaskedArray | np.matrix)
    require(ok, where, value, "an array of numbers")  # a mask would be lost, and the rows of a matrix have two axes
    try:
        objects = isinstance(value, np.ndarray) and value.dtype.kind == "O"
        found = np.asarray(value, float if objects else None)  # None is a gap
    except (TypeError, ValueError):  # rows of unlike length, or no numbers
        found = np.array("")
    whole = isinstance(value, np.ndarray) or not _holds_truth(value)  # NumPy would make numbers of True and False
    require(found.dtype.kind in "biuf" and whole, where, value, "an array of numbers")
    require(found.ndim > 0, where, value, "an array of numbers with an axis")
    return found


def _holds_truth(value: Any) -> bool:
    return any(map(_holds_truth, value)) if isinstance(value, list | tuple) else isinstance(value, bool)


_GENERIC: dict[Any, Callable[[tuple[Any, ...]], Check]] = {
    Annotated: lambda args: _annotated(args[0], args[1:]),
    Literal: lambda args: lambda value, where: require_choice(where, value, args),
    Union: _any_of,
    types.UnionType: _any_of,
    tuple: _tuple,
    list: lambda args: _sequence(check_of(args[0])),
    collections.abc.Sequence: lambda args: _sequence(check_of(args[0])),
    collections.abc.Mapping: lambda args: _mapping(check_of(args[0]), check_of(args[1])),
    dict: lambda args: _mapping(check_of(args[0]), check_of(args[1])),
    collections.abc.Callable: lambda args: lambda value, where: require(callable(value), where, value, "a function"),
    np.ndarray: lambda args: _array,
}
"""What makes the check of an annotation with arguments."""
