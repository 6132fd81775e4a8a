"""Force laws from measured forces, depths and speeds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from plantar._checks import require, require_choice
from plantar._notebook import Shown
from plantar.ground.contact.ground import Ground
from plantar.ground.contact.realisation import Realisation, realise
from plantar.ground.fit.advice import advice_of
from plantar.ground.fit.models import (
    SHAPE,
    Model,
    MujocoModel,
    bekker_model,
    hunt_crossley_model,
    linear_model,
    mujoco_model,
)
from plantar.ground.fit.press_data import PressData
from plantar.ground.fit.robust import Robust, robust_fit
from plantar.ground.laws.impedance import SolImp
from plantar.ground.laws.law import Law
from plantar.table import Table

LAWS = ("mujoco", "linear", "hunt_crossley", "bekker")
"""Laws that can be fitted."""
START_SOLIMP: SolImp = (0.0, 0.95, 0.01, 0.5, 2.0)
"""What `solimp` keeps where it is not fitted: Gora and Dutta's, with a separate width."""
FOLDS = 5
TRIM = 0.1
"""Fraction of held-out samples with the largest errors that is left out of the error, as it contains outliers."""
TIE = 1.05
"""Held-out errors that differ by less than this factor count as equal."""
_STEPS = (("width",), ("width", "d0"), ("width", "d0", "d_width"), ("width", "d0", "d_width", "power"))


@dataclass(frozen=True, kw_only=True, eq=False)
class LawFit:
    """One law fitted to the data."""

    name: str
    """Which law."""
    law: Law
    """The law with the fitted numbers."""
    parameters: Table
    """Rows with parameter, value, low, high (joint 95 %), unit."""
    error: float
    """Trimmed rms error of the fit, over the largest force."""
    held_out: float
    """The same on samples that were not fitted, by cross-validation."""
    noise: tuple[float, float]
    """Noise of the forces: constant part [N], and part of the force."""
    outliers: int
    """Samples beyond 3.5 standard deviations."""
    advice: tuple[str, ...]
    """What the data cannot determine, and what would help."""
    model: Model
    """The law as a function of its parameters."""
    robust: Robust
    """All of the fit: covariance, weights, residuals."""

    def to_dict(self) -> dict[str, Any]:
        """The fit as plain data."""
        return {
            "law": self.name,
            "parameters": list(self.parameters),
            "error": self.error,
            "held_out": self.held_out,
            "noise": list(self.noise),
            "outliers": self.outliers,
            "advice": list(self.advice),
        }


@dataclass(frozen=True, kw_only=True, eq=False)
class FitResult(Shown):
    """Laws fitted to the same data, the best first, and the ground of the best."""

    data: PressData
    """What was fitted."""
    fits: tuple[LawFit, ...]
    """From the smallest held-out error to the largest; of equals the one with fewer parameters first."""
    realisation: Realisation
    """The best law as realised by MuJoCo."""
    ground: Ground
    """Its solver parameters, ready for a file."""

    @property
    def best(self) -> LawFit:
        """The law that predicts best."""
        return self.fits[0]

    def table(self) -> Table:
        """Laws side by side: law, held_out, error, outliers, parameters."""
        return Table(
            {
                "law": fit.name,
                "held_out": fit.held_out,
                "error": fit.error,
                "outliers": fit.outliers,
                "parameters": len(fit.parameters),
            }
            for fit in self.fits
        )

    def to_dict(self) -> dict[str, Any]:
        """The result as plain data."""
        real = self.realisation
        return {
            "samples": len(self.data),
            "best": self.best.name,
            "fits": [fit.to_dict() for fit in self.fits],
            "ground": self.ground.to_dict(),
            "realisation": {"rms_error": real.rms_error, "worst_error": real.worst_error, "card": list(real.card())},
        }


