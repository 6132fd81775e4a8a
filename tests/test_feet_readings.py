"""What feet feel: signs and frames of forces, centre of pressure, support polygon, loops."""

from __future__ import annotations

import math

import mujoco
import numpy as np
import pytest
from feet_scenes import GRAVITY, PREFIX, VARIETY, add_box, add_floor, add_slider, new_spec, settle, weight
from hypothesis import given
from hypothesis import strategies as st

from plantar.errors import InvalidInput
from plantar.feet import BallFoot, FlatFoot, SoftFoot, readings
from plantar.model.polygon import convex_hull, polygon_area

LOAD = 60.0
SLOPE = math.radians(10)


@pytest.mark.parametrize("ground_first", [True, False])
@pytest.mark.parametrize("kind", VARIETY)
def test_the_ground_pushes_up_with_load_and_weight(kind, ground_first):
    foot = VARIETY[kind]
    spec = new_spec()
    # the order of the bodies decides which of the two is MuJoCo's first geom of the contact
    if ground_first:
        add_box(spec, (0, 0, -0.5), (1, 1, 0.5), slippery=True)
    add_slider(spec, foot, foot.sole_height + 0.001, slippery=True)  # friction would push it to and fro
    if not ground_first:
        add_box(spec, (0, 0, -0.5), (1, 1, 0.5), slippery=True)
    model = spec.compile()
    data = settle(model, LOAD)
    force = readings.ground_force(model, data, PREFIX)
    assert force[2] == pytest.approx(LOAD + weight(model), rel=1e-3)
    assert abs(force[:2]).max() < 1e-6 * LOAD
    assert sum(readings.body_forces(model, data, PREFIX).values()) == pytest.approx(force, abs=1e-6)
    assert np.all(readings.contact_points(model, data, PREFIX).normal[:, 2] > 0.99)


def on_step(foot):
    spec = new_spec()
    add_floor(spec)
    add_box(spec, (0.2, 0, 0), (0.14, 0.2, 0.015))
    add_slider(spec, foot, foot.sole_height + 0.02)
    return spec.compile()


@pytest.mark.parametrize("kind", ["default", "tendon bands", "published", "one chain"])
def test_forces_sum_to_the_weight_on_a_step(kind):
    model = on_step(VARIETY[kind])
    data = settle(model, LOAD, seconds=3.0)
    assert readings.ground_force(model, data, PREFIX)[2] == pytest.approx(LOAD + weight(model), rel=2e-3)
    heights = readings.contact_points(model, data, PREFIX).position[:, 2]
    assert heights.max() > 0.012
    assert heights.min() < 0.003


@pytest.mark.parametrize("kind", VARIETY)
def test_forces_on_a_slope_are_in_the_worlds_axes(kind):
    foot = VARIETY[kind].with_(friction=0.0)
    spec = new_spec(friction=0.0)
    add_floor(spec, pitch=SLOPE)
    add_slider(spec, foot, foot.sole_height / math.cos(SLOPE) + 0.003, pitch=SLOPE)
    model = spec.compile()
    data = settle(model, LOAD, seconds=3.0)
    force = readings.ground_force(model, data, PREFIX)
    assert force[2] == pytest.approx(LOAD + weight(model), rel=2e-3)
    # without friction the ground pushes along its normal: down the slope, which is forward
    assert force[0] == pytest.approx(force[2] * math.tan(SLOPE), rel=2e-3)
    assert abs(force[1]) < 1e-3
    normal = readings.contact_points(model, data, PREFIX).normal
    assert np.allclose(normal, [math.sin(SLOPE), 0, math.cos(SLOPE)], atol=1e-6)


def test_a_free_flat_foot_on_a_slope_is_held_by_friction():
    model, data = free_flat(pitch=SLOPE)
    assert readings.ground_force(model, data, PREFIX) == pytest.approx([0, 0, weight(model)], abs=0.02 * weight(model))


