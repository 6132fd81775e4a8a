"""Walks as 3D clips."""

from __future__ import annotations

import mujoco
import numpy as np

from plantar.errors import InvalidInput
from plantar.ground.terrain.plain import Flat
from plantar.show.clip import Clip
from plantar.show.recorder import ClipRecorder
from plantar.show.view import View
from plantar.walk.result import WalkResult
from plantar.walk.sim.parts import height_of
from plantar.walk.sim.scene import Scene

SMOOTH = 0.6
"""Time over which the place that the view follows is averaged, so that it does not sway with the robot [s]."""


def walk_clip(scene: Scene, result: WalkResult) -> Clip:
    """A recorded walk with the forces on its feet; the view follows the robot.

    Args:
        scene: Where it walked.
        result: A walk with frames.

    Raises:
        InvalidInput: If the walk was run without frames.
    """
    r = result.record
    if r is None or not len(r.frames):
        raise InvalidInput("the walk has no frames: run it with frames=True")
    model, data = scene.world(result.bars)
    if r.tracks is not None:
        r.tracks.paint(model)
    recorder, path, tall = ClipRecorder(model), [], 0.0
    loaded = [k for k, name in enumerate(r.columns) if name.startswith("load_")]
    rows = np.searchsorted(r.column("time"), r.frame_times - 1e-9).clip(0, len(r.table) - 1)
    for k, (time, qpos, loads) in enumerate(zip(r.frame_times, r.frames, r.frame_loads, strict=True)):
        data.qpos[:] = qpos
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        mujoco.mj_tendon(model, data)
        readings = {f"{r.columns[c].replace('load_', '')} foot [N]": r.table[rows[k], c] for c in loaded}
        recorder.take(
            float(time), data, {"height of mass [mm]": 1e3 * data.subtree_com[scene.base][2], **readings}, loads
        )
        path.append(data.subtree_com[scene.base].copy())
        tall = tall or height_of(model, data, scene.base)
    view = View(azimuth=118, elevation=-14, distance=1.8 * tall, centre=(0.0, 0.0, 0.44 * tall))
    notes = (f"{result.status.value.partition(':')[0]}; {result.steps} steps, {result.distance:.2f} m",)
    feet = "its own" if result.foot == "own" else result.foot
    return recorder.clip(
        f"{result.robot} on {feet} feet, {result.mode}, seed {result.seed}",
        view=view,
        notes=notes,
        floor=0.0 if scene.terrain is None or isinstance(scene.terrain, Flat) else None,
        follow=_followed(np.array(path), r.frame_times),
    )


def _followed(path: np.ndarray, times: np.ndarray) -> np.ndarray:
    """A smooth path along the ground beside the centre of mass (frames, 3) [m]."""
    near = np.abs(times[:, None] - times) <= SMOOTH
    calm = near @ path / near.sum(axis=1, keepdims=True)
    return calm * [1.0, 1.0, 0.0]
