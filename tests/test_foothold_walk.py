"""The walking quadruped: dynamics, planning, choosing, walks on both feet, and the command."""

from __future__ import annotations

import json
import math
import runpy
from dataclasses import replace
from pathlib import Path

import mujoco
import numpy as np
import pytest

from plantar import feet, robots
from plantar.cli.app import run
from plantar.errors import InvalidInput
from plantar.foothold import LEGS, ElevationMap, Quadruped, SoftSole
from plantar.foothold.sole import load_sole
from plantar.foothold.walking import (
    Controller,
    Crawl,
    Crossing,
    CrossStatus,
    Eyes,
    FourLegged,
    Question,
    Trot,
    TrotController,
    Tuning,
    find_chooser,
    legs_of,
    make_terrain,
    map_of,
)
from plantar.foothold.walking.chooser import analytic, decide
from plantar.foothold.walking.controller import FLAT
from plantar.foothold.walking.dynamics import Dynamics
from plantar.foothold.walking.limits import beside
from plantar.foothold.walking.plan import Planner, Pose, within
from plantar.foothold.walking.program import Program, Targets
from plantar.foothold.walking.study import CrossStudy, best_of, crossing, summarise
from plantar.foothold.walking.swing import LANDING, Swing, smooth
from plantar.foothold.walking.terrains import START, TERRAINS
from plantar.ground import ElevationGrid, Flat, HeightField

ROOT = Path(__file__).parents[1]
XBODY = mujoco.mjtObj.mjOBJ_XBODY


@pytest.fixture(scope="module")
def soft() -> Crossing:
    return Crossing(robots.mount("quadruped", feet.get("softfoot_q", fidelity="fast")))


@pytest.fixture(scope="module")
def ball() -> Crossing:
    return Crossing(robots.mount("quadruped", "ball"))


def flat_map(heights: float = 0.0) -> ElevationMap:
    return ElevationMap.from_function(lambda x, y: heights + 0 * x, x=(-1.2, 2.4), y=(-1, 1), cell=0.02)


def test_measures_are_those_of_anymal(soft, ball):
    for walk in (soft, ball):
        found, wanted = walk.legs, Quadruped()
        for name in ("hip", "hip_forward", "thigh_out", "knee_out", "foot_out", "thigh", "shank"):
            assert getattr(found, name) == pytest.approx(getattr(wanted, name), abs=1e-4), name


def test_point_of_a_soft_foot_is_the_hinge_it_tips_about(soft, ball):
    assert soft.legged.point_height == pytest.approx(soft.legged.ankle_height - 0.022, abs=1e-3)
    assert ball.legged.point_height == pytest.approx(0.03)


def test_points_and_their_jacobians(ball):
    lg = ball.legged
    rng = np.random.default_rng(0)
    dyn = Dynamics(lg)
    qpos, qvel = lg.nominal.copy(), rng.normal(size=lg.nv)
    qpos[lg.q_joint] += rng.uniform(-0.2, 0.2, 12)
    dyn.update(qpos, qvel)
    before, rate, drift = dyn.points.copy(), dyn.velocity.copy(), dyn.drift.copy()
    com, speed = dyn.com.copy(), dyn.com_velocity.copy()
    step = 1e-6
    moved = qpos.copy()
    mujoco.mj_integratePos(lg.model, moved, qvel, step)
    dyn.update(moved, qvel)
    assert (dyn.points - before) / step == pytest.approx(rate, abs=1e-4)
    assert (dyn.com - com) / step == pytest.approx(speed, abs=1e-4)
    # at constant generalised velocity the points accelerate by the drift alone
    assert (dyn.velocity - rate) / step == pytest.approx(drift, abs=1e-3)


