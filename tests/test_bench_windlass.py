"""The windlass bench: toes raised in the air and in stance, and why the tendon runs as it does."""

from __future__ import annotations

import math
import runpy
from pathlib import Path

import mujoco
import numpy as np
import pytest

from plantar.bench.press.rig import PREFIX
from plantar.bench.windlass.plots import plot_windlass
from plantar.bench.windlass.rig import WindlassRig
from plantar.bench.windlass.toe_bar import ToeBar, arch_height
from plantar.bench.windlass.windlass import windlass
from plantar.errors import InvalidInput
from plantar.feet.softfoot.softfoot import SoftFoot
from plantar.show.plots import save

LINKS = (*(f"module{k}" for k in range(1, 7)), "metatarsus", "toe1", "toe2")
ONE = SoftFoot(chains=1)


def degrees(*values: float) -> list[float]:
    return [math.radians(v) for v in values]


@pytest.fixture(scope="module")
def air():
    angles = degrees(0, 1, 3, 6, 12, 25)
    foot = SoftFoot()
    return {"default": windlass(foot, angles=angles), "none": windlass(foot.without_tendons(), angles=angles)}


@pytest.fixture(scope="module")
def stance():
    released = SoftFoot.published().with_(chains=1, chain_offsets=None, tendon__slack=0.0)
    feet = {"default": ONE, "none": ONE.without_tendons(), "released, no slack": released}
    return {name: windlass(foot, stand=40.0, angles=degrees(0, 2, 4, 6)) for name, foot in feet.items()}


def test_every_row_settles_at_its_angle(air, stance):
    for table in air.values():
        assert np.allclose(np.degrees(table.column("toe_angle")), (0, 1, 3, 6, 12, 25), atol=0.02)
        assert table.column("settled").all()
    assert stance["default"].column("settled").all()


def test_tendons_are_taut_at_once_and_pull_more_and_more(air):
    tension = air["default"].column("tension")
    assert tension[2] > 1.0, "taut within the first 3 degrees"
    assert (np.diff(tension) > 0).all()
    assert (air["none"].column("tension") == 0).all()


def test_tendons_lift_the_arch_three_times_as_far(air):
    lift, without = air["default"].column("arch_lift"), air["none"].column("arch_lift")
    assert lift[-1] > 0.0025
    assert lift[-1] >= 3 * max(without.max(), without[-1])


def test_tendons_double_the_toe_force(air):
    assert air["default"][-1]["toe_force"] >= 2 * air["none"][-1]["toe_force"] > 5.0


def test_the_foot_starts_untouched(air):
    first = air["default"][0]
    assert first["bar_force"] == pytest.approx(0, abs=1e-6)
    assert first["arch_lift"] == pytest.approx(0, abs=1e-6)
    assert math.isnan(first["vertical_stiffness"])


def test_the_released_slack_keeps_the_tendon_out_of_an_ordinary_step():
    released = SoftFoot.published().with_(chains=1, chain_offsets=None)
    tight = windlass(released.with_(tendon__slack=0.0), angles=degrees(12))
    loose = windlass(released, angles=degrees(12))
    assert loose[0]["tension"] == 0
    assert tight[0]["tension"] > 4.0


def test_a_standing_arch_rises_and_shortens(stance):
    table, without = stance["default"][3], stance["none"][3]
    assert table["arch_lift"] > 0.001
    assert table["arch_lift"] > 5 * without["arch_lift"]
    assert table["shortening"] > max(0.0001, 1.5 * without["shortening"])


def test_a_raised_standing_arch_is_softer(stance):
    assert stance["default"][3]["vertical_stiffness"] < 0.9 * stance["none"][3]["vertical_stiffness"]


def test_the_released_routing_without_slack_lifts_no_standing_arch(stance):
    table, default = stance["released, no slack"][2], stance["default"][2]
    assert table["settled"]
    assert table["arch_lift"] < 0.3 * default["arch_lift"]
    assert table["tension"] > 1.5 * default["tension"]
    assert not stance["released, no slack"][3]["settled"], "it falls over"


