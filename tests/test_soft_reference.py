"""Reference files of our own making, in the layout of other engines' ones: what may be in them, and what may not."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from soft_cases import bar, body

from plantar.cli.app import run
from plantar.errors import Diverged, InvalidInput
from plantar.soft import Cable, Cavity, Corotational, NeoHookean, Scene, SoftBody, shapes
from plantar.soft.mesh.files import read_mesh, read_surface
from plantar.soft.reference.compare import build, compare
from plantar.soft.reference.reference import read_reference
from plantar.soft.solve.result import StepStatus

REFERENCE = Path(__file__).resolve().parents[2] / "shared" / "reference"
MESH = bar((9, 3, 3), (0.2, 0.03, 0.03))
MATERIAL = Corotational(young=2e5, poisson=0.4, rotation="edge")
ENDS = ([[0.01, 0.02, 0.022], [0.19, 0.02, 0.022]], [[0.01, 0.01, 0.008], [0.19, 0.01, 0.008]])
MODEL = {
    "young_Pa": 2e5,
    "poisson": 0.4,
    "total_mass_kg": 0.2,
    "mass": "UniformMass: equal mass per node",
    "gravity_m_s2": [0, 0, -9.81],
    "fem": "TetrahedronFEMForceField method=large",
    "fixed": "all nodes with x=0",
    "dt_s": 0.02,
    "rest_node_positions_m": MESH.nodes.tolist(),
    "tetrahedra": MESH.tets.tolist(),
}


def settled(material=MATERIAL, actuators=(), commands=None, gravity=(0, 0, -9.81), mesh=MESH, **fields):
    base = np.flatnonzero(mesh.nodes[:, 0] < 1e-9)
    made = SoftBody(name="body", mesh=mesh, material=material, mass=0.2, lumping="uniform", fixed=base, **fields)
    scene = Scene([made], actuators, gravity=gravity, mode="static")
    scene.step(commands or {})
    return scene.positions("body")


def cables(drive="length"):
    return [Cable(name=f"c{i}", body="body", points=p, drive=drive) for i, p in enumerate(ENDS)]


def written(tmp_path, *results, **model):
    path = tmp_path / "case.json"
    path.write_text(json.dumps({"case": "own", "units": "SI", "model": {**MODEL, **model}, "results": list(results)}))
    return path


def worst(path):
    found = compare(path)
    assert all(d.difference is not None for d in found)
    return max(d.difference or 0.0 for d in found)


def test_a_state_may_change_what_its_model_says(tmp_path):
    """Other stiffness, law, mass, gravity and load, by the names and units the file likes."""
    softer = Corotational(young=1e5, poisson=0.3, rotation="edge_polar")
    base = {"node_positions_m": settled(softer).tolist(), "label": "softer"}
    path = written(
        tmp_path,
        {**base, "young": 1e5, "nu": 0.3, "method": "polar"},
        {"label": "no gravity", "node_positions": MESH.nodes.tolist()},
        {"label": "NeoHookean", "node_positions": settled(NeoHookean(young=2e5, poisson=0.4)).tolist()},
        {"label": "light", "gravity": [0, -3.0, 0], "node_positions": settled(gravity=(0, -3.0, 0)).tolist()},
    )
    assert worst(path) < 1e-6
    states = read_reference(path)
    assert [s.material.young for s in states] == [1e5, 2e5, 2e5, 2e5]
    assert isinstance(states[2].material, NeoHookean)


@pytest.mark.parametrize("form", ["records", "nested"])
def test_several_cables_with_way_points(tmp_path, form):
    pull = {"c0": 0.004, "c1": 0.001}
    places = settled(actuators=cables(), commands=pull)
    force = settled(actuators=cables("force"), commands={"c0": 1.0, "c1": 0.3})
    given = {"cables": [{"points": p} for p in ENDS]} if form == "records" else {"cable_points": list(ENDS)}
    path = written(
        tmp_path,
        {"label": "length", "control": "displacement", "command_m": [0.004, 0.001], "node_positions": places.tolist()},
        {"label": "force", "command_N": [1.0, 0.3], "node_positions": force.tolist()},
        **given,
    )
    assert worst(path) < 1e-6


def test_a_stiff_layer_adds_to_the_body(tmp_path):
    """A second force field on some elements: their Lame constants are the sums."""
    low = np.flatnonzero((MESH.nodes[MESH.tets][:, :, 2] <= 0.0151).all(axis=1))
    stiff = Corotational(young=8e5, poisson=0.4, rotation="edge")
    places = settled(mesh=MESH.with_cells("layer", low), parts={"layer": stiff})
    layer = {"young_Pa": 6e5, "poisson": 0.4, "box": [-1, -1, -1, 1, 1, 0.0151]}
    path = written(tmp_path, {"label": "layer", "node_positions": places.tolist()}, stiff_layer=layer)
    assert worst(path) < 1e-6
    assert np.abs(places - settled()).max() > 1e-3


def test_probes_stand_in_for_nodes(tmp_path):
    """Without positions of all nodes the probes are compared, against the largest displacement of the state."""
    places = settled()
    most = float(np.linalg.norm(places - MESH.nodes, axis=1).max())
    moved = (places - MESH.nodes)[[4, 8]] + [[0.01 * most, 0, 0], [0, 0, 0]]
    state = {"label": "gravity", "probe_nodes": [4, 8], "probe_displacements": moved.tolist(), "max_displacement": most}
    (found,) = compare(written(tmp_path, state))
    assert found.difference == pytest.approx(0.01, rel=1e-3)
    assert found.compared == "2 points"


def test_vacuum_and_pressure_of_a_cavity(tmp_path):
    from plantar.soft.mesh import shapes

    mesh = shapes.box((0.06, 0.06, 0.06), (3, 3, 3))
    inner = np.flatnonzero((np.abs(mesh.centroids - mesh.centroids.mean(axis=0)) < 0.0101).all(axis=1))
    hollow = type(mesh)(mesh.nodes, np.delete(mesh.tets, inner, axis=0))
    used = np.unique(hollow.tets)
    hollow = type(mesh)(hollow.nodes[used], np.searchsorted(used, hollow.tets))
    inside = (np.abs(hollow.nodes - hollow.nodes.mean(axis=0)) < 0.0101).all(axis=1)
    wall = hollow.boundary[inside[hollow.boundary].all(axis=1)]
    cavity = Cavity(name="air", body="body", surface=wall)
    results = []
    for pressure in (-2000.0, 3000.0):
        places = settled(mesh=hollow, actuators=[cavity], commands={"air": pressure})
        results.append({"label": "p", "control": "pressure", "command_Pa": pressure, "node_positions": places.tolist()})
    path = written(
        tmp_path,
        *results,
        rest_node_positions_m=hollow.nodes.tolist(),
        tetrahedra=hollow.tets.tolist(),
        cavity_rest_positions=hollow.nodes.tolist(),
        cavity_triangle_list=wall[:, ::-1].tolist(),
    )
    assert worst(path) < 1e-4


BAD = {
    "law": ({"label": "MooneyRivlin"}, {}, "MooneyRivlin"),
    "method": ({"method": "cubic"}, {}, "cubic"),
    "nodes": ({"node_positions": [[0, 0, 0]]}, {}, "node_positions"),
    "nan": ({"node_positions": (MESH.nodes * np.nan).tolist()}, {}, "NaN is not a JSON number"),
    "fixed": ({}, {"fixed_nodes": [100000]}, "100000"),
    "tets": ({}, {"tetrahedra": [[0, 1, 2, 100000]]}, "100000"),
    "young": ({}, {"young_Pa": 0}, "young"),
    "poisson": ({"nu": 0.5}, {}, "poisson"),
    "command": ({"command": [1, 2, 3], "control": "force"}, {"cable_points": ENDS[0]}, "command"),
    "goal": ({"goal_m": [0, 0, 0]}, {}, "goal"),
    "layer": ({}, {"layer": {"young": 1e5}}, "layer"),
    "not a record": ([1], {}, "record"),
}


@pytest.mark.parametrize("fault", BAD)
def test_faults_are_named_with_file_and_result(tmp_path, fault, capsys):
    result, model, word = BAD[fault]
    path = written(tmp_path, {"label": "fine", "node_positions": MESH.nodes.tolist()}, result, **model)
    with pytest.raises(InvalidInput, match=word):
        read_reference(path)
    assert run(["soft", "compare", str(path), "--out", str(tmp_path / "out")]) == 2
    assert len(capsys.readouterr().err.strip().splitlines()) == 1
    assert not (tmp_path / "out").exists()


def test_a_run_that_fails_is_told_beside_the_others(tmp_path, capsys, monkeypatch):
    from plantar.soft.reference import compare as module

    path = written(
        tmp_path,
        {"label": "one", "node_positions": settled().tolist()},
        {"label": "two", "node_positions": settled().tolist()},
    )
    settle = module.settle

    def fails(scene, state):
        if state.label == "one":
            raise Diverged("nothing holds it", time=0.0, body="body")
        return settle(scene, state)

    monkeypatch.setattr(module, "settle", fails)
    assert run(["soft", "compare", str(path), "--json"]) == 1
    states = json.loads(capsys.readouterr().out)["states"]
    assert [s["verdict"] for s in states] == ["failed", "agrees"]
    assert "nothing holds it" in states[0]["compared"]


def taut():
    """A Neo-Hookean bar with a cable that bends it far."""
    mesh = bar((13, 4, 4), (0.2, 0.03, 0.03))
    cable = Cable(name="c", body="bar", points=[(x, 0.02, 0.025) for x in np.linspace(0.005, 0.195, 6)], drive="force")
    made = body(mesh, NeoHookean(young=2e5, poisson=0.4), density=1000)
    return Scene([made], [cable], dt=0.02, gravity=(0, 0, 0))


def test_a_neo_hookean_body_on_a_cable_comes_to_rest():
    """The exact tangent of compressed elements needs the stiffness of the taut cable, or the body swings for ever."""
    scene = taut()
    last = [scene.step({"c": 6.0}) for _ in range(300)][-1]
    moved = np.abs(scene.positions("bar") - scene.system.x0[: len(scene.positions("bar"))]).max()
    assert moved > 0.03
    assert last.motion < 1e-6 * moved
    here = scene.positions("bar")
    scene.equilibrium()
    assert np.abs(scene.positions("bar") - here).max() < 1e-5 * moved


def test_stiffness_of_a_taut_cable_is_the_derivative_of_its_load():
    scene = taut()
    for _ in range(40):
        scene.step({"c": 6.0})
    group, cable = scene._taut, scene.actuators["c"]
    assert group is not None
    group.tension[:] = 2.0
    x, quat, system = scene.state.x.copy(), scene.state.quat, scene.system
    K = np.zeros_like(system.K)
    group.add(x, quat, np.zeros_like(x), K, False)
    rng = np.random.default_rng(0)
    way = rng.normal(size=x.shape)
    product = np.zeros_like(x)
    scale = np.ones(system.size)
    system.K[:] = K
    system.multiply(way, scale, product)

    def load(y):
        H = np.zeros_like(y)
        cable.evaluate(y, quat, H)
        return 2.0 * H

    h = 1e-7
    slope = -(load(x + h * way) - load(x - h * way)) / (2 * h)
    assert np.abs(product - slope).max() < 1e-6 * np.abs(slope).max()


@pytest.mark.skipif(not REFERENCE.is_dir(), reason="needs the reference files of ../shared, which are not here")
@pytest.mark.parametrize("gravity", [True, False])
def test_a_finger_pulled_hard_settles(gravity, record_property):
    """The textbook element with the stiffness of its taut cable; above 3.4 N four segments of the cable are shut."""
    path = REFERENCE / "case1_finger.json"
    state = read_reference(path)[5 if gravity else 9]
    assert isinstance(state.material, Corotational)
    scene = build(replace(state, material=replace(state.material, rotation="polar")))
    moved, found, iterations = {}, None, []
    for force in (*np.linspace(500.0, 3000.0, 11), 4000.0):
        scene.command(cable0=force)
        found = scene.equilibrium()
        iterations.append(found.iterations)
        assert found.iterations < 100 and found.imbalance < 1e-3
        moved[force] = np.linalg.norm(scene.positions("body") - state.mesh.nodes, axis=1).max()
    assert found is not None
    name = f"soft.hard.{'weight' if gravity else 'no_weight'}"
    record_property(f"{name}_iterations", max(iterations))
    record_property(f"{name}_closed", found.status is StepStatus.CLOSED)
    assert 95 < moved[3000.0] < moved[4000.0] < 105
    assert found.status is StepStatus.CLOSED


@pytest.mark.skipif(not REFERENCE.is_dir(), reason="needs the reference files of ../shared, which are not here")
@pytest.mark.parametrize("gravity", [True, False])
def test_a_finger_of_edge_elements_pulled_hard_settles_or_gives_advice(gravity, record_property):
    """Their forces have no potential to descend: some steps above 2.5 N fail, and say what to do."""
    state = read_reference(REFERENCE / "case1_finger.json")[5 if gravity else 9]
    scene = build(state)
    loads, failed = np.linspace(500.0, 4000.0, 15).tolist(), []
    for force in loads:
        scene.command(cable0=force)
        try:
            scene.equilibrium()
        except Diverged as error:
            assert 'take rotation="polar"' in str(error)
            failed.append(1e-3 * force)
    name = f"soft.hard.edge_{'weight' if gravity else 'no_weight'}"
    record_property(f"{name}_failed", failed)
    record_property(f"{name}_loads", len(loads))
    assert len(failed) < 4 and min(failed, default=4.0) > 2.5


@pytest.mark.skipif(not REFERENCE.is_dir(), reason="needs the meshes of ../shared, which are not here")
def test_pneumatic_fingers_blown_up_far_settle_and_are_doubted():
    """100 kPa against 500 kPa of rubber in mm: steps downhill alone took more iterations than there are."""
    mesh = read_mesh(REFERENCE.parent / "meshes" / "pneunets.vtk")
    points, triangles = read_surface(REFERENCE.parent / "meshes" / "pneunets_cavity.stl")
    soft, held = Corotational(young=500.0, poisson=0.3), np.flatnonzero(mesh.nodes[:, 0] >= -10)
    fingers = SoftBody(name="fingers", mesh=mesh, material=soft, mass=0.05, fixed=held, check=False)
    air = Cavity(name="air", body="fingers", points=points, surface=triangles, drive="pressure", outside="extrapolate")
    scene = Scene([fingers], [air], gravity=(0, 0, -9810.0), mode="static")
    found = scene.step({"air": 100.0})
    assert found.iterations < 150 and found.converged
    assert found.status is StepStatus.INVERTED and "inside out" in scene.tally.summary()


def hook(rotation="polar", **fields) -> Scene:
    """A U with a cable between the tips of its arms."""
    mask = np.ones((9, 2, 7), dtype=bool)
    mask[2:, :, 2:5] = False
    mesh = shapes.voxels(mask, 0.01)
    fixed = np.flatnonzero(mesh.nodes[:, 0] < mesh.bounds[0, 0] + 1e-9)
    ends = [(0.085, 0.01, 0.015), (0.085, 0.01, 0.055)] + mesh.bounds[0]
    u = SoftBody(
        name="u", mesh=mesh, material=Corotational(young=5e4, poisson=0.3, rotation=rotation), density=1000, fixed=fixed
    )
    cable = Cable(name="c", body="u", points=ends, drive="force")
    return Scene([u], [cable], gravity=(0, 0, 0), dt=0.05, **fields)


@pytest.mark.parametrize("rotation", ["polar", "edge"])
def test_a_cable_whose_way_points_meet_comes_to_rest_and_says_so(rotation):
    """The length of a segment that closes has a kink: steps went from one side of it to the other for ever."""
    still = hook(rotation, mode="static")
    assert still.step({"c": 0.02}).status is StepStatus.CONVERGED
    found = still.step({"c": 2.0})
    assert found.status is StepStatus.CLOSED and found.converged
    moving = hook(rotation)
    last = [moving.step({"c": 2.0}) for _ in range(100)][-1]
    assert last.status is StepStatus.CLOSED and last.motion < 1e-6 * moving.size
    assert "until they met" in moving.tally.summary()
    assert np.abs(moving.positions("u") - still.positions("u")).max() < 1e-4 * moving.size
