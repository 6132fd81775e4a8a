"""`plantar foothold walk`: a quadruped crosses rough ground and chooses where to step."""

from __future__ import annotations

from typing import Annotated

import typer

from plantar.cli.common import Draws, Json, Out, Overwrite, Seed, words
from plantar.cli.foot_options import FeetOption
from plantar.cli.walk.study import Choose, Distance, Photos, Processes, Retry, run_and_report
from plantar.errors import InvalidInput
from plantar.foothold.sole import load_sole, sole_of
from plantar.walk.plans.gaits import Crawl, Trot
from plantar.walk.robot.legs import LEGS
from plantar.walk.study.feet import find_walker
from plantar.walk.study.study import Study


def walk(
    courses: Annotated[
        list[str],
        typer.Argument(
            metavar="COURSE",
            help="flat, stairs, trenches, rubble, potholes, another course of `walk study`, or a .json file.",
        ),
    ],
    feet: FeetOption = "softfoot_q:fast,ball",
    choose: Choose = "nominal,slope,analytic",
    robot: Annotated[str, typer.Option(help="quadruped, a Menagerie name, or a file.")] = "quadruped",
    draws: Draws = 10,
    difficulty: Annotated[float, typer.Option(help="Level of the courses: a factor on their heights.")] = 1.0,
    distance: Distance = Crawl.distance,
    plan: Annotated[str, typer.Option(help="crawl (one foot at a time) or trot (diagonals in turn).")] = "crawl",
    stride: Annotated[float, typer.Option(help="Distance per cycle of four crawl steps [m].")] = Crawl.stride,
    speed: Annotated[float, typer.Option(help="Speed of a trot [m/s].")] = Trot.speed,
    sole: Annotated[
        str, typer.Option(metavar="FILE", help="Sole of soft feet: sole.json or .npz from `foothold calibrate`.")
    ] = "",
    photos: Photos = True,
    retry: Retry = False,
    processes: Processes = None,
    seed: Seed = 0,
    out: Out = None,
    overwrite: Overwrite = False,
    as_json: Json = False,
) -> None:
    """Make a quadruped cross rough ground with each foot and chooser: success, slip, collisions, films.

    It is `walk study` with the courses and feet of quadrupeds, and resumes in the same way.
    """
    ways = words(choose)
    if sole:
        load_sole(sole)  # an unreadable file is refused before anything is run
        ways = tuple(f"{name}@{sole}" if name in ("slope", "analytic") else name for name in ways)
    study = Study(
        robots=(robot,),
        feet=words(feet),
        modes=("torque",),
        courses=tuple(part for text in courses for part in words(text)),
        levels=(difficulty,),
        choose=ways,
        draws=draws,
        plan=plan,
        distance=distance,
        stride=stride,
        speed=speed,
        seed=seed,
    )
    for foot in study.feet:
        walker = find_walker(robot, foot)
        if len(walker.places) != len(LEGS):
            raise InvalidInput(f"--robot {robot!r} has {len(walker.places)} feet: a quadruped is needed")
        worn = walker.places[0].foot
        if worn is not None:
            sole_of(worn)  # a foot without a known sole is refused
    run_and_report(
        study,
        None,
        "foothold-walk",
        out=out,
        overwrite=overwrite,
        photos=photos,
        retry=retry,
        processes=processes,
        as_json=as_json,
    )
