"""`plantar ground curve`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from plantar._checks import require
from plantar._files import write_config, write_table
from plantar.cli.common import Json, Out, Overwrite, emit, numbers, results_folder, table_text
from plantar.cli.ground.options import GroundFile
from plantar.cli.show_options import report_on
from plantar.errors import InvalidInput
from plantar.ground import Ground, HuntCrossley, static_parameters
from plantar.identify.curve import Drop, fall_on, forward_curve, inverse_curve, law_curve
from plantar.identify.curve_plots import plot_curves
from plantar.show.plots import save
from plantar.show.report import Section
from plantar.table import Table

UNITS = {"*depth": "m", "deepest": "m", "largest_force": "N", "analytic_error": "1"}


def curve(
    shape: Annotated[Literal["ball", "box"], typer.Option(help="Body that falls.")] = "ball",
    mass: Annotated[float, typer.Option(help="Its mass [kg].")] = 1.0,
    height: Annotated[float, typer.Option(help="Height of free fall [m].")] = 0.01,
    depth: Annotated[
        float | None, typer.Option(help="Static sinkage that gives solref and solimp by eqs. 29-30 [m].")
    ] = None,
    damping_ratio: Annotated[float, typer.Option(help="Damping ratio for --depth.")] = 1.0,
    solref: Annotated[list[str] | None, typer.Option(metavar="A,B", help="Solver reference; can be repeated.")] = None,
    solimp: Annotated[str, typer.Option(metavar="A,B,C,D,E", help="Solver impedance.")] = "0.9,0.95,0.001,0.5,2",
    ground: GroundFile = None,
    hunt_crossley: Annotated[
        str | None, typer.Option(metavar="K,C[,N]", help="Also plot this Hunt-Crossley law.")
    ] = None,
    deepest: Annotated[float | None, typer.Option(help="Largest depth of the static curve [m].")] = None,
    duration: Annotated[float, typer.Option(help="Simulated time [s].")] = 0.5,
    timestep: Annotated[float, typer.Option(help="Time step [s].")] = 1e-4,
    out: Out = None,
    overwrite: Overwrite = False,
    as_json: Json = False,
) -> None:
    """Plot force against deformation: dropped and at rest, simulated and analytic, Hunt-Crossley beside it."""
    drop = Drop(shape=shape, mass=mass, height=height, duration=duration, timestep=timestep)
    grounds = _grounds(drop, depth, damping_ratio, solref, solimp, ground)
    law = _hunt_crossley(hunt_crossley)
    require(deepest is None or 1e-9 <= deepest <= 1, "--deepest", deepest, "a depth from 1e-9 to 1 m")
    folder = results_folder(out, "ground-curve", overwrite)
    sunk = {name: drop.law(g).static_depth(drop.weight) for name, g in grounds.items()}
    end = deepest or 1.25 * max(sunk.values())
    forward = {name: forward_curve(drop, g) for name, g in grounds.items()}
    inverse = {name: inverse_curve(drop, g, end) for name, g in grounds.items()}
    rows = [_summary(name, forward[name], inverse[name], sunk[name]) for name in grounds]
    if law is not None:
        forward["Hunt-Crossley"], inverse["Hunt-Crossley"] = fall_on(law, drop), law_curve(law, end)
        fallen = forward["Hunt-Crossley"]
        deep = float(fallen.column("depth").max()) if len(fallen) else None
        rows.append({"law": "Hunt-Crossley", "static_depth": law.static_depth(drop.weight), "deepest": deep})
    write_config(folder, command="ground curve", drop=drop, grounds=grounds, hunt_crossley=law, order=list(forward))
    picture = _write(folder, drop, forward, inverse)
    far = max(float(row.get("analytic_error") or 0) for row in rows)
    words = (
        f"how deep a {shape} of {mass:g} kg sinks into the ground, dropped from {1e3 * height:g} mm and at rest.",
        "; ".join(f"{row['law']} sinks {1e3 * row['static_depth']:.4g} mm at rest" for row in rows) + ".",
        f"simulated forces are within {100 * far:.2g} % of the analytic law.",
    )
    sections = [Section(title="Curves", picture=picture, table=rows, units=UNITS)]
    report = report_on(folder, "Force against deformation", words, sections)
    text = f"{table_text(rows, digits=6, units=UNITS)}\n\nreport: {report}"
    emit({"curves": rows, "folder": folder, "report": report}, as_json=as_json, text=text)


def _grounds(
    drop: Drop, depth: float | None, ratio: float, solref: list[str] | None, solimp: str, file: Path | None
) -> dict[str, Ground]:
    """Grounds by label, from whichever option gives them."""
    if sum(x is not None for x in (depth, solref, file)) > 1:
        raise InvalidInput("give only one of --depth, --solref and --ground")
    if file is not None:
        ground = Ground.load(file)
        return {ground.name: ground}
    if depth is not None:
        require(1e-9 <= depth <= 1, "--depth", depth, "a depth from 1e-9 to 1 m")
        pair = static_parameters(depth, ratio, contacts=drop.contacts)
        return {f"{1e3 * depth:g} mm": Ground(solref=pair.solref, solimp=pair.solimp)}
    shape = _vector("--solimp", solimp, 5)
    pairs = [_vector("--solref", text, 2) for text in solref or ["0.02,1"]]
    return {f"solref {p[0]:g} {p[1]:g}": Ground(solref=p, solimp=shape) for p in pairs}


def _vector(option: str, text: str, size: int) -> Any:
    values = tuple(numbers(option, text))
    if len(values) != size:
        raise InvalidInput(f"{option} {text!r} is not allowed: give {size} numbers separated by commas")
    return values


def _hunt_crossley(text: str | None) -> HuntCrossley | None:
    if text is None:
        return None
    values = numbers("--hunt-crossley", text)
    if len(values) not in (2, 3):
        raise InvalidInput(
            f"--hunt-crossley {text!r} is not allowed: give stiffness, damping and optionally an exponent"
        )
    return HuntCrossley(stiffness=values[0], damping=values[1], exponent=values[2] if len(values) == 3 else 1.5)


def _summary(name: str, forward: Table, inverse: Table, sunk: float) -> dict[str, Any]:
    """Results of a law, in one row."""
    row: dict[str, Any] = {
        "law": name,
        "static_depth": sunk,
        "deepest": None,
        "largest_force": None,
        "rest_depth": None,
    }
    error = 0.0
    for table in (forward, inverse):
        if len(table):
            force, analytic = table.column("force"), table.column("force_law")
            error = max(error, float(abs(force - analytic).max() / force.max()))
    if len(forward):
        row |= {"deepest": float(forward.column("depth").max()), "largest_force": float(forward.column("force").max())}
        row["rest_depth"] = forward[-1]["depth"]
    return {**row, "analytic_error": error}


def _write(folder: Path, drop: Drop, forward: dict[str, Table], inverse: dict[str, Table]) -> Path:
    """Write the curves and the plot; return the path of the plot."""
    for kind, tables in (("forward", forward), ("inverse", inverse)):
        for i, table in enumerate(tables.values(), start=1):
            if len(table):
                write_table(folder, f"{kind}_{i}", table)
    title = f"{drop.mass:g} kg {drop.shape}: force against deformation"
    return save(plot_curves(forward, inverse, weight=drop.weight, title=title), folder / "curve.png")
