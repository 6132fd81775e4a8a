"""Foothold networks in use: the shipped one scores, chooses and refuses what is not a network; no PyTorch here."""
# ruff: noqa: E402  (without ONNX Runtime nothing below can be imported)

from __future__ import annotations

import dataclasses
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("onnxruntime")

from plantar.cli.app import run
from plantar.errors import InvalidInput
from plantar.foothold import (
    DatasetConfig,
    ElevationMap,
    Quadruped,
    Reason,
    Sensor,
    Stance,
    choose,
    cost_map,
    make_samples,
    metrics,
    to_classes,
)
from plantar.foothold.learned import Network, mirror_of
from plantar.foothold.networks.analytic import analytic_reading
from plantar.foothold.networks.evaluate import config_of, evaluate, read_samples
from plantar.foothold.networks.readout import Reading, read_classes, read_costs
from plantar.foothold.networks.scores import METRICS, best_threshold, summary, tally
from plantar.foothold.sensor import hidden_loop, hidden_plain
from plantar.ground import RELIEFS, draw_relief

ERFNET = 2_063_652
"""Parameters of ERFNet for one channel and 14 classes."""


@pytest.fixture(scope="module")
def network():
    return Network.load("softfoot_q", threads=1)


@pytest.fixture(scope="module")
def samples(network):
    config = config_of(network, grounds=36, patches=4, seed=4242)
    return make_samples(config, list(range(36)))


def below(leg: str) -> tuple[ElevationMap, Stance]:
    """Rubble around a leg's nominal place, in the world's frame."""
    ground = draw_relief("rubble", np.random.default_rng(5), side=2.0)
    robot = Quadruped()
    x, y, _ = robot.nominal(leg)
    # the network's cells are those of the ground: it has an even number of them, so that none is in the middle
    return ground, Stance(position=(0.01 - float(x), 0.03 - float(y), 0.5))


def test_the_shipped_network_is_small(network):
    path = Path(sys.modules[Network.__module__].__file__).parent / "networks" / "softfoot_q.onnx"
    assert path.stat().st_size < 1e6
    assert network.card["parameters"] * 4 <= ERFNET
    assert network.kind == "unet" and (network.cells, network.cell) == (40, 0.02)


def test_it_knows_the_ground_it_has_never_seen(network, samples):
    true = make_samples(config_of(network, grounds=36, patches=4, seed=4242, sensor=Sensor()), list(range(36)))
    edges = np.array(network.card["class_edges"])
    found = tally(read_samples(network, true), true, edges, 0.02).metrics()
    assert found["accuracy"] > 0.8 and found["iou"] > 0.55
    assert found["false_feasible"] < 0.08 and found["infeasible_picks"] < 0.03
    spoiled = tally(read_samples(network, samples), samples, edges, 0.02).metrics()
    plain = tally(analytic_reading(samples, config_of(network), edges), samples, edges, 0.02).metrics()
    for name in ("accuracy", "iou", "feasible_accuracy"):
        assert spoiled[name] > plain[name]
    assert spoiled["regret"] < plain["regret"]


def test_it_does_not_need_torch():
    code = (
        "import sys; sys.modules['torch'] = None; sys.modules['onnx'] = None\n"
        "import numpy as np; from plantar.foothold.learned import Network\n"
        "print(Network.load().read(np.full((1, 40, 40), -0.5)).feasible.any())"
    )
    home = str(Path(sys.modules["plantar"].__file__).parents[1])
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env={**os.environ, "PYTHONPATH": home}
    )
    assert done.stdout.strip() == "True"


@pytest.mark.parametrize("leg", ["LF", "LH", "RH"])
def test_legs_are_mirror_images(network, leg):
    ground, stance = below("RF")
    right = network.cost_map(ground, leg="RF", stance=stance)
    turn = mirror_of(leg)
    flip_y, flip_x = leg[0] == "L", leg[1] == "H"
    origin = (-ground.x[-1] if flip_x else ground.x[0], -ground.y[-1] if flip_y else ground.y[0])
    mirrored = ElevationMap(heights=turn(ground.heights), cell=ground.cell, origin=(float(origin[0]), float(origin[1])))
    x, y, z = stance.position
    other = Stance(position=(-x if flip_x else x, -y if flip_y else y, z))
    found = network.cost_map(mirrored, leg=leg, stance=other)
    assert np.array_equal(turn(found.reason), right.reason)
    assert turn(found.cost) == pytest.approx(right.cost, abs=1e-3)


