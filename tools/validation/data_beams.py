"""Measured data: silicone beams that sag under their own weight, by the theory of rods."""

from __future__ import annotations

import csv
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from scipy.integrate import solve_bvp
from scipy.optimize import minimize_scalar

from plantar.progress import Progress
from plantar.show.plots import COLOURS, figure, house_style
from validation.drawing import picture
from validation.records import Record, Row, shared

GRAVITY, LENGTH, HEIGHT = 9.81, 0.14, 0.03
HEAD = (0.03, 0.06)
"""Length and height of the head at the free end [m]."""
BEAMS = {"mold_star_15": ("MoldStar 15", 1180.0, 379e3), "ecoflex_00_50": ("Ecoflex 00-50", 1070.0, 83e3)}
"""Name, density [kg/m^3] and nominal stress at 100 % strain [Pa] (55 and 12 psi) of the maker's sheets."""
AT_REST = 3 / (2 - 1 / 4)
"""Young's modulus at rest over the stress at 100 % strain, by a Neo-Hookean law: 3 mu over mu (2 - 2^-2)."""
TARGET = 0.003


def sag(young: float, density: float, clamp: float) -> Any:
    """The hanging beam: x, z, angle below the horizontal and moment over s, per metre of width.

    A rod that bends, shears and stretches, with the head's weight at its end. `clamp` is the angle of the centre line
    at its root [rad], which is what a silhouette shows: the section there is turned by less, as the rod also shears.
    """
    line, head = density * GRAVITY * HEIGHT, density * GRAVITY * HEAD[0] * HEAD[1]
    bending, axial, shear = young * HEIGHT**3 / 12, young * HEIGHT, 5 / 6 * young / 3 * HEIGHT

    def tangent(s: Any, turned: Any) -> tuple[Any, Any]:
        weight = head + line * (LENGTH - s)
        stretch, slide = 1 + weight * np.sin(turned) / axial, weight * np.cos(turned) / shear
        return stretch * np.cos(turned) - slide * np.sin(turned), -stretch * np.sin(turned) - slide * np.cos(turned)

    def slopes(s: np.ndarray, y: np.ndarray) -> np.ndarray:
        dx, dz = tangent(s, y[2])
        return np.vstack([dx, dz, y[3] / bending, -(head + line * (LENGTH - s)) * dx])

    def ends(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        dx, dz = tangent(0.0, a[2])
        return np.array([a[0], a[1], np.arctan2(-dz, dx) - clamp, b[3] - head * HEAD[0] / 2 * np.cos(b[2])])

    s = np.linspace(0, LENGTH, 81)
    start = np.vstack([s, -s * np.sin(clamp), clamp + 0 * s, 1e-4 * (LENGTH - s)])
    found = solve_bvp(slopes, ends, s, start, max_nodes=4000, tol=1e-5)
    if not found.success:
        raise ArithmeticError(found.message)
    return found.sol


def shape(solution: Any, s: np.ndarray) -> np.ndarray:
    """X and z at places along the beam (2, n); the head is straight."""
    y, beyond = solution(np.minimum(s, LENGTH)), np.maximum(s - LENGTH, 0)
    return np.stack([y[0] + beyond * np.cos(y[2]), y[1] - beyond * np.sin(y[2])])


def beams() -> Record:
    """Sag by the maker's modulus, by one modulus fitted to the whole line, and by one fitted without the tip."""
    with shared("data/real/silicone_beams.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
    found: dict[str, Any] = {}
    with Progress(len(BEAMS), "beams") as shown:
        for name, (title, density, sheet) in BEAMS.items():
            mine = [row for row in rows if row["beam"] == name]
            s, x, z, angle = (np.array([float(row[key]) for row in mine]) for key in ("s", "x", "z", "angle"))
            clamp, measured = float(angle[0]), np.stack([x, z])
            moduli = {"sheet": AT_REST * sheet}
            for how, part in (("fitted", s <= 1), ("shaft alone", s <= LENGTH)):
                moduli[how] = _fit(density, clamp, s[part], measured[:, part])
            shaft = s <= LENGTH
            turned = clamp - np.radians(1.0)
            less = shape(sag(_fit(density, turned, s[shaft], measured[:, shaft]), density, turned), s)
            lines = {how: shape(sag(young, density, clamp), s) for how, young in moduli.items()}
            errors = {how: np.hypot(*(line - measured)) for how, line in lines.items()}
            found[name] = {
                "title": title,
                "young": moduli,
                "tip": {how: float(e[-1]) for how, e in errors.items()},
                "rms": {how: float(np.sqrt(np.mean(e**2))) for how, e in errors.items()},
                "tip_clamp_1_degree_less": float(np.hypot(*(less - measured))[-1]),
                "measured": measured.tolist(),
                "lines": {how: line.tolist() for how, line in lines.items()},
            }
            shown.advance()
    caption = "Centre lines of two beams, as measured (dots) and by the theory with the modulus named"
    return Record(
        title="Silicone beams that sag",
        text="Clamped dumbbells of silicone under their own weight, by the theory of a rod that bends, shears and "
        "stretches. The angle of the centre line at the clamp is taken as measured (the clamped head gives way), "
        "the density from the maker's sheet; only modulus over density matters to the shape. First nothing is "
        "fitted: the modulus is that of the sheet, whose stress at 100 % strain a Neo-Hookean law takes back to "
        "rest. Then one modulus per material is fitted to the whole line, and once more to the shaft alone, which "
        "then predicts the end of the head. The measured bend falls off more slowly along the beam than weight "
        "alone can make it, so a modulus from the root part is too high for the tip. Two things were put right "
        "after a first comparison with these lines: that the measured angle is that of the line and not of the "
        "section, and that the sheet's stress at 100 % is not Young's modulus; both follow from the theory and "
        "have no free number.",
        rows=[_row(v) for v in found.values()],
        pictures=[picture("data", "beams", _draw(found), caption)],
        values=found,
    )


def _fit(density: float, clamp: float, s: np.ndarray, measured: np.ndarray) -> float:
    def misfit(log_young: float) -> float:
        return float(np.sum((shape(sag(np.exp(log_young), density, clamp), s) - measured) ** 2))

    return float(
        np.exp(minimize_scalar(misfit, bounds=np.log([5e4, 2e6]), method="bounded", options={"xatol": 1e-3}).x)
    )


def _row(v: dict[str, Any]) -> Row:
    tip, young = v["tip"], v["young"]
    told = tip["shaft alone"] < TARGET
    verdict = "not confirmed" if tip["fitted"] >= TARGET else "confirmed" if told else "only in a regime"
    return Row(
        what=f"{v['title']}: tip of a beam that sags, one modulus, clamp as measured",
        published="within 3 mm",
        ours=f"{1000 * tip['fitted']:.1f} mm with {young['fitted'] / 1000:.0f} kPa (rms along the line "
        f"{1000 * v['rms']['fitted']:.1f} mm); tip predicted by the shaft alone ({young['shaft alone'] / 1000:.0f} "
        f"kPa): {1000 * tip['shaft alone']:.1f} mm",
        n="16 places along one beam; systematic error of the photographs about 2 % of length and 1 degree",
        controls=f"predicted by the maker's sheet ({young['sheet'] / 1000:.0f} kPa): {1000 * tip['sheet']:.0f} mm off; "
        f"clamp 1 degree less, shaft alone: {1000 * v['tip_clamp_1_degree_less']:.1f} mm",
        verdict=verdict,
        regime=""
        if verdict != "only in a regime"
        else "the tip is part of the fit; predicted by the shaft alone it is "
        "missed by a little more than 3 mm, within what the photographs leave open",
        command="`python tools/validate.py data --only beams`",
    )


def _draw(found: dict[str, Any]) -> Figure:
    with house_style():
        fig, axes = figure(1, len(found), size=(10, 3.8))
        for ax, v in zip(axes[0], found.values(), strict=True):
            x, z = 1000 * np.array(v["measured"])
            ax.plot(x, z, "o", color="black", ms=4, label="measured")
            for colour, (how, line) in zip(COLOURS, v["lines"].items(), strict=False):
                ax.plot(*(1000 * np.array(line)), color=colour, label=f"{how}, {v['young'][how] / 1000:.0f} kPa")
            ax.set(xlabel="x [mm]", ylabel="z [mm]", title=v["title"])
            ax.set_aspect("equal")
            ax.legend()
    return fig
