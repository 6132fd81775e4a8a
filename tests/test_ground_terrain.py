"""Terrains: what MuJoCo sees is what the map says, randomness is repeatable, files bring them back."""

from __future__ import annotations

import math

import mujoco
import numpy as np
import pytest

from plantar.errors import InvalidInput
from plantar.ground import (
    Bars,
    Cobbles,
    Course,
    ElevationMap,
    Flat,
    Ground,
    HeightField,
    Patch,
    Patches,
    Plates,
    Potholes,
    Relief,
    Rough,
    Rubble,
    Slope,
    Stairs,
    SteppingStones,
    Steps,
    Terrain,
    Trenches,
    make,
)
from plantar.ground.terrain.fields import cell_advice, random_field
from plantar.ground.terrain.pieces import Block, Log

SOFT = Ground(name="soft", solref=(-800.0, -50.0), solimp=(0.0, 0.95, 0.01, 0.5, 2.0), impratio=1000.0)
_rng = np.random.default_rng(5)

TERRAINS = {
    "flat": Flat(),
    "slope": Slope(angle=0.2, cross=-0.1),
    "ramp": Slope(angle=0.3, length=0.7, plateau=0.5),
    "bars": Bars(positions=(0.2, 0.5), height=0.02, width=0.03),
    "random bars": Bars(shape="half_cylinder", height=0.03, width=0.12, scatter=0.5, turn=0.4, count=7, seed=3),
    "oblique bars": Bars(yaw=0.5, height=0.02, count=3),
    "bars under one foot": Bars(side="alternate", length=0.5, height=0.02, count=4),
    "steps": Steps(heights=(0.005, 0.0, 0.02)),
    "stairs": Stairs(),
    "stairs with edges": Stairs(edge=0.03),
    "cobbles": Cobbles(length=0.6, width=0.5),
    "plates": Plates(rows=3),
    "flat plates": Plates(rows=2, rocking=False, turn=0.5),
    "trenches": Trenches(seed=2),
    "rubble": Rubble(seed=3),
    "potholes": Potholes(seed=4),
    "relief": Relief(pattern="bumps", side=1.5, flat=0.3, seed=1),
    "rising": Rough(rms=0.02, size=(1.5, 1.0), rising=1.0, seed=4),
    "stones": SteppingStones(scatter=0.03),
    "round stones": SteppingStones(shape="round", columns=3, seed=2),
    "rough": Rough(rms=0.02, size=(1.5, 1.0), flat=0.2, border=0.2, seed=4),
    "map": HeightField(grid=ElevationMap(origin=(0.3, -0.2), cell=0.05, heights=_rng.normal(0, 0.03, (11, 17)))),
    "patches": Patches(patches=(Patch(x=(0, 1), ground=SOFT), Patch(x=(0.5, 0.8), y=(0, 0.5), height=0.02))),
    "course": Course(parts=(Bars(), Stairs(start=0.0), Bars(ground=SOFT)), offsets=(0.0, 2.5, -3.0)),
}


def compiled(terrain: Terrain) -> tuple[mujoco.MjModel, mujoco.MjData, list[str]]:
    spec = mujoco.MjSpec()
    names = terrain.add(spec)
    model = spec.compile()
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    return model, data, names


def ray_height(model: mujoco.MjModel, data: mujoco.MjData, x: float, y: float) -> float:
    geom = np.zeros(1, np.int32)
    distance = mujoco.mj_ray(model, data, np.array([x, y, 5.0]), np.array([0.0, 0.0, -1.0]), None, 1, -1, geom)
    return 5.0 - distance if distance >= 0 else -math.inf


