"""A biped that looks where it steps crosses stepping stones on which a blind one falls."""

from __future__ import annotations

import numpy as np
import pytest

from plantar import robots
from plantar.ground import Patch, Patches
from plantar.walk import Course, Gait, Tuning

STONE = (0.25, 0.15)
"""Length and width of a stone; the sole is 0.21 m long and 0.11 m wide [m]."""


def stones(course: Course, seed: int) -> Patches:
    """A stone for each step over a pit, up to 5 cm off along the way and 7 to 11 cm outwards."""
    rng, steps = np.random.default_rng([seed, 77]), course.footsteps()
    end = float(steps[-1].xy[0]) - 0.13
    patches = [Patch(x=(0.19, round(end, 2)), y=(-1.2, 1.2), height=-0.3)]
    for step in steps:
        if 0.17 < step.xy[0] < end + 0.05:
            out = 1 if step.side == 0 else -1
            x, y = step.xy[0] + rng.uniform(-0.05, 0.05), step.xy[1] + out * rng.uniform(0.07, 0.11)
            along, across = (
                (round(float(v - w / 2), 2), round(float(v + w / 2), 2)) for v, w in zip((x, y), STONE, strict=True)
            )
            patches.append(Patch(x=along, y=across, height=0.0))
    return Patches(patches=tuple(patches))


def crossed(choose: str, seeds: range) -> int:
    course = Course(robots.load("biped"), gait=Gait(steps=10), choose=choose, tuning=Tuning(rate=250))
    return sum(course.on(stones(course, seed)).run(seed=seed, rest=0.5).success for seed in seeds)


def test_footholds_are_chosen_on_stones():
    """All footholds of a walk are whole stones, or the ground before and after them."""
    course = Course(robots.load("biped"), gait=Gait(steps=10), choose="level").on(
        stones(Course(robots.load("biped"), gait=Gait(steps=10)), 1)
    )
    plan = course.plan
    chooser, hold = plan.stepper.chooser, None
    for step in plan.footsteps():
        stance = hold or plan.footsteps()[1]
        hold, record = chooser.choose(step, stance, 0.0)
        assert record.choice.carried > 0.9 and hold.position[2] == 0.0


@pytest.mark.long
def test_a_biped_that_chooses_crosses_where_a_blind_one_falls(record_property):
    seeds = range(200, 220)
    choosing, blind = crossed("level", seeds), crossed("nominal", seeds)
    record_property("softfoot.stones.crossed", {"choosing": choosing, "blind": blind, "grounds": len(seeds)})
    assert choosing >= 18
    assert blind <= 5
