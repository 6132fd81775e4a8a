"""Ground that keeps its footprint: Bekker on first loading, stiffer the second time, never a gain of energy."""

from __future__ import annotations

import copy
import importlib.util
import json
from pathlib import Path

import mujoco
import numpy as np
import pytest

from plantar import robots
from plantar.cli.app import run
from plantar.errors import InvalidInput
from plantar.ground import Ground
from plantar.ground.soil import loop
from plantar.ground.soil.loop import AREA as AREA_COLUMN
from plantar.ground.soil.tracks import Tracks
from plantar.ground.soil.yielding import YieldingGround, load_ground

SAND = YieldingGround.of("dry_sand", size=(1.0, 0.6), origin=(-0.5, -0.3))
HALF = (0.025, 0.02, 0.01)
AREA = 4 * HALF[0] * HALF[1]
GIRTH = 4 * (HALF[0] + HALF[1])


def law(ground, area=AREA, diameter=4 * AREA / GIRTH):
    """The law of the plate: its equivalent diameter, from its moments, is 10 % above four areas over its girth."""
    return ground.law(area=area, diameter=1.1 * diameter)


def plate(ground=SAND, *, mass=0.9, pos=(0.0, 0.0, 0.01), joint="free", timestep=1e-3, quat=(1, 0, 0, 0), geom="box"):
    """A box, or another shape, over the ground."""
    spec = mujoco.MjSpec()
    spec.option.timestep = timestep
    ground.add(spec)
    body = spec.worldbody.add_body(name="foot", pos=pos, quat=quat)
    if joint == "free":
        body.add_freejoint()
    else:
        body.add_joint(name="z", type=mujoco.mjtJoint.mjJNT_SLIDE, axis=[0, 0, 1])
    kind, size = (mujoco.mjtGeom.mjGEOM_BOX, HALF) if geom == "box" else (mujoco.mjtGeom.mjGEOM_SPHERE, (0.03, 0, 0))
    body.add_geom(type=kind, size=size, mass=mass)
    model = spec.compile()
    return model, mujoco.MjData(model), ground.attach(model, ["foot"])


def pressed(model, data, tracks, depths):
    """Forces at rest with the body held at depths, one after the other [N]."""
    forces = []
    for depth in depths:
        data.qpos[-1 if model.nq == 1 else 2] = -depth
        data.qvel[:] = 0
        mujoco.mj_forward(model, data)
        tracks.apply(data)
        forces.append(float(tracks.wrench()[2]))
    return np.array(forces)


def energies(model, data, tracks, steps, lost):
    """Mechanical and stored energy before every step; what the ground has lost is added to `lost`."""
    rows = []
    for _ in range(steps):
        mujoco.mj_step1(model, data)
        tracks.apply(data)
        mujoco.mj_energyPos(model, data)
        mujoco.mj_energyVel(model, data)
        rows.append((data.energy.sum(), tracks.stored_energy()))
        lost.append(tracks.lost_energy)
        mujoco.mj_step2(model, data)
    return np.array(rows)


def test_first_loading_is_bekkers_law():
    model, data, tracks = plate(joint="slide")
    depths = np.linspace(0.0005, 0.02, 40)
    assert pressed(model, data, tracks, depths) == pytest.approx(law(SAND).force(depths), rel=1e-4)


def test_it_rebounds_by_its_share_and_is_stiffer_the_second_time():
    model, data, tracks = plate(joint="slide")
    first = pressed(model, data, tracks, np.linspace(0, 0.01, 101))
    back = pressed(model, data, tracks, [0.01, 0.0095, 0.009, 0.0089, 0.005, 0.0])
    assert back[0] == pytest.approx(first[-1])
    assert back[2] == pytest.approx(0, abs=1e-9)  # a tenth of 10 mm has sprung back
    assert back[1] == pytest.approx(first[-1] / 2)
    again = pressed(model, data, tracks, [0.0095, 0.01, 0.012])
    assert again[:2] == pytest.approx([first[-1] / 2, first[-1]])
    # beyond the old depth it is the first time again
    assert again[2] == pytest.approx(float(law(SAND).force(0.012)), rel=1e-4)
    stiff = (again[1] - again[0]) / 0.0005
    assert stiff / ((first[-1] - first[-2]) / 1e-4) == pytest.approx(1 / (SAND.n * SAND.rebound), rel=0.01)


