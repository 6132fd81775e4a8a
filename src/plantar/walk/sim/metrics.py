"""What is measured of a walk."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields

import mujoco
import numpy as np

from plantar.model.polygon import convex_hull, polygon_area
from plantar.walk.robot.polygons import outside
from plantar.walk.sim.simulation import Simulation

CONTACTS_EVERY = 10
"""Control steps between two looks at the contacts."""
LOADED = 2.0
"""A contact counts from this force on [N]."""


@dataclass(frozen=True, kw_only=True)
class Metrics:
    """Figures of one walk; those of its planned steps, without the settling before them."""

    com_excursion: float = math.nan
    """Largest distance of the centre of mass from its plan along the ground [m]."""
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
    """Way that loaded contacts slide, mean by load, a metre walked."""
    energy: float = math.nan
    """Work of all joints, positive and negative alike, a metre walked [J/m]."""
    transport: float = math.nan
    """That energy over the weight of the robot: cost of transport."""
    tilt: float = math.nan
    """Largest tilt of the base [rad]."""
    drift: float = math.nan
    """Distance of the end from the planned path, sideways, as a share of the way."""


class Recorder:
    """Takes down a walk as it happens.

    Args:
        sim: The simulation.
        frames: Whether positions of the whole model are kept for films, 50 a second.
    """

    FRAMES_EVERY = 10

    def __init__(self, sim: Simulation, frames: bool = False):
        self.sim, self.count = sim, 0
        self.rows: list[tuple[float, ...]] = []
        self.contacts: list[tuple[float, ...]] = []
        self.frames: list[np.ndarray] | None = [] if frames else None
        self.frame_times: list[float] = []
        self.work = 0.0
        self.slid = 0.0
        self._v = sim.scene.v_index[sim.scene.legged.v_joint]
        self._dt = sim.substeps * sim.scene.model.opt.timestep

    def __call__(self, sim: Simulation) -> None:
        """Take down one control step."""
        d, scene, c = sim.data, sim.scene, sim.controller
        loads = sim.loads()
        com = d.subtree_com[scene.base]
        plan = getattr(c, "plan_row", None)
        row = plan() if plan else (math.nan,) * 9
        self.rows.append((d.time, *com, sim.tilt, *loads, *row))
        self.work += float(np.abs(d.actuator_force[scene.motors] * d.qvel[self._v]).sum()) * self._dt
        if self.count % CONTACTS_EVERY == 0:
            self._look(sim, single=bool(row[-1] == 1))
        if self.frames is not None and self.count % self.FRAMES_EVERY == 0:
            self.frames.append(d.qpos.copy())
            self.frame_times.append(d.time)
        self.count += 1

    def _look(self, sim: Simulation, single: bool) -> None:
        """Support area, pressure point and slip of this moment."""
        points, normals, speeds = foot_contacts(sim)
        total = float(normals.sum())
        area = margin = math.nan
        if total > 0:
            self.slid += float((speeds * normals).sum() / total) * CONTACTS_EVERY * self._dt
        if single and len(points) >= 3:
            hull = convex_hull(points[:, :2])
            if len(hull) >= 3:
                area = polygon_area(hull)
                pressure = (points[:, :2] * normals[:, None]).sum(axis=0) / total
                margin = -outside(pressure, hull, 0.0)
        self.contacts.append((sim.data.time, area, margin, total))

    def table(self) -> np.ndarray:
        """Time series (steps, columns); see `COLUMNS`."""
        return np.array(self.rows)


COLUMNS = (
    "time",
    "com_x",
    "com_y",
    "com_z",
    "tilt",
    "load_left",
    "load_right",
    "dcm_x",
    "dcm_y",
    "dcm_plan_x",
    "dcm_plan_y",
    "com_plan_x",
    "com_plan_y",
    "pressure_plan_x",
    "pressure_plan_y",
    "phase",
)
"""Columns of a record; phase is 0 standing, 1 on one foot, 2 on both."""


def foot_contacts(sim: Simulation) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Points (n, 3), normal forces (n,) and sliding speeds (n,) of the loaded contacts of all feet."""
    m, d, foot = sim.scene.model, sim.data, sim.scene.foot_of_geom
    n = d.ncon
    geoms = d.contact.geom[:n]
    mine = np.flatnonzero((foot[geoms[:, 0]] >= 0) != (foot[geoms[:, 1]] >= 0))
    force, points, normals, speeds = np.zeros(6), [], [], []
    for i in mine:
        mujoco.mj_contactForce(m, d, int(i), force)
        if force[0] > LOADED:
            contact = d.contact[int(i)]
            points.append(contact.pos.copy())
            normals.append(force[0])
            speeds.append(_sliding(m, d, contact))
    return np.array(points).reshape(-1, 3), np.array(normals), np.array(speeds)