def test_program_obeys_newton_and_euler(ball):
    lg = ball.legged
    dyn, program = Dynamics(lg), Program(lg, Tuning())
    dyn.update(lg.nominal, np.zeros(lg.nv))
    rest = Targets(
        com=np.zeros(2),
        height=0.0,
        turn=np.zeros(3),
        feet=np.zeros((4, 3)),
        standing=np.ones(4, bool),
        most=np.full(4, 1e4),
        shares=np.full(4, 0.25),
        normals=np.tile([0.0, 0.0, 1.0], (4, 1)),
    )
    still = program.solve(dyn, rest)
    assert still.found
    assert still.forces.sum(axis=0) == pytest.approx([0, 0, lg.mass * lg.gravity], abs=0.05 * lg.mass)
    # the whole equation of motion, with the base's six rows free of torque
    left = dyn.mass_matrix @ still.acceleration + dyn.bias
    pushed = np.einsum("kin,ki->n", dyn.jacobian, still.forces)
    assert (left - pushed)[:6] == pytest.approx(np.zeros(6), abs=1e-6)
    three = Targets(**{**vars(rest), "standing": np.array([True, True, True, False])})
    lifted = program.solve(dyn, three)
    assert lifted.forces[3] == pytest.approx([0, 0, 0])
    assert np.abs(lifted.forces[:, :2]).max() <= 0.5 * lifted.forces[:, 2].max() + 1e-6


def test_forces_stay_in_the_friction_cone(ball):
    lg = ball.legged
    dyn, program = Dynamics(lg), Program(lg, Tuning(friction=0.3))
    dyn.update(lg.nominal, np.zeros(lg.nv))
    normal = np.array([0.2, 0.0, 1.0]) / math.hypot(0.2, 1.0)
    hard = Targets(
        com=np.array([20.0, 0.0]),
        height=0.0,
        turn=np.zeros(3),
        feet=np.zeros((4, 3)),
        standing=np.ones(4, bool),
        most=np.full(4, 1e4),
        shares=np.full(4, 0.25),
        normals=np.tile(normal, (4, 1)),
    )
    for force in program.solve(dyn, hard).forces:
        along = force @ normal
        assert along >= -1e-9
        assert np.linalg.norm(force - along * normal) <= 0.3 * along + 1e-6


def test_centre_of_mass_goes_into_the_support():
    corners = np.array([[0.4, 0.3], [0.4, -0.3], [-0.4, -0.3]])
    inside = np.array([0.2, -0.1])
    assert within(inside, corners, 0.02) == pytest.approx(inside)
    moved = within(np.array([-0.4, 0.3]), corners, 0.05)
    # on the inner parallel of the long side, opposite to where it came from
    normal = np.array([-0.6, 0.8])
    assert normal @ (moved - corners[0]) == pytest.approx(-0.05, abs=1e-9)
    assert within(inside, corners, 0.4) == pytest.approx(within(np.zeros(2), corners, 0.4))


def test_nominal_steps_make_the_stride(ball):
    crawl = Crawl()
    planner = Planner(crawl, ball.legs, 0.03, 0.03, np.zeros(2))
    points = np.c_[planner.places, np.full(4, 0.03)]
    ways = []
    for _ in range(40):
        there = planner.nominal(points)
        ways.append(there[0] - points[planner.leg, 0])
        points[planner.leg, :2] = there
        planner.turn += 1
    assert ways[-4:] == pytest.approx([crawl.stride] * 4, abs=1e-3)
    assert points[:, 1] == pytest.approx(planner.places[:, 1])


def test_body_stays_within_reach_and_leans_with_the_slope(ball):
    planner = Planner(Crawl(lean=1.0), ball.legs, 0.03, 0.03, np.zeros(2))
    points = np.c_[planner.places, np.full(4, 0.03)]
    points[:, 2] += 0.3 * points[:, 0]
    pose = planner.pose(points)
    assert pose.pitch == pytest.approx(-math.atan(0.3), abs=1e-6)
    assert pose.matrix[:, 0] @ [0, 0, 1] == pytest.approx(math.sin(math.atan(0.3)))
    quat = np.zeros(9)
    mujoco.mju_quat2Mat(quat, pose.quat)
    assert quat.reshape(3, 3) == pytest.approx(pose.matrix)
    far = np.c_[planner.places, np.full(4, 0.03)]
    far[2, 0] -= 0.32  # a leg that trails far behind
    assert planner.pose(far, lifted=2).height < planner.pose(points * [1, 1, 0] + [0, 0, 0.03]).height


