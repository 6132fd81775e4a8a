"""Feet by name, and feet in files."""

from __future__ import annotations

import difflib
import importlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from plantar._extras import EXTRAS
from plantar._files import to_json, write_text
from plantar.errors import InvalidInput
from plantar.feet.ball import BallFoot
from plantar.feet.flat import FlatFoot
from plantar.feet.foot import Foot
from plantar.feet.softfoot.softfoot import SoftFoot
from plantar.feet.softfoot_q.softfoot_q import SoftFootQ

F = TypeVar("F", bound=Foot)

_CLASSES: dict[str, type[Foot]] = {cls.name: cls for cls in (SoftFoot, SoftFootQ, FlatFoot, BallFoot)}
_PRESETS: dict[str, Callable[[], Foot]] = {
    "softfoot_published": SoftFoot.published,
    "softfoot_q_three": SoftFootQ.three_chains,
}
_ELSEWHERE = {"solid": ("plantar.soft.solid_foot", "soft")}
"""Feet of other rooms: the module that registers each when it is imported, and the extra it needs."""


def names() -> tuple[str, ...]:
    """Names that `get` knows, in alphabetical order; those whose extra is not installed are left out."""
    there = {name for name, (_, extra) in _ELSEWHERE.items() if not EXTRAS[extra].missing}
    return tuple(sorted({*_CLASSES, *_PRESETS, *there}))


def summary(name: str) -> str:
    """One line on what a foot is."""
    return (_maker(name).__doc__ or "").split("\n")[0]


def register(cls: type[F]) -> type[F]:
    """Make a class of feet known by its `name`; usable as a decorator."""
    _CLASSES[cls.name] = cls
    return cls


def get(name: str, **fields: object) -> Foot:
    """A foot by its name, with some fields changed.

    Args:
        name: One of `names()`.
        **fields: Fields and their values; `band__hardness=70` reaches into a part.

    Raises:
        InvalidInput: If there is no such foot or field, or a value is not allowed.
    """
    foot = _maker(name)()
    return foot.with_(**fields) if fields else foot


def save(foot: Foot, path: str | Path, *, overwrite: bool = False) -> Path:
    """Write a foot's description as JSON, SI units, every number exact.

    Raises:
        InvalidInput: If the file exists and `overwrite` is off, or cannot be written.
    """
    path = Path(path)
    if path.exists() and not overwrite:
        raise InvalidInput(f"{path} exists: give another name, or overwrite=True to replace it")
    try:
        return write_text(path, to_json(foot, indent=2) + "\n")
    except OSError as error:
        raise InvalidInput(f"{path} cannot be written ({error.strerror}): give a file in a writable folder") from error


def load(path: str | Path) -> Foot:
    """Read a foot from a file that `save` or `export` wrote; it is data, no code in it is run.

    Raises:
        InvalidInput: If the file cannot be read, is not such a file, or holds a value not allowed.
    """
    path = Path(path)
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or "it is not text"
        raise InvalidInput(f"{path} cannot be read ({why}): give a foot's .json file") from error
    except json.JSONDecodeError as error:
        raise InvalidInput(
            f"{path} is not JSON (line {error.lineno}: {error.msg}): give a foot's .json file"
        ) from error
    if not isinstance(record, dict) or "foot" not in record:
        raise InvalidInput(f'{path} describes no foot: give a JSON object with a field "foot", as feet.save writes it')
    try:
        return _maker(record["foot"], _CLASSES).from_dict(record)  # type: ignore[attr-defined]
    except InvalidInput as error:
        raise InvalidInput(f"{path}: {error}") from error


def _maker(name: object, known: dict[str, type[Foot]] | None = None) -> Callable[[], Foot]:
    if isinstance(name, str) and name in _ELSEWHERE and name not in _CLASSES:
        importlib.import_module(_ELSEWHERE[name][0])
    makers = {**_CLASSES, **_PRESETS} if known is None else known
    if isinstance(name, str) and name in makers:
        return makers[name]
    close = difflib.get_close_matches(str(name), makers, n=1)
    hint = f"; did you mean {close[0]!r}?" if close else ""
    raise InvalidInput(f"unknown foot {name!r}: known are {', '.join(sorted(makers))}{hint}")
