"""STEP files, whose curved faces are cut into triangles when they are read."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

from plantar._extras import require_extra
from plantar.errors import InvalidInput

CAD = (".step", ".stp")
"""Suffixes of files with curved faces."""
COARSE = 0.05
"""Largest angle between neighbouring triangles of a curved face [rad]."""


@contextlib.contextmanager
def triangulated(path: Path) -> Iterator[Path]:
    """A file of triangles in millimetres, made from a STEP file; it exists while the context is open.

    Raises:
        InvalidInput: If the file cannot be read or holds no body.
    """
    require_extra("cad")
    import cascadio  # noqa: PLC0415

    if not path.is_file():
        raise InvalidInput(f"{path} cannot be read (no such file): give a STEP file")
    with tempfile.TemporaryDirectory() as folder:
        between = Path(folder) / "body.obj"
        with _silence():
            failed = cascadio.step_to_obj(str(path), str(between), tol_angular=COARSE, use_colors=False)
        if failed or not between.is_file():
            raise InvalidInput(f"{path} cannot be read as STEP, or holds no body: export solids, not sketches")
        yield between


@contextlib.contextmanager
def _silence() -> Iterator[None]:
    """Keep the output of compiled code off the terminal: errors are one line, and ours."""
    kept = [os.dup(1), os.dup(2)]
    with open(os.devnull, "wb") as nowhere:
        for number in (1, 2):
            os.dup2(nowhere.fileno(), number)
        try:
            yield
        finally:
            for number, old in zip((1, 2), kept, strict=True):
                os.dup2(old, number)
                os.close(old)
