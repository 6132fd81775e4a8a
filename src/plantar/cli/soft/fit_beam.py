"""`plantar soft fit-beam`: Young's modulus from the sag of a clamped beam."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from plantar._files import write_config, write_table
from plantar.cli.common import Json, Out, Overwrite, emit, numbers, results_folder, table_text
from plantar.cli.show_options import report_on
from plantar.errors import InvalidInput
from plantar.show.plots import COLOURS, figure, house_style, save
from plantar.show.report import Section
from plantar.soft.fit.beam import SOFTEST, STIFFEST, Beam, Line, fit_young, read_line, tell

UNITS = {"young": "Pa", "tip*": "m", "rms*": "m", "s": "m", "x*": "m", "z*": "m", "error*": "m"}


def fit_beam(
    table: Annotated[
        Path, typer.Argument(metavar="TABLE.csv", help="Columns s, x, z [m], angle [rad] and optionally beam.")
    ],
    density: Annotated[float, typer.Option(help="Density [kg/m^3]; only modulus over density shows in a sag.")],
    beam: Annotated[str | None, typer.Option(help="Beam to use, if the table has several.")] = None,
    shaft: Annotated[
        str, typer.Option(metavar="LENGTH,HEIGHT", help="Shaft, height in the plane of bending [m].")
    ] = "0.14,0.03",
    head: Annotated[
        str, typer.Option(metavar="LENGTH,HEIGHT", help="Head at the free end [m]; 0,0: none.")
    ] = "0.03,0.06",
    young: Annotated[
        float | None, typer.Option(help="Young's modulus to predict the line with, beside the fitted ones [Pa].")
    ] = None,
    check: Annotated[
        Path | None, typer.Option(metavar="OTHER.csv", help="Other places of the same beam, to be told by the fit.")
    ] = None,
    out: Out = None,
    overwrite: Overwrite = False,
    as_json: Json = False,
) -> None:
    """Fit Young's modulus to the sag of a clamped beam; the shaft alone predicts the tip."""
    (length, height), (head_length, head_height) = _pair("--shaft", shaft), _pair("--head", head)
    line = read_line(table, beam)
    others = None if check is None else read_line(check, beam, line.clamp)
    body = Beam(density=density, length=length, height=height, head_length=head_length, head_height=head_height)
    if young is not None and not SOFTEST <= young <= STIFFEST:
        raise InvalidInput(f"--young {young:g} is not allowed: give {SOFTEST:g} to {STIFFEST:g} Pa")
    folder = results_folder(out, "soft-fit-beam", overwrite)
    # without its last place, which it then predicts
    part = np.arange(len(line.s)) < len(line.s) - 1
    moduli = {} if young is None else {"predicted": young}
    moduli |= {"fitted": fit_young(body, line), "fitted without the tip": fit_young(body, line, part)}
    lines = {how: tell(body, value, line) for how, value in moduli.items()}
    off = {how: np.hypot(*(told - line.places)) for how, told in lines.items()}
    rows: list[dict[str, str | float]] = [
        {"line": how, "young": value, "tip_error": float(off[how][-1]), "rms": float(np.sqrt(np.mean(off[how] ** 2)))}
        for how, value in moduli.items()
    ]
    places = [
        {"line": how, "s": s, "x": x, "z": z, "x_told": a, "z_told": b, "error": e}
        for how, told in lines.items()
        for s, x, z, a, b, e in zip(line.s, *line.places, *told, off[how], strict=True)
    ]
    if others is not None:
        for row, value in zip(rows, moduli.values(), strict=True):
            far = np.hypot(*(tell(body, value, others) - others.places))
            row |= {"rms_checked": float(np.sqrt(np.mean(far**2))), "error_checked_most": float(far.max())}
    write_table(folder, "moduli", rows)
    write_table(folder, "places", places)
    asked = {"beam": beam, "density": density, "shaft": shaft, "head": head, "young": young}
    write_config(folder, table=table.name, check=check.name if check else None, **asked)
    plot = _plot(folder / "line.png", line, lines)
    said = (
        f"which Young's modulus lets a beam sag as in {table.name}.",
        f"{moduli['fitted'] / 1000:.4g} kPa, {1000 * off['fitted'][-1]:.2g} mm off at the tip; fitted without the tip "
        f"{moduli['fitted without the tip'] / 1000:.4g} kPa, {1000 * off['fitted without the tip'][-1]:.2g} mm off.",
        f"the angle at the clamp is taken as measured ({np.degrees(line.clamp):.3g} degrees); the head is rigid.",
    )
    sections = [Section(title="The line", picture=plot, table=rows, units=UNITS)]
    report = report_on(folder, f"Sag of {table.name}", said, sections)
    record = {"moduli": rows, "clamp": line.clamp, "plot": plot, "folder": folder, "report": report}
    emit(record, as_json=as_json, text=f"{said[1]}\n\n{table_text(rows, digits=4, units=UNITS)}\n\nreport: {report}")


def _pair(option: str, text: str) -> tuple[float, float]:
    values = numbers(option, text)
    if len(values) != 2:
        raise InvalidInput(f"{option} {text!r} is not allowed: give a length and a height, with a comma between")
    return values[0], values[1]


def _plot(path: Path, line: Line, lines: dict[str, np.ndarray]) -> Path:
    with house_style():
        fig, axes = figure(1, 1, size=(6, 5))
        ax = axes[0, 0]
        ax.plot(*(1000 * line.places), "o", color="black", ms=4, label="measured")
        for colour, (how, told) in zip(COLOURS, lines.items(), strict=False):
            ax.plot(*(1000 * told), color=colour, label=how)
        ax.set(xlabel="x [mm]", ylabel="z [mm]")
        ax.set_aspect("equal")
        ax.legend()
        return save(fig, path)
