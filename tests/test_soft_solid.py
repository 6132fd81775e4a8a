"""The solid foot: its mesh, its condensation, its MuJoCo model, and co-simulation."""

from __future__ import annotations

import json

import mujoco
import numpy as np
import pytest
from scipy.sparse.linalg import spsolve

pytest.importorskip("numba")

import plantar  # noqa: E402
from plantar.errors import InvalidInput  # noqa: E402
from plantar.soft.foot.card import solid_card  # noqa: E402
from plantar.soft.foot.condense import condense, linear_stiffness, node_masses  # noqa: E402
from plantar.soft.foot.press import GROUNDS, mujoco_rig, press_fe, press_mujoco  # noqa: E402
from plantar.soft.foot.shape import solid_shape  # noqa: E402
from plantar.soft.foot.solid import SolidFoot  # noqa: E402
from plantar.soft.foot.spec import network, stiffness  # noqa: E402
from plantar.soft.mesh.check import find_faults  # noqa: E402
from plantar.soft.mesh.files import write_mesh  # noqa: E402
from plantar.soft.mesh.mesh import Mesh  # noqa: E402
from plantar.soft.mesh.shapes import box  # noqa: E402

FOOT = SolidFoot(cell=0.016, pads=(6, 2))


def test_it_is_a_foot_like_any_other():
    assert "solid" in plantar.feet.names()
    foot = plantar.feet.get("solid", hardness=40)
    assert isinstance(foot, plantar.feet.SolidFoot)
    assert plantar.feet.SolidFoot.from_dict(foot.to_dict()) == foot
    assert foot.sole_height == 0.0957 and foot.contact_bodies[0] == "pad1"


def test_the_mesh_is_sound_and_its_pads_cover_the_sole():
    shape = solid_shape(SolidFoot(toe_spring=0.006))
    assert find_faults(shape.mesh) == []
    np.testing.assert_allclose(shape.weights.sum(axis=1), 1)
    triangles = shape.mesh.surface("sole")
    a, b, c = (shape.mesh.nodes[triangles[:, i]] for i in range(3))
    assert shape.areas.sum() == pytest.approx(np.linalg.norm(np.cross(b - a, c - a), axis=1).sum() / 2)
    assert len(shape.areas) == 24 and shape.areas.max() < 2 * shape.areas.min()
    assert (np.diff(shape.places[::3, 0]) > 0).all()  # heel first


def test_linear_stiffness_knows_rigid_motion_and_uniaxial_stretch():
    mesh = box((1, 1, 1), (2, 2, 2))
    K = linear_stiffness(mesh, 3.0, 0.25)
    x = mesh.nodes
    for motion in (np.ones_like(x), np.cross([0, 0, 1.0], x), np.cross([1.0, 2, 3], x)):
        assert np.abs(K @ motion.ravel()).max() < 1e-12
    stretch = x * (0.01, -0.0025, -0.0025)  # free sides: stress is E times strain
    force = (K @ stretch.ravel()).reshape(-1, 3)
    assert force[x[:, 0] == 1].sum(axis=0) == pytest.approx([0.03, 0, 0], abs=1e-12)


def test_a_confined_block_has_the_oedometer_modulus():
    """All sides of the pad held sideways: E (1 - nu) / ((1 + nu)(1 - 2 nu)) A / h, exactly."""
    foot = SolidFoot(cell=0.02, pads=(1, 1), poisson=0.3)
    shape = solid_shape(foot)
    data = condense(foot)
    u = np.zeros_like(shape.mesh.nodes)
    top, bottom = shape.mesh.nodes[:, 2].max(), shape.mesh.nodes[:, 2].min()
    u[:, 2] = (top - shape.mesh.nodes[:, 2]) / (top - bottom)
    force = (linear_stiffness(shape.mesh, foot.young, 0.3) @ u.ravel()).reshape(-1, 3)
    modulus = foot.young * 0.7 / (1.3 * 0.4)
    whole = modulus * shape.areas.sum() / foot.thickness
    assert force[shape.mesh.region("sole"), 2].sum() == pytest.approx(whole, rel=1e-9)
    # free sides bulge out: softer than confined, stiffer than a free column
    assert foot.young * shape.areas.sum() / foot.thickness < data.K[2, 2] < whole


