"""`plantar learn play`."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated

import typer

from plantar._checks import require
from plantar._extras import require_extra
from plantar.cli.common import Json, Overwrite, Progress, Seed, emit, note, parse_changes
from plantar.cli.foot_options import Set, read_foot
from plantar.cli.show_options import PORT, Browser, Html, Port, Seconds, Video, check_seconds, write_views
from plantar.cli.subjects import Subject
from plantar.cli.view import serve
from plantar.errors import InvalidInput
from plantar.feet import Foot
from plantar.learn import Pace, Policy
from plantar.learn.config import LOCKED
from plantar.learn.controller import found_file
from plantar.learn.springs import springs_of
from plantar.learn.subject import OWN, PLATE
from plantar.learn.walker import walker_of
from plantar.learn.walks import course_of
from plantar.walk import courses
from plantar.walk.clips import walk_clip
from plantar.walk.study.walks import way_of


def play(
    policy: Annotated[
        Path,
        typer.Argument(
            metavar="POLICY", help="A policy.onnx file, or one shipped with Plantar, such as g1_softfoot.onnx."
        ),
    ],
    foot: Annotated[
        str | None, typer.Option("--foot", help="NAME[:FIDELITY], plate, or own; that of the training if left out.")
    ] = None,
    changes: Set = None,
    robot: Annotated[str | None, typer.Option(help="Another model of the robot used in training.")] = None,
    stiffness: Annotated[
        float, typer.Option(min=1e-3, max=LOCKED, help="Factor on the stiffness of soft feet; 1000 locks them.")
    ] = 1.0,
    speed: Annotated[float, typer.Option(help="Commanded velocity [m/s].")] = 0.5,
    distance: Annotated[float, typer.Option(min=0.1, help="Distance [m].")] = 3.0,
    course: Annotated[
        str, typer.Option(help="Obstacles on the path: a course of `walk study`, or a terrain.")
    ] = "bars",
    level: Annotated[
        float, typer.Option(min=0.0, help="Level of difficulty, in the unit of the course; 0 is level ground.")
    ] = 0.0,
    seed: Seed = 0,
    html: Html = None,
    video: Video = None,
    port: Port = PORT,
    browser: Browser = True,
    seconds: Seconds = None,
    overwrite: Overwrite = False,
    as_json: Json = False,
) -> None:
    """Let a policy walk once and look at it in three dimensions: in the browser, or as one page or film to send."""
    require_extra("show")
    check_seconds(seconds)
    require(seconds is None or (html is None and video is None), "--seconds", seconds, "it without --html and --video")
    trained, pace = Policy(found_file(policy)), Pace(distance=distance, speed=speed)
    courses.find(course)
    worn = _worn(trained, foot, changes)
    walker = walker_of(robot or trained.card.robot, worn, trained.card.drives)
    soft = springs_of(walker).soft
    require(soft or stiffness == 1, "--stiffness", stiffness, "it with soft feet: these have no springs")
    made = course_of(trained, walker, pace, stiffness)
    layout = courses.lay(course, level, seed, way_of(made))
    made = made if layout.terrain is None else made.on(layout.terrain)
    with Progress(math.ceil(made.seconds), "walking, simulated seconds") as bar:
        result = made.run(bars=layout.bars, pushes=layout.pushes, seed=seed, frames=True)
        bar.advance(math.ceil(made.seconds))
    note(result.text())
    clip = walk_clip(made.scene, result)
    if html is None and video is None:
        serve(Subject(lambda: clip), port, browser, seconds, as_json)
        return
    written = write_views(clip, html, video)
    emit({**result.row(), **written}, as_json=as_json, text="\n".join([clip.title, *map(str, written.values())]))


def _worn(policy: Policy, foot: str | None, changes: list[str] | None) -> Foot | str:
    """The feet to walk on: those named, or the first of the training, with changed fields."""
    worn = policy.feet[0] if foot is None else foot if foot in (OWN, PLATE) else read_foot(foot)
    if changes and isinstance(worn, str):
        raise InvalidInput(f"--set {changes[0]!r} is not allowed with --foot {worn}: give a foot that has fields")
    return worn if isinstance(worn, str) else worn.with_(**parse_changes("--set", changes))
