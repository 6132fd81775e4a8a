"""Which feet a search may consider: fields of any foot, their ranges, and what can be built."""

from __future__ import annotations

import difflib
import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from plantar._arguments import checks_arguments
from plantar._checks import require
from plantar._config import Checked
from plantar._fields import field_rows
from plantar.design.dimension import Dimension
from plantar.errors import InvalidInput
from plantar.feet.foot import Foot

FORM = "FIELD=LOW..HIGH, FIELD=LOW..HIGH:log, FIELD=A|B|C or FIELD alone"
SCALE = "scale"
"""Name of the size of the whole foot, from 0.05 to 20."""
FACTOR = 3.0
"""A field without a range is varied from its value over this to its value times this, as far as can be built."""
_VARY = re.compile(r"^\s*([\w.]+)\s*(?:=\s*(.*?))?\s*(?:\bif\s+([\w.]+)\s*=\s*(.+?))?\s*$")


@dataclass(frozen=True, kw_only=True)
class Space(Checked):
    """A foot and the fields of it that may change."""

    foot: Foot
    """The foot that all others are made from; what is not varied stays as it is here."""
    dimensions: tuple[Dimension, ...]
    """What may change."""

    def __post_init__(self) -> None:
        """Check names and that something can be built."""
        require(len(self.dimensions) > 0, "vary", (), f"at least one field: {FORM}")
        names = [dimension.name for dimension in self.dimensions]
        require(len(set(names)) == len(names), "vary", ", ".join(names), "each field once")
        for i, dimension in enumerate(self.dimensions):
            if dimension.when is not None:
                earlier = names[:i]
                other = dimension.when[0]
                require(other in earlier, f"{dimension.name} if", other, "a field that is varied before it")
                before, wanted = self.dimensions[earlier.index(other)], dimension.when[1]
                require(before.has(wanted), f"{dimension.name} if {other}", wanted, f"a value of {before.text()}")

    def build(self, values: Mapping[str, Any]) -> Foot:
        """The foot with these values.

        Raises:
            InvalidInput: If there is no such foot; the message says why.
        """
        return self.foot.with_(**values)

    def active(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """The values that count: those of fields whose condition does not hold are left out."""
        found: dict[str, Any] = {}
        for dimension in self.dimensions:
            if dimension.counts(found) and dimension.name in values:
                found[dimension.name] = values[dimension.name]
        return found

    def draw(self, rng: np.random.Generator) -> dict[str, Any]:
        """Random values, those that count."""
        return self.active({dimension.name: dimension.draw(rng) for dimension in self.dimensions})

    def at(self, places: Sequence[float]) -> dict[str, Any]:
        """Values at places from 0 to 1 of each dimension, those that count."""
        pairs = zip(self.dimensions, places, strict=True)
        return self.active({dimension.name: dimension.at(place) for dimension, place in pairs})

    def notes(self) -> list[str]:
        """Ends of ranges, other fields as they are, at which nothing can be built; a sentence each."""
        found = []
        for dimension in self.dimensions:
            ends = dimension.values if dimension.kind == "choice" else (dimension.at(0), dimension.at(1))
            for value in ends:
                why = self.why_not({dimension.name: value})
                if why is not None:
                    found.append(f"{dimension.name} = {value} cannot be built with the other fields as they are: {why}")
        return found

    def why_not(self, values: Mapping[str, Any]) -> str | None:
        """Why there is no foot with these values; None if there is."""
        try:
            self.build(values)
        except InvalidInput as error:
            return str(error)
        return None

    def record(self) -> dict[str, Any]:
        """The space as plain data."""
        return {"foot": self.foot.to_dict(), "vary": [dimension.text() for dimension in self.dimensions]}


@checks_arguments
def make_space(foot: Foot, vary: Mapping[str, Any] | Iterable[str]) -> Space:
    """A space from strings as on the command line, or from a mapping.

    Args:
        foot: The foot to start from.
        vary: `FIELD=LOW..HIGH` texts (see `parse`), or by field a tuple (low, high), a list of values, or a
            `Dimension`.

    Raises:
        InvalidInput: If a field is unknown or a range is not allowed; one line says what is.
    """
    if isinstance(vary, str):
        raise InvalidInput(f"vary = {vary!r} is not allowed: give a list of strings, {FORM}")
    if isinstance(vary, Mapping):
        dimensions = [_given(foot, str(name), value) for name, value in vary.items()]
    else:
        dimensions = [parse(foot, text) for text in vary]
    space = Space(foot=foot, dimensions=tuple(dimensions))
    _require_feet(space)
    return space


def parse(foot: Foot, text: str) -> Dimension:
    """A dimension from `FIELD=LOW..HIGH`, `FIELD=LOW..HIGH:log`, `FIELD=A|B|C` or `FIELD`, with ` if OTHER=VALUE`.

    Raises:
        InvalidInput: If it is not of that form, or the foot has no such field.
    """
    found = _VARY.match(text)
    if found is None:
        raise InvalidInput(f"vary {text!r} is not allowed: give {FORM}")
    name, body, other, wanted = found.groups()
    now = value_of(foot, name)
    when = None if other is None else (other, _literal(wanted))
    if body is None:
        return replace(_whole_range(foot, name, now), when=when)
    log = body.endswith(":log")
    body = body.removesuffix(":log").strip()
    if ".." not in body:
        return Dimension(name=name, kind="choice", values=tuple(map(_literal, body.split("|"))), when=when)
    low, _, high = body.partition("..")
    ends = []
    for end in (low, high):
        try:
            ends.append(float(end))
        except ValueError:
            raise InvalidInput(f"vary {text!r} is not allowed: give {FORM}") from None
    return _ranged(name, now, ends[0], ends[1], log=log, when=when)


def _given(foot: Foot, name: str, value: Any) -> Dimension:
    if isinstance(value, Dimension):
        return replace(value, name=name)
    name = name.replace("__", ".")
    now = value_of(foot, name)
    if isinstance(value, tuple) and len(value) == 2 and all(isinstance(v, int | float) for v in value):
        return _ranged(name, now, float(value[0]), float(value[1]))
    if isinstance(value, list | tuple):
        return Dimension(name=name, kind="choice", values=tuple(value))
    raise InvalidInput(f"vary {name!r} = {value!r} is not allowed: give (low, high), a list of values or a Dimension")


def _ranged(name: str, now: Any, low: float, high: float, **more: Any) -> Dimension:
    whole = isinstance(now, int) and not isinstance(now, bool)
    if isinstance(now, str | bool | tuple):
        more_of = f", or a range of one of its numbers, as in {name}.0" if isinstance(now, tuple) else ""
        raise InvalidInput(f"vary {name} has no range, as it is {now!r}: give values, as in {name}=A|B{more_of}")
    if whole:
        ends = f"{low:g}..{high:g}"
        ok = math.isfinite(low) and math.isfinite(high) and low == int(low) and high == int(high)
        require(ok, name, ends, "two integers LOW..HIGH")
    return Dimension(name=name, kind="int" if whole else "float", low=low, high=high, **more)


def value_of(foot: Foot, name: str) -> Any:
    """What a field is now, or one number of a field with several: `heel_half_size.1`.

    Raises:
        InvalidInput: If there is no such field.
    """
    rows = {row.name: row.value for row in field_rows(foot)}
    if name == SCALE:
        return 1.0
    whole, _, place = name.rpartition(".")
    if isinstance(several := rows.get(whole), tuple):
        ok = place.isdecimal() and int(place) < len(several)
        require(ok, f"vary {whole}", place, f"a place from 0 to {len(several) - 1}, as in {whole}.0")
        return several[int(place)]
    if name not in rows:
        near = difflib.get_close_matches(name, rows, n=3)
        hint = f"; did you mean {' or '.join(near)}?" if near else ""
        raise InvalidInput(f"vary {name!r}: {foot.name} has no such field{hint}; `plantar feet show {foot.name}`")
    return rows[name]


def _whole_range(foot: Foot, name: str, now: Any) -> Dimension:
    """The range of a field from what can be built."""
    if isinstance(now, bool):
        return Dimension(name=name, kind="choice", values=(True, False))
    if not isinstance(now, int | float) or now == 0:
        raise InvalidInput(f"vary {name} needs a range, as it is {now!r}: give {name}=LOW..HIGH or {name}=A|B")
    ends = [_last_built(foot, name, now, now * factor) for factor in (1 / FACTOR, FACTOR)]
    low, high = sorted(ends)
    return _ranged(name, now, float(low), float(high))


def _last_built(foot: Foot, name: str, good: float, wanted: float) -> float:
    """The value nearest to `wanted` that can be built, found by bisection from one that can."""
    whole = isinstance(good, int)
    good, bad = float(good), float(round(wanted) if whole else wanted)

    def built(value: float) -> bool:
        try:
            foot.with_(**{name: round(value) if whole else value})
        except InvalidInput:
            return False
        return True

    if built(bad):
        return bad
    while abs(bad - good) > (1 if whole else 1e-3 * abs(good)):
        middle = (good + bad) / 2
        middle = float(round(middle)) if whole else middle
        good, bad = (middle, bad) if built(middle) else (good, middle)
    return good


def _literal(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text.strip()


def _require_feet(space: Space, tries: int = 64) -> None:
    """Raise unless one of some feet drawn by chance, or the one in the middle, can be built."""
    middle = space.at([0.5] * len(space.dimensions))
    why = space.why_not(middle)
    rng = np.random.default_rng(0)
    if why is not None and all(space.why_not(space.draw(rng)) is not None for _ in range(tries)):
        raise InvalidInput(f"no foot in these ranges can be built ({why}): give other ranges")
    for dimension in space.dimensions:  # a value of the wrong kind is a mistake, not a foot that cannot be built
        if dimension.kind == "choice" and all(space.why_not({dimension.name: v}) for v in dimension.values):
            why = space.why_not({dimension.name: dimension.values[0]})
            raise InvalidInput(f"vary {dimension.text()}: none of these values can be built ({why})")
