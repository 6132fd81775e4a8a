"""Where a walking quadruped puts its feet: every way to choose, and what no way may choose."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import numpy as np
import pytest
from foothold_cases import crawl_on, crossing_on, flat_map

from plantar import feet
from plantar.errors import InvalidInput
from plantar.foothold import LEGS, SoftSole, sole_of
from plantar.foothold.choose import Choice
from plantar.foothold.choosers import POOR, analytic, calibrated, decide, find, physics, scored, slope
from plantar.foothold.cost import INFEASIBLE
from plantar.foothold.physics import shipped
from plantar.foothold.sole import load_sole
from plantar.ground import ElevationMap
from plantar.walk import Course, Crawl, Question
from plantar.walk.footholds import find_chooser
from plantar.walk.plans.asking import beside
from plantar.walk.plans.body_pose import Pose
from plantar.walk.robot.measures import legs_of
from plantar.walk.study.study import Study


@pytest.fixture(scope="module")
def soft() -> Course:
    return crossing_on("softfoot_q")


@pytest.fixture(scope="module")
def ball() -> Course:
    return crossing_on("ball")


def test_chosen_foothold_avoids_a_hole(soft):
    def hole(x, y):
        return np.where((np.abs(x - 0.50) < 0.05) & (np.abs(y - 0.30) < 0.06), -0.2, 0.0)

    grid = ElevationMap.from_function(hole, x=(-0.5, 1.5), y=(-1, 1), cell=0.02)
    question, _, _ = question_on(soft, grid, "LF", (0.50, 0.30))
    choice = decide(question, analytic)
    assert choice is not None
    assert abs(choice.x - 0.50) > 0.09 or abs(choice.y - 0.30) > 0.07
    assert choice.z == 0.0 and choice.distance <= Crawl().search
    assert find_chooser("nominal")(question) is None
    assert find_chooser("slope")(question) is not None


def question_on(walk, grid, leg, wanted, pose=None):
    """What a robot at its start would ask of a map, its plan and its dynamics."""
    plan, dyn = crawl_on(walk, grid)
    pose = pose or plan.planner.pose(dyn.points)
    return plan.query.question(dyn.points, LEGS.index(leg), np.array(wanted), pose), plan, dyn


def test_too_steep_ground_is_left_though_a_score_likes_it(soft):
    """Friction holds no foot on a slope of 0.7, whatever the score says; where there is nothing else it is taken."""

    def ramp(x, y):
        return np.where(x > 0.40, 0.7 * (np.minimum(x, 0.70) - 0.40), 0.0)

    grid = ElevationMap.from_function(ramp, x=(-1.2, 2.4), y=(-1, 1), cell=0.02)
    question, _, _ = question_on(soft, grid, "LF", (0.50, 0.30))

    def likes_slopes(q):
        costs = analytic(q)
        return replace(costs, cost=np.where(costs.feasible, 0.0, costs.cost))

    choice = decide(question, likes_slopes)
    assert choice is not None
    assert question.limits.slope[choice.row, choice.column] <= Crawl.tuning().contact.friction
    assert question.limits.slope[question.elevation.index(0.53, 0.30)] == pytest.approx(0.7, abs=0.02)
    only = np.zeros(question.elevation.shape, bool)
    only[question.elevation.index(0.53, 0.30)] = True
    assert question.limits.allowed(only).sum() == 1


def test_foothold_that_a_leg_cannot_be_lifted_from_is_left(soft):
    """Folded and leaning, a leg comes to the end of its roll inwards when it is lifted, though it could stand there."""
    pose = Pose(com=np.array([0.0, 0.0]), height=0.5, pitch=math.radians(-22), roll=0.0)
    question, plan, _ = question_on(soft, flat_map(), "LH", (-0.45, 0.28), pose)
    room = question.limits.room
    base, legs = plan.planner.base(pose), plan.legs
    rows, columns = np.nonzero(question.limits.short)
    grid, height = question.elevation, plan.planner.ankle_height
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
    question, _, dyn = question_on(soft, grid, "LF", (0.68, 0.30))
    choice = decide(question, analytic)
    assert isinstance(choice, Choice) and choice.z == 0.0
    assert choice.distance > Crawl().search
    here = dyn.points[LEGS.index("LF"), :2]
    assert math.hypot(choice.x - here[0], choice.y - here[1]) <= Crawl().search


def test_footholds_that_the_swinging_leg_cannot_get_to_are_left(soft):
    """Close behind a wall the shank, whose knee is behind the foot, hits it on the way down; further on it does not."""

    def wall(x, y):
        return np.where((x > 0.45) & (x < 0.49), 0.19, 0.0)

    grid = ElevationMap.from_function(wall, x=(-1.2, 2.4), y=(-1, 1), cell=0.02)
    question, _, _ = question_on(soft, grid, "LF", (0.56, 0.30))
    flat, _, _ = question_on(soft, flat_map(), "LF", (0.56, 0.30))
    assert question.limits.links is not None and flat.limits.links is not None
    assert flat.limits.links[flat.limits.near].min() > 0
    behind, beyond = question.elevation.index(0.52, 0.30), question.elevation.index(0.68, 0.30)
    assert question.limits.links[behind] < -0.01 < question.limits.links[beyond]
    both = np.zeros(question.elevation.shape, bool)
    both[behind] = both[beyond] = True
    assert question.limits.allowed(both)[beyond] and not question.limits.allowed(both)[behind]


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
    question, _, _ = question_on(soft, grid, "LF", (0.50, 0.30))
    costs = physics(question)
    whole = load_sole("physics").terrain_cost(question.elevation, 0.0)
    asked = question.limits.short
    assert costs.terrain[asked] == pytest.approx(whole[asked])
    assert asked.sum() > 200 and np.isnan(costs.terrain[0, 0])


def test_stance_of_a_question_puts_the_hip_where_the_leaning_robot_has_it(soft):
    pose = Pose(com=np.zeros(2), height=0.5, pitch=-0.2, roll=0.1)
    question, plan, _ = question_on(soft, flat_map(), "RH", (-0.4, -0.3), pose)
    hip = legs_of(soft.scene.legged).hip_of("RH")
    wanted = plan.planner.base(pose) + pose.matrix @ hip
    assert question.stance.to_map(hip) == pytest.approx(wanted)
    assert set(question.stance.feet) == {"LF", "RF", "LH"}
    assert question.elevation.shape == (60, 60)


def test_sole_from_a_file_scores(soft, ball, tmp_path):
    path = tmp_path / "sole.json"
    path.write_text(json.dumps({"kind": "soft", "fit_weight": 500.0, "slope_weight": [1.0, 2.0]}))
    sole = SoftSole(fit_weight=500.0, slope_weight=(1.0, 2.0))

    def bumpy(x, y):
        return 0.02 * np.sin(9 * x) * np.cos(7 * y)

    grid = ElevationMap.from_function(bumpy, x=(-1.2, 2.4), y=(-1, 1), cell=0.02)
    chooser = find_chooser(f"analytic@{path}")
    for walk, score in ((soft, lambda q: analytic(q, sole)), (ball, analytic)):  # balls keep what they want
        question, _, _ = question_on(walk, grid, "LF", (0.5, 0.3))
        choice, same = chooser(question), decide(question, score)
        assert isinstance(choice, Choice) and isinstance(same, Choice)
        assert (choice.x, choice.y, choice.cost) == (same.x, same.y, same.cost)
    wrong = tmp_path / "wrong.json"
    wrong.write_text("[1]")
    with pytest.raises(InvalidInput, match="sole"):
        Study(choose=(f"analytic@{wrong}",))


def test_a_poor_foothold_is_not_taken_where_a_good_one_is_on_the_way(soft):
    """All near cells cost much, one on the way little: the step is short, but not twice in a row."""
    question, _, dyn = question_on(soft, flat_map(), "LF", (0.68, 0.30))
    good = question.elevation.index(0.50, 0.30)
    assert question.limits.short[good] and not question.limits.near[good]

    def poor(q):
        costs = analytic(q)
        cost = np.where(costs.feasible & q.limits.near, POOR + 40.0, INFEASIBLE)
        cost[good] = 20.0
        return replace(costs, cost=cost, reason=np.where(cost < INFEASIBLE, 0, 1).astype(np.uint8))

    choice = decide(question, poor)
    assert choice is not None and (choice.row, choice.column) == good
    again = decide(replace(question, shortened=True), poor)
    assert again is not None and again.cost > POOR


@pytest.mark.parametrize("name", ["slope", "analytic", "calibrated", "physics", "network"])
@pytest.mark.parametrize("foot", ["soft", "ball"])
def test_every_way_to_choose_avoids_a_pit(name, foot, soft, ball):
    walk = soft if foot == "soft" else ball

    def pit(x, y):
        return np.where((np.abs(x - 0.46) < 0.07) & (np.abs(y - 0.30) < 0.07), -0.4, 0.0)

    grid = ElevationMap.from_function(pit, x=(-0.5, 1.5), y=(-1, 1), cell=0.02)
    question, _, _ = question_on(walk, grid, "LF", (0.46, 0.30))
    chooser = find(name)
    assert chooser is not None
    choice = chooser(question)
    assert isinstance(choice, Choice) and choice.z == 0.0


def test_own_chooser():
    asked: list[Question] = []

    def never(question: Question) -> None:
        asked.append(question)

    result = crossing_on("ball", 0.1, choose=never).run(rest=0.3)
    assert result.choose == "never" and len(asked) == len(result.footholds)
    assert all(step.choice is None for step in result.footholds)
    assert scored(analytic).__name__ == "analytic"


def resized(question: Question) -> Question:
    """The same question for a SoftFoot-Q of another size."""
    return replace(question, foot=feet.get("softfoot_q:fast").scaled(1.3))


def test_weights_are_calibrated_and_the_size_is_the_foot_s(soft):
    asked = resized(question_on(soft, flat_map(), "LF", (0.5, 0.3))[0])
    own = sole_of(asked.foot)
    assert own.length == pytest.approx(1.3 * 0.159) and own.height > 0.1
    sized = replace(load_sole("calibrated"), length=own.length, width=own.width, height=own.height)
    found, wanted = calibrated(asked), analytic(asked, sized)
    assert found.margin is not None and wanted.margin is not None
    assert np.array_equal(found.margin, wanted.margin, equal_nan=True) and (found.cost == wanted.cost).all()


def test_slopes_for_a_learned_score_are_those_of_the_foot(soft):
    asked = resized(question_on(soft, flat_map(), "LF", (0.5, 0.3))[0])
    assert slope(asked, shipped()).cost == pytest.approx(slope(asked).cost)


@pytest.mark.parametrize("foot", ["soft", "ball", "resized"])
def test_the_reach_of_a_leg_is_the_same_for_all_scores(foot, soft, ball):
    asked = question_on(ball if foot == "ball" else soft, flat_map(), "LF", (0.5, 0.3))[0]
    asked = resized(asked) if foot == "resized" else asked
    found, wanted = physics(asked).margin, analytic(asked).margin
    assert found is not None and wanted is not None
    inner = np.isfinite(found) & np.isfinite(wanted)
    assert inner.any() and found[inner] == pytest.approx(wanted[inner])


def test_a_biped_is_told_which_choosers_it_has(soft):
    asked = replace(question_on(soft, flat_map(), "LF", (0.5, 0.3))[0], leg="left", robot=None, stance=None)
    for name in ("slope", "analytic", "calibrated", "physics", "network"):
        chooser = find(name)
        assert chooser is not None
        with pytest.raises(InvalidInput, match="give a biped level or nominal"):
            chooser(asked)


def test_a_robot_on_its_own_feet_is_told_to_mount_some(ball):
    asked = replace(question_on(ball, flat_map(), "LF", (0.5, 0.3))[0], foot=None)
    for name in ("slope", "analytic", "calibrated", "physics"):
        chooser = find(name)
        assert chooser is not None
        with pytest.raises(InvalidInput, match="mount ball or softfoot_q"):
            chooser(asked)
