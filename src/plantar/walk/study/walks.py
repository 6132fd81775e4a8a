"""One trial of a study, in whatever thread or process it runs."""

from __future__ import annotations

import functools
import importlib
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from plantar.walk import courses
from plantar.walk.control import controllers
from plantar.walk.control.tuning import Tuning
from plantar.walk.course import BIPED, Course
from plantar.walk.footholds import CHOOSERS
from plantar.walk.plans.gait import Gait
from plantar.walk.plans.gaits import Crawl, Trot
from plantar.walk.result import WalkResult
from plantar.walk.study.feet import find_walker

LEFT_OUT = {"robot", "foot", "mode", "plan", "terrain", "choose", "place", "obstacle", "seed", "status"}
"""Columns of a result's row that are in the config."""
TOES = 0.25
"""Uneven ground begins no nearer to the start of a biped, so that the longest toes do not stand on it [m]."""
FRONT = 0.58
"""The same for a quadruped, whose front feet start at about 0.40 [m]."""
UNDER = ("bar", "heel", "arch", "toe")
"""Courses whose bar is meant for one sole."""
BUILT_OF = (
    "robot",
    "foot",
    "mode",
    "choose",
    "plan",
    "steps",
    "distance",
    "stride",
    "speed",
    "timestep",
    "rate",
    "files",
)
"""What a built course depends on, besides what is registered under its mode and chooser."""
REST = {True: 1.5, False: 0.6}
"""Time for which bipeds, and others, have to stand at the end [s]."""


# what is built is shared by threads: each walk has its own controller and state
@functools.lru_cache(maxsize=3)
def _walker(robot: str, foot: str, files: str) -> Any:
    return find_walker(robot, foot)


@functools.lru_cache(maxsize=6)
def _course(registered: tuple[Any, Any], *built_of: Any) -> Course:
    own = dict(zip(BUILT_OF, built_of, strict=True))
    walker = _walker(own["robot"], own["foot"], own["files"])
    gait: Any = Gait(steps=own["steps"])
    if own["plan"] == "trot":
        gait = Trot(distance=own["distance"], speed=own["speed"])
    elif own["plan"] == "crawl" or len(walker.places) > BIPED:
        gait = Crawl(distance=own["distance"], stride=own["stride"])
    tuning = gait.tuning() if hasattr(gait, "tuning") else Tuning()
    tuning = tuning if own["rate"] is None else replace(tuning, rate=own["rate"])
    return Course(walker, gait=gait, tuning=tuning, **{name: own[name] for name in ("mode", "choose", "timestep")})


def course_of(config: dict[str, Any]) -> Course:
    """The robot of a trial on level ground, built once in each process."""
    if "maker" in config:  # a controller of the user, which this process may not know
        controllers.register(config["mode"], controllers.load(config["maker"]))
    if "chooser" in config:
        importlib.import_module(config["chooser"])
    registered = controllers.CONTROLLERS.get(config["mode"]), CHOOSERS.get(config["choose"])
    return _course(registered, *(config.get(name) for name in BUILT_OF))


def run_one(config: dict[str, Any]) -> Any:
    """The record of one trial, or its error; randomness comes from the draw, the same for every foot."""
    try:
        row = walk(config).row()
    except Exception as error:  # noqa: BLE001  (one walk that blows up is one row)
        return error
    if config["course"] not in UNDER:
        row["bar_under"] = None
    return {name: value for name, value in row.items() if name not in LEFT_OUT} | {"ended": row["status"]}


class Walks:
    """The trials of a study in chunks: those of one robot and foot are grouped and built once."""

    batch_size = 8
    """Trials that one worker gets at once."""

    def run_batch(self, configs: Sequence[dict[str, Any]], seeds: Sequence[int]) -> list[Any]:
        """A record for each trial, or the error that it ended in."""
        return [run_one(config) for config in configs]


def laid(config: dict[str, Any]) -> tuple[Course, courses.Layout]:
    """The robot of a trial on its ground, and what lies there."""
    course = course_of(config)
    layout = courses.lay(config["course"], config["level"], config["draw_seed"], way_of(course), config["push"])
    return (course if layout.terrain is None else course.on(layout.terrain)), layout


def walk(config: dict[str, Any], **more: Any) -> WalkResult:
    """The walk of a trial, and what it ended in; `more` goes to `Course.run`."""
    course, layout = laid(config)
    rest = REST[len(course.walker.places) <= BIPED]
    return course.run(bars=layout.bars, pushes=layout.pushes, seed=config["draw_seed"], rest=rest, **more)


def way_of(course: Course) -> courses.Way:
    """What a course has to know about a walk."""
    holds = tuple(course.footsteps())
    if not holds:
        return courses.Way(start=FRONT, end=FRONT + course.gait.distance, moments=(1.0, max(course.seconds, 2.0)))
    gait = course.gait
    begin, stride = gait.settle + gait.start, gait.single_support + gait.double_support
    return courses.Way(
        start=max(float(holds[1].xy[0]) - 0.5 * gait.step_length, TOES),
        end=float(holds[-1].xy[0]),
        moments=(begin, begin + stride * (len(holds) - 1)),
        holds=holds,
        soles=tuple(sole.outline for sole in course.scene.legged.soles),
    )