def test_hind_legs_mirror_front_ones_in_the_analytic_cost():
    for kind in ("rubble", "stairs", "stones"):
        ground = draw_relief(kind, np.random.default_rng(6), side=0.78)
        turned = ElevationMap(heights=ground.heights[:, ::-1], cell=0.02, origin=ground.origin)
        front, hind = cost_map(ground, leg="RF"), cost_map(turned, leg="RH")
        assert hind.cost[:, ::-1] == pytest.approx(front.cost, abs=1e-9)
        assert np.array_equal(hind.reason[:, ::-1], front.reason)


def test_a_turned_world_gives_turned_costs(network):
    ground, stance = below("RF")
    straight = network.cost_map(ground, leg="RF", stance=stance)
    # a quarter turn: x becomes y, y becomes -x
    turned = ElevationMap(
        heights=ground.heights.T[:, ::-1], cell=0.02, origin=(-float(ground.y[-1]), float(ground.x[0]))
    )
    x, y, z = stance.position
    found = network.cost_map(turned, leg="RF", stance=Stance(position=(-y, x, z), yaw=np.pi / 2))
    back = found.cost[:, ::-1].T
    both = (straight.reason == Reason.OK) & (found.reason[:, ::-1].T == Reason.OK)
    assert both.sum() > 300
    assert back[both] == pytest.approx(straight.cost[both], abs=0.05)


def test_a_map_on_the_network_s_own_cells_is_read_as_it_is(network, samples):
    heights = samples.ground[0].astype(float)
    robot = Quadruped()
    x, y, _ = robot.nominal("RF")
    grid = ElevationMap(heights=heights, cell=0.02, origin=(-0.39, -0.39))
    stance = Stance(position=(-float(x), -float(y), -robot.hip[2]))
    costs = network.cost_map(grid, leg="RF", stance=stance)
    own = network.read(heights[None])
    assert costs.cost[costs.feasible] == pytest.approx(own.cost[0][own.feasible[0]], abs=1e-3)
    assert np.array_equal(costs.feasible, own.feasible[0])


def test_the_choice_is_a_foothold(network):
    ground, stance = below("RF")
    costs = network.cost_map(ground, leg="RF", stance=stance)
    choice = choose(costs, (0.1, 0.0))
    assert choice.status.ok and costs.feasible[choice.row, choice.column]
    true = cost_map(ground, leg="RF", stance=stance)
    assert true.feasible[choice.row, choice.column]
    assert true.cost[choice.row, choice.column] < np.median(true.cost[true.feasible])


def test_what_is_not_seen_is_no_foothold_unless_asked(network):
    ground, stance = below("RF")
    heights = ground.heights.copy()
    heights[48:52, 48:56] = np.nan
    holed = ElevationMap(heights=heights, cell=0.02, origin=ground.origin)
    costs = network.cost_map(holed, leg="RF", stance=stance)
    assert (costs.reason[48:52, 48:56] == Reason.UNKNOWN).all()
    assert network.cost_map(holed, leg="RF", stance=stance, unseen=True).feasible[48:52, 48:56].any()
    assert (costs.reason[0] == Reason.UNKNOWN).all() and not costs.feasible[0].any()


def test_wrong_maps_are_refused(network):
    with pytest.raises(InvalidInput, match="40, 40"):
        network.run(np.zeros((1, 30, 40)))
    with pytest.raises(InvalidInput, match="infinite"):
        network.run(np.full((1, 40, 40), np.inf))
    with pytest.raises(InvalidInput, match="leg"):
        network.read(np.zeros((1, 40, 40)), "XX")
    nothing = network.read(np.full((2, 40, 40), np.nan))
    assert np.isfinite(nothing.cost).all()


