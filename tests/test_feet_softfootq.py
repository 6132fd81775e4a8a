"""The SoftFoot-Q: its closed loops, its statics as a rope over the ground, its fidelities, its place on the benches."""

from __future__ import annotations

import math

import mujoco
import numpy as np
import pytest
from feet_scenes import add_floor, add_slider, new_spec, settle, warnings, weight
from hypothesis import given, settings
from hypothesis import strategies as st

from plantar import bench, feet, robots
from plantar.bench.stiffness import secant, stiffness
from plantar.cli.app import run
from plantar.errors import InvalidInput
from plantar.feet import FlatFoot, SoftFootQ, readings
from plantar.feet.parts import Part

FIDELITIES = ("full", "hinge", "fast")


def pressed(foot: SoftFootQ, load: float, *, bump: float = 0.0, roll: float = 0.0, seconds: float = 2.0):
    spec = new_spec()
    quat = [math.cos(roll / 2), math.sin(roll / 2), 0, 0]
    # a slider holds the ankle sideways: rough ground would hold the sole by friction alone
    foot, rough = foot.with_(friction=0.2), [0.2, 0.005, 0.0001]
    plane = mujoco.mjtGeom.mjGEOM_PLANE
    spec.worldbody.add_geom(name="floor", type=plane, size=[2, 2, 0.1], quat=quat, friction=rough)
    if bump:
        line = [0, -0.1, 0, 0, 0.1, 0]
        spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_CAPSULE, fromto=line, size=[bump, 0, 0], friction=rough)
    add_slider(spec, foot, foot.sole_height + bump + 0.002 + 0.03 * abs(math.sin(roll)))
    model = spec.compile()
    data = mujoco.MjData(model)
    data.qfrc_applied[0] = load
    mujoco.mj_step(model, data, round(seconds / model.opt.timestep))
    mujoco.mj_forward(model, data)
    return model, data


def turns(data: mujoco.MjData) -> float:
    """Sum of the turns of the arches; positive is closed."""
    return float(data.joint("foot/front_arch").qpos[0] + data.joint("foot/back_arch").qpos[0])


@settings(max_examples=20, deadline=None)
@given(
    chains=st.integers(1, 6),
    links=st.sampled_from([3, 5, 7, 9, 11]),
    pitch=st.floats(0.008, 0.02),
    tilt=st.floats(0, 0.4),
    fidelity=st.sampled_from(FIDELITIES),
)
def test_the_chains_of_any_foot_are_straight_and_closed_in_the_zero_pose(chains, links, pitch, tilt, fidelity):
    foot = SoftFootQ(chains=chains, links=links, pitch=pitch, roll_tilt=tilt, fidelity=fidelity)
    model = foot.model()
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    assert readings.loop_residuals(model, data).max() < 1e-12
    assert len(readings.loop_residuals(model, data)) == foot.built_chains
    ends = [data.site(f"loop1_{name}").xpos for name in ("arch", "sole")]
    first = data.body("chain1_link1").xpos
    assert ends[0][0] - first[0] == pytest.approx(links * pitch)
    assert ends[0][2] == pytest.approx(first[2])


def test_masses_are_those_of_the_published_description():
    three = SoftFootQ.three_chains()
    assert three.model().body_subtreemass[0] == pytest.approx(0.0181 + 2 * 0.0256 + 2 * 0.0177 + 3 * 0.1034, abs=1e-4)
    assert (three.width, three.length) == (pytest.approx(0.0553), pytest.approx(0.159, abs=1e-4))
    assert SoftFootQ().width == pytest.approx(0.056)
    masses = [SoftFootQ(fidelity=fidelity).model().body_subtreemass[0] for fidelity in FIDELITIES]
    assert np.ptp(masses) < 1e-12
    centres = []
    for fidelity in FIDELITIES:
        model = SoftFootQ(fidelity=fidelity).model()
        data = mujoco.MjData(model)
        mujoco.mj_forward(model, data)
        centres.append(data.subtree_com[0].copy())
    assert np.ptp(centres, axis=0).max() < 1e-9
    assert abs(centres[0][0]) < 1e-9, "front and back weigh the same"


def test_degrees_of_freedom():
    foot = SoftFootQ()
    assert foot.model().nv == 4 + 4 * (3 * 9 + 1)
    assert SoftFootQ(fidelity="hinge").model().nv == 4 + 4 * (9 + 3)
    assert SoftFootQ(fidelity="fast").model().nv == 4 + 4 + 2
    assert SoftFootQ(fidelity="fast").with_(fast__strips=2).model().nv == 4 + 2 * 6
    rigid = SoftFootQ(play_length=0.0, play_twist=0.0, play_yaw=0.0)
    assert rigid.model().nv == 4 + 4 * 9


