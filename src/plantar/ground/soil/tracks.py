"""The state of a yielding ground under the feet of a model: pressures, forces, footprints, energy."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import mujoco
import numpy as np

from plantar._checks import require
from plantar.errors import InvalidInput
from plantar.ground.soil import compiled
from plantar.ground.soil.law import HELD, MEMORY, PLACE, STEP, STORED
from plantar.ground.soil.loop import SUMS, WIDTH
from plantar.ground.soil.soles import find_soles
from plantar.ground.soil.yielding import FIELD, SHOWN_DEPTH, YieldingGround
from plantar.ground.terrain.elevation_map import ElevationMap

FAR = 1e3
"""Height from which points come before they were seen anywhere [m]."""


class Tracks:
    """Feet on a yielding ground.

    Call `step` instead of `mj_step`, or `apply` between `mj_step1` and `mj_step2`; or let `installed` do it inside
    every step of the model. Forces go into `data.xfrc_applied` of the feet's bodies as force and moment; those rows
    belong to the ground. Its surface lies at z = 0 before anything presses it.

    A point of a sole keeps the soil that it presses, until it has risen from it or slid further than the ground's
    `grip`; then it meets what the grid holds. The grid is memory between steps, not part of the law: forces on new
    soil do not depend on its cell.

    Energy is never created: soil under a point holds no more than what was put into it, and yields where it would
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
        self.soles = find_soles(model, feet, spacing)
        self.bodies = self.soles.bodies
        rows, columns = ground.shape
        self._corner, self._shape = np.array([*ground.origin, ground.cell]), np.array([rows, columns], np.int32)
        self._surface, self._deepest = np.zeros(rows * columns + 1), np.zeros(rows * columns + 1)
        self._memory = np.zeros((len(self.soles.of), MEMORY))
        self._memory[:, PLACE + 2] = FAR
        self.force = np.zeros((len(self.bodies), 3))
        self._total, self._frames = np.zeros((len(self.bodies), 6)), np.zeros((len(self.bodies), 24))
        self._sums = np.zeros((self.soles.patches, SUMS))
        self._soil = ground.numbers()
        self._loop, self._lift = compiled.functions()
        self.work, self._time, self._touching = 0.0, np.inf, False

    @property
    def points(self) -> int:
        """Points on the undersides of the feet."""
        return len(self.soles.of)

    def step(self, data: mujoco.MjData, steps: int = 1) -> None:
        """Step the model on the ground, `steps` times; the integrator must not be RK4."""
        for _ in range(steps):
            mujoco.mj_step1(self.model, data)
            self.apply(data)
            mujoco.mj_step2(self.model, data)

    @contextmanager
    def installed(self) -> Iterator[Tracks]:
        """Apply the forces inside every `mj_step` within the `with` block, by MuJoCo's passive callback.

        There is one such callback in a process: only one ground at a time, and other models must not be stepped
        inside the block.

        Raises:
            InvalidInput: If another callback is set, or the integrator is RK4, which asks for forces four times a step.
        """
        if mujoco.get_mjcb_passive() is not None:
            raise InvalidInput("MuJoCo's passive callback is taken, by another ground perhaps: leave that one first")
        if self.model.opt.integrator == mujoco.mjtIntegrator.mjINT_RK4:
            raise InvalidInput("integrator RK4 is not allowed on yielding ground: give Euler or implicitfast")
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
            if self._memory[:, HELD].any() or self.force.any():
                self._lift(self._memory, self._corner, self._shape, self._surface, self._deepest)
                self.force[:] = 0
                data.xfrc_applied[self.bodies] = 0
            return
        frames, bodies = self._frames, self.bodies
        frames[:, :9], frames[:, 9:12], frames[:, 12:15] = data.xmat[bodies], data.xpos[bodies], data.xipos[bodies]
        frames[:, 15:21], frames[:, 21:] = data.cvel[bodies], data.subtree_com[self.soles.root]
        self._soil[STEP] = self.model.opt.timestep
        passed, self._time = int(data.time > self._time), data.time
        columns = (self._corner, self._shape, self._surface, self._deepest)
        soles = (self.soles.of, self.soles.patch, self.soles.points)
        state = (self._memory, self._sums, self._total)
        work, touching = self._loop(self._soil, passed, frames, *soles, *columns, *state)
        self.work, self._touching = self.work + work, bool(touching)
        self.force[:] = self._total[:, :3]
        data.xfrc_applied[bodies] = self._total

    def _clear(self, data: mujoco.MjData) -> bool:
        """Whether all feet are above the ground, by the balls around them."""
        return bool((data.xpos[self.bodies, 2] > self.soles.reach).all())

    def stored_energy(self) -> float:
        """Energy that the ground would return now: compressed columns and sheared soil [J]."""
        return float(self._memory[:, STORED].sum())

    @property
    def lost_energy(self) -> float:
        """Energy lost to compaction, friction and damping so far; it never decreases [J]."""
        return self.work - self.stored_energy()

    def diameters(self) -> np.ndarray:
        """Equivalent diameter of what touches in each patch of the soles, or touched last [m]."""
        return self._sums[:, WIDTH].copy()

    def wrench(self) -> np.ndarray:
        """Force of the ground on all feet [N]."""
        return self.force.sum(axis=0)

    def pushes(self, data: mujoco.MjData) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Centres of pressure (n, 3) [m], forces (n, 3) [N] and bodies (n,) that the ground pushes upwards.

        A centre of pressure lies as deep as the lowest point of its body, where the force has no moment about x and y.
        """
        loaded = self.force[:, 2] > 0
        bodies = self.bodies[loaded]
        force, moment = self._total[loaded, :3], self._total[loaded, 3:]
        lowest = np.full(len(self.bodies), np.inf)
        frames = data.xmat.reshape(-1, 3, 3)[self.bodies[self.soles.of]]
        height = (
            np.einsum("ni,ni->n", frames[:, 2], self.soles.points[:, :3]) + data.xpos[self.bodies[self.soles.of], 2]
        )
        np.minimum.at(lowest, self.soles.of, height)
        centre = data.xipos[bodies]
        down = lowest[loaded] - centre[:, 2]
        along = (down * force[:, 0] - moment[:, 1]) / force[:, 2]
        left = (down * force[:, 1] + moment[:, 0]) / force[:, 2]
        return centre + np.stack([along, left, down], axis=1), force.copy(), bodies

    def elevation(self) -> ElevationMap:
        """The surface as it is when nothing presses it: the tracks."""
        x, y = self.ground.origin
        half = self.ground.cell / 2
        surface, deepest = self._surface.copy(), self._deepest.copy()
        self._lift(self._memory.copy(), self._corner, self._shape, surface, deepest)
        heights = (surface - (1 - self.ground.rebound) * deepest)[:-1].reshape(self.ground.shape)
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

    def state(self) -> dict[str, np.ndarray]:
        """Everything that the ground remembers, to save, and for `restore`."""
        clock = np.array([self.work, self._time, self._touching])
        return {name: part.copy() for name, part in self._parts().items()} | {"clock": clock}

    def restore(self, state: Mapping[str, np.ndarray]) -> None:
        """Go back to a state; that of the beginning erases all footprints.

        Args:
            state: From `state`, of the same ground under the same feet; `data` is to go back to the same moment.

        Raises:
            InvalidInput: If it is of another ground or other feet.
        """
        parts = self._parts() | {"clock": np.zeros(3)}
        for name, part in parts.items():
            shape = np.shape(state.get(name, ()))
            require(shape == part.shape, name, shape, f"an array of shape {part.shape}, from `state` of these feet")
        for name, part in parts.items():
            part[:] = state[name]
        self.force[:] = self._total[:, :3]
        work, time, touching = parts["clock"].tolist()
        self.work, self._time, self._touching = work, time, bool(touching)

    def _parts(self) -> dict[str, np.ndarray]:
        """Arrays that change."""
        names = ("surface", "deepest", "memory", "sums", "total")
        return {name: getattr(self, f"_{name}") for name in names}