def fit(
    data: PressData,
    law: str = "auto",
    *,
    effective_mass: float = 1.0,
    contacts: int = 1,
    width: float | None = None,
    area: float | None = None,
    free: Sequence[str] | None = None,
    solimp: SolImp = START_SOLIMP,
    damping_ratio: float = 1.0,
    friction: tuple[float, float, float] = (1.0, 0.005, 0.0001),
    name: str = "fitted",
) -> FitResult:
    """Fit force laws to measured forces.

    Robust least squares: the weights of samples fall to zero at 4.7 standard deviations, and the noise may grow
    with the force. Intervals are those of M-estimators and hold all parameters of a law at once (Bonferroni).

    Args:
        data: From `plantar.ground.press_data.read_press`.
        law: One of `mujoco`, `linear`, `hunt_crossley`, `bekker`, or `auto`: all that the data allow.
        effective_mass: Inertia of one contact as the solver takes it, 1 / efc_diagA [kg]: MuJoCo's force is
            proportional to it, so that its parameters belong to this mass.
        contacts: Equal contacts that shared the measured force.
        width: Twice the area of the plate over its girth [m], for Bekker's law.
        area: Area of the plate [m^2], for Bekker's law.
        free: Numbers of solimp that are fitted; None starts with the width and frees d0, d_width and power as
            long as the Bayesian information criterion improves.
        solimp: Numbers of the rest.
        damping_ratio: Of the ground, where the data have no speeds.
        friction: Of the ground; such data do not determine it.
        name: Name of the ground.
    """
    require_choice("law", law, ("auto", *LAWS))
    require(1e-9 <= effective_mass <= 1e6, "effective_mass", effective_mass, "a mass from 1e-9 to 1e6 kg")
    require(contacts >= 1, "contacts", contacts, "an integer from 1")
    for item in free or ():
        require_choice("free", item, tuple(SHAPE))
    plated = (data.width is not None and data.area is not None) or (width is not None and area is not None)
    wanted = [law] if law != "auto" else [x for x in LAWS if x != "bekker" or plated]
    fits = []
    for kind in wanted:
        if kind == "mujoco":
            model = _mujoco(data, free, solimp, effective_mass, contacts)
        elif kind == "bekker":
            model = bekker_model(data, width, area)
        else:
            model = (linear_model if kind == "linear" else hunt_crossley_model)(data)
        fits.append(_fitted(model, data))
    # of laws that predict alike the one with fewer parameters comes first
    least = min(f.held_out for f in fits)
    fits.sort(key=lambda f: (f.held_out > TIE * least, len(f.parameters) if f.held_out <= TIE * least else f.held_out))
    fastest = float(np.quantile(abs(data.speeds), 0.95))
    inertia = {"effective_mass": effective_mass, "contacts": contacts}
    real = realise(fits[0].law, deepest=data.deepest, fastest=fastest, damping_ratio=damping_ratio, **inertia)
    solref = real.law.solref
    if not data.moving and solref[1] == 0:
        solref = (solref[0], -2 * damping_ratio * float(np.sqrt(-solref[0])))
    ground = Ground(
        name=name, solref=solref, solimp=real.law.solimp, friction=friction, note=f"plantar.ground.fit, {fits[0].name}"
    )
    return FitResult(data=data, fits=tuple(fits), realisation=real, ground=ground)


def _mujoco(
    data: PressData, free: Sequence[str] | None, solimp: SolImp, effective_mass: float, contacts: int
) -> MujocoModel:
    """MuJoCo's law with as many free parameters as the data justify."""
    if free is not None:
        return mujoco_model(data, tuple(free), solimp, effective_mass, contacts)
    best, least = None, np.inf
    for names in _STEPS:
        model = mujoco_model(data, names, solimp, effective_mass, contacts)
        found = robust_fit(model, data)
        z = (data.force - found.force) / found.sigma
        # Tukey's bounded loss instead of the squares; the noise has its share in the likelihood
        loss = np.where(abs(z) < 4.685, 1 - (1 - (z / 4.685) ** 2) ** 3, 1.0) * 4.685**2 / 3
        criterion = float(loss.sum() + 2 * np.log(found.sigma).sum() + len(model.parameters) * np.log(len(data)))
        if criterion > least - 6:
            break
        best, least = model, criterion
    assert best is not None
    return best


def _fitted(model: Model, data: PressData) -> LawFit:
    found = robust_fit(model, data)
    law = model.law(model.values(found.theta))
    error = _trimmed(found.force - data.force, data)
    held_out = _held_out(model, data, found)
    return LawFit(
        name=model.name,
        law=law,
        parameters=_table(model, found),
        error=error,
        held_out=held_out,
        noise=found.noise,
        outliers=int(found.outliers.sum()),
        advice=advice_of(model, data, found),
        model=model,
        robust=found,
    )


def _table(model: Model, found: Robust) -> Table:
    rows = []
    for p, centre, half in zip(model.parameters, found.theta, found.half_widths(), strict=True):
        low, high = (float(np.clip(centre + s * half, -700, 700 if p.log else np.inf)) for s in (-1, 1))
        low, high = (max(p.low, p.outer(low)), min(p.high, p.outer(high)))
        rows.append({"parameter": p.name, "value": p.outer(float(centre)), "low": low, "high": high, "unit": p.unit})
    return Table(rows)


def _held_out(model: Model, data: PressData, found: Robust) -> float:
    """Trimmed rms error of samples predicted by fits without them, over the largest force."""
    folds = np.random.default_rng(0).permutation(len(data)) % FOLDS
    residual = np.empty(len(data))
    for fold in range(FOLDS):
        inside, outside = np.flatnonzero(folds != fold), np.flatnonzero(folds == fold)
        other = robust_fit(model, data.pick(inside), start=found.theta)
        left = data.pick(outside)
        residual[outside] = model.predict(other.theta, left) - left.force
    return _trimmed(residual, data)


def _trimmed(residual: np.ndarray, data: PressData) -> float:
    size = np.sort(abs(residual))
    kept = size[: max(1, round((1 - TRIM) * len(size)))]
    return float(np.sqrt(np.mean(kept**2)) / np.quantile(data.force, 0.95))
