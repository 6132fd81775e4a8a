"""Checks that name the field, the value and what is allowed."""

from __future__ import annotations

import math
from collections.abc import Sequence

from plantar.errors import InvalidInput


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
