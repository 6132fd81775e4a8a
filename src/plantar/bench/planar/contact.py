"""What the sole touches: gaps between its boxes and the bench, without friction.

Every gap is the distance of a point from a rectangle, less a radius:

- the axis of a cylinder, or the rounded edge of a plate, from the underside of a box of the sole;
- a lower corner of a box of the sole from a plate.

This distance has a continuous gradient where boxes touch, corners included.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from plantar.bench.planar.kinematics import Body, Linkage

EDGE = 1e-5
"""Radius that rounds the edges of plates, so that corners that meet have one normal [m]."""
DEEP = 1.0
"""Plates are columns that reach down this far, so that nothing slips under them [m]."""


@dataclass(frozen=True)
class Cylinder:
    """A cylinder that lies across the sole."""

    name: str
    x: float
    top: float
    """Height of its top [m]."""
    radius: float


@dataclass(frozen=True)
class Plate:
    """A block with a flat top and vertical sides."""

    name: str
    x: float
    top: float
    """Height of its top [m]."""
    half: float
    """Half length along the sole [m]; infinite for a floor."""


@dataclass(frozen=True)
class Box:
    """A box of the sole."""

    name: str
    body: Body
    centre: tuple[float, float]
    """From the origin of the body [m]."""
    half: tuple[float, float]
    """Half length and half height [m]."""
    pitch: float = 0.0
    """Pitch in the body, front down [rad]."""

    def corner(self, x: float, z: float) -> np.ndarray:
        """Arms to a point (x, z) from the centre in units of the half sizes."""
        arm = complex(x * self.half[0], z * self.half[1]) * np.exp(-1j * self.pitch)
        return self.body.at(self.centre[0] + arm.real, self.centre[1] + arm.imag)


@dataclass(frozen=True)
class Pair:
    """One gap: a point against a rectangle, one of them on the sole and the other on the bench."""

    box: Box
    bench: Cylinder | Plate
    arms: np.ndarray
    """Arms to the centre of the box, or to its corner."""
    place: complex
    """The point of the bench, or the centre of its plate [m]."""
    moving: bool
    """True where the rectangle is the box of the sole."""
    half: tuple[float, float]
    """Half sizes of the rectangle [m]."""
    radius: float
    """Distance at which they touch [m]."""


def build_pairs(boxes: Sequence[Box], bench: Sequence[Cylinder | Plate]) -> list[Pair]:
    """All gaps between `boxes` of the sole and the `bench`."""
    pairs: list[Pair] = []
    for box in boxes:
        for part in bench:
            for point, radius in _edges(part):
                pairs.append(Pair(box, part, box.corner(0, 0), point, True, box.half, radius))
            if isinstance(part, Plate):
                half = (part.half - EDGE, DEEP / 2 - EDGE)
                centre = complex(part.x, part.top - DEEP / 2)
                pairs += [Pair(box, part, box.corner(end, -1), centre, False, half, EDGE) for end in (-1, 1)]
    return pairs


def _edges(part: Cylinder | Plate) -> list[tuple[complex, float]]:
    """Round parts of the bench: their centres and radii."""
    if isinstance(part, Cylinder):
        return [(complex(part.x, part.top - part.radius), part.radius)]
    if math.isinf(part.half):
        return []
    inner, top = part.half - EDGE, part.top - EDGE
    return [(complex(part.x + end * inner, top), EDGE) for end in (-1, 1)]


class Contacts:
    """All gaps of a sole as functions of its coordinates."""

    def __init__(self, linkage: Linkage, pairs: Sequence[Pair]):
        self.linkage = linkage
        self.pairs = tuple(pairs)
        self._arms = np.array([pair.arms for pair in pairs])
        self._place = np.array([pair.place for pair in pairs])
        self._moving = np.array([pair.moving for pair in pairs])
        self._half = np.array([pair.half for pair in pairs])
        self._radius = np.array([pair.radius for pair in pairs])
        self._frame = np.array([pair.box.body.frame for pair in pairs])
        self._pitch = np.array([pair.box.pitch for pair in pairs])

    def gaps(self, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Gaps [m], (n,), negative where bodies overlap, and their derivatives, (n, coordinates)."""
        _, w, dw = self._local(q)
        distance, normal, _ = box_distance(w, self._half)
        return distance - self._radius, np.real(np.conj(normal)[:, None] * dw)

    def curvature(self, q: np.ndarray, force: np.ndarray) -> np.ndarray:
        """sum_k force_k d2(gap_k)/dq2, (coordinates, coordinates)."""
        used = np.flatnonzero(force)
        turn, w, dw = (values[used] for values in self._local(q))
        _, normal, bend = box_distance(w, self._half[used])
        force, moving = force[used], self._moving[used]
        along = np.real(np.conj(1j * normal)[:, None] * dw)
        result = (along.T * (force * bend)) @ along
        # A point of the sole is P; the bench as a box of the sole sees it is w = turn (place - P).
        weights = np.where(moving, -np.conj(turn), 1.0) * force * normal
        result += self.linkage.curvature(self._arms[used], weights, q)
        angle = self.linkage.angles[self._frame[used]]
        outward = force * moving
        _, dp = self.linkage.points(self._arms[used], q)
        mixed = angle.T @ np.real((np.conj(normal) * turn * -1j * outward)[:, None] * dp)
        turned = (angle.T * (outward * np.real(np.conj(normal) * w))) @ angle
        return result + mixed + mixed.T - turned

    def _local(self, q: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Turn into the rectangle's frame, the point seen from the rectangle, and its derivative."""
        p, dp = self.linkage.points(self._arms, q)
        angle = self.linkage.angles[self._frame]
        turn = np.where(self._moving, np.exp(1j * (self.linkage.tilt + angle @ q + self._pitch)), 1.0)
        sign = np.where(self._moving, -1.0, 1.0)
        w = sign * turn * (p - self._place)
        dw = (sign * turn)[:, None] * dp + np.where(self._moving, 1j * w, 0.0)[:, None] * angle
        return turn, w, dw


def box_distance(w: np.ndarray, half: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Distance of points x + i z from rectangles around 0, negative inside.

    Args:
        w: Points, (n,).
        half: Half sizes of the rectangles, (n, 2).

    Returns:
        Distance, its gradient as a complex number, and its curvature along the edge.
    """
    x, z = np.real(w), np.imag(w)
    right, up = np.where(x < 0, -1.0, 1.0), np.where(z < 0, -1.0, 1.0)
    x, z = np.abs(x) - half[:, 0], np.abs(z) - half[:, 1]
    out_x, out_z = np.maximum(x, 0.0), np.maximum(z, 0.0)
    outside = np.hypot(out_x, out_z)
    inside = outside == 0
    face = np.where(x > z, 1.0, 1j)
    reach = np.where(inside, 1.0, outside)
    normal = np.where(inside, face, (out_x + 1j * out_z) / reach)
    normal = np.real(normal) * right + 1j * np.imag(normal) * up
    bend = np.where((out_x > 0) & (out_z > 0), 1 / reach, 0.0)
    return np.where(inside, np.maximum(x, z), outside), normal, bend
