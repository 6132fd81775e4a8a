"""Published numbers of grounds, each with its source and with how far the source was read.

The springs are from the abstracts of the papers named. The soils were read in public terramechanics code that
quotes Wong's table, two such codes agreeing on dry sand, clayey soil and snow; they were not checked
against the book.
"""

from __future__ import annotations

from typing import NamedTuple


class Soil(NamedTuple):
    """Bekker and Mohr-Coulomb numbers of a soil, in the units in which they are printed."""

    text: str
    n: float
    k_c: float
    """[kN/m^(n + 1)]."""
    k_phi: float
    """[kN/m^(n + 2)]."""
    cohesion: float
    """[kPa]."""
    friction_angle: float
    """[degrees]."""
    row: str
    """Row of the table, as the code that quotes it calls it."""
    m: float = 0.0
    """Exponent of size."""
    fitted: str = ""
    """What it was fitted to here, with the error on data left out; empty for numbers as they are printed."""


class Spring(NamedTuple):
    """A surface that was measured as a spring under one human foot."""

    text: str
    stiffness: float
    """[kN/m]."""
    source: str


WONG = (
    "J. Y. Wong, Theory of Ground Vehicles, 4th ed., 2008, Table 2.3 "
    "(as quoted in public code, not checked in the book)"
)
KERDOK = (
    "A. E. Kerdok, A. A. Biewener, T. A. McMahon, P. G. Weyand, H. M. Herr, Energetics and mechanics of human running "
    "on surfaces of different stiffnesses (abstract, researchgate.net/publication/11561539)"
)
FERRIS = (
    "D. P. Ferris, K. Liang, C. T. Farley, Runners adjust leg stiffness for their first step on a new running "
    "surface, J. Biomechanics 32, 787-794, 1999 (abstract)"
)

PAVLOV = (
    "C. Pavlov, Carnegie Mellon University, robomechanics/3d-terramechanics (MIT): presses of plates into dry sand, "
    "density 1330 kg/m^3, angle of repose 29 degrees"
)
PLATES = (
    "fitted here to 10 presses of round plates of 60, 80 and 100 mm in two boxes, 2 to 20 mm deep; sizes and boxes "
    "left out: 2 to 4 % of the mean pressure, single presses up to 12 %"
)

SOILS = {
    "testbed_sand": Soil("dry sand of a test bed", 1.276, 0.0, 5016.0, 0.0, 29.0, PAVLOV, m=1.127, fitted=PLATES),
    "dry_sand": Soil("dry sand", 1.1, 0.99, 1528.43, 1.04, 28.0, "Dry Sand (Land Locomotion Lab)"),
    "lete_sand": Soil("LETE sand", 0.79, 102.0, 5301.0, 1.3, 31.1, "LETE sand (Wong)"),
    "sandy_loam": Soil(
        "sandy loam, 15 % water", 0.7, 5.27, 1515.04, 1.72, 29.0, "Sandy Loam, 15 % (Land Locomotion Lab)"
    ),
    "upland_loam": Soil(
        "upland sandy loam, 51 % water", 1.10, 74.6, 2080.0, 3.3, 33.7, "Upland sandy loam, 51 % (Wong)"
    ),
    "clayey_soil": Soil("clayey soil, 38 % water", 0.5, 13.19, 692.15, 4.14, 13.0, "Clayey Soil, 38 % (Thailand)"),
    "snow": Soil("snow, United States", 1.6, 4.37, 196.72, 1.03, 19.7, "Snow (U.S.)"),
    "snow_sweden": Soil("snow, Sweden", 1.44, 10.55, 66.08, 6.0, 20.7, "Snow (Sweden)"),
}
"""Soils by name."""

SPRINGS = {
    "stiff_platform": Spring("stiffest platform on a treadmill", 945.7, KERDOK),
    "middle_platform": Spring("platform of middle stiffness on a treadmill", 216.8, KERDOK),
    "soft_platform": Spring("softest platform on a treadmill", 75.4, KERDOK),
    "hard_rubber": Spring("hard rubber running surface", 533.0, FERRIS),
    "soft_rubber": Spring("soft rubber running surface", 21.3, FERRIS),
}
"""Springs by name."""
