"""Labels from physics: friction on planes, symmetry, MuJoCo beside Warp, files, commands."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import mujoco
import numpy as np
import pytest

from plantar import feet
from plantar.cli.app import run
from plantar.errors import InvalidInput
from plantar.foothold import ElevationMap, load_sole
from plantar.foothold.physics import (
    FITTING,
    FOLDS,
    HELD_OUT,
    MosaicConfig,
    PhysicsConfig,
    PhysicsData,
    Presser,
    PressPlan,
    PushRig,
    load_model,
    load_physics,
    make_mosaic,
    mosaic,
    scores,
)
from plantar.foothold.physics._mujoco_run import run_mujoco
from plantar.foothold.physics.labels import label_presses, worst
from plantar.foothold.physics.on_map import press_map
from plantar.foothold.physics.plan import Presses, place, presses
from plantar.foothold.physics.rig import footprint
from plantar.foothold.physics.trace import Reader, push_ratio, support
from plantar.ground import RELIEFS

BALL, FOOT = feet.BallFoot(), feet.SoftFootQ(fidelity="fast")
SLACK = {"ball": 0.02, "softfoot_q": 0.15, "flat": 0.17}
"""The held push is the largest reading: parts that swing when a foot begins to slide add to it."""
SMALL = MosaicConfig(tiles=2, cells=10)


def plane(slope: float) -> ElevationMap:
    """Ground that rises along x, as a height field with large cells, which have few edges to catch on."""
    axis = np.arange(5) - 2.0
    return ElevationMap(heights=math.tan(slope) * axis * np.ones((5, 1)), cell=1.0, origin=(-2.0, -2.0))


def pushed(directions: list[float], load: float = 150.0, at: tuple[float, float] = (0.21, 0.13)) -> Presses:
    n = len(directions)
    x, y, yaw, loads = (np.full(n, value) for value in (*at, 0.0, load))
    return Presses(x, y, yaw, loads, np.array(directions))


def hold(foot, ground, directions, **changes):
    """Labels on a height field."""
    config = PhysicsConfig(rig=PushRig(**changes))
    labels, traces = Presser(foot, config, threads=1).press_on(ground, pushed(directions))
    assert traces.ok.all()
    return labels


def hold_on_plane(foot, slope, directions, **changes):
    """Labels on a plane that rises along x: what rig and labels do without a height field's triangles."""
    rig = PushRig(**changes)
    spec = rig.spec(foot, plane(0.0))
    ground = next(geom for geom in spec.worldbody.geoms if geom.name == "ground")
    ground.type, ground.hfieldname = mujoco.mjtGeom.mjGEOM_PLANE, ""
    ground.pos, ground.size = [0, 0, 0], [2, 2, 0.1]
    ground.quat = [math.cos(-slope / 2), 0, math.sin(-slope / 2), 0]
    model = spec.compile()
    reader, start = Reader.of(model, foot), pushed(directions, at=(0.0, 0.0))
    top = foot.sole_height + 0.001 + math.tan(slope) * footprint(model)[0]
    traces = run_mujoco(model, reader, rig, start, np.full(len(directions), top), threads=1)
    assert traces.ok.all()
    return label_presses(traces, start, rig, reader)


@pytest.mark.parametrize("friction", [0.3, 0.8])
@pytest.mark.parametrize("foot", [BALL, FOOT, feet.get("flat")], ids=lambda foot: foot.name)
def test_level_ground_holds_friction_times_load(foot, friction, record_property):
    # Along the foot: sideways a SoftFoot-Q tips over its roll hinges before a high friction gives way.
    labels = hold_on_plane(foot, 0.0, [0.0, math.pi], friction=friction)
    record_property(f"foothold.rig.level_{foot.name}_{100 * friction:.0f}", (labels.hold / friction).tolist())
    assert labels.hold == pytest.approx(friction, rel=SLACK[foot.name])
    assert labels.settle.max() < 1e-3


