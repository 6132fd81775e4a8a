"""Clips of MuJoCo models: geoms, contact forces, pressure, tendons and support, frame by frame."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import mujoco
import numpy as np
from scipy.spatial.transform import Rotation

from plantar.show import shapes
from plantar.show.clip import Clip, Marks, Shape, gather
from plantar.show.contacts import Loads, loads_of, tendon_paths
from plantar.show.view import VISIBLE_GROUPS, View, fit

FORCE, EDGE, POINT = (0.80, 0.16, 0.12), (0.10, 0.45, 0.30), (0.95, 0.75, 0.10)
"""Colours of forces, of the support polygon and of the centre of pressure."""
COLD, HOT = np.array([0.98, 0.86, 0.35]), np.array([0.75, 0.05, 0.10])
"""Colours of a light and of a heavy load."""
ASPECT = (16, 10)
"""Shape of the window that a fitted camera is for."""


@dataclass
class ClipRecorder:
    """Takes frames of a simulation, or of many that run side by side."""

    model: mujoco.MjModel
    """What is shown."""
    overlays: bool = True
    """Whether forces, pressure and tensions are drawn: data must then be of `mj_forward` or `mj_step`."""
    _times: list[float] = field(default_factory=list)
    _places: list[np.ndarray] = field(default_factory=list)
    _turns: list[np.ndarray] = field(default_factory=list)
    _loads: list[Loads] = field(default_factory=list)
    _tendons: list[tuple[np.ndarray, np.ndarray]] = field(default_factory=list)
    readings: dict[str, list[float]] = field(default_factory=dict)
    """Numbers of the frames so far, by name with unit."""

    def take(
        self, time: float, data: mujoco.MjData, readings: dict[str, float] | None = None, loads: Loads | None = None
    ) -> None:
        """Add a frame.

        Args:
            time: Its time [s].
            data: The state.
            readings: Numbers of this frame, the same names in each.
            loads: Loads on bodies and tendons; those of `data` by default.
        """
        self._add(time, data.geom_xpos[None], data.geom_xmat[None])
        for name, value in (readings or {}).items():
            self.readings.setdefault(name, []).append(float(value))
        if self.overlays:
            loads = loads_of(self.model, data) if loads is None else loads
            self._loads.append(loads)
            pieces, owners = tendon_paths(self.model, data)
            shown = VISIBLE_GROUPS[self.model.tendon_group[owners]].astype(bool) if len(owners) else np.zeros(0, bool)
            self._tendons.append((pieces[shown], loads.pulls[owners[shown]]))

    def take_bodies(self, time: float, positions: np.ndarray, frames: np.ndarray, offsets: np.ndarray) -> None:
        """Add a frame of many simulations from the poses of their bodies.

        Args:
            time: Its time [s].
            positions: Places of the bodies (simulations, bodies, 3) [m].
            frames: Rotation matrices of the bodies (simulations, bodies, 9).
            offsets: Where each simulation is put (simulations, 3) [m].
        """
        m = self.model
        local = Rotation.from_quat(m.geom_quat, scalar_first=True).as_matrix()
        turned = frames.reshape(*frames.shape[:2], 3, 3)[:, m.geom_bodyid]
        places = positions[:, m.geom_bodyid] + np.einsum("sgij,gj->sgi", turned, m.geom_pos) + offsets[:, None]
        self._add(time, places, np.einsum("sgij,gjk->sgik", turned, local))

    def _add(self, time: float, places: np.ndarray, frames: np.ndarray) -> None:
        """Add poses (simulations, geoms, ...) of one moment."""
        self._times.append(time)
        self._places.append(places.copy())
        matrices = frames.reshape(-1, 3, 3)
        self._turns.append(Rotation.from_matrix(matrices).as_quat(scalar_first=True).reshape(*places.shape[:2], 4))

    def clip(self, title: str, *, view: View | None = None, data: mujoco.MjData | None = None, **more: Any) -> Clip:
        """The film of all frames so far.

        Args:
            title: What it shows.
            view: Viewpoint; what it leaves open is fitted to `data`.
            data: A state to fit the view to; not needed where the view has a centre and a distance.
            **more: Other fields of the clip: notes, floor, follow.
        """
        view = view or View(azimuth=125, elevation=-22)
        if view.distance is None or view.centre is None:
            assert data is not None, "fitting a view needs a state"
            (x, y, z), distance = fit(view, self.model, data, ASPECT)
            x, y, z = float(x), float(y), float(z)
            view = View(azimuth=view.azimuth, elevation=view.elevation, centre=(x, y, z), distance=1.25 * distance)
        drawn = [*self._shapes()]
        marks: list[Marks] = []
        if self.overlays:
            size = self._size()
            drawn += [*self._tubes(), *self._pressure(size)]
            marks = self._marks(size)
            more["notes"] = (*more.get("notes", ()), *self._legend(size))
        readings = {name: np.array(values) for name, values in self.readings.items()}
        times = np.array(self._times) - self._times[0]
        marks = [mark for mark in marks if mark.counts.any()]
        things = {"shapes": tuple(drawn), "marks": tuple(marks), "readings": readings}
        return Clip(title=title, times=times, **things, view=view, **more)

    def _shapes(self) -> list[Shape]:
        """Equal geoms as one shape with many copies; what cannot move apart from what can."""
        m = self.model
        still = (m.body_weldid[m.geom_bodyid] == 0) & (m.body_mocapid[m.geom_bodyid] < 0)
        rgba = geom_colours(m)
        groups: dict[tuple[str, bool, bool], tuple[shapes.Mesh, list[int], list[Any]]] = {}
        for g in np.flatnonzero(VISIBLE_GROUPS[m.geom_group].astype(bool) & (rgba[:, 3] >= 0.05)):
            found = shapes.shape_of(m, int(g))
            if found is not None:
                name, mesh, size = found
                group = groups.setdefault((name, bool(still[g]), bool(rgba[g, 3] < 1)), (mesh, [], []))
                group[1].append(int(g))
                group[2].append(size)
        places, turns = np.stack(self._places), np.stack(self._turns)  # (frames, simulations, geoms, ...)
        made = []
        for (name, rests, clear), (mesh, geoms, sizes) in groups.items():
            part, n = ("ground" if rests else "bodies"), places.shape[1]
            frames = slice(0, 1) if rests else slice(None)
            made.append(
                Shape(
                    name=f"{part}/{name}{' clear' if clear else ''}",
                    corners=mesh.corners,
                    faces=mesh.faces,
                    places=places[frames, :, geoms].reshape(-1, n * len(geoms), 3),
                    turns=turns[frames, :, geoms].reshape(-1, n * len(geoms), 4),
                    sizes=np.tile(np.array(sizes), (n, 1))[None],
                    colours=np.tile(rgba[geoms], (n, 1))[None],
                    open=name.startswith("field"),
                )
            )
        return made

    def _size(self) -> float:
        """Length to which things that are drawn over the model are measured [m]."""
        moving = (self.model.body_weldid > 0) & (self.model.body_mocapid < 0)
        geoms = moving[self.model.geom_bodyid] & VISIBLE_GROUPS[self.model.geom_group].astype(bool)
        where = self._places[0][0][geoms]
        return float(np.linalg.norm(np.ptp(where, axis=0))) if len(where) > 1 else 0.2

    def _largest(self) -> float:
        """Largest force on one body [N]."""
        sizes = [np.linalg.norm(t.by_body()[1], axis=1).max(initial=0.0) for t in self._loads[1:] or self._loads]
        return float(np.percentile(sizes, 98)) if sizes else 0.0

    def _marks(self, size: float) -> list[Marks]:
        """Forces, support polygon and centre of pressure."""
        largest = max(self._largest(), 1e-9)
        each = 0.3 * size / largest
        arrows, edges, dots = [], [], []
        for touch in self._loads:
            points, forces = touch.by_body()
            seen = np.linalg.norm(forces, axis=1) > 0.01 * largest
            arrows.append(np.stack([points, points + each * forces], axis=1)[seen])
            edges.append(touch.support() + [0, 0, 0.002 * size])
            dots.append(np.repeat(touch.pressure_point()[:, None], 2, axis=1))
        return [
            gather("forces", "arrow", arrows, FORCE, 0.006 * size),
            gather("support", "line", edges, EDGE, 0.004 * size),
            gather("centre of pressure", "dot", dots, POINT, 0.012 * size),
        ]

    def _pressure(self, size: float) -> list[Shape]:
        """Discs under the sole, redder where a contact carries more."""
        most = max((len(t.points) for t in self._loads), default=0)
        if not most:
            return []
        n = len(self._loads)
        places, sizes = np.zeros((n, most, 3)), np.zeros((n, most, 3))
        turns, colours = np.tile([1.0, 0, 0, 0], (n, most, 1)), np.ones((n, most, 4))
        heavy = max(np.percentile([_largest_of(t) for t in self._loads], 98), 1e-9)
        for k, touch in enumerate(self._loads):
            load, count = np.linalg.norm(touch.forces, axis=1), len(touch.points)
            share = np.clip(load / heavy, 0, 1)[:, None]
            places[k, :count] = touch.points
            sizes[k, :count] = np.array([0.012, 0.012, 0.004]) * size * np.sqrt(0.25 + 0.75 * share) * (share > 0.005)
            turns[k, :count] = along(touch.forces)
            colours[k, :count, :3] = COLD * (1 - share) + HOT * share
        return [_drawn("pressure", shapes.cylinder(), places, turns, sizes, colours)]

    def _tubes(self) -> list[Shape]:
        """Tendons, redder where they pull harder."""
        most = max((len(pieces) for pieces, _ in self._tendons), default=0)
        if not most:
            return []
        n = len(self._tendons)
        places, sizes = np.zeros((n, most, 3)), np.zeros((n, most, 3))
        turns, colours = np.tile([1.0, 0, 0, 0], (n, most, 1)), np.ones((n, most, 4))
        taut = max(max((pull.max(initial=0) for _, pull in self._tendons), default=0), 1e-9)
        for k, (pieces, pull) in enumerate(self._tendons):
            count, way = len(pieces), pieces[:, 1] - pieces[:, 0]
            share = np.clip(pull / taut, 0, 1)[:, None]
            width = max(float(self.model.tendon_width.min()), 8e-4)
            places[k, :count] = pieces.mean(axis=1)
            sizes[k, :count] = np.column_stack([np.full((count, 2), width), np.linalg.norm(way, axis=1)])
            turns[k, :count] = along(way)
            colours[k, :count, :3] = np.array([0.45, 0.55, 0.70]) * (1 - share) + HOT * share
        return [_drawn("tendons", shapes.cylinder(10), places, turns, sizes, colours)]

    def _legend(self, size: float) -> list[str]:
        lines = []
        largest = self._largest()
        if largest > 0:
            lines.append(f"red arrows: forces on each part, {largest / (30 * size):.2g} N per centimetre")
            lines.append("discs: what each contact carries, yellow to red")
        if any(len(touch.support()) for touch in self._loads):
            lines.append("green: support polygon; yellow ball: centre of pressure")
        pulls = [pull.max(initial=0) for _, pull in self._tendons]
        if max(pulls, default=0) > 0:
            lines.append(f"tendons: blue slack, red {max(pulls):.3g} N")
        return lines


def _drawn(name: str, mesh: shapes.Mesh, places: Any, turns: Any, sizes: Any, colours: Any) -> Shape:
    return Shape(
        name=name, corners=mesh.corners, faces=mesh.faces, places=places, turns=turns, sizes=sizes, colours=colours
    )


def geom_colours(model: mujoco.MjModel) -> np.ndarray:
    """Colour and opacity (ngeom, 4): the geom's own if it was set, else its material's."""
    rgba = model.geom_rgba.astype(float)
    dressed = (model.geom_matid >= 0) & np.all(rgba == (0.5, 0.5, 0.5, 1), axis=1)
    rgba[dressed] = model.mat_rgba[model.geom_matid[dressed]]
    return rgba


def _largest_of(touch: Loads) -> float:
    return float(np.linalg.norm(touch.forces, axis=1).max(initial=0.0))


def along(ways: np.ndarray) -> np.ndarray:
    """Quaternions (n, 4) that turn z to each of some directions (n, 3)."""
    length = np.linalg.norm(ways, axis=1, keepdims=True)
    x, y, z = np.where(length > 0, ways / np.where(length > 0, length, 1), [0, 0, 1]).T
    down = z < -0.999999
    quats = np.stack([1 + z, -y, x, np.zeros_like(z)], axis=1)
    quats[down] = [0, 1, 0, 0]
    return quats / np.linalg.norm(quats, axis=1, keepdims=True)
