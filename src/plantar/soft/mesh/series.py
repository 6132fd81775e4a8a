"""Results over time in files for ParaView."""

from __future__ import annotations

from pathlib import Path
from xml.sax.saxutils import quoteattr

import numpy as np
from numpy.typing import ArrayLike

from plantar._checks import require
from plantar._files import write_text
from plantar.soft.mesh.files import write_mesh
from plantar.soft.mesh.mesh import Mesh


class Series:
    """Results over time for ParaView: one .vtu file per frame and a .pvd file that lists them.

    The .pvd file is written after every frame, so that a run that stops leaves what it had.

    Args:
        folder: An existing folder.
        name: Name of the .pvd file and start of the frames' names.
    """

    def __init__(self, folder: str | Path, name: str = "body"):
        self.folder, self.name = Path(folder), name
        self.times: list[float] = []
        self.path = self.folder / f"{name}.pvd"

    def add(self, time: float, mesh: Mesh, nodes: ArrayLike, **point_data: ArrayLike) -> Path:
        """Write the frame at `time` [s] with nodes at `nodes`; `displacement` is added."""
        require(not self.times or time > self.times[-1], "time", time, "a time after the last frame's")
        moved = np.asarray(nodes, dtype=float)
        values = {"displacement": moved - mesh.nodes, **point_data}
        frame = write_mesh(self.folder / self._frame(len(self.times)), mesh, nodes=moved, point_data=values)
        self.times.append(float(time))
        write_text(self.path, self._index())
        return frame

    def _frame(self, number: int) -> str:
        return f"{self.name}_{number:05d}.vtu"

    def _index(self) -> str:
        lines = [
            f'    <DataSet timestep="{time:.9g}" part="0" file={quoteattr(self._frame(i))}/>'
            for i, time in enumerate(self.times)
        ]
        head = '<?xml version="1.0"?>\n<VTKFile type="Collection" version="0.1" byte_order="LittleEndian">\n'
        return head + "  <Collection>\n" + "\n".join(lines) + "\n  </Collection>\n</VTKFile>\n"
