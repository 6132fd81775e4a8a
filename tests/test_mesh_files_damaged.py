"""Mesh files whose faces name points that are not there: they would be triangles between the wrong points."""

from __future__ import annotations

from pathlib import Path

import pytest

from plantar.errors import InvalidInput

pytest.importorskip("meshio")
POINTS = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n"


@pytest.mark.parametrize("face", ["1 2 9", "-1 -2 -3", "0 1 2"])
def test_faces_of_points_that_are_not_there_are_refused(face: str, tmp_path: Path) -> None:
    from plantar.soft.mesh.files import read_surface

    file = tmp_path / "surface.obj"
    file.write_text(f"{POINTS}f 1 2 3\nf {face}\n")
    with pytest.raises(InvalidInput, match="points that it does not hold"):
        read_surface(file)
    file.write_text(f"{POINTS}f 1 2 3\nf 1 2 4\n")
    assert read_surface(file)[1].shape == (2, 3)


def test_cells_of_points_that_are_not_there_are_refused(tmp_path: Path) -> None:
    from plantar.soft.mesh.files import read_mesh

    file = tmp_path / "solid.vtk"
    head = "# vtk DataFile Version 2.0\nx\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 4 float\n"
    file.write_text(f"{head}0 0 0 1 0 0 0 1 0 0 0 1\nCELLS 1 5\n4 0 1 2 9\nCELL_TYPES 1\n10\n")
    with pytest.raises(InvalidInput, match="points that it does not hold"):
        read_mesh(file)
