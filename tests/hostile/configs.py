"""Every configuration class of Plantar, found by looking, with hostile values for each of its fields."""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import pkgutil
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import numpy as np

import plantar
from plantar._checks import shown
from plantar._config import Checked
from plantar.errors import InvalidInput

from .examples import EXAMPLES
from .odd import odd_values

NOT_FINITE = (float("nan"), float("inf"), -float("inf"), np.float64("nan"), np.float32("inf"))
TOO_LARGE = (1e300, -1e300, 10**400, np.float64(1e200))
NO_NUMBERS = (
    "1",
    "",
    "nan",
    b"1",
    1j,
    [1.0, 2.0],
    (),
    {},
    {"a": 1},
    object(),
    np.array([1.0, 2.0]),
    Decimal("NaN"),
    len,
)
EDGES = (0, -1, 1, 0.0, -0.0, -1e-9, 1e-300, 1e15, -1e15, 2**31, 2**53, np.int8(1), np.float64(0.5))
TEXTS = ("", " ", "../../evil", "/etc/passwd", "x" * 10_000, "a\0b", "\n", "Füße", "足", "\u202e", "%s{}$(id)", "nan")


def modules() -> Iterator[Any]:
    """Every module of Plantar that can be imported here."""
    for found in pkgutil.walk_packages(plantar.__path__, "plantar."):
        if found.name != "plantar.__main__":
            try:
                yield importlib.import_module(found.name)
            except ImportError:  # an extra that is not installed
                continue


def classes() -> list[type]:
    """Every frozen dataclass of Plantar."""
    found = {}
    for module in modules():
        for cls in vars(module).values():
            if inspect.isclass(cls) and dataclasses.is_dataclass(cls) and cls.__module__ == module.__name__:
                found[f"{cls.__module__}.{cls.__qualname__}"] = cls
    return [cls for _, cls in sorted(found.items()) if cls.__dataclass_params__.frozen]  # type: ignore[attr-defined]


def configurations() -> list[type]:
    """Every class whose fields are checked, and that can be made."""
    return [cls for cls in classes() if issubclass(cls, Checked) and not inspect.isabstract(cls)]


def example(cls: type) -> Any:
    """A good one: as its defaults say, or as `EXAMPLES` does for classes that have none."""
    named = [f"{cls.__module__.removeprefix('plantar.')}.{cls.__name__}", cls.__name__]
    made = next((EXAMPLES[name] for name in named if name in EXAMPLES), dict)
    return cls(**made())


def hostile_values(value: Any) -> Iterator[tuple[Any, bool]]:
    """Values to put in the place of a good one, and whether each must be refused."""
    if dataclasses.is_dataclass(value):
        yield from ((bad, not _fits_elsewhere(bad)) for bad in (1.0, "x", (), object(), {}))
    elif isinstance(value, bool):
        yield from ((bad, True) for bad in ("yes", 1, 0.5, None, [], float("nan")))
    elif isinstance(value, float | int | np.number):
        endless = isinstance(value, float) and np.isinf(value)  # where there is no limit
        yield from ((bad, not endless or np.isnan(bad)) for bad in NOT_FINITE)
        yield from ((bad, not _fits_elsewhere(bad)) for bad in (*TOO_LARGE, *NO_NUMBERS, True))
        yield from ((edge, False) for edge in EDGES)
    elif isinstance(value, str):
        yield from ((bad, True) for bad in (1, 1.5, None, b"x", ["x"], object()) if bad is not None)
        yield from ((text, False) for text in TEXTS)
    elif isinstance(value, np.ndarray):
        yield from ((bad, True) for bad in ("x", None, object(), 1j * np.ones(3), np.array(["a"]), {}))
        if value.size and value.dtype.kind == "f":
            infinite = value.copy()
            infinite.flat[0] = np.inf
            yield infinite, True
    elif isinstance(value, tuple | list):
        yield from ((bad, True) for bad in (object(), {"a": 1}, 1 + 2j))
        yield type(value)(), False
        for i, item in enumerate(value[:4]):
            for bad, refused in hostile_values(item):
                yield type(value)([*value[:i], bad, *value[i + 1 :]]), refused and not _fits_elsewhere(bad)
    elif value is None:
        yield from ((bad, True) for bad in (float("nan"), object(), {1: 2}, 1j))
    else:
        yield from ((bad, True) for bad in (1.0, object()))


def _fits_elsewhere(value: Any) -> bool:
    """Whether a field may take other kinds too, as a name for an obstacle or a list for a number."""
    return isinstance(value, str | list | tuple | np.ndarray)


def cases(cls: type) -> Iterator[tuple[str, Any, bool]]:
    """Fields of a configuration, each with a hostile value and whether that must be refused."""
    good = example(cls)
    for field in dataclasses.fields(cls):
        if field.init:
            for bad, refused in hostile_values(getattr(good, field.name)):
                yield field.name, bad, refused
            open_ = str(field.type) in ("Any", "object") or "Any" in str(field.type)
            for _, bad, refused in odd_values():
                yield field.name, bad, refused and not open_


def attempt(cls: type, field: str, bad: Any, refused: bool) -> str:
    """What is wrong with how the class takes a hostile value; empty if nothing is."""
    good = example(cls)
    given = {f.name: getattr(good, f.name) for f in dataclasses.fields(cls) if f.init} | {field: bad}
    where = f"{cls.__module__}.{cls.__name__}({field}={shown(bad)[:60]})"
    try:
        cls(**given)
    except InvalidInput as error:
        text = str(error)
        if "\n" in text or len(text) > 700:
            return f"{where}: the message is {len(text)} letters in {text.count(chr(10)) + 1} lines"
        return ""
    except Exception as error:
        return f"{where}: {type(error).__name__}: {str(error)[:100]}"
    return f"{where}: is accepted" if refused else ""
