"""Metrics of a walk."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from plantar._notebook import Shown
from plantar.walk.sim.path import Path
from plantar.walk.sim.record import Recorder


@dataclass(frozen=True, kw_only=True)
class Metrics(Shown):
    """Metrics of one walk from its first step on, without the settling before it."""

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
    """Mean distance of the centre of pressure from the edge of that hull [m]."""
    cop_margin_min: float = math.nan
    """Fifth percentile of that distance [m]."""
    force_peak: float = math.nan
    """Largest vertical force on one foot, in robot weights."""
    force_rate: float = math.nan
    """Largest rate of that force over 10 ms, in robot weights per second [1/s]."""
    slip: float = math.nan
    """Load-weighted mean slip of loaded feet, per metre walked."""
    collisions: int = 0
    """Times that a link other than a foot hit the ground or what lies on it."""
    collision_time: float = 0.0
    """Fraction of the time in which one touched it."""
    energy: float = math.nan
    """Work of all joints, positive and negative alike, per metre walked [J/m]."""
    transport: float = math.nan
    """That energy over the weight of the robot: cost of transport."""
    transport_positive: float = math.nan
    """The same of positive work alone."""
    tilt: float = math.nan
    """Largest tilt of the base [rad]."""
    drift: float = math.nan
    """Sideways distance of the end from the planned path, as a fraction of the distance."""
    late: int = 0
    """Feet that found the ground 3 cm or more below their foothold, or not at all."""
    moved: float = math.nan
    """Mean distance of chosen footholds from nominal ones [m]."""


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