@pytest.mark.parametrize("slope", [0.1, 0.25])
@pytest.mark.parametrize("foot", [BALL, FOOT], ids=lambda foot: foot.name)
def test_on_an_incline_the_hold_is_that_of_the_friction_cone(foot, slope, record_property):
    """Vertical load N, push H downhill: slides at H = N tan(phi - slope); uphill at N tan(phi + slope)."""
    friction = 0.6
    phi = math.atan(friction)
    labels = hold_on_plane(foot, slope, [math.pi, 0.0], friction=friction)
    exact = [math.tan(phi - slope), math.tan(phi + slope)]
    record_property(f"foothold.rig.incline_{foot.name}_{100 * slope:.0f}", (labels.hold / exact).tolist())
    assert labels.hold == pytest.approx(exact, rel=SLACK[foot.name] + 0.04)


def test_a_level_height_field_holds_about_as_much_as_a_plane():
    """Pads catch on the edges between triangles: docs/foothold_physics.md says by how much."""
    level = ElevationMap(heights=np.zeros((121, 121)), cell=0.01, origin=(-0.6, -0.6))
    assert hold(BALL, level, [0.0, 2.0], friction=0.6).hold == pytest.approx(0.6, rel=0.1)
    assert hold(FOOT, level, [0.0, math.pi], friction=0.6).hold == pytest.approx(0.6, rel=0.3)


def test_an_incline_steeper_than_friction_is_no_foothold():
    labels = hold(BALL, plane(0.5), [0.0, math.pi], friction=0.3)
    assert (labels.hold == 0).all() and labels.settle.min() > 0.02


def test_a_softfoot_q_tips_sideways():
    """The sole tips about its edge when the push at the roll hinges, h above the ground, exceeds load * width / 2h."""
    labels = hold_on_plane(FOOT, 0.0, [math.pi / 2, -math.pi / 2], friction=1.4)
    along = hold_on_plane(FOOT, 0.0, [0.0], friction=1.4).hold[0]
    rod = 0.8 * min(FOOT.pad_depth, FOOT.width / 2)
    edge = (FOOT.width / 2 - rod) / (FOOT.sole_height - FOOT.ankle_drop - FOOT.roll_drop)
    assert labels.hold[0] == pytest.approx(labels.hold[1], rel=0.05)
    assert labels.hold[0] == pytest.approx(edge, rel=0.15) and labels.hold[0] < 0.8 * along


def test_slip_grows_with_slope_and_is_along_it():
    slips = [hold(BALL, plane(s), [math.pi], friction=0.5).slip[0] for s in (0.0, 0.1, 0.2)]
    assert slips[0] < slips[1] < slips[2]


