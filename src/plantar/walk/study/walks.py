"""One trial of a study, in whatever thread or process it runs."""

from __future__ import annotations

import functools
import threading
from collections.abc import Sequence
from typing import Any

from plantar.walk import courses
from plantar.walk.control import controllers
from plantar.walk.control.tuning import Tuning
from plantar.walk.course import Course
from plantar.walk.plans.gait import Gait
from plantar.walk.study.feet import find_walker

LEFT_OUT = {"robot", "foot", "mode", "place", "obstacle", "seed", "status"}
"""What of a result's row stands in the config."""
TOES = 0.25
"""Uneven ground begins no nearer to the start, so that the longest toes do not stand on it [m]."""
UNDER = ("bar", "heel", "arch", "toe")
"""Courses whose bar is meant for one sole."""
BUILT_OF = ("robot", "foot", "mode", "steps", "timestep", "rate")
"""What a built course depends on."""


class _Kept(threading.local):
    """Courses and robots kept for the next trial; each thread has its own, as walking changes them."""

    def __init__(self) -> None:
        self.walker = functools.lru_cache(maxsize=3)(find_walker)
        self.course = functools.lru_cache(maxsize=3)(self._course)

    def _course(self, robot: str, foot: str, mode: str, steps: int, timestep: float, rate: float) -> Course:
        gait, tuning = Gait(steps=steps), Tuning(rate=rate)
        return Course(self.walker(robot, foot), gait=gait, mode=mode, timestep=timestep, tuning=tuning)


_kept = _Kept()


def course_of(config: dict[str, Any]) -> Course:
    """The robot of a trial on level ground, built once in each thread."""
    if "maker" in config:  # a controller of the user, which this process may not know
        controllers.register(config["mode"], controllers.load(config["maker"]))
    return _kept.course(*(config[name] for name in BUILT_OF))


def run_one(config: dict[str, Any], seed: int, **more: Any) -> dict[str, Any]:
    """One trial of a study; its chance comes from the draw, so that it is the same for every foot."""
    row = walk(config, **more).row()
    if config["course"] not in UNDER:
        row["bar_under"] = None
    return {name: value for name, value in row.items() if name not in LEFT_OUT} | {"ended": row["status"]}


class Walks:
    """The trials of a study, some at a time: those of one robot and foot come together and are built once."""

    batch_size = 8
    """Trials that one worker gets at once."""

    def run_batch(self, configs: Sequence[dict[str, Any]], seeds: Sequence[int]) -> list[Any]:
        """A record for each trial, or the error that it ended in."""
        return [self._one(config, seed) for config, seed in zip(configs, seeds, strict=True)]

    @staticmethod
    def _one(config: dict[str, Any], seed: int) -> Any:
        try:
            return run_one(config, seed)
        except Exception as error:  # noqa: BLE001  (one walk that blows up is one row)
            return error


def walk(config: dict[str, Any], **more: Any):  # noqa: ANN201
    """The walk of a trial, and what it ended in; `more` goes to `Course.run`."""
    course, draw = course_of(config), config["draw_seed"]
    layout = courses.lay(config["course"], config["level"], draw, way_of(course), config["push"])
    if layout.terrain is not None:
        course = course.on(layout.terrain)
    return course.run(bars=layout.bars, pushes=layout.pushes, seed=draw, **more)


def way_of(course: Course) -> courses.Way:
    """What a course has to know of a biped's walk."""
    gait, holds = course.gait, tuple(course.footsteps())
    begin = gait.settle + gait.start
    stride = gait.single_support + gait.double_support
    return courses.Way(
        start=max(float(holds[1].xy[0]) - 0.5 * gait.step_length, TOES),
        end=float(holds[-1].xy[0]),
        moments=(begin, begin + stride * (len(holds) - 1)),
        holds=holds,
        soles=tuple(sole.outline for sole in course.scene.legged.soles),
    )