@pytest.mark.parametrize("kind", ["default", "published", "flat", "ball"])
def test_sensors_agree_with_the_sum_over_contacts_of_every_body(kind):
    model = on_step(VARIETY[kind])
    data = settle(model, LOAD, seconds=3.0)
    points = readings.contact_points(model, data, PREFIX)
    forces = readings.body_forces(model, data, PREFIX)
    assert set(forces) == set(VARIETY[kind].contact_bodies)
    for name, force in forces.items():
        summed = points.force[[b == name for b in points.body]].sum(axis=0)
        assert force == pytest.approx(summed, abs=1e-9)
        assert force[2] >= 0
    assert np.all(points.depth > 0)


def free_flat(
    pitch: float = 0.0, force: tuple[float, float, float] = (0, 0, 0), at: tuple[float, float, float] = (0, 0, 0)
):
    """A flat foot that lies on the ground by itself and is pushed by `force` at `at` (world)."""
    foot = FlatFoot()
    spec = new_spec()
    add_floor(spec, pitch)
    h = foot.sole_height + 1e-4
    base = spec.worldbody.add_body(
        name="base",
        pos=[h * math.sin(pitch), 0, h * math.cos(pitch)],
        quat=[math.cos(pitch / 2), 0, math.sin(pitch / 2), 0],
    )
    base.add_freejoint()
    spec.attach(foot.spec(), frame=base.add_frame(), prefix=PREFIX)
    model = spec.compile()
    model.opt.impratio = 100
    data = mujoco.MjData(model)
    for _ in range(1000):
        data.qfrc_applied[:] = 0
        mujoco.mj_applyFT(
            model,
            data,
            np.array(force, float),
            np.zeros(3),
            np.array(at, float),
            model.body("base").id,
            data.qfrc_applied,
        )
        mujoco.mj_step(model, data)
    mujoco.mj_forward(model, data)
    return model, data


@pytest.mark.parametrize(
    ("force", "at"),
    [
        ((0, 0, -40), (0.12, 0.02, 0.1)),
        ((0, 0, -40), (-0.05, -0.03, 0.1)),
        ((3, 0, -40), (0.05, 0.0, 0.15)),
        ((-3, 2, -40), (0.05, 0.0, 0.15)),
    ],
)
def test_centre_of_pressure_is_where_the_loads_say(force, at):
    model, data = free_flat(force=force, at=at)
    total = weight(model) - force[2]
    com = data.subtree_com[0]
    # balance of moments about the centre of pressure, on the ground
    expected = [(weight(model) * com[i] - force[2] * at[i] + force[i] * at[2]) / total for i in (0, 1)]
    assert readings.centre_of_pressure(model, data, PREFIX, height=0.0) == pytest.approx(expected, abs=2e-4)
    assert readings.centre_of_pressure(model, data, PREFIX) == pytest.approx(expected, abs=2e-4)
    # on a plane 50 mm higher the line of action, which leans with the ground's friction, is elsewhere
    higher = [e - force[i] / total * 0.05 for i, e in enumerate(expected)]
    assert readings.centre_of_pressure(model, data, PREFIX, height=0.05) == pytest.approx(higher, abs=3e-4)
    # and the wrench about the ankle has the moment of the same force at that point
    wrench = readings.ground_wrench(model, data, PREFIX)
    arm = np.array([*expected, 0.0]) - data.body(f"{PREFIX}ankle").xpos
    assert wrench[3:5] == pytest.approx(np.cross(arm, wrench[:3])[:2], abs=0.02)


def test_support_polygon_of_a_flat_foot_is_its_sole():
    foot = FlatFoot(length=0.24, width=0.09, ankle_offset=(-0.03, 0.01))
    spec = new_spec()
    add_floor(spec)
    add_slider(spec, foot, foot.sole_height)
    model = spec.compile()
    data = settle(model, LOAD)
    polygon = readings.support_polygon(model, data, PREFIX)
    assert polygon.shape == (4, 2)
    assert polygon_area(polygon) == pytest.approx(0.24 * 0.09, rel=1e-9)
    assert polygon.mean(axis=0) == pytest.approx([0.03, -0.01])


