"""Training of foothold networks: the paper's architecture to the letter, ours, losses, export. Needs PyTorch."""
# ruff: noqa: E402  (without PyTorch nothing below can be imported)

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="needs the extra `train` (PyTorch), which is not installed")
pytest.importorskip("onnx", reason="needs the extra `train` (ONNX), which is not installed")

from plantar.cli.app import run
from plantar.errors import InvalidInput
from plantar.foothold import (
    DatasetConfig,
    ElevationMap,
    SoftSole,
    class_edges,
    class_weights,
    load_dataset,
    make_dataset,
    make_samples,
    terrain_cost,
    to_classes,
)
from plantar.foothold.learned import Network
from plantar.foothold.networks.erfnet import ERFNet, Factorized
from plantar.foothold.networks.export import export
from plantar.foothold.networks.fit import card_of, fit_network
from plantar.foothold.networks.inputs import gaps_closed
from plantar.foothold.networks.kinds import Labels, class_loss, cost_loss, difference_loss, make_network, parameters
from plantar.foothold.networks.maps import spoiled, to_front, to_maps
from plantar.foothold.networks.mean_field import ERFNetMRF, MeanField
from plantar.foothold.networks.physics_heads import pressed_samples, taught, untransformed
from plantar.foothold.networks.sole_layer import SoleLayer
from plantar.foothold.networks.training import TrainConfig, predict, rate_at, train
from plantar.foothold.networks.unet import FootholdNet
from plantar.foothold.physics import shipped
from plantar.foothold.physics.data import NAMES, PhysicsData, load_physics
from plantar.ground import RELIEFS, draw_relief

SMALL = DatasetConfig(grounds=36, patches=2)


@pytest.fixture(autouse=True, scope="module")
def one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module")
def samples():
    return make_samples(SMALL, list(range(24)))


@pytest.fixture(scope="module")
def edges(samples):
    return class_edges(samples.cost)


def test_erfnet_has_the_published_size():
    assert parameters(ERFNet(14)) == 2_063_652
    assert [tuple(p.shape[1:]) for p in (ERFNet(14)(torch.zeros(2, 40, 40)),)] == [(14, 40, 40)]
    blocks = [type(m).__name__ for m in ERFNet(14).encoder]
    assert blocks == [*["Downsampler"] * 2, *["Factorized"] * 5, "Downsampler", *["Factorized"] * 8]
    rates = [m.tall2.dilation[0] for m in ERFNet(14).encoder.children() if isinstance(m, Factorized)]
    assert rates == [1] * 5 + [2, 4, 8, 16] * 2


def test_ours_is_at_most_a_quarter():
    assert 4 * parameters(FootholdNet(SoftSole(), 0.02, 40)) <= parameters(ERFNet(12))


def test_mean_field_without_a_kernel_changes_nothing():
    field = MeanField(5).eval()
    torch.nn.init.zeros_(field.kernel)
    logits = torch.randn(2, 5, 8, 8)
    assert torch.allclose(field(logits).softmax(1), logits.softmax(1), atol=1e-6)


def test_mean_field_converges_to_its_fixed_point():
    torch.manual_seed(0)
    field = MeanField(4).eval()
    field.kernel.data.normal_(0, 0.3)
    logits = torch.randn(2, 4, 8, 8)
    with torch.no_grad():
        q = field(logits).softmax(1)
        again = field.scores(-logits.log_softmax(1), q).softmax(1)
    assert (again - q).abs().max() < 2e-3
    once = field.train()(logits).softmax(1)
    assert (once - q).abs().max() > 1e-2


def test_no_class_pushes_itself_even_after_training():
    field = MeanField(4)
    optimizer = torch.optim.SGD(field.parameters(), 0.5)
    before = field.kernel.detach().clone()
    for _ in range(3):
        optimizer.zero_grad()
        (field(torch.randn(2, 4, 8, 8)) ** 2).mean().backward()
        optimizer.step()
    assert (field.kernel.detach() - before).abs().max() > 1e-4
    assert torch.diagonal(field.pairwise()).abs().max() == 0 and float(field.scale.detach()) != 1


