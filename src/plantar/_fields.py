"""Frozen dataclasses to plain data and back, without running any code from the data."""

from __future__ import annotations

import ast
import dataclasses
import inspect
import re
import textwrap
import types
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

from plantar._checks import require
from plantar.errors import InvalidInput

T = TypeVar("T")

SCALING = {
    "m": 1,
    "m^2": 2,
    "kg": 3,
    "kg m^2": 5,
    "N": 2,
    "N/m": 1,
    "N m": 3,
    "N m/rad": 3,
    "N m/rad^3": 3,
    "N m s/rad": 4,
    "N s/m": 2,
    "N/m^3": -1,
} | dict.fromkeys(("rad", "s", "Pa", "kg/m^3", "Shore A", "1/rad^2", "N s/m^3"), 0)
"""By which power of a length a quantity grows when a thing is built larger from the same materials."""
_UNIT = re.compile(r"\[([^\]]+)\]")
_WHOLE_UNIT = re.compile(r" ?\[([^\]]+)\](?=$|[.;,:])(?![^(]*\))")


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
        try:
            return float(value)
        except OverflowError:
            require(False, where, value, "a number of fewer digits")
    if hint is int:
        require(isinstance(value, int) and not isinstance(value, bool), where, value, "an integer")
    if hint is bool:
        require(isinstance(value, bool), where, value, "true or false")
    if hint is str:
        require(isinstance(value, str), where, value, "a text")
    return value


def edited(config: T, changes: Mapping[str, object]) -> T:
    """A copy of `config` with `changes`; names use `.` or `__` to reach into a part, as in `band.width` or `size.0`.

    Whole parts are changed before what is in them, whatever comes first.
    """
    record, paths = to_record(config), [path.replace("__", ".") for path in changes]
    if twice := [path for path in paths if paths.count(path) > 1]:
        raise InvalidInput(f"{twice[0]} is changed twice, with `.` and with `__`: give it once")
    pairs = zip(paths, changes.values(), strict=True)
    for path, value in sorted(pairs, key=lambda pair: pair[0].count(".")):
        *outer, last = path.split(".")
        table: Any = record
        for name in outer:
            table = table[_key(table, name, path)]
        table[_key(table, last, path)] = to_record(value) if dataclasses.is_dataclass(value) else value
    return from_record(type(config), record)


def _key(table: Any, name: str, path: str) -> str | int:
    """The name of a field of a table, or the place in a list."""
    if isinstance(table, list):
        if name.isdecimal() and int(name) < len(table):
            return int(name)
        raise InvalidInput(f"unknown field {path!r}: the numbers here are 0 to {len(table) - 1}")
    if not isinstance(table, dict) or name not in table:
        fields = ", ".join(table) if isinstance(table, dict) else "none"
        raise InvalidInput(f"unknown field {path!r}: the fields here are {fields}")
    return name


@lru_cache(maxsize=128)
def field_docs(cls: type) -> dict[str, str]:
    """The docstring under each field of a dataclass, read from its source."""
    docs: dict[str, str] = {}
    for base in reversed([c for c in cls.__mro__ if dataclasses.is_dataclass(c)]):
        try:
            definition = ast.parse(textwrap.dedent(inspect.getsource(base))).body[0]
        except OSError:  # a frozen application ships no source; the numbers are still right
            continue
        body = definition.body if isinstance(definition, ast.ClassDef) else []
        for field, doc in zip(body, body[1:], strict=False):
            text = isinstance(doc, ast.Expr) and isinstance(doc.value, ast.Constant) and doc.value.value
            if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name) and isinstance(text, str):
                docs[field.target.id] = " ".join(text.split())
    return docs


@dataclasses.dataclass(frozen=True)
class FieldRow:
    """One field of a description, parts included."""

    name: str
    """Path of the field, as in `band.hardness`."""
    value: Any
    doc: str
    """What it means, with its unit."""

    @property
    def unit(self) -> str:
        """The unit in its documentation; empty if there is none, or none that holds for the whole field."""
        found = _WHOLE_UNIT.search(self.doc)
        return found[1] if found and len(_UNIT.findall(self.doc)) == 1 else ""

    @property
    def meaning(self) -> str:
        """Its documentation without the unit."""
        return _WHOLE_UNIT.sub("", self.doc) if self.unit else self.doc


def field_rows(config: Any, prefix: str = "") -> list[FieldRow]:
    """Every field of a description, or of its class with the defaults; those of its parts come with a dotted name."""
    cls = config if isinstance(config, type) else type(config)
    docs, rows = field_docs(cls), []
    for f in dataclasses.fields(cls):
        value = default_of(f) if cls is config else getattr(config, f.name)
        if dataclasses.is_dataclass(value):
            rows += field_rows(value, f"{prefix}{f.name}.")
        else:
            rows.append(FieldRow(prefix + f.name, value, docs.get(f.name, "")))
    return rows


def default_of(field: dataclasses.Field[Any]) -> Any:
    """The value that a field comes with; `MISSING` if it must be given."""
    made = field.default_factory
    return field.default if made is dataclasses.MISSING else made()


def scaled(config: T, factor: object) -> T:
    """A copy of a description whose fields grow with a length by the powers of their units; see `SCALING`.

    Raises:
        InvalidInput: If the factor is not a number above 0, or a result is not allowed.
    """
    ok = isinstance(factor, (int, float)) and 0.05 <= factor <= 20  # False for nan
    require(ok, "scale", factor, "a number from 0.05 to 20")
    docs, values = field_docs(type(config)), {}
    for field in dataclasses.fields(config):  # type: ignore[arg-type]
        value, unit = getattr(config, field.name), _UNIT.search(docs.get(field.name, ""))
        power = SCALING.get(unit[1], 0) if unit else 0
        if dataclasses.is_dataclass(value):
            values[field.name] = scaled(value, factor)
        elif power:
            values[field.name] = _grown(value, float(factor) ** power)  # type: ignore[arg-type]
    return dataclasses.replace(config, **values)  # type: ignore[type-var]


def _grown(value: Any, by: float) -> Any:
    if isinstance(value, tuple):
        return tuple(_grown(item, by) for item in value)
    return value * by if isinstance(value, float | int) and not isinstance(value, bool) else value
