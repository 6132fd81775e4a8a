"""The press: balance, symmetry, convergence, and agreement of the two kinds of bands."""

from __future__ import annotations

import math

import mujoco
import numpy as np
import pytest

from plantar import settle
from plantar.bench import PressRig, Recording, Trial, press, press_terrain, run_trials, trials
from plantar.bench.press.random_press import Press, run_presses
from plantar.errors import Diverged, InvalidInput
from plantar.feet import BallFoot, SoftFoot
from plantar.ground import Flat, Slope
from plantar.settle import replay
from plantar.table import Table

FORCES = ["force_heel", "force_module", "force_metatarsus"]


@pytest.fixture(scope="module")
def table() -> Table:
    """The 48 trials on the default bench."""
    return press().table


def share_of_load(a: Table, b: Table) -> float:
    """Largest difference of any force of any trial, as a fraction of the load."""
    return float((np.abs(a.block(FORCES) - b.block(FORCES)) / a.block(["load"])).max())


def test_all_trials_settle_and_balance(table: Table):
    assert len(table) == 48
    assert table.column("settled").all()
    expected = table.column("load") + table.column("weight")
    np.testing.assert_allclose(table.column("force_total"), expected, rtol=0.01)
    assert table.column("residual").max() < 0.2e-3
    assert (table.block(FORCES) > -1e-9).all()


def test_weight_is_of_what_the_slider_carries(table: Table):
    mass = SoftFoot(chains=1).model().body_subtreemass[1]
    np.testing.assert_allclose(table.column("weight"), 9.81 * mass, rtol=1e-12)


def test_half_the_timestep_changes_no_force(table: Table):
    assert share_of_load(table, press(rig=PressRig(timestep=0.001))) < 0.01


def test_bands_as_tendons_agree_with_bands_as_joints(table: Table):
    assert share_of_load(table, press(SoftFoot(chains=1, band_model="tendon"))) < 0.03


def test_stiffer_bands_take_more_load_off_the_supports(table: Table):
    stiff = press(SoftFoot(chains=1).with_(band__hardness=75.0), loads=(12,), heights=(0.015,), positions=(3,))
    soft = table.where(load=12.0, height=0.015, position=3)
    assert stiff[0]["force_module"] > 1.1 * soft[0]["force_module"]


