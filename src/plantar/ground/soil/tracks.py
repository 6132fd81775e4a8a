"""The state of a yielding ground under the feet of a model: pressures, forces, footprints, energy."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import mujoco
import numpy as np

from plantar.ground.soil.marks import Grid, Marks
from plantar.ground.soil.sole_points import SolePoints, covered, facing_down, sole_points
from plantar.ground.soil.tracks_arrays import press_arrays
from plantar.ground.soil.tracks_loop import ANCHORED, MEMORY, SHEARED, SQUEEZED, compiled
from plantar.ground.soil.yielding import FIELD, SHOWN_DEPTH, YieldingGround
from plantar.ground.terrain.elevation_map import ElevationMap
from plantar.model.feet import find_feet, foot_geoms

FINEST, MOST_POINTS = 0.005, 150
"""Points lie this far apart [m], or further where a foot would have more than so many, unless the spacing is given."""
DOWN, UP = -0.25, 0.5
"""Undersides look lower than the one in the model's reference pose; what looks higher than the other, the top, is left
out, while sides press once a foot is tilted."""
STEADY = 0.5
"""Stiffness of the ground on relief, times the square of the time step, over the mass of a foot: what a step bears."""
MARKS = 0.5
"""Marks lie this share of a column apart, or of the finest spacing if that is less: footprints have no holes."""


class Tracks:
    """Feet on a yielding ground.

    Call `step` instead of `mj_step`, or `apply` between `mj_step1` and `mj_step2`; or let `installed` do it inside
    every step of the model. Forces go into `data.xfrc_applied` of the feet's bodies as force and moment; those rows
    belong to the ground. Its surface lies at z = 0 before anything presses it.

    A point of a sole that presses keeps the soil under it: what it has compacted, and how it was before. It leaves
    this soil, as a footprint in the grid, when it has moved further than the ground's `grip`, and meets there what
    the grid holds. The grid is memory between steps, not part of the law: forces do not depend on its cell.

    Energy is never created: soil under a point holds no more than what was put into it, and gives way where it would
    (on sliding to other soil, which is pushed aside, and where a time step is too long for its stiffness).

    Args:
        ground: The ground.
        model: The model.
        feet: Bodies or geoms that press it; None finds feet by name.
        spacing: Between points on the soles [m].

    Attributes:
        ground: The ground.
        force: Force on each of `bodies` (b, 3) [N].
        bodies: Bodies with points, the feet and what moves within them.
        work: Work that the feet have done on the ground so far [J]; what is not stored of it is lost.
    """

    def __init__(
        self, ground: YieldingGround, model: mujoco.MjModel, feet: Sequence[str] | None, spacing: float | None = None
    ):
        self.ground, self.model = ground, model
        found = find_feet(model, feet, "model")
        geoms = sorted({g for foot in found for g in foot_geoms(model, foot)})
        points = _outside(model, geoms, spacing or FINEST)
        share = np.count_nonzero(points.normal[:, 2] < DOWN) / (MOST_POINTS * len(found))
        if spacing is None and share > 1:
            points = _outside(model, geoms, FINEST * 1.02 * np.sqrt(share))
        self._marks = Marks(points, _outside(model, geoms, MARKS * min(FINEST, ground.cell), hidden=True))
        body, self._place, self._normal, self._area, _ = points
        self.bodies, self._of = np.unique(body, return_inverse=True)
        self._root = model.body_rootid[self.bodies]
        reach = np.sqrt((self._place**2).sum(axis=1))
        self._reach = np.array([reach[self._of == b].max() for b in range(len(self.bodies))])
        self._limit = self._stiffest()
        self._prepare()

    def _stiffest(self) -> np.ndarray:
        """Stiffness on relief that the time step bears under each point [Pa/m]."""
        under = np.bincount(self._of, self._area * (self._normal[:, 2] < DOWN), len(self.bodies))
        mass = 1 / np.maximum(self.model.body_invweight0[self.bodies, 0], 1e-12)
        return (STEADY * mass / self.model.opt.timestep**2 / np.maximum(under, 1e-9))[self._of]

    def _prepare(self) -> None:
        """Arrays of the grid, the points and the bodies."""
        ground, n = self.ground, len(self._area)
        self._grid = Grid(ground.origin, ground.cell, ground.shape, ground.rebound)
        self._memory, self._pose, self._stress = np.zeros((n, MEMORY)), np.zeros((n, 12)), np.zeros((n, 3))
        self.force = np.zeros((len(self.bodies), 3))
        self._total, self._frames = np.zeros((len(self.bodies), 6)), np.zeros((len(self.bodies), 24))
        strength = [ground.shear_stiffness, ground.cohesion, ground.friction, ground.grip]
        self._soil = np.array([ground.modulus, ground.n, ground.rebound, ground.damping, *strength, 0.0])
        self._loop = compiled() or press_arrays
        self.work, self._time, self._touching = 0.0, np.inf, False

    @property
    def points(self) -> int:
        """Points on the undersides of the feet."""
        return len(self._area)

    def step(self, data: mujoco.MjData, steps: int = 1) -> None:
        """Step the model on the ground, `steps` times; the integrator must not be RK4."""
        for _ in range(steps):
            mujoco.mj_step1(self.model, data)
            self.apply(data)
            mujoco.mj_step2(self.model, data)

    @contextmanager
    def installed(self) -> Iterator[Tracks]:
        """Apply the forces inside every `mj_step` within the `with` block, by MuJoCo's passive callback.

        There is one such callback in a process: one ground at a time, and steps of other models in the block must
        not be made.
        """
        mujoco.set_mjcb_passive(lambda _, data: self.apply(data))
        try:
            yield self
        finally:
            mujoco.set_mjcb_passive(None)

    def apply(self, data: mujoco.MjData) -> None:
        """Put the forces of the ground for the present state into `data.xfrc_applied`.

        Positions must be those of the present state, as they are after `mj_step1` or `mj_forward`, and are not after
        `mj_step`, which moves on once it has computed them.
        """
        if not self._touching and self._clear(data):
            self._leave(self._memory[:, ANCHORED] > 0)
            if self.force.any():
                self.force[:] = 0
                data.xfrc_applied[self.bodies] = 0
            return
        frames, bodies = self._frames, self.bodies
        frames[:, :9], frames[:, 9:12], frames[:, 12:15] = data.xmat[bodies], data.xpos[bodies], data.xipos[bodies]
        frames[:, 15:21], frames[:, 21:] = data.cvel[bodies], data.subtree_com[self._root]
        self._soil[-1] = self.model.opt.timestep
        passed, self._time = data.time > self._time, data.time
        points = (self._of, self._place, self._normal, self._area, self._limit)
        grid = self._grid
        columns = (grid.corner, grid.shape, grid.surface, grid.deepest)
        state = (self._memory, self._pose, self._stress, self._total)
        work, touching, leaving = self._loop(self._soil, passed, frames, *points, *columns, *state)
        self.work, self._touching = self.work + work, bool(touching)
        if leaving:
            self._leave(self._memory[:, ANCHORED] > 1)
        self.force[:] = self._total[:, :3]
        data.xfrc_applied[bodies] = self._total

    def _leave(self, which: np.ndarray) -> None:
        """Write the soil of points into the grid, as their footprints; they will meet other soil."""
        if which.any():
            self._marks.write(np.flatnonzero(which), self._memory, self._pose, self._grid)
            self._memory[which, ANCHORED] = 0

    def _clear(self, data: mujoco.MjData) -> bool:
        """Whether all feet are above the ground, by the balls around them."""
        return bool((data.xpos[self.bodies, 2] > self._reach).all())

    def stored_energy(self) -> float:
        """What the ground would give back now: compressed columns and sheared soil [J]."""
        return float(self._memory[:, [SQUEEZED, SHEARED]].sum())

    @property
    def lost_energy(self) -> float:
        """What compaction, friction and damping have taken so far; it never falls [J]."""
        return self.work - self.stored_energy()

    def wrench(self) -> np.ndarray:
        """Force of the ground on all feet [N]."""
        return self.force.sum(axis=0)

    def elevation(self) -> ElevationMap:
        """The surface as it is when nothing presses it: the tracks."""
        rows, columns = self.ground.shape
        grid = self._grid.copy()
        self._marks.write(np.flatnonzero(self._memory[:, ANCHORED] > 0), self._memory, self._pose, grid)
        x, y = self.ground.origin
        half = self.ground.cell / 2
        heights = grid.shown[:-1].reshape(rows, columns)
        return ElevationMap(origin=(x + half, y + half), cell=self.ground.cell, heights=heights)

    def paint(self, model: Any = None, name: str = FIELD) -> None:
        """Draw the tracks into the height field that `YieldingGround.add` made."""
        model = self.model if model is None else model
        i = model.hfield(name).id
        rows, columns = int(model.hfield_nrow[i]), int(model.hfield_ncol[i])
        x0, y0 = self.ground.origin
        xs = np.linspace(x0, x0 + self.ground.size[0], columns)
        ys = np.linspace(y0, y0 + self.ground.size[1], rows)
        grid = self.elevation()
        inside_x, inside_y = np.clip(xs, grid.x[0], grid.x[-1]), np.clip(ys, grid.y[0], grid.y[-1])
        heights = grid.at(inside_x[None, :], inside_y[:, None])
        start = int(model.hfield_adr[i])
        share = np.clip(1 + heights / SHOWN_DEPTH, 0, 1)
        model.hfield_data[start : start + rows * columns] = share.ravel()

    def state(self) -> dict[str, Any]:
        """Everything that the ground remembers, to save or to restore."""
        own = {name.strip("_"): getattr(self, name).copy() for name in ("_memory", "_pose", "_stress")}
        grid = {name: getattr(self._grid, name).copy() for name in ("surface", "deepest", "shown")}
        return {**grid, **own}


def _outside(model: mujoco.MjModel, geoms: list[int], spacing: float, *, hidden: bool = False) -> SolePoints:
    """Points of undersides and sides in the reference pose; those above other parts of the feet only if asked for."""
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    points = sole_points(model, geoms, spacing)
    points = points.pick(facing_down(model, data, points, UP))
    return points if hidden else points.pick(~covered(model, data, points, geoms))
