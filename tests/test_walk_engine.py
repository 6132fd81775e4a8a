"""The one engine: what was wrong in either of the two that it came from, and what it promises to all robots."""

from __future__ import annotations

import math
from concurrent.futures import ThreadPoolExecutor

import mujoco
import numpy as np
import pytest

from plantar import robots, walk
from plantar.cli.app import run
from plantar.errors import Diverged, InvalidInput
from plantar.ground import ElevationMap, Slope, YieldingGround
from plantar.walk.control.controllers import PLANS
from plantar.walk.control.estimator import Estimator
from plantar.walk.control.protocol import Command
from plantar.walk.plans.footsteps import Foothold, mean_heading
from plantar.walk.plans.predictive.config import PredictiveConfig
from plantar.walk.plans.predictive.horizon import Phase, Stance, horizon
from plantar.walk.plans.predictive.problem import Aim, build
from plantar.walk.plans.predictive.solve import solve
from plantar.walk.sim.path import Path
from plantar.walk.sim.pushes import Pusher
from plantar.walk.sim.touching import FootContacts, hit_links


@pytest.fixture(scope="module")
def standing() -> walk.Course:
    return walk.Course(robots.load("biped"), gait=walk.Gait(steps=0, settle=0.1))


@pytest.fixture(scope="module")
def strolled() -> tuple[walk.Course, walk.WalkResult, float]:
    told: list[float] = []
    course = walk.Course(robots.load("biped"), gait=walk.Gait(steps=2, settle=0.4), tuning=walk.Tuning(rate=250))
    result = course.run(record=True, rest=0.2, progress=told.append)
    return course, result, sum(told)


def test_pushes_at_one_time_add_up():
    """A free body that is pushed by 20 N s ahead and 10 N s to the left at once gets both."""
    model = mujoco.MjModel.from_xml_string(
        "<mujoco><option gravity='0 0 0' timestep='0.001'/><worldbody><body name='b'><freejoint/>"
        "<geom size='.1' mass='60'/></body></worldbody></mujoco>"
    )
    data = mujoco.MjData(model)
    both = [walk.Push(impulse=20, time=0.1), walk.Push(impulse=10, direction=math.pi / 2, time=0.12, duration=0.06)]
    pusher = Pusher(model, 1, both, 60.0)
    while data.time < 0.4:
        pusher.apply(data)
        mujoco.mj_step(model, data)
    assert 60.0 * data.qvel[:2] == pytest.approx([20.0, 10.0], rel=1e-3)


@pytest.mark.parametrize("duration", [0.002, 0.003, 0.011, 0.1])
def test_a_push_gives_its_whole_impulse_however_few_steps_it_lasts(duration):
    model = mujoco.MjModel.from_xml_string(
        "<mujoco><option gravity='0 0 0' timestep='0.002'/><worldbody><body name='b'><freejoint/>"
        "<geom size='.1' mass='30'/></body></worldbody></mujoco>"
    )
    data = mujoco.MjData(model)
    pusher = Pusher(model, 1, [walk.Push(impulse=12, time=0.1013, duration=duration)], 30.0)
    assert pusher.over == pytest.approx(0.1013 + duration)
    while data.time < 0.3:
        pusher.apply(data)
        mujoco.mj_step(model, data)
    assert 30.0 * data.qvel[0] == pytest.approx(6.0, rel=1e-9)  # for 60 kg it would be 12


def test_no_push_is_left_out_because_the_robot_stands_before_it(standing):
    """Standing is over 0.3 s before the push; a robot that is thrown over has not stood it."""
    calm = standing.run(rest=0.2)
    late = walk.Push(impulse=5.0, time=0.6)
    result = standing.run(pushes=[late], rest=0.2)
    assert calm.duration < 0.4 and result.success and result.duration >= late.time + late.duration + 0.2
    assert standing.run(pushes=[walk.Push(impulse=120.0, time=0.6)], rest=0.2).status is walk.WalkStatus.FELL
    with pytest.raises(InvalidInput, match="push time = 50.0 .*a time up to .* s, when the walk is over"):
        standing.run(pushes=[walk.Push(impulse=5.0, time=50.0)])
    with pytest.raises(InvalidInput, match="push body 'world'"):
        standing.run(pushes=[walk.Push(impulse=5.0, time=0.1, body="world")])


def test_a_robot_that_takes_no_step_stands_as_long_as_it_should():
    course = walk.Course(robots.load("biped"), gait=walk.Gait(steps=0, settle=1.2), tuning=walk.Tuning(rate=250))
    result = course.run(rest=0.3)
    assert result.status is walk.WalkStatus.STOOD and result.duration == pytest.approx(1.5, abs=0.02)


