"""The potential energy of the pressed sole: load, weight, heel spring and elastic bands."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from plantar.bench.planar.kinematics import FIRST, HEEL, SLIDER, Body, Linkage
from plantar.feet.parts import Part
from plantar.feet.softfoot.band_tendons import band_lengths
from plantar.feet.softfoot.softfoot import SoftFoot


@dataclass(frozen=True)
class Energy:
    """U(q) and its derivatives, without the load.

    U = W z + g Im sum_j m_j exp(-i a_j) + 1/2 k_heel heel^2 + chains * sum_i u(theta_i), with the
    first moments m_j of the masses on the frames and u the energy of a coupling's bands.
    """

    linkage: Linkage
    foot: SoftFoot
    moments: np.ndarray
    """Mass times arm on each frame [kg m]."""
    mass: float
    """Everything that hangs on the slider [kg]."""
    gravity: float
    """Gravity [m/s^2]."""

    @property
    def weight(self) -> float:
        """Weight that the bench carries besides the load [N]."""
        return self.mass * self.gravity

    def value(self, q: np.ndarray) -> float:
        """U [J]."""
        height = np.imag(self.moments @ self.linkage.turns(q))
        springs = 0.5 * self.foot.heel_stiffness * q[HEEL] ** 2 + self.foot.chains * self._bands(q)[0].sum()
        return float(self.weight * q[SLIDER] + self.gravity * height + springs)

    def gradient(self, q: np.ndarray) -> np.ndarray:
        """dU/dq [N, N m]."""
        turned = self.moments * self.linkage.turns(q)
        slope = -self.gravity * np.real(turned) @ self.linkage.angles
        slope[SLIDER] += self.weight
        slope[HEEL] += self.foot.heel_stiffness * q[HEEL]
        slope[FIRST:] += self.foot.chains * self._bands(q)[1]
        return slope

    def hessian(self, q: np.ndarray) -> np.ndarray:
        """d2U/dq2."""
        bend = np.zeros(self.linkage.size)
        bend[HEEL] = self.foot.heel_stiffness
        bend[FIRST:] = self.foot.chains * self._bands(q)[2]
        # The weight i g picks the height out of a point.
        weights = np.array([1j * self.gravity])
        return np.diag(bend) + self.linkage.curvature(self.moments[None, :], weights, q)

    def _bands(self, q: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        return band_energy(self.foot, q[FIRST:])


def build_energy(foot: SoftFoot, linkage: Linkage, gravity: float) -> Energy:
    """Hang the masses of `foot` on its linkage; the chains count as often as there are."""
    n, parts = foot.chains, foot.parts
    held: list[tuple[Body, Part, float]] = [
        (linkage.ankle, parts.ankle, 1.0),
        (linkage.ankle, parts.posterior_arch, 1.0),
        (linkage.arch, parts.anterior_arch, 1.0),
        (linkage.heel, parts.heel, n / 5),
    ]
    held += [(body, link.part, n) for body, link in zip(linkage.links, linkage.layout.links, strict=True)]
    moments = np.sum([times * part.mass * body.at(part.com[0], part.com[2]) for body, part, times in held], axis=0)
    mass = sum(times * part.mass for _, part, times in held)
    return Energy(linkage, foot, moments, mass, gravity)


def band_energy(foot: SoftFoot, theta: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Energy of one coupling's bands [J] and its first two derivatives by the coupling's angle.

    Carried to the joints, both hinges of a pair turn by theta / 2 against k: k theta^2 / 4, which
    is also what the single hinge has. As a band it is stretched between its exit points, which are
    `d - 2 a cos(theta / 2)` apart on a rolling pair; a single hinge has the spring of that band.
    """
    band, d = foot.band, foot.coupling_length
    if foot.band_model == "joint":
        k = 0.5 * band.hinge_stiffness
        return 0.5 * k * theta**2, k * theta, np.full_like(theta, k)
    hidden, _, natural = band_lengths(band, d)
    a = band.exit_offset
    still, turning = d, -2 * a
    cos, sin = np.cos(theta / 2), np.sin(theta / 2)
    stretch = np.maximum(2 * hidden + still + turning * cos - natural, 0.0)
    slope, bend = -turning * sin / 2, -turning * cos / 4
    k = band.axial_stiffness * (stretch > 0)
    return 0.5 * k * stretch**2, k * stretch * slope, k * (slope**2 + stretch * bend)