@pytest.mark.parametrize("fidelity", FIDELITIES)
def test_a_loaded_foot_on_flat_ground_is_a_bow_and_its_string(fidelity, record_property):
    foot, load = SoftFootQ(fidelity=fidelity), 300.0
    model, data = pressed(foot, load)
    assert readings.ground_force(model, data, "foot/")[2] == pytest.approx(load + weight(model), rel=2e-3)
    assert readings.loop_residuals(model, data, "foot/").max() < 5e-4
    # Moments about the arches' axis of all that acts on the front half, cut through the chains below the axis.
    axis = data.body("foot/front_arch").xpos
    points = readings.contact_points(model, data, "foot/")
    own = points.position[:, 0] > 0
    push = np.cross(points.position[own] - axis, points.force[own])[:, 1].sum()
    tension = sum(float(data.sensor(f"foot/chain{c}_tension").data[0]) for c in range(1, foot.built_chains + 1))
    middle = foot.stations.bodies[len(foot.stations.bodies) // 2]
    arm = axis[2] - data.body(f"foot/{middle}").xpos[2]
    spring = foot.arch_stiffness * (turns(data) - foot.arch_rest)
    record_property(f"foothold.bow.{fidelity}", {"chains": float(tension * arm), "ground": float(spring - push)})
    record_property("foothold.bow.load", load)
    assert tension * arm == pytest.approx(-push + spring, rel=0.05)
    assert tension > 150


def test_front_and_back_carry_alike():
    for fidelity in FIDELITIES:
        model, data = pressed(SoftFootQ(fidelity=fidelity), 100.0)
        points = readings.contact_points(model, data, "foot/")
        front, back = (points.force[side * points.position[:, 0] > 0.001, 2].sum() for side in (1, -1))
        assert front == pytest.approx(back, rel=0.03), fidelity
        left, right = (points.force[side * points.position[:, 1] > 0.001, 2].sum() for side in (1, -1))
        assert left == pytest.approx(right, rel=0.03), fidelity


@pytest.mark.parametrize("fidelity", FIDELITIES)
def test_a_bump_closes_the_arches_and_a_load_on_flat_ground_opens_them(fidelity):
    foot = SoftFootQ(fidelity=fidelity)
    assert turns(pressed(foot, 50.0)[1]) < 0
    assert turns(pressed(foot, 50.0, bump=0.016)[1]) > 2 * foot.arch_rest


def test_the_sole_stiffens_by_compression():
    table = stiffness(SoftFootQ(fidelity="fast"), loads=(0, 10, 40, 100, 200), threads=1)
    assert table.column("settled").all()
    assert secant(table, 100, 200) > 5 * secant(table, 10, 40)
    # A taut chain carries more the more it is loaded.
    assert (np.diff(table.column("tension")) > 0).all()


def test_play_along_the_chain_lets_the_ankle_down():
    loose, tight = (pressed(SoftFootQ(fidelity="fast", play_length=p), 200.0)[1] for p in (3e-4, 1e-5))
    # Ends move apart by the play; the arches turn by half of it over the drop of the pins each.
    foot = SoftFootQ()
    drop = foot.sole_height - foot.pad_depth - foot.ankle_drop
    expected = 10 * (3e-4 - 1e-5) / drop
    assert turns(tight) - turns(loose) == pytest.approx(expected, rel=0.15)
    heights = [data.body("foot/ankle").xpos[2] for data in (loose, tight)]
    assert heights[0] < heights[1] - 0.5e-3


@pytest.mark.parametrize("roll", [-0.2, 0.15])
def test_the_sole_rolls_with_the_ground(roll):
    model, data = pressed(SoftFootQ(fidelity="fast"), 60.0, roll=roll)
    for end in ("front", "back"):
        assert data.joint(f"foot/{end}_roll").qpos[0] == pytest.approx(roll, abs=0.02)
    assert readings.ground_force(model, data, "foot/")[2] == pytest.approx(60 + weight(model), rel=0.02)


@pytest.mark.parametrize("bump", [0.0, 0.012])
def test_light_builds_come_down_as_far_as_the_full_foot(bump):
    heights = {}
    for fidelity in FIDELITIES:
        _, data = pressed(SoftFootQ(fidelity=fidelity), 150.0, bump=bump)
        heights[fidelity] = float(data.body("foot/ankle").xpos[2])
    assert heights["hinge"] == pytest.approx(heights["full"], abs=0.3e-3)
    assert heights["fast"] == pytest.approx(heights["full"], abs=2.5e-3 if bump else 0.4e-3)


def test_the_foot_is_at_rest_under_its_load():
    spec = new_spec()
    add_floor(spec)
    add_slider(spec, SoftFootQ(fidelity="fast"), SoftFootQ().sole_height + 0.001)
    data = settle(spec.compile(), 40.0)
    assert data.ncon > 0


def test_the_press_takes_it():
    foot = SoftFootQ(fidelity="fast")
    table = bench.press(foot, loads=(24,), heights=(0.015,), positions=(2, 3), duration=3.0, threads=1)
    assert table.column("settled").all()
    total = table.column("load") + table.column("weight")
    assert np.allclose(table.column("force_total"), total, rtol=1e-3)
    # The obstacle is off the middle by as much to either side, the foot tilted by 2.5 degrees.
    assert table.column("force_module").min() > 5
    assert table.column("tension").min() > 0


def test_four_of_them_carry_the_built_in_quadruped():
    walker = robots.mount(robots.load("quadruped"), SoftFootQ(fidelity="fast"))
    spec = walker.spec.copy()
    if not any(geom.type == mujoco.mjtGeom.mjGEOM_PLANE for geom in spec.worldbody.geoms):
        spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[5, 5, 0.1])
    model = spec.compile()
    assert model.nv == 18 + 4 * 10
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, 0)
    joints = [model.joint(model.actuator_trnid[i, 0]) for i in range(model.nu)]
    places, speeds = ([getattr(j, name)[0] for j in joints] for name in ("qposadr", "dofadr"))
    home = data.qpos[places].copy()
    for _ in range(round(1.0 / model.opt.timestep)):
        data.ctrl[:] = 300 * (home - data.qpos[places]) - 8 * data.qvel[speeds]
        mujoco.mj_step(model, data)
    assert data.xmat[1][8] > 0.999, "it stands upright"
    assert warnings(data) == 0
    carried = sum(readings.ground_force(model, data, prefix)[2] for prefix in _prefixes(model))
    assert carried == pytest.approx(float(model.body_subtreemass[0]) * 9.81, rel=0.03)


