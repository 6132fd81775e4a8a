"""Yielding ground in thousands of worlds at once, through MuJoCo Warp: the law of `law.py` compiled for its device."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from types import FunctionType
from typing import Any

import mujoco
import numpy as np

from plantar._checks import require
from plantar._extras import require_extra
from plantar.errors import InvalidInput
from plantar.ground.soil.compiled import rebuilt
from plantar.ground.soil.law import MEMORY, PLACE, STEP, STORED
from plantar.ground.soil.loop import SUMS
from plantar.ground.soil.soles import find_soles
from plantar.ground.soil.tracks import FAR
from plantar.ground.soil.yielding import YieldingGround
from plantar.ground.terrain.elevation_map import ElevationMap
from plantar.sweep.engines.gpu import chosen_device, quiet_warp

TABLES: tuple[str, ...] = ("frames", "points", "memory", "sums", "total")
LISTS: tuple[str, ...] = ("soil", "corner", "surface", "deepest", "grid")
COUNTS: tuple[str, ...] = ("of", "patch", "shape")
NUMBERS: tuple[str, ...] = ("passed", "b", "i", "first", "along", "across")
"""Arguments of the law by their kinds: arrays of two and of one dimension, of whole numbers, and whole numbers."""


class SoilWorlds:
    """The soles of a model on yielding ground, in many worlds of MuJoCo Warp.

    `install(m)` lets every `mujoco_warp.step(m, d)` feel the ground; or call `apply(d)` between `step1` and `step2`.
    Forces go into `d.xfrc_applied` of the feet's bodies. Worlds share the soles and nothing else: each has its own
    soil, prints and memory. Numbers are of single precision.

    Args:
        ground: The ground, or one for each world; all have the same grid.
        model: The model.
        worlds: Number of worlds.
        feet: Bodies or geoms that press it; None finds feet by name.
        spacing: Between points on the soles [m]; None takes 5 mm, or more for large soles.

    Attributes:
        soles: Points of the feet.

    Raises:
        InvalidInput: If grounds have different grids, or are not one for each world.
        MissingExtra: If MuJoCo Warp is not installed.
    """

    def __init__(
        self,
        ground: YieldingGround | Sequence[YieldingGround],
        model: mujoco.MjModel,
        worlds: int,
        feet: Sequence[str] | None = None,
        *,
        spacing: float | None = None,
    ):
        require_extra("gpu")
        require(worlds >= 1, "worlds", worlds, "an integer from 1")
        grounds = [ground] * worlds if isinstance(ground, YieldingGround) else list(ground)
        if len(grounds) != worlds or len({(g.origin, g.size, g.cell) for g in grounds}) > 1:
            raise InvalidInput(f"ground: {len(grounds)} grounds for {worlds} worlds: give each one, of the same grid")
        self._wp = quiet_warp()
        self.ground, self.worlds, self.soles = grounds[0], worlds, find_soles(model, feet, spacing)
        soil = np.stack([g.numbers() for g in grounds])
        soil[:, STEP] = model.opt.timestep
        rows, columns = self.ground.shape
        memory = np.zeros((worlds, len(self.soles.of), MEMORY), np.float32)
        memory[:, :, PLACE + 2] = FAR
        with self._wp.ScopedDevice(chosen_device()):
            self._bodies, self._root = self._counts(self.soles.bodies), self._counts(self.soles.root)
            self._soles = (self._counts(self.soles.of), self._counts(self.soles.patch), self._floats(self.soles.points))
            self._grid = (self._floats([*self.ground.origin, self.ground.cell]), self._counts([rows, columns]))
            self._soil, self._memory = self._floats(soil), self._floats(memory)
            nothing = np.zeros((worlds, rows * columns + 1), np.float32)
            self._surface, self._deepest = self._floats(nothing), self._floats(nothing)
            self._sums = self._floats(np.zeros((worlds, self.soles.patches, SUMS)))
            self._total = self._floats(np.zeros((worlds, len(self.soles.bodies), 6)))
            self._frames = self._floats(np.zeros((worlds, len(self.soles.bodies), 24)))
            self._work = self._floats(np.zeros(worlds))

    def _floats(self, values: Any) -> Any:
        return self._wp.array(np.asarray(values, dtype=np.float32), dtype=self._wp.float32)

    def _counts(self, values: Any) -> Any:
        return self._wp.array(np.asarray(values, dtype=np.int32), dtype=self._wp.int32)

    def install(self, m: Any) -> None:
        """Let every step of a Warp model feel the ground, by its passive callback."""
        m.callback.passive = lambda _, d: self.apply(d)

    def apply(self, d: Any) -> None:
        """Put the forces of the ground for the present state of all worlds into `d.xfrc_applied`."""
        gather, press, scatter = _kernels()
        each = (self.worlds, len(self.soles.bodies))
        state = [d.xmat, d.xpos, d.xipos, d.cvel, d.subtree_com]
        device = self._soil.device
        self._wp.launch(gather, dim=each, inputs=[self._bodies, self._root, *state, self._frames], device=device)
        ground = [*self._grid, self._surface, self._deepest]
        own = [self._memory, self._sums, self._total, self._work]
        self._wp.launch(press, self.worlds, [self._soil, self._frames, *self._soles, *ground, *own], device=device)
        self._wp.launch(scatter, dim=each, inputs=[self._bodies, self._total, d.xfrc_applied], device=device)

    def forces(self) -> np.ndarray:
        """Force of the ground on each foot's bodies (worlds, bodies, 3) [N]."""
        return self._total.numpy()[:, :, :3].astype(float)

    def lost_energy(self) -> np.ndarray:
        """Energy lost to the ground so far in each world [J]."""
        return self._work.numpy().astype(float) - self._memory.numpy()[:, :, STORED].sum(axis=1)

    def elevation(self, world: int) -> ElevationMap:
        """The tracks of a world, except for soil that feet still stand on."""
        heights = self._surface.numpy()[world] - (1 - self.ground.rebound) * self._deepest.numpy()[world]
        (x, y), half = self.ground.origin, self.ground.cell / 2
        heights = heights[:-1].reshape(self.ground.shape).astype(float)
        return ElevationMap(origin=(x + half, y + half), cell=self.ground.cell, heights=heights)