def test_difference_weighting_is_the_papers():
    torch.manual_seed(1)
    out = torch.randn(2, 5, 6, 6)
    labels = Labels(torch.randint(5, (2, 6, 6)), torch.zeros(2, 6, 6), torch.ones(2, 6, 6), torch.zeros(2, 0, 6, 6))
    weights = torch.tensor([1.0, 2.0, 0.5, 1.0, 3.0])
    log = out.log_softmax(1)
    total = count = 0.0
    for n in range(2):
        for j in range(6):
            for i in range(6):
                true = int(labels.classes[n, j, i])
                far = abs(int(out[n, :, j, i].argmax()) - true)
                total += float(-weights[true] * log[n, true, j, i]) * far
                count += float(weights[true])
    assert float(difference_loss(out, labels, weights)) == pytest.approx(total / count, rel=1e-5)
    right = torch.nn.functional.one_hot(labels.classes, 5).permute(0, 3, 1, 2) * 3.0
    assert float(difference_loss(right, labels, weights)) == 0 < float(class_loss(right, labels, weights))


def test_the_loss_of_costs_looks_at_footholds_only():
    there = torch.zeros(1, 4, 4)
    there[0, 0, 0] = 1
    labels = Labels(torch.zeros(1, 4, 4).long(), torch.full((1, 4, 4), 0.5), there, torch.zeros(1, 0, 4, 4))
    out = torch.zeros(1, 2, 4, 4)
    out[:, 1] = torch.where(there > 0, 40.0, -40.0)
    out[0, 0, 0, 0] = 0.5
    assert float(cost_loss(out, labels, torch.ones(1))) == pytest.approx(0, abs=1e-6)
    out[0, 0, 0, 0] = 0.6
    assert float(cost_loss(out, labels, torch.ones(1))) == pytest.approx(1.0, rel=1e-4)


@pytest.mark.parametrize("kind", RELIEFS)
def test_the_sole_s_layer_is_the_analytic_cost(kind, record_property):
    ground = draw_relief(kind, np.random.default_rng(2), side=0.78)
    wanted = terrain_cost(ground, SoftSole(), 0.0, shape=True)
    found = SoleLayer(SoftSole(), 0.02)(torch.tensor(ground.heights, dtype=torch.float32)[None, None])[0].numpy()
    known = np.isfinite(wanted.cost)
    error = float(np.abs(found[4][known] - wanted.cost[known]).max())
    record_property(f"foothold.layer.{kind}", {"cells": int(known.sum()), "error": error})
    assert error < 2e-5
    limits = (0.87266, 0.43633, 2.4, 12.0)
    for k, place in enumerate((1, 3, 2, 4)):
        assert limits[k] * found[k][known] == pytest.approx(wanted.shape[place][known], abs=2e-3)


def test_gaps_take_what_is_around_them():
    axis = torch.linspace(-1, 1, 40)
    plane = (-0.5 + 0.1 * axis[None, :] + 0.05 * axis[:, None])[None, None]
    spoiled_plane = plane.clone()
    spoiled_plane[..., 10:14, 20:23] = float("nan")
    spoiled_plane[..., torch.rand(40, 40) < 0.3] = float("nan")
    closed, seen = gaps_closed(spoiled_plane)
    assert torch.equal(closed[seen > 0], plane[seen > 0])
    assert (closed - plane).abs().max() < 0.02
    nothing, none = gaps_closed(torch.full((1, 1, 40, 40), float("nan")))
    assert torch.isfinite(nothing).all() and none.sum() == 0


@pytest.mark.parametrize("kind", ["erf", "erf_difference", "erf_mrf", "unet"])
def test_a_model_file_says_what_the_network_says(kind, tmp_path, samples, edges):
    torch.manual_seed(0)
    network = make_network(kind, classes=len(edges), config=SMALL).eval()
    if isinstance(network, ERFNetMRF):
        network.field.kernel.data.normal_(0, 0.3)
    card = card_of(kind, SMALL, edges, edges, 0.5, parameters=parameters(network))
    path = export(network, 40, tmp_path / "model.onnx", card)
    loaded = Network.load(path, threads=1)
    out = loaded.run(samples.observed[:3])
    own = predict(network, torch.tensor(samples.observed[:3]))
    own = own.softmax(1) if kind == "erf_mrf" else own
    assert out == pytest.approx(own.numpy(), abs=2e-4)
    assert loaded.kind == kind and loaded.card["parameters"] == parameters(network)
    assert len(loaded.run(samples.observed[:7])) == 7


def test_half_weights_change_little(tmp_path, samples, edges):
    torch.manual_seed(0)
    network = make_network("unet", classes=len(edges), config=SMALL).eval()
    card = card_of("unet", SMALL, edges, edges, 0.5)
    full = export(network, 40, tmp_path / "full.onnx", card)
    half = export(network, 40, tmp_path / "half.onnx", card, half=True)
    assert half.stat().st_size < 0.65 * full.stat().st_size
    a, b = (Network.load(path, threads=1).run(samples.observed[:3]) for path in (full, half))
    assert a == pytest.approx(b, abs=5e-3)