def test_swing_clears_what_is_in_the_way():
    def wall(x, y):
        return np.where((x > 0.08) & (x < 0.14), 0.10, 0.0)

    grid = ElevationMap.from_function(wall, x=(-0.5, 1), y=(-0.5, 0.5), cell=0.01)
    eyes = Eyes(grid, 0.04, 0.04)
    swing = Swing(np.array([0, 0, 0.03]), np.array([0.25, 0, 0.03]), 0.5, 0.05, 0.03, eyes)
    assert swing.duration > 0.5  # the way is longer than it can be gone in that time
    times = np.linspace(0, swing.duration, 400)
    places = np.array([swing.at(t)[0] for t in times])
    room = places[:, 2] - 0.03 - eyes.tops(places[:, 0], places[:, 1])
    assert room[(places[:, 0] > 0.06) & (places[:, 0] < 0.16)].min() > 0
    assert places[-1] == pytest.approx([0.25, 0, 0.03], abs=1e-6)
    rates = np.array([swing.at(t)[1] for t in times])
    slopes = np.gradient(places[:, 0], times)
    assert rates[5:-5, 0] == pytest.approx(slopes[5:-5], abs=0.05)
    heights = np.gradient(places[:, 2], times)
    assert rates[5:-5, 2] == pytest.approx(heights[5:-5], abs=0.05)
    late = swing.at(swing.duration + 0.2)[0]
    assert late[2] < 0.03 and swing.late == pytest.approx(0.03 - late[2])


def test_swing_takes_as_long_as_its_way_needs():
    """However far and high a foothold is, legs are not thrown about, and soles come down slowly."""
    eyes = Eyes(flat_map(), 0.04, 0.04)
    for way, rise in ((0.02, 0.0), (0.3, 0.0), (0.45, 0.3), (0.1, -0.3), (0.3, 0.5)):
        target = np.array([way, 0.0, 0.03 + rise])
        swing = Swing(np.array([0, 0, 0.03]), target, 0.42, 0.06, 0.03, eyes, 8.0)
        times = np.arange(0.0, swing.duration, 0.001)
        states = [swing.at(float(t)) for t in times]
        bends = np.array([bend for _, _, bend in states])
        assert np.abs(bends[:, 0]).max() <= 8.0 + 1e-9
        assert np.abs(bends[:, 2]).max() <= 8.0 * 1.5  # the last bit is gone at a speed of its own
        assert swing.duration >= 0.42 - 1e-9
        last = np.array([rate[2] for place, rate, _ in states if place[2] < target[2] + 0.01][-5:])
        assert last == pytest.approx(np.full(5, -LANDING))
        assert swing.at(swing.duration)[0] == pytest.approx(target, abs=1e-9)


def test_smooth_starts_and_ends_at_rest():
    for s, value in ((0.0, 0.0), (1.0, 1.0)):
        assert smooth(s) == pytest.approx((value, 0.0, 0.0))


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


def test_a_soft_sole_lies_flat_before_it_carries(soft):
    """Feet touch gently and carry little until their sole has tipped: that is what keeps them from sliding."""
    sim = soft.simulation(Flat(), find_chooser("nominal"), distance=0.25, scatter=0.0)
    controller, most = sim.controller, []
    while not controller.done:
        sim.tick()
        since = sim.data.time - controller.loaded
        fresh = (since > 0.02) & (since < FLAT - 0.01)
        most.append(float((sim.loads * fresh).max()))
    # a sole that slaps down pushes for a moment; the weight does not
    assert np.mean(np.array(most)[np.array(most) > 0]) < 0.1 * controller.weight
    assert soft.run("flat", "nominal", distance=0.3).figures.slip < 0.012


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


@pytest.mark.parametrize("foot", ["soft", "ball"])
def test_crawls_on_level_ground(foot, soft, ball):
    walk = soft if foot == "soft" else ball
    result = walk.run("flat", "nominal", distance=0.3, frames=True)
    assert result.status is CrossStatus.CROSSED and result.distance >= 0.3
    assert result.figures.collisions == 0 and result.figures.tilt < math.radians(4)
    assert result.figures.com_error < 0.015 and result.failures == 0
    assert result.record is not None
    heights = result.record.path[:, 3]
    stand = walk.crawl.height + walk.legged.ankle_height
    # the plan may be one notch of 2 cm lower where a leg trails far behind; it is followed within 1 cm
    assert heights.max() < stand + 0.01 and heights.min() > stand - 0.03
    again = walk.run("flat", "nominal", distance=0.3)
    assert again.row() == result.row()