def _sliding(m: mujoco.MjModel, d: mujoco.MjData, contact) -> float:  # noqa: ANN001
    """Speed of one body over the other along a contact [m/s]."""
    frame = contact.frame.reshape(3, 3)
    speed = np.zeros(3)
    for sign, geom in zip((-1.0, 1.0), contact.geom, strict=True):
        body = int(m.geom_bodyid[geom])
        arm = contact.pos - d.subtree_com[m.body_rootid[body]]
        speed += sign * (d.cvel[body, 3:] + cross(d.cvel[body, :3], arm))
    return float(np.linalg.norm(frame[1:] @ speed))


def cross(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Cross product of two vectors, without the overhead of NumPy's."""
    return np.array([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])


def measure(recorder: Recorder, path: np.ndarray) -> Metrics:
    """Figures of a recorded walk.

    Args:
        recorder: What was taken down.
        path: Start and end of the planned path (2, 2) [m].
    """
    sim = recorder.sim
    lg = sim.scene.legged
    weight = lg.mass * lg.gravity
    table = recorder.table()
    if len(table) < 2:
        return Metrics()
    column = {name: table[:, i] for i, name in enumerate(COLUMNS)}
    com, dcm = table[:, 1:3], table[:, 7:9]
    off = np.linalg.norm(dcm - table[:, 9:11], axis=1)
    strayed = np.linalg.norm(com - table[:, 11:13], axis=1)
    sideways, way = _along(com, path)
    loads = table[:, 5:7]
    span = max(1, round(0.01 / max(float(np.median(np.diff(column["time"]))), 1e-6)))
    rate = np.abs(loads[span:] - loads[:-span]).max() / (span * recorder._dt) if len(loads) > span else math.nan
    looks = np.array(recorder.contacts).reshape(-1, 4)
    area, margin = looks[np.isfinite(looks[:, 1]), 1], looks[np.isfinite(looks[:, 2]), 2]
    walked = max(way, 1e-3)
    moves = np.linalg.norm(path[1] - path[0]) > 0.05
    return Metrics(
        com_excursion=float(strayed.max()),
        com_sway=float(np.abs(sideways).max()),
        dcm_error=float(np.sqrt(np.mean(off**2))),
        dcm_error_max=float(off.max()),
        support_area=_mean(area),
        support_area_min=_low(area),
        cop_margin=_mean(margin),
        cop_margin_min=_low(margin),
        force_peak=float(loads.max() / weight),
        force_rate=float(rate / weight),
        slip=recorder.slid / walked if moves else recorder.slid,
        energy=recorder.work / walked if moves else math.nan,
        transport=recorder.work / walked / weight if moves else math.nan,
        tilt=float(column["tilt"].max()),
        drift=float(abs(sideways[-1]) / walked) if moves else math.nan,
    )


def _along(com: np.ndarray, path: np.ndarray) -> tuple[np.ndarray, float]:
    """Distances from the path sideways, and the way gone along it."""
    way = path[1] - path[0]
    length = float(np.linalg.norm(way))
    forward = way / length if length > 1e-6 else np.array([1.0, 0.0])
    across = np.array([-forward[1], forward[0]])
    return (com - path[0]) @ across, float((com[-1] - com[0]) @ forward)


def _mean(values: np.ndarray) -> float:
    return float(values.mean()) if len(values) else math.nan


def _low(values: np.ndarray) -> float:
    return float(np.percentile(values, 5)) if len(values) else math.nan


METRICS = tuple(f.name for f in fields(Metrics))
"""Names of the figures."""
