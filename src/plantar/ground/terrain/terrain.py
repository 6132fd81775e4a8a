"""Terrains: shapes of the ground that go into a scene and onto an elevation map."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import mujoco
import numpy as np
from numpy.typing import ArrayLike

from plantar._checks import require
from plantar._config import Checked
from plantar._fields import from_record, to_record
from plantar._files import to_json, write_text
from plantar._read import read_json, reading
from plantar.errors import InvalidInput
from plantar.ground.contact.floor import masks_for
from plantar.ground.contact.ground import Ground
from plantar.ground.terrain.elevation_map import ElevationMap
from plantar.ground.terrain.pieces import Piece
from plantar.ground.terrain.registry import make, register

if TYPE_CHECKING:
    from plantar.ground.soil.tracks import Tracks

Extent = tuple[tuple[float, float], tuple[float, float]]
"""From where to where along x and along y [m]."""
COLOURS = ((0.80, 0.82, 0.84, 1), (0.70, 0.62, 0.50, 1), (0.55, 0.66, 0.52, 1), (0.52, 0.60, 0.70, 1))
"""Colours of the grounds of a terrain, in the order in which they come."""


@dataclass(frozen=True, kw_only=True)
class Terrain(Checked, ABC):
    """What a robot walks on, rigid or yielding.

    It is known to MuJoCo by `add`, to planners by `elevation`, and to a simulation by `attach`. Equal terrains are
    identical: all randomness comes from a seed, which is one of the fields.
    """

    kind: ClassVar[str] = ""
    """Name on the command line and in files."""
    size_field: ClassVar[str | None] = None
    """Field that makes it harder, for `draw`; None if there is no single one."""

    def __init_subclass__(cls, kind: str = "", **kwargs: Any) -> None:
        """Register the terrain under `kind`; a class without one is a base of others."""
        super().__init_subclass__(**kwargs)
        if kind:
            cls.kind = kind
            register(kind, cls)

    @abstractmethod
    def add(self, spec: mujoco.MjSpec) -> list[str]:
        """Add the terrain to the world of `spec`, in place of planes there; names of the geoms that carry feet."""

    @abstractmethod
    def elevation(self, x: ArrayLike, y: ArrayLike) -> np.ndarray:
        """Heights of the ground at points, seen from above; -inf where there is none [m]."""

    @abstractmethod
    def extent(self) -> Extent:
        """From where to where it is of interest: (x from, x to), (y from, y to) [m]."""

    def attach(self, model: mujoco.MjModel, feet: Sequence[str] | None = None) -> Tracks | None:
        """Object to apply at every step of a simulation of `model`; None for ground that does not yield."""
        return None

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
        return make(str(record["kind"]), **{k: v for k, v in record.items() if k != "kind"})

    def save(self, path: str | Path) -> Path:
        """Write the terrain as JSON, for `--terrain FILE` and `Terrain.load`."""
        return write_text(path, to_json({"terrain": self.to_dict()}, indent=2) + "\n")

    @staticmethod
    def load(path: str | Path) -> Terrain:
        """Read a terrain written by `save`.

        Raises:
            InvalidInput: If there is no such file, or it is not a terrain.
        """
        with reading(path, "terrain file", "write one with `plantar ground terrain`"):
            record = read_json(path)
        if not isinstance(record, dict) or "terrain" not in record:
            raise InvalidInput(
                f"terrain file {str(path)!r} does not hold a terrain: write one with `plantar ground terrain`"
            )
        return Terrain.from_dict(record["terrain"])


@dataclass(frozen=True, kw_only=True)
class RigidTerrain(Terrain):
    """A terrain of pieces that do not yield."""

    ground: Ground = field(default_factory=Ground)
    """What it is made of."""

    @abstractmethod
    def pieces(self) -> list[Piece]:
        """The shapes it is made of."""

    def add(self, spec: mujoco.MjSpec, *, prefix: str = "terrain_", replace_planes: bool = True) -> list[str]:
        """Add the terrain to the world of `spec`.

        Args:
            spec: The scene; it is changed. Cone and impratio of the grounds become those of the whole model.
            prefix: Before the name of every geom.
            replace_planes: Remove planes that the world already has; a floor in the robot's file would otherwise lie
                over every pit.

        Returns:
            Names of the geoms, in the order of `pieces`.
        """
        if replace_planes:
            for geom in [g for g in spec.worldbody.geoms if g.type == mujoco.mjtGeom.mjGEOM_PLANE]:
                spec.delete(geom)
        pieces, _ = self._known
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
        highest = np.full(across.shape, -np.inf)
        if not across.size:
            return highest
        pieces, bounds = self._known
        # controllers query single points, far from most pieces
        near = (bounds[:, 0] <= across.max()) & (bounds[:, 1] >= across.min())
        near &= (bounds[:, 2] <= along.max()) & (bounds[:, 3] >= along.min())
        for i in np.flatnonzero(near):
            np.maximum(highest, pieces[i].top(across, along), out=highest)
        return highest[()]

    @cached_property
    def _known(self) -> tuple[list[Piece], np.ndarray]:
        """The pieces and their bounds, made once: there may be hundreds."""
        pieces = self.pieces()
        return pieces, np.array([piece.bounds() for piece in pieces])


def _check_options(grounds: list[Ground]) -> None:
    """Cone and flag are of the whole model: grounds that differ in them cannot be combined."""
    for name in ("cone", "diagexact"):
        values = {getattr(ground, name) for ground in grounds} - {None}
        if len(values) > 1:
            texts = " and ".join(sorted(map(str, values)))
            raise InvalidInput(
                f"{name} of the grounds in one scene is {texts}: use the same for all, it is a MuJoCo option"
            )


def _colour(ground: int, shade: float) -> list[float]:
    """Colour of a ground; alternate pieces on it are darker, to tell them apart."""
    return [*(shade * part for part in COLOURS[ground % len(COLOURS)][:3]), 1.0]


def _unique(names: list[str]) -> list[str]:
    """Names with a number where one comes more than once."""
    total, so_far = Counter(names), Counter[str]()
    unique = []
    for name in names:
        unique.append(name if total[name] == 1 else f"{name}_{so_far[name]}")
        so_far[name] += 1
    return unique