@pytest.mark.parametrize(("angle", "cross", "yaw"), [(0.1, 0.0, 0.0), (0.0, 0.15, 0.0), (0.05, -0.1, 0.4)])
def test_bars_lie_on_ground_that_is_not_level(angle, cross, yaw):
    slope = Slope(angle=angle, cross=cross)
    bar = walk.Bar(x=0.6, y=0.1, height=0.02, yaw=yaw)
    course = walk.Course(robots.load("biped"), gait=walk.Gait(steps=4), terrain=slope)
    model, data = course.scene.world([bar])
    mujoco.mj_kinematics(model, data)
    geom = course.scene.bar_geoms[0]
    top = np.array([[0.0, aside, model.geom_size[geom, 2]] for aside in (-0.4, 0.0, 0.4)])
    ends = data.geom_xpos[geom] + top @ data.geom_xmat[geom].reshape(3, 3).T
    above = [z - slope.elevation(x, y) for x, y, z in ends]
    assert above == pytest.approx([0.02] * 3, abs=6e-4)


def test_a_quadruped_has_no_part_of_a_sole_for_a_bar():
    course = walk.Course(robots.load("quadruped"))
    assert course.bars(0.02, "random", 0)[0].x > 0.5
    with pytest.raises(InvalidInput, match="place = 'heel'"):
        course.run(obstacle=0.02, place="heel")


@pytest.mark.parametrize("what", ["qvel", "qpos"])
def test_a_walk_that_blew_up_between_two_control_steps_is_not_taken_for_one_that_goes_on(what):
    """MuJoCo sets it back to its beginning, where all numbers are finite."""
    course = walk.Course(robots.load("biped"), gait=walk.Gait(steps=0), tuning=walk.Tuning(rate=100))
    sim = course.simulation()
    sim.act()
    getattr(sim.data, what)[9] = math.nan
    with pytest.raises(Diverged, match="blew up"):
        sim.advance()


def test_threads_share_a_course_and_give_the_same_bits(standing):
    """Each walk has a model, a state and a controller of its own: bars of one are not under the feet of another."""
    cases = [(seed, 0.004 * (1 + seed % 3)) for seed in range(6)]

    def walked(case: tuple[int, float]) -> str:
        bars = [walk.Bar(x=0.02, height=case[1])]
        return repr(standing.run(seed=case[0], bars=bars, rest=0.15).row())

    alone = [walked(case) for case in cases]
    with ThreadPoolExecutor(3) as pool:
        together = list(pool.map(walked, cases))
    assert together == alone and len(set(alone)) == len(cases)
    assert standing.scene.model.geom_size[standing.scene.bar_geoms[0]].max() < 0.01


def test_way_round_a_bend_is_that_of_the_arc():
    angle = np.linspace(0, 2 * math.pi, 60)
    circle = np.column_stack([np.sin(angle), 1 - np.cos(angle)])
    track = np.repeat(circle, 3, axis=0) * 1.002
    way, aside = Path(circle).follow(track)
    assert way == pytest.approx(2 * math.pi, rel=0.01)  # the chord is nothing
    assert np.abs(aside).max() < 0.01
    half, _ = Path(circle).follow(track[:90])
    assert half == pytest.approx(math.pi, rel=0.03)
    bend = walk.Course(robots.load("biped"), gait=walk.Gait(steps=20, turn=0.15))
    corners = bend.plan.path()
    straight = walk.Course(robots.load("biped"), gait=walk.Gait(steps=20)).plan.path()
    length = Path(corners).length
    assert length == pytest.approx(Path(straight).length, rel=0.02)
    assert np.linalg.norm(corners[-1] - corners[0]) < 0.8 * length


def test_torques_are_held_while_the_program_has_no_solution(standing, monkeypatch):
    sim = standing.simulation(scatter=0.0)
    for _ in range(20):
        sim.tick()
    controller = sim.controller
    good, solved = controller.torque.copy(), controller.body.solve

    def unsolved(program, dyn):
        found = solved(program, dyn)
        found.found, found.torque = False, found.torque * 100.0
        return found

    monkeypatch.setattr(controller.body, "solve", unsolved)
    sim.tick()
    assert controller.failures == 1
    np.testing.assert_array_equal(controller.torque, good)
    np.testing.assert_array_equal(sim.data.ctrl[standing.scene.motors], good)
    monkeypatch.undo()
    sim.tick()
    assert controller.failures == 1 and not np.array_equal(controller.torque, good)


