"""Any force law as MuJoCo's `solref` and `solimp` over a range of depth and speed, with an error card."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from plantar._arguments import checks_arguments
from plantar._checks import require
from plantar.ground.laws.impedance import SolImp, SolRef, clamped, impedance
from plantar.ground.laws.law import Law
from plantar.ground.laws.linear import SOFT_IMPEDANCE, ContactLaw
from plantar.ground.laws.mujoco_law import MujocoLaw
from plantar.table import Table

_STARTS = ((0.01, 0.6, 2.0), (0.01, 0.9, 1.5), (0.5, 0.9, 2.0), (0.3, 0.05, 1.2), (0.02, 0.02, 1.0))
"""d0, d_width and power to start from."""
POINTS = 40


@dataclass(frozen=True, kw_only=True)
class Realisation:
    """MuJoCo's law beside the one it approximates."""

    law: MujocoLaw
    """What MuJoCo does."""
    wanted: Law
    """The request."""
    deepest: float
    """End of the range [m]."""
    fastest: float
    """Largest speed of the range, both ways [m/s]."""
    rms_error: float
    """Root mean square error over the range, over the largest force."""
    worst_error: float
    """Largest error over the range, over the largest force."""

    @property
    def solver(self) -> tuple[SolRef, SolImp]:
        """`solref` and `solimp`."""
        return self.law.solref, self.law.solimp

    def card(self) -> Table:
        """Error by depth at rest, and at the largest speed: depth, desired force, force of MuJoCo, error."""
        rows: list[dict[str, Any]] = []
        speeds = [0.0] if self.fastest == 0 else [0.0, self.fastest, -self.fastest]
        for speed in speeds:
            for share in (0.1, 0.25, 0.5, 0.75, 1.0):
                depth = share * self.deepest
                wanted, got = float(self.wanted.force(depth, speed)), float(self.law.force(depth, speed))
                error = (got - wanted) / wanted if wanted > 0 else math.nan
                rows.append({"speed": speed, "depth": depth, "wanted": wanted, "mujoco": got, "error": error})
        return Table(rows)


@checks_arguments
def realise(
    law: Law,
    *,
    deepest: float,
    fastest: float = 0.0,
    effective_mass: float,
    contacts: int = 1,
    damping_ratio: float = 1.0,
) -> Realisation:
    """Find MuJoCo's parameters whose law comes nearest to `law`.

    A linear law is met exactly (up to the little inertia of `ContactLaw.to_mujoco`), and so is MuJoCo's own of another
    inertia, at zero acceleration; all others are fitted over depths up to `deepest` and speeds up to `fastest`, both
    ways.

    Args:
        law: The law.
        deepest: End of the range [m].
        fastest: Largest speed [m/s]; 0 fits the law at rest, and damping is then `damping_ratio`'s.
        effective_mass: Inertia of one contact as the solver takes it, 1 / efc_diagA [kg].
        contacts: Equal contacts that share the force.
        damping_ratio: Of the solver's reference, where the law has no damping.
    """
    require(math.isfinite(deepest) and deepest > 0, "deepest", deepest, "a depth above 0 [m]")
    require(math.isfinite(fastest) and fastest >= 0, "fastest", fastest, "a speed that is 0 or above [m/s]")
    require(effective_mass > 0, "effective_mass", effective_mass, "a mass above 0 [kg]")
    inertia = {"effective_mass": effective_mass, "contacts": contacts}
    if isinstance(law, MujocoLaw):
        return _judged(_carried(law, effective_mass, contacts), law, deepest, fastest)
    if isinstance(law, ContactLaw):
        solref, solimp = law.to_mujoco(impedance=SOFT_IMPEDANCE, **inertia)
        if law.damping == 0:
            solref = (solref[0], -2 * damping_ratio * math.sqrt(-solref[0]))
        return _judged(MujocoLaw(solref=solref, solimp=solimp, **inertia), law, deepest, fastest)
    depth, speed = _samples(deepest, fastest)
    wanted = np.asarray(law.force(depth, speed))
    moving = bool(np.any(np.asarray(law.damping_at(depth, speed)) > 0)) and fastest > 0
    tries = [_fitted(start, deepest, depth, speed, wanted, moving, damping_ratio, inertia) for start in _STARTS]
    best = min((_judged(found, law, deepest, fastest if moving else 0.0) for found in tries), key=lambda r: r.rms_error)
    return best