@pytest.mark.parametrize(
    ("content", "word"), [(b"", "not a network"), (b"garbage", "not a network"), (None, "does not exist")]
)
def test_a_file_that_is_no_model(tmp_path, content, word, capsys):
    path = tmp_path / "model.onnx"
    if content is not None:
        path.write_bytes(content)
    assert run(["foothold", "evaluate", str(path), "--out", str(tmp_path / "out")]) == 2
    error = capsys.readouterr().err.strip()
    assert word in error and len(error.splitlines()) == 1
    assert not (tmp_path / "out").exists()


def test_a_model_of_something_else(tmp_path, capsys):
    onnx = pytest.importorskip("onnx")
    from onnx import TensorProto, helper  # type: ignore[import-not-found]

    value = [helper.make_tensor_value_info(n, TensorProto.FLOAT, [1]) for n in "ab"]
    graph = helper.make_graph([helper.make_node("Abs", ["a"], ["b"])], "other", value[:1], value[1:])
    path = tmp_path / "other.onnx"
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9), path)
    assert run(["foothold", "evaluate", str(path)]) == 2
    assert "is not a foothold network" in capsys.readouterr().err


def test_costs_are_read_as_expected():
    edges = np.array([10.0, 50.0, 255.0])
    out = np.array([[[[20 / 255, 100 / 255, 0.0]], [[30.0, 0.0, -30.0]]]])
    found = read_costs(out, edges, 0.4)
    assert found.cost[0, 0] == pytest.approx([20, 0.5 * 100 + 0.5 * 255, 255], abs=1e-3)
    assert found.feasible[0, 0].tolist() == [True, True, False]
    assert found.classes[0, 0].tolist() == [1, 2, 2]
    q = np.array([[[[0.6, 0.2]], [[0.4, 0.2]], [[0.0, 0.6]]]])
    classes = read_classes(q, np.array([5.0, 20.0, 255.0]))
    assert classes.classes[0, 0].tolist() == [0, 2] and classes.cost[0, 0].tolist() == [5, 255]
    assert classes.feasible[0, 0].tolist() == [True, False]
    mean = read_classes(q, np.array([5.0, 20.0, 255.0]), expected=True)
    assert mean.cost[0, 0] == pytest.approx([0.6 * 5 + 0.4 * 20, 0.2 * 5 + 0.2 * 20 + 0.6 * 255])


def test_counts_agree_with_the_metrics(network, samples):
    edges = np.array(network.card["class_edges"])
    found = read_samples(network, samples)
    mine = tally(found, samples, edges, 0.02).metrics()
    true = to_classes(samples.cost, edges)
    assert mine["accuracy"] == pytest.approx(metrics.accuracy(found.classes, true))
    assert mine["iou"] == pytest.approx(metrics.iou(found.classes, true, len(edges)))
    assert mine["feasible_accuracy"] == pytest.approx(metrics.accuracy(found.classes, true, samples.feasible))
    assert mine["false_feasible"] == pytest.approx(metrics.false_feasible(found.feasible, samples.feasible))
    assert mine["false_infeasible"] == pytest.approx(metrics.false_infeasible(found.feasible, samples.feasible))


def test_the_truth_itself_loses_nothing(samples, network):
    edges = np.array(network.card["class_edges"])
    truth = Reading(to_classes(samples.cost, edges), samples.cost, samples.feasible)
    found = summary([tally(truth, samples, edges, 0.02)])
    for name in METRICS:
        best = 1.0 if name in METRICS[:3] else 0.0
        assert found[name]["mean"] == found[name]["low"] == found[name]["high"] == pytest.approx(best)


def test_intervals_hold_what_they_should(network, samples):
    edges = np.array(network.card["class_edges"])
    one = tally(read_samples(network, samples), samples, edges, 0.02)
    found = summary([one, one])
    assert found["accuracy"]["low"] < found["accuracy"]["mean"] < found["accuracy"]["high"]
    few = summary([tally(read_samples(network, samples), samples, edges, 0.02)], seed=1)
    assert few["accuracy"]["high"] == pytest.approx(found["accuracy"]["high"], abs=0.01)


def test_the_threshold_is_one_that_refuses_bad_cells(samples):
    edges = np.array([50.0, 255.0])
    cost = samples.cost[:, None] / 255
    # a network that gives half a chance to every cell that is none, and calls it free
    chance = np.where(samples.feasible, 2.0, 0.0)[:, None]
    out = np.concatenate([np.where(samples.feasible[:, None], cost, 0.0), chance], axis=1)
    assert best_threshold(out, samples, edges, 0.02) >= 0.5


