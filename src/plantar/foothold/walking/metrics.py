"""What is measured of a quadruped's walk."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields

import mujoco
import numpy as np

from plantar.foothold.walking.simulation import Simulation

LOOK_EVERY = 5
"""Control steps between two looks at how feet slide."""
LOADED = 40.0
"""A foot counts as loaded from this force on [N]."""
APART = 0.1
"""Touches of a link with the ground this far apart are two collisions [s]."""
FRAMES_EVERY = 10
"""Control steps between two frames of a film."""


@dataclass(frozen=True, kw_only=True)
class WalkFigures:
    """Figures of one walk; slip is that of its steps, without the settling before them."""

    slip: float = math.nan
    """Way that feet slide along the ground while they are loaded, mean by load, a metre walked."""
    collisions: int = 0
    """Times that a link other than a foot hit the ground."""
    collision_time: float = 0.0
    """Share of the time in which one touched it."""
    energy: float = math.nan
    """Work of all joints, positive and negative alike, a metre walked [J/m]."""
    transport: float = math.nan
    """That energy over the weight of the robot: cost of transport."""
    tilt: float = math.nan
    """Largest tilt of the base from level [rad]."""
    tilt_error: float = math.nan
    """Root mean square of the base's turn away from its planned attitude [rad]."""
    com_error: float = math.nan
    """Root mean square distance of the centre of mass from its plan along the ground [m]."""
    late: int = 0
    """Feet that found the ground 3 cm or more below their foothold, or not at all."""
    moved: float = math.nan
    """Mean distance of chosen footholds from nominal ones [m]."""


FIGURES = tuple(f.name for f in fields(WalkFigures))
"""Names of the figures."""


class Recorder:
    """Takes down a walk as it happens.

    Args:
        sim: The simulation.
        frames: Whether positions of the whole model are kept for films.
    """

    def __init__(self, sim: Simulation, frames: bool = False):
        self.sim, m = sim, sim.scene.model
        self.count, self.work, self.slid, self.touching = 0, 0.0, 0.0, 0
        self.collisions: list[tuple[float, str]] = []
        self.tilt, self.turned, self.strayed = 0.0, 0.0, 0.0
        self.frames: list[np.ndarray] | None = [] if frames else None
        self.times: list[float] = []
        self.path: list[tuple[float, ...]] = []
        """Time, base (3), tilt, planned and true centre of mass (2, 2), every `FRAMES_EVERY` control steps."""
        self._v = sim.scene.v_index[sim.scene.legged.v_joint]
        self._dt = sim.substeps * m.opt.timestep
        self._start = float(sim.data.qpos[sim.scene.q_index[0]])
        self._last: dict[int, float] = {}
        self._foot, self._link = _parts(sim)
        self._pyramid = m.opt.cone == mujoco.mjtCone.mjCONE_PYRAMIDAL

    def __call__(self) -> None:
        """Take down one control step."""
        sim, d = self.sim, self.sim.data
        c = sim.controller
        self.work += float(np.abs(d.actuator_force[sim.scene.motors] * d.qvel[self._v]).sum()) * self._dt
        tilt = sim.tilt
        self.tilt = max(self.tilt, tilt)
        turn = np.zeros(3)
        mujoco.mju_subQuat(turn, c.now.quat, d.qpos[sim.scene.q_index[3:7]])
        self.turned += float(turn @ turn) * self._dt
        com = d.subtree_com[sim.scene.base][:2]
        self.strayed += float(((c.now.com - com) ** 2).sum()) * self._dt
        self._collide(d)
        if self.count % LOOK_EVERY == 0 and c.phase != "settle":
            self.slid += self._sliding(d) * LOOK_EVERY * self._dt
        if self.count % FRAMES_EVERY == 0:
            self.path.append((d.time, *d.xpos[sim.scene.base], tilt, *c.now.com, *com))
            if self.frames is not None:
                self.frames.append(d.qpos.copy())
                self.times.append(d.time)
        self.count += 1

    def _collide(self, d: mujoco.MjData) -> None:
        links = self._link[d.contact.geom[: d.ncon]].max(axis=1, initial=-1)
        hit = set(links[links >= 0].tolist())
        self.touching += bool(hit)
        for link in hit:
            if d.time - self._last.get(link, -1.0) > APART:
                self.collisions.append((d.time, self.sim.scene.model.body(link).name))
            self._last[link] = d.time

    def _sliding(self, d: mujoco.MjData) -> float:
        """Speed at which loaded feet slide, mean by load [m/s]; opposite slides within a sole cancel."""
        m, n = self.sim.scene.model, d.ncon
        con = d.contact
        geoms, address = con.geom[:n], con.efc_address[:n]
        foot = self._foot[geoms].max(axis=1, initial=-1)
        use = np.flatnonzero((foot >= 0) & (address >= 0))
        if not len(use):
            return 0.0
        rows = address[use][:, None] + np.arange(4 if self._pyramid else 1)
        normal = d.efc_force[rows].sum(axis=1)
        # the foot may be either of the two geoms; ground does not move
        body = m.geom_bodyid[np.where(self._foot[geoms[use, 0]] >= 0, geoms[use, 0], geoms[use, 1])]
        arm = con.pos[use] - d.subtree_com[m.body_rootid[body]]
        speed = d.cvel[body, 3:] + np.cross(d.cvel[body, :3], arm)
        axis = con.frame[use, :3]
        speed -= np.einsum("ij,ij->i", speed, axis)[:, None] * axis
        total = slide = 0.0
        for k in range(4):
            mine = foot[use] == k
            load = float(normal[mine].sum())
            if load > LOADED:
                total += load
                slide += float(np.linalg.norm(normal[mine] @ speed[mine]))
        return slide / total if total else 0.0

    def figures(self, late: int) -> WalkFigures:
        """Figures of the walk so far."""
        sim, lg = self.sim, self.sim.controller.legged
        walked = max(float(sim.data.qpos[sim.scene.q_index[0]]) - self._start, 0.05)
        time = max(self.count * self._dt, 1e-9)
        moves = [math.hypot(s.target[0] - s.nominal[0], s.target[1] - s.nominal[1]) for s in sim.controller.steps]
        return WalkFigures(
            slip=self.slid / walked,
            collisions=len(self.collisions),
            collision_time=self.touching / max(self.count, 1),
            energy=self.work / walked,
            transport=self.work / walked / (lg.mass * lg.gravity),
            tilt=self.tilt,
            tilt_error=math.sqrt(self.turned / time),
            com_error=math.sqrt(self.strayed / time),
            late=late,
            moved=float(np.mean(moves)) if moves else math.nan,
        )


def _parts(sim: Simulation) -> tuple[np.ndarray, np.ndarray]:
    """Foot of each geom, -1 if it is none; and link of each geom of the robot that is no foot, else -1."""
    m, scene, lg = sim.scene.model, sim.scene, sim.controller.legged
    prefixes = [scene.robot.places[i].prefix for i in lg.order]
    foot, link = np.full(m.ngeom, -1), np.full(m.ngeom, -1)
    for g in range(m.ngeom):
        body = int(m.geom_bodyid[g])
        name = m.body(body).name
        found = [k for k, prefix in enumerate(prefixes) if prefix and name.startswith(prefix)]
        if found:
            foot[g] = found[0]
        elif m.body_rootid[body] == scene.base:
            link[g] = body
    return foot, link
