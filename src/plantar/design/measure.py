"""A registry of measures of a foot, with unit, direction and cost, for goals and limits alike."""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from plantar._arguments import checks_arguments
from plantar._checks import require, require_choice
from plantar.errors import InvalidInput

if TYPE_CHECKING:
    from plantar.design.subject import Subject

Level = Literal["model", "press", "walk"]
LEVELS: tuple[Level, ...] = ("model", "press", "walk")
"""What a measure costs: read from the compiled model (milliseconds), presses (tenths of seconds), walks (seconds)."""
Better = Literal["min", "max"]


@dataclass(frozen=True, kw_only=True)
class Measure:
    """A measurable quantity of a foot."""

    name: str
    """Its name."""
    summary: str
    """One-line description."""
    unit: str
    """Unit; empty for a fraction or a count."""
    better: Better
    """Which way is better unless a goal says otherwise."""
    level: Level
    """What it costs."""
    value: Callable[..., Any]
    """Takes a `Subject` and the options, and returns the number."""
    vector: bool = False
    """Whether it returns several numbers, whose root mean square is the measure; a search learns from each of them."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """Options and their defaults; None where one must be given."""


MEASURES: dict[str, Measure] = {}
"""Measures by name; `register` adds to them."""


@checks_arguments
def register(measure: Measure) -> Measure:
    """Register a measure by name, for searches and the command line."""
    require_choice("level", measure.level, LEVELS)
    MEASURES[measure.name] = measure
    return measure


def measure(
    name: str, unit: str, better: Better, level: Level, vector: bool = False, /, **options: Any
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register the function below as a measure; the first line of its docstring is the summary."""

    def add(function: Callable[..., Any]) -> Callable[..., Any]:
        summary = (function.__doc__ or "").split("\n")[0]
        about: dict[str, Any] = {"name": name, "summary": summary, "unit": unit, "better": better, "level": level}
        register(Measure(**about, value=function, vector=vector, options=options))
        return function

    return add


def find(name: str) -> Measure:
    """A measure by its name.

    Raises:
        InvalidInput: If there is none; the message lists those that exist.
    """
    if name not in MEASURES:
        near = difflib.get_close_matches(name, MEASURES, n=1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        raise InvalidInput(f"measure {name!r} is not known: choose one of {', '.join(MEASURES)}{hint}")
    return MEASURES[name]


@dataclass(frozen=True, kw_only=True)
class Asked:
    """A measure with its options, as used in a goal or a limit."""

    label: str
    """Name of the column: the text without the direction."""
    measure: Measure
    """What is measured."""
    options: Mapping[str, Any]
    """Its options."""

    @property
    def parts(self) -> str | None:
        """Name of the column with the numbers that the measure is the root mean square of, if it is one."""
        return f"{self.label}.parts" if self.measure.vector else None

    def of(self, subject: Subject) -> float:
        """The number for one foot."""
        return self.all_of(subject)[0]

    def all_of(self, subject: Subject) -> tuple[float, list[float]]:
        """The number for one foot, and those it is the root mean square of."""
        value = self.measure.value(subject, **self.options)
        if not self.measure.vector:
            return float(value), []
        return math.sqrt(sum(v * v for v in value) / len(value)), [float(v) for v in value]


@dataclass(frozen=True, kw_only=True)
class Goal:
    """Something to minimise or maximise."""

    asked: Asked
    """What."""
    better: Better
    """Which way."""

    @property
    def label(self) -> str:
        """Name of the column."""
        return self.asked.label

    @property
    def sign(self) -> float:
        """1 if less is better, -1 if more is."""
        return 1.0 if self.better == "min" else -1.0

    def text(self) -> str:
        """The goal as `parse_goal` reads it."""
        return f"{self.better}:{self.label}"


@dataclass(frozen=True, kw_only=True)
class Limit:
    """A bound that must not be exceeded."""

    asked: Asked
    """What."""
    most: bool
    """True if the bound is the largest value allowed, False if it is the least."""
    bound: float
    """The bound, in the unit of the measure."""

    def excess(self, value: float) -> float:
        """How far a value is beyond the bound, as a fraction of it; 0 or less if it is met."""
        beyond = value - self.bound if self.most else self.bound - value
        return beyond / max(abs(self.bound), 1e-12)

    def text(self) -> str:
        """The limit as `parse_limit` reads it."""
        return f"{self.asked.label}{'<=' if self.most else '>='}{self.bound:g}"


def parse_goal(text: str) -> Goal:
    """A goal from `NAME[:OPTION=VALUE]...`, with `min:` or `max:` before it to set the direction.

    Raises:
        InvalidInput: If there is no such measure or option.
    """
    first, _, rest = text.strip().partition(":")
    better = first if first in ("min", "max") else None
    asked = parse_asked(rest if better else text)
    return Goal(asked=asked, better=better or asked.measure.better)  # type: ignore[arg-type]


_LIMIT = re.compile(r"^\s*(.+?)\s*(<=|>=)\s*([^<>=]+)$")


def parse_limit(text: str) -> Limit:
    """A limit from `NAME[:OPTION=VALUE]...<=NUMBER` or `>=`.

    Raises:
        InvalidInput: If it is not of that form, or there is no such measure.
    """
    found = _LIMIT.match(text)
    try:
        bound = float(found[3]) if found else float("nan")
    except ValueError:
        bound = float("nan")
    if found is None or not abs(bound) < float("inf"):
        raise InvalidInput(f"limit {text!r} is not allowed: give NAME<=NUMBER or NAME>=NUMBER, as in mass<=0.9")
    return Limit(asked=parse_asked(found[1]), most=found[2] == "<=", bound=bound)


def parse_asked(text: str) -> Asked:
    """A measure with options from `NAME[:OPTION=VALUE]...`."""
    name, *parts = text.strip().split(":")
    kind, given = find(name), {}
    for part in parts:
        option, equals, value = part.partition("=")
        if not equals or option not in kind.options:
            known = ", ".join(kind.options) or "none"
            raise InvalidInput(f"measure {text!r} is not allowed: the options of {name} are {known}")
        if option in given:
            raise InvalidInput(f"measure {text!r} is not allowed: {option} is set twice, give it once")
        given[option] = _option(f"{name}:{option}", value, kind.options[option])
    options = {**kind.options, **given}
    for option, value in options.items():
        require(value is not None, f"{name}:{option}", None, f"a value, as in {name}:{option}=VALUE")
    return Asked(label=":".join([name, *parts]), measure=kind, options=options)


def _option(name: str, text: str, default: Any) -> Any:
    """An option of the type of its default: a number, an integer or a string."""
    if not isinstance(default, int | float):
        return text
    try:
        value = int(text) if isinstance(default, int) else float(text)
    except ValueError:
        value = -1
    wanted = "an integer, 0 or more" if isinstance(default, int) else "a number, 0 or more"
    require(0 <= value < float("inf"), name, text, wanted)
    return value


def table() -> list[dict[str, Any]]:
    """What is known of every measure, one row each."""
    return [
        {
            "measure": m.name,
            "unit": m.unit,
            "better": m.better,
            "cost": m.level,
            "options": ", ".join(f"{k}={'?' if v is None else v}" for k, v in m.options.items()),
            "what": m.summary,
        }
        for m in MEASURES.values()
    ]


def levels_of(asked: Sequence[Asked]) -> set[Level]:
    """The costs that occur."""
    return {one.measure.level for one in asked}
