"""Meshes: their geometry, how they are made, what is wrong with them, and files."""

from __future__ import annotations

import copy
import math
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plantar.errors import InvalidInput
from plantar.soft.mesh import shapes
from plantar.soft.mesh.check import check, check_closed, find_faults, repair
from plantar.soft.mesh.implicit import fill
from plantar.soft.mesh.mesh import Mesh, enclosed_volume
from plantar.soft.mesh.places import beyond_plane, in_box, in_sphere, near_plane
from plantar.soft.mesh.quality import dihedral_angles, mean_ratio, quality

TET = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])


def wavy(z):
    return 0.02 + 0.004 * np.cos(2 * np.pi * z / 0.02)


SHAPES = {
    "box": shapes.box((1, 0.2, 0.3), (5, 2, 3)),
    "beam": shapes.beam(0.3, 0.05, 0.04, 0.02),
    "voxels": shapes.voxels(np.pad(np.zeros((2, 1, 2), bool), 1, constant_values=True), 0.01),
    "hollow_box": shapes.hollow_box((0.1, 0.06, 0.04), 0.006, (4, 3, 2), layers=2),
    "cylinder": shapes.cylinder(0.02, 0.1, 4, 8),
    "tube": shapes.tube(0.01, 0.015, 0.05, (2, 16, 6)),
    "bellows": shapes.revolved(
        np.linspace(0, 0.06, 25), wavy, 4, inner=lambda z: wavy(z) - 0.003, hollow=(2, 22), core=3
    ),
    "ball": fill(lambda p: np.linalg.norm(p, axis=1) - 1, (-1,) * 3, (1,) * 3, 0.3),
    "shell": fill(lambda p: np.abs(np.linalg.norm(p, axis=1) - 0.8) - 0.2, (-1,) * 3, (1,) * 3, 0.2),
}


@pytest.mark.parametrize("name", SHAPES)
def test_every_shape_is_sound(name):
    mesh = SHAPES[name]
    assert find_faults(mesh) == []
    check_closed(mesh.boundary, name)
    # by the divergence theorem the surface encloses what the elements fill
    assert enclosed_volume(mesh.nodes, mesh.boundary) == pytest.approx(mesh.volume, rel=1e-12)
    assert quality(mesh)["mean_ratio_worst"] > 0.1


@pytest.mark.parametrize(
    ("name", "volume", "share"),
    [
        ("box", 0.06, 1e-12),
        ("hollow_box", 0.1 * 0.06 * 0.04 - 0.088 * 0.048 * 0.028, 1e-12),
        ("cylinder", math.pi * 0.02**2 * 0.1, 0.03),
        ("tube", math.pi * (0.015**2 - 0.01**2) * 0.05, 0.03),
        ("ball", 4 / 3 * math.pi, 0.04),
        ("shell", 4 / 3 * math.pi * (1 - 0.6**3), 0.04),
    ],
)
def test_volumes_are_those_of_the_solids(name, volume, share):
    assert SHAPES[name].volume == pytest.approx(volume, rel=share)


@pytest.mark.parametrize("name", ["hollow_box", "voxels", "bellows", "shell"])
def test_cavities_are_closed_and_point_into_the_material(name):
    cavity = SHAPES[name].surface("cavity1")
    check_closed(cavity, name)
    assert enclosed_volume(SHAPES[name].nodes, cavity) < 0


def test_the_cavity_of_a_box_has_its_volume():
    mesh = SHAPES["hollow_box"]
    assert -enclosed_volume(mesh.nodes, mesh.surface("cavity1")) == pytest.approx(0.088 * 0.048 * 0.028)


def test_two_cavities_are_told_apart():
    solid = np.ones((3, 3, 7), bool)
    solid[1, 1, 1:4], solid[1, 1, 5] = False, False
    mesh = shapes.voxels(solid, 0.01)
    volumes = [-enclosed_volume(mesh.nodes, mesh.surface(f"cavity{i}")) for i in (1, 2)]
    assert volumes == pytest.approx([3e-6, 1e-6])


def test_filled_shapes_converge_at_second_order():
    exact, error = 4 / 3 * math.pi, []
    for spacing in (0.4, 0.2, 0.1):
        mesh = fill(lambda p: np.linalg.norm(p, axis=1) - 1, (-1,) * 3, (1,) * 3, spacing, smooth=2)
        error.append(exact - mesh.volume)
    assert math.log2(error[0] / error[2]) / 2 == pytest.approx(2, abs=0.25)


def test_filled_surfaces_lie_on_the_shape():
    mesh = SHAPES["ball"]
    assert np.abs(np.linalg.norm(mesh.nodes[mesh.region("surface")], axis=1) - 1).max() < 1e-6


