"""Cables through a body."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from plantar._checks import require, require_choice
from plantar._config import Checked, Limit, Vector
from plantar._jit import njit
from plantar.errors import InvalidInput
from plantar.soft.fem.parts import check_name
from plantar.soft.scene.mapping import Barycentric, Outside


@dataclass(frozen=True, kw_only=True, eq=False)
class Cable(Checked):
    """A cable that runs through points of a body and is pulled at one end.

    Its stroke is its rest length less its length: above 0 when pulled. Its effort is its tension [N].
    """

    name: str
    """Its name in the scene."""
    body: str | Sequence[str]
    """The body its points are on, or one name per point."""
    points: np.ndarray | Sequence[Sequence[float]] | Barycentric
    """Waypoints from the pulled end to the far end: places in the rest shape (n, 3) [m], or nodes and weights."""
    anchor: Vector | None = None
    """Where it leaves towards the motor, fixed in the world [m]; None: it is pulled at its first point."""
    drive: Literal["length", "force"] = "length"
    """Whether a command is a stroke [m] or a tension [N]."""
    unilateral: bool = True
    """Whether it can go slack; a rod, which also pushes, cannot."""
    friction: float = 0.0
    """Coulomb friction at waypoints: tension falls by exp(-friction x angle) along the cable while it is pulled."""
    max_force: Limit = math.inf
    """Largest tension [N]; a longer stroke is then not reached."""
    stroke: tuple[Limit, Limit] = (-math.inf, math.inf)
    """Least and largest stroke that the inverse may use [m]."""
    outside: Outside = "error"
    """What to do with points outside the body."""

    def __post_init__(self) -> None:
        check_name(self.name)
        where = f"cable {self.name!r}: "
        require_choice(f"{where}drive", self.drive, ("length", "force"))
        require_choice(f"{where}outside", self.outside, ("error", "extrapolate"))
        require(0 <= self.friction < math.inf, f"{where}friction", self.friction, "a number not below 0")
        require(self.max_force > 0, f"{where}max_force", self.max_force, "a number above 0, in N")
        low, high = self.stroke
        require(
            low <= high and low < math.inf and high > -math.inf, f"{where}stroke", self.stroke, "the lower limit first"
        )
        count = len(self.points.nodes) if isinstance(self.points, Barycentric) else len(self.points)
        least = 1 if self.anchor is not None else 2
        require(count >= least, f"{where}points", count, f"at least {least} points")
        if not isinstance(self.body, str):
            require(len(self.body) == count, f"{where}body", self.body, f"one name, or {count}")
            if isinstance(self.points, Barycentric):
                raise InvalidInput(f"{where}nodes and weights are on one body: give one name, or places of the points")
        if self.anchor is not None:
            ok = len(self.anchor) == 3 and bool(np.isfinite(self.anchor).all())
            require(ok, f"{where}anchor", self.anchor, "a place of three numbers")

    @property
    def limits(self) -> tuple[float, float]:
        """Least and largest tension."""
        return (0.0 if self.unilateral else -self.max_force), self.max_force


CLOSED = 1e-3
"""A fraction of the shortest segment: the length below which a segment stops pulling its ends together."""
SHUT = 0.01
"""The same fraction, below which ends of a segment count as having met."""


@njit()
def cable_length(p, anchor, anchored, closed, gradient):
    """Length of a cable and its derivative by the points; a segment d counts as sqrt(d^2 + closed^2).

    The length of a segment whose ends meet has no derivative, and a search for an equilibrium would jump from one side
    of the kink to the other forever.
    """
    gradient[:] = 0.0
    total = 0.0
    if anchored:
        total += _segment(anchor, p[0], closed, gradient[0], gradient[0], False)
    for i in range(len(p) - 1):
        total += _segment(p[i], p[i + 1], closed, gradient[i], gradient[i + 1], True)
    return total


@njit()
def cable_segments(p, anchor, anchored):
    """Vectors along the segments, the one from the anchor first."""
    first = 1 if anchored else 0
    d = np.empty((len(p) - 1 + first, 3))
    if anchored:
        d[0] = p[0] - anchor
    for i in range(len(p) - 1):
        d[i + first] = p[i + 1] - p[i]
    return d


@njit()
def cable_pull(p, anchor, anchored, closed, friction, sliding, load):
    """Forces on the points for unit tension at the pulled end, with capstan friction at the waypoints.

    `sliding` is 1 while the cable is pulled in, -1 while it is let out and 0 without friction.
    """
    load[:] = 0.0
    tension = 1.0
    before = np.zeros(3)
    known = False
    if anchored:
        before, full = _direction(anchor, p[0], closed)
        known = True
        load[0] -= full * before
    for i in range(len(p) - 1):
        d, full = _direction(p[i], p[i + 1], closed)
        if known and friction > 0.0:
            c = before[0] * d[0] + before[1] * d[1] + before[2] * d[2]
            tension *= math.exp(-sliding * friction * math.acos(min(1.0, max(-1.0, c))))
        load[i] += tension * full * d
        load[i + 1] -= tension * full * d
        before, known = d, True


@njit()
def _direction(a, b, closed):
    """Unit vector along a segment, and the fraction of the tension that it pulls with."""
    d = b - a
    n = math.sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2])
    return (d / n if n > 0.0 else d), n / math.sqrt(n * n + closed * closed)


@njit()
def _segment(a, b, closed, ga, gb, both):
    x, y, z = b[0] - a[0], b[1] - a[1], b[2] - a[2]
    length = math.sqrt(x * x + y * y + z * z + closed * closed)
    if both:
        ga[0] -= x / length
        ga[1] -= y / length
        ga[2] -= z / length
    gb[0] += x / length
    gb[1] += y / length
    gb[2] += z / length
    return length


class LiveCable:
    """A cable at work in a scene.

    Its row of H is the derivative of the stroke, so that a tension t loads the blocks with H^T t.
    """

    rows = 1

    def __init__(self, cable: Cable, placer: Any, x: np.ndarray, quat: np.ndarray):
        from plantar.soft.scene.mapping import join  # noqa: PLC0415

        self.cable, self.name = cable, cable.name
        user = f"cable {cable.name!r}"
        if isinstance(cable.body, str):
            self.map = placer.map(cable.body, cable.points, user, cable.outside)
        else:
            assert not isinstance(cable.points, Barycentric)
            pairs = zip(cable.body, np.asarray(cable.points, dtype=float), strict=True)
            self.map = join([placer.map(b, p, user, cable.outside) for b, p in pairs])
        self.anchored = cable.anchor is not None
        self.anchor = np.asarray(cable.anchor if cable.anchor is not None else np.zeros(3), dtype=float)
        self._gradient = np.zeros((len(self.map), 3))
        self.segments = np.linalg.norm(self.ends(x, quat), axis=1)
        require(bool((self.segments > 0).any()), f"{user}: length", 0.0, "points at different places")
        self.shortest = float(self.segments[self.segments > 0].min())
        self.closed = CLOSED * self.shortest
        self.rest = self._length(x, quat)

    def _length(self, x: np.ndarray, quat: np.ndarray) -> float:
        """Length, with its derivative in `_gradient`."""
        return cable_length(self.map.positions(x, quat), self.anchor, self.anchored, self.closed, self._gradient)

    def measure(self, x: np.ndarray, quat: np.ndarray) -> float:
        """Stroke."""
        return self.rest - self._length(x, quat)

    def evaluate(self, x: np.ndarray, quat: np.ndarray, H: np.ndarray) -> float:
        """Stroke, and its derivative into `H` (blocks, 3)."""
        length = self._length(x, quat)
        self.map.pull(-self._gradient, quat, H)
        return self.rest - length

    def load(self, x: np.ndarray, quat: np.ndarray, out: np.ndarray, sliding: float = 1.0) -> None:
        """Forces of a unit tension where friction makes them differ from H^T; `sliding` is 1 while it is pulled in."""
        force = np.zeros_like(self._gradient)
        p = self.map.positions(x, quat)
        cable_pull(p, self.anchor, self.anchored, self.closed, self.cable.friction, sliding, force)
        self.map.pull(force, quat, out)

    def ends(self, x: np.ndarray, quat: np.ndarray) -> np.ndarray:
        """Vectors along the segments, the one from the anchor first."""
        return cable_segments(self.map.positions(x, quat), self.anchor, self.anchored)

    def shut(self, x: np.ndarray, quat: np.ndarray) -> bool:
        """Whether the ends of a segment that had a length at rest have met."""
        d = self.ends(x, quat)
        near = np.einsum("ij,ij->i", d, d) < (SHUT * self.shortest) ** 2
        return bool((near & (self.segments > 0)).any())

    @property
    def has_friction(self) -> bool:
        """Whether the load differs from the derivative of the stroke."""
        return self.cable.friction > 0