@pytest.mark.parametrize("name", TERRAINS)
def test_rays_meet_the_ground_where_the_map_says(name, record_property):
    terrain = TERRAINS[name]
    model, data, _ = compiled(terrain)
    (x0, x1), (y0, y1) = terrain.extent()
    points = np.random.default_rng(0).uniform((x0, y0), (x1, y1), (400, 2))
    seen = np.array([ray_height(model, data, *point) for point in points])
    told = terrain.elevation(points[:, 0], points[:, 1])
    # a ray within a micrometre of an edge may fall on either side of it
    off = ~np.isclose(seen, told, atol=2e-6)
    apart = np.abs((seen - told)[~off & np.isfinite(told)])
    numbers = {"kind": terrain.kind, "rays": len(points), "off": int(off.sum()), "most": float(apart.max())}
    record_property(f"ground.rays.{name.replace(' ', '_')}", numbers)
    assert off.sum() <= 1, (points[off], seen[off], told[off])
    assert np.isfinite(told).mean() > 0.9


@pytest.mark.parametrize("name", TERRAINS)
def test_plain_data_brings_it_back(name, tmp_path):
    terrain = TERRAINS[name]
    again = Terrain.load(terrain.save(tmp_path / "terrain.json"))
    assert again == terrain
    assert type(again) is type(terrain)


@pytest.mark.parametrize("name", TERRAINS)
def test_every_geom_carries_its_ground(name):
    terrain = TERRAINS[name]
    model, _, names = compiled(terrain)
    for piece, geom in zip(terrain.pieces(), names, strict=True):
        i = model.geom(geom).id
        assert model.geom_solref[i].tolist() == list(piece.ground.solref)
        assert model.geom_priority[i] == piece.ground.priority
    assert model.opt.impratio == max(piece.ground.impratio for piece in terrain.pieces())
    assert len(set(names)) == len(names) == model.ngeom


def test_a_grid_has_the_heights_of_the_terrain():
    terrain = Stairs()
    grid = terrain.elevation_map(cell=0.02)
    x, y = np.meshgrid(grid.x, grid.y)
    assert np.array_equal(grid.heights, terrain.elevation(x, y))
    assert grid.heights.max() == pytest.approx(0.6)
    assert grid.heights.min() == 0


def test_pits_have_a_floor_on_the_map():
    scan = TERRAINS["map"]
    grid = scan.elevation_map(cell=0.05, x=(0.0, 0.5), y=(-0.2, 0.2), pit=-0.4)
    assert grid.heights[0, 0] == -0.4


def test_a_map_survives_its_file(tmp_path):
    grid = TERRAINS["rough"].field()
    assert ElevationMap.load(grid.save(tmp_path / "map.npz")) == grid


@pytest.mark.parametrize("pattern", ["bumps", "hollows", "rubble", "planks"])
def test_a_large_relief_is_as_uneven_far_out_as_in_its_middle(pattern):
    ratios = []
    for seed in range(3):
        z = Relief(pattern=pattern, side=8.0, cell=0.04, seed=seed).field().heights
        ratios.append(z[5:-5, 5:30].std() / z[5:-5, 80:121].std())
    assert 0.5 < np.median(ratios) < 2


def test_seeds_decide_everything():
    first, second = Rough(seed=1), Rough(seed=1)
    assert np.array_equal(first.field().heights, second.field().heights)
    assert not np.array_equal(first.field().heights, Rough(seed=2).field().heights)
    assert Bars(seed=1).places() == Bars(seed=1).places() != Bars(seed=2).places()


@pytest.mark.parametrize("spectrum", ["gaussian", "exponential"])
def test_random_fields_have_the_roughness_asked_for(spectrum):
    length, lags = 12.0, (6, 12, 24)
    measured = []
    for seed in range(20):
        field = random_field((400, 400), rms=0.013, correlation=length, spectrum=spectrum, seed=seed)
        assert field.std() == pytest.approx(0.013, rel=1e-12)
        assert abs(field.mean()) < 1e-12
        along = [(field[:, k:] * field[:, :-k]).mean() for k in lags]
        across = [(field[k:] * field[:-k]).mean() for k in lags]
        measured.append([along, across])
    shape = np.mean(measured, axis=0) / 0.013**2
    power = 2 if spectrum == "gaussian" else 1
    expected = np.exp(-((np.array(lags) / length) ** power))
    # taking the mean of a patch away lowers every correlation by about (pi or 2 pi) L^2 / patch
    assert shape == pytest.approx(np.stack([expected, expected]), abs=0.03)


