"""`plantar walk trial`."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated, Any

import typer

from plantar._fields import edited
from plantar._rows import readable
from plantar.cli.common import (
    FAILED,
    Json,
    Out,
    Overwrite,
    Progress,
    Seed,
    emit,
    fail,
    note,
    numbers,
    parse_changes,
    results_folder,
    table_text,
)
from plantar.cli.foot_options import NAMING, Set, read_foot
from plantar.cli.robots.options import RobotArgument
from plantar.cli.show_options import Html, Video, send_views
from plantar.errors import InvalidInput
from plantar.ground import Ground, YieldingGround, load_ground
from plantar.ground.terrain.patches import with_ground
from plantar.ground.terrain.plain import Flat
from plantar.ground.terrain.registry import make
from plantar.ground.terrain.terrain import Terrain
from plantar.walk.control.sensing import Sensing
from plantar.walk.control.tuning import Tuning
from plantar.walk.course import BIPED, Course
from plantar.walk.plans.gait import Gait
from plantar.walk.plans.gaits import Crawl, Trot
from plantar.walk.report import figures_table, write_trial
from plantar.walk.sim.obstacles import Place
from plantar.walk.sim.pushes import Push
from plantar.walk.sim.scene import FLOOR
from plantar.walk.study.feet import find_walker


def trial(
    robot: RobotArgument,
    foot: Annotated[
        str, typer.Option("--foot", metavar="FOOT", help=f"`own` for the robot's; {NAMING}; - reads stdin.")
    ] = "own",
    changes: Set = None,
    mode: Annotated[
        str,
        typer.Option(
            "--mode",
            help="torque, impedance (stiff joints), position (no feedback), predictive, FILE.onnx, or module:function.",
        ),
    ] = "torque",
    plan: Annotated[
        str, typer.Option(help="dcm or predictive on two feet, crawl or trot on four; the usual one if left out.")
    ] = "",
    choose: Annotated[
        str, typer.Option(help="How footholds are chosen: nominal (blind), level, slope, analytic, physics, ...")
    ] = "nominal",
    obstacle: Annotated[float, typer.Option(help="Height of a bar across the path [m]; 0 for none.")] = 0.0,
    place: Annotated[Place, typer.Option(help="Where the bar meets the sole.")] = "random",
    terrain: Annotated[
        str, typer.Option(metavar="KIND|FILE", help="Ground: slope, stairs, rough, ..., or a terrain.json.")
    ] = "",
    terrain_changes: Annotated[
        list[str] | None,
        typer.Option("--terrain-set", metavar="FIELD=VALUE", help="Change a field of the terrain, as in angle=0.05."),
    ] = None,
    ground_file: Annotated[
        Path | None, typer.Option("--ground", metavar="FILE", help="A ground.json or soil written by `plantar ground`.")
    ] = None,
    distance: Annotated[float, typer.Option(help="Distance a quadruped walks [m].")] = 1.5,
    steps: Annotated[
        int | None, typer.Option(help="Number of steps; 20, or 8 with an obstacle. 0 only stands.")
    ] = None,
    step_length: Annotated[float, typer.Option(help="Step length for legs of 0.7 m [m].")] = 0.20,
    turn: Annotated[float, typer.Option(help="Turn per step, to the left [deg].")] = 0.0,
    side_step: Annotated[float, typer.Option(help="Sideways displacement every second step, to the left [m].")] = 0.0,
    speed: Annotated[float | None, typer.Option(help="Mean speed [m/s]; makes steps faster or slower.")] = None,
    push: Annotated[
        list[str] | None,
        typer.Option(metavar="IMPULSE,DEGREES,TIME", help="Push: impulse [N s] (for 60 kg), direction and time."),
    ] = None,
    estimate: Annotated[
        bool, typer.Option("--estimate", help="Estimate the state from noisy sensors instead of using the true one.")
    ] = False,
    noise: Annotated[float, typer.Option(help="Sensor noise, as a multiple of the default.")] = 1.0,
    delay: Annotated[float, typer.Option(help="Delay of what the controller measures [s].")] = 0.0,
    strong: Annotated[bool, typer.Option("--strong", help="Motors without torque limits.")] = False,
    stand: Annotated[float, typer.Option(help="Standing time before the first step [s].")] = 0.6,
    timestep: Annotated[float, typer.Option(help="Time step of the simulation [s].")] = 0.002,
    rate: Annotated[
        float | None, typer.Option(help="Control steps per second; each is a whole number of time steps.")
    ] = None,
    gait_changes: Annotated[
        list[str] | None,
        typer.Option("--gait-set", metavar="FIELD=VALUE", help="Change a field of the gait, as in apex=0.08."),
    ] = None,
    tuning_changes: Annotated[
        list[str] | None,
        typer.Option("--tuning-set", metavar="FIELD=VALUE", help="Change a field of the control, as in gains.dcm=4."),
    ] = None,
    seed: Seed = 0,
    pictures: Annotated[bool, typer.Option(help="Draw a photo sequence and a film.")] = True,
    html: Html = None,
    video: Video = None,
    out: Out = None,
    overwrite: Overwrite = False,
    as_json: Json = False,
) -> None:
    """Run one walk of a robot: metrics, time series, a photo sequence and a film."""
    sensing = Sensing(state="estimate" if estimate else "truth", noise=noise, delay=delay, torque_limits=not strong)
    pushes = [_push(text) for text in push or []]
    if foot == "own" and changes:
        raise InvalidInput(f"--set {changes[0]!r} is not allowed with --foot own: give a foot that has fields")
    worn = foot if foot == "own" else read_foot(foot, changes)
    ground = _on(_terrain(terrain, terrain_changes), ground_file)
    walker = find_walker(robot, worn)
    if plan in ("crawl", "trot") or (not plan and len(walker.places) > BIPED):
        gait: Any = Trot(distance=distance) if plan == "trot" else Crawl(distance=distance)
        if speed is not None:
            gait = edited(gait, {"speed": speed})
    else:
        count = steps if steps is not None else (8 if obstacle else 20)
        gait = Gait(steps=count, step_length=step_length, turn=math.radians(turn), side_step=side_step, settle=stand)
        gait = gait if speed is None else gait.with_speed(speed)
    gait = edited(gait, parse_changes("--gait-set", gait_changes))
    usual = gait.tuning() if hasattr(gait, "tuning") else Tuning()
    tuning = edited(usual, ({} if rate is None else {"rate": rate}) | parse_changes("--tuning-set", tuning_changes))
    built = {"mode": mode, "plan": plan or None, "choose": choose, "timestep": timestep, "tuning": tuning}
    course = Course(walker, gait=gait, terrain=ground, sensing=sensing, **built)
    folder = results_folder(out, "walk", overwrite)
    for line in course.plan.notes if course.plan is not None else ():
        note(line)
    worn_by = walker.places[0].foot
    for line in worn_by.caveats if worn_by and (obstacle or terrain) else ():
        note(line)
    with Progress(math.ceil(course.seconds), "walking, simulated seconds") as bar:
        counted = _Seconds(bar)
        asked = {"obstacle": obstacle, "place": place, "pushes": pushes, "seed": seed}
        filmed = pictures or bool(html or video)
        result = course.run(**asked, record=True, frames=filmed, progress=counted)
    settings = {"robot": robot, "foot": worn, "obstacle": obstacle, "place": place, "terrain": ground, "gait": gait}
    settings |= {"pushes": pushes, "sensing": sensing, **built}
    report = write_trial(folder, course, result, settings, pictures=filmed)
    send_views(folder, html, video)
    record = {**result.row(), "foot": worn, "pace": result.pace, "report": report}
    figures = table_text(readable(figures_table(result)), ("figure", "value", "unit", "meaning"))
    emit(record, as_json=as_json, text=f"{result.text()}\n\n{figures}\n\nreport: {report}")
    if not result.success:
        fail(result.status.value, FAILED)


class _Seconds:
    """Shows simulated time on a progress bar, in whole seconds."""

    def __init__(self, bar: Progress):
        self.bar, self.time = bar, 0.0

    def __call__(self, passed: float) -> None:
        before, self.time = self.time, self.time + passed
        self.bar.advance(math.floor(self.time) - math.floor(before))


def _push(text: str) -> Push:
    parts = numbers("--push", text)
    if not 1 <= len(parts) <= 3:
        raise InvalidInput(f"--push {text!r} is not allowed: give IMPULSE,DEGREES,TIME as in 8,90,1.5")
    impulse, degrees, time = (*parts, *(0.0, 1.0)[len(parts) - 1 :])
    return Push(impulse=impulse, direction=math.radians(degrees), time=time)


def _terrain(text: str, changes: list[str] | None) -> Terrain | None:
    """A terrain by kind and fields, or from a file."""
    fields = parse_changes("--terrain-set", changes)
    if not text:
        if changes:
            raise InvalidInput(f"--terrain-set {changes[0]!r} is not allowed without --terrain: give a kind too")
        return None
    if text.endswith(".json"):
        return Terrain.from_dict({**Terrain.load(text).to_dict(), **fields})
    made = make(text, **fields)
    # unless the user names a ground, the soles determine the contact, as on level ground
    return made if "ground" in fields else with_ground(made, FLOOR)


def _on(terrain: Terrain | None, file: Path | None) -> Terrain | YieldingGround | None:
    """The terrain, made of the ground in a file."""
    if file is None:
        return terrain
    ground = load_ground(file)
    if isinstance(ground, Ground):
        return with_ground(terrain, ground) if terrain is not None else Flat(ground=ground)
    if terrain is not None:
        raise InvalidInput(f"--ground {str(file)!r} yields and is level: leave out --terrain")
    return ground
