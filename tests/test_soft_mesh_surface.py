"""Surfaces that become meshes: closed, filled, measured, named."""

from __future__ import annotations

import json

import numpy as np
import pytest

pytest.importorskip("meshio")
pytest.importorskip("numba")

from step_box import write_step_box

from plantar.cli.app import run
from plantar.errors import InvalidInput
from plantar.soft.mesh import shapes
from plantar.soft.mesh.check import find_faults
from plantar.soft.mesh.close import close_surface
from plantar.soft.mesh.distance import SurfaceTree
from plantar.soft.mesh.files import read_mesh, read_surface, write_surface
from plantar.soft.mesh.groups import facing, patch
from plantar.soft.mesh.implicit import fill
from plantar.soft.mesh.mesh import enclosed_volume
from plantar.soft.mesh.quality import radius_ratio
from plantar.soft.mesh.surface_fill import mesh_surface

BOX = shapes.box((0.08, 0.05, 0.04), (8, 5, 4))
BALL = fill(lambda p: np.linalg.norm(p, axis=1) - 0.03, (-0.03,) * 3, (0.03,) * 3, 0.006)


def brute_distance(points, corners):
    """Signed distance by looking at every triangle, with the exact winding number."""
    a, b, c = (corners[None, :, i] - points[:, None] for i in range(3))
    la, lb, lc = (np.linalg.norm(v, axis=2) for v in (a, b, c))
    triple = np.einsum("pti,pti->pt", a, np.cross(b, c))
    below = la * lb * lc + (a * b).sum(2) * lc + (b * c).sum(2) * la + (c * a).sum(2) * lb
    inside = 2 * np.arctan2(triple, below).sum(axis=1) > 2 * np.pi
    # nearest of many places on each triangle, which is exact to the spacing of the places
    n = 30
    i, j = np.meshgrid(np.arange(n + 1), np.arange(n + 1), indexing="ij")
    w = np.stack([i, j, n - i - j], axis=2)[i + j <= n] / n
    places = np.einsum("sc,tcx->tsx", w, corners).reshape(-1, 3)
    near = np.array([np.linalg.norm(places - p, axis=1).min() for p in points])
    return np.where(inside, -near, near)


def test_distances_are_those_of_every_triangle():
    rng = np.random.default_rng(3)
    points = rng.uniform(-0.04, 0.04, (30, 3))
    corners = BALL.nodes[BALL.boundary]
    found = SurfaceTree(corners).signed_distance(points)
    expected = brute_distance(points, corners)
    assert (np.sign(found) == np.sign(expected)).all()
    np.testing.assert_allclose(np.abs(found), np.abs(expected), atol=3e-4)
    assert (np.abs(found) <= np.abs(expected) + 1e-12).all()  # the tree finds the nearest place


def test_distances_to_a_box_are_exact():
    cube = shapes.box((2, 2, 2), (1, 1, 1), origin=(-1, -1, -1))
    points = np.array([[0, 0, 0], [0.5, 0, 0], [2, 0, 0], [2, 2, 2], [0, 0, -0.9]], dtype=float)
    found = SurfaceTree(cube.nodes[cube.boundary]).signed_distance(points)
    assert found == pytest.approx([-1, -0.5, 1, 3**0.5, -0.1])


def broken(seed=1, missing=3, flipped=0.3):
    """A box as bad exporters write it: every triangle with corners of its own, some turned, some missing."""
    rng = np.random.default_rng(seed)
    faces = BOX.boundary[rng.permutation(len(BOX.boundary))][missing:].copy()
    turned = rng.random(len(faces)) < flipped
    faces[turned] = faces[turned][:, ::-1]
    nodes = BOX.nodes[faces].reshape(-1, 3) + 1e-9 * rng.normal(size=(3 * len(faces), 3))
    return nodes, np.arange(len(nodes)).reshape(-1, 3)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_broken_surface_is_closed_and_turned_outward(seed):
    closed = close_surface(*broken(seed))
    assert not closed.was_closed and closed.holes >= 1 and closed.turned > 0 and closed.joined > 0
    edges = closed.triangles[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2)
    assert len(np.unique(edges, axis=0)) == len(edges)  # every edge once in each direction
    assert (np.sort(edges, 0) == np.sort(edges[:, ::-1], 0)).all()
    # holes lie in flat faces, or across an edge at most
    assert enclosed_volume(closed.nodes, closed.triangles) == pytest.approx(BOX.volume, rel=0.01)


