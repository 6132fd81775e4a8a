"""Measured data: sand pressed by plates and driven through by wheels, each part predicted from the others."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from plantar.ground.soil.fit_flow import fit_flow
from plantar.ground.soil.fit_press import fit_press
from plantar.ground.soil.fitted import SoilFit
from plantar.ground.soil.measured import read_soil
from plantar.show.plots import COLOURS, figure, house_style
from validation.drawing import picture
from validation.records import Record, Row, shared

PLATES, WHEELS = 0.12, 0.20
"""Errors that are aimed at."""
COMMAND = "`python tools/validate.py data --only sand`, `plantar ground fit-soil FILE.csv`"


def sand() -> Record:
    """Plates of sizes and boxes that were left out; wheels at conditions, speeds and angles that were left out."""
    plates = fit_press(read_soil(shared("data/real/sand_plates_loading.csv")))
    wheels = fit_flow(read_soil(shared("data/real/sand_wheel_runs.csv")))
    caption = "Sand: pressure under plates and forces on wheels, measured, and predicted by fits that had not seen them"
    return Record(
        title="Sand",
        text="Plates of three sizes are pressed into two boxes of sand; each size in each box is predicted from the "
        "others, mean pressure from 2 to 20 mm. Wheels are driven through it at slip angles and rim speeds; their "
        "forces "
        "at the measured sinkage are predicted for whole conditions, speeds and angles that were left out. The "
        "exponent "
        "of depth and the smoothness of the law were chosen by these errors.",
        rows=[_plates(plates), _wheels(wheels)],
        tables=[
            {
                "title": "Wheels: error on what was left out",
                "columns": ["left out", "runs", "error"],
                "rows": [[_part(r["part"]), r["runs"], f"{100 * r['error']:.0f} %"] for r in wheels.left_out],
            }
        ],
        pictures=[picture("data", "sand", _draw(plates, wheels), caption)],
        values={"plates": list(plates.left_out), "wheels": list(wheels.left_out), "law": [plates.law, wheels.law]},
    )


def _part(text: str) -> str:
    kind, value = text.rsplit(" ", 1)
    if kind == "rim_speed":
        return f"rim speed {1000 * float(value):.0f} mm/s"
    return f"slip angle {float(value):.0f} degrees"


def _plates(fit: SoilFit) -> Row:
    errors = [row["error"] for row in fit.left_out]
    other = next(row for row in fit.laws if row["law"] == "bekker")
    worst = max(row["worst_run"] for row in fit.left_out)
    return Row(
        what="plates of 60, 80, 100 mm in two boxes, each size in each box left out: mean pressure over 2 to 20 mm",
        published=f"within {100 * PLATES:.0f} %",
        ours=f"{100 * min(errors):.1f} to {100 * max(errors):.1f} %; worst single press {100 * worst:.1f} %",
        n=f"{sum(row['runs'] for row in fit.left_out)} presses; {100 * fit.covered:.0f} % of samples inside their 95 % "
        "interval",
        controls=f"Bekker's law: {100 * other['left_out']:.0f} %; presses of a kind differ by 5 to 15 % among "
        f"themselves",
        verdict="confirmed" if worst < PLATES else "not confirmed",
        command=COMMAND,
    )


def _wheels(fit: SoilFit) -> Row:
    best = next(row for row in fit.laws if row["law"] == fit.law)
    published = next(row for row in fit.laws if row["law"] == "n = 1, published")
    parts = [(row["part"], row["error"]) for row in fit.left_out]
    by = {kind: [(p, e) for p, e in parts if p.startswith(kind)] for kind in ("rim", "angle")}
    angles = [error for part, error in by["angle"] if not part.endswith("90.0")]
    last = next(error for part, error in by["angle"] if part.endswith("90.0"))
    missed = [_part(part) for kind in by.values() for part, error in kind if error > WHEELS]
    speeds = [error for _, error in by["rim"]]
    return Row(
        what="wheels driven through it, forces at the measured sinkage; left out: conditions; rim speeds; slip "
        "angles of "
        "0 to 75 degrees; 90 degrees",
        published=f"within {100 * WHEELS:.0f} %",
        ours=f"{100 * best['left_out_condition']:.0f} %; {100 * best['left_out_rim_speed']:.0f} % "
        f"({100 * min(speeds):.0f} to {100 * max(speeds):.0f}); {100 * min(angles):.0f} to {100 * max(angles):.0f} %; "
        f"{100 * last:.0f} %",
        n=f"{sum(r['runs'] for r in fit.left_out if r['part'].startswith('angle'))} conditions, most run three times; "
        f"{100 * fit.covered:.0f} % of samples inside their 95 % interval",
        controls=f"published resistive force theory with one scale: {100 * published['left_out']:.0f} %",
        verdict="only in a regime" if missed else "confirmed",
        regime=f"not at {', '.join(missed)} (there the axle is buried)" if missed else "",
        command=COMMAND,
    )


def _draw(plates: SoilFit, wheels: SoilFit) -> Figure:
    with house_style():
        fig, axes = figure(1, 2, size=(9.5, 4.2))
        sizes = plates.samples.column("diameter")
        for colour, size in zip(COLOURS, np.unique(sizes), strict=False):
            mine = sizes == size
            x, y = (1e-3 * plates.samples.column(k)[mine] for k in ("measured", "predicted"))
            axes[0, 0].plot(x, y, "o", ms=2.5, color=colour, label=f"{1000 * size:.0f} mm")
        axes[0, 0].set(xlabel="pressure, measured [kPa]", ylabel="predicted [kPa]", title="plates")
        way = np.array(wheels.samples.column("direction"))
        for colour, one in zip(COLOURS, "xyz", strict=False):
            x, y = (wheels.samples.column(k)[way == one] for k in ("measured", "predicted"))
            axes[0, 1].plot(x, y, "o", ms=2.5, color=colour, label=f"along {one}")
        axes[0, 1].set(xlabel="force, measured [N]", ylabel="predicted [N]", title="wheels")
        for ax in axes[0]:
            low, high = ax.get_xlim()
            ax.plot([low, high], [low, high], color="#6b7480", lw=0.8)
            ax.legend()
    return fig