def test_a_command_that_is_not_a_number_ends_the_walk(standing):
    class Lost:
        def __init__(self, setting):
            inner = standing.controller()
            self.legged, self.stance, self.stiffness, self.damping = (
                inner.legged,
                inner.stance,
                inner.stiffness,
                inner.damping,
            )
            self.done = False

        def reset(self, observation):
            pass

        def act(self, observation):
            torque = np.zeros(len(self.legged.joints))
            torque[3] = math.nan
            return Command(torque=torque)

    course = walk.Course(standing.walker, controller=Lost)
    with pytest.raises(Diverged, match=standing.scene.legged.joints[3]):
        course.run()


def test_the_estimator_sees_each_moment_once(monkeypatch):
    times: list[float] = []
    update = Estimator.update

    def counted(self, reading):
        times.append(reading.time)
        return update(self, reading)

    monkeypatch.setattr(Estimator, "update", counted)
    sensing = walk.Sensing(state="estimate")
    course = walk.Course(robots.load("biped"), gait=walk.Gait(steps=0), sensing=sensing)
    sim = course.simulation()
    for _ in range(3):
        sim.tick()
    assert times == pytest.approx([0.0, 0.002, 0.004])


def test_a_robot_that_touches_itself_does_not_hit_the_ground(standing):
    sim = standing.simulation()
    rng, q = np.random.default_rng(0), standing.scene.q_index
    own = 0
    for _ in range(150):
        sim.data.qpos[q] = standing.stance.qpos
        sim.data.qpos[q[2]] = 5.0
        sim.data.qpos[q[7:]] += rng.uniform(-1.5, 1.5, len(q) - 7)
        mujoco.mj_forward(sim.model, sim.data)
        own += sim.data.ncon > 0
        assert not hit_links(sim)
    assert own > 3
    sim.data.qpos[q] = standing.stance.qpos
    sim.data.qpos[q[2]] -= 0.6
    mujoco.mj_forward(sim.model, sim.data)
    assert hit_links(sim)


def test_a_foot_counts_as_loaded_by_its_share_of_the_weight():
    two = FootContacts(
        points=np.zeros((2, 3)),
        normal=np.array([100.0, 5.0]),
        slide=np.array([[0.1, 0, 0], [9.0, 0, 0]]),
        foot=np.array([0, 1]),
    )
    assert two.sliding(10.0) == pytest.approx(0.1)
    assert two.sliding(1.0) > 0.4


def test_headings_are_averaged_across_the_wrap():
    assert abs(mean_heading([math.pi - 0.1, -math.pi + 0.1])) == pytest.approx(math.pi)


def test_the_predictive_plan_knows_the_gravity_of_its_world():
    corners = np.array([[x, y, 0.0] for x in (-0.1, 0.1) for y in (-0.05, 0.05)])
    phase = Phase(start=0.0, end=5.0, stances=(Stance(foot=0, corners=corners),))
    ahead = horizon([phase], 0.0, 1.0, 0.1)
    count, state = len(ahead.phase), np.array([0.0, 0.0, 0.75, *[0.0] * 6])
    moon = 1.62
    aim = Aim(divergent=np.zeros((count, 2)), height=np.full(count, 0.8), omega=math.sqrt(moon / 0.8), gravity=moon)
    found = solve(build(ahead, state, aim, PredictiveConfig()))
    speed = found.states[:, 5]
    push = np.array([f[:, 2].sum() for f in found.forces])
    np.testing.assert_allclose(np.diff(speed), moon * ahead.lengths * (push - 1), atol=1e-6)


def test_figures_are_those_of_the_steps(strolled):
    """Standing before the first step does not count, and the bar of progress is told of all of the time."""
    _, result, told = strolled
    assert result.success and told == pytest.approx(result.duration, abs=0.11)
    record = result.record
    steps = np.flatnonzero(record.column("phase") > 0)[0]
    assert record.column("time")[steps] > 0.35
    assert result.metrics.tilt == record.column("tilt")[steps:].max()
    loads = np.stack([record.column("load_left"), record.column("load_right")])
    legged = strolled[0].scene.legged
    assert result.metrics.force_peak == pytest.approx(loads[:, steps:].max() / legged.mass / legged.gravity)
    assert np.isfinite(result.metrics.transport) and "2 steps" in result.text()


def test_plans_by_name_fit_their_robots():
    biped, quadruped = robots.load("biped"), robots.mount("quadruped", "ball")
    assert set(PLANS) >= {"dcm", "predictive", "crawl", "trot"}
    with pytest.raises(InvalidInput, match="crawl"):
        walk.Course(biped, plan="crawl")
    with pytest.raises(InvalidInput, match="4 feet"):
        walk.Course(quadruped, gait=walk.Gait())
    with pytest.raises(InvalidInput, match="predictive"):
        walk.Course(biped, plan="gallop")
    stiff = walk.Course(biped, plan="predictive", mode="impedance")
    assert type(stiff.plan).__name__ == "PredictivePlan" and stiff.controller().stiffness.min() > 0
    assert walk.Course(quadruped).plan.crawl.distance == walk.Crawl().distance