def test_stiffness_grows_with_hardness_and_falls_with_thickness():
    total = [condense(f).K[2::3, 2::3].sum() for f in (FOOT, FOOT.with_(hardness=70), FOOT.with_(thickness=0.03))]
    young = FOOT.with_(hardness=70).young / FOOT.young
    assert total[1] == pytest.approx(young * total[0], rel=1e-9)
    assert total[2] < 0.75 * total[0]


def test_condensed_matrices_are_symmetric_positive_and_left_right_alike():
    data = condense(FOOT)
    assert np.abs(data.K - data.K.T).max() == 0
    assert np.linalg.eigvalsh(data.K).min() > 0
    z = data.K[2::3, 2::3]
    mirror = np.arange(len(z)).reshape(-1, 2)[:, ::-1].ravel()
    np.testing.assert_allclose(z[np.ix_(mirror, mirror)], z, rtol=1e-6, atol=1e-6 * z.max())


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_springs_are_positive_and_exact_for_pads_pressed_alike(axis):
    data = condense(SolidFoot())
    K = stiffness(data, axis, stick=True)
    springs = network(K, data.shape.places)
    assert (springs.to_ankle > 0).all()
    np.testing.assert_allclose(springs.matrix().sum(axis=1), K.sum(axis=1), rtol=1e-9)
    assert np.linalg.eigvalsh(springs.matrix()).min() > 0
    assert np.abs(springs.matrix() - K).max() < 0.15 * K.max()


def test_masses_add_up():
    for fidelity in ("full", "fast"):
        model = FOOT.with_(fidelity=fidelity).model()
        rubber = node_masses(solid_shape(FOOT).mesh, FOOT.density).sum()
        assert model.body_subtreemass[0] == pytest.approx(FOOT.mount_mass + rubber)
    assert FOOT.model().nv == 36 and FOOT.with_(fidelity="fast").model().nv == 12


def test_the_condensed_press_curve_is_that_of_finite_elements():
    """Up to 500 N on flat ground, both versions of the MuJoCo foot."""
    loads = (100.0, 300.0, 500.0)
    fe = press_fe(FOOT, loads)
    for foot in (FOOT, FOOT.with_(fidelity="fast")):
        np.testing.assert_allclose(press_mujoco(foot, loads).depth, fe.depth, rtol=0.05)


@pytest.mark.parametrize("loads", [(300.0, 100.0), (100.0, 100.0), (0.0, 100.0), (-5.0,), (float("nan"),), ()])
@pytest.mark.parametrize("press", [press_fe, press_mujoco])
def test_loads_that_do_not_rise_are_refused_and_not_guessed(press, loads):
    """The press ends at the last load: a larger one before it would be extrapolated."""
    with pytest.raises(InvalidInput, match="loads = .* rise"):
        press(SolidFoot(cell=0.03, pads=(3, 1)), loads)


def test_a_smooth_floor_lets_the_rubber_bulge():
    smooth = FOOT.with_(friction=0.0, fidelity="fast")
    loads = (250.0, 500.0)
    soft, hard = press_mujoco(smooth, loads).depth, press_mujoco(FOOT.with_(fidelity="fast"), loads).depth
    assert (soft > 1.1 * hard).all()
    np.testing.assert_allclose(soft, press_fe(smooth, loads).depth, rtol=0.05)


def test_the_flex_gives_way_like_the_finite_elements():
    """The sole's nodes pushed up by a small even force, without any contact."""
    foot = SolidFoot(cell=0.03, pads=(4, 2), form="flex")
    shape, spec = solid_shape(foot), foot.spec()
    spec.option.integrator, spec.option.gravity = mujoco.mjtIntegrator.mjINT_DISCRETE, [0, 0, 0]
    spec.option.timestep = 0.002
    model = spec.compile()
    data = mujoco.MjData(model)
    sole = shape.mesh.region("sole")
    load = shape.areas @ shape.weights / shape.areas.sum() * 50.0
    bodies = [model.body(f"node{i}").id for i in sole]
    data.xfrc_applied[bodies, 2] = load[sole]
    mujoco.mj_step(model, data, 300)
    K = linear_stiffness(shape.mesh, foot.young, foot.poisson).tocsc()
    free = np.setdiff1d(np.arange(len(shape.mesh.nodes)), shape.mount)
    dofs = (3 * free[:, None] + np.arange(3)).ravel()
    force = np.zeros((len(shape.mesh.nodes), 3))
    force[:, 2] = load
    moved = np.zeros(force.size)
    moved[dofs] = np.asarray(spsolve(K[dofs][:, dofs], force.ravel()[dofs]))
    found = data.xpos[bodies][:, 2] - shape.mesh.nodes[sole, 2]
    np.testing.assert_allclose(found, moved.reshape(-1, 3)[sole, 2], rtol=0.02, atol=1e-8)


