"""Bodies drawn in CAD: STEP files, cut into triangles."""

from __future__ import annotations

import contextlib
import io
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from plantar._extras import require_extra
from plantar.errors import InvalidInput
from plantar.soft.mesh.mesh import Floats, Ints

COARSE = 0.05
"""Largest angle between neighbouring triangles on a curved face [rad]."""


def read_cad(path: Path) -> tuple[Floats, Ints]:
    """Places (n, 3) [m] and triangles (k, 3) of all bodies of a STEP file.

    Raises:
        InvalidInput: If the file cannot be read or holds no body.
        MissingExtra: Without the extra `cad`.
    """
    require_extra("cad")
    import cascadio  # noqa: PLC0415
    import trimesh  # noqa: PLC0415

    if not path.is_file():
        raise InvalidInput(f"{path} cannot be read (there is no such file): give a STEP file")
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
        between = Path(folder) / "body.glb"
        try:
            cascadio.step_to_glb(str(path), str(between), tol_angular=COARSE)
            scene: Any = trimesh.load(between)
            body: Any = scene.to_mesh() if hasattr(scene, "to_mesh") else scene
            places, triangles = np.asarray(body.vertices, float), np.asarray(body.faces, np.int64)
        except Exception as error:  # the readers raise whatever their C++ says
            raise InvalidInput(f"{path} cannot be read as STEP ({' '.join(str(error).split())[:120]})") from error
    if not len(triangles):
        raise InvalidInput(f"{path} holds no body: export solids, not sketches")
    return places, triangles