def test_maps_are_all_the_front_leg_s(samples, edges):
    maps = to_maps(samples, edges)
    hind = int(np.flatnonzero(samples.leg == 1)[0])
    assert np.array_equal(maps.ground[hind].numpy(), samples.ground[hind][:, ::-1])
    assert np.array_equal(to_front(to_front(samples.cost, samples.leg), samples.leg), samples.cost)
    assert np.array_equal(maps.classes.numpy(), to_front(to_classes(samples.cost, edges), samples.leg))


def test_spoiled_maps_have_new_faults_every_time(samples, edges):
    maps = to_maps(samples, edges)
    torch.manual_seed(0)
    first, second = (spoiled(maps.ground, maps.observed) for _ in range(2))
    assert not torch.equal(torch.nan_to_num(first), torch.nan_to_num(second))
    assert torch.nanmean((first - maps.ground).abs()) < 0.05
    assert torch.isnan(first).float().mean() < 0.5


def test_training_learns_and_repeats(samples, edges):
    weights = class_weights(to_classes(samples.cost, edges), len(edges))
    maps = to_maps(samples, edges)
    config = TrainConfig(kind="unet", spoiled=False, steps=40, batch=8, checks=4, rate=5e-3)
    first, second = (train(config, SMALL, maps, maps, weights) for _ in range(2))
    assert first.history[-1]["loss"] < 0.8 * first.history[0]["loss"]
    assert first.history[-1]["accuracy"] > first.history[0]["accuracy"] + 0.05
    assert first.accuracy == max(h["accuracy"] for h in first.history) and first.accuracy > 0.3
    for a, b in zip(first.network.parameters(), second.network.parameters(), strict=True):
        assert torch.equal(a, b)


@pytest.mark.parametrize("kind", ["erf", "erf_difference", "erf_mrf"])
def test_the_paper_s_networks_train(kind, samples, edges):
    weights = class_weights(to_classes(samples.cost, edges), len(edges))
    maps = to_maps(samples, edges)
    done = train(TrainConfig(kind=kind, steps=3, batch=4, checks=1), SMALL, maps, maps, weights)
    assert np.isfinite(done.history[0]["loss"]) and 0 <= done.accuracy <= 1


def test_the_rate_rises_and_falls():
    config = TrainConfig(steps=1000, rate=1e-3)
    rates = [rate_at(k, config) for k in range(1000)]
    assert max(rates) == pytest.approx(1e-3) and rates[0] == pytest.approx(1e-5) and rates[-1] < 1e-7
    assert np.argmax(rates) in (99, 100)


def test_other_heads_learn_from_few_cells(samples, edges):
    weights = class_weights(to_classes(samples.cost, edges), len(edges))
    sparse = np.full((len(samples), 2, 40, 40), np.nan, np.float32)
    sparse[:, 0, 10:30:5, 10:30:5] = 1.5
    sparse[:, 1, 10:30:5, 10:30:5] = -0.5
    maps = to_maps(samples, edges, others=sparse)
    config = TrainConfig(kind="unet", spoiled=False, steps=60, batch=8, checks=1, rate=1e-2)
    done = train(config, SMALL, maps, maps, weights, heads=("hold", "slip"))
    out = predict(done.network, maps.ground)[:, 2:, 10:30:5, 10:30:5].mean((0, 2, 3))
    assert out.tolist() == pytest.approx([1.5, -0.5], abs=0.35)


