"""Recorders: what a scene did, as a table, a plot and files for ParaView."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from plantar._checks import require
from plantar._files import write_table
from plantar.errors import InvalidInput
from plantar.soft.mesh.files import write_surface
from plantar.soft.mesh.series import Series
from plantar.soft.scene.body import SoftBody
from plantar.table import Table

if TYPE_CHECKING:
    from plantar.soft.scene.scene import Scene


class Recorder:
    """Records a row after every step: time, efforts, strokes, goals, points, contact forces and energy.

    Args:
        scene: The scene.
        points: Points to follow by name: body and place at rest [m].
        energy: Whether energies are recorded; it costs a loop over all elements.
    """

    def __init__(
        self, scene: Scene, points: dict[str, tuple[str, Sequence[float]]] | None = None, energy: bool = False
    ):
        self.scene, self.energy = scene, energy
        self.points = {n: scene.point_map(body, [place]) for n, (body, place) in (points or {}).items()}
        self.rows: list[dict[str, Any]] = []

    def note(self) -> dict[str, Any]:
        """Record the present state."""
        scene, state = self.scene, self.scene.state
        row: dict[str, Any] = {"time": state.time}
        if not (scene.actuators or scene.goals or self.points or scene.contacts):
            # nothing else to report for a scene that only hangs or falls
            row |= {f"{name}_moved": self._moved(name) for name in scene.bodies}
        for name, stroke in scene.strokes().items():
            row[f"{name}_effort"], row[f"{name}_stroke"] = scene.efforts[name], stroke
        for name, goal in scene.goals.items():
            place = goal.position(state.x, state.quat)
            row |= {f"{name}_{axis}": float(v) for axis, v in zip("xyz", place, strict=True)}
            row[f"{name}_error"] = float(np.linalg.norm((place - goal.target)[goal.axes]))
        for name, point in self.points.items():
            place = point.positions(state.x, state.quat)[0]
            row |= {f"{name}_{axis}": float(v) for axis, v in zip("xyz", place, strict=True)}
        for name in scene.contacts:
            force = np.sum([t.force for t in scene.touches if t.contact == name], axis=0) + np.zeros(3)
            row |= {f"{name}_f{axis}": float(v) for axis, v in zip("xyz", force, strict=True)}
        if self.energy:
            row |= {f"energy_{k}": v for k, v in scene.energy().items()}
        self.rows.append(row)
        return row

    def _moved(self, body: str) -> float:
        """Largest displacement of a node of a body [m]."""
        rest = self.scene.system.x0[self.scene.system.blocks_of(body)]
        here = self.scene.state.x[self.scene.system.blocks_of(body)]
        return float(np.linalg.norm(here - rest, axis=1).max())

    def table(self) -> Table:
        """All rows."""
        return Table(self.rows)

    def write(self, folder: str | Path, name: str = "record") -> Path:
        """Write the rows as a table."""
        return write_table(folder, name, self.rows)

    def plot(self, path: str | Path) -> Path:
        """Plot efforts, strokes and errors of goals over time."""
        from plantar.show.plots import figure, house_style, save  # noqa: PLC0415  (Matplotlib)

        require(len(self.rows) > 1, "rows", len(self.rows), "at least two recorded rows")
        table = self.table()
        first = {"effort [N, Pa]": r"_effort$", "stroke [m, m^3]": r"_stroke$", "distance from target [m]": r"_error$"}
        then = {"largest displacement [m]": r"_moved$", "contact force [N]": r"_f[xyz]$", "place [m]": r"_[xyz]$"}
        for kinds in (first, then):
            shown = {k: [c for c in table.columns if re.search(s, c)] for k, s in kinds.items()}
            shown = {k: v for k, v in shown.items() if v}
            if shown:
                break
        with house_style():
            fig, axes = figure(rows=len(shown), size=(7.0, 1.2 + 2.6 * len(shown)))
            for ax, (label, columns) in zip(axes.ravel(), shown.items(), strict=True):
                for column in columns:
                    ax.plot(
                        table.column("time"),
                        table.column(column),
                        label=re.sub("_(effort|stroke)$", "", column),
                    )
                ax.set_xlabel("time [s]")
                ax.set_ylabel(label)
                ax.legend()
            return save(fig, path)


class Film:
    """Writes bodies and skins of a scene as series for ParaView: one .pvd file per body.

    Args:
        scene: The scene.
        folder: An existing folder.
    """

    def __init__(self, scene: Scene, folder: str | Path):
        self.scene, self.folder = scene, Path(folder)
        self.bodies = {n: b for n, b in scene.bodies.items() if isinstance(b, SoftBody)}
        if not self.bodies and not scene.skins:
            raise InvalidInput("the scene has no body of tetrahedra and no skin: nothing to write for ParaView")
        self.series = {n: Series(folder, n) for n in self.bodies}
        self.frames = 0

    def add(self) -> None:
        """Write the present state."""
        for name, body in self.bodies.items():
            at = self.scene.system.offset[name]
            velocity = self.scene.state.v[at : at + len(body.mesh.nodes)]
            self.series[name].add(self.scene.time, body.mesh, self.scene.positions(name), velocity=velocity)
        for name, skin in self.scene.skins.items():
            if len(skin.triangles):
                file = self.folder / f"{name}_{self.frames:05d}.vtu"
                write_surface(file, skin.positions(self.scene.state), skin.triangles)
        self.frames += 1