def test_stands_still(ball):
    sim = ball.simulation(Flat(), find_chooser("nominal"), distance=0.05, scatter=0.0)
    while sim.data.time < 0.5:
        sim.tick()
    weight = ball.legged.mass * ball.legged.gravity
    assert sim.loads.sum() == pytest.approx(weight, rel=0.02)
    assert sim.loads == pytest.approx(np.full(4, weight / 4), rel=0.1)
    assert np.abs(sim.data.qvel[:6]).max() < 0.01 and not sim.fallen


def test_late_ground_is_found(ball):
    """The map says 4 cm higher than the ground is: feet go on down until they carry."""
    result = ball.run(Flat(), "nominal", distance=0.12, elevation=flat_map(0.0).shifted(dz=0.0), seed=1)
    assert result.figures.late == 0
    heights = np.where(np.add.outer(np.zeros(101), np.arange(181) * 0.02 - 1.2) > 0.45, 0.04, 0.0)
    wrong = ElevationMap(heights=heights, cell=0.02, origin=(-1.2, -1.0))
    fooled = ball.run(Flat(), "nominal", distance=0.12, elevation=wrong, seed=1)
    assert fooled.success and fooled.figures.late >= 1


def test_unseen_step_is_met_early(ball):
    """The ground is 3 cm higher than the map says: feet stop where they touch."""
    heights = np.tile(np.where(np.arange(251) * 0.02 - 1.4 > 0.5, 0.03, 0.0), (121, 1))
    grid = ElevationGrid(origin=(-1.4, -1.2), cell=0.02, heights=heights)
    result = ball.run(HeightField(grid=grid), "nominal", distance=0.25, elevation=flat_map())
    assert result.success and result.figures.tilt < math.radians(8)


def test_grounds_are_level_at_the_start_and_drawn_by_their_seed():
    for kind in TERRAINS:
        one, same, other = make_terrain(kind, 3), make_terrain(kind, 3), make_terrain(kind, 4)
        grid = map_of(one)
        assert map_of(same) == grid
        if kind != "flat":
            assert map_of(other) != grid
            assert np.abs(map_of(make_terrain(kind, 3, 0.5)).heights).sum() < 0.8 * np.abs(grid.heights).sum()
        assert np.abs(grid.heights[:, grid.x < START - 0.03]).max() == 0


def test_summary_counts_and_ranks():
    rows = [
        {"terrain": "stairs", "foot": f, "choose": "analytic", "success": ok, "slip": 0.1 + 0.01 * k, "collisions": k}
        for f, oks in (("a", (True, True, False)), ("b", (True, True, True)))
        for k, ok in enumerate(oks)
    ]
    summary = summarise(rows)
    assert [(r["foot"], r["successes"], r["walks"]) for r in summary] == [("a", 2, 3), ("b", 3, 3)]
    assert summary[0]["slip"] == pytest.approx(0.11) and summary[0]["slip_low"] < 0.11 < summary[0]["slip_high"]
    assert best_of(summary)[0]["foot"] == "b"


def test_study_command(tmp_path, capsys):
    out = tmp_path / "study"
    args = ["foothold", "walk", "flat", "--feet", "ball", "--choose", "analytic", "--seeds", "1"]
    args += ["--distance", "0.05", "--workers", "1", "--out", str(out), "--json"]
    assert run(args) == 0
    record = json.loads(capsys.readouterr().out.strip().splitlines()[-1])
    assert [row["successes"] for row in record["summary"]] == [1]
    names = {p.name for p in out.iterdir()}
    assert names >= {"report.html", "summary.csv", "walks.csv", "study.png", "photos_flat.png", "watch_flat.html"}
    assert names >= {"footholds_flat.png", "config.json", "best.csv"}
    assert run([*args, "--no-photos"]) == 0  # nothing is walked again
    again = json.loads(capsys.readouterr().out.strip().splitlines()[-1])
    assert again["summary"] == record["summary"]


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["lava"], "terrain"),
        (["flat", "--choose", "magic"], "magic"),
        (["flat", "--feet", "softfoot"], "softfoot"),
        (["flat", "--robot", "biped"], "quadruped"),
        (["flat", "--difficulty", "-1"], "difficulty"),
        (["flat", "--stride", "2"], "stride"),
        (["flat", "--gait", "gallop"], "gallop"),
        (["flat", "--gait", "trot", "--speed", "9"], "speed"),
        (["flat", "--sole", "nothing.json"], "nothing.json"),
        (["nothing.json"], "nothing.json"),
    ],
)
def test_bad_input_is_one_line(args, said, tmp_path, capsys):
    out = tmp_path / "none"
    assert run(["foothold", "walk", *args, "--out", str(out)]) == 2
    error = capsys.readouterr().err.strip()
    assert said in error and len(error.splitlines()) == 1
    assert not out.exists()


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


