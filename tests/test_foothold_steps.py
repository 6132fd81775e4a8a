"""Where a walking quadruped puts its feet: every way to choose, and what no way may choose."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import numpy as np
import pytest
from foothold_cases import crossing_on, flat_map

from plantar.errors import InvalidInput
from plantar.foothold import LEGS, ElevationMap, SoftSole
from plantar.foothold.sole import load_sole
from plantar.foothold.walking import (
    Controller,
    Crawl,
    Crossing,
    Eyes,
    Question,
    Tuning,
    find_chooser,
)
from plantar.foothold.walking.chooser import analytic, decide
from plantar.foothold.walking.limits import beside
from plantar.foothold.walking.plan import Pose
from plantar.foothold.walking.study import CrossStudy, crossing


@pytest.fixture(scope="module")
def soft() -> Crossing:
    return crossing_on("softfoot_q")


@pytest.fixture(scope="module")
def ball() -> Crossing:
    return crossing_on("ball")


def test_chosen_foothold_avoids_a_hole(soft):
    def hole(x, y):
        return np.where((np.abs(x - 0.50) < 0.05) & (np.abs(y - 0.30) < 0.06), -0.2, 0.0)

    grid = ElevationMap.from_function(hole, x=(-0.5, 1.5), y=(-1, 1), cell=0.02)
    controller = Controller(soft.legged, soft.legs, Eyes(grid, 0.159, 0.056), analytic, Crawl(), Tuning(), 1.0)
    controller.reset(0.0, controller.start(), np.zeros(soft.legged.nv))
    controller.leg = LEGS.index("LF")
    points = controller.dynamics.points.copy()
    question = controller._question(np.array([0.50, 0.30]), controller.planner.pose(points))
    choice = decide(question, analytic)
    assert choice is not None
    assert abs(choice.x - 0.50) > 0.09 or abs(choice.y - 0.30) > 0.07
    assert choice.z == 0.0 and choice.distance <= Crawl().search
    assert decide(question, find_chooser("nominal")) is None
    assert decide(question, find_chooser("slope")) is not None


def question_on(walk, grid, leg, wanted, pose=None):
    """What a robot at its start would ask of a map, and its controller."""
    controller = Controller(walk.legged, walk.legs, Eyes(grid, 0.159, 0.056), analytic, Crawl(), Tuning(), 1.0)
    controller.reset(0.0, controller.start(), np.zeros(walk.legged.nv))
    controller.leg = LEGS.index(leg)
    pose = pose or controller.planner.pose(controller.dynamics.points)
    return controller._question(np.array(wanted), pose), controller


def test_too_steep_ground_is_left_though_a_score_likes_it(soft):
    """Friction holds no foot on a slope of 0.7, whatever the score says; where there is nothing else it is taken."""

    def ramp(x, y):
        return np.where(x > 0.40, 0.7 * (np.minimum(x, 0.70) - 0.40), 0.0)

    grid = ElevationMap.from_function(ramp, x=(-1.2, 2.4), y=(-1, 1), cell=0.02)
    question, _ = question_on(soft, grid, "LF", (0.50, 0.30))

    def likes_slopes(q):
        costs = analytic(q)
        return replace(costs, cost=np.where(costs.feasible, 0.0, costs.cost))

    choice = decide(question, likes_slopes)
    assert choice is not None
    assert question.limits.slope[choice.row, choice.column] <= Tuning().friction
    assert question.limits.slope[question.elevation.index(0.53, 0.30)] == pytest.approx(0.7, abs=0.02)
    only = np.zeros(question.elevation.shape, bool)
    only[question.elevation.index(0.53, 0.30)] = True
    assert question.limits.allowed(only).sum() == 1


def test_foothold_that_a_leg_cannot_be_lifted_from_is_left(soft):
    """Folded and leaning, a leg comes to the end of its roll inwards when it is lifted, though it could stand there."""
    pose = Pose(com=np.array([0.0, 0.0]), height=0.5, pitch=math.radians(-22), roll=0.0)
    question, controller = question_on(soft, flat_map(), "LH", (-0.45, 0.28), pose)
    room = question.limits.room
    base, legs = controller.planner.base(pose), soft.legs
    rows, columns = np.nonzero(question.limits.short)
    grid, height = question.elevation, controller.planner.ankle_height
    ends = np.stack([grid.x[columns], grid.y[rows], np.full(len(rows), height)], axis=-1)
    stands = legs.margin("LH", (ends - base) @ pose.matrix)
    lifted = legs.margin("LH", (ends + [0, 0, Crawl().clearance] - base) @ pose.matrix)
    assert (room[rows, columns] <= np.minimum(stands, lifted) + 1e-12).all()
    lost = (stands > 0.01) & (room[rows, columns] <= 0.01)
    assert lost.any()
    everything = np.ones(grid.shape, bool)
    assert not question.limits.allowed(everything)[rows[lost], columns[lost]].any()
    assert not question.limits.allowed(everything)[~question.limits.near].any()
    assert (question.limits.short | ~question.limits.near).all()


def test_where_there_is_nothing_ahead_a_step_is_short(soft):
    """Ground that ends 2 cm beyond the toes: the foot stays about where it is rather than going into the pit."""

    def cliff(x, y):
        return np.where(x > 0.46, -0.4, 0.0)

    grid = ElevationMap.from_function(cliff, x=(-1.2, 2.4), y=(-1, 1), cell=0.02)
    question, controller = question_on(soft, grid, "LF", (0.68, 0.30))
    choice = decide(question, analytic)
    assert choice is not None and choice.z == 0.0
    assert choice.distance > Crawl().search
    here = controller.dynamics.points[controller.leg, :2]
    assert math.hypot(choice.x - here[0], choice.y - here[1]) <= Crawl().search


def test_distance_from_a_way():
    start, end = np.array([0.0, 0.0]), np.array([3.0, 4.0])
    found = beside(np.array([3.0, 0.0, -3.0, 6.0]), np.array([4.0, 0.0, -4.0, 8.0]), start, end)
    assert found == pytest.approx([0, 0, 5, 5])
    assert beside(np.array([4.0]), np.array([-3.0]), start, end) == pytest.approx([5.0])
    assert beside(np.array([1.0]), np.array([0.0]), start, start) == pytest.approx([1.0])


def test_learned_score_of_a_part_is_that_of_the_whole(soft):
    """The score is asked only where it is needed; there it is the same."""

    def bumpy(x, y):
        return 0.03 * np.sin(9 * x) * np.cos(7 * y)

    grid = ElevationMap.from_function(bumpy, x=(-1.2, 2.4), y=(-1, 1), cell=0.02)
    question, _ = question_on(soft, grid, "LF", (0.50, 0.30))
    costs = find_chooser("physics")(question)
    assert costs is not None
    whole = load_sole("physics").terrain_cost(question.elevation, 0.0)
    asked = question.limits.short
    assert costs.terrain[asked] == pytest.approx(whole[asked])
    assert asked.sum() > 200 and np.isnan(costs.terrain[0, 0])


def test_stance_of_a_question_puts_the_hip_where_the_leaning_robot_has_it(soft):
    controller = Controller(soft.legged, soft.legs, Eyes(flat_map(), 0.159, 0.056), analytic, Crawl(), Tuning(), 1.0)
    controller.reset(0.0, controller.start(), np.zeros(soft.legged.nv))
    controller.leg = LEGS.index("RH")
    pose = Pose(com=np.zeros(2), height=0.5, pitch=-0.2, roll=0.1)
    question = controller._question(np.array([-0.4, -0.3]), pose)
    hip = soft.legs.hip_of("RH")
    wanted = controller.planner.base(pose) + pose.matrix @ hip
    assert question.stance.to_map(hip) == pytest.approx(wanted)
    assert set(question.stance.feet) == {"LF", "RF", "LH"}
    assert question.elevation.shape == (60, 60)


def test_sole_from_a_file_scores(soft, tmp_path):
    path = tmp_path / "sole.json"
    path.write_text(json.dumps({"kind": "soft", "fit_weight": 5.0, "slope_weight": [1.0, 2.0]}))
    walk = crossing("quadruped", "softfoot_q:fast", 0.32, str(path))
    assert walk.legged.sole == SoftSole(fit_weight=5.0, slope_weight=(1.0, 2.0))
    assert walk.legged.ankle_height == soft.legged.ankle_height
    wrong = tmp_path / "wrong.json"
    wrong.write_text("[1]")
    with pytest.raises(InvalidInput, match="sole"):
        CrossStudy(sole=str(wrong)).check()


@pytest.mark.parametrize("name", ["slope", "analytic", "calibrated", "physics", "network"])
@pytest.mark.parametrize("foot", ["soft", "ball"])
def test_every_way_to_choose_avoids_a_pit(name, foot, soft, ball):
    walk = soft if foot == "soft" else ball

    def pit(x, y):
        return np.where((np.abs(x - 0.46) < 0.07) & (np.abs(y - 0.30) < 0.07), -0.4, 0.0)

    grid = ElevationMap.from_function(pit, x=(-0.5, 1.5), y=(-1, 1), cell=0.02)
    controller = Controller(walk.legged, walk.legs, Eyes(grid, 0.159, 0.056), analytic, Crawl(), Tuning(), 1.0)
    controller.reset(0.0, controller.start(), np.zeros(walk.legged.nv))
    controller.leg = LEGS.index("LF")
    question = controller._question(np.array([0.46, 0.30]), controller.planner.pose(controller.dynamics.points))
    choice = decide(question, find_chooser(name))
    assert choice is not None and choice.z == 0.0


def test_own_chooser(ball):
    asked: list[Question] = []

    def never(question: Question) -> None:
        asked.append(question)

    result = ball.run("flat", never, distance=0.1)
    assert result.choose == "never" and len(asked) == len(result.steps)
    assert all(step.choice is None for step in result.steps)
