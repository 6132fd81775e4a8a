"""Force laws as functions of a few free numbers, for fitting."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from plantar.errors import InvalidInput
from plantar.ground.fit.press_data import PressData
from plantar.ground.laws.bekker import BekkerLaw
from plantar.ground.laws.hunt_crossley import HuntCrossley
from plantar.ground.laws.impedance import MAX_IMPEDANCE, MIN_IMPEDANCE, SolImp, impedance
from plantar.ground.laws.law import Law
from plantar.ground.laws.linear import ContactLaw
from plantar.ground.laws.mujoco_law import MujocoLaw


class Parameter(NamedTuple):
    """A number that is fitted."""

    name: str
    unit: str
    low: float
    high: float
    log: bool = False
    """Whether its logarithm is what is fitted."""

    def inner(self, value: float) -> float:
        """What the search sees."""
        return float(np.log(value)) if self.log else value

    def outer(self, value: float) -> float:
        """As displayed."""
        return float(np.exp(value)) if self.log else value


@dataclass(frozen=True, kw_only=True)
class Model(ABC):
    """A law with free parameters."""

    parameters: tuple[Parameter, ...]

    name = ""

    @abstractmethod
    def law(self, values: dict[str, float]) -> Law:
        """The law with these numbers."""

    @abstractmethod
    def starts(self, data: PressData) -> list[dict[str, float]]:
        """Starting points of the search."""

    def values(self, theta: np.ndarray) -> dict[str, float]:
        """Numbers by name from what the search sees."""
        return {p.name: p.outer(float(t)) for p, t in zip(self.parameters, theta, strict=True)}

    def predict(self, theta: np.ndarray, data: PressData) -> np.ndarray:
        """Forces of the law at the samples [N]."""
        return np.asarray(self.law(self.values(theta)).force(data.depth, data.speeds))

    def thetas(self, data: PressData) -> list[np.ndarray]:
        """The starts as the search sees them, within the bounds."""
        low, high = self.bounds()
        starts = [np.array([p.inner(s[p.name]) for p in self.parameters]) for s in self.starts(data)]
        return [np.clip(s, low + 1e-9, high - 1e-9) for s in starts]

    def bounds(self) -> tuple[np.ndarray, np.ndarray]:
        """Lowest and highest of what the search sees."""
        return np.array([p.inner(p.low) for p in self.parameters]), np.array([p.inner(p.high) for p in self.parameters])


class LinearModel(Model):
    """Spring and damper."""

    name = "linear"

    def law(self, values: dict[str, float]) -> Law:
        """A `ContactLaw`."""
        return ContactLaw(stiffness=values["stiffness"], damping=values.get("damping", 0.0))

    def starts(self, data: PressData) -> list[dict[str, float]]:
        """The median secant, without damping and with some."""
        k = _secant(data, 1.0)
        return [{"stiffness": k, "damping": c} for c in (0.0, 0.1 * _damping(data, k * data.deepest))]


class HuntCrossleyModel(Model):
    """A power of the depth with damping that grows with it."""

    name = "hunt_crossley"

    def law(self, values: dict[str, float]) -> Law:
        """A `HuntCrossley`."""
        return HuntCrossley(
            stiffness=values["stiffness"], damping=values.get("damping", 0.0), exponent=values["exponent"]
        )

    def starts(self, data: PressData) -> list[dict[str, float]]:
        """Exponents from 1 to 2.5."""
        starts = []
        for n in (1.05, 1.5, 2.0, 2.5):
            k = _secant(data, n)
            starts += [{"stiffness": k, "damping": c, "exponent": n} for c in (0.0, 0.1 * _damping(data, k))]
        return starts


@dataclass(frozen=True, kw_only=True)
class BekkerModel(Model):
    """Pressure and sinkage of plates; two moduli if plates of several widths were used."""

    name = "bekker"
    width: float
    area: float

    def law(self, values: dict[str, float]) -> Law:
        """A `BekkerLaw` of the first plate."""
        k_c, k_phi = values.get("k_c", 0.0), values["k_phi"]
        return BekkerLaw(k_c=k_c, k_phi=k_phi, n=values["n"], width=self.width, area=self.area)

    def predict(self, theta: np.ndarray, data: PressData) -> np.ndarray:
        """Forces under the plate of each sample [N]."""
        values = self.values(theta)
        width = self.width if data.width is None else data.width
        area = self.area if data.area is None else data.area
        modulus = area * (values.get("k_c", 0.0) / width + values["k_phi"])
        return modulus * np.maximum(data.depth, 0.0) ** values["n"]

    def starts(self, data: PressData) -> list[dict[str, float]]:
        """Exponents from 0.5 to 1.6."""
        return [
            {"k_c": 0.1 * k * self.width, "k_phi": k, "n": n}
            for n in (0.5, 0.8, 1.1, 1.6)
            for k in (_secant(data, n) / self.area,)
        ]


@dataclass(frozen=True, kw_only=True)
class MujocoModel(Model):
    """The law of MuJoCo's contacts; whatever is not free keeps its number."""

    name = "mujoco"
    effective_mass: float
    contacts: int
    solimp: SolImp

    def law(self, values: dict[str, float]) -> Law:
        """A `MujocoLaw` in the direct format."""
        return MujocoLaw(
            solref=(-values["stiffness"], -values.get("damping", 0.0)),
            solimp=self._solimp(values),
            effective_mass=self.effective_mass,
            contacts=self.contacts,
        )

    def predict(self, theta: np.ndarray, data: PressData) -> np.ndarray:
        """Forces at the samples, with their accelerations if they were measured [N]."""
        # `MujocoLaw.force` in short: a fit calls it some thousand times
        values = self.values(theta)
        shape = self._solimp(values)
        d, dw = impedance(shape, data.depth)[0], float(np.clip(shape[1], MIN_IMPEDANCE, MAX_IMPEDANCE))
        push = values.get("damping", 0.0) / dw * data.speeds + values["stiffness"] / dw**2 * d * data.depth
        if data.acceleration is not None:
            push = push + data.acceleration
        heavy = self.contacts * self.effective_mass
        return np.where(data.depth > 0, heavy * np.maximum(0.0, push) * d / (1 - d), 0.0)

    def starts(self, data: PressData) -> list[dict[str, float]]:
        """Widths from half the deepest sample to four times it; stiffness by what each would need."""
        starts = []
        widths = [m * data.deepest for m in (0.5, 1.0, 2.0, 4.0)] if "width" in self._free() else [self.solimp[2]]
        for width in widths:
            for d0 in (0.02, 0.3, 0.6, 0.9) if "d0" in self._free() else (self.solimp[0],):
                base = {"stiffness": 1.0, "damping": 0.0, "width": width, "d0": d0}
                base |= {"d_width": self.solimp[1], "midpoint": self.solimp[3], "power": self.solimp[4]}
                unit = np.asarray(self.law(base).force(data.depth))
                k = float(np.median(data.force[unit > 0] / unit[unit > 0])) if (unit > 0).any() else 1.0
                k = max(k, 1e-3)
                starts += [{**base, "stiffness": k, "damping": c} for c in (0.1, 2 * np.sqrt(k))]
        return starts

    def _solimp(self, values: dict[str, float]) -> SolImp:
        names = ("d0", "d_width", "width", "midpoint", "power")
        d0, dw, width, midpoint, power = (values.get(n, fixed) for n, fixed in zip(names, self.solimp, strict=True))
        return d0, dw, width, midpoint, power

    def _free(self) -> set[str]:
        return {p.name for p in self.parameters}


