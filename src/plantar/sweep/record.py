"""Configs and results as flat records of plain cells: numbers, strings, and small lists of them."""

from __future__ import annotations

import dataclasses
import enum
import json
import math
from collections.abc import Callable, Collection, Iterable, Mapping
from pathlib import PurePath
from typing import Any

Cell = None | bool | int | float | str | list[Any]

LARGEST_LIST = 4096
"""A list with more numbers than this does not belong in a table."""
LARGEST_INT = 2**63 - 1
EXACT = frozenset({float, bool, type(None)})
"""Types whose values are cells as they are."""
JSON_KIND = "json"
"""Kind of a column whose cells have nothing in common; they are kept as JSON text."""


class NotPlain(ValueError):
    """A value that no table can hold; the message names it."""


def flatten(record: Any, prefix: str = "") -> dict[str, Cell]:
    """A mapping or dataclass as one level of cells; the names of nested ones are joined by dots.

    Raises:
        NotPlain: If a name is not a string, or a value is neither a number nor a string nor a small list.
    """
    flat: dict[str, Cell] = {}
    count = 0
    for key, value in record.items() if type(record) is dict else _fields(record):
        if type(key) is not str:
            raise NotPlain(f"the name {key!r} is not a string")
        kind = type(value)
        # most cells by far, so they come first
        if kind in EXACT or (kind is int and -LARGEST_INT <= value <= LARGEST_INT):
            flat[prefix + key] = value
            count += 1
        elif _is_record(value):
            inner = flatten(value, f"{prefix}{key}.")
            flat.update(inner)
            count += len(inner)
        else:
            flat[prefix + key] = cell(value, prefix + key)
            count += 1
        if len(flat) < count:
            raise NotPlain(f"the name {prefix + key!r}, or one in it, stands twice: nested names are joined by dots")
    return flat


def cell(value: Any, name: str) -> Cell:
    """One value as plain data.

    Raises:
        NotPlain: If it is neither a number nor a string nor a small list of them.
    """
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, enum.Enum):
        value = value.value
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, float):
        return float(value)
    if isinstance(value, int):
        if abs(value) > LARGEST_INT:
            raise NotPlain(f"{name} = {value} does not fit in 64 bits")
        return int(value)
    if isinstance(value, str | PurePath):
        # a lone surrogate, as in names of files that are not UTF-8, cannot be written
        return str(value).encode("utf-8", "replace").decode()
    if isinstance(value, list | tuple):
        return _list(value, name)
    raise NotPlain(f"{name} is a {type(value).__name__}: give numbers, strings or small lists of them")


def is_record(value: Any) -> bool:
    """Whether `value` has named fields."""
    return isinstance(value, dict) or _is_record(value)


def all_nan(cells: Collection[Cell]) -> bool:
    """Whether there are numbers and all of them are NaN."""
    for value in cells:
        if type(value) is int or (type(value) is float and not math.isnan(value)):
            return False  # most records by far
    seen = False
    for value in _numbers(cells):
        if not math.isnan(value):
            return False
        seen = True
    return seen


def same(one: Cell, other: Cell) -> bool:
    """Whether two cells are the same, sign and type included: True, 1 and 1.0 are not, and neither are 0.0 and -0.0."""
    if type(one) is not type(other) or one != other:
        return False
    return repr(one) == repr(other) if isinstance(one, list) or one == 0 else True


def kind_of(value: Cell) -> str:
    """The kind of a cell: `int`, `float`, `bool`, `str`, `[float]` for a list of such, and nothing for None."""
    if not isinstance(value, list):
        return "" if value is None else type(value).__name__
    inner = {kind_of(item) for item in value} - {""}
    return f"[{common_kind(inner) or ''}]"


def common_kind(kinds: set[str]) -> str | None:
    """The kind that holds them all: `float` for integers and fractions, a string if nothing else does."""
    if not kinds:
        return None
    if all(kind.startswith("[") for kind in kinds):
        inner = common_kind({kind[1:-1] for kind in kinds} - {""})
        return JSON_KIND if inner == JSON_KIND else f"[{inner or 'float'}]"
    if len(kinds) == 1:
        return next(iter(kinds))
    return "float" if kinds == {"int", "float"} else JSON_KIND


def converter(kind: str | None) -> Callable[[Cell], Cell] | None:
    """What turns a cell into `kind`, or None where cells are right as they are."""
    if kind == "float":
        return lambda value: None if value is None else float(value)  # type: ignore[arg-type]
    if kind == JSON_KIND:
        return lambda value: None if value is None else json.dumps(value)
    if kind is not None and kind.startswith("["):
        inner = converter(kind[1:-1])
        return None if inner is None else lambda value: None if value is None else [inner(v) for v in value]  # type: ignore[union-attr]
    return None


def _fields(record: Any) -> Iterable[tuple[Any, Any]]:
    if isinstance(record, Mapping):
        return record.items()
    if hasattr(record, "to_dict"):
        return record.to_dict().items()
    return [(f.name, getattr(record, f.name)) for f in dataclasses.fields(record)]


def _is_record(value: Any) -> bool:
    return isinstance(value, Mapping) or (dataclasses.is_dataclass(value) and not isinstance(value, type))


def _list(values: list[Any] | tuple[Any, ...], name: str) -> list[Any]:
    cells = [cell(value, name) for value in values]
    if sum(1 for _ in _numbers(cells)) > LARGEST_LIST:
        raise NotPlain(f"{name} holds more than {LARGEST_LIST} numbers: keep arrays in your own files")
    if set(map(type, cells)) == {int, float}:
        return [float(value) for value in cells]  # type: ignore[arg-type]
    return cells


def _numbers(cells: Iterable[Cell]) -> Iterable[int | float]:
    for value in cells:
        if isinstance(value, list):
            yield from _numbers(value)
        elif isinstance(value, int | float) and not isinstance(value, bool):
            yield value
