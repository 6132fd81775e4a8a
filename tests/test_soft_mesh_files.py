"""Meshes in files."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from dataclasses import replace

import numpy as np
import pytest

from plantar.errors import InvalidInput
from plantar.soft.mesh import shapes
from plantar.soft.mesh.check import find_faults
from plantar.soft.mesh.mesh import enclosed_volume
from plantar.soft.mesh.quality import quality

meshio = pytest.importorskip("meshio")
pytest.importorskip("numba")

from plantar.soft.mesh.files import read_mesh, read_surface, write_mesh, write_surface  # noqa: E402
from plantar.soft.mesh.series import Series  # noqa: E402
from plantar.soft.mesh.surface_fill import mesh_surface  # noqa: E402

SIZES = {
    "diamond.vtu": (1628, 4147),
    "finger.vtk": (158, 389),
    "springy.vtk": (1532, 5992),
    "pneunets.vtk": (1214, 4130),
}


@pytest.mark.parametrize("name", SIZES)
def test_published_meshes_are_read_and_sound(shared, name):
    mesh = read_mesh(shared / "meshes" / name, unit=0.001)
    assert (len(mesh.nodes), len(mesh.tets)) == SIZES[name]
    assert find_faults(mesh) == []
    assert np.ptp(mesh.nodes, axis=0).max() < 1


def test_a_published_cavity_is_closed_and_can_be_filled(shared):
    nodes, triangles = read_surface(shared / "meshes" / "springy_cavity.stl")
    inside = enclosed_volume(nodes, triangles)
    mesh, _ = mesh_surface(nodes, triangles, np.ptp(nodes, axis=0).max() / 24)
    assert find_faults(mesh, parts=None) == []
    assert mesh.volume == pytest.approx(inside, rel=0.2)
    assert quality(mesh)["angle_least_deg"] > 8


@pytest.mark.parametrize("suffix", [".vtu", ".vtk", ".msh"])
def test_what_is_written_is_read_back(tmp_path, suffix):
    mesh = shapes.hollow_box((0.1, 0.06, 0.04), 0.006, (3, 2, 2)).with_cells("low", lambda p: p[:, 2] < 0.02)
    path = write_mesh(tmp_path / f"sole{suffix}", mesh, point_data={"u": mesh.nodes})
    again = read_mesh(path)
    np.testing.assert_array_equal(again.nodes, mesh.nodes)
    np.testing.assert_array_equal(again.tets, mesh.tets)
    for kind in ("regions", "cells"):
        assert set(getattr(again, kind)) == set(getattr(mesh, kind))
        for name, there in getattr(mesh, kind).items():
            np.testing.assert_array_equal(getattr(again, kind)[name], there)
    assert set(again.surfaces) == set(mesh.surfaces) and mesh.surfaces
    for name, there in mesh.surfaces.items():
        np.testing.assert_array_equal(again.surface(name), np.unique(there, axis=0))


def test_gmsh_groups_become_cell_sets(tmp_path):
    mesh = shapes.box((1, 1, 1), (2, 2, 2))
    half = (mesh.centroids[:, 0] < 0.5).astype(int) + 1
    data = {"gmsh:physical": [half], "gmsh:geometrical": [half]}
    groups = {"stiff": np.array([2, 3]), "soft": np.array([1, 3])}
    file = meshio.Mesh(mesh.nodes, [("tetra", mesh.tets)], cell_data=data, field_data=groups)
    meshio.write(tmp_path / "a.msh", file, file_format="gmsh22", binary=False)
    again = read_mesh(tmp_path / "a.msh")
    np.testing.assert_array_equal(again.cell_set("stiff"), np.flatnonzero(half == 2))


def test_sets_that_overlap_are_kept_in_gmsh_files(tmp_path):
    mesh = shapes.box((1, 1, 1), (2, 2, 2)).with_cells("low", lambda p: p[:, 2] < 0.5)
    mesh = mesh.with_cells("left", lambda p: p[:, 0] < 0.5)
    faces = mesh.boundary
    mesh = replace(mesh, surfaces={"most": faces[:-4], "some": faces[10:]})
    again = read_mesh(write_mesh(tmp_path / "a.msh", mesh))
    for name in ("low", "left"):
        np.testing.assert_array_equal(again.cell_set(name), mesh.cell_set(name))
    for name in ("most", "some"):
        np.testing.assert_array_equal(again.surface(name), np.unique(mesh.surface(name), axis=0))


def test_gmsh_groups_of_triangles_become_surfaces(tmp_path):
    mesh = shapes.box((1, 1, 1), (2, 2, 2))
    faces = mesh.boundary
    low = (mesh.nodes[faces][:, :, 2].max(axis=1) < 1e-9).astype(int) + 1
    data = {name: [np.zeros(len(mesh.tets), int), low] for name in ("gmsh:physical", "gmsh:geometrical")}
    cells = [("tetra", mesh.tets), ("triangle", faces)]
    file = meshio.Mesh(mesh.nodes, cells, cell_data=data, field_data={"sole": np.array([2, 2])})
    meshio.write(tmp_path / "a.msh", file, file_format="gmsh22", binary=False)
    again = read_mesh(tmp_path / "a.msh")
    assert set(again.surfaces) == {"sole"} and not again.cells
    np.testing.assert_array_equal(again.surface("sole"), faces[low == 2])


def test_a_series_lists_its_frames_and_times(tmp_path):
    mesh = shapes.box((1, 1, 1), (1, 1, 1))
    series = Series(tmp_path, "run")
    for k in range(3):
        series.add(0.1 * k, mesh, mesh.nodes * (1 + 0.1 * k), speed=np.full(len(mesh.nodes), k))
    sets = ET.parse(tmp_path / "run.pvd").getroot().findall(".//DataSet")
    assert [float(s.attrib["timestep"]) for s in sets] == pytest.approx([0, 0.1, 0.2])
    frame = meshio.read(tmp_path / sets[2].attrib["file"])
    assert frame.point_data["displacement"] == pytest.approx(0.2 * mesh.nodes)
    with pytest.raises(InvalidInput, match="time = 0.2"):
        series.add(0.2, mesh, mesh.nodes)


def test_a_surface_is_written_read_and_filled(tmp_path):
    mesh = shapes.cylinder(0.02, 0.05, 3, 5)
    path = write_surface(tmp_path / "rod.stl", mesh.nodes, mesh.boundary)
    nodes, triangles = read_surface(path)
    assert enclosed_volume(nodes, triangles) == pytest.approx(mesh.volume, rel=1e-5)
    filled, report = mesh_surface(nodes, triangles, 0.006, name="rod")
    assert filled.volume == pytest.approx(mesh.volume, rel=0.05)
    assert report.volume_error == pytest.approx(filled.volume / mesh.volume - 1, abs=1e-5)


def test_files_that_cannot_be_read_are_named(tmp_path):
    (tmp_path / "broken.vtu").write_text("<xml")
    mesh = shapes.box((1, 1, 1), (1, 1, 1))
    write_surface(tmp_path / "skin.vtu", mesh.nodes, mesh.boundary)
    for name, text in (
        ("broken.vtu", "broken.vtu cannot be read as VTU"),
        ("none.vtu", "no such file"),
        ("sole.txt", "a file that ends in .vtk"),
        ("skin.vtu", "holds no linear tetrahedra, only triangle"),
    ):
        with pytest.raises(InvalidInput, match=text):
            read_mesh(tmp_path / name)