def _prefixes(model: mujoco.MjModel) -> list[str]:
    names = [model.body(b).name for b in range(model.nbody)]
    return [name.removesuffix("ankle") for name in names if name.endswith("/ankle")]


def test_registered_and_drawn_like_every_foot(tmp_path):
    assert {"softfoot_q", "softfoot_q_three"} <= set(feet.names())
    assert feet.get("softfoot_q_three").to_dict()["chains"] == 3
    assert run(["feet", "show", "softfoot_q", "--picture", str(tmp_path / "q.png"), "--json"]) == 0
    assert (tmp_path / "q.png").stat().st_size > 10_000


@pytest.mark.parametrize(
    "args",
    [
        ["bench", "windlass", "--foot", "softfoot_q"],
        ["bench", "press", "--foot", "softfoot_q", "--model", "analytic"],
        ["feet", "reduce", "softfoot_q"],
        ["bench", "press", "--foot", "softfoot_q", "--positions", "12"],
    ],
)
def test_benches_that_cannot_take_it_say_so_in_one_line(args, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert run(args) == 2
    message = capsys.readouterr().err
    assert message.count("\n") == 1 and "give" in message
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("chains", 7),
        ("links", 8),
        ("pitch", 12.7),
        ("pad_depth", 0.001),
        ("link_width", 0.03),
        ("arch_limit", 30),
        ("insertion", (0.0, 0.01)),
        ("arch_stiffness", -1.0),
        ("play_yaw", 2.0),
        ("collider", "ball"),
        ("fast__strips", 0),
        ("loop_solref", (0.1, -1.0)),
    ],
)
def test_a_bad_value_is_refused_by_name(field, value):
    with pytest.raises(InvalidInput, match=field.split("__")[-1]) as error:
        SoftFootQ().with_(**{field: value})
    assert "\n" not in str(error.value)


def test_a_part_can_be_changed():
    heavier = SoftFootQ().with_(parts__arch__mass=0.1)
    assert isinstance(heavier.parts.arch, Part)
    gain = heavier.model().body_subtreemass[0] - SoftFootQ().model().body_subtreemass[0]
    assert gain == pytest.approx(2 * (0.1 - 0.0256))


@pytest.mark.parametrize(
    "changes", [{}, {"chains": 1}, {"tip_drop": 0.03}, {"roll_tilt": 0.4}, {"roll_tilt": -0.1}, {"tip_drop": 0.02}]
)
def test_height_and_outline_are_those_of_what_is_built(changes):
    """Also where the rounded ends are lower than the pads."""
    foot = SoftFootQ(**changes)
    assert foot.sole_height == pytest.approx(foot.sole.height, abs=1e-9)
    assert (foot.length, foot.width) == pytest.approx((foot.sole.length, foot.sole.width), abs=1e-9)
    assert FlatFoot.like(foot).length == pytest.approx(foot.length, abs=1e-9)
