"""Masses and inertias of the SoftFoot-Q's rigid parts.

The figures are those of the CAD sheets in the description that the Centro Piaggio published
(`CentroEPiaggio/softfoot-thing`, BSD-3), turned into axes x forward, y left, z up. The description puts the
chain links' moments at the wrong axes (the smallest about the lateral one) and the ankle's Izz at 1.05e-6;
here the long axis of a link has its smallest moment, and the ankle has the 4.05e-6 of its sheet.
"""

from __future__ import annotations

from dataclasses import dataclass

from plantar._config import Checked
from plantar.feet.parts import Part

REFERENCE_WIDTH = 0.017
"""Width of the outer link that the sheets describe [m]; a narrower chain has its share of the mass."""


@dataclass(frozen=True, kw_only=True)
class PartsQ(Checked):
    """The rigid parts of a SoftFoot-Q; a part's origin is its joint with the part before it."""

    ankle: Part = Part(0.0181, (0.0, 0.0, 0.0154), (4.50e-6, 1.88e-6, 4.05e-6))
    """Ankle base; origin at the axis of the arches."""
    arch: Part = Part(
        0.0256, (0.0356, -0.0011, -0.0078), (3.13e-6, 12.39e-6, 11.87e-6), (-0.3627e-6, 3.6816e-6, 0.1283e-6)
    )
    """Front arch link; the back one is the same part turned by half a turn about the vertical."""
    roll: Part = Part(0.0177, (0.0010, 0.0, -0.0112), (3.62e-6, 0.91e-6, 3.27e-6))
    """Front roll link, in axes tilted with its hinge; the back one is turned likewise."""
    inner: Part = Part(0.0082, (0.00635, 0.0, 0.0), (0.212e-6, 0.521e-6, 0.454e-6))
    """Inner chain link, from its rear pin."""
    outer: Part = Part(0.0156, (0.00635, 0.0, -0.0039), (0.858e-6, 0.923e-6, 0.847e-6))
    """Outer chain link with its stud and pad, from its rear pin."""


def turned(part: Part) -> Part:
    """The part turned by half a turn about z."""
    x, y, z = part.com
    xy, xz, yz = part.products
    return Part(part.mass, (-x, -y, z), part.inertia, (xy, -xz, -yz))
