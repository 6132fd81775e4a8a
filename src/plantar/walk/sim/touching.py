"""Contacts of a robot with the ground: loads, positions and slip of its feet, and links that hit it."""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np

from plantar.walk.sim.simulation import Simulation


@dataclass(frozen=True, kw_only=True)
class FootContacts:
    """Contacts of feet with what is not the robot, those that carry."""

    points: np.ndarray
    """Where (n, 3) [m]."""
    normal: np.ndarray
    """Normal forces (n,) [N]."""
    slide: np.ndarray
    """Velocities of the foot along the ground (n, 3) [m/s]."""
    foot: np.ndarray
    """Which foot (n,)."""

    def sliding(self, least: float) -> float:
        """Load-weighted mean sliding speed of loaded feet; opposite slides within a sole cancel [m/s].

        Args:
            least: Load above which a foot counts [N].
        """
        total = way = 0.0
        for k in np.unique(self.foot):
            mine = self.foot == k
            load = float(self.normal[mine].sum())
            if load > least:
                total += load
                way += float(np.linalg.norm(self.normal[mine] @ self.slide[mine]))
        return way / total if total else 0.0


def foot_contacts(sim: Simulation, least: float) -> FootContacts:
    """Contacts of the feet that carry more than `least` [N]."""
    m, d, scene = sim.model, sim.data, sim.scene
    con, n = d.contact, d.ncon
    geoms, foot = con.geom[:n], scene.foot_of_geom[con.geom[:n]]
    robot = (foot >= 0) | (scene.link_of_geom[geoms] >= 0)
    use = np.flatnonzero((foot.max(axis=1, initial=-1) >= 0) & ~robot.all(axis=1) & (con.efc_address[:n] >= 0))
    normal = normal_forces(m, d, use)
    use, normal = use[normal > least], normal[normal > least]
    axis = con.frame[use, :3]
    first = foot[use, 0] >= 0  # the foot is the first of the two geoms
    speed = _speeds(m, d, con.pos[use], geoms[use, 1]) - _speeds(m, d, con.pos[use], geoms[use, 0])
    speed[first] *= -1.0
    speed -= np.einsum("ij,ij->i", speed, axis)[:, None] * axis
    return FootContacts(points=con.pos[use], normal=normal, slide=speed, foot=foot[use].max(axis=1, initial=-1))


def normal_forces(m: mujoco.MjModel, d: mujoco.MjData, which: np.ndarray) -> np.ndarray:
    """Normal forces of contacts (n,) [N]."""
    address, size = d.contact.efc_address[which], d.contact.dim[which]
    if m.opt.cone == mujoco.mjtCone.mjCONE_ELLIPTIC:
        return d.efc_force[address].copy()
    force = np.zeros(len(which))
    for dim in np.unique(size):  # the edges of a pyramid add up
        mine = size == dim
        force[mine] = d.efc_force[address[mine][:, None] + np.arange(max(2 * (dim - 1), 1))].sum(axis=1)
    return force


def _speeds(m: mujoco.MjModel, d: mujoco.MjData, points: np.ndarray, geoms: np.ndarray) -> np.ndarray:
    """Velocities of the bodies of geoms at points (n, 3) [m/s]."""
    body = m.geom_bodyid[geoms]
    arm = points - d.subtree_com[m.body_rootid[body]]
    return d.cvel[body, 3:] + np.cross(d.cvel[body, :3], arm)


def hit_links(sim: Simulation) -> set[int]:
    """Links of the robot, except its feet, that touch what is not the robot."""
    scene, geoms = sim.scene, sim.data.contact.geom[: sim.data.ncon]
    link = scene.link_of_geom[geoms]
    if link.max(initial=-1) < 0:  # as in most moments of most walks
        return set()
    other = (link < 0) & (scene.foot_of_geom[geoms] < 0)
    links = link.max(axis=1, initial=-1)
    return set(links[(links >= 0) & other.any(axis=1)].tolist())
