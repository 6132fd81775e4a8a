"""`plantar sweep press`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from plantar import sweep
from plantar._checks import require
from plantar.bench import PressTrials
from plantar.bench.units import COLUMN_UNITS
from plantar.cli.bench.options import Chains, GroundFile, RigSet, bench_foot, make_rig
from plantar.cli.common import FAILED, Json, OutTables, Overwrite, Seed, emit, fail, parse_value, results_folder
from plantar.cli.foot_options import FootOption, Set
from plantar.cli.show_options import report_on
from plantar.cli.sweep.options import Workers, stdout_is_ours
from plantar.errors import InvalidInput
from plantar.show.report import Section
from plantar.sweep.run import count_text

PAPER = {"load": "12,24", "height": "0.007,0.011,0.015,0.019", "position": "1,2,3,4,5,6"}
"""The presses of Crotti et al. (2024), unless a sweep says otherwise."""


SHOWN = 50
"""Rows of a report, at most."""


def press(
    values: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="NAME=A,B,...|NAME=LOW:HIGH",
            help="Values of load, height, position, foot.FIELD or rig.FIELD; LOW:HIGH with --random.",
        ),
    ] = None,
    foot: FootOption = "softfoot",
    chains: Chains = None,
    changes: Set = None,
    rig_changes: RigSet = None,
    ground: GroundFile = None,
    random: Annotated[
        int, typer.Option(min=0, metavar="N", help="Draw N random trials instead of all combinations.")
    ] = 0,
    duration: Annotated[float, typer.Option(help="Simulated time per trial [s].")] = 5.0,
    engine: Annotated[sweep.EngineName, typer.Option(help="Engine that runs the trials.")] = "threads",
    workers: Workers = None,
    limit: Annotated[float | None, typer.Option(help="Time limit per trial [s]; not with threads.")] = None,
    address: Annotated[str | None, typer.Option(help="Ray cluster to use.")] = None,
    retry: Annotated[list[str] | None, typer.Option(help="Rerun trials with this status.")] = None,
    seed: Seed = 0,
    out: OutTables = None,
    overwrite: Overwrite = False,
    as_json: Json = False,
) -> None:
    """Press a foot in many ways; an interrupted sweep resumes when --out names its folder again.

    With --overwrite it starts over there.
    """
    trials = PressTrials(foot=bench_foot(foot, chains, changes), rig=make_rig(rig_changes, ground), duration=duration)
    given = [_axis(text) for text in values or []]
    names = [name for name, _ in given]
    require(len(set(names)) == len(names), "values", " ".join(values or []), "each name once, as in load=12,24")
    axes = {**dict(_axis(f"{k}={v}") for k, v in PAPER.items()), **dict(given)}
    todo = sweep.sample(random, seed, axes) if random else sweep.grid(_lists(axes))
    trials.check(todo[0])
    folder = out if out is not None else results_folder(None, "sweep-press", overwrite=False)
    with stdout_is_ours():
        found = sweep.run(
            trials,
            todo,
            engine,
            out=folder,
            seed=seed,
            workers=workers,
            limit_s=limit,
            address=address,
            retry=retry or (),
            overwrite=overwrite,
        )
    report = _report(found, folder, list(axes), f"{trials.foot.title or trials.foot.name}")
    emit({**found.record(), "report": report}, as_json=as_json, text=f"{found.text()}\nreport: {report}")
    if found.failed:
        fail(f"{found.failed} of {found.trials} trials failed: see columns status and error", FAILED)


def _report(found: sweep.SweepResult, folder: Path, names: list[str], foot: str) -> Path:
    """Write the report of a sweep with its first rows."""
    table = next(iter(sweep.tables(folder)))[:SHOWN]
    forces = ("force_heel", "force_module", "force_metatarsus", "tension", "settled", "error")
    columns = [name for name in table.columns if name.startswith("config.") or name in forces]
    shown = [{name.removeprefix("config."): row[name] for name in columns} for row in table]
    words = (
        f"how {foot} responds to {found.trials} presses over {', '.join(names)}.",
        f"{count_text(found.counts)} of {found.trials} trials; all are in [table.csv](table.csv).",
        "every row says whether its trial settled; the table is the same bit for bit whatever the engine.",
    )
    sections = [Section(title=f"The first {len(shown)} trials", table=shown, units=COLUMN_UNITS)]
    return report_on(folder, f"{foot}, pressed {found.trials} times", words, sections)


def _axis(text: str) -> tuple[str, Any]:
    """Split `NAME=A,B,...` into a list, or `NAME=LOW:HIGH` into a tuple."""
    name, equals, body = text.partition("=")
    if not equals or not name or not body:
        raise InvalidInput(f"{text!r} is not allowed: give NAME=A,B,... as in load=12,24 or NAME=LOW:HIGH")
    if ":" in body:
        low, _, high = body.partition(":")
        bounds = (parse_value(name, low), parse_value(name, high))
        if not all(isinstance(bound, int | float) for bound in bounds):
            raise InvalidInput(f"{text!r} is not allowed: LOW and HIGH must be numbers, as in load=10:500")
        return name, bounds
    return name, [parse_value(name, item) for item in body.split(",")]


def _lists(axes: dict[str, Any]) -> dict[str, list[Any]]:
    for name, axis in axes.items():
        if isinstance(axis, tuple):
            raise InvalidInput(f"{name}={axis[0]}:{axis[1]} is not allowed without --random N: give {name}=A,B,...")
    return axes