def test_a_plate_sinks_to_bekkers_depth_when_it_is_set_down_gently():
    ground = YieldingGround.of("dry_sand", damping=50.0)
    model, data, tracks = plate(ground)
    tracks.step(data, 1500)
    depth = 0.01 - data.qpos[2]
    assert depth == pytest.approx(law(ground).static_depth(0.9 * 9.81), rel=0.01)
    assert float(tracks.wrench()[2]) == pytest.approx(0.9 * 9.81, rel=1e-3)


@pytest.mark.parametrize("drop", ["flat", "tilted", "sliding", "ball"])
def test_energy_is_never_created(drop, record_property):
    turned = (0.98, 0.15, 0.1, 0.05)
    settings = {"tilted": {"quat": turned}, "ball": {"geom": "ball"}}.get(drop, {})
    model, data, tracks = plate(pos=(0, 0, 0.06), **settings)
    if drop == "sliding":
        data.qvel[:3] = [0.6, 0.2, 0]
    lost = []
    total = energies(model, data, tracks, 1200, lost).sum(axis=1)
    falls = total[0] - total[-1]
    record_property(f"ground.gain.drop_{drop}", {"most": float(-np.diff(lost).min()), "taken": float(lost[-1])})
    assert falls > 0
    # of the ground's own account: to rounding, but for points that hardly touch while the ball turns
    assert np.diff(lost).min() > (-3e-7 if drop == "ball" else -1e-12) * falls
    assert np.diff(total).max() < 1e-4 * falls
    assert (total - np.minimum.accumulate(total)).max() < 1e-3 * falls


def test_the_moment_of_the_ground_counts():
    model, data, tracks = plate(joint="slide", quat=(np.cos(0.05), 0, np.sin(0.05), 0))
    data.qpos[0] = -0.01
    mujoco.mj_forward(model, data)
    tracks.apply(data)
    force, moment = data.xfrc_applied[1, :3], data.xfrc_applied[1, 3:]
    # turned nose down, the front sinks deeper and the ground pushes it back up: a negative moment about y
    assert force[2] > 0
    assert moment[1] < -1e-3 * force[2]
    assert abs(moment[0]) < 1e-9
    # the centre of pressure lies in front, and the force there has that moment
    (point,), (push,), (body,) = tracks.pushes(data)
    assert body == 1 and np.array_equal(push, force) and 0 < point[0] < HALF[0]
    assert np.cross(point - data.xipos[1], push)[:2] == pytest.approx(moment[:2], abs=1e-9)


def test_it_stands_still_on_a_slope():
    model, data, tracks = plate(YieldingGround.of("dry_sand", damping=20.0))
    model.opt.gravity[:] = 9.81 * np.array([np.sin(np.radians(10)), 0, -np.cos(np.radians(10))])
    tracks.step(data, 2000)
    before = data.qpos[:2].copy()
    tracks.step(data, 1000)
    assert np.linalg.norm(data.qpos[:2] - before) < 1e-5


def test_it_slides_where_the_slope_is_steeper_than_the_soil_is_strong():
    weak = YieldingGround.of("dry_sand", cohesion=0.0, friction=0.3)
    model, data, tracks = plate(weak)
    angle = np.radians(30)
    model.opt.gravity[:] = 9.81 * np.array([np.sin(angle), 0, -np.cos(angle)])
    tracks.step(data, 250)
    assert data.qvel[0] > 0.3
    # it digs itself in: sliding soil carries less, and the sand before it piles up
    tracks.step(data, 750)
    assert data.qpos[0] > 0.15 and data.qpos[2] < -0.01
    assert abs(data.qvel[:3]).max() < 0.02


def test_tracks_stay_where_the_foot_was():
    model, data, tracks = plate(joint="slide")
    pressed(model, data, tracks, [0.01, -0.05])
    grid = tracks.elevation()
    inside = (abs(grid.x[None, :]) < HALF[0]) & (abs(grid.y[:, None]) < HALF[1])
    assert grid.heights[inside] == pytest.approx(-0.009)
    # prints reach half a column further than the sole
    beside = (abs(grid.x[None, :]) > HALF[0] + 0.003) | (abs(grid.y[:, None]) > HALF[1] + 0.003)
    assert grid.heights[beside].min() == 0
    tracks.paint()
    assert model.hfield_data.min() == pytest.approx(1 - 0.09, abs=0.03)