def test_stepping_stops_only_at_rest(table: Table, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(settle, "REST_SPEED", -1.0)
    whole = press(heights=(0.011,), positions=(2, 5))
    short = Table(row for row in table if row["height"] == 0.011 and row["position"] in (2, 5))
    np.testing.assert_allclose(whole.block(FORCES), short.block(FORCES), atol=1e-5)


def pressed_chains(obstacle_y: float, side: str = "left") -> np.ndarray:
    """Vertical force on the modules of each chain, from right to left, over a narrow obstacle [N]."""
    foot = SoftFoot(side=side)  # type: ignore[arg-type]
    rig = PressRig(flat=True, tilt=0.0, obstacle_y=obstacle_y, obstacle_width=0.008, shape="box")
    model = rig.spec(foot).compile()
    data = mujoco.MjData(model)
    data.qpos[model.joint("slider").qposadr[0]] = rig.start_height(foot, 0.012)
    data.mocap_pos[0] = (rig.obstacle_x(foot, 3), obstacle_y, 0.012)
    data.ctrl[0] = 80.0
    mujoco.mj_step(model, data, 2500)
    names = [[b for b in foot.contact_bodies if b.startswith(f"chain{c}_")] for c in range(1, 6)]
    forces = [sum(data.sensor(f"foot/{b}_force").data[2] for b in chain) for chain in names]
    # chain 1 is medial: the right one of a left foot
    return np.array(forces if side == "left" else forces[::-1])


def test_mirrored_rig_gives_mirrored_forces():
    left, right = pressed_chains(0.0185), pressed_chains(-0.0185)
    assert left.max() - left.min() > 1.0  # the obstacle is felt on one side only
    np.testing.assert_allclose(left, right[::-1], atol=0.01 * 80)


def test_right_foot_mirrors_left_foot():
    np.testing.assert_allclose(pressed_chains(0.0185), pressed_chains(0.0185, "right"), atol=0.01 * 80)


def test_flat_ground_and_five_chains():
    table = press(SoftFoot(), rig=PressRig(flat=True, tilt=0.0), loads=(100,), heights=(0.0, 0.01), positions=(3,))
    assert table.column("settled").all()
    np.testing.assert_allclose(table.column("force_total"), 100 + table.column("weight"), rtol=0.01)
    assert table[0]["force_module"] == 0 and table[1]["force_module"] > 1


def test_threads_do_not_change_a_bit():
    some = {"loads": (24,), "heights": (0.011,), "positions": (2, 4)}
    a, b = press(threads=1, **some), press(threads=2, **some)  # type: ignore[arg-type]
    assert list(a) == list(b)


def test_recording_has_every_trial():
    recording = Recording()
    press(loads=(12,), heights=(0.011,), positions=(1, 6), recording=recording)
    assert np.array(recording.positions).shape[1] == 2
    assert np.all(np.diff(recording.times) >= 0)


def test_divergence_names_the_body_and_can_be_replayed():
    foot = SoftFoot(chains=1, armature=1e-9).with_(band__damping=0.0)
    with pytest.raises(Diverged) as caught:
        run_trials(foot, PressRig(timestep=0.05), trials(loads=(24,)), duration=2.0)
    error = caught.value
    assert error.dump is not None and (error.dump / "model.mjb").exists()
    again = replay(error.dump, seconds=5.0)
    assert again is not None and again.body


@pytest.mark.parametrize(
    ("trial", "word"), [((-1, 0.01, 1), "load"), ((12, 7.0, 1), "height"), ((12, -0.01, 1), "height")]
)
def test_bad_trials_are_named(trial: tuple, word: str):
    with pytest.raises(InvalidInput, match=word):
        Trial(*trial)


@pytest.mark.parametrize("fields", [{"radius": -1.0}, {"tilt": 3.0}, {"heel_shift": 4.0}, {"shape": "cone"}])
def test_bad_rigs_are_named(fields: dict):
    with pytest.raises(InvalidInput, match=next(iter(fields))):
        PressRig(**fields)


def test_without_load_and_weight_nothing_is_out_of_balance():
    found = press(loads=(0.0,), heights=(0.01,), positions=(3,), rig=PressRig(gravity=0.0))
    assert found.facts["force_imbalance"] == pytest.approx(0.0, abs=1e-6)


LAID = {"load": 100.0, "height": 0.01, "x": 0.0, "tilt": 0.0, "shape": "cylinder", "radius": 0.01, "flat": True}


@pytest.mark.parametrize(("name", "value"), [("load", -10.0), ("load", math.nan), ("height", 10.0), ("x", 30.0)])
def test_a_drawn_press_is_checked_like_a_trial(name: str, value: float):
    with pytest.raises(InvalidInput, match=f"^{name} = "):
        Press(**(LAID | {name: value}))  # type: ignore[arg-type]


def test_a_press_that_ends_before_its_load_is_on_is_refused():
    with pytest.raises(InvalidInput, match=r"^duration = 0\.3 .* ramp"):
        run_presses(SoftFoot(chains=1), [Press(**LAID)], ramp=0.5, duration=0.3)  # type: ignore[arg-type]


def test_position_beyond_the_sole_is_refused():
    with pytest.raises(InvalidInput, match="position"):
        press(positions=(7,))


@pytest.mark.parametrize("step", [0.002, 0.03])
def test_every_press_on_a_cylinder_comes_to_rest_on_it_and_long_steps_do_not_fall_through(step):
    """MuJoCo's collider of cylinders keeps this foot from resting; that of capsules lets it through in long steps."""
    foot, rig = SoftFoot(fidelity="fast"), PressRig(timestep=step)
    spec = rig.spec(foot)
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_DISCRETE
    model = spec.compile()
    data = mujoco.MjData(model)
    data.qpos[model.joint("slider").qposadr[0]] = rig.start_height(foot, 0.015)
    data.mocap_pos[0] = (rig.obstacle_x(foot, 5), 0, 0.015)
    while data.time < 2.5:
        data.ctrl[0] = 400 * min(1.0, data.time / 0.5)
        mujoco.mj_step(model, data)
    assert np.abs(data.qvel).max() < 1e-3
    assert -data.sensor("obstacle_force").data[2] == pytest.approx(0.219 * 400, abs=0.01 * 400)


@pytest.mark.parametrize("degrees", [5.0, 20.0])
def test_a_ball_touches_a_slope_beside_its_lowest_point(degrees):
    """A ball of radius r on a plane has its centre r / cos(angle) above it; nothing of it bends."""
    angle, ball = math.radians(degrees), BallFoot()
    terrain = Slope(angle=angle, start=-1.0)
    (row,) = press_terrain(ball, terrain, places=[(0.0, 0.0)], loads=(50.0,), duration=1.0)
    above = ball.radius * (1 / math.cos(angle) - 1)
    assert row["ground"] - float(terrain.elevation(0.0, 0.0)) == pytest.approx(above, abs=2e-6)
    (level,) = press_terrain(ball, Flat(), places=[(0.0, 0.0)], loads=(50.0,), duration=1.0)
    assert row["sole"] == pytest.approx(level["sole"], abs=5e-4)


@pytest.mark.parametrize("time", [{"duration": 0.0}, {"duration": -1.0}, {"timestep": 1.0}, {"timestep": 0.0}])
def test_a_press_on_a_terrain_that_takes_no_time_is_refused(time):
    with pytest.raises(InvalidInput, match=f"^{next(iter(time))} = "):
        press_terrain(BallFoot(), Flat(), places=[(0.0, 0.0)], **time)
