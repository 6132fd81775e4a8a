"""Scene files, recorders, factorisation back ends and the commands."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
import yaml
from soft_cases import bar, body

import plantar.soft
from plantar.cli.app import run
from plantar.errors import InvalidInput
from plantar.soft import Cable, Recorder, Scene, load_scene
from plantar.soft.scene.file import read_scene
from plantar.soft.solve.factor import Singular, available, make_factor
from plantar.soft.solve.small import SmallFactor

SCENE = {
    "dt": 0.02,
    "duration": 0.1,
    "bodies": [
        {
            "name": "beam",
            "mesh": {"shape": "beam", "length": 0.2, "width": 0.03, "height": 0.03, "cell": 0.015},
            "regions": {"base": {"box": [[-0.001, -1, -1], [0.001, 1, 1]]}},
            "material": {"law": "corotational", "young": 2e5, "poisson": 0.45},
            "density": 1000,
            "fixed": ["base"],
        },
        {"kind": "rigid", "name": "ball", "mass": 0.05, "inertia": [1e-5, 1e-5, 1e-5], "position": [0.1, 0, 0.1]},
    ],
    "actuators": [{"kind": "cable", "name": "top", "body": "beam", "points": [[0.01, 0, 0.012], [0.19, 0, 0.012]]}],
    "contacts": [
        {"name": "floor", "body": "beam", "against": {"kind": "plane", "point": [0, 0, -0.03]}, "friction": 0.4},
        {
            "name": "hit",
            "body": "beam",
            "against": {"kind": "ball", "centre": [0.1, 0, 0.1], "radius": 0.02},
            "carrier": "ball",
        },
    ],
    "goals": [{"name": "tip", "body": "beam", "point": [0.2, 0, 0]}],
    "skins": [{"name": "dots", "body": "beam", "nodes": [[0.1, 0, 0.015], [0.2, 0, 0.015]]}],
    "drive": {"top": [[0, 0], [0.1, 0.005]]},
}


def written(tmp_path, **changes):
    path = tmp_path / "scene.yaml"
    path.write_text(yaml.safe_dump({**SCENE, **changes}))
    return path


def test_scene_file_runs_and_drives_its_cable(tmp_path):
    file = load_scene(written(tmp_path))
    for _ in range(5):
        file.step()
    assert file.scene.strokes()["top"] == pytest.approx(0.005, abs=2e-4)
    assert file.scene.positions("ball")[0, 2] < 0.1


def test_scene_file_with_targets_runs_the_inverse(tmp_path):
    changes = {
        "drive": {},
        "targets": {"tip": [[0, 0.2, 0, 0], [0.1, 0.199, 0, 0.01]]},
        "contacts": [],
        "mode": "static",
        "bodies": SCENE["bodies"][:1],
    }
    file = load_scene(written(tmp_path, **changes))
    result = file.step()
    assert result.efforts["top"] > 0


@pytest.mark.parametrize("mode", ["static", "dynamic"])
def test_targets_of_a_scene_file_move_with_time(tmp_path, mode):
    track = [[0, 0.2, 0, 0], [0.1, 0.2, 0, 0.01]]
    changes = {"drive": {}, "targets": {"tip": track}, "contacts": [], "mode": mode, "gravity": [0, 0, 0]}
    goals = [{"name": "tip", "body": "beam", "point": [0.2, 0, 0], "axes": "z"}]
    file = load_scene(written(tmp_path, bodies=SCENE["bodies"][:1], dt=0.02, goals=goals, **changes))
    result = [file.step() for _ in range(5)][-1]
    assert file.scene.time == pytest.approx(0.1)
    assert file.scene.goals["tip"].target[2] == pytest.approx(0.01)
    assert result.error < 1e-3


BAD = {
    "unknown top": ({"colour": 1}, "unknown field 'colour' of scene"),
    "unknown law": ({"bodies": [{**SCENE["bodies"][0], "material": {"law": "jelly", "young": 1.0}}]}, "law = 'jelly'"),
    "unknown field": ({"bodies": [{**SCENE["bodies"][0], "weight": 3}]}, "unknown field 'weight'"),
    "no mesh": ({"bodies": [{"name": "b", "material": {"young": 1.0}, "density": 1}]}, "mesh of 'b'"),
    "drive": ({"drive": {"none": [[0, 0]]}}, "drive = 'none'"),
    "track": ({"drive": {"top": [[0, 0], [0, 1]]}}, "increasing times"),
    "kind": ({"actuators": [{"kind": "motor", "name": "m"}]}, "kind of actuator = 'motor'"),
    "lacks": ({"goals": [{"name": "g", "body": "beam"}]}, "lacks 'point'"),
    "poisson": ({"bodies": [{**SCENE["bodies"][0], "material": {"young": 1e5, "poisson": 0.5}}]}, "poisson = 0.5"),
}


@pytest.mark.parametrize("fault", BAD)
def test_faults_in_a_scene_file_are_named(fault):
    changes, message = BAD[fault]
    with pytest.raises(InvalidInput, match=message):
        read_scene({**SCENE, **changes})


def test_scene_file_runs_no_code(tmp_path):
    path = tmp_path / "evil.yaml"
    path.write_text(f"bodies: !!python/object/apply:os.system ['touch {tmp_path}/done']\n")
    with pytest.raises(InvalidInput, match="not YAML"):
        load_scene(path)
    assert not (tmp_path / "done").exists()


def test_run_command_writes_table_plot_and_series(tmp_path, capsys):
    out = tmp_path / "out"
    assert run(["soft", "run", str(written(tmp_path)), "--out", str(out), "--every", "2", "--json", "--energy"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["steps"] == 5
    assert record["end"]["top_stroke"] == pytest.approx(0.005, abs=2e-4)
    for name in ("record.csv", "record.png", "beam.pvd", "beam_00002.vtu", "config.json"):
        assert (out / name).stat().st_size > 0
    import meshio

    frame = meshio.read(out / "beam_00002.vtu")
    assert {"displacement", "velocity"} <= set(frame.point_data)


def test_bad_input_leaves_nothing_behind(tmp_path, capsys):
    out = tmp_path / "out"
    assert run(["soft", "run", str(tmp_path / "none.yaml"), "--out", str(out)]) == 2
    assert not out.exists()
    assert "none.yaml" in capsys.readouterr().err


def reference(tmp_path, shift=0.0):
    """A reference file of our own making: a beam under its weight, its nodes perhaps shifted."""
    mesh = bar((5, 3, 3), (1.0, 0.2, 0.2))
    from plantar.soft import Corotational

    scene = Scene(
        [body(mesh, Corotational(young=1e6, poisson=0.3, rotation="edge"))], gravity=(0, -9.81, 0), mode="static"
    )
    scene.equilibrium()
    nodes = scene.positions("bar")
    moved = nodes + shift * (nodes - mesh.nodes)
    model = {
        "L": 1.0,
        "H": 0.2,
        "W": 0.2,
        "young": 1e6,
        "density": 1000,
        "gravity": [0, -9.81, 0],
        "fixed": "all nodes with x=0",
    }
    params = {"model": "TetrahedronFEMForceField", "method": "large", "nu": 0.3, "nx": 5, "ny": 3, "nz": 3}
    results = [
        {"label": "own", "params": params, "node_positions_m": moved.tolist()},
        {"label": "lost", "failed": "diverged"},
    ]
    path = tmp_path / f"own{shift}.json"
    path.write_text(json.dumps({"case": "own", "units": "SI", "model": model, "results": results}))
    return path


def test_compare_command_agrees_and_fails_with_exit_codes(tmp_path, capsys):
    assert run(["soft", "compare", str(reference(tmp_path)), "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["compared"] == 1
    assert record["worst"] < 1e-6
    assert run(["soft", "compare", str(reference(tmp_path, 0.01)), "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["worst"] == pytest.approx(0.01, rel=0.02)
    assert run(["soft", "compare", str(reference(tmp_path, 0.01)), "--tolerance", "0.02"]) == 0
    assert run(["soft", "compare", str(tmp_path / "none.json")]) == 2
    (tmp_path / "bad.json").write_text("{}")
    assert run(["soft", "compare", str(tmp_path / "bad.json")]) == 2


def test_recorder_notes_what_it_is_told(tmp_path):
    cable = Cable(name="c", body="bar", points=[(0.01, 0.015, 0.025), (0.09, 0.015, 0.025)])
    scene = Scene([body(bar())], [cable], dt=0.02)
    recorder = Recorder(scene, points={"end": ("bar", (0.1, 0.015, 0.015))}, energy=True)
    for i in range(4):
        scene.step({"c": 0.001 * i})
        recorder.note()
    table = recorder.table()
    assert len(table) == 4
    assert table.column("c_stroke")[-1] == pytest.approx(0.003, abs=1e-5)
    assert {"end_x", "end_z", "energy_elastic"} <= set(table.columns)
    assert recorder.write(tmp_path).exists()


@pytest.mark.parametrize("backend", available())
def test_backends_solve_the_same(backend):
    rng = np.random.default_rng(0)
    n = 60
    dense = np.where(rng.random((n, n)) < 0.1, rng.normal(size=(n, n)), 0.0)
    A = sp.csr_matrix(dense + dense.T + 20 * np.eye(n))
    upper = sp.csr_matrix(np.triu(A.toarray()))
    factor = make_factor(upper.indptr, upper.indices, backend)
    b = rng.normal(size=(3, n))
    for scale in (1.0, 2.0):
        factor.update(scale * upper.data)
        assert np.abs(scale * (A @ factor.solve(b).T).T - b).max() < 1e-10
        assert np.abs(scale * (A @ factor.solve(b[0])) - b[0]).max() < 1e-10


def test_singular_matrix_is_an_error():
    upper = sp.csr_matrix(np.array([[1.0, -1.0, 0.0], [0, 1.0, 0.0], [0, 0, 1.0]]))
    with pytest.raises(Singular):
        factor = make_factor(upper.indptr, upper.indices, available()[0])
        factor.update(upper.data)


@pytest.mark.parametrize("shift", [0.0, -30.0, 0.0])
def test_small_matrices_need_no_library_unless_they_are_indefinite(shift):
    system = Scene([body(bar())]).system
    system.data[:] = np.random.default_rng(1).normal(size=len(system.data))
    system.data[system.indptr[:-1]] += 30.0 + shift
    library = make_factor(system.indptr, system.indices, available()[0])
    library.update(system.data)
    system.factor.update(system.data)
    b = np.random.default_rng(2).normal(size=(3, system.dofs))
    assert isinstance(system.factor, SmallFactor) and system.factor.definite == (shift == 0.0)
    for right in (b, b[0]):
        expected = library.solve(right)
        np.testing.assert_allclose(system.factor.solve(right), expected, atol=1e-10 * np.abs(expected).max())


def test_backends_give_the_same_motion():
    found = []
    for backend in (*available(), "auto"):
        scene = Scene([body(bar())], dt=0.02, backend=backend)
        assert isinstance(scene.system.factor, SmallFactor) == (backend == "auto")
        scene.run(0.1)
        found.append(scene.positions("bar"))
    assert all(np.abs(f - found[0]).max() < 1e-9 for f in found)


def test_example_pulls_and_inverts(tmp_path):
    import importlib.util
    from pathlib import Path

    path = Path(__file__).parents[1] / "examples" / "12_soft.py"
    spec = importlib.util.spec_from_file_location("soft_example", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    found = module.main(tmp_path)
    assert 0.01 < found["lift"] < 0.03
    assert found["worst"] < 1e-4
    assert found["short"] > 0.05
    assert (tmp_path / "finger.pvd").exists()


def test_the_scene_of_the_page_runs(tmp_path):
    page = (Path(__file__).parents[1] / "docs" / "soft.md").read_text(encoding="utf-8")
    (tmp_path / "scene.yaml").write_text(re.findall(r"```yaml\n(.*?)```", page, flags=re.DOTALL)[0])
    assert run(["soft", "run", str(tmp_path / "scene.yaml"), "--every", "0", "--out", str(tmp_path / "run")]) == 0
    rows = (tmp_path / "run" / "record.csv").read_text().splitlines()
    assert len(rows) == 12
    assert callable(plantar.soft.read_mesh)  # as the page shows it