def test_a_sole_is_put_where_all_of_it_is_carried():
    """Stones over a pit: the nearest whole one is taken, not an edge and not the floor of the pit."""

    def stone(x, y):
        return np.where((np.abs(x - 0.30) < 0.13) & (np.abs(y - 0.16) < 0.08), 0.0, -0.3)

    ground = ElevationMap.from_function(stone, x=(-0.6, 1.2), y=(-0.8, 0.8), cell=0.02)
    course = walk.Course(robots.load("biped"), choose="level", elevation=ground)
    plan = course.plan
    chooser = plan.stepper.chooser
    step = Foothold(side=0, position=(0.24, 0.10, 0.0), yaw=0.0)
    stance = Foothold(side=1, position=(0.10, -0.10, 0.0), yaw=0.0)
    found, record = chooser.choose(step, stance, 0.0)
    assert record.choice.carried == 1.0 and found.position[2] == 0.0
    back, front, right, left = course.scene.legged.soles[0].outline
    assert 0.17 <= found.position[0] + back and found.position[0] + front <= 0.43
    assert 0.08 <= found.position[1] + right and found.position[1] + left <= 0.24
    with pytest.raises(InvalidInput, match="map"):
        walk.Course(robots.load("biped"), choose="level", terrain=YieldingGround())


def test_a_robot_without_ankle_roll_is_told_so(tmp_path):
    spec = robots.load("biped").spec.copy()
    rolls = [place.joints[-1] for place in robots.load("biped").places]
    for elements in (spec.actuators, spec.sensors, spec.keys):
        for element in list(elements):
            if getattr(element, "target", None) in rolls or getattr(element, "objname", None) in rolls:
                spec.delete(element)
            elif elements is spec.keys:
                spec.delete(element)
    for joint in [j for j in spec.joints if j.name in rolls]:
        spec.delete(joint)
    spec.compile()
    (tmp_path / "h.xml").write_text(spec.to_xml())
    course = walk.Course(robots.load(str(tmp_path / "h.xml")))
    assert all(sole.rolls for sole in course.scene.legged.soles)
    assert len(course.plan.notes) == 1 and "no ankle roll" in course.plan.notes[0]
    assert walk.Course(robots.load("biped")).plan.notes == []


def test_every_config_is_reached_from_the_command_line(tmp_path, capsys):
    base = ["walk", "trial", "biped", "--steps", "0", "--stand", "0.05", "--no-pictures", "--json"]
    more = ["--gait-set", "apex=0.08", "--tuning-set", "predictive.seconds=1.2", "--tuning-set", "gains.dcm=2.5"]
    assert run([*base, *more, "--rate", "250", "--out", str(tmp_path / "a")]) == 0
    text = (tmp_path / "a" / "config.json").read_text().replace(" ", "")
    assert '"apex":0.08' in text and '"seconds":1.2' in text and '"dcm":2.5' in text and '"rate":250' in text
    capsys.readouterr()
    for wrong in (["--tuning-set", "gains.dcm_integral=1"], ["--gait-set", "aplex=1"], ["--plan", "trot"]):
        assert run([*base, *wrong, "--out", str(tmp_path / "b")]) == 2
        assert len(capsys.readouterr().err.strip().splitlines()) == 1
    assert not (tmp_path / "b").exists()


def test_a_quadruped_walks_by_the_same_command(tmp_path, capsys):
    args = ["walk", "trial", "quadruped", "--foot", "ball", "--plan", "trot", "--distance", "0.1", "--no-pictures"]
    assert run([*args, "--gait-set", "speed=0.25", "--out", str(tmp_path / "q"), "--json"]) == 0
    assert '"plan": "trot"' in capsys.readouterr().out.replace('"plan":"', '"plan": "')


def test_a_quadruped_that_estimates_its_state_is_pushed_while_it_trots():
    sensing = walk.Sensing(state="estimate")
    gait = walk.Trot(distance=0.2)
    course = walk.Course(robots.mount("quadruped", "ball"), gait=gait, sensing=sensing)
    pushes = [walk.Push(impulse=10, direction=math.pi / 2, time=0.9), walk.Push(impulse=5, time=1.2)]
    result = course.run(pushes=pushes, rest=0.2)
    assert result.success and result.distance > 0.15 and result.failures == 0
    assert result.metrics.tilt < math.radians(8)
