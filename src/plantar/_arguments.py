"""Arguments of functions that users call: what is of another kind is refused by name, not deep inside.

Only kinds are looked at: a path, a text, a number, an object of a class, a list. Sizes and ranges are the function's
own, and so is what its annotations leave open.
"""

from __future__ import annotations

import collections.abc
import functools
import inspect
import math
import numbers
import os
import types
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Literal, ParamSpec, TypeVar, Union, get_args, get_origin

import numpy as np
from numpy.typing import ArrayLike

from plantar._checks import require

Parameters = ParamSpec("Parameters")
Returned = TypeVar("Returned")
Kind = tuple[Callable[[Any], bool], str]
"""Whether a value may be one, and what to call it."""
MANY = (collections.abc.Sequence, collections.abc.Iterable, collections.abc.Collection, list, tuple, set)
TABLES = (collections.abc.Mapping, dict)
REST = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


def checks_arguments(function: Callable[Parameters, Returned]) -> Callable[Parameters, Returned]:
    """Let a function raise `InvalidInput` for arguments whose kind does not fit their annotation."""
    parts: list[Any] = []

    @functools.wraps(function)
    def checked(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Returned:
        if not parts:  # annotations may name what is defined further down
            signature = inspect.signature(function)
            parts[:] = [signature, _kinds_of(function, signature)]
        signature, kinds = parts
        for name, value in signature.bind(*args, **kwargs).arguments.items():
            if name in kinds and not any(fits(value) for fits, _ in kinds[name]):
                require(False, name, value, " or ".join(dict.fromkeys(called for _, called in kinds[name])))
        return function(*args, **kwargs)

    return checked


def _kinds_of(function: Callable[..., Any], signature: inspect.Signature) -> dict[str, list[Kind]]:
    named = {name: one.annotation for name, one in signature.parameters.items() if one.kind not in REST}
    found = {name: _written(hint, function.__globals__) for name, hint in named.items()}
    return {name: kinds for name, kinds in found.items() if kinds is not None}


def _written(hint: Any, names: dict[str, Any]) -> list[Kind] | None:
    """What an annotation allows as it stands in a file, with the names that are known there."""
    if not isinstance(hint, str):
        return None if hint is inspect.Parameter.empty else _kinds(hint)
    try:
        return _kinds(eval(hint, names))  # noqa: S307  (a line of Plantar's own)
    except NameError:  # a name for type checkers alone, as its module imports this one
        by_name: Kind = (lambda value: hint in {kind.__name__ for kind in type(value).__mro__}, _named(hint))
        return [by_name] if hint.isidentifier() else None


def _kinds(hint: Any) -> list[Kind] | None:
    """What an annotation allows, or None if that is not known."""
    origin = get_origin(hint)
    if hint == ArrayLike:
        return [(_is_array, "an array of numbers")]
    if origin is Annotated:
        return _kinds(get_args(hint)[0])
    if origin in (Union, types.UnionType):
        options = [_kinds(option) for option in get_args(hint)]
        return None if None in options else [kind for option in options if option for kind in option]
    if origin is Literal:
        return [(lambda value: isinstance(value, str | int | None), "one of " + ", ".join(map(repr, get_args(hint))))]
    kind = _container(origin or hint) or SCALARS.get(hint) or _instance(hint)
    return None if kind is None else [kind]


def _container(hint: Any) -> Kind | None:
    if hint in MANY:
        return _is_many, "a list"
    if hint in TABLES:
        return lambda value: isinstance(value, collections.abc.Mapping), "a table of names and values"
    return (callable, "a function") if hint is collections.abc.Callable else None


def _instance(hint: Any) -> Kind | None:
    if not isinstance(hint, type) or getattr(hint, "_is_protocol", False) or hint in (object, Any):
        return None
    return lambda value: isinstance(value, hint), _named(hint.__name__)


def _named(kind: str) -> str:
    return f"{'an' if kind.startswith(('A', 'E', 'I', 'O', 'Mj')) else 'a'} {kind}"


def _is_many(value: Any) -> bool:
    return isinstance(value, collections.abc.Iterable) and not isinstance(value, str | bytes | collections.abc.Mapping)


def _is_array(value: Any) -> bool:
    try:
        found = value if isinstance(value, np.ndarray) else np.asarray(value, float)
    except (TypeError, ValueError, OverflowError):
        return False
    return value is not None and found.dtype.kind in "biuf"


def _is_number(value: Any) -> bool:
    real = isinstance(value, numbers.Real) and not isinstance(value, bool | np.bool_)
    return isinstance(value, np.ndarray) or (real and not (isinstance(value, float) and math.isnan(value)))


def _is_whole(value: Any) -> bool:
    return isinstance(value, numbers.Integral) and not isinstance(value, bool | np.bool_)


SCALARS: dict[Any, Kind] = {
    float: (_is_number, "a number"),
    int: (_is_whole, "an integer"),
    bool: (lambda value: isinstance(value, bool | np.bool_), "True or False"),
    str: (lambda value: isinstance(value, str), "a string"),
    Path: (lambda value: isinstance(value, str | os.PathLike), "a path"),
    np.ndarray: (lambda value: isinstance(value, np.ndarray) or _is_many(value), "an array"),
    type(None): (lambda value: value is None, "None"),
}
