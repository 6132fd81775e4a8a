"""`plantar soft fit`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from plantar._files import write_config, write_table
from plantar.cli.common import Json, Out, Overwrite, Progress, Seed, emit, results_folder, table_text, words
from plantar.cli.show_options import report_on
from plantar.show.report import Section
from plantar.soft.fit.fit import fit_laws, told_errors
from plantar.soft.fit.laws import LAWS
from plantar.soft.fit.plot import plot_fits
from plantar.soft.fit.table import Stretched, read_stretches
from plantar.soft.fit.zero import from_own_zeros, own_zeros, shear_at_rest

YOUNG = {"young": "Pa"}
CHECKED = (
    "error_percent relative to each stress (or a tenth of the test's median stress), of_peak_percent to the largest; "
    "root mean squares"
)
ONE_KIND = (
    "only one kind of test: laws that fit it alike may differ widely in other kinds, and nothing here checks them; "
    "the extended tube tells these best in the literature (docs/soft_fit.md)\n"
)
APART = 0.10
"""Difference between the tests' shear moduli at rest above which the command doubts their zeros."""


def fit(
    table: Annotated[
        Path, typer.Argument(metavar="TABLE.csv", help="Columns stretch, stress [Pa] and optionally mode and rubber.")
    ],
    rubber: Annotated[str | None, typer.Option(help="Rubber to use, if the table has several.")] = None,
    laws: Annotated[str, typer.Option(help="Laws to fit, separated by commas.")] = ",".join(LAWS),
    own_zero: Annotated[
        bool, typer.Option("--own-zero", help="Measure each test's stretches from a zero found in its own first rows.")
    ] = False,
    check: Annotated[
        Path | None,
        typer.Option(
            metavar="OTHER.csv",
            help="Measured rows that are not fitted: how well every law tells them, by kind of test.",
        ),
    ] = None,
    bootstrap: Annotated[
        int, typer.Option(min=0, help="Number of bootstrap tables for the intervals of the constants.")
    ] = 100,
    seed: Seed = 0,
    out: Out = None,
    overwrite: Overwrite = False,
    as_json: Json = False,
) -> None:
    """Fit laws of rubber to a stress-stretch table; choose by held-out error (docs/soft_fit.md)."""
    rows = read_stretches(table, rubber)
    zeros, said_of_zeros = own_zeros(rows) if own_zero else {}, _zeros_text(rows, own_zero)
    rows = from_own_zeros(rows) if own_zero else rows
    measured = None if check is None else read_stretches(check, rubber, least=1, named=False)
    moved = own_zeros(measured) if measured and own_zero else {}
    others = from_own_zeros(measured) if measured and own_zero else measured
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
    checked = [row for one in fits for row in told_errors(one, others)] if others else []
    if checked:
        write_table(folder, "check", checked)
    asked = {"rubber": rubber, "laws": chosen, "bootstrap": bootstrap, "seed": seed, "own_zero": own_zero}
    write_config(folder, table=table.name, check=check.name if check else None, **asked)
    plot = plot_fits(folder / "fits.png", rows, fits)
    best = fits[0]
    said = (
        f"which law of rubber describes {table.name}, and with which constants.",
        f"{best.law.title}, by its held-out error.",
        f"intervals come from {bootstrap} bootstrap tables; nothing is known beyond the measured stretches.",
    )
    sections = [
        Section(title="Laws, best first", picture=plot, table=flat, units=YOUNG),
        Section(title="Constants", text="In Pa, except exponents.", table=constants),
    ]
    if check:
        sections.insert(1, Section(title=f"Rows of {check.name}, which were not fitted", text=CHECKED, table=checked))
    report = report_on(folder, f"Laws of rubber for {table.name}", said, sections)
    record = {
        "report": report,
        "best": best.law.name,
        "stretches_moved_by": zeros,
        "checked_stretches_moved_by": moved,
        "fits": [one.row() for one in fits],
        "check": checked,
        "plot": plot,
        "folder": folder,
    }
    neo = next((one for one in fits if one.law.name == "neo_hookean"), None)
    use = f"\nin a scene: material: {{law: neo_hookean, young: {neo.young:.4g}, poisson: 0.49}}" if neo else ""
    found = f"best: {best.law.title}; {100 * best.held_out:.3g} % off where it was held out{use}\n{said_of_zeros}"
    found += "" if len(rows.modes) > 1 else ONE_KIND
    tables = f"{table_text(flat, digits=4, units=YOUNG)}\n\nconstants in Pa, except exponents\n\n"
    tables += table_text(constants, digits=5)
    if check:
        shifts = ", ".join(f"{k} {v:+.4f}" for k, v in moved.items())
        shifts = f"; stretches moved by {shifts}" if moved else ""
        tables = f"{check.name}, not fitted: {CHECKED}{shifts}\n\n{table_text(checked, digits=4)}\n\n{tables}"
    emit(record, as_json=as_json, text=f"{found}\n{tables}\n\nreport: {report}")


def _zeros_text(rows: Stretched, own_zero: bool) -> str:
    """The zeros found, or a note that the tests disagree near rest."""
    if own_zero:
        return "stretches moved by " + ", ".join(f"{k} {v:+.4f}" for k, v in own_zeros(rows).items()) + "\n"
    moduli = shear_at_rest(rows)
    if not moduli or max(moduli.values()) < (1 + APART) * min(moduli.values()):
        return ""
    told = ", ".join(f"{k} {v / 1000:.0f} kPa" for k, v in moduli.items())
    return f"the tests disagree near rest (shear modulus {told}), as with a wrong zero of stretch: try --own-zero\n"
