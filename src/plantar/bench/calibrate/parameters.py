"""What can be calibrated: fields of the foot and of the rig, each between two bounds."""

from __future__ import annotations

import math
import numbers
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from plantar._checks import require
from plantar._fields import edited
from plantar.bench.press.rig import PressRig
from plantar.errors import InvalidInput
from plantar.feet.foot import Foot

RIG = "rig."
"""Prefix of the fields of the rig; all other names are fields of the foot."""


@dataclass(frozen=True, kw_only=True)
class FitParameter:
    """One field that a calibration may change."""

    low: float
    """Smallest value [SI]."""
    high: float
    """Largest value [SI]."""
    unit: str
    """Unit, for display."""
    meaning: str
    """What it is."""
    remedy: str
    """How to find its value without this bench."""
    log: bool = False
    """Whether equal ratios count as equal steps, as for stiffnesses and sizes."""


_BAND = "take it from the band's datasheet"
_CALLIPER = "measure it with a calliper"
_RULER = "measure it from the ankle with a ruler"
_STIFFNESS = "bend a coupling by a known angle with a spring scale"
_LEVEL = "read it from a spirit level on the ankle block"

PARAMETERS: dict[str, FitParameter] = {
    "band.stiffness": FitParameter(
        low=0.2, high=1.6, unit="N m/rad", meaning="stiffness of each hinge", remedy=_STIFFNESS, log=True
    ),
    "band.hardness": FitParameter(low=30, high=80, unit="Shore A", meaning="hardness of the bands", remedy=_BAND),
    "band.width": FitParameter(low=0.002, high=0.012, unit="m", meaning="width of a band", remedy=_CALLIPER, log=True),
    "band.thickness": FitParameter(
        low=0.002, high=0.008, unit="m", meaning="thickness of a band", remedy=_CALLIPER, log=True
    ),
    "band.free_length": FitParameter(
        low=0.008, high=0.03, unit="m", meaning="length of a band without force", remedy=_CALLIPER, log=True
    ),
    "band.stretch": FitParameter(
        low=0.3, high=2.0, unit="-", meaning="strain of the bands in the straight foot", remedy=_CALLIPER, log=True
    ),
    "band.exit_offset": FitParameter(
        low=0.003, high=0.0064, unit="m", meaning="where a band leaves its module", remedy=_CALLIPER
    ),
    "heel_stiffness": FitParameter(
        low=0.0,
        high=0.5,
        unit="N m/rad",
        meaning="stiffness of the heel joint",
        remedy="turn the heel by a known angle",
    ),
    "tendon.slack": FitParameter(
        low=-0.003, high=0.003, unit="m", meaning="slack of the plantar tendon", remedy="raise the toes until it pulls"
    ),
    "tendon.arm": FitParameter(
        low=0.0036, high=0.006, unit="m", meaning="distance of the tendon from the hinges", remedy=_CALLIPER
    ),
    "rig.tilt": FitParameter(
        low=0.0, high=math.radians(6), unit="rad", meaning="pitch of the foot, front down", remedy=_LEVEL
    ),
    "rig.heel_shift": FitParameter(
        low=-0.006, high=0.006, unit="m", meaning="place of the heel support, from its nominal one", remedy=_RULER
    ),
    "rig.metatarsus_shift": FitParameter(
        low=-0.006, high=0.006, unit="m", meaning="place of the metatarsus support, from its nominal one", remedy=_RULER
    ),
    "rig.obstacle_shift": FitParameter(
        low=-0.003, high=0.003, unit="m", meaning="place of the obstacle, from the module's middle", remedy=_RULER
    ),
    "rig.heel_support": FitParameter(
        low=-0.075, high=-0.055, unit="m", meaning="place of the heel support", remedy=_RULER
    ),
    "rig.metatarsus_support": FitParameter(
        low=0.095, high=0.12, unit="m", meaning="place of the metatarsus support", remedy=_RULER
    ),
    "rig.radius": FitParameter(
        low=0.002, high=0.01, unit="m", meaning="radius of the obstacle", remedy=_CALLIPER, log=True
    ),
}
"""The parameters with default bounds; any other number of foot or rig needs bounds from the user.

The bounds of the rig are those the paper discusses (supports +-4 mm, tilt 1 to 5 degrees), with some room.
"""
DEFAULT = ("band.stiffness", "rig.tilt", "rig.heel_shift", "rig.metatarsus_shift")
"""What is calibrated by default: the bands, and the three unknowns of the paper's bench."""


