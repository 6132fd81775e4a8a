"""Changing a field of a frozen description, or a field of one of its parts."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any, TypeVar

from plantar._records import from_record, to_record
from plantar.errors import InvalidInput

T = TypeVar("T")


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