def test_forces_carry_load_and_weight():
    bar = ToeBar(ONE, WindlassRig(stand=40.0), 2, 0)
    bar.settle(4.0)
    bar.raise_toes(np.radians([0.0, 5.0]), 4.0)
    total = sum(bar._sensor(f"{PREFIX}{body}_force")[:, 2] for body in ONE.contact_bodies)
    weight = float(bar.model.body("slider").subtreemass[0]) * 9.81
    assert total == pytest.approx(np.full(2, 40.0 + weight), rel=1e-3)


def test_tendons_of_mirrored_chains_pull_alike():
    bar = ToeBar(SoftFoot(), WindlassRig(), 1, 0)
    bar.settle(4.0)
    bar.raise_toes(np.radians([15.0]), 4.0)
    tensions = bar.tensions()[0]
    assert tensions.min() > 3.0
    assert tensions == pytest.approx(tensions[::-1], rel=1e-4)


def test_halving_the_time_step_changes_nothing():
    coarse, fine = (windlass(ONE, angles=degrees(15), rig=WindlassRig(timestep=h))[0] for h in (0.002, 0.001))
    for name in ("tension", "toe_force", "arch_lift"):
        assert coarse[name] == pytest.approx(fine[name], rel=0.01)


# Why the tendon runs as it does ---------------------------------------------------------------------


def length_change(foot: SoftFoot, turns: dict[str, float]) -> float:
    """Change of the tendon's path when couplings turn, front down [rad]; the arches are left alone."""
    model = foot.spec().compile()
    data = mujoco.MjData(model)
    for link, turn in turns.items():
        for end in "ab":
            data.joint(f"chain1_{link}_{end}").qpos = turn / 2
    mujoco.mj_kinematics(model, data)
    mujoco.mj_comPos(model, data)
    mujoco.mj_tendon(model, data)
    return float(data.ten_length[0] - model.tendon_length0[0])


def test_excursion_is_the_sum_of_arms_times_angles():
    rng = np.random.default_rng(3)
    arms = dict.fromkeys(LINKS, ONE.tendon.arm) | {"metatarsus": ONE.tendon.metatarsal_arm}
    for _ in range(5):
        turns = {link: rng.uniform(-0.25, 0.25) for link in LINKS}
        exact = -sum(2 * arms[link] * math.sin(turn / 2) for link, turn in turns.items())
        linear = -sum(arms[link] * turn for link, turn in turns.items())
        assert length_change(ONE, turns) == pytest.approx(exact, abs=1e-8)
        assert length_change(ONE, turns) == pytest.approx(linear, abs=2e-5)


def test_slack_costs_the_angle_that_its_arm_says():
    toes = {"toe1": -0.1, "toe2": -0.1}
    assert length_change(ONE, toes) == pytest.approx(0.2 * ONE.tendon.toe_arm, rel=1e-3)


@pytest.mark.parametrize(("arm", "gives"), [(0.0038, 0.0), (0.001, 0.0028 * 0.12), (0.0, 0.0038 * 0.12)])
def test_only_a_smaller_arm_lets_a_standing_arch_give_length(arm, gives):
    # Heel and metatarsus flat on the ground: what the modules turn, the metatarsal coupling turns back.
    foot = ONE.with_(tendon__metatarsal_arm=arm)
    arch = {"module2": -0.05, "module4": 0.07, "module6": 0.10, "metatarsus": -0.12}
    assert length_change(foot, arch) == pytest.approx(-gives, abs=1e-6)


def test_arch_height_does_not_depend_on_the_pose():
    points = np.array([[0, 0, 0], [0.05, 0, 0.004], [0.1, 0, 0]])
    assert arch_height(*points) == pytest.approx(0.004)
    c, s = math.cos(0.3), math.sin(0.3)
    turned = points @ np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]]).T + [0.2, 0.1, 0.3]
    assert arch_height(*turned) == pytest.approx(0.004)


