"""What force data cannot determine, and what would help."""

from __future__ import annotations

import numpy as np

from plantar.ground.fit.models import Model, MujocoModel
from plantar.ground.fit.press_data import PressData
from plantar.ground.fit.robust import Robust

UNSURE = 0.3
"""A parameter whose interval is wider than this fraction of it, each way, is not determined by the data."""


def advice_of(model: Model, data: PressData, found: Robust) -> tuple[str, ...]:
    """Sentences, the weightiest first."""
    return tuple(_unsure(model, found) + _speeds(model, data, found) + _range(model, data, found) + _shape(data, found))


def _unsure(model: Model, found: Robust) -> list[str]:
    said = []
    half, low, high = found.half_widths(), *model.bounds()
    for i, p in enumerate(model.parameters):
        if min(found.theta[i] - low[i], high[i] - found.theta[i]) < 1e-6 * (high[i] - low[i]) and p.name != "damping":
            said.append(f"{p.name} is at the end of its range: another law may fit better")
        relative = half[i] if p.log else half[i] / max(abs(found.theta[i]), 1e-12)
        if relative <= UNSURE:
            continue
        others = found.correlation[i].copy()
        others[i] = 0
        j = int(np.argmax(abs(others))) if len(others) > 1 else i
        tied = f", it is tied to {model.parameters[j].name}" if abs(others[j]) > 0.95 else ""
        said.append(f"{p.name} is hardly determined by the data{tied}: fix it, or measure deeper, faster or more")
    return said


def _speeds(model: Model, data: PressData, found: Robust) -> list[str]:
    if not data.moving:
        return ["no speeds: damping is not known from these data; give a column speed, from a drop or fast presses"]
    names = [p.name for p in model.parameters]
    if "damping" in names:
        i = names.index("damping")
        if found.theta[i] - found.half_widths()[i] <= 0:
            return ["damping cannot be told from zero: press faster"]
        return []
    rest = data.force - found.force
    sinking, rising = rest[(data.speeds > 0) & ~found.outliers], rest[(data.speeds < 0) & ~found.outliers]
    if len(sinking) > 8 and len(rising) > 8 and np.median(sinking) - np.median(rising) > np.median(found.sigma):
        return ["loading carries more than unloading: the ground yields or damps, which this law does not model"]
    return []


def _range(model: Model, data: PressData, found: Robust) -> list[str]:
    said = []
    if isinstance(model, MujocoModel):
        width = model.values(found.theta).get("width", model.solimp[2])
        if data.deepest < 0.5 * width:
            said.append(
                f"the deepest sample, {1e3 * data.deepest:.3g} mm, is within half the width, {1e3 * width:.3g} mm: "
                "anything beyond is extrapolation"
            )
    shallow = float(np.quantile(data.depth[data.depth > 0], 0.05))
    if shallow > 0.3 * data.deepest:
        said.append(f"no samples above {1e3 * shallow:.3g} mm: the law near the surface is extrapolated")
    share = float(found.outliers.mean())
    if share > 0.15:
        said.append(f"{share:.0%} of the samples are outliers: check the data before trusting this")
    return said


def _shape(data: PressData, found: Robust) -> list[str]:
    """Residuals of neighbours in depth that go together mean that the law has another shape."""
    kept = np.flatnonzero(~found.outliers)
    z = ((data.force - found.force) / found.sigma)[kept][np.argsort(data.depth[kept], kind="stable")]
    if len(z) < 20:
        return []
    together = float((z[1:] * z[:-1]).mean() / max(float((z**2).mean()), 1e-300))
    if together > 4 / np.sqrt(len(z)):
        return [
            f"residuals are correlated along depth (correlation {together:.2f}): the ground follows another law, or "
            "samples are not independent; intervals are then too narrow"
        ]
    return []