def test_fewer_points_press_alike():
    model, data, _ = plate(joint="slide")
    for spacing in (0.003, 0.01, 0.02):
        tracks = Tracks(SAND, model, ["foot"], spacing=spacing)
        assert pressed(model, data, tracks, [0.008])[0] == pytest.approx(float(law(SAND).force(0.008)), rel=1e-3)


def test_what_lies_above_the_sole_does_not_press():
    spec = mujoco.MjSpec()
    SAND.add(spec)
    body = spec.worldbody.add_body(name="foot")
    body.add_joint(name="z", type=mujoco.mjtJoint.mjJNT_SLIDE, axis=[0, 0, 1])
    body.add_geom(type=mujoco.mjtGeom.mjGEOM_BOX, size=HALF)
    body.add_geom(type=mujoco.mjtGeom.mjGEOM_BOX, size=[0.02, 0.01, 0.01], pos=[0, 0, 0.02])
    # two that touch: no side of theirs between them
    body.add_geom(type=mujoco.mjtGeom.mjGEOM_BOX, size=HALF, pos=[2 * HALF[0], 0, 0])
    model = spec.compile()
    data, tracks = mujoco.MjData(model), SAND.attach(model, ["foot"])
    both = law(SAND, 2 * AREA, 8 * AREA / (GIRTH + 4 * HALF[0]))
    assert pressed(model, data, tracks, [0.05])[0] == pytest.approx(float(both.force(0.06)), rel=1e-3)
    sides = abs(tracks.soles.points[:, 5]) < 0.5
    round_about = 2 * HALF[2] * (8 * HALF[0] + 4 * HALF[1])
    assert tracks.soles.points[sides, AREA_COLUMN].sum() == pytest.approx(round_about)


def test_footprints_have_no_holes():
    angle = 0.4
    model, data, tracks = plate(joint="slide", quat=(np.cos(angle / 2), 0, 0, np.sin(angle / 2)))
    coarse = Tracks(SAND, model, ["foot"], spacing=0.012)
    for ground in (tracks, coarse):
        pressed(model, data, ground, [0.01, -0.2])
        grid = ground.elevation()
        x, y = np.meshgrid(grid.x, grid.y)
        along, across = x * np.cos(angle) + y * np.sin(angle), y * np.cos(angle) - x * np.sin(angle)
        inside = (abs(along) < HALF[0] - 1e-4) & (abs(across) < HALF[1] - 1e-4)
        outside = (abs(along) > HALF[0] + 0.006) | (abs(across) > HALF[1] + 0.006)
        assert grid.heights[inside] == pytest.approx(-0.009)
        assert (grid.heights[outside] == 0).all()


@pytest.mark.parametrize("kind", ["plane", "box"])
def test_a_rigid_floor_that_would_carry_the_robot_is_refused_or_cleared(kind):
    spec = mujoco.MjSpec()
    if kind == "plane":
        spec.worldbody.add_geom(name="floor", type=mujoco.mjtGeom.mjGEOM_PLANE, size=[1, 1, 0.1])
    else:
        spec.worldbody.add_geom(name="floor", type=mujoco.mjtGeom.mjGEOM_BOX, size=[1, 1, 0.1], pos=[0, 0, -0.1])
    body = spec.worldbody.add_body(name="foot", pos=[0, 0, 0.01])
    body.add_freejoint()
    body.add_geom(type=mujoco.mjtGeom.mjGEOM_BOX, size=HALF, mass=2.0)
    model = spec.compile()
    with pytest.raises(InvalidInput, match="'floor'.*carry.*floor='clear'"):
        SAND.attach(model, ["foot"])
    held = SAND.attach(model, ["foot"], floor="keep")
    data = mujoco.MjData(model)
    held.step(data, 300)
    assert data.qpos[2] > 0.008
    data, tracks = mujoco.MjData(model), SAND.attach(model, ["foot"], floor="clear")
    tracks.step(data, 300)
    assert data.qpos[2] < 0.007
    SAND.attach(model, ["foot"])  # nothing carries any more


