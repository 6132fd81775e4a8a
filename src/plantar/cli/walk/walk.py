"""`plantar walk`: let a robot walk on its feet."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated, Any

import typer

from plantar.cli.bench.options import numbers, results_folder
from plantar.cli.common import FAILED, Json, Out, Overwrite, Progress, Seed, emit, fail, note, run_command, table_text
from plantar.errors import InvalidInput

app = typer.Typer(
    rich_markup_mode=None, help="Walk: one trial, or a study of many with feet swapped.", no_args_is_help=True
)

RobotName = Annotated[str, typer.Argument(metavar="ROBOT", help="Built-in or menagerie name, or an MJCF or URDF file.")]
FootName = Annotated[
    str, typer.Option("--foot", metavar="NAME", help="own, flat, softfoot, softfoot:fast, or a foot's .json file.")
]
Mode = Annotated[
    str, typer.Option("--mode", help="torque, impedance (stiff joints about the planned motion as well) or predictive.")
]


@app.command()
@run_command
def trial(
    robot: RobotName,
    foot: FootName = "own",
    mode: Mode = "torque",
    obstacle: Annotated[float, typer.Option(help="Height of a bar across the way [m]; 0 is none.")] = 0.0,
    place: Annotated[str, typer.Option(help="Where the bar meets the sole: random, heel, arch or toe.")] = "random",
    terrain: Annotated[
        str, typer.Option(metavar="KIND|FILE", help="Ground: slope, stairs, rough, ..., or a terrain.json.")
    ] = "",
    ground_file: Annotated[
        Path | None, typer.Option("--ground", metavar="FILE", help="What the ground is made of, from `plantar ground`.")
    ] = None,
    changes: Annotated[
        list[str] | None, typer.Option("--set", metavar="FIELD=VALUE", help="A field of the terrain, as in angle=0.05.")
    ] = None,
    steps: Annotated[int | None, typer.Option(help="Steps; 20, or 8 with an obstacle. 0 only stands.")] = None,
    step_length: Annotated[float, typer.Option(help="Length of a step, for legs of 0.7 m [m].")] = 0.20,
    turn: Annotated[float, typer.Option(help="Turn a step, to the left [deg].")] = 0.0,
    side_step: Annotated[float, typer.Option(help="Sideways every second step, to the left [m].")] = 0.0,
    speed: Annotated[float | None, typer.Option(help="Mean speed [m/s]; makes steps quicker or slower.")] = None,
    push: Annotated[
        list[str] | None, typer.Option(metavar="IMPULSE,DEGREES,TIME", help="Push of so many N s (for 60 kg).")
    ] = None,
    estimate: Annotated[
        bool, typer.Option("--estimate", help="The robot has noisy sensors instead of the truth.")
    ] = False,
    noise: Annotated[float, typer.Option(help="Sensor noise, as a multiple of the usual.")] = 1.0,
    delay: Annotated[float, typer.Option(help="Age of what the controller is told [s].")] = 0.0,
    strong: Annotated[bool, typer.Option("--strong", help="Motors without torque limits.")] = False,
    stand: Annotated[float, typer.Option(help="Time of standing before the first step [s].")] = 0.6,
    timestep: Annotated[float, typer.Option(help="Time step of the simulation [s].")] = 0.002,
    rate: Annotated[float, typer.Option(help="Control steps a second, whole time steps each.")] = 500.0,
    seed: Seed = 0,
    pictures: Annotated[bool, typer.Option(help="Draw photo sequence and film.")] = True,
    out: Out = None,
    overwrite: Overwrite = False,
    as_json: Json = False,
) -> None:
    """Let a robot walk once: figures, time series, a photo sequence and a film."""
    from plantar.walk.report import figures_table, write_trial  # noqa: PLC0415
    from plantar.walk.sensing import Sensing  # noqa: PLC0415
    from plantar.walk.simulation import substeps  # noqa: PLC0415
    from plantar.walk.study import find_walker  # noqa: PLC0415
    from plantar.walk.trial import Course  # noqa: PLC0415
    from plantar.walk.tuning import Tuning  # noqa: PLC0415

    gait = _gait(steps, obstacle, step_length, turn, side_step, speed, stand)
    sensing = Sensing(state="estimate" if estimate else "truth", noise=noise, delay=delay, torque_limits=not strong)
    pushes = [_push(text) for text in push or []]
    ground = _on(_terrain(terrain, changes or []), ground_file)
    tuning = Tuning(rate=rate)
    substeps(rate, timestep)  # refused before the robot is built
    walker = find_walker(robot, foot)
    course = Course(walker, gait=gait, mode=mode, terrain=ground, sensing=sensing, timestep=timestep, tuning=tuning)
    folder = results_folder(out, "walk", overwrite)
    result = course.run(
        obstacle=obstacle,
        place=_place(place),
        pushes=pushes,
        seed=seed,
        record=True,
        frames=pictures,
    )
    settings = {
        "robot": robot,
        "foot": foot,
        "mode": mode,
        "obstacle": obstacle,
        "place": place,
        "terrain": ground.to_dict() if ground is not None else None,
        "gait": gait,
        "pushes": pushes,
        "sensing": sensing,
        "timestep": timestep,
        "rate": rate,
    }
    report = write_trial(folder, course, result, settings, pictures=pictures)
    text = [
        table_text(figures_table(result), ("figure", "value", "unit", "meaning")),
        "",
        f"{result.status.value}: {result.steps} steps, {result.distance:.2f} m in {result.duration:.1f} s, "
        f"{result.pace:.1f} times real time",
        f"report: {report}",
    ]
    emit({**result.row(), "pace": result.pace, "report": report}, as_json=as_json, text="\n".join(text))
    if not result.success:
        fail(result.status.value, FAILED)


@app.command()
@run_command
def study(
    robots: Annotated[list[str], typer.Argument(metavar="ROBOT...", help="Robots, as in `walk trial`.")],
    feet: Annotated[str, typer.Option(metavar="A,B,...", help="Feet to swap.")] = "own,softfoot:fast",
    modes: Annotated[str, typer.Option(metavar="A,B,...", help="Controllers.")] = "torque,impedance",
    heights: Annotated[
        str, typer.Option(metavar="A,B,...", help="Heights of the bar [m].")
    ] = "0.005,0.010,0.015,0.020",
    places: Annotated[str, typer.Option(metavar="A,B,...", help="random, heel, arch, toe.")] = "random",
    draws: Annotated[int, typer.Option(help="Trials a cell; the same bars and starts for every foot.")] = 20,
    steps: Annotated[int, typer.Option(help="Steps of each walk; the bar lies under the fourth.")] = 8,
    timestep: Annotated[float, typer.Option(help="Time step of the simulation [s].")] = 0.002,
    rate: Annotated[float, typer.Option(help="Control steps a second; 250 halves the time of a study.")] = 500.0,
    photos: Annotated[bool, typer.Option(help="Draw photo sequences of one bar with every foot.")] = True,
    workers: Annotated[int | None, typer.Option(help="Processes at once; all cores by default.")] = None,
    seed: Seed = 0,
    out: Out = None,
    as_json: Json = False,
) -> None:
    """Walk over bars at random places with each foot: success with intervals, figures, and the paper's claims.

    A study that was interrupted goes on where it stopped when the same command is given again.
    """
    from plantar.walk.report import write_study  # noqa: PLC0415
    from plantar.walk.study import Study, find_walker, largest_bars, run_study  # noqa: PLC0415

    wanted = Study(
        robots=tuple(robots),
        feet=_names(feet),
        modes=_names(modes),
        heights=tuple(numbers("--heights", heights)),
        places=_names(places),
        draws=draws,
        steps=steps,
        seed=seed,
        timestep=timestep,
        rate=rate,
    )
    for robot in wanted.robots:
        for foot in wanted.feet:
            find_walker(robot, foot)  # what does not exist or fit is refused before anything is written
    folder = Path(out) if out is not None else Path("plantar_walk_study")
    count = len(wanted.trials())
    note(f"{count} trials; the same command goes on where this one stops")
    with Progress(count, "walking") as bar:
        table = run_study(wanted, folder / "sweep", workers=workers, progress=bar.advance)
    report, summary = write_study(folder, wanted, table, photos=photos)
    shown = ("robot", "foot", "mode", "place", "obstacle", "trials", "successes", "low", "high")
    text = [table_text(summary, shown), "", table_text(largest_bars(summary)), "", f"report: {report}"]
    record = {"summary": summary, "largest_bars": largest_bars(summary), "report": report}
    emit(record, as_json=as_json, text="\n".join(text))
    broken = [row for row in table if row.get("success") is None]
    if broken:
        fail(f"{len(broken)} of {count} trials ended in an error: see column error of {folder}/trials.csv", FAILED)


def _names(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip())


def _gait(
    steps: int | None, obstacle: float, length: float, turn: float, side: float, speed: float | None, stand: float
) -> Any:
    from plantar.walk.gait import Gait  # noqa: PLC0415

    count = steps if steps is not None else (8 if obstacle else 20)
    gait = Gait(steps=count, step_length=length, turn=math.radians(turn), side_step=side, settle=stand)
    return gait if speed is None else gait.with_speed(speed)


def _push(text: str) -> Any:
    from plantar.walk.pushes import Push  # noqa: PLC0415

    parts = numbers("--push", text)
    if not 1 <= len(parts) <= 3:
        raise InvalidInput(f"--push {text!r} is not allowed: give IMPULSE,DEGREES,TIME as in 8,90,1.5")
    impulse, degrees, time = [*parts, 0.0, 1.0][:1] + [*parts[1:], *(0.0, 1.0)[len(parts) - 1 :]]
    return Push(impulse=impulse, direction=math.radians(degrees), time=time)


def _place(text: str) -> Any:
    from plantar._checks import require_choice  # noqa: PLC0415
    from plantar.walk.obstacles import PLACES  # noqa: PLC0415

    require_choice("--place", text, PLACES)
    return text


def _terrain(text: str, changes: list[str]) -> Any:
    """A terrain by kind and fields, or from a file."""
    from plantar.cli.feet.feet import parse_change  # noqa: PLC0415
    from plantar.ground.terrain import Terrain, make  # noqa: PLC0415

    if not text:
        if changes:
            raise InvalidInput(f"--set {changes[0]!r} is not allowed without --terrain: give a kind of ground as well")
        return None
    if text.endswith(".json"):
        return Terrain.load(text)
    from plantar.walk.scene import FLOOR  # noqa: PLC0415

    fields = dict(parse_change(change) for change in changes)
    made = make(text, **fields)
    # unless the user names a ground, the soles say how contact is, as on level ground
    return made if "ground" in fields else _with_floor(made, FLOOR)


def _on(terrain: Any, file: Path | None) -> Any:
    """The terrain made of the ground of a file."""
    from plantar.ground import Ground, load_ground  # noqa: PLC0415
    from plantar.ground.terrain import Flat  # noqa: PLC0415

    if file is None:
        return terrain
    ground = load_ground(file)
    if isinstance(ground, Ground):
        return _with_floor(terrain, ground) if terrain is not None else Flat(ground=ground)
    if terrain is not None:
        raise InvalidInput(f"--ground {str(file)!r} yields and is level: leave --terrain out")
    return ground


def _with_floor(terrain: Any, floor: Any) -> Any:
    from plantar.ground.terrain_patches import with_ground  # noqa: PLC0415

    return with_ground(terrain, floor)
