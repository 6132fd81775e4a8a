"""The sole as a planar linkage: every point is a sum of turning arms.

A point (x, z) is the complex number x + i z, and turning by an angle a, front down, multiplies an
arm by exp(-i a). The angles a of all frames are linear in the coordinates q, so that

    P(q) = i z + sum_j c_j exp(-i a_j(q)),        a(q) = tilt + A q

with constant arms c_j, and first and second derivatives follow at once:

    dP   = i dz - i sum_j c_j exp(-i a_j) A_j,    d2P = - sum_j c_j exp(-i a_j) A_j A_j^T.

Coordinates: q = (slider height z, heel, anterior arch, one angle for each coupling, heel to toe).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from plantar.feet.softfoot.layout import Chain, chain_layout
from plantar.feet.softfoot.softfoot import SoftFoot

SLIDER, HEEL, ARCH, FIRST = 0, 1, 2, 3
"""Coordinates: slider height, heel, anterior arch, first coupling."""


@dataclass(frozen=True)
class Body:
    """A rigid part: the frame that it turns with and the arms that lead to its origin."""

    frame: int
    origin: np.ndarray
    """Arms from the slider to the body's origin, one for each frame [m]."""

    def at(self, x: float, z: float) -> np.ndarray:
        """Arms that lead to a point of the body, (x, z) in the straight foot from its origin [m]."""
        arms = self.origin.copy()
        arms[self.frame] += complex(x, z)
        return arms


@dataclass(frozen=True)
class Linkage:
    """Ankle, arches, heel and one chain, which stands for all chains of the foot."""

    layout: Chain
    angles: np.ndarray
    """A: pitch of each frame for each coordinate, (frames, coordinates)."""
    tilt: float
    """Pitch of every frame in the straight foot [rad]."""
    ankle: Body
    heel: Body
    arch: Body
    links: tuple[Body, ...]
    """Modules, metatarsus and toes."""

    @property
    def size(self) -> int:
        """Number of coordinates."""
        return self.angles.shape[1]

    def turns(self, q: np.ndarray) -> np.ndarray:
        """exp(-i a) of every frame."""
        return np.exp(-1j * (self.tilt + self.angles @ q))

    def pitches(self, q: np.ndarray) -> np.ndarray:
        """Pitch of every link, front down, in the world [rad]."""
        frames = [link.frame for link in self.links]
        return self.tilt + self.angles[frames] @ q

    def points(self, arms: np.ndarray, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Points x + i z [m], (n,), and their derivatives, (n, coordinates)."""
        turned = arms * self.turns(q)
        jacobian = -1j * turned @ self.angles
        jacobian[:, SLIDER] += 1j
        return 1j * q[SLIDER] + turned.sum(axis=1), jacobian

    def curvature(self, arms: np.ndarray, weights: np.ndarray, q: np.ndarray) -> np.ndarray:
        """Re sum_k conj(weights_k) d2P_k, (coordinates, coordinates)."""
        turned = np.real(np.conj(weights) @ arms * self.turns(q))
        return -(self.angles.T * turned) @ self.angles

    def gaps(self, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Loop gap (x, z) between metatarsus and anterior arch [m], (2,), and its derivative."""
        (gap,), (slope,) = self.points(self.loop, q)
        # The slider carries both sides of the loop.
        slope[SLIDER], gap = 0.0, gap - 1j * q[SLIDER]
        return np.array([gap.real, gap.imag]), np.array([slope.real, slope.imag])

    @property
    def loop(self) -> np.ndarray:
        """Arms from the joint on the arch to the joint on the metatarsus, (1, frames)."""
        sole = self.links[self.layout.metatarsus]
        joint = self.layout.metatarsal_joint
        return (sole.at(*self._joint_on_sole) - self.arch.at(*joint))[None, :]

    @property
    def _joint_on_sole(self) -> tuple[float, float]:
        layout = self.layout
        x, z = layout.metatarsal_joint
        return x - layout.origins[layout.metatarsus], z - layout.height


def build_linkage(foot: SoftFoot, tilt: float) -> Linkage:
    """Lay out the linkage of `foot`, held at pitch `tilt` by the slider."""
    layout = chain_layout(foot)
    n = len(layout.links)
    # Frames: ankle, heel, arch, then coupling and link of each module.
    angles = np.zeros((3 + 2 * n, FIRST + n))
    angles[1, HEEL] = angles[2, ARCH] = 1.0
    ankle = Body(0, np.zeros(3 + 2 * n, complex))
    heel = Body(1, ankle.at(*foot.heel_joint))
    links: list[Body] = []
    behind, end = heel, heel.at(*foot.chain_start)
    d = foot.coupling_length
    for i, link in enumerate(layout.links):
        middle, own = 3 + 2 * i, 4 + 2 * i
        angles[[middle, own]] = angles[behind.frame]
        angles[[middle, own], FIRST + i] = 0.5, 1.0
        origin = end.copy()
        if foot.coupling == "rolling":
            # Both hinges turn by half of the angle: the arm between them is at the mean pitch.
            origin[middle] += d
        else:
            origin[[behind.frame, own]] += d / 2
        behind = Body(own, origin)
        links.append(behind)
        end = behind.at(link.length, 0.0)
    return Linkage(layout, angles, tilt, ankle, heel, Body(2, ankle.origin), tuple(links))
