"""Measured data: silicone beams that sag under their own weight, by the theory of rods."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from plantar.progress import Progress
from plantar.show.plots import COLOURS, figure, house_style
from plantar.soft.fit.beam import FROM_100_PERCENT, Beam, fit_young, read_line, tell
from validation.drawing import picture
from validation.records import Record, Row, shared

BEAMS = {"mold_star_15": ("MoldStar 15", 1180.0, 379e3), "ecoflex_00_50": ("Ecoflex 00-50", 1070.0, 83e3)}
"""Name, density [kg/m^3] and nominal stress at 100 % strain [Pa] (55 and 12 psi) of the maker's sheets."""
TARGET = 0.003


def beams() -> Record:
    """Sag by the maker's modulus, by one modulus fitted to the whole line, and by one fitted without the tip."""
    file = shared("data/real/silicone_beams.csv")
    found: dict[str, Any] = {}
    with Progress(len(BEAMS), "beams") as shown:
        for name, (title, density, sheet) in BEAMS.items():
            line, beam = read_line(file, name), Beam(density=density)
            shaft, measured = line.s <= beam.length, line.places
            moduli = {"sheet": FROM_100_PERCENT * sheet, "fitted": fit_young(beam, line)}
            moduli["shaft alone"] = fit_young(beam, line, shaft)
            turned = replace(line, clamp=line.clamp - np.radians(1.0))
            less = tell(beam, fit_young(beam, turned, shaft), turned)
            lines = {how: tell(beam, young, line) for how, young in moduli.items()}
            errors = {how: np.hypot(*(told - measured)) for how, told in lines.items()}
            found[name] = {
                "title": title,
                "name": name,
                "density": density,
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
        command="`python tools/validate.py data --only beams`, `plantar soft fit-beam FILE.csv --beam "
        f"{v['name']} --density {v['density']:g}`",
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
