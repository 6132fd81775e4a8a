"""What is read while feet are pressed and pushed, whichever engine moves them."""

from __future__ import annotations

from dataclasses import dataclass, fields

import mujoco
import numpy as np

from plantar.feet.foot import Foot
from plantar.foothold.physics.plan import Presses
from plantar.foothold.physics.rig import JOINTS, PREFIX, PushRig

LEAST_SHARE = 0.002
"""A contact that carries less than this share of the load is not counted."""
GONE = 0.05
"""A press ends when the ankle is this far from where it was put [m]."""
WAYS = 16
"""Directions in which the outermost contacts are found for the support area."""


@dataclass(frozen=True, eq=False)
class Traces:
    """Readings of presses (n, samples) in the axes of each foot as it was put down, and contacts under load."""

    ankle: np.ndarray
    """Shift of the ankle along x and y (n, samples, 2) [m]."""
    speed: np.ndarray
    """Speed of the ankle along x and y (n, samples, 2) [m/s]."""
    sole: np.ndarray
    """Place of the sole from where the ankle was put: mean of the parts that touch (n, samples, 2) [m]."""
    tilt: np.ndarray
    """Angle of the ankle base from upright (n, samples) [rad]."""
    area: np.ndarray
    """Area between the outermost contacts before the push (n,) [m^2]."""
    spread: np.ndarray
    """Root mean square distance of the contacts from their centre of pressure (n,) [m]."""
    ok: np.ndarray
    """Whether the simulation stayed sound (n,)."""

    def __len__(self) -> int:
        return len(self.ok)

    @staticmethod
    def empty(count: int, samples: int) -> Traces:
        """Room for `count` presses."""
        plane = (count, samples, 2)
        return Traces(
            ankle=np.zeros(plane, np.float32),
            speed=np.zeros(plane, np.float32),
            sole=np.zeros(plane, np.float32),
            tilt=np.zeros((count, samples), np.float32),
            area=np.zeros(count),
            spread=np.zeros(count),
            ok=np.ones(count, bool),
        )

    @staticmethod
    def joined(parts: list[Traces]) -> Traces:
        """Several of them after each other."""
        return Traces(*(np.concatenate([getattr(one, item.name) for one in parts]) for item in fields(Traces)))


@dataclass(frozen=True)
class Reader:
    """Where in a model the readings are."""

    slides: np.ndarray
    """Addresses of the carrier's joints x, y, z, roll, pitch, yaw in qpos and qvel (6,)."""
    soles: np.ndarray
    """Bodies that touch the ground."""
    mass: float
    """Mass that moves [kg]."""

    @staticmethod
    def of(model: mujoco.MjModel, foot: Foot) -> Reader:
        """Find them by name."""
        slides = np.array([model.joint(name).qposadr[0] for name in JOINTS])
        soles = np.array([model.body(PREFIX + name).id for name in foot.contact_bodies])
        return Reader(slides, soles, float(model.body_mass[1:].sum()))

    def read(self, into: Traces, rows: slice, sample: int, state: tuple[np.ndarray, ...], start: Presses) -> None:
        """Write one reading of worlds `rows`; `state` is (qpos, qvel, xpos), one row per world."""
        qpos, qvel, xpos = state
        x, y, _, roll, pitch, _ = self.slides
        into.ankle[rows, sample] = qpos[:, [x, y]]
        into.speed[rows, sample] = qvel[:, [x, y]]
        into.tilt[rows, sample] = np.hypot(qpos[:, roll], qpos[:, pitch])
        middle = xpos[:, self.soles, :2].mean(axis=1) - np.stack([start.x, start.y], axis=1)
        c, s = np.cos(start.yaw), np.sin(start.yaw)
        into.sole[rows, sample, 0] = c * middle[:, 0] + s * middle[:, 1]
        into.sole[rows, sample, 1] = c * middle[:, 1] - s * middle[:, 0]


def controls(rig: PushRig, start: Presses, mass: float, sample: int, gone: np.ndarray) -> np.ndarray:
    """Forces on the carrier along x, y, z until reading `sample` (n, 3) [N]; a foot that is `gone` is let go."""
    rise = min(1.0, (sample + 1) / max(1, rig.settle_samples // 2))
    # Gravity's share of the load is there already.
    down = np.maximum(rise * start.load - mass * rig.gravity, 0.0)
    push = push_ratio(rig, sample) * start.load
    forces = np.stack([push * np.cos(start.direction), push * np.sin(start.direction), -down], axis=1)
    return np.where(gone[:, None], 0.0, forces)


def is_gone(traces: Traces, rows: slice, sample: int) -> np.ndarray:
    """Feet that slid so far that nothing more is learned from them (n,)."""
    if sample == 0:
        return np.zeros(len(traces.ok[rows]), bool)
    return np.linalg.norm(traces.ankle[rows, :sample], axis=2).max(axis=1) > GONE


def push_ratio(rig: PushRig, sample: int | np.ndarray) -> np.ndarray:
    """Push over load until reading `sample`."""
    return np.clip((np.asarray(sample) + 1 - rig.settle_samples) / rig.push_samples, 0, 1) * rig.push_ratio


def support(
    points: np.ndarray, force: np.ndarray, world: np.ndarray, load: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Area and spread of the contacts of each world.

    Args:
        points: Places of the contacts (n, 2) [m].
        force: What each carries (n,) [N].
        world: World of each (n,).
        load: Load of each world (worlds,) [N].

    Returns:
        Area of the polygon of the points that lie furthest in `WAYS` directions [m^2], and spread [m].
    """
    keep = force > LEAST_SHARE * load[world]
    points, force, world = points[keep], force[keep], world[keep]
    count = len(load)
    total = np.maximum(np.bincount(world, force, count), 1e-9)
    centre = np.stack([np.bincount(world, force * points[:, i], count) / total for i in (0, 1)], axis=1)
    away = points - centre[world]
    spread = np.sqrt(np.bincount(world, force * (away**2).sum(axis=1), count) / total)
    corners = np.zeros((count, WAYS, 2))
    for way, angle in enumerate(2 * np.pi * np.arange(WAYS) / WAYS):
        reach = away @ np.array([np.cos(angle), np.sin(angle)])
        order = np.argsort(reach, kind="stable")
        # Later ones overwrite earlier ones: the furthest stays.
        corners[world[order], way] = away[order]
    a, b = corners, np.roll(corners, -1, axis=1)
    area = 0.5 * np.abs((a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]).sum(axis=1))
    return area, spread
