"""What is measured of a walk."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields

import numpy as np

from plantar._notebook import Shown
from plantar.ground import Tracks
from plantar.model.polygon import convex_hull, polygon_area
from plantar.show.contacts import Loads, loads_of
from plantar.walk.robot.legged import Legged
from plantar.walk.robot.polygons import beyond
from plantar.walk.robot.soles import NAMES
from plantar.walk.sim.path import Path
from plantar.walk.sim.simulation import Simulation
from plantar.walk.sim.touching import foot_contacts, hit_links

LOOK_EVERY = 0.02
"""Time between two looks at the contacts, and between two frames of a film [s]."""
LOADED = 0.0034
"""A contact counts from this share of the weight on."""
CARRIES = 0.09
"""A foot counts as loaded from this share of the weight on."""
APART = 0.1
"""Touches of a link with the ground this far apart are two collisions [s]."""


@dataclass(frozen=True, kw_only=True)
class Metrics(Shown):
    """Figures of one walk, from its first step on: without the settling before it."""

    com_excursion: float = math.nan
    """Largest distance of the centre of mass from its plan along the ground [m]."""
    com_error: float = math.nan
    """Root mean square of that distance [m]."""
    com_sway: float = math.nan
    """Largest distance of the centre of mass from the path, sideways [m]."""
    dcm_error: float = math.nan
    """Root mean square of the DCM's distance from its plan [m]."""
    dcm_error_max: float = math.nan
    """Largest distance of the DCM from its plan [m]."""
    support_area: float = math.nan
    """Mean area of the hull of all contacts in single support [m^2]."""
    support_area_min: float = math.nan
    """Fifth percentile of that area [m^2]."""
    cop_margin: float = math.nan
    """Mean distance of the pressure point from the edge of that hull [m]."""
    cop_margin_min: float = math.nan
    """Fifth percentile of that distance [m]."""
    force_peak: float = math.nan
    """Largest vertical force on one foot, in weights of the robot."""
    force_rate: float = math.nan
    """Largest rate of that force over 10 ms, in weights of the robot a second [1/s]."""
    slip: float = math.nan
    """Mean slip of loaded feet by load, per metre walked."""
    collisions: int = 0
    """Times that a link other than a foot hit the ground or what lies on it."""
    collision_time: float = 0.0
    """Share of the time in which one touched it."""
    energy: float = math.nan
    """Work of all joints, positive and negative alike, per metre walked [J/m]."""
    transport: float = math.nan
    """That energy over the weight of the robot: cost of transport."""
    transport_positive: float = math.nan
    """The same of positive work alone."""
    tilt: float = math.nan
    """Largest tilt of the base [rad]."""
    drift: float = math.nan
    """Distance of the end from the planned path, sideways, as a share of the way."""
    late: int = 0
    """Feet that found the ground 3 cm or more below their foothold, or not at all."""
    moved: float = math.nan
    """Mean distance of chosen footholds from nominal ones [m]."""


METRICS = tuple(f.name for f in fields(Metrics))
"""Names of the figures."""
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
    """Positions of the whole model (frames, nq); empty unless asked for."""
    frame_times: np.ndarray
    """Times of the frames [s]."""
    frame_loads: tuple[Loads, ...] = ()
    """What bodies and tendons bore in the frames."""
    tracks: Tracks | None = None
    """What the feet left in ground that yields."""

    def column(self, name: str) -> np.ndarray:
        """One time series by name."""
        return self.table[:, self.columns.index(name)]


class Recorder:
    """Takes down a walk as it happens.

    Args:
        sim: The simulation.
        frames: Whether positions of the whole model are kept for films, 50 a second.
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
        """Take down one control step."""
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
        """Support area, pressure point and slip of this moment."""
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
        """Everything that was taken down."""
        return WalkRecord(
            table=self.table(),
            columns=columns(self.sim.scene.legged),
            frames=np.array(self.frames or []),
            frame_times=np.array(self.frame_times),
            frame_loads=tuple(self.frame_loads),
            tracks=self.sim.tracks,
        )


def measure(recorder: Recorder, path: Path) -> tuple[Metrics, float]:
    """Figures of a recorded walk, and how far it went along the planned path [m]."""
    sim = recorder.sim
    legged, whole = sim.scene.legged, recorder.table()
    weight, feet = legged.mass * legged.gravity, len(legged.soles)
    begun = recorder.begun or 0
    table = whole[begun:]
    if len(table) < 2:
        return Metrics(), 0.0
    com, loads, plan = table[:, 1:3], table[:, 5 : 5 + feet], table[:, 5 + feet :]
    off = np.linalg.norm(plan[:, 0:2] - plan[:, 2:4], axis=1)
    strayed = np.linalg.norm(com - plan[:, 4:6], axis=1)
    way, sideways = path.follow(whole[:: max(1, round(0.02 / recorder.dt)), 1:3])
    span = max(1, round(0.01 / recorder.dt))
    rate = np.abs(loads[span:] - loads[:-span]).max() / (span * recorder.dt) if len(loads) > span else math.nan
    area, margin = np.array(recorder.contacts).reshape(-1, 2).T
    walked, moves = max(way, 1e-3), path.length > 0.04
    run = getattr(sim.controller, "plan", None)
    moved = [math.dist(s.target[:2], s.nominal) for s in run.steps] if run is not None else []
    metrics = Metrics(
        com_excursion=float(strayed.max()),
        com_error=_rms(strayed),
        com_sway=float(np.abs(sideways).max()),
        dcm_error=_rms(off),
        dcm_error_max=float(off.max()),
        support_area=_mean(area),
        support_area_min=_low(area),
        cop_margin=_mean(margin),
        cop_margin_min=_low(margin),
        force_peak=float(loads.max() / weight),
        force_rate=float(rate / weight),
        slip=math.nan if sim.tracks is not None else recorder.slid / walked if moves else recorder.slid,
        collisions=len(recorder.collisions),
        collision_time=recorder.touching / len(table),
        energy=recorder.work / walked if moves else math.nan,
        transport=recorder.work / walked / weight if moves else math.nan,
        transport_positive=recorder.positive / walked / weight if moves else math.nan,
        tilt=float(table[:, 4].max()),
        drift=float(abs(sideways[-1]) / walked) if moves else math.nan,
        late=run.late if run is not None else 0,
        moved=float(np.mean(moved)) if moved else math.nan,
    )
    return metrics, way


def _rms(values: np.ndarray) -> float:
    return float(np.sqrt(np.mean(values**2)))


def _mean(values: np.ndarray) -> float:
    return float(values.mean()) if len(values) else math.nan


def _low(values: np.ndarray) -> float:
    return float(np.percentile(values, 5)) if len(values) else math.nan
