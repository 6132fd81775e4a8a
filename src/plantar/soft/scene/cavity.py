"""Closed cavities under pressure."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from plantar._checks import require, require_choice
from plantar._config import Checked, Limit
from plantar._jit import njit
from plantar.errors import InvalidInput
from plantar.soft.fem.parts import check_name
from plantar.soft.mesh.check import check_closed
from plantar.soft.mesh.mesh import chosen
from plantar.soft.scene.body import SoftBody
from plantar.soft.scene.mapping import Barycentric, Outside


@dataclass(frozen=True, kw_only=True, eq=False)
class Cavity(Checked):
    """A closed surface in a body that gas pushes on.

    Its stroke is the growth of its volume [m^3], its effort the pressure [Pa]. The pressure follows the surface.
    """

    name: str
    """Its name in the scene."""
    body: str
    """The body it is in."""
    surface: str | np.ndarray | Sequence[Sequence[int]]
    """Name of a closed surface of the mesh, or triangles (k, 3) of nodes, or of `points` if those are given."""
    points: np.ndarray | Sequence[Sequence[float]] | Barycentric | None = None
    """Vertices of a surface that is not made of the mesh's nodes: places (n, 3) [m], or nodes and weights."""
    drive: Literal["pressure", "volume"] = "pressure"
    """Whether a command is a pressure [Pa] or a growth of volume [m^3]."""
    unilateral: bool = False
    """Whether pressure stays above 0 under volume control and in the inverse (no vacuum)."""
    max_pressure: Limit = math.inf
    """Largest pressure [Pa]."""
    stroke: tuple[Limit, Limit] = (-math.inf, math.inf)
    """Least and largest growth of volume that the inverse may use [m^3]."""
    outside: Outside = "extrapolate"
    """What to do with vertices outside all tetrahedra: those of a surface file miss by rounding."""

    def __post_init__(self) -> None:
        check_name(self.name)
        where = f"cavity {self.name!r}: "
        require_choice(f"{where}drive", self.drive, ("pressure", "volume"))
        require(self.max_pressure > 0, f"{where}max_pressure", self.max_pressure, "a number above 0, in Pa")
        low, high = self.stroke
        require(
            low <= high and low < math.inf and high > -math.inf, f"{where}stroke", self.stroke, "the lower limit first"
        )
        if self.points is not None and isinstance(self.surface, str):
            raise InvalidInput(f"{where}give triangles of its points, or a surface of the mesh without points")

    @property
    def limits(self) -> tuple[float, float]:
        """Least and largest pressure."""
        return (0.0 if self.unilateral else -self.max_pressure), self.max_pressure


@njit()
def cavity_volume(p, triangles, centre, gradient):
    """Volume of a closed surface and its derivative by the vertices."""
    gradient[:] = 0.0
    total = 0.0
    for t in range(len(triangles)):
        i, j, k = triangles[t, 0], triangles[t, 1], triangles[t, 2]
        ax, ay, az = p[i, 0] - centre[0], p[i, 1] - centre[1], p[i, 2] - centre[2]
        bx, by, bz = p[j, 0] - centre[0], p[j, 1] - centre[1], p[j, 2] - centre[2]
        cx, cy, cz = p[k, 0] - centre[0], p[k, 1] - centre[1], p[k, 2] - centre[2]
        ux, uy, uz = by * cz - bz * cy, bz * cx - bx * cz, bx * cy - by * cx
        total += ax * ux + ay * uy + az * uz
        gradient[i, 0] += ux
        gradient[i, 1] += uy
        gradient[i, 2] += uz
        gradient[j, 0] += cy * az - cz * ay
        gradient[j, 1] += cz * ax - cx * az
        gradient[j, 2] += cx * ay - cy * ax
        gradient[k, 0] += ay * bz - az * by
        gradient[k, 1] += az * bx - ax * bz
        gradient[k, 2] += ax * by - ay * bx
    for i in range(len(p)):
        for a in range(3):
            gradient[i, a] /= 6.0
    return total / 6.0


class LiveCavity:
    """A cavity at work in a scene; its row of H is the derivative of its volume."""

    rows = 1
    has_friction = False

    def __init__(self, cavity: Cavity, placer: Any, x: np.ndarray, quat: np.ndarray):
        self.cavity, self.name = cavity, cavity.name
        user = f"cavity {cavity.name!r}"
        body = placer.body(cavity.body, user)
        if not isinstance(body, SoftBody):
            raise InvalidInput(f"{user}: body {cavity.body!r} is not made of tetrahedra; a cavity needs a SoftBody")
        surface = cavity.surface
        triangles = np.asarray(body.mesh.surface(surface) if isinstance(surface, str) else surface, dtype=np.int64)
        check_closed(triangles, user)
        if cavity.points is None:
            chosen(f"{user}: surface", triangles, len(body.mesh.nodes))
            used, compact = np.unique(triangles, return_inverse=True)
            self.map = placer.nodes(cavity.body, used)
            triangles = compact.reshape(-1, 3)
        else:
            self.map = placer.map(cavity.body, cavity.points, user, cavity.outside)
            chosen(f"{user}: surface", triangles, len(self.map))
        self.triangles = np.ascontiguousarray(triangles, dtype=np.int32)
        p = self.map.positions(x, quat)
        self.centre = p.mean(axis=0)
        self._gradient = np.zeros((len(self.map), 3))
        self.sign = 1.0
        volume = cavity_volume(p, self.triangles, self.centre, self._gradient)
        require(abs(volume) > 0, f"{user}: volume", volume, "a surface that encloses something")
        # a mesh's cavity faces out of the material, so into the cavity
        self.sign = 1.0 if volume > 0 else -1.0
        self.rest = abs(volume)

    def measure(self, x: np.ndarray, quat: np.ndarray) -> float:
        """Growth of the volume."""
        p = self.map.positions(x, quat)
        return self.sign * cavity_volume(p, self.triangles, self.centre, self._gradient) - self.rest

    def evaluate(self, x: np.ndarray, quat: np.ndarray, H: np.ndarray) -> float:
        """Growth of the volume, and its derivative into `H`."""
        growth = self.measure(x, quat)
        self.map.pull(self.sign * self._gradient, quat, H)
        return growth

    def load(self, x: np.ndarray, quat: np.ndarray, out: np.ndarray, sliding: float = 1.0) -> None:
        """Forces of unit pressure."""
        self.evaluate(x, quat, out)
