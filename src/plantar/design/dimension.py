"""One field that a search may change: its range or its values, and when it counts."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from plantar._checks import require, require_choice
from plantar._config import Checked
from plantar._files import plain

Kind = Literal["float", "int", "choice"]


@dataclass(frozen=True, kw_only=True)
class Dimension(Checked):
    """A field of a foot and the values it may have."""

    name: str
    """Path of the field, as in `band.hardness`; `scale` is the size of the whole foot."""
    kind: Kind = "float"
    """A number, an integer, or one of several values."""
    low: float = 0.0
    """Least value, in the unit of the field."""
    high: float = 0.0
    """Largest value."""
    log: bool = False
    """Whether the search looks at ratios of values instead of differences."""
    values: tuple[Any, ...] = ()
    """Values of a choice."""
    when: tuple[str, Any] | None = None
    """Another field and the value it must have for this one to apply; None: it always applies."""

    def __post_init__(self) -> None:
        """Check the range."""
        require(bool(self.name), "vary", self.name, "the name of a field")
        require_choice("kind", self.kind, ("float", "int", "choice"))
        if self.kind == "choice":
            distinct = len({repr(value) for value in self.values}) == len(self.values)
            require(
                len(self.values) > 1 and distinct, self.name, self.values, "two or more different values, as in a|b"
            )
            return
        ends = f"{self.low:g}..{self.high:g}"
        require(math.isfinite(self.low) and math.isfinite(self.high), self.name, ends, "two finite numbers LOW..HIGH")
        require(self.low < self.high, self.name, ends, "LOW below HIGH, as in 40..80")
        require(not self.log or self.low > 0, self.name, ends, "LOW above 0 for a range of ratios (log)")

    def counts(self, values: Mapping[str, Any]) -> bool:
        """Whether the field counts where others have these values."""
        return self.when is None or _same(values.get(self.when[0]), self.when[1])

    def has(self, value: Any) -> bool:
        """Whether it is one of the values, or in the range."""
        if self.kind == "choice":
            return any(_same(value, one) for one in self.values)
        number = isinstance(value, int | float) and not isinstance(value, bool)
        return number and self.low <= value <= self.high and (self.kind == "float" or value == int(value))

    def number_of(self, value: Any) -> int:
        """The number of one of the values of a choice."""
        return next(k for k, one in enumerate(self.values) if _same(value, one))

    def place(self, value: Any) -> float:
        """Where a value lies from 0 (`low`) to 1 (`high`); a choice lies at its number over the last one's."""
        if self.kind == "choice":
            return self.number_of(value) / (len(self.values) - 1)
        low, high, own = (math.log(v) if self.log else float(v) for v in (self.low, self.high, value))
        return (own - low) / (high - low)

    def at(self, place: float) -> Any:
        """The value at a place from 0 to 1; see `place`."""
        place = min(max(float(place), 0.0), 1.0)
        if self.kind == "choice":
            return self.values[round(place * (len(self.values) - 1))]
        low, high = (math.log(v) if self.log else float(v) for v in (self.low, self.high))
        value = low + place * (high - low)
        value = min(max(math.exp(value) if self.log else value, self.low), self.high)
        return round(value) if self.kind == "int" else value

    def draw(self, rng: np.random.Generator) -> Any:
        """A uniformly random value."""
        if self.kind == "int":
            return int(rng.integers(round(self.low), round(self.high) + 1))
        if self.kind == "choice":
            return self.values[int(rng.integers(len(self.values)))]
        return self.at(rng.uniform())

    def text(self) -> str:
        """The dimension as `parse` reads it."""
        body = "|".join(map(_text, self.values)) if self.kind == "choice" else f"{self.low!r}..{self.high!r}"
        when = f" if {self.when[0]}={_text(self.when[1])}" if self.when else ""
        return f"{self.name}={body}{':log' if self.log else ''}{when}"


def _same(one: Any, other: Any) -> bool:
    """Whether two values are the same in a file: a tuple is a list there, and true is not 1."""
    return plain(one) == plain(other) and isinstance(one, bool) == isinstance(other, bool)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)