def test_a_hard_layer_below_and_steps_beside_are_no_floor():
    spec = mujoco.MjSpec()
    spec.worldbody.add_geom(name="rock", type=mujoco.mjtGeom.mjGEOM_PLANE, size=[1, 1, 0.1], pos=[0, 0, -0.05])
    spec.worldbody.add_geom(name="step", type=mujoco.mjtGeom.mjGEOM_BOX, size=[0.1, 1, 0.1], pos=[0.5, 0, -0.05])
    body = spec.worldbody.add_body(name="foot", pos=[0, 0, 0.01])
    body.add_freejoint()
    body.add_geom(type=mujoco.mjtGeom.mjGEOM_BOX, size=HALF)
    SAND.attach(spec.compile(), ["foot"])


def test_the_callback_is_the_same_as_stepping():
    model, data, tracks = plate(pos=(0, 0, 0.02))
    tracks.step(data, 300)
    other = mujoco.MjData(model)
    with SAND.attach(model, ["foot"]).installed():
        mujoco.mj_step(model, other, 300)
    assert other.qpos == pytest.approx(data.qpos, abs=1e-12)
    assert mujoco.get_mjcb_passive() is None


def test_the_callback_is_for_one_ground_and_one_force_a_step():
    model, data, tracks = plate()
    with tracks.installed(), pytest.raises(InvalidInput, match="callback"), SAND.attach(model, ["foot"]).installed():
        pass
    model.opt.integrator = mujoco.mjtIntegrator.mjINT_RK4
    with pytest.raises(InvalidInput, match="RK4"), tracks.installed():
        mujoco.mj_step(model, data)


def test_a_state_that_is_restored_goes_on_as_it_did():
    model, data, tracks = plate(pos=(0, 0, 0.02))
    data.qvel[:] = 0.2, 0.1, 0.0, 0.3, 0.5, 0.2
    fresh, start = tracks.state(), copy.copy(data)
    tracks.step(data, 150)
    kept, there = tracks.state(), copy.copy(data)
    tracks.step(data, 100)
    tracks.restore(kept)
    tracks.step(there, 100)
    assert np.array_equal(there.qpos, data.qpos) and np.array_equal(there.qvel, data.qvel)
    lost, heights = tracks.lost_energy, tracks.elevation().heights
    tracks.restore(fresh)
    assert tracks.lost_energy == 0 and not tracks.elevation().heights.any() and not tracks.wrench().any()
    tracks.step(start, 250)
    assert tracks.lost_energy == lost and np.array_equal(tracks.elevation().heights, heights)
    with pytest.raises(InvalidInput, match="surface"):
        tracks.restore({**fresh, "surface": np.zeros(3)})
    with pytest.raises(InvalidInput, match="memory"):
        tracks.restore({name: value for name, value in fresh.items() if name != "memory"})


def test_meshes_and_rods_have_their_areas():
    from plantar.ground.soil.sole_points import sole_points

    spec = mujoco.MjSpec()
    body = spec.worldbody.add_body(name="foot")
    corners = np.array([[x, y, z] for x in (-0.05, 0.05) for y in (-0.03, 0.03) for z in (0, 0.02)])
    spec.add_mesh(name="mesh", uservert=corners.ravel())
    body.add_geom(type=mujoco.mjtGeom.mjGEOM_MESH, meshname="mesh", pos=[0, 0, 0.1])
    body.add_geom(type=mujoco.mjtGeom.mjGEOM_CAPSULE, size=[0.01, 0.03, 0])
    body.add_geom(type=mujoco.mjtGeom.mjGEOM_CYLINDER, size=[0.01, 0.03, 0])
    body.add_geom(type=mujoco.mjtGeom.mjGEOM_ELLIPSOID, size=[0.03, 0.02, 0.01])
    model = spec.compile()
    whole = [2 * (0.1 * 0.06 + 0.1 * 0.02 + 0.06 * 0.02), 2 * np.pi * 0.01 * 0.06 + 4 * np.pi * 1e-4]
    whole += [2 * np.pi * 0.01 * 0.06 + 2 * np.pi * 1e-4]
    for geom, area in enumerate(whole):
        assert sole_points(model, [geom], 0.004).area.sum() == pytest.approx(area, rel=1e-6)
    for geom in range(4):
        points = sole_points(model, [geom], 0.002)
        # the outward areas of a closed surface cancel
        assert (points.area[:, None] * points.normal).sum(axis=0) == pytest.approx(np.zeros(3), abs=3e-5)


