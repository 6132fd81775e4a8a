"""Frozen dataclasses to plain data and back, without running any code from the data."""

from __future__ import annotations

import dataclasses
import types
from collections.abc import Mapping
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

from plantar._checks import require
from plantar.errors import InvalidInput

T = TypeVar("T")


def to_record(config: Any) -> dict[str, Any]:
    """A dataclass as nested dicts, lists and numbers, ready for JSON."""
    return {f.name: _plain(getattr(config, f.name)) for f in dataclasses.fields(config)}


def from_record(cls: type[T], record: dict[str, Any], where: str = "") -> T:
    """Rebuild dataclass `cls` from plain data.

    Raises:
        InvalidInput: If a field is unknown or of the wrong kind; the message lists what exists.
    """
    require(isinstance(record, dict), where or cls.__name__, record, "a table of fields")
    known = {f.name for f in dataclasses.fields(cls)}  # type: ignore[arg-type]
    unknown = sorted(set(record) - known)
    if unknown:
        raise InvalidInput(
            f"unknown field {where}{unknown[0]!r} of {cls.__name__}: known fields are {', '.join(sorted(known))}"
        )
    hints = get_type_hints(cls)
    values = {k: _typed(hints[k], v, f"{where}{k}") for k, v in record.items()}
    try:
        return cls(**values)
    except InvalidInput as error:
        # a part knows what it is, not where: `part.mass` is `parts.heel.mass` here
        own, text = f"{cls.__name__.lower()}.", str(error)
        if not where or where == own or not text.startswith(own):
            raise
        raise InvalidInput(where + text.removeprefix(own)) from error


def _plain(value: Any) -> Any:
    if dataclasses.is_dataclass(value):
        return to_record(value)
    if isinstance(value, (tuple, list)):
        return [_plain(v) for v in value]
    return value


def _typed(hint: Any, value: Any, where: str) -> Any:
    """`value` converted to `hint`: the few kinds that configs are made of."""
    if get_origin(hint) in (Union, types.UnionType):
        if value is None:
            return None
        return _typed(next(a for a in get_args(hint) if a is not type(None)), value, where)
    if dataclasses.is_dataclass(hint):
        return from_record(hint, value, f"{where}.")  # type: ignore[arg-type]
    if get_origin(hint) is tuple:
        require(isinstance(value, (list, tuple)), where, value, "a list")
        args = get_args(hint)
        inner = args if Ellipsis not in args else (args[0],) * len(value)
        require(len(inner) == len(value), where, value, f"a list of {len(inner)}")
        return tuple(_typed(h, v, where) for h, v in zip(inner, value, strict=True))
    if hint is float:
        require(isinstance(value, (int, float)) and not isinstance(value, bool), where, value, "a number")
        return float(value)
    if hint is int:
        require(isinstance(value, int) and not isinstance(value, bool), where, value, "a whole number")
    if hint is bool:
        require(isinstance(value, bool), where, value, "true or false")
    if hint is str:
        require(isinstance(value, str), where, value, "a text")
    return value


def edited(config: T, changes: Mapping[str, object]) -> T:
    """A copy of `config` with `changes`; names use `.` or `__` to reach into a part."""
    record = to_record(config)
    for path, value in changes.items():
        *outer, last = path.replace("__", ".").split(".")
        table: Any = record
        for name in outer:
            table = _enter(table, name, path)[name]
        _enter(table, last, path)[last] = to_record(value) if dataclasses.is_dataclass(value) else value
    return from_record(type(config), record)


def _enter(table: Any, name: str, path: str) -> dict[str, Any]:
    if not isinstance(table, dict) or name not in table:
        fields = ", ".join(table) if isinstance(table, dict) else "none"
        raise InvalidInput(f"unknown field {path!r}: the fields here are {fields}")
    return table