class ParameterSpace:
    """The box of parameter values that a calibration searches, as fractions 0 to 1 between the bounds.

    Args:
        foot: The nominal foot.
        rig: The nominal bench.
        names: Parameters to change.
        bounds: (low, high) by name [SI], in place of those in `PARAMETERS`.

    Raises:
        InvalidInput: If a name is unknown or doubled, or bounds do not enclose the nominal value.
    """

    def __init__(
        self, foot: Foot, rig: PressRig, names: Sequence[str], bounds: Mapping[str, tuple[float, float]] | None
    ):
        self.foot, self.rig, self.names = foot, rig, tuple(names)
        bounds = dict(bounds or {})
        require(len(names) > 0, "parameters", self.names, "at least one of " + ", ".join(PARAMETERS))
        require(len(set(names)) == len(names), "parameters", self.names, "each name once")
        for name in bounds:
            require(name in names, f"bounds of {name}", bounds[name], "bounds of parameters that are calibrated")
        nominal = [nominal_value(foot, rig, name) for name in names]
        self.parameters = tuple(_parameter(n, x, bounds.get(n)) for n, x in zip(names, nominal, strict=True))
        self.nominal = np.array(nominal)
        self.centre = self.fractions(self.nominal)
        for share in (0.0, 0.37, 1.0):
            # a bound that the foot refuses, or a count of which there is no fraction, is refused now, not in mid-work
            self.build(np.full(len(names), share))

    def __len__(self) -> int:
        """Number of parameters."""
        return len(self.names)

    def values(self, u: np.ndarray) -> np.ndarray:
        """Values [SI] at fractions `u` of the way between the bounds; exactly the nominal ones at `centre`."""
        values = np.array([_at(parameter, x) for parameter, x in zip(self.parameters, u, strict=True)])
        return np.where(u == self.centre, self.nominal, values)

    def fractions(self, values: Sequence[float] | np.ndarray) -> np.ndarray:
        """The inverse of `values`."""
        return np.array([_fraction(parameter, x) for parameter, x in zip(self.parameters, values, strict=True)])

    def slopes(self, u: np.ndarray) -> np.ndarray:
        """Change of each value for a change of its fraction, d values / du [SI]."""
        spans = [math.log(k.high / k.low) * x if k.log else k.high - k.low
                 for k, x in zip(self.parameters, self.values(u), strict=True)]  # fmt: skip
        return np.array(spans)

    def build(self, u: np.ndarray) -> tuple[Foot, PressRig]:
        """Foot and rig at fractions `u`."""
        values = {name: float(x) for name, x in zip(self.names, self.values(u), strict=True)}
        rig = {name.removeprefix(RIG): x for name, x in values.items() if name.startswith(RIG)}
        foot = {name: x for name, x in values.items() if not name.startswith(RIG)}
        return edited(self.foot, foot), edited(self.rig, rig)


def nominal_value(foot: Foot, rig: PressRig, name: str) -> float:
    """What a parameter is before the calibration.

    Raises:
        InvalidInput: If foot and rig have no such number; the message lists what can be calibrated.
    """
    if name == "rig.heel_support":
        return rig.heel_x(foot) - rig.heel_shift
    if name == "rig.metatarsus_support":
        return rig.metatarsus_x(foot) - rig.metatarsus_shift
    value: Any = rig if name.startswith(RIG) else foot
    # a band without a given stiffness derives it from its material
    path = "band.hinge_stiffness" if name == "band.stiffness" else name.removeprefix(RIG)
    for part in path.split("."):
        value = getattr(value, part, None)
    if not isinstance(value, numbers.Real) or isinstance(value, bool):
        owner = "the rig" if name.startswith(RIG) else f"foot {foot.name!r}"
        raise InvalidInput(
            f"parameter {name!r} cannot be calibrated, {owner} has no such number: "
            f"give one of {', '.join(PARAMETERS)}, or another number by its path"
        )
    return float(value)


def _parameter(name: str, nominal: float, bounds: tuple[float, float] | None) -> FitParameter:
    """What is known of a parameter, with the user's bounds if there are any."""
    known = PARAMETERS.get(name)
    if bounds is None:
        require(known is not None, f"parameter {name}", nominal, "its bounds too, as in bounds={name: (low, high)}")
        assert known is not None
        low, high = known.low, known.high
    else:
        low, high = (float(x) for x in bounds)
        require(math.isfinite(low) and math.isfinite(high) and low < high, f"bounds of {name}", bounds, "low < high")
    allowed = "bounds that enclose the nominal value, or another nominal value"
    require(low <= nominal <= high, f"{name} outside its bounds {low:g} to {high:g}", nominal, allowed)
    unit, meaning, remedy = (known.unit, known.meaning, known.remedy) if known else ("SI", name, "measure it by itself")
    log = known is not None and known.log and low > 0
    return FitParameter(low=low, high=high, unit=unit, meaning=meaning, remedy=remedy, log=log)


def _at(parameter: FitParameter, u: float) -> float:
    if parameter.log:
        return float(parameter.low * (parameter.high / parameter.low) ** u)
    return float(parameter.low + (parameter.high - parameter.low) * u)


def _fraction(parameter: FitParameter, value: float) -> float:
    if parameter.log:
        return math.log(value / parameter.low) / math.log(parameter.high / parameter.low)
    return (value - parameter.low) / (parameter.high - parameter.low)