# Input and output -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("bad", "field"),
    [
        ({"angles": ()}, "angles"),
        ({"angles": (10.0,)}, "angles"),
        ({"angles": (-0.1,)}, "angles"),
        ({"angles": (math.nan,)}, "angles"),
        ({"angles": ("ten",)}, "angles"),
        ({"stand": 0.0}, "stand"),
        ({"stand": -5.0}, "stand"),
        ({"stand": 1e5}, "stand"),
        ({"stand": math.nan}, "stand"),
        ({"friction": -1.0}, "friction"),
        ({"probe": 5.0}, "probe"),
        ({"stand": 10.0, "probe": 20.0}, "probe"),
        ({"duration": 0.0}, "duration"),
    ],
)
def test_bad_input_is_named(bad, field):
    with pytest.raises(InvalidInput, match=f"^{field} = ") as error:
        windlass(ONE, **bad)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("field", ["bar_radius", "slider_damping", "timestep"])
def test_a_rig_needs_positive_sizes(field):
    with pytest.raises(InvalidInput, match=field):
        WindlassRig(**{field: 0.0})


def test_progress_counts_every_angle():
    told: list[int] = []
    windlass(ONE, angles=degrees(0, 1, 2), progress=told.append)
    assert sum(told) == 3
    assert min(told) >= 0


def test_plots_are_drawn(air, stance, tmp_path):
    for name, tables in (("air", air), ("stance", stance)):
        assert save(plot_windlass(tables), tmp_path / f"{name}.png").stat().st_size > 20_000
    with pytest.raises(InvalidInput, match="tables"):
        plot_windlass({"air": air["default"], "stance": stance["default"]})


def test_the_example_runs(tmp_path, capsys):
    example = Path(__file__).parents[1] / "examples" / "05_windlass.py"
    stance = runpy.run_path(str(example))["main"](tmp_path, range(0, 5, 4))
    assert stance["1 mm (default)"][1]["arch_lift"] > 0.0006 > 3 * abs(stance["3.8 mm"][1]["arch_lift"])
    assert "toes up  4.0 deg" in capsys.readouterr().out


# The complete study ---------------------------------------------------------------------------------


@pytest.mark.long
def test_study_in_the_air():
    foot, released = SoftFoot(), SoftFoot.published()
    with_, without = windlass(foot), windlass(foot.without_tendons())
    loose, tight = windlass(released), windlass(released.with_(tendon__slack=0.0))
    assert all(table.column("settled").all() for table in (with_, without, loose, tight))
    assert with_[3]["tension"] > 1.0
    assert (np.diff(with_.column("tension")) > 0).all()
    assert with_[-1]["arch_lift"] >= 3 * without.column("arch_lift").max()
    assert with_[-1]["toe_force"] >= 2 * without[-1]["toe_force"]
    assert loose[20]["tension"] == 0 < tight[1]["tension"]


@pytest.mark.long
def test_study_in_stance():
    foot = SoftFoot()
    with_, without = windlass(foot, stand=200.0), windlass(foot.without_tendons(), stand=200.0)
    assert with_.column("settled").all()
    assert with_.column("arch_lift").max() > 5 * without.column("arch_lift").max() > 0
    assert (np.diff(with_.column("tension")) > 0).all()
    assert with_[7]["shortening"] > 2 * without[7]["shortening"]
    assert with_[6]["vertical_stiffness"] < 0.9 * without[6]["vertical_stiffness"]


def test_the_text_begins_with_what_came_out_in_words(air):
    result, last = air["default"], air["default"].table[-1]
    words, _, _ = result.text().partition("\n")
    assert words.startswith("toes up by 25 degrees: the arch rises by ")
    assert f"{1e3 * last['arch_lift']:+.1f} mm" in words and f"{last['tension']:.3g} N" in words
