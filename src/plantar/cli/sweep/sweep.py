"""`plantar sweep`: many trials at once, and how fast that goes here."""

from __future__ import annotations

import contextlib
import json
import sys
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from plantar._checks import require_choice
from plantar.cli.bench.options import (
    Chains,
    FootName,
    GroundFile,
    RigSet,
    Set,
    bench_foot,
    make_foot,
    make_rig,
    results_folder,
)
from plantar.cli.common import FAILED, Json, Out, Overwrite, Progress, Seed, emit, fail, note, run_command, table_text
from plantar.errors import InvalidInput

app = typer.Typer(rich_markup_mode=None, help="Sweep: many trials at once, resumable.", no_args_is_help=True)

EngineName = Literal["threads", "processes", "ray", "gpu"]
ENGINES = ("threads", "processes", "ray", "gpu")
FIDELITIES = ("full", "hinge", "fast")
Workers = Annotated[int | None, typer.Option(min=1, help="Workers at once; all processors by default.")]
PAPER = {"load": "12,24", "height": "0.007,0.011,0.015,0.019", "position": "1,2,3,4,5,6"}
"""The presses of Crotti et al. (2024), unless a sweep says otherwise."""


@app.command()
@run_command
def press(
    values: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[NAME=A,B,...|NAME=LOW:HIGH]...",
            help="Values of load, height, position, foot.FIELD or rig.FIELD; LOW:HIGH with --random.",
        ),
    ] = None,
    foot: FootName = "softfoot",
    chains: Chains = None,
    changes: Set = None,
    rig_changes: RigSet = None,
    ground: GroundFile = None,
    random: Annotated[int, typer.Option(min=0, metavar="N", help="Draw N trials in place of all combinations.")] = 0,
    duration: Annotated[float, typer.Option(help="Simulated seconds of a trial.")] = 5.0,
    engine: Annotated[EngineName, typer.Option(help="What runs the trials.")] = "threads",
    workers: Workers = None,
    limit: Annotated[float | None, typer.Option(help="Longest time of a trial in seconds; not with threads.")] = None,
    address: Annotated[str | None, typer.Option(help="Ray cluster to use.")] = None,
    retry: Annotated[list[str] | None, typer.Option(help="Run trials of this status again.")] = None,
    out: Out = None,
    seed: Seed = 0,
    as_json: Json = False,
) -> None:
    """Press a foot in many ways; a sweep that was stopped goes on when --out names its folder again."""
    from plantar import sweep  # noqa: PLC0415  (MuJoCo is loaded only when a command needs it)
    from plantar.bench import PressTrials  # noqa: PLC0415

    trials = PressTrials(
        foot=bench_foot(foot, chains, changes), rig=make_rig(rig_changes, ground), duration=duration
    )
    axes = dict(_axis(text) for text in [*(f"{k}={v}" for k, v in PAPER.items()), *(values or [])])
    todo = sweep.sample(random, seed, axes) if random else sweep.grid(_lists(axes))
    trials.check(todo[0])
    folder = out if out is not None else results_folder(None, "sweep-press", overwrite=False)
    with _stdout_is_ours():
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
        )
    record = {"folder": found.out, "trials": found.trials, "ran": found.ran, "counts": found.counts}
    record["wall_s"] = found.wall_s
    emit(record, as_json=as_json, text=f"{_counts(found.counts)} of {found.trials} trials; table in {found.out}")
    if found.failed:
        fail(f"{found.failed} of {found.trials} trials failed: see columns status and error", FAILED)


@app.command()
@run_command
def show(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Folder of a sweep, finished or not.")],
    rows: Annotated[int, typer.Option(min=0, help="Rows to print.")] = 10,
    as_json: Json = False,
) -> None:
    """Say how far a sweep is, and print its first rows."""
    from plantar import sweep  # noqa: PLC0415

    found = sweep.status(folder)
    lines = [f"{found['done']} of {found['trials']} trials: {_counts(found['counts'])}"]
    if rows and found["done"]:
        lines.append(table_text(next(iter(sweep.tables(folder)))[:rows]))
    emit(found, as_json=as_json, text="\n".join(lines))


