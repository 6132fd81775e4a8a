"""Ground that keeps its footprints: it yields under pressure, compacts, rebounds a little, and tracks stay."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import mujoco
import numpy as np
from numpy.typing import ArrayLike

from plantar._checks import require, require_positive
from plantar._read import read_json, reading
from plantar.errors import InvalidInput
from plantar.ground.contact.floor import Masks, add_ground, carriers
from plantar.ground.contact.ground import Ground
from plantar.ground.laws import materials
from plantar.ground.laws.bekker import BekkerLaw
from plantar.ground.soil import rft
from plantar.ground.soil.law import SOIL
from plantar.ground.terrain.terrain import Extent, Terrain

if TYPE_CHECKING:
    from plantar.ground.soil.tracks import Tracks

FIELD = "yielding_field"
"""Name of the height field that shows the tracks."""
AT_SURFACE = 0.002
"""A rigid floor that lies deeper than this is a hard layer under the soil [m]."""


@dataclass(frozen=True, kw_only=True)
class YieldingGround(Terrain, kind="yielding"):
    """Soil that yields, keeps its footprints, and resists at every angle.

    A level sole that is pressed to the depth z for the first time feels `p = (2 k_c / d + k_phi (d / 0.1 m)^m) z^n`,
    where d is the equivalent diameter of what touches: four times its area over its perimeter, which is the diameter
    of a disc. Bekker's law is m = 0, with b = d / 2; measured sand has m of about 1. Surfaces at other angles feel the
    fraction of p that resistive force theory gives for their direction and motion, normal to themselves, and
    along themselves no more than `cohesion + friction * p`, as a spring of `shear_stiffness`; of the cohesion no more
    than the pressure counts, so that soil that is hardly touched does not hold.

    Unloaded, soil springs back along a straight line by the fraction `rebound` of its depth, and loaded again it
    follows that line up to its old depth: `1 / (n * rebound)` times as stiff as the first time.
    """

    name: str = "yielding ground"
    """Human-readable name."""
    k_c: float = 990.0
    """Bekker's cohesive modulus [N/m^(n + 1)]."""
    k_phi: float = 1.52843e6
    """Bekker's frictional modulus [N/m^(n + 2)], of a sole 0.1 m wide where `m` is not 0."""
    n: float = 1.1
    """Exponent of sinkage."""
    m: float = 0.0
    """Exponent of size: how the modulus grows with the width of what touches."""
    cohesion: float = 1040.0
    """Shear strength without pressure [Pa]."""
    friction: float = 0.5317
    """Tangent of the internal friction angle."""
    rebound: float = 0.1
    """Fraction of the sinkage that springs back; no source, the user's choice."""
    damping: float = 1.0
    """Relative growth of pressure per metre per second of sinking [s/m]; no source."""
    shear_stiffness: float = 5e6
    """Shear stress over displacement before the soil slides [Pa/m]; no source."""
    grip: float = 0.025
    """Soil is dragged along by a sliding sole this far before the sole presses other soil, and it takes this distance
    until soil that flowed in one direction flows in another [m]; no source, of the order in which loose soil is
    sheared before it fails."""
    coefficients: tuple[tuple[float, float, float], ...] | None = None
    """Of resistive force theory, 20 rows as in `rft.GENERIC`, 1 for a level plate that goes straight down; None takes
    the published ones."""
    origin: tuple[float, float] = (-0.5, -0.5)
    """Corner of the grid with the smallest x and y [m]."""
    size: tuple[float, float] = (2.0, 1.0)
    """Length along x and width along y [m]; outside, the ground is the same but keeps no prints."""
    cell: float = 0.005
    """Side of a column [m]: how fine footprints are kept; forces do not depend on it."""

    def __post_init__(self) -> None:
        """Check every field; the first bad one is named."""
        require_positive(self, "", ("k_phi", "n", "cell", "shear_stiffness", "grip"))
        require(math.isfinite(self.m), "m", self.m, "a finite number")
        for name in ("k_c", "cohesion", "friction", "damping"):
            value = getattr(self, name)
            require(math.isfinite(value) and value >= 0, name, value, "a number that is 0 or above")
        rows = self.coefficients
        require(rows is None or np.shape(rows) == rft.GENERIC.shape, "coefficients", rows, "20 rows of 3 numbers")
        most = min(0.9, 1 / self.n)
        require(0 < self.rebound <= most, "rebound", self.rebound, f"a fraction above 0, at most {most:.3g}")
        require(min(self.size) > self.cell, "size", self.size, "two lengths above the cell [m]")
        cells = self.size[0] / self.cell * self.size[1] / self.cell
        require(cells <= 4e6, "cell", self.cell, "a longer one: the grid would have over 4 million columns")

    @classmethod
    def of(cls, material: str, **fields: Any) -> YieldingGround:
        """The ground of a soil in `plantar.ground.materials`.

        Raises:
            InvalidInput: If there is no such material, or it is not a soil.
        """
        soil = materials.get(material)
        if soil.n is None or soil.k_c is None or soil.k_phi is None:
            soils = [name for name in materials.names() if materials.get(name).n is not None]
            raise InvalidInput(f"material {material!r} is a spring that does not yield: give one of {', '.join(soils)}")
        numbers = {"k_c": soil.k_c, "k_phi": soil.k_phi, "n": soil.n, "m": soil.m or 0.0}
        strength = {"cohesion": soil.cohesion or 0.0, "friction": soil.friction or 0.0}
        return cls(**{"name": material, **numbers, **strength, **fields})

    def law(self, *, area: float, diameter: float) -> BekkerLaw:
        """The law of a level plate on it, pressed slowly for the first time."""
        return BekkerLaw(k_c=self.k_c, k_phi=self.k_phi, n=self.n, m=self.m, width=diameter / 2, area=area)

    def numbers(self) -> np.ndarray:
        """What the law reads: fields, time step (left at 0), coefficients."""
        shape = rft.UNIT if self.coefficients is None else np.array(self.coefficients)
        return np.array([*(getattr(self, name) for name in SOIL), 0.0, *shape.T.ravel()])

    @property
    def shape(self) -> tuple[int, int]:
        """Rows along y and columns along x of the grid."""
        return round(self.size[1] / self.cell), round(self.size[0] / self.cell)

    def add(self, spec: mujoco.MjSpec, *, name: str = FIELD, replace_planes: bool = True) -> list[str]:
        """Add its visible surface to a scene: a height field that carries nothing, since its forces are applied.

        Args:
            spec: The scene; it is changed.
            name: Name of field and geom.
            replace_planes: Remove planes of the world; feet would otherwise stand on them.
        """
        if replace_planes:
            for geom in [g for g in spec.worldbody.geoms if g.type == mujoco.mjtGeom.mjGEOM_PLANE]:
                spec.delete(geom)
        rows, columns = self.shape
        half = [self.size[0] / 2, self.size[1] / 2]
        # coarse enough to draw; heights come from the tracks
        size = [*half, SHOWN_DEPTH, 0.02]
        shown = (min(rows, 400), min(columns, 400))
        spec.add_hfield(name=name, nrow=shown[0], ncol=shown[1], size=size, userdata=np.ones(shown[0] * shown[1]))
        middle = [self.origin[0] + half[0], self.origin[1] + half[1], -SHOWN_DEPTH]
        kind, sand = mujoco.mjtGeom.mjGEOM_HFIELD, [0.76, 0.68, 0.54, 1]
        add_ground(spec, name, kind, masks=Masks(0, 0), hfieldname=name, pos=middle, rgba=sand)
        return []

    def elevation(self, x: ArrayLike, y: ArrayLike) -> np.ndarray:
        """Height of the ground before anything has pressed it, 0 everywhere [m]; tracks have their own maps."""
        return np.zeros(np.broadcast(x, y).shape)[()]

    def extent(self) -> Extent:
        """The grid in which tracks are kept."""
        (x, y), (length, width) = self.origin, self.size
        return (x, x + length), (y, y + width)

    def attach(
        self,
        model: mujoco.MjModel,
        feet: Sequence[str] | None = None,
        *,
        spacing: float | None = None,
        floor: Literal["refuse", "clear", "keep"] = "refuse",
    ) -> Tracks:
        """Let the feet of a model press this ground.

        Args:
            model: The model; geoms of the feet are sampled by points.
            feet: Bodies or geoms that press it; None finds feet by name.
            spacing: Between the points [m]; None takes 5 mm, or more for large soles.
            floor: What to do about a rigid floor at the surface of the ground, on which the feet would stand before
                they press anything: refuse the model, switch off the contacts of that floor in it, or keep it.

        Raises:
            InvalidInput: If a rigid floor would carry the feet and is to be refused.
        """
        from plantar.ground.soil.tracks import Tracks  # noqa: PLC0415  (it knows this module)

        require(floor in ("refuse", "clear", "keep"), "floor", floor, "'refuse', 'clear' or 'keep'")
        tracks = Tracks(self, model, feet, spacing=spacing)
        rigid = [] if floor == "keep" else carriers(model, tracks.bodies.tolist(), -AT_SURFACE)
        if rigid and floor == "refuse":
            names = ", ".join(repr(model.geom(g).name or f"geom {g}") for g in rigid)
            raise InvalidInput(
                f"{names} would carry the feet before they press {self.name!r}: remove it from the model, or give "
                "floor='clear' (its contacts are switched off) or floor='keep'"
            )
        model.geom_contype[rigid] = model.geom_conaffinity[rigid] = 0
        return tracks


SHOWN_DEPTH = 0.1
"""How deep tracks can be drawn [m]."""


def load_ground(path: str | Path) -> Ground | YieldingGround:
    """Read a ground of either kind from its file.

    Raises:
        InvalidInput: If there is no such file, or it does not hold a ground.
    """
    with reading(path, "ground file", "give a ground's .json, as written by Ground.save"):
        record = read_json(path)
    terrain = record.get("terrain") if isinstance(record, dict) else None
    if isinstance(terrain, dict) and terrain.get("kind") == YieldingGround.kind:
        return Terrain.from_dict(terrain)  # type: ignore[return-value]
    return Ground.load(path)