def _types(wp: Any, function: FunctionType) -> dict[str, Any]:
    """Types of a function's arguments, by their names."""
    kinds: dict[str, Any] = dict.fromkeys(TABLES, wp.array2d(dtype=float)) | dict.fromkeys(LISTS, wp.array(dtype=float))
    kinds |= dict.fromkeys(COUNTS, wp.array(dtype=int)) | dict.fromkeys(NUMBERS, int)
    names = function.__code__.co_varnames[: function.__code__.co_argcount]
    return {name: kinds.get(name, float) for name in names}


@cache
def _kernels() -> tuple[Any, Any, Any]:
    """Kernels that read the state of bodies, press the ground, and write forces."""
    wp = quiet_warp()

    def compile_one(function: FunctionType) -> Any:
        function.__annotations__ = _types(wp, function)
        return wp.func(function)

    press_world = rebuilt(compile_one)["press"]

    def gather(bodies, root, xmat, xpos, xipos, cvel, subtree_com, frames):  # noqa: ANN001, ANN202
        w, b = wp.tid()
        body = bodies[b]
        turn, place, middle, moves = xmat[w, body], xpos[w, body], xipos[w, body], cvel[w, body]
        about = subtree_com[w, root[b]]
        for i in range(3):
            for j in range(3):
                frames[w, b, 3 * i + j] = turn[i, j]
            frames[w, b, 9 + i] = place[i]
            frames[w, b, 12 + i] = middle[i]
            frames[w, b, 21 + i] = about[i]
        for k in range(6):
            frames[w, b, 15 + k] = moves[k]

    def press(soil, frames, of, patch, points, corner, shape, surface, deepest, memory, sums, total, work):  # noqa: ANN001, ANN202
        w = wp.tid()
        prints, dents, own, parts, out = surface[w], deepest[w], memory[w], sums[w], total[w]
        done, _touching = press_world(
            soil[w], 1, frames[w], of, patch, points, corner, shape, prints, dents, own, parts, out
        )
        work[w] = work[w] + done

    def scatter(bodies, total, xfrc_applied):  # noqa: ANN001, ANN202
        w, b = wp.tid()
        force = wp.vec3(total[w, b, 0], total[w, b, 1], total[w, b, 2])
        moment = wp.vec3(total[w, b, 3], total[w, b, 4], total[w, b, 5])
        xfrc_applied[w, bodies[b]] = wp.spatial_vector(force, moment)

    one, two, three = wp.array(dtype=float), wp.array2d(dtype=float), wp.array3d(dtype=float)
    ints = wp.array(dtype=int)
    vectors, turns, pairs = (wp.array2d(dtype=kind) for kind in (wp.vec3, wp.mat33, wp.spatial_vector))
    gather.__annotations__ = {"bodies": ints, "root": ints, "xmat": turns, "xpos": vectors, "xipos": vectors}
    gather.__annotations__ |= {"cvel": pairs, "subtree_com": vectors, "frames": three}
    press.__annotations__ = {"soil": two, "frames": three, "of": ints, "patch": ints, "points": two, "corner": one}
    press.__annotations__ |= {"shape": ints, "surface": two, "deepest": two, "memory": three, "sums": three}
    press.__annotations__ |= {"total": three, "work": one}
    scatter.__annotations__ = {"bodies": ints, "total": three, "xfrc_applied": pairs}
    return wp.kernel(gather), wp.kernel(press), wp.kernel(scatter)