@settings(max_examples=25)
@given(st.floats(0.3, 0.45), st.floats(-0.1, 0.1), st.floats(0.3, 0.6))
def test_fills_never_have_poor_elements(spacing, shift, radius):
    def shape(p):
        return np.hypot(np.hypot(p[:, 0] - shift, p[:, 1]) - 1, p[:, 2] + shift) - radius

    mesh = fill(shape, (-2,) * 3, (2,) * 3, spacing, smooth=2)
    assert find_faults(mesh, parts=None) == []
    angles = np.degrees(dihedral_angles(mesh.nodes, mesh.tets))
    assert angles.min() > 8 and angles.max() < 166


def test_a_mirrored_lattice_is_symmetric():
    mesh = shapes.box((2, 2, 2), (4, 4, 2), origin=(-1, -1, -1))
    places = {tuple(sorted(map(tuple, np.round(mesh.nodes[t], 9).tolist()))) for t in mesh.tets}
    mirrored = {tuple(sorted((-x if x else x, y, z) for x, y, z in tet)) for tet in places}
    assert mirrored == places


def test_a_shape_that_leaves_its_box_or_is_not_there_is_refused():
    with pytest.raises(InvalidInput, match="holds the whole shape"):
        fill(lambda p: np.linalg.norm(p, axis=1) - 1.5, (-1,) * 3, (1,) * 3, 0.25)
    with pytest.raises(InvalidInput, match="nowhere negative"):
        fill(lambda p: np.ones(len(p)), (-1,) * 3, (1,) * 3, 0.5)
    with pytest.raises(InvalidInput, match="spacing = 0.001"):
        fill(lambda p: p[:, 0], (-1,) * 3, (1,) * 3, 0.001)


def test_regular_tetrahedra_have_ratio_one():
    regular = np.array([[1.0, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1]])
    tet = np.array([[0, 2, 1, 3]])
    assert abs(mean_ratio(regular, tet)[0]) == pytest.approx(1)
    assert np.degrees(dihedral_angles(regular, tet)) == pytest.approx(np.full((1, 6), math.degrees(math.acos(1 / 3))))


def test_a_mesh_cannot_be_changed_but_copied_and_sent():
    mesh = SHAPES["hollow_box"]
    with pytest.raises(ValueError, match="read-only"):
        mesh.nodes[0, 0] = 3
    with pytest.raises(TypeError):
        mesh.regions["x"] = np.array([1])  # type: ignore[index]
    for twin in (copy.deepcopy(mesh), pickle.loads(pickle.dumps(mesh))):
        assert np.array_equal(twin.nodes, mesh.nodes) and np.array_equal(twin.tets, mesh.tets)
        assert np.array_equal(twin.surface("cavity1"), mesh.surface("cavity1"))


@pytest.mark.parametrize(
    ("where", "count"),
    [
        (in_box((0, 0, 0), (0, 1, 1)), 12),
        (in_sphere((0, 0, 0), 0.01), 1),
        (near_plane((1, 0, 0), (2, 0, 0), 1e-9), 12),
        (beyond_plane((0.7, 0, 0), (1, 0, 0)), 24),
        (lambda p: p[:, 0] == 0, 12),
        ([3, 1, 3], 2),
    ],
)
def test_regions_by_place(where, count):
    assert len(SHAPES["box"].with_region("here", where).region("here")) == count


def test_one_truth_for_each_node_is_a_region_too():
    """Truths are not the numbers 0 and 1."""
    mesh = SHAPES["box"]
    truths = mesh.nodes[:, 0] == 0
    assert np.array_equal(mesh.with_region("end", truths).region("end"), mesh.region("x0"))
    first = mesh.centroids[:, 1] < 0.1
    assert np.array_equal(mesh.with_cells("half", first).cell_set("half"), np.flatnonzero(first))
    assert np.array_equal(Mesh(mesh.nodes, mesh.tets, {"end": truths}).region("end"), mesh.region("x0"))
    for wrong in (truths[1:], [0.7, 3.2], [-1], [len(truths)], ["x0"]):
        with pytest.raises(InvalidInput, match="region 'end' = .* give"):
            mesh.with_region("end", wrong)


def test_surfaces_and_cells_by_place():
    mesh = SHAPES["box"].with_surface("end", near_plane((0, 0, 0), (1, 0, 0), 1e-9))
    a, b, c = (mesh.nodes[mesh.surface("end")[:, i]] for i in range(3))
    area = np.cross(b - a, c - a) / 2
    assert area.sum(axis=0) == pytest.approx([-0.06, 0, 0])
    half = mesh.with_cells("half", lambda p: p[:, 1] < 0.1)
    assert mesh.volumes[half.cell_set("half")].sum() == pytest.approx(0.03)


def test_names_that_do_not_exist_are_answered_with_those_that_do():
    with pytest.raises(InvalidInput, match="unknown region 'toe': the mesh has x0, x1, y0"):
        SHAPES["box"].region("toe")
    with pytest.raises(InvalidInput, match="the mesh goes from"):
        SHAPES["box"].with_region("far", in_sphere((9, 9, 9), 1))


