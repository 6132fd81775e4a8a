"""One walk of one robot."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from plantar._arguments import checks_arguments
from plantar.walk.course import BIPED, Course
from plantar.walk.plans.gait import Gait
from plantar.walk.result import WalkResult
from plantar.walk.sim.obstacles import Place
from plantar.walk.sim.pushes import Push

if TYPE_CHECKING:
    from plantar.robots import Robot


@checks_arguments
def trial(
    walker: Robot,
    *,
    obstacle: float = 0.0,
    seed: int = 0,
    gait: Any = None,
    place: Place = "random",
    pushes: Sequence[Push] = (),
    record: bool = False,
    frames: bool = False,
    rest: float = 1.5,
    **course: Any,
) -> WalkResult:
    """Run one walk of a robot; see `Course` for many walks of one robot.

    Args:
        walker: The robot with its feet on, from `plantar.robots.load` or `mount`.
        obstacle: Height of a bar across the path; 0 is none [m].
        seed: Seed of the start, the bar and the noise; the same one gives the same bits.
        gait: The walk; by default a biped takes 8 steps with an obstacle and 20 without, a quadruped crawls 1.5 m.
        place: Part of the sole that should meet the bar.
        pushes: Pushes against the robot.
        record: Whether the result holds time series.
        frames: Whether they hold positions for films.
        rest: Standing time after the last step [s].
        **course: Everything else of `Course`: mode, plan, terrain, choose, tuning, sensing, timestep.
    """
    if gait is None and len(walker.places) <= BIPED:
        gait = Gait(steps=8 if obstacle else 20)
    walk = Course(walker, gait=gait, **course)
    return walk.run(obstacle=obstacle, place=place, pushes=pushes, seed=seed, record=record, frames=frames, rest=rest)
