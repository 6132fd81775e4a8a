"""The trials to run, which need not be in memory, and a seed for each."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from numbers import Integral, Real
from typing import Any, TypeVar, overload

import numpy as np

from plantar._checks import require
from plantar.errors import InvalidInput

C_co = TypeVar("C_co", covariant=True)

SEED_BLOCK = 1024
"""Trials whose seeds are drawn together."""


class Trials(Sequence[C_co]):
    """Configs that are made on demand.

    Args:
        count: How many there are.
        make: Gives the config of a trial from its number, 0 to `count` - 1; always the same one for
            the same number.
    """

    def __init__(self, count: int, make: Callable[[int], C_co]):
        require(isinstance(count, int) and count > 0, "count", count, "an integer above 0")
        require(callable(make), "make", make, "a function from the number of a trial to its config")
        self._count, self._make = count, make

    def __len__(self) -> int:
        """Number of trials."""
        return self._count

    @overload
    def __getitem__(self, index: int) -> C_co: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[C_co]: ...
    def __getitem__(self, index: int | slice) -> C_co | Sequence[C_co]:
        """One config, or a list of some."""
        if isinstance(index, slice):
            return [self._make(i) for i in range(*index.indices(self._count))]
        if not -self._count <= index < self._count:
            raise IndexError(f"trial {index} of {self._count}")
        return self._make(index % self._count)

    def __iter__(self) -> Iterator[C_co]:
        """Make one config after the other."""
        return map(self._make, range(self._count))

    def __repr__(self) -> str:
        """How many there are."""
        return f"Trials({self._count})"


def grid(values: Mapping[str, Sequence[Any]] | None = None, /, **more: Sequence[Any]) -> Trials[dict[str, Any]]:
    """All combinations of values, the last name changing fastest.

    Args:
        values: Values of each name; a mapping lets names hold dots.
        **more: The same as keywords.
    """
    axes = {name: _values(name, column) for name, column in _axes("values", values, more).items()}
    sizes = [len(column) for column in axes.values()]

    def make(index: int) -> dict[str, Any]:
        where = np.unravel_index(index, sizes) if sizes else ()
        return {name: column[i] for (name, column), i in zip(axes.items(), where, strict=True)}

    return Trials(math.prod(sizes), make)


def sample(
    count: int, seed: int, ranges: Mapping[str, Sequence[Any]] | None = None, /, **more: Sequence[Any]
) -> Trials[dict[str, Any]]:
    """Random configs: a number drawn evenly from a `(low, high)` tuple, or one of a list of values.

    Args:
        count: How many.
        seed: The same seed draws the same configs, each independent of `count`.
        ranges: What to draw for each name; a mapping lets names hold dots.
        **more: The same as keywords.
    """
    require(isinstance(seed, Integral) and seed >= 0, "seed", seed, "an integer, 0 or more")
    axes = {
        name: _range(name, axis) if isinstance(axis, tuple) else _values(name, axis)
        for name, axis in _axes("ranges", ranges, more).items()
    }

    def make(index: int) -> dict[str, Any]:
        rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(index,)))
        return {name: _draw(rng, axis) for name, axis in axes.items()}

    return Trials(count, make)


def _axes(what: str, given: Mapping[str, Any] | None, more: Mapping[str, Any]) -> dict[str, Any]:
    require(given is None or isinstance(given, Mapping), what, given, "a mapping from names to values")
    return {**(given or {}), **more}


def _values(name: str, column: Any) -> list[Any]:
    """The values of an axis; a text is one value, and not its letters."""
    ok = isinstance(column, Iterable) and not isinstance(column, str | bytes | Mapping)
    require(ok, name, column, "a list of values, as in [12, 24]")
    found = list(column)
    require(len(found) > 0, name, column, "at least one value")
    return found


def _range(name: str, axis: tuple[Any, ...]) -> tuple[float, float]:
    numbers = len(axis) == 2 and all(isinstance(end, Real) and math.isfinite(end) for end in axis)
    require(numbers and axis[0] <= axis[1], name, axis, "a tuple (low, high) of finite numbers or a list of values")
    return axis[0], axis[1]


def trial_seed(seed: int, index: int) -> int:
    """Seed of one trial, below 2**63; it follows from the sweep's seed and the trial's number alone."""
    ok = isinstance(seed, Integral) and isinstance(index, Integral) and seed >= 0 and index >= 0
    require(ok, "seed, index", (seed, index), "integers, 0 or more")
    return _seeds(seed, index // SEED_BLOCK)[index % SEED_BLOCK]


@functools.lru_cache(maxsize=4)
def _seeds(seed: int, block: int) -> list[int]:
    # a block at a time: a SeedSequence for each trial would cost more than a tiny trial itself
    words = np.random.SeedSequence(seed, spawn_key=(block,)).generate_state(SEED_BLOCK, np.uint64)
    return (words >> np.uint64(1)).tolist()


def _draw(rng: np.random.Generator, axis: Sequence[Any]) -> Any:
    if isinstance(axis, tuple):
        return float(rng.uniform(*axis))
    return axis[int(rng.integers(len(axis)))]


def require_trials(trials: Any) -> None:
    """Raise unless `trials` can be counted and read more than once."""
    if not (hasattr(trials, "__len__") and hasattr(trials, "__getitem__")) or isinstance(trials, Mapping | str):
        raise InvalidInput(
            f"trials = {type(trials).__name__} is not allowed: a sweep reads its trials again when it resumes, "
            "so give a list, plantar.sweep.grid(...) or plantar.sweep.Trials(count, make)"
        )
    require(len(trials) > 0, "trials", "none", "at least one trial")
