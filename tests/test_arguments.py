"""Arguments of another kind are refused by name at the door of every public function."""

from __future__ import annotations

import contextlib
import importlib
import inspect
import io
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from plantar._arguments import checks_arguments
from plantar._kinds import check_of
from plantar.errors import InvalidInput, MissingExtra

ROOMS = (
    "feet",
    "robots",
    "ground",
    "bench",
    "soft",
    "gait",
    "walk",
    "foothold",
    "sweep",
    "show",
    "design",
    "learn",
    "identify",
)
WRONG = (None, -1, [], {}, object(), b"x")
"""None of them is what any function needs for all that it needs."""


def functions() -> Iterator[tuple[str, Callable[..., Any]]]:
    """Every public function that needs an argument, by its name."""
    for room in ROOMS:
        module = importlib.import_module(f"plantar.{room}")
        for name in dir(module):
            found = getattr(module, name)
            public = inspect.isfunction(found) and found.__module__.startswith("plantar.") and name[0] != "_"
            if public and name != "require_extra" and any(p.default is p.empty for p in _named(found)):
                yield f"{room}.{name}", found


def _named(function: Callable[..., Any]) -> list[inspect.Parameter]:
    taken = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return [one for one in inspect.signature(function).parameters.values() if one.kind not in taken]


def given(function: Callable[..., Any], value: Any) -> str:
    """What a function makes of one value in every place that must be given; empty if it takes or refuses it well."""
    wanted = [one for one in _named(function) if one.default is one.empty]
    args = [value for one in wanted if one.kind != one.KEYWORD_ONLY]
    options = {one.name: value for one in wanted if one.kind == one.KEYWORD_ONLY}
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            function(*args, **options)
    except (InvalidInput, MissingExtra) as error:
        return "" if "\n" not in str(error) else "more than a line"
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return ""


@pytest.mark.parametrize(
    ("name", "function"), list(functions()), ids=lambda value: value if isinstance(value, str) else ""
)
def test_wrong_kinds_are_refused(
    name: str, function: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert {repr(value)[:20]: wrong for value in WRONG if (wrong := given(function, value))} == {}
    assert list(tmp_path.iterdir()) == []


@checks_arguments
def toy(path: str | Path, size: float = 1.0, count: int | None = None, *, names: tuple[str, ...] = ()) -> str:
    """A function that says what it was given."""
    return f"{path} {size} {count} {names}"


def test_what_fits_passes_and_is_not_changed() -> None:
    assert toy(Path("a"), np.float32(2.0), count=np.int64(3), names=["x"]) == "a 2.0 3 ['x']"  # type: ignore[arg-type]
    assert toy("a", 2) == "a 2 None ()"


@pytest.mark.parametrize(
    ("args", "options", "said"),
    [
        ((5,), {}, "path = 5 is not allowed: give a string or a path"),
        (("a", "1"), {}, "size = '1' is not allowed: give a number"),
        (("a", float("nan")), {}, "size = nan is not allowed: give a number"),
        (("a", True), {}, "size = True is not allowed: give a number"),
        (("a",), {"count": 1.5}, "count = 1.5 is not allowed: give an integer or None"),
        (("a",), {"names": "ab"}, "names = 'ab' is not allowed: give a list"),
    ],
)
def test_what_does_not_fit_is_named(args: tuple[Any, ...], options: dict[str, Any], said: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        toy(*args, **options)
    assert str(caught.value) == said


def test_a_call_that_no_signature_fits_stays_a_type_error() -> None:
    with pytest.raises(TypeError, match="missing"):
        toy()  # type: ignore[call-arg]


def test_lists_of_names_may_stand_beside_arrays_of_numbers() -> None:
    """A list of numbers is an array too, a list of names is not: `fixed: [base]` of a scene was refused."""
    region = str | Sequence[int] | np.ndarray
    check = check_of(region | Sequence[region])
    for good in ("base", ["base", "tip"], [1, 2], [[1, 2], "tip"], np.array([1, 2])):
        check(good, "fixed")
    with pytest.raises(InvalidInput, match="fixed"):
        check([None], "fixed")
