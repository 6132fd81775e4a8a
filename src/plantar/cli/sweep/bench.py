"""`plantar sweep bench`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from plantar._checks import require_choice
from plantar._files import write_config, write_table
from plantar.bench.press.released import ROOT_VARIABLE, released_file
from plantar.bench.press.throughput import StepTrials, throughput
from plantar.cli.common import (
    FAILED,
    Json,
    OutTables,
    Overwrite,
    Progress,
    emit,
    fail,
    note,
    results_folder,
    table_text,
    words,
)
from plantar.cli.foot_options import FeetOption, read_foot
from plantar.cli.show_options import report_on
from plantar.cli.sweep.options import Workers, stdout_is_ours
from plantar.errors import InvalidInput
from plantar.feet import SoftFoot
from plantar.show.report import Section
from plantar.sweep.run import ENGINES

UNITS = {"startup": "s", "steps": "1/s", "real_time": "times"}
"""Units of the columns."""


def bench(
    feet: FeetOption = "softfoot,softfoot:hinge,softfoot:fast,softfoot_published",
    engines: Annotated[list[str] | None, typer.Option("--engine", help="Engine to time; can be repeated.")] = None,
    released: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="softfoot.xml from MuJoCo Menagerie, as a reference; searched for if left out."
        ),
    ] = None,
    seconds: Annotated[float, typer.Option(help="Approximate time for each [s].")] = 3.0,
    workers: Workers = None,
    out: OutTables = None,
    overwrite: Overwrite = False,
    as_json: Json = False,
) -> None:
    """Time every engine on this machine with every foot, pressed with 100 N on an obstacle."""
    cases = _cases(words(feet), released)
    chosen: list[Any] = list(dict.fromkeys(engines or ENGINES))
    for engine in chosen:
        require_choice("--engine", engine, ENGINES)
    folder = results_folder(out, "sweep-bench", overwrite)
    with Progress(len(cases) * len(chosen), "timing") as bar, stdout_is_ours():
        table = throughput(cases, chosen, seconds=seconds, workers=workers, progress=bar.advance)
    if "released" not in cases:
        note(f"the released foot is not timed: set {ROOT_VARIABLE} to a clone of MuJoCo Menagerie, or give --released")
    write_table(folder, "throughput", table)
    write_config(folder, seconds=seconds, engines=chosen, feet=cases)
    said = (
        "how many steps per second each engine simulates on this machine.",
        f"the fastest reaches {max((row['steps'] or 0 for row in table), default=0):.3g} steps per second.",
        f"each was timed for about {seconds:g} s with whatever else was running.",
    )
    report = report_on(folder, "Engines on this machine", said, [Section(title="Throughput", table=table, units=UNITS)])
    record = {"rows": list(table), "folder": folder, "report": report}
    emit(record, as_json=as_json, text=f"{said[1].rstrip('.')}\n\n{table_text(table, units=UNITS)}\n\nreport: {report}")
    if all(row["steps"] is None for row in table):
        fail("no engine could run: see column note", FAILED)


def _cases(names: Sequence[str], released: Path | None) -> dict[str, StepTrials]:
    """What to time: each foot and the released model."""
    cases = {name: StepTrials(foot=read_foot(name)) for name in names}
    if released is not None and not released.is_file():
        raise InvalidInput(f"--released {str(released)!r} is not a file: give the path of the released softfoot.xml")
    released = released or released_file()
    if released is not None:
        cases["released"] = StepTrials(foot=SoftFoot.published(), released=str(released))
    return cases