def test_a_cavity_stays_one_and_a_body_inside_it_another():
    small = BALL.moved(scale=0.5)
    nodes = np.concatenate([BALL.nodes, small.nodes])
    faces = np.concatenate([BALL.boundary, small.boundary + len(BALL.nodes)])
    closed = close_surface(nodes, faces)
    assert enclosed_volume(closed.nodes, closed.triangles) == pytest.approx(7 / 8 * BALL.volume)
    mesh, report = mesh_surface(nodes, faces, 0.006)
    assert "cavity1" in mesh.surfaces and find_faults(mesh) == []
    assert abs(report.volume_error) < 0.02


def test_pieces_that_cross_are_one_body():
    """As drawings of several solids are exported: a corner of each is inside the other, and neither is a cavity."""
    other = BOX.moved(translation=(0.04, 0.025, 0.02))
    nodes = np.concatenate([BOX.nodes, other.nodes])
    faces = np.concatenate([BOX.boundary, other.boundary[:, ::-1] + len(BOX.nodes)])
    closed = close_surface(nodes, faces)
    assert closed.turned == len(other.boundary)
    mesh, _ = mesh_surface(nodes, faces, 0.01)
    assert mesh.volume == pytest.approx(2 * BOX.volume - 0.04 * 0.025 * 0.02, rel=0.02)


def test_faces_with_four_corners_and_more_are_read(tmp_path):
    corners = [(x, y, z) for x in (0, 80) for y in (0, 50) for z in (0, 40)]
    faces = [(1, 2, 4, 3), (5, 7, 8, 6), (1, 5, 6, 2), (3, 4, 8, 7), (1, 3, 7, 5), (2, 6, 8, 4)]
    lines = ["v {} {} {}".format(*c) for c in corners] + ["f {} {} {} {}".format(*f) for f in faces]
    (tmp_path / "box.obj").write_text("\n".join(lines) + "\n")
    nodes, triangles = read_surface(tmp_path / "box.obj", unit=0.001)
    assert len(triangles) == 12 and enclosed_volume(nodes, triangles) == pytest.approx(BOX.volume)


def test_filling_converges_to_the_surface():
    coarse, fine = (mesh_surface(BALL.nodes, BALL.boundary, size)[1] for size in (0.01, 0.005))
    assert abs(fine.volume_error) < 0.4 * abs(coarse.volume_error) < 0.02
    assert fine.hausdorff < 0.1 * 0.005 and fine.closed_after
    # the method's bound before smoothing is 10.7 degrees
    assert min(coarse.angle_least_deg, fine.angle_least_deg) > 10.7
    assert fine.radius_ratio_worst > 0.1


def test_the_report_measures_what_it_says():
    nodes, faces = broken()
    mesh, report = mesh_surface(nodes, faces, 0.01)
    assert find_faults(mesh) == [] and not report.closed_before and report.closed_after
    assert report.volume == pytest.approx(mesh.volume) and report.holes >= 1
    # corners are kept, edges nearly
    for corner in BOX.nodes[[0, -1]]:
        assert np.linalg.norm(mesh.nodes - corner, axis=1).min() < 1e-6
    assert abs(report.volume_error) < 0.01 and report.hausdorff < 0.5 * 0.01 and report.angle_least_deg > 8
    regular = np.array([[1, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1.0]])
    assert abs(radius_ratio(regular, np.array([[0, 1, 2, 3]]))[0]) == pytest.approx(1)


def test_groups_by_normal_and_patch():
    below = facing(BOX, (0, 0, -1))
    assert (BOX.nodes[below][:, :, 2] == 0).all() and len(below) == 2 * 8 * 5
    assert len(facing(BOX, (0, 0, -1), 90.1)) == len(BOX.boundary) - 2 * 8 * 5
    side = patch(BOX, (0.09, 0.02, 0.02))
    assert (BOX.nodes[side][:, :, 0] == 0.08).all() and len(side) == 2 * 5 * 4
    assert len(patch(BALL, (0, 0, 1))) == len(BALL.boundary)  # a ball has no edges
    with pytest.raises(InvalidInput, match="direction"):
        facing(BOX, (0, 0, 0))