def test_files_bring_it_back(tmp_path):
    assert load_ground(SAND.save(tmp_path / "sand.json")) == SAND
    hard = Ground(name="hard")
    assert load_ground(hard.save(tmp_path / "hard.json")) == hard


@pytest.mark.parametrize(
    ("fields", "word"),
    [({"rebound": 0.95}, "rebound"), ({"k_phi": -1.0}, "k_phi"), ({"cell": 1e-5}, "cell"), ({"n": 0.0}, "n")],
)
def test_bad_fields_are_named(fields, word):
    with pytest.raises(InvalidInput, match=word):
        YieldingGround(**fields)


def test_springs_do_not_yield():
    with pytest.raises(InvalidInput, match="dry_sand"):
        YieldingGround.of("soft_rubber")


def test_compiled_and_plain_forces_are_the_same():
    pytest.importorskip("numba")
    model, data, tracks = plate(pos=(0, 0, 0.03), quat=(0.98, 0.15, 0.1, 0.05))
    data.qvel[:3] = [0.6, 0.2, 0]
    names = ("_surface", "_deepest", "_memory", "_total", "force")
    seen = 0
    for _ in range(100):
        mujoco.mj_step1(model, data)
        other = copy.copy(tracks)
        for name in names:
            setattr(other, name, getattr(tracks, name).copy())
        other._loop = loop.press
        other.apply(data)
        slow = data.xfrc_applied.copy()
        tracks.apply(data)
        assert data.xfrc_applied == pytest.approx(slow, abs=1e-9)
        assert tracks.work == pytest.approx(other.work, abs=1e-12)
        assert np.allclose(tracks._memory, other._memory, rtol=0, atol=1e-12)
        assert np.allclose(tracks._deepest, other._deepest, rtol=0, atol=1e-12)
        seen += bool(tracks.force.any())
        mujoco.mj_step2(model, data)
    assert seen > 20


def test_the_command_walks_on_soft_feet_and_writes_a_ground_that_it_reads_again(tmp_path, capsys):
    """Parts of a soft foot are bodies of their own: the ground carries the robot by all of them."""
    out, again = tmp_path / "out", tmp_path / "again"
    few = ["--steps", "1", "--ground-set", "size=[1.2,0.8]", "--ground-set", "origin=[-0.4,-0.4]", "--json"]
    feet = ["--robot", "biped", "--foot", "softfoot:fast"]
    assert run(["ground", "tracks", "--material", "sandy_loam", *feet, *few, "--out", str(out)]) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["status"] == "walked" and record["deepest_track"] > 5e-4
    assert 0 < record["lost"] <= record["work"]
    rows = np.genfromtxt(out / "loads.csv", delimiter=",", names=True)
    weight = 9.81 * robots.mount("biped", "softfoot:fast").model().body_mass.sum()
    assert (rows["load_left"] + rows["load_right"])[-50:].mean() == pytest.approx(weight, rel=0.03)
    assert {"tracks.png", "picture.png", "press_twice.csv", "elevation.npz"} <= {path.name for path in out.iterdir()}
    assert isinstance(load_ground(out / "ground.json"), YieldingGround)
    assert run(["ground", "tracks", "--material", "soft_rubber", "--out", str(again)]) == 2
    Ground().save(tmp_path / "hard.json")
    assert run(["ground", "tracks", "--ground", str(tmp_path / "hard.json"), "--out", str(again)]) == 2
    assert not again.exists()


def example(name):
    path = Path(__file__).resolve().parents[1] / "examples" / name
    found = importlib.util.spec_from_file_location(path.stem, path)
    assert found is not None and found.loader is not None
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


def test_the_examples_run(tmp_path):
    numbers = example("14_footprints.py").main(tmp_path / "a", steps=1)
    assert 0.003 < numbers["deepest"] < 0.1
    assert 0 < numbers["lost"] <= numbers["work"]
    fitted = example("18_terrain_and_fit.py").main(tmp_path / "b")
    assert fitted["stiffness"] == pytest.approx(8e3, rel=0.02)
    assert fitted["damping"] == pytest.approx(60, rel=0.05)
