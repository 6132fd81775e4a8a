"""Terrains that are height fields: a given map, and random ones of a given roughness."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Literal

import numpy as np

from plantar._checks import require, require_choice, require_positive
from plantar._config import Bump
from plantar._fields import from_record
from plantar.ground.contact.ground import Ground
from plantar.ground.terrain.elevation_map import ElevationMap
from plantar.ground.terrain.pieces import Block, Field, Floor, Piece
from plantar.ground.terrain.terrain import Extent, RigidTerrain

MOST_CONTACTS = 50
"""Contacts that MuJoCo keeps between a geom and a height field; the rest is dropped (mjMAXCONPAIR)."""


@dataclass(frozen=True, kw_only=True)
class HeightField(RigidTerrain, kind="heightfield"):
    """A ground given by its elevation map, for example a scanned one."""

    grid: ElevationMap
    """The map."""
    floor: float | None = None
    """Height of an endless plane around and below it [m]; None: nothing there."""

    def __post_init__(self) -> None:
        """Refuse a map with gaps: MuJoCo has no holes in height fields."""
        known = self.grid.unknown == 0
        require(known, "grid", f"{self.grid.unknown:.0%} unknown cells", "a map without gaps, as filled() returns it")

    def pieces(self) -> list[Piece]:
        """The field, and a floor if there is one."""
        scan: list[Piece] = [Field(name="field", ground=self.ground, grid=self.grid)]
        return scan if self.floor is None else [_floor(self.ground, self.floor), *scan]

    def extent(self) -> Extent:
        """The map."""
        (x, y), (length, width) = self.grid.origin, self.grid.size
        return (x, x + length), (y, y + width)

    def to_dict(self) -> dict[str, Any]:
        """The terrain as plain data."""
        fields = {"ground": self.ground.to_dict(), "grid": self.grid.to_dict(), "floor": self.floor}
        return {"kind": self.kind, **fields}

    @classmethod
    def _from_fields(cls, record: dict[str, Any]) -> HeightField:
        rest = {k: v for k, v in record.items() if k != "grid"}
        require("grid" in record, "grid", None, "a table with origin, cell and heights")
        # the map goes in as it is: its heights are an array, which records do not know
        grid = ElevationMap.from_dict(record["grid"])
        shell = from_record(_Shell, rest)
        return cls(grid=grid, ground=shell.ground, floor=shell.floor)


@dataclass(frozen=True, kw_only=True)
class _Shell:
    """The fields of a `HeightField` besides its map."""

    ground: Ground = field(default_factory=Ground)
    floor: float | None = None


@dataclass(frozen=True, kw_only=True)
class Rough(RigidTerrain, kind="rough"):
    """Random ground of a given roughness: a Gaussian field of known height and correlation length."""

    size_field: ClassVar[str | None] = "rms"

    rms: Bump = 0.01
    """Root mean square of the heights [m]."""
    correlation: float = 0.10
    """Distance over which the correlation of heights falls to 1/e [m]."""
    spectrum: Literal["gaussian", "exponential"] = "gaussian"
    """Shape of the correlation: exp(-(r/L)^2), smooth hills; or exp(-r/L), fractal, rough at every scale."""
    rising: float = 0.0
    """Length along x over which it grows from level at the start to its full roughness [m]; 0: rough everywhere."""
    size: tuple[float, float] = (4.0, 2.0)
    """Length along x and width along y, to the nearest cell [m]."""
    start: float = -0.5
    """x at which it starts [m]; y is centred."""
    cell: float = 0.02
    """Distance between points of the field [m]."""
    flat: float = 0.0
    """Radius around the origin that stays level, for a robot to start on [m]."""
    border: float = 0.0
    """Width along the edges over which it fades into level ground around it [m]; 0: nothing around it."""
    seed: int = 0
    """Seed of the field."""

    def __post_init__(self) -> None:
        """Check every field; the first bad one is named."""
        require_positive(self, "", ("rms", "correlation", "cell"))
        require_choice("spectrum", self.spectrum, ("gaussian", "exponential"))
        require(min(self.size) > 0, "size", self.size, "two lengths above 0 [m]")
        most = self.correlation / 2
        require(self.cell <= most, "cell", self.cell, f"at most half the correlation length, {most:g} m")
        least = 2 * self.correlation
        require(min(self.size) >= least, "size", self.size, f"at least twice the correlation length, {least:g} m")
        require(self.flat >= 0, "flat", self.flat, "a radius that is 0 or above [m]")
        require(0 <= self.rising <= self.size[0], "rising", self.rising, f"0 to the field's length, {self.size[0]:g} m")
        most = min(self.size) / 2
        require(0 <= self.border < most, "border", self.border, f"0 to below half the size, {most:g} m")
        require(self.seed >= 0, "seed", self.seed, "an integer from 0")
        points = self.size[0] / self.cell * self.size[1] / self.cell
        require(points <= 4e6, "cell", self.cell, "a longer one: the field would have over 4 million points")

    def field(self) -> ElevationMap:
        """The heights."""
        columns, rows = self._cells()
        bare = random_field(
            (rows + 1, columns + 1),
            rms=self.rms,
            correlation=self.correlation / self.cell,
            spectrum=self.spectrum,
            seed=self.seed,
        )
        (x, _), (y, _) = self.extent()
        grid = ElevationMap(origin=(x, y), cell=self.cell, heights=bare)
        return replace(grid, heights=bare * self._fading(grid))

    def pieces(self) -> list[Piece]:
        """The field, and level ground around one that fades out."""
        around = apron(self.extent(), self.ground) if self.border else []
        return [Field(name="field", ground=self.ground, grid=self.field()), *around]

    def extent(self) -> Extent:
        """The field, which has whole cells."""
        length, width = (count * self.cell for count in self._cells())
        return (self.start, self.start + length), (-width / 2, width / 2)

    def _cells(self) -> tuple[int, int]:
        """How many cells it is long and wide."""
        return round(self.size[0] / self.cell), round(self.size[1] / self.cell)

    def _fading(self, grid: ElevationMap) -> np.ndarray:
        """Factor on the heights: 0 where it is to be level, 1 elsewhere, smooth between."""
        x, y = np.meshgrid(grid.x, grid.y)
        factor = np.ones_like(x)
        if self.flat:
            factor *= smooth((np.hypot(x, y) - self.flat) / self.correlation)
        if self.rising:
            factor *= np.clip((x - self.start) / self.rising, 0, 1)
        if self.border:
            (x0, x1), (y0, y1) = self.extent()
            edge = np.minimum(np.minimum(x - x0, x1 - x), np.minimum(y - y0, y1 - y))
            factor *= smooth(edge / self.border)
        return factor


def random_field(
    shape: tuple[int, int],
    *,
    rms: float,
    correlation: float,
    spectrum: Literal["gaussian", "exponential"] = "gaussian",
    seed: int = 0,
) -> np.ndarray:
    """A Gaussian random field with mean 0 and exactly the root mean square `rms`.

    White noise is filtered in the frequency domain, on a grid larger than requested so that opposite edges are
    independent.

    Args:
        shape: Rows and columns.
        rms: Root mean square of the values.
        correlation: Distance over which the correlation falls to 1/e [points].
        spectrum: Shape of the correlation.
        seed: Seed of the noise.
    """
    padded = [int(2 ** math.ceil(math.log2(n + 6 * correlation))) for n in shape]
    distance = np.hypot(*np.meshgrid(*(np.minimum(np.arange(n), n - np.arange(n)) for n in padded), indexing="ij"))
    wanted = np.exp(-((distance / correlation) ** (2 if spectrum == "gaussian" else 1)))
    # the power spectrum is the transform of the correlation (Wiener and Khinchin)
    power = np.maximum(np.fft.rfft2(wanted).real, 0.0)
    noise = np.fft.rfft2(np.random.default_rng(seed).standard_normal(padded))
    field = np.fft.irfft2(noise * np.sqrt(power), s=padded)[: shape[0], : shape[1]]
    field -= field.mean()
    return field * (rms / field.std())


def cell_advice(cell: float, sole: tuple[float, float]) -> str:
    """Advice on a height field's cells under a flat sole, or an empty string if all is well.

    Args:
        cell: Distance between points [m].
        sole: Length and width of a flat geom that touches [m].
    """
    triangles = 2 * math.ceil(sole[0] / cell + 1) * math.ceil(sole[1] / cell + 1)
    if triangles <= MOST_CONTACTS:
        return ""
    fits = math.sqrt(2 * sole[0] * sole[1] / MOST_CONTACTS)
    return (
        f"a flat sole of {1e3 * sole[0]:.0f} x {1e3 * sole[1]:.0f} mm covers up to {triangles} triangles of "
        f"{1e3 * cell:g} mm cells; MuJoCo keeps {MOST_CONTACTS} contacts per geom and drops the rest: "
        f"use cells of at least about {1e3 * fits:.0f} mm, or a sole of several geoms"
    )


def _floor(ground: Ground, height: float) -> Floor:
    return Floor(ground=ground, point=(0.0, 0.0, height))


def apron(inner: Extent, ground: Ground, reach: float = 3.0) -> list[Piece]:
    """Four blocks at height 0 around a rectangle; a plane would fill its hollows."""
    (x0, x1), (y0, y1) = inner
    middle, long = (y0 + y1) / 2, x1 - x0 + 2 * reach
    sides = [
        ((x0 - reach / 2, middle), (reach, y1 - y0)),
        ((x1 + reach / 2, middle), (reach, y1 - y0)),
        (((x0 + x1) / 2, y0 - reach / 2), (long, reach)),
        (((x0 + x1) / 2, y1 + reach / 2), (long, reach)),
    ]
    return [Block(name="around", ground=ground, centre=(*centre, 0.0), size=size) for centre, size in sides]


def smooth(share: np.ndarray) -> np.ndarray:
    """From 0 to 1 without a kink."""
    t = np.clip(share, 0.0, 1.0)
    return t * t * (3 - 2 * t)
