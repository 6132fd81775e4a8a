"""Data sets: sensors that spoil what they should, classes of 5 %, splits by ground, files with a card; metrics."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import ndimage

from plantar.errors import InvalidInput
from plantar.foothold import (
    DatasetConfig,
    ElevationMap,
    Quadruped,
    Reason,
    Sensor,
    Stance,
    class_costs,
    class_edges,
    class_weights,
    cost_map,
    load_dataset,
    make_dataset,
    make_samples,
    metrics,
    to_classes,
)
from plantar.ground import RELIEFS, draw_relief

SMALL = DatasetConfig(grounds=24, patches=2, cells=20)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return make_dataset(SMALL, tmp_path_factory.mktemp("data") / "set")


@pytest.mark.parametrize("kind", RELIEFS)
def test_every_kind_of_ground(kind):
    first, again = (draw_relief(kind, np.random.default_rng(1), side=2.0) for _ in range(2))
    other = draw_relief(kind, np.random.default_rng(2), side=2.0)
    assert first == again and first != other
    assert np.isfinite(first.heights).all()
    assert np.ptp(first.heights) < 2.5 and first.centre == pytest.approx((0, 0))


def test_kinds_differ_in_what_they_are():
    ups = {
        k: draw_relief(k, np.random.default_rng(3), side=2.0).heights for k in ("bumps", "hollows", "stairs", "flat")
    }
    assert ups["bumps"].min() >= 0 >= ups["hollows"].max()
    assert len(np.unique(np.round(ups["stairs"], 6))) < 15
    assert np.ptp(ups["flat"]) < 0.05


def test_a_perfect_sensor_changes_nothing():
    ground = draw_relief("rubble", np.random.default_rng(0), side=1.0)
    assert np.allclose(Sensor().observe(ground, np.random.default_rng(1)).heights, ground.heights)


def test_each_fault_does_what_it_says():
    flat = ElevationMap(heights=np.zeros((80, 80)), cell=0.02, origin=(-0.79, -0.79))
    rng = np.random.default_rng(2)
    assert Sensor(noise=0.01).observe(flat, rng).heights.std() == pytest.approx(0.01, rel=0.05)
    assert Sensor(dropouts=0.2).observe(flat, rng).unknown == pytest.approx(0.2, abs=0.02)
    assert Sensor(patches=0.1).observe(flat, rng).unknown == pytest.approx(0.1, abs=0.01)
    assert Sensor(stripes=0.3).observe(flat, rng).unknown == pytest.approx(0.3, abs=0.08)
    wrong = Sensor(outliers=0.1, outlier_size=0.5).observe(flat, rng).heights
    assert (np.abs(wrong) > 1e-6).mean() == pytest.approx(0.1, abs=0.02) and np.abs(wrong).max() <= 0.5
    step = ElevationMap.from_function(lambda x, y: 0.2 * (x > 0), x=(-0.5, 0.5), y=(-0.5, 0.5), cell=0.02)
    smeared = Sensor(smear=0.02).observe(step, rng).heights
    assert smeared[10, 25] == pytest.approx(0.1, abs=0.06) and smeared[10, [0, -1]] == pytest.approx([0, 0.2], abs=1e-6)
    tilts = [np.gradient(Sensor(tilt=0.05).observe(flat, rng).heights, 0.02, axis=1).mean() for _ in range(60)]
    assert np.std(tilts) == pytest.approx(0.05, rel=0.3)


def test_what_is_behind_a_wall_is_hidden_and_what_is_on_it_is_not():
    wall = ElevationMap.from_function(
        lambda x, y: 0.3 * (np.abs(x - 0.1) < 0.03), x=(-0.5, 0.5), y=(-0.5, 0.5), cell=0.02
    )
    seen = Sensor(viewpoint=(-0.4, 0.0, 0.6)).observe(wall, np.random.default_rng(0))
    # The line of sight over the wall's far edge, 0.5 m on and 0.3 m down, meets the ground 0.5 m behind it.
    row, column = wall.index(0.2, 0.0)
    assert np.isnan(seen.heights[row, column])
    row, column = wall.index(0.1, 0.0)
    assert np.isfinite(seen.heights[row, column])
    assert np.isfinite(seen.heights[:, wall.index(-0.2, 0.0)[1]]).all()
    high = Sensor(viewpoint=(0.1, 0.0, 50.0)).observe(wall, np.random.default_rng(0))
    assert high.unknown < 0.05


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10**6), share=st.sampled_from([0.05, 0.1, 0.3]), ties=st.floats(0, 0.8))
def test_classes_hold_their_share_and_never_divide_equal_costs(seed, share, ties):
    rng = np.random.default_rng(seed)
    costs = np.where(rng.random(2000) < ties, 255.0, np.round(rng.uniform(0, 200, 2000), 1))
    edges = class_edges(costs, share)
    found = to_classes(costs, edges)
    shares = np.bincount(found, minlength=len(edges)) / costs.size
    assert (np.diff(edges) > 0).all() and edges[-1] == costs.max()
    assert (shares[:-1] > share).all(), "every range but the last holds more than the share"
    # Without its last value a range would not have been full yet.
    for k, edge in enumerate(edges[:-1]):
        below = edges[k - 1] if k else -np.inf
        assert ((costs > below) & (costs < edge)).sum() <= share * costs.size
    means = class_costs(costs, edges)
    assert (np.diff(means) > 0).all()
    weights = class_weights(found, len(edges))
    assert np.mean(weights[found]) == pytest.approx(1.0)


def test_the_paper_s_rule_on_a_case_done_by_hand():
    costs = np.array([0, 1, 2, 3, 4, 5, 6, 7, 255, 255])
    # 25 % of 10 cells is exceeded by the third.
    assert class_edges(costs, 0.25).tolist() == [2, 5, 255]
    assert to_classes([0, 2, 2.1, 5, 254, 255, 300], [2, 5, 255]).tolist() == [0, 0, 1, 1, 2, 2, 2]


def test_splits_share_no_ground(folder):
    made = load_dataset(folder)
    seen: set[int] = set()
    total = 0
    for split in made.card["splits"]:
        samples = made.samples(split)
        own = set(samples.terrain.tolist())
        assert not own & seen
        seen |= own
        total += len(samples)
    assert seen == set(range(SMALL.grounds)) and total == SMALL.grounds * SMALL.patches
    many = DatasetConfig(grounds=1200).splits()
    assert [many.count(s) / 1200 for s in ("train", "validation", "test")] == pytest.approx([0.8, 0.1, 0.1], abs=0.02)


def test_labels_are_the_analytic_cost_of_the_true_ground(folder):
    made = load_dataset(folder)
    samples = made.samples("train")
    assert samples.observed.dtype == np.float32 and samples.cost.shape == (len(samples), 20, 20)
    robot = Quadruped()
    checked = 0
    for n in range(0, len(samples), 5):
        leg = ("RF", "RH")[samples.leg[n]]
        x, y, _ = robot.nominal(leg)
        half = 9.5 * 0.02
        grid = ElevationMap(heights=samples.ground[n], cell=0.02, origin=(-half, -half))
        costs = cost_map(grid, SMALL.sole, leg=leg, stance=Stance(position=(-x, -y, 0.0)))
        # The set knows the ground beyond the map; here only whole soles, a cell off the rim, can be compared.
        known = np.array(ndimage.binary_erosion(costs.reason != Reason.UNKNOWN, np.ones((3, 3))), dtype=bool)
        agree = costs.reason[known] == samples.reason[n][known]
        assert agree.mean() > 0.99
        both = known & costs.feasible & samples.feasible[n]
        assert np.allclose(costs.cost[both], samples.cost[n][both], atol=0.05)
        checked += int(both.sum())
    assert checked > 200
    assert (samples.reason != Reason.UNKNOWN).all(), "the rim is there so that every cell has a label"
    assert 0 < np.isnan(samples.observed).mean() < 0.5
    assert samples.ground.max() < 0, "heights are from the hip"


def test_the_card_tells_all_and_the_same_seed_gives_the_same_files(folder, tmp_path):
    again = make_dataset(SMALL, tmp_path / "again")
    for name in ("train.npz", "validation.npz", "test.npz", "card.json", "README.md"):
        assert (again / name).read_bytes() == (folder / name).read_bytes(), name
    made = load_dataset(folder)
    assert made.config == SMALL
    samples = made.samples("train")
    shares = np.bincount(made.classes(samples).ravel(), minlength=len(made.edges)) / samples.cost.size
    assert made.card["splits"]["train"]["class_shares"] == pytest.approx(shares.tolist())
    assert (shares[:-1] > 0.05).all()
    text = (folder / "README.md").read_text()
    assert "No ground is in two splits" in text and str(made.card["classes"] - 1) in text
    assert (folder / "samples.png").stat().st_size > 5000
    alone = make_samples(SMALL, [7])
    assert np.array_equal(alone.cost, _of_ground(made, 7))


def test_processes_change_nothing():
    config = DatasetConfig(grounds=4, patches=1, cells=12)
    alone, together = (make_samples(config, [0, 1, 2, 3], processes=n) for n in (1, 2))
    for name in ("observed", "cost", "reason", "terrain"):
        assert np.array_equal(getattr(alone, name), getattr(together, name), equal_nan=True)


def _of_ground(made, number: int) -> np.ndarray:
    for split in made.card["splits"]:
        samples = made.samples(split)
        if (samples.terrain == number).any():
            return samples.cost[samples.terrain == number]
    raise AssertionError


def test_a_damaged_or_missing_set_is_refused(folder, tmp_path):
    with pytest.raises(InvalidInput, match="data set"):
        load_dataset(tmp_path)
    (tmp_path / "card.json").write_text(json.dumps({"what": "something else"}))
    with pytest.raises(InvalidInput, match="data set"):
        load_dataset(tmp_path)
    copy = tmp_path / "copy"
    copy.mkdir()
    for item in folder.iterdir():
        (copy / item.name).write_bytes(item.read_bytes())
    (copy / "train.npz").write_bytes((copy / "train.npz").read_bytes()[:-40])
    with pytest.raises(InvalidInput, match="does not match the card"):
        load_dataset(copy).samples("train")


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("grounds", 0),
        ("cells", 2),
        ("kinds", ("lava",)),
        ("shares", (0.5, 0.1, 0.1)),
        ("hip_range", (0.6, 0.4)),
        ("class_share", 0.0),
        ("seed", -1),
    ],
)
def test_a_bad_configuration_is_refused_by_name(field, value):
    with pytest.raises(InvalidInput, match=field):
        DatasetConfig(**{field: value})


def test_a_bad_sensor_is_refused_by_name():
    for field, value in (("noise", -0.1), ("dropouts", 1.0), ("smear", 20.0)):
        with pytest.raises(InvalidInput, match=field):
            Sensor(**{field: value})


def test_metrics_on_cases_done_by_hand():
    true = np.array([[0, 0, 1], [2, 2, 2]])
    guess = np.array([[0, 1, 1], [2, 2, 0]])
    assert metrics.accuracy(guess, true) == pytest.approx(4 / 6)
    assert metrics.confusion(guess, true, 3).tolist() == [[1, 1, 0], [0, 1, 0], [1, 0, 2]]
    assert metrics.iou(guess, true, 3) == pytest.approx((1 / 3 + 1 / 2 + 2 / 3) / 3)
    assert metrics.iou(guess, true, 5) == metrics.iou(guess, true, 3), "classes that do not occur do not count"
    feasible = true < 2
    assert metrics.feasible_accuracy(guess, true, feasible) == pytest.approx(2 / 3)
    assert metrics.false_feasible(guess < 2, feasible) == pytest.approx(1 / 3)
    assert metrics.false_infeasible(guess < 2, feasible) == 0
    assert np.isnan(metrics.false_feasible([True], [True]))
    with pytest.raises(InvalidInput, match="shape"):
        metrics.accuracy([1, 2], [1])
    with pytest.raises(InvalidInput, match="classes"):
        metrics.confusion([4], [0], 3)


def test_regret_on_cases_done_by_hand():
    true = np.array([[[10.0, 20.0, 255.0]]] * 4)
    ok = np.array([[[True, True, False]]] * 3 + [[[False] * 3]])
    guess = np.array([[[10, 20, 30]], [[50, 20, 30]], [[50, 40, 30]], [[1, 2, 3]]], float)
    lost = metrics.regret(guess, np.ones((4, 1, 3), bool), true, ok, cell=0.02, k=0.0)
    assert lost.loss[:3].tolist() == [0, 10, 245]
    assert lost.infeasible.tolist() == [False, False, True, True]
    assert lost.choosable.tolist() == [True, True, True, False]
    assert (lost.mean, lost.infeasible_rate, lost.none_rate) == (pytest.approx(85.0), pytest.approx(1 / 3), 0.0)
    # A metre away costs k: with it the middle cell, which is the nominal one, wins in truth.
    near = metrics.regret(guess[:1], ok[:1], true[:1], ok[:1], cell=0.02, k=1000.0)
    assert near.loss[0] == pytest.approx(0.0)
    blind = metrics.regret(guess[:1], np.zeros((1, 1, 3), bool), true[:1], ok[:1], cell=0.02)
    assert blind.none_rate == 1.0 and np.isnan(blind.mean)


def test_perfect_predictions_have_perfect_scores(folder):
    made = load_dataset(folder)
    samples = made.samples("train")
    classes = made.classes(samples)
    ok = samples.feasible
    found = metrics.scores(classes, samples.cost, ok, classes, samples.cost, ok, classes=len(made.edges), cell=0.02)
    assert (found["accuracy"], found["iou"], found["feasible_accuracy"]) == (1, 1, 1)
    assert (found["false_feasible"], found["regret"], found["infeasible_picks"], found["none_found"]) == (0, 0, 0, 0)
