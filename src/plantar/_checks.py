"""Checks that name the field, the value and what is allowed."""

from __future__ import annotations

import dataclasses
import math
import numbers
import types
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Union, get_args, get_origin, get_type_hints

from plantar.errors import InvalidInput

_SCALARS = {
    float: (numbers.Real, "a finite number"),
    int: (numbers.Integral, "a whole number"),
    bool: (bool, "True or False"),
    str: (str, "a text"),
}

LONGEST = 0.5
"""No length inside a foot is longer than this [m]."""


def require(ok: bool, field: str, value: object, allowed: str) -> None:
    """Raise `InvalidInput` naming `field` unless `ok`."""
    if not ok:
        raise InvalidInput(f"{field} = {value!r} is not allowed: give {allowed}")


def require_choice(field: str, value: object, choices: Sequence[object]) -> None:
    """Raise unless `value` is one of `choices`."""
    require(value in choices, field, value, "one of " + ", ".join(map(repr, choices)))


def require_positive(owner: object, prefix: str, names: Sequence[str]) -> None:
    """Raise unless each named attribute of `owner` is a finite number above zero."""
    for name in names:
        value = getattr(owner, name)
        require(math.isfinite(value) and value > 0, prefix + name, value, "a number above 0")


def check_fields(config: Any, prefix: str = "") -> None:
    """Raise `InvalidInput` naming the first field of a dataclass whose value is of the wrong kind."""
    for name, hint in _hints(type(config)).items():
        _check(hint, getattr(config, name), prefix + name)


def check_at_least(config: Any, prefix: str, names: Sequence[str], least: float = 0.0) -> None:
    """Raise `InvalidInput` unless each named field is `least` or more."""
    for name in names:
        value = getattr(config, name)
        require(value >= least, prefix + name, value, f"{least:g} or more")


def check_metres(config: Any, prefix: str, name: str) -> None:
    """Raise `InvalidInput` if a length, or one of several, is too long for a foot: millimetres, most likely."""
    value = getattr(config, name)
    lengths = value if isinstance(value, tuple) else (value,)
    require(max(map(abs, lengths)) <= LONGEST, prefix + name, value, f"metres, {LONGEST:g} at most")


def check_constraint(config: Any, prefix: str, name: str) -> None:
    """Raise `InvalidInput` unless `<name>solref` and `<name>solimp` are parameters MuJoCo can use."""
    solref, solimp = getattr(config, f"{name}solref"), getattr(config, f"{name}solimp")
    same_sign = min(solref) > 0 or max(solref) < 0
    require(same_sign, f"{prefix}{name}solref", solref, "two numbers above 0, or two below 0 (stiffness, damping)")
    start, end, width, middle, power = solimp
    ok = 0 <= start <= 1 and 0 < end <= 1 and width >= 0 and 0 <= middle <= 1 and power >= 1
    require(
        ok, f"{prefix}{name}solimp", solimp, "d0, d_width and midpoint from 0 to 1, width 0 or more, power 1 or more"
    )


@lru_cache(maxsize=64)
def _hints(cls: type) -> dict[str, Any]:
    hints = get_type_hints(cls)
    return {f.name: hints[f.name] for f in dataclasses.fields(cls)}


def _check(hint: Any, value: Any, where: str) -> None:
    if get_origin(hint) in (Union, types.UnionType):
        if value is not None:
            _check(next(a for a in get_args(hint) if a is not type(None)), value, where)
    elif get_origin(hint) is tuple:
        _check_tuple(get_args(hint), value, where)
    elif dataclasses.is_dataclass(hint):
        require(isinstance(value, hint), where, value, f"a {hint.__name__}")  # type: ignore[arg-type]
    elif hint in _SCALARS:
        kind, allowed = _SCALARS[hint]
        ok = isinstance(value, kind) and (hint is bool or not isinstance(value, bool))
        require(ok and (hint is not float or math.isfinite(value)), where, value, allowed)


def _check_tuple(hints: tuple[Any, ...], value: Any, where: str) -> None:
    many = Ellipsis in hints
    allowed = "a tuple of numbers" if many else f"a tuple of {len(hints)} numbers"
    require(isinstance(value, tuple) and (many or len(value) == len(hints)), where, value, allowed)
    for item in value:
        _check(hints[0], item, where)
