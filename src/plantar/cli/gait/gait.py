"""`plantar gait`: contact laws from drops, contact models compared, gaits optimised."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from plantar.cli.bench.options import numbers, results_folder
from plantar.cli.common import FAILED, Json, Out, Overwrite, Progress, Seed, emit, note, run_command, table_text
from plantar.cli.gait.output import motion_differences, sweep_folder, write_family, write_gaits
from plantar.errors import InvalidInput

app = typer.Typer(
    rich_markup_mode=None, no_args_is_help=True, help="Gaits through hard and soft contact: fit, compare, optimise."
)

RobotName = Annotated[Literal["hopper", "biped", "quadruped"], typer.Option("--robot", help="What moves.")]
CostName = Annotated[
    Literal["thermal", "work", "electrical"],
    typer.Option("--cost", help="What is saved: heat in the motors, positive work, or electrical energy."),
]
Tolerance = Annotated[float, typer.Option(help="Largest defect between nodes; the mesh is refined until then.")]
Intervals = Annotated[int, typer.Option(help="Intervals of the first mesh.")]
Seconds = Annotated[float, typer.Option(help="Processor time for one gait, at most [s].")]

DEFAULT_START = {"biped": "run", "quadruped": "trot"}
"""Pattern that a gait starts from when none is named; the hopper has a crude guess of its own."""


@app.command()
@run_command
def solve(
    robot: RobotName = "hopper",
    contact: Annotated[
        Literal["soft", "hard", "both"], typer.Option(help="Rubber feet, rigid feet, or each.")
    ] = "soft",
    speed: Annotated[float, typer.Option(help="Average speed [sqrt(g l0)].")] = 0.5,
    apex: Annotated[
        float | None, typer.Option(help="Height of the torso at the apex [l0]; 1.2 for the hopper, else free.")
    ] = None,
    then: Annotated[
        Literal["hard"] | None, typer.Option(help="Solve again with rigid feet, from the soft solution.")
    ] = None,
    objective: Annotated[
        Literal["losses", "transport"] | None,
        typer.Option(help="Cost of a stride (hopper), or over weight and distance (others)."),
    ] = None,
    cost: CostName = "thermal",
    start: Annotated[
        str | None, typer.Option(help="Pattern to start from: hop; walk, run; walk, trot, pace, bound, pronk.")
    ] = None,
    guess: Annotated[int | None, typer.Option(help="Seed of a random guess, instead of a pattern.")] = None,
    intervals: Intervals = 20,
    tolerance: Tolerance = 1e-5,
    refinements: Annotated[int, typer.Option(help="Finer meshes, at most.")] = 6,
    seconds: Seconds = 60.0,
    film: Annotated[bool, typer.Option(help="Replay a soft gait in MuJoCo and write the film watch.html.")] = True,
    out: Out = None,
    overwrite: Overwrite = False,
    as_json: Json = False,
) -> None:
    """Optimise a periodic gait by direct collocation; check it with an independent integrator; plot and film it."""
    from plantar.gait import Effort, Request  # noqa: PLC0415  (CasADi is loaded only when needed)
    from plantar.gait import solve as find  # noqa: PLC0415
    from plantar.gait.legged import ROBOTS  # noqa: PLC0415
    from plantar.gait.patterns import pattern  # noqa: PLC0415

    if start is not None and (guess is not None or contact != "soft"):
        raise InvalidInput(f"--start {start} is not allowed with --guess or rigid feet: it starts rubber feet")
    if then == "hard" and contact != "soft":
        raise InvalidInput(f"--then hard is not allowed with --contact {contact}: it starts from a soft solution")
    body = ROBOTS[robot]()
    hops = robot == "hopper"
    request = Request(
        speed=speed,
        apex=1.2 if apex is None and hops else apex,
        objective=objective or ("losses" if hops else "transport"),
        symmetric=not hops,
        cost=cost,
    )
    effort = Effort(intervals=intervals, tolerance=tolerance, refinements=refinements, seconds=seconds)
    if start is not None:
        pattern(body, start)
    begin = guess if guess is not None else start if start is not None or hops else DEFAULT_START[robot]
    folder = results_folder(out, "gait-solve", overwrite)
    kinds: list[Literal["hard", "soft"]] = ["hard", "soft"] if contact == "both" else [contact]
    results = []
    with Progress((len(kinds) + bool(then)) * (refinements + 1), "meshes") as bar:
        for kind in kinds:
            results.append(find(body, kind, request, guess=_suited(begin, kind), effort=effort, progress=bar.advance))
        if then and results[-1].ok:
            results.append(find(body, "hard", request, guess=results[-1], effort=effort, progress=bar.advance))
    _report(results, folder, film, as_json, guess)


def _suited(begin: str | int | None, kind: str) -> str | int | None:
    """Rigid feet take no pattern."""
    return None if kind == "hard" and isinstance(begin, str) else begin


def _report(results: list[Any], folder: Path, film: bool, as_json: bool, seed: int | None) -> None:
    rows = write_gaits(results, folder, film=film, seed=seed)
    failed = [r for r in results if not r.ok]
    record = {"gaits": rows, "folder": folder}
    if len(results) == 2 and not failed:
        record["differences"] = motion_differences(*results)
    text = table_text(rows, [c for c in rows[0] if c not in ("violated", "seconds")])
    if "differences" in record:
        text += "\n\n" + table_text([record["differences"]])
    emit(record, as_json=as_json, text=f"{text}\n\nfolder: {folder}")
    for r in failed:
        note(f"plantar: {r.contact} {r.robot.name} {r.status.value}: {'; '.join(r.violated[:4])}")
    if failed:
        raise typer.Exit(FAILED)


@app.command()
@run_command
def sweep(
    robot: RobotName = "biped",
    speeds: Annotated[
        str, typer.Option(metavar="A,B,...", help="Average speeds [sqrt(g l0)].")
    ] = "0.2,0.4,0.6,0.8,1.0",
    starts: Annotated[
        str | None,
        typer.Option(metavar="A,B@SPEED,...", help="Patterns to start from, and where; all at the first speed if not."),
    ] = None,
    guesses: Annotated[int, typer.Option(min=0, help="Random guesses besides, at the first speed.")] = 0,
    cost: CostName = "electrical",
    seed: Seed = 0,
    intervals: Intervals = 14,
    tolerance: Tolerance = 1e-4,
    refinements: Annotated[int, typer.Option(help="Finer meshes, at most.")] = 5,
    seconds: Seconds = 60.0,
    out: Out = None,
    overwrite: Overwrite = False,
    as_json: Json = False,
) -> None:
    """Follow gaits over speed with rubber feet: families, gait diagrams, cost of transport.

    Each gait is written as soon as it is found; the same command with the same --out goes on where it was cut off.
    """
    from plantar.gait import PATTERNS, Effort, Request, family  # noqa: PLC0415
    from plantar.gait.families import parted  # noqa: PLC0415
    from plantar.gait.legged import ROBOTS  # noqa: PLC0415

    values = numbers("--speeds", speeds)
    for value in values:
        Request(speed=value)
    effort = Effort(intervals=intervals, tolerance=tolerance, refinements=refinements, seconds=seconds)
    body = ROBOTS[robot]()
    named = list(PATTERNS[body.legs]) if starts is None else [name.strip() for name in starts.split(",")]
    for name in named:
        parted(body, name, values)
    begin = [*named, *range(seed, seed + guesses)]
    settings = {"robot": body, "speeds": values, "starts": begin, "cost": cost, "effort": effort}
    folder = sweep_folder(out, settings, overwrite)
    with Progress(len(begin) * len(set(values)), "gaits") as bar:
        found = family(
            body,
            values,
            starts=begin,
            cost=cost,
            effort=effort,
            folder=folder / "gaits",
            progress=bar.advance,
        )
    if not found.results:
        note("plantar: no start converged: try other --starts, --guesses, or another speed first")
        raise typer.Exit(FAILED)
    rows = write_family(found, folder, seed=seed)
    emit({"gaits": rows, "folder": folder}, as_json=as_json, text=f"{table_text(rows)}\n\nfolder: {folder}")


@app.command("fit-drops")
@run_command
def fit_drops(
    data: Annotated[Path, typer.Argument(metavar="DATA.csv", help="Columns drop, time, height and/or acceleration.")],
    mass: Annotated[float, typer.Option(help="What falls, foot included [kg].")],
    velocity: Annotated[
        Literal["position", "acceleration"] | None, typer.Option(help="Channel to use; both if left out.")
    ] = None,
    out: Out = None,
    overwrite: Overwrite = False,
    as_json: Json = False,
) -> None:
    """Fit k_N, d_N1 and d_N2 of a rubber foot to recorded drops, with intervals; draw the paper's Figure 1."""
    from plantar._files import write_config, write_table  # noqa: PLC0415
    from plantar.gait.drop_plots import plot_fit  # noqa: PLC0415
    from plantar.gait.drops import read_drops  # noqa: PLC0415
    from plantar.gait.fit_drops import fit_drops as fit  # noqa: PLC0415
    from plantar.show.plots import save  # noqa: PLC0415

    recordings = read_drops(data)
    found = fit(recordings, mass, velocity=velocity)
    folder = results_folder(out, "gait-fit-drops", overwrite)
    rows = found.rows()
    write_table(folder, "parameters", rows)
    write_table(folder, "drops", found.drops)
    picture = save(plot_fit(found), folder / "drops.png")
    write_config(folder, command="gait fit-drops", data=data.name, mass=mass, velocity=velocity, law=found.law)
    text = f"{table_text(rows, digits=5)}\n\n{table_text(found.drops)}\n\nplot: {picture}"
    emit({"parameters": rows, "drops": found.drops, "noise": found.noise, "folder": folder}, as_json=as_json, text=text)


