"""By what the function of a sweep is known: its name and what is in it, without its code."""

from __future__ import annotations

import contextlib
import dataclasses
import enum
import functools
import hashlib
import json
import math
import sys
import types
from collections.abc import Callable, Mapping
from pathlib import Path, PurePath
from typing import Any

LONGEST = 20_000
"""Longest text of an array; of a longer one, its hash is kept [characters]."""
_PLAIN = (str, int, float, bytes, enum.Enum, PurePath, type(None))
_FUNCTIONS = (types.FunctionType, types.BuiltinFunctionType, types.MethodType, functools.partial, type)


def describe(function: Any) -> Any:
    """What a function computes, as plain data that is the same in every process.

    A function is known by its name and, if it was made inside another, by the unchangeable values it captured; an
    object by its class and its fields, however deep they are.
    """
    return _described(function, ())


def _described(value: Any, inside: tuple[int, ...]) -> Any:
    """Any value as plain data; `inside` are the ids of what it is part of, as objects may hold each other."""
    if isinstance(value, _PLAIN):
        return _plain(value)
    if id(value) in inside:
        return "..."
    inside = (*inside, id(value))
    if isinstance(value, Mapping):
        return {str(key): _described(item, inside) for key, item in value.items()}
    if isinstance(value, list | tuple | range | set | frozenset):
        items = [_described(item, inside) for item in value]
        # the order of texts in a set differs between processes
        return sorted(items, key=json.dumps) if isinstance(value, set | frozenset) else items
    return _thing(value, inside)


def _thing(value: Any, inside: tuple[int, ...]) -> Any:
    """A function, an array or an object as plain data."""
    if isinstance(value, _FUNCTIONS) or hasattr(value, "__qualname__"):
        return _function(value, inside)
    if hasattr(value, "tolist"):
        listed = _described(value.tolist(), inside)
        text = json.dumps(listed)
        return listed if len(text) <= LONGEST else {"array": _hash(text.encode())}
    return {"class": _qualified(type(value)), "fields": _described(_fields(value), inside)}


def _plain(value: Any) -> Any:
    if isinstance(value, enum.Enum):
        return f"{_qualified(type(value))}.{value.name}"
    if isinstance(value, bytes):
        return {"bytes": _hash(value)}
    if isinstance(value, PurePath):
        return str(value)
    # JSON has neither NaN nor infinity, and they differ from each other and from nothing
    return {"float": repr(value)} if isinstance(value, float) and not math.isfinite(value) else value


def _function(function: Any, inside: tuple[int, ...]) -> Any:
    if isinstance(function, functools.partial):
        parts = {"partial": function.func, "args": function.args, "keywords": function.keywords}
        return {name: _described(part, inside) for name, part in parts.items()}
    name, owner = _qualified(function), getattr(function, "__self__", None)
    if owner is not None and not isinstance(owner, type | types.ModuleType):
        return {"method": name, "of": _described(owner, inside)}
    held = {key: _described(value, inside) for key, value in _captured(function).items() if _is_unchangeable(value)}
    return {"function": name, "captured": held} if held else name


def _captured(function: Any) -> dict[str, Any]:
    """Values that a function made inside another holds: what it closed over, and its defaults."""
    if not isinstance(function, types.FunctionType):
        return {}
    found: dict[str, Any] = {}
    for name, box in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        with contextlib.suppress(ValueError):  # not yet filled
            found[name] = box.cell_contents
    if "<" in function.__qualname__:  # defaults of others are part of their code
        names = function.__code__.co_varnames[: function.__code__.co_argcount]
        defaults = function.__defaults__ or ()
        found |= dict(zip(names[len(names) - len(defaults) :], defaults, strict=True))
        found |= function.__kwdefaults__ or {}
    return found


def _is_unchangeable(value: Any) -> bool:
    """Whether a value cannot be what a function notes things in, as lists and dicts can; arrays are data."""
    if isinstance(value, tuple | frozenset):
        return all(map(_is_unchangeable, value))
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return bool(value.__dataclass_params__.frozen)  # type: ignore[attr-defined]
    return isinstance(value, (*_PLAIN, *_FUNCTIONS)) or hasattr(value, "tolist")


def _fields(value: Any) -> Any:
    """What is in an object: its fields or attributes, or what else a copy of it would be made of."""
    if hasattr(value, "to_dict"):
        return value.to_dict()
    if dataclasses.is_dataclass(value):
        return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    try:
        made = value.__reduce_ex__(2)  # what copying and pickling take, without the code of the class
    except Exception:  # locks, open files and the like cannot be read, and hold nothing to know
        return None
    if isinstance(made, str):
        return made
    _, given, state, *more = (*made, None)
    given, items = [part for part in given if not isinstance(part, type)], [list(part) for part in more if part]
    return {"made of": given, "holds": items, "state": state} if given or items else state


def _qualified(thing: Callable[..., Any] | type) -> str:
    module = thing.__module__
    if module in ("__main__", "__mp_main__"):
        # a script is the same sweep whether it is run or imported
        module = Path(getattr(sys.modules["__main__"], "__file__", "") or "__main__").stem
    return f"{module}.{thing.__qualname__}"


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
