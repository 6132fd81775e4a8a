"""Presses in MuJoCo itself, on threads."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import mujoco
import numpy as np

from plantar.foothold.physics.plan import Presses
from plantar.foothold.physics.rig import PushRig
from plantar.foothold.physics.trace import Reader, Traces, controls, is_gone, support
from plantar.model.state import blown_up

CHUNK = 16
"""Presses that a thread takes at a time."""


def run_mujoco(
    model: mujoco.MjModel,
    reader: Reader,
    rig: PushRig,
    start: Presses,
    heights: np.ndarray,
    progress: Callable[[int], None] | None = None,
    threads: int | None = None,
) -> Traces:
    """Run presses one by one on each thread; see `plantar.foothold.physics.press`."""
    pieces = [slice(i, min(i + CHUNK, len(start))) for i in range(0, len(start), CHUNK)]

    def run(piece: slice) -> Traces:
        traces, data = Traces.empty(piece.stop - piece.start, rig.samples), mujoco.MjData(model)
        for n, k in enumerate(range(piece.start, piece.stop)):
            _run_one(model, data, reader, rig, start.rows(slice(k, k + 1)), float(heights[k]), traces, n)
        if progress:
            progress(len(traces))
        return traces

    with ThreadPoolExecutor(threads or os.cpu_count()) as pool:
        return Traces.joined(list(pool.map(run, pieces)))


def _run_one(
    model: mujoco.MjModel,
    data: mujoco.MjData,
    reader: Reader,
    rig: PushRig,
    start: Presses,
    height: float,
    traces: Traces,
    n: int,
) -> None:
    mujoco.mj_resetData(model, data)
    data.mocap_pos[0] = [start.x[0], start.y[0], height]
    data.mocap_quat[0] = [np.cos(start.yaw[0] / 2), 0, 0, np.sin(start.yaw[0] / 2)]
    for sample in range(rig.samples):
        gone = is_gone(traces, slice(n, n + 1), sample)
        data.ctrl[:] = controls(rig, start, reader.mass, sample, gone)[0]
        mujoco.mj_step(model, data, rig.sample)
        state = (data.qpos[None], data.qvel[None], data.xpos[None])
        reader.read(traces, slice(n, n + 1), sample, state, start)
        if sample == rig.settle_samples - 1:
            traces.area[n], traces.spread[n] = _support(model, data, start.load)
    traces.ok[n] = not blown_up(data)


def _support(model: mujoco.MjModel, data: mujoco.MjData, load: np.ndarray) -> tuple[float, float]:
    contact = data.contact
    held = contact.efc_address >= 0
    force = data.efc_force[contact.efc_address[held]] if held.any() else np.zeros(0)
    area, spread = support(contact.pos[held][:, :2], force, np.zeros(int(held.sum()), int), load)
    return float(area[0]), float(spread[0])