def test_support_polygon_of_a_ball_is_a_point_and_of_a_foot_in_the_air_nothing():
    foot = BallFoot()
    spec = new_spec()
    add_floor(spec)
    add_slider(spec, foot, foot.sole_height + 0.01)
    model = spec.compile()
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    assert readings.support_polygon(model, data, PREFIX).shape == (0, 2)
    assert np.isnan(readings.centre_of_pressure(model, data, PREFIX)).all()
    assert readings.ground_wrench(model, data, PREFIX) == pytest.approx(np.zeros(6))
    assert len(readings.contact_points(model, data, PREFIX)) == 0
    data = settle(model)
    assert readings.support_polygon(model, data, PREFIX) == pytest.approx(np.zeros((1, 2)), abs=1e-9)
    assert polygon_area(readings.support_polygon(model, data, PREFIX)) == 0


POINTS = st.lists(st.tuples(st.integers(-9, 9), st.integers(-9, 9)), max_size=30)


@given(POINTS)
def test_convex_hull_is_convex_anticlockwise_and_holds_every_point(points):
    cloud = np.array(points, float).reshape(-1, 2)
    hull = convex_hull(cloud)
    assert {tuple(p) for p in hull} <= {tuple(p) for p in cloud}
    if len(hull) >= 3:
        assert polygon_area(hull) > 0
        for a, b in zip(hull, np.roll(hull, -1, axis=0), strict=True):
            side = (b[0] - a[0]) * (cloud[:, 1] - a[1]) - (b[1] - a[1]) * (cloud[:, 0] - a[0])
            assert side.min() >= 0


def test_two_feet_are_read_apart():
    spec = new_spec()
    add_floor(spec)
    feet = {"left/": FlatFoot(mass=1.0), "right/": FlatFoot(mass=2.0)}
    for prefix, foot in feet.items():
        add_slider(spec, foot, foot.sole_height, prefix=prefix)
    model = spec.compile()
    data = settle(model)
    for prefix, foot in feet.items():
        assert readings.ground_force(model, data, prefix)[2] == pytest.approx(foot.mass * GRAVITY, rel=1e-3)
    with pytest.raises(InvalidInput, match=r"'left/', 'right/'"):
        readings.ground_force(model, data, "middle/")


def test_tendons_and_loops():
    foot = SoftFoot()
    spec = new_spec()
    add_floor(spec)
    add_box(spec, (0.0, 0, 0), (0.02, 0.2, 0.02))
    add_slider(spec, foot, foot.sole_height + 0.025)
    model = spec.compile()
    data = settle(model, 200.0, seconds=5.0)
    residuals = readings.loop_residuals(model, data, PREFIX)
    gaps = [
        np.linalg.norm(data.site(f"{PREFIX}loop{c}_arch").xpos - data.site(f"{PREFIX}loop{c}_sole").xpos)
        for c in range(1, 6)
    ]
    assert residuals == pytest.approx(gaps, abs=1e-12)
    assert residuals.max() < 2e-4
    tensions = readings.tendon_tensions(model, data, PREFIX)
    assert tensions.shape == (5,)
    over = data.ten_length - model.tendon_range[:, 1]
    assert np.all((tensions > 0) == (over > 0))
    assert readings.tendon_tensions(FlatFoot().model(), mujoco.MjData(FlatFoot().model())).shape == (0,)


def test_a_tendon_that_is_stretched_pulls():
    model = SoftFoot(chains=1).model()
    data = mujoco.MjData(model)
    toe = [model.joint(f"chain1_toe1_{end}").qposadr[0] for end in "ab"]
    data.qpos[toe] = -0.15
    mujoco.mj_forward(model, data)
    assert readings.tendon_tensions(model, data)[0] > 1.0
