"""Scores fitted to pressed footholds: calibration, rank correlation, the learned score."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import numpy as np
import pytest

from plantar import feet
from plantar.cli.app import run
from plantar.errors import InvalidInput
from plantar.foothold import ElevationMap, SoftSole, cost_map, load_sole, sole_of, terrain_cost
from plantar.foothold.physics import (
    HELD_OUT,
    HoldModel,
    MosaicConfig,
    PhysicsConfig,
    PhysicsData,
    Presser,
    PressPlan,
    config_for,
    distil,
    load_model,
    scores,
    shipped,
)
from plantar.foothold.physics.calibrate import calibrate
from plantar.foothold.physics.judge import costs_of
from plantar.foothold.physics.model import HOLD_COST, SLIP_COST, back, transformed
from plantar.foothold.physics.windows import known_under, windows_of
from plantar.ground import RELIEFS

FOOT = feet.SoftFootQ(fidelity="fast")


def fake(count: int = 600, seed: int = 0) -> PhysicsData:
    """Footholds whose labels are a known function of the ground: hold falls with the slope across the foot alone."""
    rng = np.random.default_rng(seed)
    tilt = rng.uniform(-0.4, 0.4, (count, 2))
    axis = (np.arange(25) - 12) * 0.02
    maps = tilt[:, 0, None, None] * axis[None, None] + tilt[:, 1, None, None] * axis[None, :, None]
    hold = np.repeat(0.8 - np.abs(tilt[:, 1:]), 4, axis=1)
    labels = {name: np.zeros((count, 4), np.float32) for name in ("settle", "tilt", "area", "spread")}
    labels |= {"hold": hold, "slip": 0.01 * np.exp(-hold)}
    direction = np.tile(np.arange(4) * math.pi / 2, (count, 1))
    where = np.full(count, 12)
    return PhysicsData(
        maps=maps + rng.normal(0, 1e-4, maps.shape), kind=np.arange(count).astype(np.uint8) % 12, kinds=tuple(RELIEFS),
        cell=0.02, tile=np.arange(count), row=where, column=where, presses=labels, direction=direction, card={},
    )  # fmt: skip


def test_calibration_finds_the_term_that_matters():
    found = calibrate(fake())
    along, across = found.sole.slope_weight
    assert across > 20 * max(along, 1e-9)
    assert found.after["hold"] > 0.98 > found.before["hold"]
    cost = terrain_cost(ElevationMap(heights=fake().maps[0], cell=0.02), found.sole).cost
    assert cost[12, 12] == pytest.approx(scores.analytic(fake(), found.sole)[0])
    with pytest.raises(InvalidInput, match="footholds"):
        calibrate(fake(20))


def test_the_sole_of_a_calibration_has_the_size_of_the_foot_that_was_pressed():
    large = replace(fake(), card={"height": 0.1, "half": [0.105, 0.036], "margin": 8})
    sole = calibrate(large).sole
    assert (sole.length, sole.width, sole.height) == pytest.approx((0.21, 0.072, 0.1))
    costs = costs_of(large, "softfoot_q", None, None)
    known = np.isfinite(costs["published"])
    assert known.any() and costs["published"][known] == pytest.approx(
        scores.analytic(large, SoftSole(length=0.21, width=0.072))[known]
    )
    usual = replace(large, card={"height": 0.0771046, "half": [0.0803, 0.028], "margin": 8})
    assert calibrate(usual, SoftSole()).sole.length == 0.159


def test_presses_of_two_feet_or_rigs_are_not_joined():
    made = {"foot": "ball", "height": 0.03, "half": [0.03, 0.03], "config": {"rig": {"friction": 0.8}}}
    one = replace(fake(60), card=made)
    assert len(PhysicsData.joined([one, one, replace(one, card={})])) == 180
    others = {"foot": {"foot": "flat"}, "size": {"half": [0.04, 0.04]}, "rig": {"config": {"rig": {"friction": 0.6}}}}
    for name, change in others.items():
        with pytest.raises(InvalidInput, match=f"presses by one {name} and by another"):
            PhysicsData.joined([one, replace(one, card={**made, **change})])


def test_footholds_with_too_few_sound_presses_are_left_out():
    data = fake(60)
    data.presses["hold"][7, :2] = np.nan
    assert np.isnan(data.labels.hold[7]) and np.isfinite(data.finite().labels.hold).all()
    assert np.isfinite(list(calibrate(data).after.values())).all()


def test_rank_correlation_is_spearmans():
    from scipy import stats  # noqa: PLC0415

    rng = np.random.default_rng(1)
    a = rng.integers(0, 9, 200).astype(float)
    b = a + rng.normal(0, 3, 200)
    assert scores.spearman(a, b) == pytest.approx(stats.spearmanr(a, b)[0])
    assert scores.spearman(a, -a) == pytest.approx(-1)


def test_reliability_of_labels_with_known_noise():
    data, rng = fake(2000), np.random.default_rng(0)
    signal = data.presses["hold"][:, :1]
    noisy = replace(data, presses={**data.presses, "slip": signal + rng.normal(0, 2 * signal.std(), (2000, 4))})
    # A mean of four has a variance of signal + 4 sigma^2 / 4: a half of it is signal.
    assert scores.reliability(noisy, "slip")[0] == pytest.approx(0.5, abs=0.06)


def test_picks_are_worth_what_they_are():
    data = fake(60)
    data = replace(data, tile=np.repeat([3, 8], 30))
    hold = data.labels.hold
    rows = {row["score"]: row for row in scores.picks(data, {"right": -hold, "wrong": hold})}
    wanted = (hold[:30].max() + hold[30:].max()) / 2
    assert rows["right"]["hold"] == pytest.approx(wanted) and rows["right"]["within_hold"] == pytest.approx(1)
    assert rows["wrong"]["hold"] < wanted and rows["wrong"]["within_hold"] == pytest.approx(-1)
    assert scores.picks(fake(10), {"right": np.zeros(10)}) == []


def test_plane_is_the_slope_and_the_roughness():
    data = fake(50)
    slope, roughness = scores.plane(data, SoftSole())
    wanted = [np.hypot(*np.gradient(m, 0.02)).mean() for m in data.maps]
    assert slope == pytest.approx(wanted, abs=0.02) and roughness.max() < 5e-4


def model(seed: int = 0, window: tuple[int, int] = (5, 9)) -> HoldModel:
    rng = np.random.default_rng(seed)
    sizes = (2 * window[0] * window[1], 12, 6)
    pairs = list(zip(sizes, sizes[1:], strict=False))
    card = {"half": (0.05, 0.03), "height": 0.08, "best": 0.8}
    return HoldModel(
        weights=tuple(rng.normal(0, 0.3, (2, a, b)) for a, b in pairs),
        biases=tuple(np.zeros((2, 1, b)) for _, b in pairs),
        window=window, cell=0.02, mean=np.array([0.5, -5, -5, -5, 0.05, 0.05]), scale=np.full(6, 0.1), card=card,
    )  # fmt: skip


def test_the_learned_score_turns_with_the_ground(tmp_path):
    learned = model()
    heights = np.random.default_rng(2).normal(0, 0.02, (30, 30))
    ground = ElevationMap(heights=heights, cell=0.02)
    here = learned.map(ground)["hold"]
    assert learned.map(ground.mirrored())["hold"][::-1] == pytest.approx(here, nan_ok=True)
    # A quarter turn to the right of ground and foot changes nothing.
    turned = learned.map(replace(ground, heights=np.rot90(heights).copy()), -math.pi / 2)["hold"]
    assert np.rot90(turned, -1)[6:-6, 6:-6] == pytest.approx(here[6:-6, 6:-6], abs=1e-6)
    assert np.isnan(here[0]).all() and np.isfinite(here[5:-5, 5:-5]).all()
    again = load_model(learned.save(tmp_path / "m.npz")).map(ground)["hold"]
    assert again == pytest.approx(here, abs=5e-3, nan_ok=True)
    with pytest.raises(InvalidInput, match="cell"):
        learned.map(replace(ground, cell=0.03))


@pytest.mark.parametrize("yaw", [0.0, 0.3, -1.9])
def test_windows_are_the_ground_around_each_cell(yaw):
    heights = np.random.default_rng(3).normal(0, 0.02, (21, 24)) + 1500
    heights[9, 12] = np.nan
    ground = ElevationMap(heights=heights, cell=0.02)
    found, known = windows_of(ground, (5, 9), yaw)(5, 15), known_under(ground, (3, 5), yaw)(0, 21).reshape(21, 24)
    along, across = (np.arange(9) - 4) * 0.02, (np.arange(5) - 2)[:, None] * 0.02
    whole = ground.filled("nearest")
    for row, column in ((10, 8), (6, 14), (13, 11)):
        x, y = ground.position(row, column)
        u, v = math.cos(yaw) * along - math.sin(yaw) * across, math.sin(yaw) * along + math.cos(yaw) * across
        wanted = whole.at(x + u, y + v)
        own = found[(row - 5) * 24 + column]
        assert own - own[2, 4] == pytest.approx(wanted - wanted[2, 4], abs=1e-6)
    u, v = (part[1:4, 2:7].ravel() for part in np.broadcast_arrays(u, v))
    x, y = np.meshgrid(ground.x, ground.y)
    assert (known == np.isfinite(ground.at(x[..., None] + u, y[..., None] + v)).all(axis=2)).all()
    assert 100 < known.sum() < known.size
    if not yaw:
        wide, rim = known_under(whole, (3, 5))(0, 21).reshape(21, 24), np.zeros((21, 24), bool)
        rim[1:-1, 2:-2] = True
        assert (wide == rim).all()


def test_a_small_network_learns_what_a_large_one_says():
    pytest.importorskip("torch", reason="PyTorch (extra `train`) is not installed")
    rng = np.random.default_rng(5)
    maps = [np.add.outer(a * np.arange(20), b * np.arange(20)) * 0.02 for a, b in rng.uniform(-0.4, 0.4, (80, 2))]
    maps = np.array(maps) + rng.normal(0, 0.002, (80, 20, 20))
    teacher = model()
    small = distil(teacher, maps[:60], (32,), passes=15, batch=200, rate=0.02, most=5000, fore_aft=False, device="cpu")
    assert small.weights[0].shape == (1, 90, 32) and small.window == teacher.window
    fresh = maps[60:, 8:13, 6:15]
    said, learned = (one.windows(fresh)["hold"] for one in (teacher, small))
    assert np.corrcoef(said, learned)[0, 1] > 0.9 and np.std(said - learned) < 0.5 * np.std(said)
    with pytest.raises(InvalidInput, match="window"):
        distil(teacher, maps, window=(7, 9))


def test_the_learned_score_gives_a_cost_map():
    ground = ElevationMap(heights=np.random.default_rng(2).normal(0, 0.02, (30, 30)), cell=0.02)
    costs = cost_map(ground, model())
    good = costs.feasible
    assert good.any() and costs.cost[good].max() <= 254
    found = {name: values[good] for name, values in model().map(ground).items()}
    wanted = HOLD_COST * np.maximum(1 - found["hold"] / 0.8, 0) + SLIP_COST * found["slip"]
    assert costs.cost[good] == pytest.approx(np.clip(255 * wanted, 0, 254))


def test_the_shipped_score_knows_slopes_and_edges():
    learned = shipped("softfoot_q")
    axis = np.arange(40) * 0.02
    slopes = [ElevationMap(heights=t * axis * np.ones((40, 1)), cell=0.02) for t in (0.0, 0.2, 0.4, 0.6)]
    holds = [float(learned.map(ground)["hold"][20, 20]) for ground in slopes]
    assert 0.6 < holds[0] < 0.9 and (np.diff(holds) < -0.05).all()
    step = ElevationMap(heights=np.where(axis > 0.4, 0.15, 0.0) * np.ones((40, 1)), cell=0.02)
    hold = learned.map(step)["hold"][20]
    assert hold[21] < 0.5 * hold[10]
    assert load_sole("calibrated").slope_weight[0] > SoftSole().slope_weight[0]
    assert load_sole("physics", "ball").card["foot"] == "ball"
    with pytest.raises(InvalidInput, match="softfoot_q"):
        shipped("hoof")


@pytest.mark.long
def test_the_shipped_score_ranks_footholds_that_it_has_not_seen():
    config = PhysicsConfig(mosaic=MosaicConfig(tiles=4, seed=77, kinds=HELD_OUT), plan=PressPlan(footholds=8))
    data = Presser(FOOT, config).footholds(0).finite()
    found = shipped("softfoot_q").footholds(data)
    slope, _ = scores.plane(data, SoftSole())
    ours, theirs = scores.spearman(found["hold"], data.labels.hold), -scores.spearman(slope, data.labels.hold)
    assert ours > 0.8 and ours > theirs
    assert scores.spearman(found["slip"], data.labels.slip) > 0.85


@pytest.mark.parametrize("foot", ["softfoot_q", "ball"])
def test_scores_and_soles_of_a_foot_agree_where_its_leg_ends(foot):
    assert shipped(foot).height == pytest.approx(sole_of(foot).height)


def test_settings_follow_the_foot():
    data = replace(fake(10), card={"half": (0.08, 0.028)})
    quad, flat = config_for("softfoot_q", data), config_for("flat", data)
    assert quad.window == (9, 13) and quad.fore_aft and not quad.quarter and not flat.fore_aft
    ball = config_for("ball", replace(data, card={"half": (0.03, 0.03)}), epochs=3)
    assert ball.window == (7, 7) and ball.quarter and ball.epochs == 3
    with pytest.raises(InvalidInput, match="window"):
        config_for("ball", data, window=(5, 7))


def test_transformed_labels_come_back():
    labels = np.abs(np.random.default_rng(0).normal(0.3, 0.05, (10, 6)))
    assert np.stack(list(back(transformed(labels)).values()), axis=1) == pytest.approx(labels)


def test_training_learns_what_can_be_learned():
    pytest.importorskip("torch", reason="PyTorch (extra `train`) is not installed")
    from plantar.foothold.physics import TrainConfig, train  # noqa: PLC0415

    config = TrainConfig(
        layers=(64,), small=(24,), epochs=60, passes=4, batch=100, rate=0.01, window=(5, 9), dropout=0.0
    )
    found = train(fake(), config, device="cpu", foot="made up")
    other = fake(200, seed=1)
    assert scores.spearman(found.footholds(other)["hold"], other.labels.hold) > 0.9
    assert found.card["foot"] == "made up"


def test_calibrate_on_the_command_line(tmp_path, capsys):
    fake(400).save(tmp_path / "data.npz", foot="softfoot_q")
    assert run(["foothold", "calibrate", str(tmp_path / "data.npz"), "--out", str(tmp_path / "fit"), "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    rows = {row["score"]: row for row in record["scores"]}
    assert rows["calibrated"]["hold"] > rows["published"]["hold"]
    sole = load_sole(tmp_path / "fit" / "sole.json")
    assert sole.slope_weight[1] > sole.slope_weight[0]
    ElevationMap(heights=np.zeros((20, 20)), cell=0.02).save(tmp_path / "map.npz")
    used = ["--sole", str(tmp_path / "fit" / "sole.json"), "--out", str(tmp_path / "map")]
    assert run(["foothold", "map", str(tmp_path / "map.npz"), *used]) == 0