@app.command()
@run_command
def bench(
    feet: Annotated[
        list[str] | None, typer.Option("--foot", metavar="NAME", help="Foot to time; may be given more than once.")
    ] = None,
    fidelities: Annotated[
        list[str] | None, typer.Option("--fidelity", help="full, hinge or fast; all by default; may be repeated.")
    ] = None,
    engines: Annotated[
        list[str] | None, typer.Option("--engine", help="Engine to time; may be given more than once.")
    ] = None,
    released: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="softfoot.xml of MuJoCo Menagerie, as a reference; else it is looked for."),
    ] = None,
    seconds: Annotated[float, typer.Option(help="About how many seconds to time each.")] = 3.0,
    workers: Workers = None,
    out: Out = None,
    overwrite: Overwrite = False,
    as_json: Json = False,
) -> None:
    """Time every engine of this machine with every foot, pressed with 100 N on an obstacle."""
    from plantar._files import write_config, write_table  # noqa: PLC0415
    from plantar.bench.press.throughput import throughput  # noqa: PLC0415

    cases = _cases(feet or ["softfoot", "softfoot_published"], fidelities, released)
    chosen: list[Any] = list(dict.fromkeys(engines or ENGINES))
    for engine in chosen:
        require_choice("--engine", engine, ENGINES)
    folder = results_folder(out, "sweep-bench", overwrite)
    with Progress(len(cases) * len(chosen), "timing") as bar, _stdout_is_ours():
        table = throughput(cases, chosen, seconds=seconds, workers=workers, progress=bar.advance)
    write_table(folder, "throughput", table)
    write_config(folder, seconds=seconds, engines=chosen, feet=cases)
    emit({"rows": list(table), "folder": folder}, as_json=as_json, text=f"{table_text(table)}\ntable in {folder}")
    if all(row["steps"] is None for row in table):
        fail("no engine could run: see column note", FAILED)


def _cases(names: list[str], fidelities: list[str] | None, released: Path | None) -> dict[str, Any]:
    """What to time: each foot with each fidelity it has, and the released model."""
    from plantar.bench.press.released import ROOT_VARIABLE, released_file  # noqa: PLC0415
    from plantar.bench.press.throughput import StepTrials  # noqa: PLC0415
    from plantar.feet import SoftFoot  # noqa: PLC0415

    cases = {}
    for name in names:
        for fidelity in fidelities or (["full"] if name.endswith("published") else FIDELITIES):
            foot = make_foot(name, None, [f"fidelity={fidelity}"])
            cases[f"{name} {fidelity}"] = StepTrials(foot=foot)
    if released is not None and not released.is_file():
        raise InvalidInput(f"--released {str(released)!r} is no file: give the path of the released softfoot.xml")
    released = released or released_file()
    if released is None:
        note(f"the released foot is not timed: set {ROOT_VARIABLE} to a clone of MuJoCo Menagerie, or give --released")
    else:
        cases["released"] = StepTrials(foot=SoftFoot.published(), released=str(released))
    return cases


def _axis(text: str) -> tuple[str, Any]:
    """Split `NAME=A,B,...` into a list, or `NAME=LOW:HIGH` into a tuple."""
    name, equals, body = text.partition("=")
    if not equals or not name or not body:
        raise InvalidInput(f"{text!r} is not allowed: give NAME=A,B,... as in load=12,24 or NAME=LOW:HIGH")
    if ":" in body:
        low, _, high = body.partition(":")
        bounds = (_value(low), _value(high))
        if not all(isinstance(bound, int | float) for bound in bounds):
            raise InvalidInput(f"{text!r} is not allowed: LOW and HIGH must be numbers, as in load=10:500")
        return name, bounds
    return name, [_value(item) for item in body.split(",")]


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        return text.strip()


def _lists(axes: dict[str, Any]) -> dict[str, list[Any]]:
    for name, axis in axes.items():
        if isinstance(axis, tuple):
            raise InvalidInput(f"{name}={axis[0]}:{axis[1]} is not allowed without --random N: give {name}=A,B,...")
    return axes


def _counts(counts: dict[str, int]) -> str:
    return ", ".join(f"{number} {status}" for status, number in counts.items()) or "none done"


@contextlib.contextmanager
def _stdout_is_ours() -> Any:
    """Send what Ray prints to stderr: stdout is for the result."""
    with contextlib.redirect_stdout(sys.stderr):
        yield
