"""Checks that name the field, the value and what is allowed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from plantar.errors import InvalidInput

LONGEST_VALUE = 200
"""Letters of a value that a message shows, at most."""
LONGEST = 0.5
"""No length inside a foot is longer than this [m]."""


def require(ok: bool, field: str, value: object, allowed: str) -> None:
    """Raise `InvalidInput` naming `field` unless `ok`."""
    if not ok:
        raise InvalidInput(f"{field} = {shown(value)} is not allowed: give {allowed}")


def shown(value: object) -> str:
    """A value as a message shows it: short, and on one line."""
    try:
        text = " ".join(repr(value).split())
    except Exception:  # whole numbers of thousands of digits have no text, and others may have none either
        text = f"a {type(value).__name__}"
    return text if len(text) <= LONGEST_VALUE else f"{text[: LONGEST_VALUE - 3]}..."


def require_choice(field: str, value: object, choices: Sequence[object]) -> None:
    """Raise unless `value` is one of `choices`."""
    known = any(type(value) is type(choice) and value == choice for choice in choices)  # arrays have no plain equality
    require(known, field, value, "one of " + ", ".join(map(repr, choices)))


def require_positive(owner: object, prefix: str, names: Sequence[str]) -> None:
    """Raise unless each named attribute of `owner` is a finite number above zero."""
    for name in names:
        value = getattr(owner, name)
        require(math.isfinite(value) and value > 0, prefix + name, value, "a number above 0")


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
