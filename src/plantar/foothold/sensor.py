"""What a sensor makes of the ground: noise, smear, drop-outs and hidden cells."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from scipy import ndimage

from plantar._checks import check_at_least, require
from plantar._config import Checked
from plantar.foothold._jit import compiled, has_numba
from plantar.ground.terrain.elevation_map import ElevationMap

Vector = tuple[float, float, float]


@dataclass(frozen=True, kw_only=True)
class Sensor(Checked):
    """A model of an elevation mapper's faults; the default sees everything exactly."""

    noise: float = 0.0
    """Standard deviation of the height of a cell [m]."""
    noise_range: float = 0.0
    """How much of it is added for each metre from the sensor [m/m]."""
    outliers: float = 0.0
    """Fraction of cells that are wrong by up to `outlier_size`."""
    outlier_size: float = 0.1
    """Largest error of an outlier [m]."""
    smear: float = 0.0
    """Standard deviation of the blur over neighbours [m]: edges become ramps."""
    drift: float = 0.0
    """Sideways spread of several readings that are averaged, from errors of the robot's pose [m]."""
    tilt: float = 0.0
    """Standard deviation of a false slope of the whole map, from errors of attitude [rad]."""
    offset: float = 0.0
    """Standard deviation of the whole map's height [m]."""
    dropouts: float = 0.0
    """Fraction of single cells that are not seen."""
    patches: float = 0.0
    """Fraction of cells that are lost in patches of a few cells, as glossy or wet ground loses them."""
    stripes: float = 0.0
    """Fraction of cells between the rings of a turning scanner that are not seen."""
    viewpoint: Vector | None = None
    """Where it looks from, from the middle of the map, z over the map's own zero [m]; what is hidden from there
    is not seen. None sees behind everything."""

    def __post_init__(self) -> None:
        """Check every field; the first bad one is named."""
        amounts = ("noise", "noise_range", "outlier_size", "smear", "drift", "tilt", "offset")
        check_at_least(self, "", amounts)
        for name in amounts:
            require(getattr(self, name) <= 1, name, getattr(self, name), "metres or radians, 1 at most")
        for name in ("outliers", "dropouts", "patches", "stripes"):
            value = getattr(self, name)
            require(0 <= value <= 0.9, name, value, "a share from 0 to 0.9")

    @classmethod
    def depth_camera(cls, viewpoint: Vector | None = (-0.3, 0.3, 0.05)) -> Sensor:
        """A depth camera on the robot's front: noise that grows with distance, smeared edges, lost patches."""
        return cls(
            noise=0.003, noise_range=0.004, outliers=0.002, smear=0.012, drift=0.008, tilt=0.01, offset=0.01,
            dropouts=0.02, patches=0.04, viewpoint=viewpoint,
        )  # fmt: skip

    @classmethod
    def lidar(cls, viewpoint: Vector | None = (-0.5, 0.2, 0.35)) -> Sensor:
        """A turning scanner on the robot's back: sharper, with rings between which nothing is seen."""
        return cls(
            noise=0.008, outliers=0.01, outlier_size=0.05, smear=0.004, drift=0.015, tilt=0.02, offset=0.02,
            stripes=0.3, viewpoint=viewpoint,
        )  # fmt: skip

    def observe(self, ground: ElevationMap, rng: np.random.Generator) -> ElevationMap:
        """The map that the sensor would deliver of `ground`; NaN where it sees nothing."""
        h = self._averaged(ground, rng)
        x, y = np.meshgrid(ground.x - ground.centre[0], ground.y - ground.centre[1])
        eye = np.array(self.viewpoint if self.viewpoint else (0.0, 0.0, 0.5))
        far = np.sqrt((x - eye[0]) ** 2 + (y - eye[1]) ** 2 + (np.nan_to_num(ground.heights) - eye[2]) ** 2)
        h = h + rng.normal(size=h.shape) * (self.noise + self.noise_range * far)
        wrong = rng.random(h.shape) < self.outliers
        h = h + wrong * rng.uniform(-self.outlier_size, self.outlier_size, h.shape)
        a, b = rng.normal(0, self.tilt, 2)
        h = h + a * x + b * y + rng.normal(0, self.offset)
        lost = np.isnan(ground.heights) | (rng.random(h.shape) < self.dropouts) | self._patches(h.shape, rng)
        lost |= self._stripes(x, y, eye, rng)
        if self.viewpoint is not None:
            lost |= hidden(ground, eye)
        if lost.all():  # a map of nothing is no map
            lost[lost.shape[0] // 2, lost.shape[1] // 2] = False
        return replace(ground, heights=np.where(lost, np.nan, h))

    def _averaged(self, ground: ElevationMap, rng: np.random.Generator) -> np.ndarray:
        """Heights blurred, and averaged over a few readings from places that are a little off."""
        h = ground.filled().heights
        if self.smear > 0:
            h = ndimage.gaussian_filter(h, self.smear / ground.cell, mode="nearest")
        if self.drift > 0:
            moves = rng.normal(0, self.drift / ground.cell, (4, 2))
            h = np.mean([ndimage.shift(h, move, order=1, mode="nearest") for move in moves], axis=0)
        return h

    def _patches(self, shape: tuple[int, ...], rng: np.random.Generator) -> np.ndarray:
        if self.patches == 0:
            return np.zeros(shape, bool)
        blobs = ndimage.gaussian_filter(rng.normal(size=shape), 1.5)
        return blobs > np.quantile(blobs, 1 - self.patches)

    def _stripes(self, x: np.ndarray, y: np.ndarray, eye: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        if self.stripes == 0:
            return np.zeros(x.shape, bool)
        # Rings of equal steps of the scanner's angle lie the wider apart the farther they are.
        angle = np.arctan2(np.hypot(x - eye[0], y - eye[1]), max(eye[2] + 0.5, 0.1))
        return ((angle / math.radians(2.0) + rng.random()) % 1.0) < self.stripes


def hidden(ground: ElevationMap, eye: np.ndarray) -> np.ndarray:
    """Which cells cannot be seen from a point given from the map's middle (rows, columns).

    A cell is hidden if another one on the line of sight stands out of that line by more than half a cell.
    """
    h = np.where(np.isnan(ground.heights), -np.inf, ground.heights)
    rows, columns = h.shape
    at = ((rows - 1) / 2 + eye[1] / ground.cell, (columns - 1) / 2 + eye[0] / ground.cell)
    if not has_numba():
        return hidden_plain(h, at[0], at[1], float(eye[2]), 0.5 * ground.cell)
    found = np.zeros(h.shape, bool)
    hidden_loop(h, at[0], at[1], float(eye[2]), 0.5 * ground.cell, found)
    return found


def hidden_plain(h: np.ndarray, j0: float, i0: float, height: float, spare: float) -> np.ndarray:
    """As `hidden_loop`, for all cells at once with NumPy."""
    rows, columns = h.shape
    j, i = np.indices(h.shape)
    own = np.where(np.isfinite(h), h, 0.0)
    steps = np.maximum(np.abs(j - j0), np.abs(i - i0)).astype(int) + 1
    found, walks = np.zeros(h.shape, bool), np.ones(h.shape, bool)
    for k in range(1, int(steps.max())):
        t = k / steps
        a, b = np.rint(j + t * (j0 - j)).astype(int), np.rint(i + t * (i0 - i)).astype(int)
        walks &= (k < steps) & (a >= 0) & (b >= 0) & (a < rows) & (b < columns)
        level = h[np.where(walks, a, 0), np.where(walks, b, 0)]
        found |= walks & ((a != j) | (b != i)) & (level > own + t * (height - own) + spare)
    return found


@compiled
def hidden_loop(h, j0, i0, height, spare, found):
    """Walk from each cell towards the eye, cell by cell."""
    rows, columns = h.shape
    for j in range(rows):
        for i in range(columns):
            own = h[j, i] if np.isfinite(h[j, i]) else 0.0
            steps = int(max(abs(j - j0), abs(i - i0))) + 1
            for k in range(1, steps):
                t = k / steps
                a, b = int(np.rint(j + t * (j0 - j))), int(np.rint(i + t * (i0 - i)))
                if a < 0 or b < 0 or a >= rows or b >= columns:
                    break
                if (a != j or b != i) and h[a, b] > own + t * (height - own) + spare:
                    found[j, i] = True
                    break
