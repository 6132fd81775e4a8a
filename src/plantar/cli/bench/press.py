"""`plantar bench`: measure a foot."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from plantar.cli.bench import calibrate as bench_calibrate
from plantar.cli.bench import measured as bench_measured
from plantar.cli.bench import mechanism as bench_mechanism
from plantar.cli.bench.options import (
    Chains,
    FootName,
    GroundFile,
    RigSet,
    Set,
    bench_foot,
    make_rig,
    numbers,
    results_folder,
    whole_numbers,
)
from plantar.cli.common import FAILED, Json, Out, Overwrite, Progress, emit, fail, run_command, table_text

app = typer.Typer(
    rich_markup_mode=None,
    help="Bench: press, compare, sensitivity, windlass, stiffness, calibrate.",
    no_args_is_help=True,
)

app.command("template")(bench_measured.template)
app.command("compare")(bench_measured.compare)
app.command("sensitivity")(bench_measured.sensitivity)
app.command("windlass")(bench_mechanism.windlass)
app.command("stiffness")(bench_mechanism.stiffness)
app.command("calibrate")(bench_calibrate.calibrate)

SHOWN = (
    "trial",
    "load",
    "height",
    "position",
    "force_heel",
    "force_module",
    "force_metatarsus",
    "force_total",
    "settled",
)
"""Columns of the press table that fit on a terminal."""


@app.command()
@run_command
def press(
    foot: FootName = "softfoot",
    chains: Chains = None,
    changes: Set = None,
    rig_changes: RigSet = None,
    ground: GroundFile = None,
    loads: Annotated[str, typer.Option(metavar="A,B,...", help="Loads [N].")] = "12,24",
    heights: Annotated[str, typer.Option(metavar="A,B,...", help="Obstacle heights [m].")] = "0.007,0.011,0.015,0.019",
    positions: Annotated[str, typer.Option(metavar="A,B,...", help="Modules over the obstacle; all by default.")] = "",
    model: Annotated[
        Literal["mujoco", "analytic", "both"], typer.Option(help="Simulation, the planar equilibrium model, or both.")
    ] = "mujoco",
    duration: Annotated[float, typer.Option(help="Simulated time of a trial [s].")] = 5.0,
    threads: Annotated[int, typer.Option(min=0, help="Threads; 0 takes all cores.")] = 0,
    out: Out = None,
    overwrite: Overwrite = False,
    as_json: Json = False,
) -> None:
    """Press the foot on an obstacle under each module: 48 trials, a table, plots and a report.

    A SoftFoot has a single chain unless --chains says otherwise, as on the bench of the paper.
    """
    from plantar.bench.press.press import trials  # noqa: PLC0415  (MuJoCo is loaded only when a command needs it)
    from plantar.bench.press.report import summary, write_press  # noqa: PLC0415

    the_foot = bench_foot(foot, chains, changes, quadruped=model == "mujoco")
    rig = make_rig(rig_changes, ground)
    places = range(1, len(the_foot.stations.module_x) + 1)
    where = whole_numbers("--positions", positions) if positions else list(places)
    todo = trials(numbers("--loads", loads), numbers("--heights", heights), where)
    for trial in todo:
        rig.obstacle_x(the_foot, trial.position)  # a bad position is refused before anything is written
    folder = results_folder(out, "press", overwrite)
    tables, recording = _run_press(the_foot, rig, todo, model, duration, threads)
    table = tables["analytic" if model == "analytic" else "mujoco"]
    planar = tables.get("analytic") if model == "both" else None
    report = write_press(folder, the_foot, rig, table, recording=recording, planar=planar, model=model)
    facts = summary(table)
    differences = _differences(tables) if model == "both" else {}
    text = [
        table_text(table, SHOWN),
        "",
        _verdict(facts),
        *(f"{k}: {v:.2g} % of the load" for k, v in differences.items()),
    ]
    text.append(f"report: {report}")
    record = {**facts, "model": model, "differences": differences, "folder": folder, "report": report}
    emit(record, as_json=as_json, text="\n".join(text))
    if facts["settled"] < facts["trials"]:
        fail(
            f"{facts['trials'] - facts['settled']} trials did not settle: see column settled, try --duration 10", FAILED
        )


@app.command()
@run_command
def replay(
    dump: Annotated[Path, typer.Argument(metavar="DIR", help="Folder that a diverged run left.")],
    as_json: Json = False,
) -> None:
    """Step a diverged simulation again from its last good state and say when and where it blows up."""
    from plantar.bench.press.settle import replay as replay_dump  # noqa: PLC0415

    divergence = replay_dump(dump)
    record = {"diverged": divergence is not None, "message": str(divergence or "")}
    emit(record, as_json=as_json, text=str(divergence or "It did not blow up again."))


def _run_press(foot: Any, rig: Any, todo: list, model: str, duration: float, threads: int) -> tuple[dict, Any]:
    from plantar.bench import planar  # noqa: PLC0415
    from plantar.bench.press.press import run_trials  # noqa: PLC0415
    from plantar.bench.press.settle import Recording  # noqa: PLC0415

    tables, recording = {}, None
    if model != "analytic":
        recording = Recording()
        with Progress(len(todo), "pressing") as bar:
            tables["mujoco"] = run_trials(foot, rig, todo, duration, threads, bar.advance, recording)
    if model != "mujoco":
        with Progress(len(todo), "planar model") as bar:
            tables["analytic"] = planar.run_trials(foot, rig, todo, bar.advance)
    return tables, recording


def _differences(tables: dict) -> dict[str, float]:
    from plantar.bench.planar import compare  # noqa: PLC0415

    return compare(tables["mujoco"], tables["analytic"])


def _verdict(facts: dict[str, Any]) -> str:
    return (
        f"{facts['settled']} of {facts['trials']} trials settled; forces balance load and weight within "
        f"{100 * facts['force_imbalance']:.2g} %; loops close within {1e3 * facts['loop_residual']:.2g} mm"
    )