def test_hidden_cells_are_the_same_without_numba():
    rng = np.random.default_rng(0)
    for kind in RELIEFS:
        h = draw_relief(kind, rng, side=1.0).heights - 0.5
        for _ in range(2):
            j, i = rng.uniform(-20, 70, 2)
            found = np.zeros(h.shape, bool)
            hidden_loop(h, j, i, 0.05, 0.01, found)
            assert np.array_equal(hidden_plain(h, j, i, 0.05, 0.01), found)


def test_careful_costs_give_up_the_rim(samples, network):
    config, edges = config_of(network), np.array(network.card["class_edges"])
    few = make_samples(DatasetConfig(grounds=12, patches=1, seed=3), list(range(12)))
    plain, careful = (analytic_reading(few, config, edges, way) for way in ("plain", "careful"))
    assert careful.feasible.sum() < plain.feasible.sum()
    true = make_samples(DatasetConfig(grounds=12, patches=1, seed=3, sensor=Sensor()), list(range(12)))
    exact = analytic_reading(true, config, edges)
    inner = (slice(None), slice(8, -8), slice(8, -8))
    # beyond the rim a leg may hit what the map does not show
    assert (np.abs(exact.cost[inner] - true.cost[inner]) < 0.01).mean() > 0.99


def test_evaluate_compares(network, tmp_path, capsys):
    done = evaluate({"ours": network}, config_of(network, grounds=12, patches=2, seed=9), range(12), "lidar")
    rows = done.rows()
    assert [row["by"] for row in rows] == ["analytic", "analytic, smoothed and eroded", "ours"]
    assert all(row["accuracy_low"] <= row["accuracy"] <= row["accuracy_high"] for row in rows)
    command = ["foothold", "evaluate", "--grounds", "12", "--patches", "1", "--sensors", "lidar", "--no-analytic"]
    assert run([*command, "--out", str(tmp_path / "out"), "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["maps"] == 12 and record["rows"][0]["by"] == "softfoot_q"
    assert {"scores.csv", "maps_lidar.png", "config.json"} <= {p.name for p in (tmp_path / "out").iterdir()}
    assert run([*command, "--seed", str(network.card["data"]["seed"])]) == 2
    assert run(["foothold", "evaluate", "--sensors", "eyes"]) == 2


def carded(network: Network, **changes) -> Network:
    """The same network with another card."""
    return dataclasses.replace(network, card={**network.card, **changes})


def test_networks_of_other_classes_are_judged_by_the_same_ones(network):
    edges = network.card["class_edges"]
    others = {"few": carded(network, class_edges=[edges[0], edges[-1]])}
    others["many"] = carded(network, class_edges=sorted([*edges, 3.0, 4.0]))
    config = config_of(network, grounds=12, patches=1, seed=9)
    done = evaluate({"ours": network, **others}, config, range(12), "none", analytic=False)
    one, *rest = ({k: v for k, v in row.items() if k != "by"} for row in done.rows())
    assert rest == [one, one]
    with pytest.raises(InvalidInput, match="'erf'.* other classes of cost than 'ours'"):
        evaluate({"ours": network, "erf": carded(others["few"], kind="erf")}, config, range(12), "none")


def test_a_network_is_not_judged_on_what_it_has_seen_or_is_not_for(network):
    card = network.card["data"]
    config = DatasetConfig(grounds=24, patches=1, seed=card["seed"])
    numbers = [n for n, split in enumerate(config.splits()) if split == "test"]
    with pytest.raises(InvalidInput, match=f"'ours' has seen .* of the {len(numbers)} grounds in training"):
        evaluate({"ours": network}, config, numbers, "none")
    own = config_of(network).splits().index("test")
    assert evaluate({"ours": network}, config_of(network, patches=2), [own], "none", analytic=False).rows()
    with pytest.raises(InvalidInput, match="for maps of 40 x 40 cells of 0.01 m"):
        evaluate({"fine": carded(network, cell=0.01)}, config_of(network, seed=9), [0], "none")