def linear_model(data: PressData) -> LinearModel:
    """Spring, and damper if speeds were measured."""
    stiffness = Parameter("stiffness", "N/m", 1e-3, 1e12, True)
    return LinearModel(parameters=(stiffness, *_dampers(data, "N s/m")))


def hunt_crossley_model(data: PressData) -> HuntCrossleyModel:
    """Stiffness, exponent, and damping if speeds were measured."""
    first = (Parameter("stiffness", "N/m^n", 1e-3, 1e15, True), Parameter("exponent", "", 1.0, 4.0))
    return HuntCrossleyModel(parameters=(*first, *_dampers(data, "N s/m^(n+1)")))


def bekker_model(data: PressData, width: float | None, area: float | None) -> BekkerModel:
    """One modulus for one plate, two for several.

    Raises:
        InvalidInput: If no plate is known.
    """
    first_width = width if data.width is None else float(data.width[0])
    first_area = area if data.area is None else float(data.area[0])
    if first_width is None or first_area is None or first_width <= 0 or first_area <= 0:
        raise InvalidInput("law bekker needs the plate: give its width and area in SI units, or columns width and area")
    k_phi, n = Parameter("k_phi", "N/m^(n+2)", 1e-3, 1e15, True), Parameter("n", "", 0.1, 4.0)
    several = data.width is not None and len(np.unique(data.width)) > 1
    k_c = (Parameter("k_c", "N/m^(n+1)", 0.0, 1e12),) if several else ()
    return BekkerModel(parameters=(k_phi, n, *k_c), width=first_width, area=first_area)


SHAPE = {
    "width": Parameter("width", "m", 1e-6, 10.0, True),
    "d0": Parameter("d0", "", 1e-4, 0.9999),
    "d_width": Parameter("d_width", "", 1e-4, 0.9999),
    "midpoint": Parameter("midpoint", "", 0.01, 0.99),
    "power": Parameter("power", "", 1.0, 6.0),
}
"""Numbers of solimp that may be fitted."""


def mujoco_model(
    data: PressData, free: tuple[str, ...], solimp: SolImp, effective_mass: float, contacts: int
) -> MujocoModel:
    """Stiffness, the numbers of solimp named in `free`, and damping if speeds were measured."""
    stiffness = Parameter("stiffness", "1/s^2", 1e-6, 1e12, True)
    shape = tuple(SHAPE[name] for name in free)
    parameters = (stiffness, *shape, *_dampers(data, "1/s"))
    return MujocoModel(parameters=parameters, solimp=solimp, effective_mass=effective_mass, contacts=contacts)


def _dampers(data: PressData, unit: str) -> tuple[Parameter, ...]:
    return (Parameter("damping", unit, 0.0, 1e12),) if data.moving else ()


def _secant(data: PressData, n: float) -> float:
    """Median of force over depth to the n-th, of the deeper half."""
    deep = data.depth >= np.median(data.depth[data.depth > 0])
    return max(1e-3, float(np.median(data.force[deep] / data.depth[deep] ** n)))


def _damping(data: PressData, force: float) -> float:
    """Damping that would give `force` at the typical speed."""
    return force / max(float(np.median(abs(data.speeds))), 1e-6)