@pytest.mark.parametrize(
    ("nodes", "faces", "says"),
    [
        (np.zeros((3, 3)), [[0, 1, 2]], "no size"),
        (np.eye(3), [[0, 0, 1]], "no triangle with an area"),
        (
            np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [0, -1, 0.0]]),
            [[0, 1, 2], [0, 1, 3], [0, 1, 4]],
            "more than two",
        ),
        (np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0.0]]), [[0, 1, 2]], "size = 0.01|encloses|volume"),
    ],
)
def test_what_encloses_nothing_is_refused(nodes, faces, says):
    with pytest.raises(InvalidInput, match=says):
        mesh_surface(nodes, faces, 0.01)


def test_the_command_makes_a_mesh_that_scenes_and_feet_read(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_surface(tmp_path / "block.stl", 1e3 * BOX.nodes, BOX.boundary)
    args = ["soft", "mesh", "block.stl", "--size", "0.01", "--json"]
    groups = ["--group", "sole=normal:0,0,-1", "--group", "mount=box:-1,-1,0.035,1,1,1", "--group", "front=patch:1,0,0"]
    assert run([*args, *groups]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["file"] == "block.vtu" and said["regions"]["sole"] > 20 and abs(said["volume_error"]) < 0.01
    mesh = read_mesh(tmp_path / "block.vtu")
    assert {"sole", "front"} <= set(mesh.surfaces) and len(mesh.region("mount")) == said["regions"]["mount"]
    assert run(args) == 2 and "block.vtu exists" in capsys.readouterr().err
    scene = """
        bodies:
          - name: foot
            mesh: {file: block.vtu}
            regions: {low: {normal: {direction: [0, 0, -1], within: 30}}, end: {patch: {point: [1, 0, 0]}}}
            material: {law: corotational, young: 1.0e+6, poisson: 0.45}
            density: 1000
            fixed: [mount]
        duration: 0.02
        """
    (tmp_path / "scene.yaml").write_text(scene)
    assert run(["soft", "run", "scene.yaml", "--every", "0", "--out", "run"]) == 0


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--size", "0.01", "--unit", "yard"], "--unit 'yard'"),
        (["--size", "0"], "size = 0.0"),
        (["--size", "nan"], "size = nan"),
        (["--size", "0.5"], "size = 0.5"),
        (["a.stl", "--size", "0.01"], "mesh 'a.stl'"),
        (["no/a.vtu", "--size", "0.01"], "no such folder"),
        (["--size", "0.01", "--group", "sole"], "--group 'sole'"),
        (["--size", "0.01", "--group", "sole=box:1,2"], "box takes 6 numbers"),
        (["--size", "0.01", "--group", "sole=box:9,9,9,10,10,10"], "region = 'sole'"),
    ],
)
def test_what_the_command_cannot_do_is_one_line(tmp_path, capsys, monkeypatch, options, says):
    monkeypatch.chdir(tmp_path)
    write_surface(tmp_path / "block.stl", 1e3 * BOX.nodes, BOX.boundary)
    assert run(["soft", "mesh", "block.stl", *options]) == 2
    error = capsys.readouterr().err.strip().splitlines()
    assert says in error[-1] and len(error) == 1
    assert not (tmp_path / "block.vtu").exists()


def test_a_step_file_is_read_in_metres(tmp_path):
    pytest.importorskip("cascadio")
    nodes, faces = read_surface(write_step_box(tmp_path / "box.step", (80, 50, 40)))
    assert enclosed_volume(nodes, faces) == pytest.approx(0.08 * 0.05 * 0.04)
    (tmp_path / "bad.step").write_text("nothing")
    for name, says in (("bad.step", "cannot be read as STEP"), ("none.stp", "no such file")):
        with pytest.raises(InvalidInput, match=says):
            read_surface(tmp_path / name)