def test_anymal_c_crawls(shared, monkeypatch):
    monkeypatch.setenv("MENAGERIE_ROOT", str(shared / "models" / "menagerie"))
    walk = Crossing(robots.mount("anybotics_anymal_c", feet.get("softfoot_q", fidelity="fast")))
    assert walk.legs.thigh == pytest.approx(0.285, abs=1e-3)
    assert walk.legs.roll_range == pytest.approx((-0.72, 0.49))  # inwards and outwards
    result = walk.run("flat", "analytic", distance=0.1)
    assert result.success and result.figures.collisions == 0


def test_own_chooser(ball):
    asked: list[Question] = []

    def never(question: Question) -> None:
        asked.append(question)

    result = ball.run("flat", never, distance=0.1)
    assert result.choose == "never" and len(asked) == len(result.steps)
    assert all(step.choice is None for step in result.steps)


def test_two_legs_are_refused():
    with pytest.raises(InvalidInput, match="quadruped"):
        FourLegged(robots.load("biped"))
    assert legs_of is not None


def test_example():
    found = runpy.run_path(str(ROOT / "examples" / "16_foothold_walk.py"))["main"](distance=0.1)
    assert found["distance"] >= 0.1 and found["crossed"]


@pytest.mark.parametrize("foot", ["soft", "ball"])
def test_a_shank_on_an_edge_is_no_load_of_its_foot(foot, soft, ball):
    """A leg whose shank or knee hits a stair has not landed."""
    walk = soft if foot == "soft" else ball
    sim = walk.simulation(Flat(), find_chooser("nominal"), distance=0.1)
    m, d = sim.scene.model, sim.data
    shanks = {m.body(place.body).id for place in sim.scene.robot.places}
    names = {m.body(int(b)).name for s in range(m.nsensor) for b in [m.sensor_refid[s]] if m.sensor_reftype[s] == XBODY}
    assert len(names) == 4 and not names & {m.body(b).name for b in shanks}
    while d.time < 0.3:
        sim.tick()
    assert sim.loads.sum() == pytest.approx(walk.legged.mass * walk.legged.gravity, rel=0.1)


@pytest.mark.parametrize("name", ["softfoot_q", "ball"])
def test_trots_on_level_ground(name):
    foot = feet.get("softfoot_q", fidelity="fast") if name == "softfoot_q" else name
    walk = Crossing(robots.mount("quadruped", foot), trot=Trot(speed=0.3))
    result = walk.run("flat", "analytic", distance=0.8, frames=True)
    assert result.success and result.figures.collisions == 0 and result.failures == 0
    assert result.figures.tilt < math.radians(3)
    legs = [step.leg for step in result.steps]
    assert legs[:4] == ["LF", "RH", "RF", "LH"]
    assert result.steps[0].time == result.steps[1].time
    assert result.record is not None
    times, way = result.record.path[:, 0], result.record.path[:, 1]
    going = (times > 1.6) & (way < 0.8)
    assert np.polyfit(times[going], way[going], 1)[0] == pytest.approx(0.3, rel=0.15)


def test_trot_steps_towards_where_it_falls(ball):
    """Pushed aside, a foot is put further out by the capture point's offset."""
    trot = Trot()
    robot = TrotController(ball.legged, ball.legs, Eyes(flat_map(), 0.06, 0.06), analytic, trot, trot.tuning(), 1.0)
    qpos, qvel = robot.start(), np.zeros(ball.legged.nv)
    robot.reset(0.0, qpos, qvel)
    still = robot._wanted(0)
    qvel[1] = 0.2
    robot.reset(0.0, qpos, qvel)
    moved = robot._wanted(0) - still
    offset = trot.capture * math.sqrt(trot.height / ball.legged.gravity) * 0.2
    assert moved == pytest.approx([0.0, offset + 0.5 * trot.swing_time * 0.2], abs=1e-9)
