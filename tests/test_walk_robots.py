"""Every biped that is at hand stands and walks on soft feet: long, and only where the robots are."""

from __future__ import annotations

import math

import pytest

from plantar import walk
from plantar.walk.course import Course
from plantar.walk.study.feet import find_walker

pytest.importorskip("daqp", reason="needs the extra walk")
pytestmark = pytest.mark.long
ROBOTS = {
    "biped": "biped",
    "talos": "models/menagerie/pal_talos",
    "g1": "models/menagerie/unitree_g1",
    "jvrc1": "models/jvrc1/xml/jvrc1.xml",
    "cogimon": "models/cogimon/cogimon.urdf",
}


@pytest.fixture(params=list(ROBOTS))
def robot(request, shared) -> str:
    path = ROBOTS[request.param]
    return path if path == request.param else str(shared / path)


@pytest.mark.parametrize("degrees", [0, 90, 180, 270])
def test_stands_half_a_minute_and_against_a_push(robot, degrees, request, record_property):
    course = Course(find_walker(robot, "softfoot:fast"), gait=walk.Gait(steps=0, settle=0.3))
    light = walk.Push(impulse=8, direction=math.radians(degrees), time=15.0)
    result = course.run(pushes=[light], rest=30.0)
    hard = walk.Push(impulse=15, direction=math.radians(degrees), time=1.0)
    pushed = course.run(pushes=[hard], rest=3.0)
    found = {"stood": result.success, "steps": result.steps, "seconds": result.duration, "hard": pushed.success}
    record_property(f"softfoot.standing.{request.node.callspec.params['robot']}_{degrees}", found)
    assert result.success and result.steps == 0 and result.duration >= 30
    assert pushed.success


@pytest.mark.parametrize("foot", ["own", "softfoot:fast"])
@pytest.mark.parametrize("mode", ["torque", "impedance"])
def test_twenty_steps_from_twenty_starts(robot, foot, mode):
    course = Course(find_walker(robot, foot), mode=mode)
    results = [course.run(seed=seed) for seed in range(20)]
    bad = [(r.seed, r.status.name, r.metrics.drift) for r in results if not (r.success and r.metrics.drift < 0.05)]
    assert not bad
    assert all(r.steps == 20 for r in results)
