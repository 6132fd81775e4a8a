"""`plantar ground fit-soil`: a law of soil from presses, driven wheels or dragged plates."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from plantar._files import write_config, write_table
from plantar.cli.common import Json, Out, Overwrite, emit, numbers, results_folder, table_text
from plantar.cli.show_options import report_on
from plantar.errors import InvalidInput
from plantar.ground.soil.fit_flow import Wheel, fit_flow
from plantar.ground.soil.fit_plots import plot_soil_fit
from plantar.ground.soil.fit_press import fit_press
from plantar.ground.soil.fitted import SoilFit
from plantar.ground.soil.measured import read_soil
from plantar.show.plots import save
from plantar.show.report import Section

SHARES: dict[str, str] = dict.fromkeys(("own", "left_out", "worst*", "error", "inside"), "share")
"""Columns that are fractions of the measurement."""


def fit_soil(
    data: Annotated[
        Path,
        typer.Argument(metavar="DATA", help="CSV or NPZ of presses, driven wheels or dragged plates; SI units."),
    ],
    check: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Other measurements of the same kind, to be predicted by the fit."),
    ] = None,
    depths: Annotated[
        str, typer.Option(metavar="FROM,TO", help="Range of depths within which samples of presses count [m].")
    ] = "0.002,0.02",
    wheel: Annotated[
        str, typer.Option(metavar="RADIUS,WIDTH,GROUSERS", help="Size of the wheels [m].")
    ] = "0.058,0.05,0.005",
    out: Out = None,
    overwrite: Overwrite = False,
    as_json: Json = False,
) -> None:
    """Fit laws of soil to presses, driven wheels or dragged plates; choose one by its held-out error."""
    seen, others = read_soil(data), None if check is None else read_soil(check)
    if others is not None and others.kind != seen.kind:
        raise InvalidInput(f"--check {str(check)!r} is of kind {others.kind}, not {seen.kind}: give the same kind")
    settings = {"depths": _numbers("--depths", depths, 2), "wheel": _numbers("--wheel", wheel, 3)}
    shallow, deep = settings["depths"]
    if not 0 <= shallow < deep:
        raise InvalidInput(f"--depths {depths!r} is not allowed: give two depths, the smaller first")
    if seen.kind == "press":
        fit = fit_press(seen, others, shallow=shallow, deep=deep, name=data.stem)
    else:
        radius, width, grousers = settings["wheel"]
        fit = fit_flow(seen, others, wheel=Wheel(radius=radius, width=width, grousers=grousers), name=data.stem)
    folder = results_folder(out, "ground-fit-soil", overwrite)
    for name in ("laws", "parameters", "left_out", "samples"):
        write_table(folder, name, getattr(fit, name))
    if fit.checked is not None:
        write_table(folder, "checked", fit.checked)
    picture = save(plot_soil_fit(fit, title=f"Soil fitted to {data.name}"), folder / "fit.png")
    write_config(folder, command="ground fit-soil", data=data.name, settings=settings, result=fit.to_dict())
    file = fit.ground.save(folder / "ground.json")
    words = (
        f"which law of soil describes {data.name}, and with which parameters.",
        f"{fit.law}, with a held-out error of {fit.error:.1%}.",
        f"{fit.covered:.0%} of the held-out data lies inside the 95 % intervals. {' '.join(fit.notes)}",
    )
    sections = [
        Section(title="The fit", picture=picture),
        Section(title="Laws", table=fit.laws, units=SHARES),
        Section(title="Parameters", text="Pressures are in Pa at the reference depth.", table=fit.parameters),
        Section(title="Each part predicted from the others", table=fit.left_out, units=SHARES),
        *([] if fit.checked is None else [Section(title="Measurements of the check", table=fit.checked, units=SHARES)]),
    ]
    report = report_on(folder, f"Soil fitted to {data.name}", words, sections)
    record = {**fit.to_dict(), "file": file, "folder": folder, "report": report}
    emit(record, as_json=as_json, text=f"{_text(fit, file)}\nreport: {report}")


def _numbers(option: str, text: str, count: int) -> list[float]:
    found = numbers(option, text)
    if len(found) != count:
        raise InvalidInput(f"{option} {text!r} is not allowed: give {count} numbers")
    return found


def _text(fit: SoilFit, file: Path) -> str:
    laws = sorted(fit.laws, key=lambda row: row["left_out"])[:6]
    parts = [
        f"{fit.kind}: {fit.law}, held-out error {fit.error:.1%}, {fit.covered:.0%} of that data inside the intervals",
        table_text(laws, digits=3, units=SHARES),
        f"parameters, 95 % intervals (pressures [Pa] at the reference depth):\n{table_text(fit.parameters, digits=4)}",
        f"each part predicted from the others:\n{table_text(fit.left_out, digits=3, units=SHARES)}",
        *(
            []
            if fit.checked is None
            else [f"measurements of --check:\n{table_text(fit.checked, digits=3, units=SHARES)}"]
        ),
        "\n".join(f"- {note}" for note in fit.notes),
        f"ground: {file}",
    ]
    return "\n\n".join(parts)