def bumpy(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    return 0.02 * np.sin(11 * x + 0.4) * np.cos(9 * y - 0.7) + 0.1 * x * y


@pytest.mark.parametrize(("axes", "slack"), [((0, 1), 0.002), ((0,), 0.08), ((1,), 0.08)])
def test_mirrored_ground_gives_mirrored_labels(axes, slack):
    """Half a turn maps the triangles of a height field on themselves; a mirror does not, up to their diagonals."""
    ground = ElevationMap.from_function(bumpy, x=(-0.4, 0.4), y=(-0.4, 0.4), cell=0.02)
    other = replace(ground, heights=np.flip(ground.heights, axes))
    start = pushed([0.4, 1.9], at=(0.0, 0.0))
    way = np.stack([np.cos(start.direction), np.sin(start.direction)])
    way[[1 - axis for axis in axes]] *= -1
    mirrored = replace(start, direction=np.arctan2(way[1], way[0]))
    presser = Presser(BALL, PhysicsConfig(), threads=1)
    here, there = (presser.press_on(g, s)[0] for g, s in ((ground, start), (other, mirrored)))
    assert here.hold == pytest.approx(there.hold, abs=slack)
    assert here.settle == pytest.approx(there.settle, abs=slack / 40)


def test_the_ground_decides_friction_for_every_foot():
    model = PushRig(friction=0.37).model(feet.get("flat"), plane(0.0))
    ground = model.geom("ground")
    assert ground.priority[0] == 1 and ground.friction[0] == pytest.approx(0.37)
    assert model.geom_priority.sum() == 1


def test_push_grows_from_nothing_to_its_end():
    rig = PushRig()
    ratio = push_ratio(rig, np.arange(rig.samples))
    assert ratio[: rig.settle_samples].max() == 0 and ratio[-1] == pytest.approx(rig.push_ratio)
    assert (np.diff(ratio) >= 0).all()


def test_support_area_of_known_points():
    square = np.array([[0, 0], [0.1, 0], [0.1, 0.2], [0, 0.2], [0.05, 0.1]])
    points = np.concatenate([square, square[:1]])
    area, spread = support(points, np.full(6, 10.0), np.array([0] * 5 + [1]), np.array([50.0, 10.0]))
    assert area == pytest.approx([0.02, 0.0])
    assert spread[0] == pytest.approx(math.sqrt(4 / 5 * (0.05**2 + 0.1**2))) and spread[1] == 0
    unloaded, _ = support(square, np.array([10, 10, 1e-4, 10, 10.0]), np.zeros(5, int), np.array([40.0]))
    assert unloaded[0] < 0.02


def test_worst_direction_of_a_harmonic():
    rng = np.random.default_rng(0)
    direction = rng.uniform(0, 2 * math.pi, (5, 1)) + np.arange(8) * math.pi / 4
    values = 0.5 + 0.2 * np.cos(direction - 1.0)
    assert worst(values, direction) == pytest.approx(0.3, abs=1e-6)
    values[0, 3] = np.nan
    assert worst(values, direction)[0] == pytest.approx(0.3, abs=1e-6)
    values[1, 2:] = np.nan
    assert np.isnan(worst(values, direction)[1])


def test_mosaics_are_what_they_say():
    first, again, other = make_mosaic(SMALL), make_mosaic(SMALL), make_mosaic(SMALL, 1)
    assert first.ground == again.ground and first.ground != other.ground
    assert [*first.kinds, *other.kinds] == list(range(8))
    # A map's cell is the mean of the ground around its middle.
    grid = first.map(3)
    x, y = grid.position(4, 7)
    step = SMALL.step
    shares = ((-1, 0.25), (0, 0.5), (1, 0.25))
    around = [first.ground.at(x + i * step, y + j * step) * a * b for i, a in shares for j, b in shares]
    assert grid.heights[4, 7] == pytest.approx(sum(around), abs=1e-9)
    assert set(HELD_OUT) | set(FITTING) == set(RELIEFS) and not set(HELD_OUT) & set(FITTING)
    assert sorted(kind for fold in FOLDS for kind in fold) == sorted(RELIEFS)


def test_kinds_that_are_held_out_together_are_laid_on_each_other_only(monkeypatch):
    config = replace(SMALL, kinds=("slope", "steps", "flat"), blend=1.0)
    asked: list[str] = []
    for kind in RELIEFS:
        monkeypatch.setitem(RELIEFS, kind, lambda u, v, rng, cell, kind=kind: asked.append(kind) or 0.01 * u)
    for seed in range(20):
        mosaic._tile(config, "slope", np.random.default_rng(seed))
    assert asked[::2] == ["slope"] * 20 and set(asked[1::2]) == {"slope", "steps"}
    asked.clear()
    plain = mosaic._tile(replace(config, blend=0.0), "slope", np.random.default_rng(0))
    assert asked == ["slope"] and plain.std() > 0


def test_data_sets_of_other_kinds_are_joined_by_name(pressed):
    some = replace(pressed, kinds=pressed.kinds[::-1])
    both = PhysicsData.joined([pressed, some])
    names = np.array(both.kinds)[both.foothold_kind]
    count = len(pressed)
    assert (names[:count] == np.array(pressed.kinds)[pressed.foothold_kind]).all()
    assert (names[count:] == np.array(some.kinds)[some.foothold_kind]).all()
    assert both.maps[both.tile[count]] == pytest.approx(some.maps[some.tile[0]])
    with pytest.raises(InvalidInput, match="directions"):
        PhysicsData.joined([pressed, replace(pressed, direction=pressed.direction[:, :2])])


@pytest.mark.parametrize("what", ["QPOS", "QVEL", "QACC"])
def test_a_press_that_mujoco_put_back_has_failed(what, monkeypatch):
    """MuJoCo starts such a press anew and goes on; its readings would be those of a foot in the air."""
    stepped, kind = mujoco.mj_step, int(getattr(mujoco.mjtWarning, f"mjWARN_BAD{what}"))

    def bad(model, data, steps):
        stepped(model, data, steps)
        data.warning[kind].number += 1

    monkeypatch.setattr(mujoco, "mj_step", bad)
    labels, traces = Presser(BALL, PhysicsConfig(), threads=1).press_on(plane(0.0), pushed([0.0]))
    assert not traces.ok.any() and np.isnan(labels.hold).all()


def test_presses_go_all_around_with_all_loads():
    mosaic, plan = make_mosaic(SMALL), PressPlan(footholds=5)
    chosen = place(mosaic, plan)
    start = presses(mosaic, chosen, plan)
    assert len(chosen) == 20 and len(start) == 160
    load, direction = start.load.reshape(20, 8), start.direction.reshape(20, 8)
    assert np.sort(load, axis=1) == pytest.approx(np.tile(np.linspace(110, 220, 8), (20, 1)))
    assert np.diff(direction, axis=1) == pytest.approx(math.pi / 4)
    centre = mosaic.map(int(chosen.tile[7])).position(int(chosen.row[7]), int(chosen.column[7]))
    assert abs(start.x[56:64].mean() - centre[0]) < 0.01 and abs(start.y[56:64].mean() - centre[1]) < 0.01


@pytest.fixture(scope="module")
def pressed() -> PhysicsData:
    config = PhysicsConfig(mosaic=SMALL, plan=PressPlan(footholds=2, directions=4))
    presser = Presser(BALL, config, threads=2)
    return PhysicsData.joined([presser.footholds(number) for number in range(3)])


def test_a_data_set_is_read_as_it_was_written(pressed, tmp_path):
    path = pressed.save(tmp_path / "pressed.npz", foot="ball")
    again = load_physics(path)
    assert again.maps == pytest.approx(pressed.maps, abs=1e-6) and again.card["foot"] == "ball"
    assert again.labels.hold == pytest.approx(pressed.labels.hold, abs=2e-3)
    assert again.windows(5, 7) == pytest.approx(pressed.windows(5, 7), abs=1e-6)
    one = pressed.windows(5, 7)[11]
    tile, row, column = (int(getattr(pressed, name)[11]) for name in ("tile", "row", "column"))
    at = pressed.maps[tile]
    assert one[2 + 1, 3 - 2] == pytest.approx(at[row + 1, column - 2] - at[row, column])
    only = pressed.of_kinds(("rough",))
    assert 0 < len(only) < len(pressed) and set(np.array(only.kinds)[only.foothold_kind]) == {"rough"}


def test_files_that_are_no_data_or_no_score(tmp_path):
    wrong = tmp_path / "wrong.npz"
    np.savez(wrong, a=1)
    for read in (load_physics, load_model, load_sole):
        with pytest.raises(InvalidInput, match="wrong.npz"):
            read(wrong)
        with pytest.raises(InvalidInput):
            read(tmp_path / "missing.npz")
    (tmp_path / "sole.json").write_text('{"kind": "soft", "lenght": 1}')
    with pytest.raises(InvalidInput, match="lenght"):
        load_sole(tmp_path / "sole.json")


def test_pressing_a_map_of_ones_own():
    x = (np.arange(16) - 8) * 0.02
    heights = np.where(x > 0.0, np.tan(0.45) * x, 0.0) * np.ones((16, 1))
    config = PhysicsConfig(plan=PressPlan(directions=4), rig=PushRig(friction=0.6))
    found = press_map(ElevationMap(heights=heights, cell=0.02), BALL, config, every=4, edge=3)
    assert found.labels.hold.shape == (3, 3) and np.isfinite(found.labels.hold).all()
    level, steep = found.labels.hold[:, 0], found.labels.hold[:, 2]
    assert level.min() > 0.35 and steep.max() < 0.3
    with pytest.raises(InvalidInput, match="NaN"):
        press_map(ElevationMap(heights=np.where(heights > 0.03, np.nan, heights), cell=0.02), BALL)


@pytest.mark.parametrize(
    ("make", "name"),
    [
        (lambda: MosaicConfig(kinds=("lava",)), "kinds"),
        (lambda: MosaicConfig(blend=2.0), "blend"),
        (lambda: PressPlan(directions=3), "directions"),
        (lambda: PressPlan(load=(200.0, 100.0)), "load"),
        (lambda: PushRig(timestep=0.1), "timestep"),
        (lambda: Presser(BALL, PhysicsConfig(), "abacus"), "engine"),  # type: ignore[arg-type]
    ],
)
def test_bad_settings_are_named(make, name):
    with pytest.raises(InvalidInput, match=name):
        make()


def test_press_on_the_command_line(tmp_path, capsys):
    out = tmp_path / "pressed"
    args = ["--tiles", "2", "--footholds", "2", "--directions", "4", "--foot", "ball", "--json"]
    assert run(["foothold", "press", *args, "--out", str(out)]) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["footholds"] == 8 and record["presses"] == 32
    assert {p.name for p in out.iterdir()} >= {"pressed_000.npz", "kinds.csv", "kinds.png", "config.json"}


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["press", "--foot", "hoof"], "hoof"),
        (["press", "--kinds", "lava"], "lava"),
        (["press", "--rig", "friction=-1"], "friction"),
        (["calibrate", "nothing.npz"], "nothing.npz"),
        (["map", "stairs", "--sole", "nothing.json"], "nothing.json"),
    ],
)
def test_bad_input_is_exit_code_2(args, words, tmp_path, capsys):
    assert run(["foothold", *args, "--out", str(tmp_path / "out")]) == 2
    assert words in capsys.readouterr().err and not (tmp_path / "out").exists()


@pytest.mark.long
def test_warp_gives_the_labels_of_mujoco(monkeypatch):
    pytest.importorskip("mujoco_warp", reason="MuJoCo Warp (extra `gpu`) is not installed")
    from plantar.sweep.engines import gpu  # noqa: PLC0415

    monkeypatch.setenv(gpu.DEVICE, "cpu")
    config = PhysicsConfig(mosaic=replace(SMALL, cells=6, rim=6), plan=PressPlan(footholds=2, directions=4))
    ours, theirs = Presser(FOOT, config, threads=2), Presser(FOOT, config, "gpu", worlds=32)
    for number in range(2):
        a, b = ours.footholds(number), theirs.footholds(number)
        gap = np.abs(a.presses["hold"] - b.presses["hold"])
        assert np.median(gap) < 0.05 and scores.spearman(a.presses["slip"].ravel(), b.presses["slip"].ravel()) > 0.9
        # A world that fails does not spoil the next press in its place.
        data = theirs._runner._d
        for name in ("qpos", "qvel"):
            spoilt = getattr(data, name).numpy().copy()
            spoilt[1] = np.nan
            getattr(data, name).assign(spoilt)
        theirs._runner._mjw.step(theirs._runner._m, data)
