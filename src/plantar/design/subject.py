"""A foot being evaluated: what its measures share is computed once."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import mujoco

from plantar._checks import require
from plantar.errors import InvalidInput
from plantar.sweep import trial_seed
from plantar.walk import Course, Crawl, Gait, Tuning, courses
from plantar.walk.course import BIPED
from plantar.walk.sim.path import Path
from plantar.walk.study.feet import find_walker
from plantar.walk.study.walks import REST, way_of

if TYPE_CHECKING:
    from plantar.feet.foot import Foot


@dataclass(frozen=True)
class Ground:
    """A course at a level, as `bars:0.015`."""

    course: str
    """Name of a course of `plantar.walk.courses`."""
    level: float
    """Level of difficulty, in the unit of the course."""

    @classmethod
    def parse(cls, text: str) -> Ground:
        """A ground from `COURSE:LEVEL`, or `flat`.

        Raises:
            InvalidInput: If it is not of that form, or there is no such course.
        """
        name, colon, level = text.strip().rpartition(":") if ":" in text else (text.strip(), "", "0")
        courses.find(name)
        try:
            number = float(level)
        except ValueError:
            number = -1.0
        ok = 0 <= number < 1e3 and (bool(colon) or name == "flat")
        require(ok, "grounds", text, "COURSE:LEVEL with a level of 0 or more, as in bars:0.015, or flat")
        return cls(name, number)

    def text(self) -> str:
        """The ground as `parse` reads it."""
        return f"{self.course}:{self.level:g}"


def each_once(name: str, grounds: Sequence[str]) -> tuple[Ground, ...]:
    """Grounds from their texts; one that stands twice is refused, as its walks would count twice."""
    found = tuple(map(Ground.parse, grounds))
    require(len(set(found)) == len(found), name, ", ".join(grounds), "each ground once")
    return found


@dataclass(frozen=True, kw_only=True)
class Setting:
    """The conditions of an evaluation: the robot, its grounds and the random seed."""

    robot: str = ""
    """A robot of `plantar.robots`; empty: no walks are possible."""
    grounds: tuple[str, ...] = ()
    """Grounds to walk on, as `bars:0.015`."""
    draws: int = 1
    """Walks on each ground; draw k is the same ground and start for every foot."""
    seed: int = 0
    """Seed of the draws."""
    mode: str = "impedance"
    """Controller of the robot."""
    footsteps: int = 8
    """Number of steps of a biped's walk."""
    distance: float = 0.8
    """Distance a quadruped walks [m]."""
    push: float = 0.0
    """Impulse of an additional push at a random moment, for 60 kg [N s]."""
    rate: float = 250.0
    """Control steps per second [1/s]."""
    fidelity: str = "fast"
    """Build of the foot that walks."""


@dataclass(eq=False)
class Subject:
    """One foot under evaluation."""

    foot: Foot
    """The foot, in the build that is pressed."""
    setting: Setting = field(default_factory=Setting)
    """Where it walks."""

    @functools.cached_property
    def model(self) -> mujoco.MjModel:
        """The foot alone, compiled."""
        return self.foot.model()

    @functools.cached_property
    def curves(self) -> dict[Any, Any]:
        """Stiffness curves that were measured, by what they were measured with."""
        return {}

    @functools.cached_property
    def walks(self) -> list[dict[str, Any]]:
        """All walks, each ground and draw: rows of `WalkResult` with `way`, the fraction of the distance walked."""
        setting = self.setting
        if not setting.robot or not setting.grounds:
            raise InvalidInput("walks need a robot and grounds: give ROBOT and grounds")
        own = self.foot.with_(fidelity=setting.fidelity)
        course = make_course(find_walker(setting.robot, own), setting)
        rest = REST[len(course.walker.places) <= BIPED]
        rows = []
        for ground in map(Ground.parse, setting.grounds):
            for draw in range(setting.draws):
                seed = trial_seed(setting.seed, draw) % 2**31
                layout = courses.lay(ground.course, ground.level, seed, way_of(course), setting.push)
                there = course if layout.terrain is None else course.on(layout.terrain)
                row = there.run(bars=layout.bars, pushes=layout.pushes, seed=seed, rest=rest).row()
                walked = share_walked(row, there.seconds + rest, Path(there.plan.path()).length)
                rows.append({**row, "ground": ground.text(), "draw": draw, "way": walked})
        return rows


def share_walked(row: Mapping[str, Any], seconds: float, length: float) -> float:
    """How much of a walk was completed, from 0 to 1; 1 if it succeeded.

    A robot that falls is thrown ahead or back, so that a fall counts by its time and not by its place.

    Args:
        row: The walk, a row of `WalkResult`.
        seconds: Time that the whole walk takes with its rest [s].
        length: Distance of the whole walk [m].
    """
    if row["success"]:
        return 1.0
    share = row["duration"] / seconds if row["status"] == "fell" else row["distance"] / length
    return min(max(share, 0.0), 1.0)


def make_course(walker: Any, setting: Setting) -> Course:
    """A robot with its feet on level ground."""
    gait: Any = Gait(steps=setting.footsteps) if len(walker.places) <= BIPED else Crawl(distance=setting.distance)
    tuning = gait.tuning() if hasattr(gait, "tuning") else Tuning()
    return Course(walker, gait=gait, mode=setting.mode, tuning=replace(tuning, rate=setting.rate))
