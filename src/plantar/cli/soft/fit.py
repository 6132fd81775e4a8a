"""`plantar soft fit`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from plantar._files import write_config, write_table
from plantar.cli.common import Json, Out, Overwrite, Progress, Seed, emit, results_folder, table_text, words
from plantar.cli.show_options import report_on
from plantar.show.report import Section
from plantar.soft.fit.fit import fit_laws
from plantar.soft.fit.laws import LAWS
from plantar.soft.fit.plot import plot_fits
from plantar.soft.fit.table import read_stretches

YOUNG = {"young": "Pa"}


def fit(
    table: Annotated[
        Path, typer.Argument(metavar="TABLE.csv", help="Columns stretch, stress [Pa] and perhaps mode and rubber.")
    ],
    rubber: Annotated[str | None, typer.Option(help="Rows to take where the table has several rubbers.")] = None,
    laws: Annotated[str, typer.Option(help="Laws to fit, with commas between.")] = ",".join(LAWS),
    bootstrap: Annotated[int, typer.Option(min=0, help="Tables drawn for the intervals of the constants.")] = 100,
    seed: Seed = 0,
    out: Out = None,
    overwrite: Overwrite = False,
    as_json: Json = False,
) -> None:
    """Fit laws of rubber to a stress-stretch table; choose by held-out error (docs/soft_fit.md)."""
    rows = read_stretches(table, rubber)
    chosen = words(laws)
    folder = results_folder(out, "soft-fit", overwrite)
    with Progress(len(chosen), "soft fit") as bar:
        fits = fit_laws(rows, chosen, draws=bootstrap, seed=seed, progress=bar.advance)
    flat = [{k: v for k, v in one.row().items() if k != "constants"} for one in fits]
    constants = [
        {"law": one.law.name, "constant": name, "value": value, "low": low, "high": high}
        for one in fits
        for name, value, low, high in zip(one.law.constants, one.constants, one.low, one.high, strict=True)
    ]
    write_table(folder, "fits", flat)
    write_table(folder, "constants", constants)
    write_config(folder, table=table.name, rubber=rubber, laws=chosen, bootstrap=bootstrap, seed=seed)
    plot = plot_fits(folder / "fits.png", rows, fits)
    best = fits[0]
    said = (
        f"which law of rubber describes {table.name}, and with which constants.",
        f"{best.law.title}, by its error on what was held out.",
        f"intervals are of {bootstrap} tables drawn from the data; nothing is known beyond the stretches measured.",
    )
    sections = [
        Section(title="Laws, best first", picture=plot, table=flat, units=YOUNG),
        Section(title="Constants", text="Pa, but for exponents.", table=constants),
    ]
    report = report_on(folder, f"Laws of rubber for {table.name}", said, sections)
    record = {
        "report": report,
        "best": best.law.name,
        "fits": [one.row() for one in fits],
        "plot": plot,
        "folder": folder,
    }
    neo = next((one for one in fits if one.law.name == "neo_hookean"), None)
    use = f"\nin a scene: material: {{law: neo_hookean, young: {neo.young:.4g}, poisson: 0.49}}" if neo else ""
    text = (
        f"{table_text(flat, digits=4, units=YOUNG)}\n\n{table_text(constants, digits=5)}\n\nbest: {best.law.title}{use}"
    )
    emit(record, as_json=as_json, text=f"{text}\nreport: {report}")