def _carried(law: MujocoLaw, effective_mass: float, contacts: int) -> MujocoLaw:
    """MuJoCo's law with the same forces under another inertia; as it is under its own."""
    share = law.effective_mass * law.contacts / (effective_mass * contacts)
    solref = law.solref
    if share != 1.0:
        (k, b), width = law.gains, float(clamped(law.solimp)[1])
        solref = (-share * k * width**2, -share * b * width)
    return replace(law, solref=solref, effective_mass=effective_mass, contacts=contacts)


def _samples(deepest: float, fastest: float) -> tuple[np.ndarray, np.ndarray]:
    depth = deepest * np.linspace(0, 1, POINTS + 1)[1:]
    speed = np.linspace(-fastest, fastest, 9) if fastest > 0 else np.zeros(1)
    grid = np.meshgrid(depth, speed, indexing="ij")
    return grid[0].ravel(), grid[1].ravel()


def _fitted(
    start: tuple[float, float, float],
    deepest: float,
    depth: np.ndarray,
    speed: np.ndarray,
    wanted: np.ndarray,
    moving: bool,
    ratio: float,
    inertia: dict[str, Any],
) -> MujocoLaw:
    """Least squares from one start; errors count over the force and a twentieth of the largest."""
    scale = wanted + 0.05 * wanted.max()

    heavy = inertia["effective_mass"] * inertia["contacts"]
    speeds = speed if moving else np.zeros_like(speed)

    def force(x: np.ndarray) -> np.ndarray:
        # `MujocoLaw.force` in short: it is called some thousand times
        k, width = math.exp(x[0]), math.exp(x[1]) * deepest
        b = x[6] * math.sqrt(k) / x[3]
        d = impedance((x[2], x[3], width, x[4], x[5]), depth)[0]
        return heavy * np.maximum(0.0, b * speeds + k / x[3] ** 2 * d * depth) * d / (1 - d)

    d0, dw, power = start
    x = np.array([0.0, math.log(1.5), d0, dw, 0.5, power, 0.5 if moving else 0.0])
    x[0] = math.log(max(1e-9, float(np.median(wanted / np.maximum(force(x), 1e-12)))))
    low = np.array([-20.0, math.log(0.05), 1e-4, 1e-4, 0.02, 1.0, 0.0])
    high = np.array([40.0, math.log(50.0), 0.995, 0.995, 0.98, 6.0, 100.0])
    inside = np.clip(x, low + 1e-9, high - 1e-9)
    from scipy.optimize import least_squares  # noqa: PLC0415  (slow to load, and few need it)

    found = least_squares(lambda x: (force(x) - wanted) / scale, inside, bounds=(low, high), ftol=1e-7, max_nfev=100)
    k, d0, dw, middle, power, rate = math.exp(found.x[0]), *map(float, found.x[2:])
    damping = rate * math.sqrt(k) if moving else 2 * ratio * math.sqrt(k)
    width = math.exp(found.x[1]) * deepest
    return MujocoLaw(solref=(-k, -damping), solimp=(d0, dw, width, middle, power), **inertia)


def _judged(law: MujocoLaw, wanted: Law, deepest: float, fastest: float) -> Realisation:
    depth, speed = _samples(deepest, fastest)
    target = np.asarray(wanted.force(depth, speed))
    error = (np.asarray(law.force(depth, speed)) - target) / max(float(target.max()), 1e-300)
    return Realisation(
        law=law,
        wanted=wanted,
        deepest=deepest,
        fastest=fastest,
        rms_error=float(np.sqrt(np.mean(error**2))),
        worst_error=float(abs(error).max()),
    )