def test_opposite_edges_of_a_random_field_do_not_know_of_each_other():
    both = [random_field((64, 64), rms=1.0, correlation=8, seed=s)[:, [0, -1]] for s in range(60)]
    values = np.concatenate(both)
    assert abs(np.corrcoef(values.T)[0, 1]) < 0.15


def test_roughness_stays_out_of_the_flat_circle_and_the_border():
    terrain = TERRAINS["rough"]
    angle = np.linspace(0, 2 * np.pi, 50)
    assert abs(terrain.elevation(0.15 * np.cos(angle), 0.15 * np.sin(angle))).max() < 1e-12
    (x0, _), _ = terrain.extent()
    assert abs(terrain.elevation(x0, np.linspace(-0.4, 0.4, 9))).max() < 1e-12
    # just beyond it there is level ground to walk on
    assert terrain.elevation(x0 - 0.2, 0.0) == 0


@pytest.mark.parametrize("size", [(1.0, 1.0), (1.01, 0.98), (1.0, 0.97)])
def test_no_crevice_is_around_a_rough_field_whose_size_is_no_multiple_of_its_cell(size):
    rough = Rough(size=size, cell=0.03, border=0.2, start=0.0)
    (x0, x1), (y0, y1) = rough.extent()
    x, y = np.meshgrid(np.linspace(x0 - 0.05, x1 + 0.05, 301), np.linspace(y0 - 0.05, y1 + 0.05, 301))
    assert np.isfinite(rough.elevation(x, y)).all()
    grid = rough.field()
    assert (grid.x[-1], grid.y[0], grid.y[-1]) == pytest.approx((x1, y0, y1)) and y0 == -y1


def test_a_ball_comes_to_rest_on_every_patch_at_its_own_depth():
    soft = Ground(name="soft", solref=(-2060.1, -90.8), solimp=(0.0, 0.95, 0.02, 0.5, 2.0))
    hard = Ground(name="hard", solref=(-1e5, -600.0), solimp=(0.9, 0.95, 0.001, 0.5, 2.0))
    spec = mujoco.MjSpec()
    Patches(ground=hard, patches=(Patch(x=(0.5, 1.5), ground=soft),)).add(spec)
    for i, x in enumerate((0.0, 1.0)):
        body = spec.worldbody.add_body(name=f"ball{i}", pos=[x, 0, 0.03])
        body.add_freejoint()
        body.add_geom(type=mujoco.mjtGeom.mjGEOM_SPHERE, size=[0.03, 0, 0], mass=1.0)
    model = spec.compile()
    data = mujoco.MjData(model)
    mujoco.mj_step(model, data, 2000)
    depths = 0.03 - data.qpos[[2, 9]]
    assert depths[1] == pytest.approx(0.010, rel=1e-3)
    assert depths[0] < 2e-5


def test_patches_cover_the_area_once():
    terrain = TERRAINS["patches"]
    blocks = [p for p in terrain.pieces() if isinstance(p, Block)]
    area = sum(b.size[0] * b.size[1] for b in blocks)
    (x0, x1), (y0, y1) = (-3.0, 4.0), (-4.0, 4.0)
    assert area == pytest.approx((x1 - x0) * (y1 - y0))
    assert terrain.ground_at(0.2, 0.0) == SOFT
    assert terrain.ground_at(0.6, 0.2) == Ground()


def test_planes_of_the_robot_are_replaced_unless_kept():
    for replaced, count in ((True, 1), (False, 2)):
        spec = mujoco.MjSpec()
        spec.worldbody.add_geom(name="floor", type=mujoco.mjtGeom.mjGEOM_PLANE, size=[1, 1, 1])
        SteppingStones(rows=1, columns=1).add(spec, replace_planes=replaced)
        model = spec.compile()
        assert sum(model.geom_type == mujoco.mjtGeom.mjGEOM_PLANE) == count