@app.command()
@run_command
def drops(
    file: Annotated[Path, typer.Argument(metavar="FILE.csv", help="Where to write the drops.")],
    mass: Annotated[float, typer.Option(help="What falls [kg].")] = 0.5,
    heights: Annotated[str, typer.Option(metavar="A,B,...", help="Free falls [m].")] = "0.01,0.03,0.06,0.12,0.2",
    noise: Annotated[float, typer.Option(help="Noise of each channel over its largest value.")] = 0.02,
    seed: Seed = 0,
    overwrite: Overwrite = False,
    as_json: Json = False,
) -> None:
    """Write made-up drops of the racquetball foot; the paper's recordings are not public."""
    from plantar.gait.drops import DropRig, synthetic_drops  # noqa: PLC0415

    rig = DropRig(mass=mass, heights=tuple(numbers("--heights", heights)), noise=noise)
    table = synthetic_drops(rig=rig, seed=seed)
    _write_csv(file, table, overwrite)
    emit({"file": file, "rows": len(table)}, as_json=as_json, text=f"{len(table)} rows of synthetic drops: {file}")


@app.command("compare-contact")
@run_command
def compare_contact(
    recorded: Annotated[
        Path | None, typer.Option(metavar="FILE.csv", help="time, foot_x_LEG, foot_z_LEG; a made-up one if left out.")
    ] = None,
    robot: Annotated[Literal["quadruped", "ramone", "leg"], typer.Option(help="Built-in robot.")] = "quadruped",
    straight: Annotated[float, typer.Option(help="Smallest bend of the knee motors [rad].")] = 0.4,
    bent: Annotated[float, typer.Option(help="Largest bend [rad].")] = 1.1,
    period: Annotated[float, typer.Option(help="Time of a squat [s].")] = 1.0,
    count: Annotated[int, typer.Option(help="Squats.")] = 3,
    seed: Seed = 0,
    out: Out = None,
    overwrite: Overwrite = False,
    as_json: Json = False,
) -> None:
    """Squat open loop with hard and soft feet beside a recorded motion: the paper's Figure 3, errors, verdict."""
    from plantar._files import write_config, write_table  # noqa: PLC0415
    from plantar.gait.compare_contact import compare_contact as compare  # noqa: PLC0415
    from plantar.gait.compare_contact import read_recording, synthetic_squat  # noqa: PLC0415
    from plantar.gait.compare_plots import plot_comparison  # noqa: PLC0415
    from plantar.gait.ramone import BUILT_IN  # noqa: PLC0415
    from plantar.gait.squat import Squat  # noqa: PLC0415
    from plantar.show.plots import save  # noqa: PLC0415

    body = BUILT_IN[robot]()
    squat = Squat(straight=straight, bent=bent, period=period, count=count)
    if recorded is None:
        note("no --recorded: a made-up recording, simulated with rubber feet, shows the layout and proves nothing")
    table = synthetic_squat(body, squat, seed=seed) if recorded is None else read_recording(recorded)
    found = compare(body, table, squat)
    folder = results_folder(out, "gait-compare-contact", overwrite)
    write_table(folder, "errors", found.rows)
    write_table(folder, "recorded", table)
    picture = save(plot_comparison(found), folder / "feet.png")
    source = None if recorded is None else recorded.name
    write_config(folder, command="gait compare-contact", seed=seed, robot=body, squat=squat, recorded=source)
    verdict = {"better": found.better, **{f"error_{k}": v for k, v in found.errors.items()}}
    text = f"{table_text(found.rows)}\n\n{table_text([verdict])}\n\nplot: {picture}"
    emit({"feet": found.rows, **verdict, "folder": folder}, as_json=as_json, text=text)


def _write_csv(file: Path, table: Any, overwrite: bool) -> None:
    from plantar._files import write_table  # noqa: PLC0415

    if file.suffix.lower() != ".csv":
        raise InvalidInput(f"file {str(file)!r} is not allowed: give a name that ends in .csv")
    if file.exists() and not overwrite:
        raise InvalidInput(f"file {str(file)!r} is there already: give another name, or --overwrite")
    if not file.parent.is_dir():
        raise InvalidInput(f"folder {str(file.parent)!r} is not there: make it first")
    write_table(file.parent, file.stem, table)
