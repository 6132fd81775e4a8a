"""Terrains: shapes of the ground that go into a scene and onto an elevation map."""

from __future__ import annotations

import dataclasses
import difflib
import importlib
import json
import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar

import mujoco
import numpy as np
from numpy.typing import ArrayLike

from plantar._checks import require
from plantar._fields import from_record, to_record
from plantar._files import to_json, write_text
from plantar.errors import InvalidInput
from plantar.ground.contact.floor import masks_for
from plantar.ground.contact.ground import Ground
from plantar.ground.terrain.elevation_map import ElevationMap
from plantar.ground.terrain.pieces import Block, Floor, Piece

COLOURS = ((0.80, 0.82, 0.84, 1), (0.70, 0.62, 0.50, 1), (0.55, 0.66, 0.52, 1), (0.52, 0.60, 0.70, 1))
"""Colours of the grounds of a terrain, in the order in which they come."""


@dataclass(frozen=True, kw_only=True)
class Terrain(ABC):
    """A shape of the ground.

    It is known to MuJoCo by `add` and to planners by `elevation`. Equal terrains are equal everywhere: whatever is
    random comes from a seed that is one of the fields.
    """

    kind: ClassVar[str]
    """Name on the command line and in files."""
    kinds: ClassVar[dict[str, type[Terrain]]] = {}
    """All terrains by name."""

    ground: Ground = field(default_factory=Ground)
    """What it is made of."""

    def __init_subclass__(cls, kind: str, **kwargs: Any) -> None:
        """Register the terrain under `kind`."""
        super().__init_subclass__(**kwargs)
        cls.kind = kind
        Terrain.kinds[kind] = cls

    @abstractmethod
    def pieces(self) -> list[Piece]:
        """The shapes it is made of."""

    @abstractmethod
    def extent(self) -> tuple[tuple[float, float], tuple[float, float]]:
        """From where to where it is of interest: (x from, x to), (y from, y to) [m]."""

    def add(self, spec: mujoco.MjSpec, *, prefix: str = "terrain_", replace_planes: bool = True) -> list[str]:
        """Add the terrain to the world of `spec`.

        Args:
            spec: The scene; it is changed. Cone and impratio of the grounds become those of the whole model.
            prefix: Before the name of every geom.
            replace_planes: Remove planes that the world already has; a floor of the robot's file would else lie
                over every pit.

        Returns:
            Names of the geoms, in the order of `pieces`.
        """
        if replace_planes:
            for geom in [g for g in spec.worldbody.geoms if g.type == mujoco.mjtGeom.mjGEOM_PLANE]:
                spec.delete(geom)
        pieces = self.pieces()
        grounds = list(dict.fromkeys(piece.ground for piece in pieces))
        _check_options(grounds)
        masks = masks_for(spec)  # once: there may be hundreds of pieces
        names = _unique([prefix + piece.name for piece in pieces])
        for i, (piece, name) in enumerate(zip(pieces, names, strict=True)):
            geom = piece.add(spec, name, masks)
            geom.rgba = _colour(grounds.index(piece.ground), 1.0 if i == 0 else (0.84, 0.76)[i % 2])
            piece.ground.apply(spec, geom)
        spec.option.impratio = max(ground.impratio for ground in grounds)
        return names

    def elevation(self, x: ArrayLike, y: ArrayLike) -> np.ndarray:
        """Heights of the ground at points, seen from above; -inf where there is none [m]."""
        across, along = np.broadcast_arrays(np.asarray(x, dtype=float), np.asarray(y, dtype=float))
        tops = [piece.top(across, along) for piece in self.pieces()]
        return np.max(tops, axis=0)[()]

    def elevation_map(
        self,
        *,
        cell: float = 0.02,
        x: tuple[float, float] | None = None,
        y: tuple[float, float] | None = None,
        pit: float | None = None,
    ) -> ElevationMap:
        """An elevation map.

        Args:
            cell: Distance between points [m].
            x: From and to [m]; None: where the terrain is of interest.
            y: The same to the left.
            pit: Height where there is no ground [m]; None leaves it unknown.
        """
        whole = self.extent()
        (x0, x1), (y0, y1) = x or whole[0], y or whole[1]
        require(x1 > x0 and y1 > y0, "x and y", ((x0, x1), (y0, y1)), "ranges from a smaller to a larger number")
        found = ElevationMap.from_function(self.elevation, x=(x0, x1), y=(y0, y1), cell=cell)
        return found if pit is None else replace(found, heights=np.fmax(found.heights, pit))

    def to_dict(self) -> dict[str, Any]:
        """The terrain as plain data; `kind` tells which it is."""
        return {"kind": self.kind, **to_record(self)}

    @classmethod
    def _from_fields(cls, record: dict[str, Any]) -> Terrain:
        return from_record(cls, record)

    @staticmethod
    def from_dict(record: dict[str, Any]) -> Terrain:
        """Rebuild a terrain of any kind.

        Raises:
            InvalidInput: If the kind or a field is not known; the message lists the known ones.
        """
        require(isinstance(record, dict) and "kind" in record, "terrain", record, "a table with its `kind`")
        return find(str(record["kind"]))._from_fields({k: v for k, v in record.items() if k != "kind"})

    def save(self, path: str | Path) -> Path:
        """Write the terrain as JSON, for `--terrain FILE` and `Terrain.load`."""
        return write_text(path, to_json({"terrain": self.to_dict()}, indent=2) + "\n")

    @staticmethod
    def load(path: str | Path) -> Terrain:
        """Read a terrain that `save` wrote.

        Raises:
            InvalidInput: If there is no such file, or it is not a terrain.
        """
        try:
            record = json.loads(Path(path).read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise InvalidInput(
                f"terrain file {str(path)!r} cannot be read ({error}): write one with `plantar ground terrain`"
            ) from error
        if not isinstance(record, dict) or "terrain" not in record:
            raise InvalidInput(f"terrain file {str(path)!r} holds no terrain: write one with `plantar ground terrain`")
        return Terrain.from_dict(record["terrain"])


def find(kind: str) -> type[Terrain]:
    """The class of a kind of terrain.

    Raises:
        InvalidInput: If there is none; the message lists what exists.
    """
    known = kinds()
    if kind not in known:
        near = difflib.get_close_matches(kind, known, n=1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        raise InvalidInput(f"terrain {kind!r} is not known: known are {', '.join(known)}{hint}")
    return known[kind]


def kinds() -> dict[str, type[Terrain]]:
    """All kinds of terrain by name; each module of terrains adds its own when it is imported."""
    for module in ("obstacles", "fields", "patches"):
        importlib.import_module(f"plantar.ground.terrain.{module}")
    return Terrain.kinds


def make(kind: str, **fields: Any) -> Terrain:
    """A terrain by kind and plain fields, as the command line has them."""
    return Terrain.from_dict({"kind": kind, **fields})


@dataclass(frozen=True, kw_only=True)
class Flat(Terrain, kind="flat"):
    """Level ground at height 0, without end."""

    def pieces(self) -> list[Piece]:
        """One plane."""
        return [Floor(ground=self.ground)]

    def extent(self) -> tuple[tuple[float, float], tuple[float, float]]:
        """A metre around the origin."""
        return (-1.0, 1.0), (-1.0, 1.0)


@dataclass(frozen=True, kw_only=True)
class Slope(Terrain, kind="slope"):
    """An inclined plane without end through the origin, or a ramp up to a plateau, on level ground."""

    angle: float = math.radians(10)
    """Climb along x [rad]; negative goes down."""
    cross: float = 0.0
    """Climb along y [rad]; only of a plane without end."""
    length: float | None = None
    """Length of the ramp, measured along x [m]; None: without end."""
    start: float = 0.5
    """Where a ramp starts [m]."""
    plateau: float = 1.0
    """Length of the plateau after a ramp [m]."""
    down: bool = True
    """Whether a ramp leads down again after the plateau."""
    width: float = 2.0
    """Of a ramp, along y [m]."""

    def __post_init__(self) -> None:
        """Check every field; the first bad one is named."""
        for name in ("angle", "cross"):
            value = getattr(self, name)
            require(math.isfinite(value) and abs(value) < math.radians(60), name, value, "radians, below 60 degrees")
        if self.length is not None:
            require(self.angle > 0, "angle", self.angle, "an angle above 0 [rad] for a ramp of finite length")
            require(self.cross == 0, "cross", self.cross, "0 for a ramp of finite length")
            require(math.isfinite(self.length) and self.length > 0, "length", self.length, "a length above 0 [m]")
        for name in ("plateau", "width"):
            value = getattr(self, name)
            require(math.isfinite(value) and value > 0, name, value, "a length above 0 [m]")

    @property
    def height(self) -> float:
        """Height of the plateau [m]."""
        return 0.0 if self.length is None else self.length * math.tan(self.angle)

    def pieces(self) -> list[Piece]:
        """A tilted plane, or floor, ramp, plateau and ramp."""
        if self.length is None:
            return [Floor(ground=self.ground, pitch=self.angle, roll=self.cross)]
        long = self.length / math.cos(self.angle)
        thickness = min(0.2, self.plateau * math.sin(self.angle) + 0.5 * self.height, long)
        ramp = {"size": (long, self.width), "thickness": max(thickness, 0.01), "ground": self.ground}
        top, end = self.height, self.start + self.length
        middle = (end + self.plateau / 2, 0.0, top)
        plateau = Block(
            name="plateau",
            ground=self.ground,
            centre=middle,
            size=(self.plateau, self.width),
            thickness=top + 0.2,
        )
        up = Block(name="ramp", centre=(self.start + self.length / 2, 0.0, top / 2), pitch=self.angle, **ramp)
        pieces: list[Piece] = [Floor(ground=self.ground), up, plateau]
        if self.down:
            centre = (end + self.plateau + self.length / 2, 0.0, top / 2)
            pieces.append(Block(name="descent", centre=centre, pitch=-self.angle, **ramp))
        return pieces

    def extent(self) -> tuple[tuple[float, float], tuple[float, float]]:
        """A metre around the origin, or the ramps and half a metre around them."""
        if self.length is None:
            return (-1.0, 1.0), (-1.0, 1.0)
        end = self.start + self.length + self.plateau + (self.length if self.down else 0.0)
        return (self.start - 0.5, end + 0.5), (-self.width / 2 - 0.2, self.width / 2 + 0.2)


def _check_options(grounds: list[Ground]) -> None:
    """Cone and flag are of the whole model: grounds that differ in them cannot meet."""
    for name in ("cone", "diagexact"):
        values = {getattr(ground, name) for ground in grounds} - {None}
        if len(values) > 1:
            texts = " and ".join(sorted(map(str, values)))
            raise InvalidInput(
                f"{name} of the grounds in one scene is {texts}: give all the same, it is MuJoCo's option"
            )


def _colour(ground: int, shade: float) -> list[float]:
    """Colour of a ground; pieces on it are darker by turns, to be told apart."""
    return [*(shade * part for part in COLOURS[ground % len(COLOURS)][:3]), 1.0]


def _unique(names: list[str]) -> list[str]:
    """Names with a number where one comes more than once."""
    return [name if names.count(name) == 1 else f"{name}_{names[:i].count(name)}" for i, name in enumerate(names)]


def fields_of(kind: str) -> list[tuple[str, Any]]:
    """Fields of a kind of terrain with their defaults, without the ground, for help texts."""
    cls = find(kind)
    return [
        (f.name, f.default if f.default is not dataclasses.MISSING else None)
        for f in dataclasses.fields(cls)
        if f.name != "ground"
    ]