def test_a_box_rests_on_a_half_cylinder_at_its_height():
    bar = Bars(positions=(0.0,), shape="half_cylinder", height=0.02, width=0.10)
    (piece,) = bar.pieces()[1:]
    assert isinstance(piece, Log)
    assert piece.radius == pytest.approx((0.05**2 + 0.02**2) / 0.04)
    assert bar.elevation(0.05 + 1e-9, 0.0) == 0
    assert bar.elevation(0.0, 0.0) == pytest.approx(0.02)
    slim = Bars(positions=(0.0,), shape="half_cylinder", height=0.02)
    assert isinstance(round_bar := slim.pieces()[1], Log)
    assert round_bar.radius == pytest.approx(0.02)


def test_cells_finer_than_the_contact_limit_are_told():
    assert cell_advice(0.05, (0.1, 0.05)) == ""
    assert "50 contacts" in cell_advice(0.005, (0.25, 0.12))


@pytest.mark.parametrize(
    ("kind", "fields", "word"),
    [
        ("bar", {}, "bars"),
        ("bars", {"height": -0.01}, "height"),
        ("bars", {"shape": "half_cylinder", "width": 0.01, "height": 0.02}, "width"),
        ("bars", {"hight": 0.01}, "hight"),
        ("slope", {"angle": 10.0}, "60 degrees"),
        ("stones", {"jitter": 0.2}, "overlap"),
        ("rough", {"cell": 0.2}, "correlation"),
        ("rough", {"seed": -1}, "seed"),
        ("stairs", {"count": 0}, "count"),
        ("cobbles", {"diameter": 0.08, "length": 0.05}, "room"),
        ("steps", {"heights": [-0.01]}, "heights"),
        ("patches", {}, "patches"),
        ("heightfield", {}, "grid"),
        ("course", {"parts": [{"kind": "bars"}], "offsets": [0.0, 1.0]}, "offsets"),
    ],
)
def test_bad_fields_are_named(kind, fields, word):
    with pytest.raises(InvalidInput, match=word):
        make(kind, **fields)


def test_grounds_that_need_different_options_do_not_meet():
    other = Ground(cone="pyramidal")
    with pytest.raises(InvalidInput, match="cone"):
        Patches(patches=(Patch(x=(0, 1), ground=other),)).add(mujoco.MjSpec())


@pytest.mark.parametrize("rocking", [False, True])
def test_loose_plates_rest_until_they_are_stepped_on(rocking):
    plates = Plates(rows=2, rocking=rocking, height=0.02)
    model, data, names = compiled(plates)
    start = data.qpos.copy()
    while data.time < 1.0:
        mujoco.mj_step(model, data)
    moved = np.abs(data.qpos - start).reshape(-1, 7)
    assert moved[:, :3].max() < 1.5e-3 and moved[:, 3:].max() < 0.01, "they lie where they were put"
    assert np.abs(data.qvel).max() < 1e-2
    body = model.body(next(n for n in names if "plate" in n)).id
    # 4 N on the edge that is up turn a rocking plate over its bar, and leave a flat one lying
    before = data.xmat[body].reshape(3, 3)[:, 0].copy()
    edge = 0.07 * (1.0 if before[2] >= 0 else -1.0)
    for _ in range(300):
        point = data.xpos[body] + edge * data.xmat[body].reshape(3, 3)[:, 0]
        data.qfrc_applied[:] = 0
        mujoco.mj_applyFT(model, data, np.array([0, 0, -4.0]), np.zeros(3), point, body, data.qfrc_applied)
        mujoco.mj_step(model, data)
    turned = math.acos(min(1.0, float(before @ data.xmat[body].reshape(3, 3)[:, 0])))
    assert turned == pytest.approx(2 * math.atan2(0.01, 0.075), rel=0.15) if rocking else turned < 0.02