def test_moving_and_scaling():
    turn = np.array([[0, -1, 0], [1, 0, 0], [0, 0, 1]])
    mesh = SHAPES["box"].moved(rotation=turn, translation=(1, 0, 0), scale=0.001)
    assert mesh.volume == pytest.approx(0.06e-9)
    assert mesh.bounds[0] == pytest.approx([1 - 0.0002, 0, 0])
    with pytest.raises(InvalidInput, match="rotation"):
        mesh.moved(rotation=np.diag([1, 1, -1]))


@pytest.mark.parametrize(
    ("nodes", "tets", "text"),
    [
        (TET[:, :2], [[0, 1, 2, 3]], r"nodes = 'shape \(4, 2\)'"),
        (TET, [[0, 1, 2]], r"tets = 'shape \(1, 3\)'"),
        (TET, [[0, 1, 2, 4]], r"tets\[0\] names 4: give indices from 0 to 3"),
        (np.where(TET == 1, np.nan, TET), [[0, 1, 2, 3]], r"nodes\[1\] = "),
        (TET, np.zeros((0, 4)), "at least one row"),
    ],
)
def test_arrays_of_the_wrong_kind_are_refused(nodes, tets, text):
    with pytest.raises(InvalidInput, match=text):
        Mesh(nodes, tets)


def broken(kind: str) -> Mesh:
    mesh = shapes.box((1, 1, 1), (2, 2, 2))
    nodes, tets = mesh.nodes.copy(), mesh.tets.copy()
    if kind == "inverted":
        tets[7] = tets[7][[1, 0, 2, 3]]
    elif kind == "degenerate":
        nodes[tets[7][0]] = nodes[tets[7][1:]].mean(axis=0)
        tets = tets[7:8]
        nodes, tets = nodes[tets[0]], np.array([[0, 1, 2, 3]])
    elif kind == "repeated":
        tets = np.concatenate([tets, tets[3:4, [1, 2, 0, 3]]])
    elif kind == "duplicated nodes":
        half = mesh.centroids[:, 0] > 0.5
        tets[half] += len(nodes)
        nodes = np.concatenate([nodes, nodes])
    elif kind == "unused nodes":
        nodes = np.concatenate([nodes, [[5, 5, 5]]])
    elif kind == "disconnected":
        nodes, tets = np.concatenate([nodes, TET + 3]), np.concatenate([tets, [np.arange(4) + len(nodes)]])
    elif kind == "hole":
        fine = shapes.box((1, 1, 1), (3, 3, 3))
        middle = np.argmin(np.linalg.norm(fine.centroids - 0.5 - fine.nodes.min(axis=0), axis=1))
        return Mesh(fine.nodes, np.delete(fine.tets, middle, axis=0))
    elif kind == "non-manifold":
        nodes = np.array([*TET, [0.2, 0.2, -1], [0.3, 0.3, -2]])
        tets = np.array([[0, 1, 2, 3], [0, 2, 1, 4], [0, 2, 1, 5]])
    return Mesh(nodes, tets)


KINDS = {
    "inverted": r"tetrahedron 7 \(nodes .*\) is inside out",
    "degenerate": r"tetrahedron 0 \(nodes \[0, 1, 2, 3\]\) is flat",
    "repeated": "tetrahedron 48 .* appears twice",
    "duplicated nodes": r"node \d+ lies on node \d+ at",
    "unused nodes": "node 27 belongs to no tetrahedron",
    "disconnected": "consists of 2 parts that share no node",
    "hole": r"tetrahedra are missing between nodes \[.*\]: a closed hole of 4 triangles",
    "non-manifold": "shares a face with two others",
}


@pytest.mark.parametrize("kind", KINDS)
def test_faults_are_named(kind):
    with pytest.raises(InvalidInput, match="sole: .*" + KINDS[kind]):
        check(broken(kind), name="sole")
    assert kind in [fault.kind for fault in find_faults(broken(kind))]


@pytest.mark.parametrize("kind", ["inverted", "repeated", "duplicated nodes", "unused nodes", "disconnected"])
def test_what_can_be_mended_is(kind):
    mended, done = repair(broken(kind), largest_part=True)
    assert find_faults(mended) == [] and done
    assert mended.volume == pytest.approx(1)


def test_a_sound_mesh_is_left_alone():
    mended, done = repair(SHAPES["bellows"])
    assert done == [] and np.array_equal(mended.tets, SHAPES["bellows"].tets)


def test_flat_meshes_cannot_be_mended():
    with pytest.raises(InvalidInput, match="no tetrahedron with a volume"):
        repair(broken("degenerate"))


def test_open_and_doubled_surfaces_are_named():
    triangles = SHAPES["box"].boundary
    with pytest.raises(InvalidInput, match=r"bag is not closed: 3 edges .* from node \d+ to node \d+"):
        check_closed(triangles[1:], "bag")
    with pytest.raises(InvalidInput, match="bag is not a surface"):
        check_closed(np.concatenate([triangles, triangles[:1], triangles[:1, ::-1]]), "bag")
