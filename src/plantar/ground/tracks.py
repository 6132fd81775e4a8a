"""The state of a yielding ground under the feet of a model: pressures, forces, footprints, energy."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import mujoco
import numpy as np

from plantar.ground._robots import find_feet, foot_geoms
from plantar.ground._sole_points import sole_points
from plantar.ground._tracks_arrays import press_arrays
from plantar.ground._tracks_loop import compiled
from plantar.ground.elevation import ElevationGrid
from plantar.ground.yielding import FIELD, SHOWN_DEPTH, YieldingGround

MOST_POINTS = 150
"""Points on the underside of a foot above which the spacing grows, unless it is given."""
DOWN = -0.25
"""Points whose outward direction is higher than this in the model's reference pose are left out."""


class Tracks:
    """Feet on a yielding ground.

    Call `step` instead of `mj_step`, or `apply` between `mj_step1` and `mj_step2`; or let `installed` do it inside
    every step of the model. Forces go into `data.xfrc_applied` of the feet's bodies as force and moment; those rows
    belong to the ground. Its surface lies at z = 0 before anything presses it.

    Energy is never created: a column gives back no more than was put into it, and a point that slides from one
    column to the next takes no more stored energy along than it had, the soil in its way being pushed aside.

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
        points = _underside(model, geoms, spacing or ground.cell)
        while spacing is None and len(points[0]) > MOST_POINTS * len(found):
            spacing_now = np.sqrt(len(points[0]) / (MOST_POINTS * len(found)))
            points = _underside(model, geoms, ground.cell * 1.02 * spacing_now)
            break
        body, self._place, self._normal, self._area = points
        self.bodies, self._of = np.unique(body, return_inverse=True)
        self._root = model.body_rootid[self.bodies]
        rows, columns = ground.shape
        self._shape = np.array([rows, columns])
        reach = np.sqrt((self._place**2).sum(axis=1))
        self._reach = np.array([reach[self._of == b].max() for b in range(len(self.bodies))])
        # one column more than the grid has, for all that is outside
        self._surface = np.zeros(rows * columns + 1)
        self._deepest = np.zeros(rows * columns + 1)
        self.force = np.zeros((len(self.bodies), 3))
        n = len(self._area)
        self._column = np.full(n, -1)
        # of each point: pressure, line, shear (2), place (3), whether it touched, area
        self._memory = np.zeros((n, 9))
        self._memory[:, 1] = 1.0
        self._stress, self.work = np.zeros((n, 3)), 0.0
        self._total, self._frames = np.zeros((len(self.bodies), 6)), np.zeros((len(self.bodies), 24))
        self._soil = np.array(
            [ground.modulus, ground.n, ground.rebound, ground.damping, ground.shear_stiffness]
            + [ground.cohesion, ground.friction, model.opt.timestep]
        )
        self._corner = np.array([*ground.origin, ground.cell])
        self._loop = compiled() or press_arrays
        self._touching = False

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
            if self.force.any():
                self.force[:] = 0
                data.xfrc_applied[self.bodies] = 0
            return
        frames, bodies = self._frames, self.bodies
        frames[:, :9], frames[:, 9:12], frames[:, 12:15] = data.xmat[bodies], data.xpos[bodies], data.xipos[bodies]
        frames[:, 15:21], frames[:, 21:] = data.cvel[bodies], data.subtree_com[self._root]
        self._soil[7] = self.model.opt.timestep
        points = (self._of, self._place, self._normal, self._area)
        columns = (self._surface, self._deepest, self._column)
        grid = (self._soil, self._corner, self._shape)
        work, touching = self._loop(*grid, frames, *points, *columns, self._memory, self._stress, self._total)
        self.work, self._touching = self.work + work, bool(touching)
        self.force[:] = self._total[:, :3]
        data.xfrc_applied[bodies] = self._total

    def _clear(self, data: mujoco.MjData) -> bool:
        """Whether all feet are above the ground, by the balls around them."""
        return bool((data.xpos[self.bodies, 2] > self._reach).all())

    def stored_energy(self) -> float:
        """What the ground would give back now: compressed columns and sheared soil [J]."""
        m = self._memory
        squeezed = m[:, 0] ** 2 / (2 * m[:, 1])
        sheared = self.ground.shear_stiffness * (m[:, 2] ** 2 + m[:, 3] ** 2) / 2
        return float((m[:, 8] * (squeezed + sheared)).sum())

    @property
    def lost_energy(self) -> float:
        """What compaction, friction and damping have taken so far; it never falls [J]."""
        return self.work - self.stored_energy()

    def wrench(self) -> np.ndarray:
        """Force of the ground on all feet [N]."""
        return self.force.sum(axis=0)

    def elevation(self) -> ElevationGrid:
        """The surface as it is when nothing presses it: the tracks."""
        rows, columns = self.ground.shape
        left = self._surface - (1 - self.ground.rebound) * self._deepest
        x, y = self.ground.origin
        half = self.ground.cell / 2
        heights = left[:-1].reshape(rows, columns)
        return ElevationGrid(origin=(x + half, y + half), cell=self.ground.cell, heights=heights)

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
        names = ("_surface", "_deepest", "_column", "_memory", "_stress")
        return {name.strip("_"): getattr(self, name).copy() for name in names}


def _underside(model: mujoco.MjModel, geoms: list[int], spacing: float) -> tuple[np.ndarray, ...]:
    """Points that look down in the reference pose; of balls all points."""
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    points = sole_points(model, geoms, spacing)
    facing = np.einsum("ni,ni->n", data.xmat[points.body].reshape(-1, 3, 3)[:, 2], points.normal)
    round_ = np.isin(model.geom_type[geoms], (mujoco.mjtGeom.mjGEOM_SPHERE, mujoco.mjtGeom.mjGEOM_ELLIPSOID)).all()
    keep = np.ones(len(facing), bool) if round_ else facing < DOWN
    return tuple(part[keep] for part in points)