def test_rigid_and_yielding_ground_answer_to_the_same_calls(tmp_path):
    for terrain in (make("flat"), make("yielding", size=[0.6, 0.4]), Stairs()):
        again = Terrain.load(terrain.save(tmp_path / "terrain.json"))
        assert again == terrain
        spec = mujoco.MjSpec()
        body = spec.worldbody.add_body(name="foot", pos=[0, 0, 0.1])
        body.add_freejoint()
        body.add_geom(type=mujoco.mjtGeom.mjGEOM_BOX, size=[0.05, 0.03, 0.01], mass=2.0)
        carriers = terrain.add(spec)
        model = spec.compile()
        data, tracks = mujoco.MjData(model), terrain.attach(model, ["foot"])
        yields = terrain.kind == "yielding"
        assert (tracks is not None) == yields and bool(carriers) != yields
        while data.time < 1.0:
            tracks.step(data) if tracks else mujoco.mj_step(model, data)
        sunk = 0.01 - float(data.xpos[1, 2])
        assert 2e-4 < sunk < 0.03 if yields else abs(sunk) < 2e-4
        assert terrain.elevation(0.0, 0.0) == 0 and terrain.elevation_map().unknown == 0


def test_edges_of_stairs_overhang():
    plain, lipped = Stairs(), Stairs(edge=0.03)
    x = plain.start - 0.01
    assert plain.elevation(x, 0.0) == 0 and lipped.elevation(x, 0.0) == pytest.approx(0.15)
    model, data, _ = compiled(lipped)
    geom = np.zeros(1, np.int32)
    ahead = mujoco.mj_ray(model, data, np.array([0.0, 0.0, 0.05]), np.array([1.0, 0, 0]), None, 1, -1, geom)
    assert ahead == pytest.approx(plain.start), "below the edge a toe meets the riser"


def test_stairs_that_lead_down_again_are_the_same_backwards():
    stairs = Stairs(rise=0.1, run=0.3, count=3, landing=0.6, edge=0.05, start=0.0)
    model, data, _ = compiled(stairs)
    end = 2 * 2 * 0.3 + 0.6
    for x in np.linspace(-0.1, end / 2, 73):
        assert ray_height(model, data, float(x), 0.0) == pytest.approx(ray_height(model, data, float(end - x), 0.0))


@pytest.mark.parametrize(("length", "width", "stones"), [(0.6, 0.6, 9), (0.3, 0.6, 3), (0.2, 0.2, 1)])
def test_as_many_cobbles_as_there_is_room_for(length, width, stones):
    """0.6 / 0.2 is a little less than 3."""
    assert len(Cobbles(length=length, width=width, diameter=0.2, height=0.01).pieces()) == 1 + stones


@pytest.mark.parametrize("cell", [0.005, 0.01, 0.02])
def test_stairs_have_no_crack_where_two_blocks_meet(cell):
    for stairs in (Stairs(), Stairs(start=0.3, run=0.28), Stairs(rise=0.1, run=0.1, count=6)):
        row = stairs.elevation_map(cell=cell)
        along = row.heights[row.shape[0] // 2]
        top = int(along.argmax())
        assert (np.diff(along[: top + 1]) >= 0).all() and along.max() == pytest.approx(stairs.count * stairs.rise)
        end = len(along) - int(along[::-1].argmax()) - 1
        assert (np.diff(along[end:]) <= 0).all() and (along[top : end + 1] == along.max()).all()


def test_bars_under_one_foot_end_at_the_middle():
    bars = Bars(side="left", positions=(0.5,), length=0.4, height=0.02)
    assert bars.elevation(0.5, 0.2) == pytest.approx(0.02) and bars.elevation(0.5, -0.05) == 0
    turns = Bars(side="alternate", positions=(0.5, 0.8), length=0.4, height=0.02)
    assert turns.elevation([0.5, 0.8], [0.2, -0.2]) == pytest.approx(0.02)
    assert turns.elevation([0.5, 0.8], [-0.2, 0.2]) == pytest.approx(0.0)


def test_a_rising_field_grows_along_the_way():
    field = Rough(rms=0.02, size=(4.0, 2.0), start=0.0, rising=4.0, seed=1).field()
    spread = [field.heights[:, i : i + 40].std() for i in (0, 80, 160)]
    assert np.all(field.heights[:, 0] == 0) and spread[0] < 0.6 * spread[1] and spread[1] < 0.8 * spread[2]
