"""Recorded motions replayed in simulation, and their errors."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import NamedTuple

import mujoco
import numpy as np
from mujoco import rollout

from plantar._checks import require
from plantar.ground.contact.ground import Ground
from plantar.ground.fit.motions import Motions

_STATE = mujoco.mjtState.mjSTATE_FULLPHYSICS
BATCHES = 8
"""Motions are simulated in this many batches of about equal length."""


@dataclass(frozen=True, kw_only=True)
class Floor:
    """A level ground to fall on."""

    ground: Ground = field(default_factory=Ground)
    """Its contact."""
    height: float = 0.0
    """Where it lies: the data may be off by a millimetre [m]."""


class Errors(NamedTuple):
    """Errors of simulated motions, one number per motion."""

    position: np.ndarray
    """Mean distance over the motion, over the body's longest side."""
    rotation: np.ndarray
    """Mean angle over the motion [rad]."""


def build(motions: Motions, floor: Floor, substeps: int) -> mujoco.MjModel:
    """The body over the floor."""
    require(substeps >= 1, "substeps", substeps, "an integer from 1")
    spec = mujoco.MjSpec()
    spec.option.timestep = motions.dt / substeps
    motions.add_body(spec)
    plane = spec.worldbody.add_geom(
        name="table", type=mujoco.mjtGeom.mjGEOM_PLANE, size=[0, 0, 1], pos=[0, 0, floor.height]
    )
    floor.ground.apply(spec, plane)
    return spec.compile()


def simulate(
    motions: Motions, which: np.ndarray, floor: Floor, *, substeps: int = 2, threads: int = 1
) -> list[np.ndarray]:
    """Simulate motions from their first measured states; poses (rows - 1, 7) at the times of the other rows."""
    model = build(motions, floor, substeps)
    workers = [mujoco.MjData(model) for _ in range(max(1, threads))]
    poses: dict[int, np.ndarray] = {}
    order = which[np.argsort(motions.lengths[which], kind="stable")]
    for batch in np.array_split(order, min(BATCHES, len(order))):
        start = np.zeros((len(batch), mujoco.mj_stateSize(model, _STATE)))
        start[:, 1:14] = motions.first_states(batch)
        steps = int(motions.lengths[batch].max()) - 1
        states, _ = rollout.rollout(model, workers, start, nstep=steps * substeps)
        for i, motion in enumerate(batch):
            poses[int(motion)] = states[i, substeps - 1 :: substeps, 1:8][: motions.lengths[motion] - 1]
    return [poses[int(i)] for i in which]


def errors(motions: Motions, which: np.ndarray, poses: list[np.ndarray]) -> Errors:
    """Compare simulated poses with the measured ones."""
    position, rotation = np.empty(len(which)), np.empty(len(which))
    for k, i in enumerate(which):
        rows = slice(motions.offset[i] + 1, motions.offset[i + 1])
        apart = np.linalg.norm(poses[k][:, :3] - motions.position[rows], axis=1)
        cosine = abs((poses[k][:, 3:] * motions.quaternion[rows]).sum(axis=1))
        position[k] = apart.mean() / motions.scale
        rotation[k] = (2 * np.arccos(np.clip(cosine, 0, 1))).mean()
    # a simulation that blew up counts as far off, whatever it says
    bad = ~np.isfinite(position + rotation)
    position[bad], rotation[bad] = 100.0, math.pi
    return Errors(position, rotation)


def compare(motions: Motions, which: np.ndarray, floor: Floor, *, substeps: int = 2, threads: int = 1) -> Errors:
    """Simulate and compare."""
    return errors(motions, which, simulate(motions, which, floor, substeps=substeps, threads=threads))
