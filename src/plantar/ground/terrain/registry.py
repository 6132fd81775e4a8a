"""Terrains by name: those of Plantar, those that a program registers, those of installed packages."""

from __future__ import annotations

import difflib
import functools
import importlib
import inspect
import logging
from collections.abc import Callable
from importlib import metadata
from typing import TYPE_CHECKING, Any

from plantar._arguments import checks_arguments
from plantar.errors import InvalidInput

if TYPE_CHECKING:
    from plantar.ground.terrain.terrain import Terrain

log = logging.getLogger("plantar")
Maker = Callable[..., "Terrain"]
GROUP = "plantar.terrains"
"""Entry-point group through which an installed package registers its terrains; see docs/terrain.md."""
_MODULES = (
    "terrain.plain",
    "terrain.bars",
    "terrain.obstacles",
    "terrain.loose",
    "terrain.fields",
    "terrain.reliefs",
    "terrain.patches",
    "terrain.wild",
    "soil.yielding",
)
"""Modules of this room that register terrains when they are imported."""
_MAKERS: dict[str, Maker] = {}


def register(kind: str, maker: Maker) -> None:
    """Register a terrain under its kind: a class of terrains, or a function that returns one.

    A subclass of `RigidTerrain` registers itself: `class Dunes(RigidTerrain, kind="dunes")`.

    Args:
        kind: Its name, for `make`, `--terrain` and files.
        maker: What makes it; its arguments are the terrain's fields.

    Raises:
        InvalidInput: If the name is not allowed, or another terrain has it.
    """
    if not (isinstance(kind, str) and kind.replace("_", "").isalnum()):
        raise InvalidInput(f"kind = {kind!r} is not allowed: give letters, digits and underscores")
    if not _same(_MAKERS.get(kind, maker), maker):
        raise InvalidInput(f"kind = {kind!r} is taken by another terrain: choose another name")
    _MAKERS[kind] = maker


def kinds() -> dict[str, Maker]:
    """What makes each kind of terrain, by name; all that are registered, in Plantar and elsewhere."""
    for module in _MODULES:
        importlib.import_module(f"plantar.ground.{module}")
    _installed()
    return dict(sorted(_MAKERS.items()))


def find(kind: str) -> Maker:
    """What makes a kind of terrain.

    Raises:
        InvalidInput: If there is none; the message lists what exists.
    """
    known = kinds()
    if kind not in known:
        near = difflib.get_close_matches(kind, known, n=1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        raise InvalidInput(f"terrain {kind!r} is not known: choose one of {', '.join(known)}{hint}")
    return known[kind]


@checks_arguments
def make(kind: str, **fields: Any) -> Terrain:
    """A terrain by kind and plain fields, as given on the command line."""
    maker = find(kind)
    if isinstance(maker, type):
        return maker._from_fields(fields)  # type: ignore[attr-defined]
    known = inspect.signature(maker).parameters
    unknown = [name for name in fields if name not in known]
    if unknown:
        raise InvalidInput(f"terrain {kind!r} has no field {unknown[0]!r}: it has {', '.join(known) or 'none'}")
    return maker(**fields)


@checks_arguments
def draw(kind: str, *, seed: int = 0, size: float | None = None, start: float | None = None, **fields: Any) -> Terrain:
    """A terrain of any kind for one trial of a study: the same call for all of them.

    Args:
        kind: Its kind.
        seed: Random seed; ignored by kinds without randomness.
        size: What makes it hard: height of bars, cobbles or plates, rise of stairs, root mean square of a field [m],
            angle of a slope [rad], a factor for rubble. The field is the class's `size_field`.
        start: Where it starts, level before that [m], for kinds that support it.
        **fields: Other fields of its kind.

    Raises:
        InvalidInput: If there is no such kind or field, or `size` is given for a kind without one.
    """
    maker = find(kind)
    names = [name for name, _ in fields_of(kind)]
    field = getattr(maker, "size_field", "size" if "size" in names else None)
    if size is not None and field is None:
        raise InvalidInput(f"size = {size!r} is not allowed: terrain {kind!r} has none, give its fields by name")
    given = {"seed": seed, "start": start} | ({field: size} if field else {})
    return make(kind, **{k: v for k, v in given.items() if k in names and v is not None}, **fields)


def fields_of(kind: str) -> list[tuple[str, Any]]:
    """Fields of a kind of terrain with their defaults, without the ground, for help texts."""
    parameters = inspect.signature(find(kind)).parameters.values()
    return [(p.name, None if p.default is p.empty else p.default) for p in parameters if p.name != "ground"]


def _same(old: Maker, new: Maker) -> bool:
    """Whether two makers are the same; reloading a module redefines its classes."""
    names = [(getattr(m, "__module__", ""), getattr(m, "__qualname__", repr(m))) for m in (old, new)]
    return old is new or names[0] == names[1]


@functools.cache
def _installed() -> None:
    """Register the terrains of installed packages; one that cannot be loaded is skipped with a warning."""
    for point in metadata.entry_points(group=GROUP):
        try:
            register(point.name, point.load())
        except Exception as error:  # noqa: BLE001  (somebody else's package must not stop Plantar)
            log.warning("terrain %r of %s is left out: %s", point.name, point.value, error)