def test_pressed_footholds_become_heads(tmp_path):
    tiles, rng = 6, np.random.default_rng(0)
    row, column = rng.integers(8, 48, (2, tiles * 5))
    labels = np.stack([rng.uniform(0, 1, 30), *rng.uniform(0, 0.05, (5, 30))], axis=1)
    # four presses of a foothold that agree
    presses = {name: np.repeat(values[:, None], 4, axis=1) for name, values in zip(NAMES, labels.T, strict=True)}
    PhysicsData(
        maps=rng.normal(0, 0.005, (tiles, 56, 56)), kind=np.arange(tiles, dtype=np.uint8), kinds=tuple(RELIEFS),
        cell=0.02, tile=np.repeat(np.arange(tiles), 5), row=row, column=column, presses=presses,
        direction=np.tile(np.arange(4) * np.pi / 2, (30, 1)), card={"margin": 8},
    ).save(tmp_path / "pressed.npz")  # fmt: skip
    pressed = load_physics(tmp_path / "pressed.npz")
    made, others = pressed_samples(pressed, SMALL)
    n = 7
    assert others[n // 5, 0, row[n] - 8, column[n] - 8] == pytest.approx(labels[n, 0], abs=1e-3)
    slip = others[n // 5, 1, row[n] - 8, column[n] - 8]
    assert untransformed(slip, "slip") == pytest.approx(labels[n, 1], abs=1e-4)
    assert (~np.isnan(others[:, 0])).sum() <= 30 and len(made) == tiles
    middle = made.ground[:, 18:22, 18:22].mean((1, 2))
    assert (middle < -0.42 + 0.01).all() and (middle > -0.56 - 0.01).all()
    few = pressed.of_kinds(tuple(RELIEFS)[2:4])
    assert len(few.row) == 10 and len(pressed_samples(few, SMALL)[0]) == 2
    data = make_dataset(SMALL, tmp_path / "data")
    config = TrainConfig(steps=2, batch=4, checks=1)
    fit_network(load_dataset(data), config, tmp_path / "m.onnx", device="cpu", physics=tmp_path / "pressed.npz")
    found = Network.load(tmp_path / "m.onnx", threads=1).heads(made.ground[:2], "LH")
    assert set(found) == {"hold", "slip", "tilt", "area"} and found["slip"].min() >= 0
    (tmp_path / "bad.npz").write_text("nothing")
    with pytest.raises(InvalidInput, match="foothold press"):
        load_physics(tmp_path / "bad.npz")


def test_a_learned_score_labels_every_cell(tmp_path):
    teacher = shipped("softfoot_q")
    made = make_samples(SMALL, [0, 1])
    found = taught(teacher, made, SMALL.cell)
    ground = ElevationMap(heights=made.ground[1], cell=SMALL.cell)
    assert untransformed(found[1, 1], "slip") == pytest.approx(teacher.map(ground)["slip"], abs=1e-6, nan_ok=True)
    assert np.isnan(found).mean() < 0.3
    data = make_dataset(replace(SMALL, patches=1), tmp_path / "data")
    args = ["--physics", "physics", "--steps", "2", "--batch", "4", "--device", "cpu", "--out", str(tmp_path / "net")]
    assert run(["foothold", "train", str(data), *args]) == 0
    heads = Network.load(tmp_path / "net" / "model.onnx", threads=1).heads(made.ground, "RF")
    assert np.isfinite(heads["hold"]).all()
    assert run(["foothold", "train", str(data), *args[2:], "--physics", str(tmp_path / "none.npz")]) == 2


def test_wrong_settings_are_refused(tmp_path):
    with pytest.raises(InvalidInput, match="kind"):
        TrainConfig(kind="resnet")
    with pytest.raises(InvalidInput, match="steps"):
        TrainConfig(steps=0)
    data = make_dataset(DatasetConfig(grounds=24, patches=1, cells=20), tmp_path / "odd")
    with pytest.raises(InvalidInput, match="multiple of 8"):
        fit_network(load_dataset(data), TrainConfig(steps=1, batch=2), tmp_path / "m.onnx", device="cpu")


def test_train_and_evaluate_from_the_command_line(tmp_path, capsys):
    data = make_dataset(SMALL, tmp_path / "data")
    command = ["foothold", "train", str(data), "--steps", "4", "--batch", "4", "--device", "cpu", "--json"]
    assert run([*command, "--out", str(tmp_path / "out")]) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["parameters"] * 4 <= 2_063_652
    assert {"model.onnx", "history.csv", "history.png", "config.json"} <= {p.name for p in (tmp_path / "out").iterdir()}
    again = ["foothold", "evaluate", record["model"], "--data", str(data), "--sensors", "none", "--no-analytic"]
    assert run([*again, "--out", str(tmp_path / "scores")]) == 0
    small = ["--grounds", "24", "--patches", "1", "--steps", "1", "--batch", "2", "--device", "cpu"]
    assert run(["foothold", "train", "--foot", "ball", *small, "--out", str(tmp_path / "ball")]) == 0
    assert load_dataset(tmp_path / "ball" / "data").config.sole.length == pytest.approx(0.06)
    assert run(["foothold", "train", "--foot", "hoof", "--out", str(tmp_path / "none")]) == 2
    assert run(["foothold", "train", str(tmp_path), "--out", str(tmp_path / "none")]) == 2
    assert "give a folder of `plantar foothold data`" in capsys.readouterr().err and not (tmp_path / "none").exists()