def test_the_flex_presses_like_the_finite_elements(monkeypatch, record_property):
    """On a floor with friction; contact adds less than a tenth to the way of the rubber at 2 ms, little at 0.5 ms."""
    foot = SolidFoot(cell=0.03, pads=(4, 2), form="flex")
    loads = (100.0, 200.0)
    fe = press_fe(foot, loads).depth
    found = press_mujoco(foot, loads).depth

    def harder(foot, ground):
        spec = mujoco_rig(foot, ground, timestep=5e-4)
        for flex in spec.flexes:
            flex.solref = [-1e8, -2e4]
        return spec

    monkeypatch.setattr("plantar.soft.foot.press.mujoco_rig", harder)
    hard = press_mujoco(foot, loads).depth
    for name, depth in (("fe", fe), ("flex", found), ("flex_hard", hard)):
        record_property(f"soft.foot.{name}_more", float(depth[1] - depth[0]))
    np.testing.assert_allclose(found, fe, rtol=0.10)
    np.testing.assert_allclose(hard, fe, rtol=0.02)
    assert (found > fe).all()


def test_it_stands_on_a_robot():
    robot = plantar.robots.load("biped")
    walker = plantar.robots.mount(robot, FOOT.with_(fidelity="fast"))
    model = walker.spec.compile()
    assert model.opt.integrator == mujoco.mjtIntegrator.mjINT_DISCRETE
    data = mujoco.MjData(model)
    mujoco.mj_step(model, data, 100)
    assert np.isfinite(data.qpos).all() and not any(w.number for w in data.warning)


def test_a_flex_foot_brings_its_options_to_the_robot():
    foot = SolidFoot(cell=0.04, pads=(4, 2), form="flex")
    walker = plantar.robots.mount(plantar.robots.load("biped"), foot)
    model = walker.model()
    assert model.nflex == 2 and set(foot.contact_bodies) <= {b.name for b in foot.spec().bodies}
    assert model.opt.integrator == mujoco.mjtIntegrator.mjINT_DISCRETE
    assert model.opt.cone == mujoco.mjtCone.mjCONE_ELLIPTIC
    assert model.opt.impratio >= 100 and model.opt.iterations >= 1000
    assert {"impratio", "iterations"} <= set(walker.report().options)
    scene = walker.spec.copy()
    scene.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[1, 1, 1])
    model = scene.compile()
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, model.key(walker.keyframe).id)
    mujoco.mj_forward(model, data)
    low = min(float(data.flexvert_xpos[:, 2].min()), 0.0)
    assert low > -1e-3  # the keyframe stands on the flex, not in the floor
    mujoco.mj_step(model, data, 20)
    touching = {int(f) for c in data.contact for f in c.flex if f >= 0}
    assert touching == {0, 1}
    assert not any(np.any(c.geom >= 0) and _marker(model, c.geom) for c in data.contact)
    assert np.isfinite(data.qpos).all() and not any(w.number for w in data.warning)


def _marker(model: mujoco.MjModel, geoms) -> bool:
    return any(int(model.geom_conaffinity[g]) == 1 << 30 for g in geoms if g >= 0)


def test_a_foot_from_a_mesh_file(tmp_path):
    block = box((240, 95, 40), (8, 4, 3))
    path = write_mesh(tmp_path / "foot.vtu", Mesh(block.nodes, block.tets))
    foot = SolidFoot(mesh_file=str(path), mesh_unit=0.001, pads=(4, 2), mount_depth=0.005)
    shape = solid_shape(foot)
    assert shape.mesh.bounds[0] == pytest.approx([-0.12 + 0.041, -0.0475, -0.0957])
    assert shape.areas.sum() == pytest.approx(0.24 * 0.095)
    assert foot.model().nv == 24
    write_mesh(tmp_path / "inverted.vtu", Mesh(block.nodes, block.tets[:, [1, 0, 2, 3]]))
    with pytest.raises(InvalidInput, match="inverted.vtu: tetrahedron 0 .* is inside out"):
        SolidFoot(mesh_file=str(tmp_path / "inverted.vtu"), mesh_unit=0.001).spec()


