"""Presses in MuJoCo Warp, thousands of worlds at once over one height field."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import mujoco
import numpy as np

from plantar.foothold.physics.plan import Presses
from plantar.foothold.physics.rig import PushRig
from plantar.foothold.physics.trace import Reader, Traces, controls, is_gone, support
from plantar.sweep.engines.aligned import mujoco_warp
from plantar.sweep.engines.gpu import chosen_device, quiet_warp

CONTACTS = 40
"""Room for contacts of a world: a part of a foot has four with a height field."""


class WarpRunner:
    """A rig in MuJoCo Warp, compiled once for any number of mosaics of one size.

    A world that finds no room for its contacts or constraints has failed. More than 50 triangles under a part of a foot
    is not a failure: both engines then use the first 50.
    """

    def __init__(self, model: mujoco.MjModel, reader: Reader, rig: PushRig, worlds: int) -> None:
        self.reader, self.rig, self.worlds = reader, rig, worlds
        self._wp: Any = quiet_warp()
        self._mjw: Any = mujoco_warp()
        with self._wp.ScopedDevice(chosen_device()):
            self._m = self._mjw.put_model(model)
            self._m.opt.warn_overflow = 0
            touching = int(np.count_nonzero(model.geom_contype)) - 1
            contacts = max(CONTACTS, 4 * touching)
            rows = 3 * contacts + 6 * model.neq + int(np.count_nonzero(model.jnt_limited)) + 8
            # The general collider works on pairs, of which there is one per part of the foot.
            room = {"nconmax": contacts, "njmax": rows, "nccdmax": touching}
            self._d = self._mjw.make_data(model, nworld=worlds, **room)
            kinds = self._mjw.OverflowType
            self._fatal = int(kinds.NEFC | kinds.NJMAX_NNZ | kinds.BROADPHASE | kinds.NARROWPHASE | kinds.CCD)
            self._launch = self._recorded()

    def set_ground(self, model: mujoco.MjModel) -> None:
        """Take the heights of another model of the same rig."""
        with self._wp.ScopedDevice(chosen_device()):
            self._m.hfield_data.assign(model.hfield_data)

    def run(self, start: Presses, heights: np.ndarray, progress: Callable[[int], None] | None = None) -> Traces:
        """Run presses, `worlds` at a time; see `plantar.foothold.physics.press`."""
        parts = []
        with self._wp.ScopedDevice(chosen_device()):
            for i in range(0, len(start), self.worlds):
                piece = slice(i, min(i + self.worlds, len(start)))
                parts.append(self._run_some(start.rows(piece), heights[piece]))
                if progress:
                    progress(piece.stop - piece.start)
        return Traces.joined(parts)

    def _recorded(self) -> Callable[[], None]:
        """What makes the steps between two readings; on a GPU they are recorded once and played."""
        mjw, m, d = self._mjw, self._m, self._d

        def steps() -> None:
            for _ in range(self.rig.sample):
                mjw.step(m, d)

        if not self._wp.get_device().is_cuda:
            return steps
        mjw.step(m, d)  # compiles the kernels, which cannot be done while recording
        with self._wp.ScopedCapture() as capture:
            steps()
        return lambda: self._wp.capture_launch(capture.graph)

    def _run_some(self, start: Presses, heights: np.ndarray) -> Traces:
        count, d, rig = len(start), self._d, self.rig
        self._mjw.reset_data(self._m, d)
        _cleanse(self._wp, d)
        d.overflow.zero_()
        place, turn = np.zeros((count, 1, 3)), np.zeros((count, 1, 4))
        place[:, 0] = np.stack([start.x, start.y, heights], axis=1)
        turn[:, 0, 0], turn[:, 0, 3] = np.cos(start.yaw / 2), np.sin(start.yaw / 2)
        d.mocap_pos.assign(self._wide(place))
        d.mocap_quat.assign(self._wide(turn))
        traces = Traces.empty(count, rig.samples)
        for sample in range(rig.samples):
            gone = is_gone(traces, slice(None), sample)
            d.ctrl.assign(self._wide(controls(rig, start, self.reader.mass, sample, gone)))
            self._launch()
            state = tuple(getattr(d, name).numpy()[:count] for name in ("qpos", "qvel", "xpos"))
            self.reader.read(traces, slice(None), sample, state, start)
            if sample == rig.settle_samples - 1:
                traces.area[:], traces.spread[:] = self._support(start)
        crowded = (d.overflow.numpy()[:count] & self._fatal) != 0
        traces.ok[:] = np.isfinite(d.qpos.numpy()[:count]).all(axis=1) & ~crowded
        return traces

    def _wide(self, values: np.ndarray) -> np.ndarray:
        """Values for all worlds; those that have nothing to do repeat the last one."""
        spare = self.worlds - len(values)
        if spare:
            values = np.concatenate([values, np.repeat(values[-1:], spare, axis=0)])
        return np.ascontiguousarray(values, dtype=np.float32)

    def _support(self, start: Presses) -> tuple[np.ndarray, np.ndarray]:
        d, count = self._d, len(start)
        n = int(d.nacon.numpy()[0])
        world, address = d.contact.worldid.numpy()[:n], d.contact.efc_address.numpy()[:n, 0]
        held = (address >= 0) & (world < count)
        force = d.efc.force.numpy()[world[held], address[held]]
        points = d.contact.pos.numpy()[:n][held, :2]
        return support(points.astype(float), force.astype(float), world[held], start.load)


def _cleanse(wp: Any, record: Any) -> None:
    """Remove NaNs, which a reset leaves in a failed world and which would spoil the next press."""
    for item in dataclasses.fields(record):
        value = getattr(record, item.name)
        if dataclasses.is_dataclass(value):
            _cleanse(wp, value)
        elif isinstance(value, wp.array) and value.size:
            numbers = value.numpy()
            if numbers.dtype.kind == "f" and not np.isfinite(numbers).all():
                value.assign(np.nan_to_num(numbers, nan=0.0, posinf=0.0, neginf=0.0))
