"""Feet by name, and feet in files."""

from __future__ import annotations

import dataclasses
import difflib
import functools
import importlib
import logging
from collections.abc import Callable
from importlib import metadata
from pathlib import Path
from typing import TypeVar

from plantar._arguments import checks_arguments
from plantar._extras import EXTRAS, require_extra
from plantar._files import to_json, write_text
from plantar._read import parse_json, read_text, reading, reason
from plantar.errors import InvalidInput
from plantar.feet.ball import BallFoot
from plantar.feet.flat import FlatFoot
from plantar.feet.foot import Foot
from plantar.feet.softfoot.softfoot import SoftFoot
from plantar.feet.softfoot_q.softfoot_q import SoftFootQ

log = logging.getLogger("plantar")

F = TypeVar("F", bound=Foot)

GROUP = "plantar.feet"
"""Entry-point group through which an installed package registers its feet; see docs/feet.md."""


@dataclasses.dataclass(frozen=True)
class Entry:
    """What the registry knows about a foot without building it."""

    name: str
    summary: str
    """One-line description."""
    fidelities: tuple[str, ...]
    """Builds that differ."""
    package: str
    """Distribution that provides it."""


_CLASSES: dict[str, type[Foot]] = {cls.name: cls for cls in (SoftFoot, SoftFootQ, FlatFoot, BallFoot)}
_PACKAGES: dict[str, str] = {}
"""Packages of the feet registered by entry points."""
_PRESETS: dict[str, Callable[[], Foot]] = {
    "softfoot_published": SoftFoot.published,
    "softfoot_q_three": SoftFootQ.three_chains,
}
_ELSEWHERE = {
    "solid": (
        "plantar.soft.foot.solid",
        "soft",
        "A soft sole or a whole soft foot, from a few lengths or from a mesh.",
        ("full", "fast"),
    )
}
"""Feet of other rooms: the module that registers each when it is imported, the extra it needs, summary, fidelities."""


def names() -> tuple[str, ...]:
    """Names that `get` knows, in alphabetical order; those whose extra is not installed are left out."""
    _installed()
    there = {name for name, (_, extra, *_) in _ELSEWHERE.items() if not EXTRAS[extra].missing}
    return tuple(sorted({*_CLASSES, *_PRESETS, *there}))


def entries() -> tuple[Entry, ...]:
    """What every foot of `names()` is, without building one."""
    return tuple(_entry(name) for name in names())


def _entry(name: str) -> Entry:
    if name in _ELSEWHERE:
        return Entry(name, *_ELSEWHERE[name][2:], "plantar")
    maker = _maker(name)
    cls = maker if isinstance(maker, type) else maker.__self__  # type: ignore[attr-defined]  (a preset is a classmethod)
    return Entry(name, (maker.__doc__ or "").split("\n")[0], cls.fidelities, _PACKAGES.get(name, "plantar"))


def register(cls: type[F]) -> type[F]:
    """Register a class of feet under its `name`; usable as a decorator.

    Raises:
        InvalidInput: If it is not a class of feet, has no name, or another foot has that name.
    """
    if not (isinstance(cls, type) and issubclass(cls, Foot)):
        raise InvalidInput(f"{cls!r} is not a foot: give a subclass of plantar.feet.Foot")
    name = getattr(cls, "name", None)
    if not (isinstance(name, str) and name.replace("_", "").isalnum()):
        raise InvalidInput(f"{cls.__name__}.name = {name!r} is not allowed: give letters, digits and underscores")
    home = _ELSEWHERE.get(name, (cls.__module__,))[0]
    if name in _PRESETS or home != cls.__module__ or not _same(_CLASSES.get(name, cls), cls):
        raise InvalidInput(f"{cls.__name__}.name = {name!r} is taken by another foot: choose another name")
    _CLASSES[name] = cls
    return cls


def _same(old: type, new: type) -> bool:
    """Whether two classes are the same; reloading a module redefines its classes."""
    return old is new or (old.__module__, old.__qualname__) == (new.__module__, new.__qualname__)


def get(text: str | Path, **fields: object) -> Foot:
    """A foot by its name or from its file, with some fields changed.

    Args:
        text: `NAME[:FIDELITY]`, as in `softfoot:fast`, where NAME is one of `names()`; or a foot's .json file.
        **fields: Fields and their values; `band__hardness=70` reaches into a part.

    Raises:
        InvalidInput: If there is no such foot, fidelity or field, or a value is not allowed.
    """
    if str(text).endswith(".json"):
        return load(text).with_(**fields)
    name, colon, fidelity = str(text).partition(":")
    if colon:
        fields = {"fidelity": fidelity, **fields}
    foot = _maker(name)()
    return foot.with_(**fields) if fields else foot


@checks_arguments
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
    """Read a foot from a file written by `save`, `export` or any command with `--json`; see `parse`.

    Raises:
        InvalidInput: If the file cannot be read, is not such a file, or holds a value not allowed.
    """
    with reading(path, "foot", "give a foot's .json file"):
        text = read_text(path)
    return parse(text, str(path))


@checks_arguments
def parse(text: str, where: str = "the text") -> Foot:
    """Read a foot from JSON; it is data and never runs code.

    The object is a foot's description, or has one under `foot`, as config.json files and the output of commands do.

    Args:
        text: The JSON.
        where: What to call it in messages.

    Raises:
        InvalidInput: If it is not JSON, describes no foot, or holds a value that is not allowed.
    """
    try:
        record = parse_json(text)
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"{where} is not a foot ({reason(error)}): give a foot's .json file") from error
    if isinstance(record, dict) and isinstance(record.get("foot"), dict):
        record = record["foot"]
    if not isinstance(record, dict) or "foot" not in record:
        raise InvalidInput(
            f'{where} does not describe a foot: give a JSON object with a field "foot", as written by feet.save'
        )
    try:
        return _maker(record["foot"], classes_only=True).from_dict(record)  # type: ignore[attr-defined]
    except InvalidInput as error:
        raise InvalidInput(f"{where}: {error}") from error


def _maker(name: object, *, classes_only: bool = False) -> Callable[[], Foot]:
    """What builds the foot called `name`: its class, or a preset."""
    text = name if isinstance(name, str) else ""
    if text not in _CLASSES and text in _ELSEWHERE:
        module, extra, *_ = _ELSEWHERE[text]
        require_extra(extra)
        importlib.import_module(module)
    elif text not in _CLASSES and text not in _PRESETS:
        _installed()
    makers = _CLASSES if classes_only else {**_CLASSES, **_PRESETS}
    if text in makers:
        return makers[text]
    close = difflib.get_close_matches(text, makers, n=1)
    known = sorted(makers.keys() | (set(names()) - _PRESETS.keys()))
    hint = f"; did you mean {close[0]!r}?" if close else ""
    raise InvalidInput(f"unknown foot {name!r}: choose one of {', '.join(known)}{hint}")


@functools.cache
def _installed() -> None:
    """Register the feet of installed packages, once; one that fails gives a one-line warning."""
    for point in metadata.entry_points(group=GROUP):
        package = point.dist.name if point.dist is not None else "an unknown package"
        try:
            cls = point.load()
            if getattr(cls, "name", None) != point.name:
                raise InvalidInput(f"{point.value} is called {getattr(cls, 'name', None)!r}")
            register(cls)
            _PACKAGES[point.name] = package
        except Exception as error:  # noqa: BLE001  (any code of a stranger may run here)
            why = " ".join(f"{type(error).__name__}: {error}".split())
            log.warning("the foot %r of the package %s cannot be used (%s)", point.name, package, why)
