"""The recording of a walk."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from plantar.ground import Tracks
from plantar.model.polygon import convex_hull, polygon_area
from plantar.show.contacts import Loads, loads_of
from plantar.walk.plans.polygons import beyond
from plantar.walk.robot.legged import Legged
from plantar.walk.robot.soles import NAMES
from plantar.walk.sim.simulation import Simulation
from plantar.walk.sim.touching import foot_contacts, hit_links

LOOK_EVERY = 0.02
"""Time between two looks at the contacts, and between two frames of a film [s]."""
LOADED = 0.0034
"""A contact counts above this fraction of the weight."""
CARRIES = 0.09
"""A foot counts as loaded above this fraction of the weight."""
APART = 0.1
"""Touches of a link with the ground this far apart are two collisions [s]."""
PLANNED = ("dcm_x", "dcm_y", "dcm_plan_x", "dcm_plan_y", "com_plan_x", "com_plan_y", "pressure_plan_x")
PLANNED += ("pressure_plan_y", "phase")
"""Columns of the plan; phase is 0 standing, 1 with few feet on the ground, 2 with all."""


def columns(legged: Legged) -> tuple[str, ...]:
    """Columns of a record: time, centre of mass, tilt, load on each foot, plan."""
    loads = tuple(f"load_{NAMES.get(sole.name, sole.name)}" for sole in legged.soles)
    return ("time", "com_x", "com_y", "com_z", "tilt", *loads, *PLANNED)


@dataclass(frozen=True, kw_only=True)
class WalkRecord:
    """Time series of a trial."""

    table: np.ndarray
    """One row per control step."""
    columns: tuple[str, ...]
    """Names of its columns."""
    frames: np.ndarray
    """Positions of the whole model (frames, nq); empty unless requested."""
    frame_times: np.ndarray
    """Times of the frames [s]."""
    frame_loads: tuple[Loads, ...] = ()
    """Loads on bodies and tendons in the frames."""
    tracks: Tracks | None = None
    """What the feet left in ground that yields."""

    def column(self, name: str) -> np.ndarray:
        """One time series by name."""
        return self.table[:, self.columns.index(name)]


class Recorder:
    """Records a walk.

    Args:
        sim: The simulation.
        frames: Whether positions of the whole model are kept for films, 50 per second.
    """

    def __init__(self, sim: Simulation, frames: bool = False):
        self.sim, self.count = sim, 0
        self.rows: list[tuple[float, ...]] = []
        self.contacts: list[tuple[float, float]] = []
        self.frames: list[np.ndarray] | None = [] if frames else None
        self.frame_times: list[float] = []
        self.frame_loads: list[Loads] = []
        self.collisions: list[tuple[float, str]] = []
        """When which link hit the ground."""
        self.begun: int | None = None
        """Row of the first step."""
        self.work = self.positive = self.slid = 0.0
        self.touching = 0
        self._last: dict[int, float] = {}
        self._v = sim.scene.v_index[sim.scene.legged.v_joint]
        self._weight = sim.scene.legged.mass * sim.scene.legged.gravity
        self.dt = sim.substeps * sim.scene.model.opt.timestep
        self._each = max(1, round(LOOK_EVERY / self.dt))

    def __call__(self, sim: Simulation) -> None:
        """Record one control step."""
        d, scene = sim.data, sim.scene
        plan = getattr(sim.controller, "plan", None)
        row = plan.row() if plan is not None else (math.nan,) * len(PLANNED)
        if self.begun is None and row[-1] > 0:
            self.begun, self.touching = self.count, 0
            self.work = self.positive = self.slid = 0.0
            self.contacts.clear()
        self.rows.append((d.time, *d.subtree_com[scene.base], sim.tilt, *sim.loads(), *row))
        power = d.actuator_force[scene.motors] * d.qvel[self._v]
        self.work += float(np.abs(power).sum()) * self.dt
        self.positive += float(np.maximum(power, 0.0).sum()) * self.dt
        self._collide(sim)
        if self.count % self._each == 0:
            self._look(sim, single=bool(row[-1] == 1))
            if self.frames is not None:
                self.frames.append(d.qpos.copy())
                self.frame_times.append(d.time)
                self.frame_loads.append(loads_of(sim.model, d, sim.tracks and sim.tracks.pushes(d)))
        self.count += 1

    def _collide(self, sim: Simulation) -> None:
        hit, now = hit_links(sim), float(sim.data.time)
        self.touching += bool(hit)
        for link in hit:
            if now - self._last.get(link, -1.0) > APART:
                self.collisions.append((now, sim.model.body(link).name))
            self._last[link] = now

    def _look(self, sim: Simulation, single: bool) -> None:
        """Support area, centre of pressure and slip of this moment."""
        found = foot_contacts(sim, LOADED * self._weight)
        self.slid += found.sliding(CARRIES * self._weight) * self._each * self.dt
        if not single or len(found.points) < 3:
            return
        hull = convex_hull(found.points[:, :2])
        if len(hull) >= 3:
            pressure = found.normal @ found.points[:, :2] / found.normal.sum()
            self.contacts.append((polygon_area(hull), -beyond(pressure, hull)))

    def table(self) -> np.ndarray:
        """Time series (steps, columns); `columns` names them."""
        return np.array(self.rows)

    def record(self) -> WalkRecord:
        """Everything that was recorded."""
        return WalkRecord(
            table=self.table(),
            columns=columns(self.sim.scene.legged),
            frames=np.array(self.frames or []),
            frame_times=np.array(self.frame_times),
            frame_loads=tuple(self.frame_loads),
            tracks=self.sim.tracks,
        )
