"""`plantar gait compare-contact`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from plantar._files import write_config, write_table
from plantar.cli.common import Json, Out, Overwrite, Seed, emit, note, results_folder, table_text
from plantar.cli.show_options import report_on
from plantar.gait.compare_contact import compare_contact as compare
from plantar.gait.compare_contact import read_recording, synthetic_squat
from plantar.gait.compare_plots import plot_comparison
from plantar.gait.ramone import BUILT_IN
from plantar.gait.squat import Squat
from plantar.show.plots import save
from plantar.show.report import Section


def compare_contact(
    recorded: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE.csv", help="Columns time, foot_x_LEG, foot_z_LEG; a synthetic recording if left out."
        ),
    ] = None,
    robot: Annotated[Literal["quadruped", "ramone", "leg"], typer.Option(help="Built-in robot.")] = "quadruped",
    straight: Annotated[float, typer.Option(help="Smallest angle of the knee motors [rad].")] = 0.4,
    bent: Annotated[float, typer.Option(help="Largest angle of the knee motors [rad].")] = 1.1,
    period: Annotated[float, typer.Option(help="Duration of a squat [s].")] = 1.0,
    count: Annotated[int, typer.Option(help="Squats.")] = 3,
    seed: Seed = 0,
    out: Out = None,
    overwrite: Overwrite = False,
    as_json: Json = False,
) -> None:
    """Compare open-loop squats on hard and soft feet with a recorded motion: the paper's Figure 3, errors, verdict."""
    body = BUILT_IN[robot]()
    squat = Squat(straight=straight, bent=bent, period=period, count=count)
    if recorded is None:
        note("no --recorded: a synthetic recording, simulated with rubber feet, shows the layout and proves nothing")
    table = synthetic_squat(body, squat, seed=seed) if recorded is None else read_recording(recorded)
    found = compare(body, table, squat)
    folder = results_folder(out, "gait-compare-contact", overwrite)
    write_table(folder, "errors", found.rows)
    write_table(folder, "recorded", table)
    picture = save(plot_comparison(found), folder / "feet.png")
    source = None if recorded is None else recorded.name
    write_config(folder, command="gait compare-contact", seed=seed, robot=body, squat=squat, recorded=source)
    verdict = {"better": found.better, **{f"error_{k}": v for k, v in found.errors.items()}}
    errors = ", ".join(f"{name} feet by {1e3 * value:.3g} mm" for name, value in found.errors.items())
    words = (
        f"whether rigid or rubber feet explain a squat of the {robot} better.",
        f"{found.better} feet: {errors} rms.",
        "the recording is synthetic, simulated with rubber feet: it shows the layout and proves nothing."
        if recorded is None
        else "one recording; the motors' targets are the same for both.",
    )
    sections = [Section(title="Feet over time", picture=picture, table=found.rows, units={"error_*": "m"})]
    report = report_on(folder, "Rigid or rubber feet?", words, sections)
    tables = [table_text(rows, units={"error_*": "m"}) for rows in (found.rows, [verdict])]
    text = "\n\n".join([*tables, f"report: {report}"])
    emit({"feet": found.rows, **verdict, "folder": folder, "report": report}, as_json=as_json, text=text)