def test_a_mesh_file_that_is_written_anew_makes_a_new_foot(tmp_path):
    foot = SolidFoot(mesh_file=str(tmp_path / "foot.vtu"), pads=(2, 1))
    stiffness = {}
    for thick in (0.02, 0.04, 0.02):
        write_mesh(foot.mesh_file, box((0.2, 0.08, thick), (4, 2, 3)))
        stiffness[thick] = stiffness.get(thick, []) + [condense(foot).K[2::3, 2::3].sum()]
    assert stiffness[0.02][0] == stiffness[0.02][1] > 2 * stiffness[0.04][0]


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({"hardness": 120.0}, "hardness = 120"),
        ({"poisson": 0.5}, "poisson = 0.5"),
        ({"thickness": 0.2}, "thickness = 0.2"),
        ({"pads": (0, 3)}, "pads"),
        ({"form": "jelly"}, "form = 'jelly'"),
        ({"length": 240.0}, "length = 240"),
    ],
)
def test_bad_fields_are_named(fields, text):
    with pytest.raises(InvalidInput, match=text):
        SolidFoot(**fields)


@pytest.mark.parametrize("fields", [{}, {"fidelity": "fast"}, {"form": "flex", "cell": 0.045}])
def test_what_is_exported_runs_in_plain_mujoco(tmp_path, monkeypatch, fields):
    """The foot alone, the scene that presses it, and a robot that it is mounted on."""
    monkeypatch.setattr("plantar.show.picture.render", lambda *args, **options: None)  # pictures take most of the time
    foot = FOOT.with_(**fields)
    walker = plantar.robots.mount(plantar.robots.load("biped"), foot)
    files = [*foot.export(tmp_path / "foot").glob("*.xml"), *walker.export(tmp_path / "robot").glob("*.xml")]
    assert len(files) == 4
    for path in files:
        model = mujoco.MjModel.from_xml_path(str(path))
        data = mujoco.MjData(model)
        if model.nkey:
            mujoco.mj_resetDataKeyframe(model, data, 0)
        mujoco.mj_step(model, data, 40)
        assert np.isfinite(data.qpos).all() and not any(w.number for w in data.warning), path.name


def test_a_card_refuses_ground_on_which_the_pads_are_wrong(record_property):
    foot = SolidFoot(cell=0.02, pads=(6, 2))
    cards = {ground: solid_card(foot, ground, loads=(100.0, 300.0, 500.0)) for ground in GROUNDS}
    for ground, card in cards.items():
        record_property(f"soft.card.{ground}_error", card.error)
        record_property(f"soft.card.{ground}_trusted", card.trusted)
    assert [ground for ground, card in cards.items() if card.trusted] == ["flat", "edge"]
    assert cards["edge"].error < 0.1 and cards["edge"].fe.depth[-1] > 2 * cards["flat"].fe.depth[-1]
    assert cards["rod"].verdict.startswith("refused on rod ground") and cards["rod"].trusted_from == float("inf")
    start = cards["tilted"].trusted_from
    assert 100 < start <= 500 and f"only from {start:g} N on" in cards["tilted"].verdict


def test_who_mounts_a_condensed_foot_is_told_where_it_is_wrong():
    foot = SolidFoot(cell=0.03, pads=(4, 2))
    notes = plantar.robots.mount(plantar.robots.load("biped"), foot).report().notes
    assert any("not on bars" in note and "plantar soft foot" in note for note in notes)
    assert not foot.with_(form="flex").caveats


def test_the_command_gives_an_error_card(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    args = ["soft", "foot", "--set", "cell=0.03", "--set", "pads=[4,2]", "--load", "200", "--json"]
    from plantar.cli.app import run

    assert run([*args, "--out", str(tmp_path / "card")]) == 0
    card = json.loads(capsys.readouterr().out)["cards"][0]
    assert card["error_percent"] < 5 and card["dof_condensed"] == 24
    assert {"press.csv", "card.csv", "press.png", "report.html"} <= {p.name for p in (tmp_path / "card").iterdir()}
    # without --out it writes to runs/soft-foot
    assert run([*args, "--tolerance", "0.00001"]) == 1 and (tmp_path / "runs" / "soft-foot" / "card.csv").is_file()
    assert "refused" not in capsys.readouterr().out
    assert run(["soft", "foot", "--load", "-3"]) == 2
