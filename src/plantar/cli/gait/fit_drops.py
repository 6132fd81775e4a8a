"""`plantar gait fit-drops`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from plantar._files import write_config, write_table
from plantar.cli.common import Json, Out, Overwrite, emit, results_folder, table_text
from plantar.cli.show_options import report_on
from plantar.gait.drop_plots import plot_fit
from plantar.gait.drops import read_drops
from plantar.gait.fit_drops import fit_drops as fit
from plantar.show.plots import save
from plantar.show.report import Section

UNITS = {"*speed": "m/s", "*force*": "N", "*deep*": "m"}


def fit_drops(
    data: Annotated[Path, typer.Argument(metavar="DATA.csv", help="Columns drop, time, height and/or acceleration.")],
    mass: Annotated[float, typer.Option(help="Falling mass, foot included [kg].")],
    velocity: Annotated[
        Literal["position", "acceleration"] | None, typer.Option(help="Channel to use; both if left out.")
    ] = None,
    out: Out = None,
    overwrite: Overwrite = False,
    as_json: Json = False,
) -> None:
    """Fit k_N, d_N1 and d_N2 of a rubber foot to recorded drops, with intervals; draw the paper's Figure 1."""
    recordings = read_drops(data)
    found = fit(recordings, mass, velocity=velocity)
    folder = results_folder(out, "gait-fit-drops", overwrite)
    rows = found.rows()
    write_table(folder, "parameters", rows)
    write_table(folder, "drops", found.drops)
    picture = save(plot_fit(found), folder / "drops.png")
    values = ", ".join(f"{row['parameter']} {row['value']:.4g} {row['unit']}" for row in rows)
    left = ", ".join(f"{100 * value:.2g} % of {name}" for name, value in found.noise.items())
    words = (
        f"the normal law of a rubber foot under {mass:g} kg from {len(recordings)} drops of {data.name}.",
        f"{values}.",
        f"intervals are 95 %; the fit leaves {left} unexplained.",
    )
    sections = [
        Section(title="Parameters", table=rows, picture=picture),
        Section(title="Drops", table=found.drops, units=UNITS),
    ]
    report = report_on(folder, "A rubber foot fitted to drops", words, sections)
    write_config(folder, command="gait fit-drops", data=data.name, mass=mass, velocity=velocity, law=found.law)
    text = f"{table_text(rows, digits=5)}\n\n{table_text(found.drops, units=UNITS)}\n\nreport: {report}"
    record = {"parameters": rows, "drops": found.drops, "noise": found.noise, "folder": folder, "report": report}
    emit(record, as_json=as_json, text=text)
