"""Photo sequences and films of recorded walks."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import mujoco
import numpy as np

from plantar._files import replacing
from plantar.show.film import Film, write_film
from plantar.show.picture import draw
from plantar.show.view import View
from plantar.walk.plans.known_ground import map_of
from plantar.walk.result import WalkResult
from plantar.walk.sim.parts import height_of
from plantar.walk.sim.scene import Scene

PAIR = 2
"""Feet of a robot that is taller than long."""
STRIP = 0.04
"""Width of the strips that stand for a height field in a film from the side [m]."""


def photo_sequence(
    path: str | Path,
    scene: Scene,
    results: Sequence[WalkResult],
    scenes: Sequence[Scene] | None = None,
    *,
    shots: int = 6,
    around: float | None = None,
    span: float = 3.0,
    close: bool = False,
    size: tuple[int, int] = (300, 420),
) -> Path:
    """Pictures of walks side by side over time, one row per result.

    Args:
        path: The PNG file.
        scene: The scene of the results.
        results: Trials run with `frames=True`.
        scenes: A scene for each result, where they differ.
        shots: Pictures per row.
        around: Time in the middle of the sequence [s]; None takes the whole walk.
        span: Time from the first picture to the last [s], where `around` is given.
        close: Whether the pictures show the feet alone.
        size: Width and height of a picture [pixel].
    """
    import matplotlib.image  # noqa: PLC0415  (walks run without it)

    rows = []
    for k, result in enumerate(results):
        its = scenes[k] if scenes else scene
        times = _times(result, shots, around, span)
        tall = height_of(*_posed(its, result, 0), its.base)
        rows.append(np.concatenate([_shot(its, result, t, None if close else tall, size) for t in times], axis=1))
    with replacing(path) as scratch:
        matplotlib.image.imsave(scratch, np.concatenate(rows, axis=0), format="png")
    return Path(path)


def _times(result: WalkResult, shots: int, around: float | None, span: float) -> np.ndarray:
    r = result.record
    assert r is not None and len(r.frames), "photo_sequence needs results of a trial with frames=True"
    start, end = float(r.frame_times[0]), float(r.frame_times[-1])
    if around is not None:
        start, end = max(start, around - span / 2), min(end, around + span / 2)
    return np.linspace(start, end, shots)


def _posed(scene: Scene, result: WalkResult, frame: int) -> tuple[mujoco.MjModel, mujoco.MjData]:
    """The scene as it was in one frame of a walk, with the tracks of its end where the ground yields."""
    assert result.record is not None
    model, data = scene.world(result.bars)
    if result.record.tracks is not None:
        result.record.tracks.paint(model)
    data.qpos[:] = result.record.frames[frame]
    mujoco.mj_forward(model, data)
    return model, data


def _shot(scene: Scene, result: WalkResult, time: float, tall: float | None, size: tuple[int, int]) -> np.ndarray:
    """One picture of a robot so tall, or of its feet alone."""
    r = result.record
    assert r is not None
    model, data = _posed(scene, result, int(np.argmin(np.abs(r.frame_times - time))))
    x, y, z = data.subtree_com[scene.base]
    if len(scene.legged.soles) > PAIR:
        view = View(azimuth=118, elevation=-20, distance=2.1, centre=(float(x) + 0.15, float(y), float(z) - 0.24))
    elif tall is None:
        x = result.bars[0].x if result.bars else x
        view = View(azimuth=90, elevation=-4, distance=0.75, centre=(x, y, 0.09))
    else:
        view = View(azimuth=115, elevation=-10, distance=1.45 * tall, centre=(x, y, 0.47 * tall))
    return draw(model, data, view, size)


def walk_film(path: str | Path, scene: Scene, results: Sequence[WalkResult], title: str) -> Path:
    """A film of walks from the side, to be watched in any browser."""
    model, times = _side_view(scene), None
    positions, turns, labels, notes = [], [], [], []
    for result in results:
        r = result.record
        assert r is not None and len(r.frames), "walk_film needs results of a trial with frames=True"
        times = r.frame_times if times is None or len(r.frame_times) > len(times) else times
        data = mujoco.MjData(model)
        scene.set_bars(model, data, result.bars)
        where, how = [], []
        for qpos in r.frames:
            data.qpos[:] = qpos
            mujoco.mj_kinematics(model, data)
            where.append(data.xpos.copy())
            how.append(data.xmat.copy())
        positions.append(np.array(where))
        turns.append(np.array(how))
        how_chosen = "" if result.choose == "nominal" else f", {result.choose}"
        labels.append(f"{result.robot}, {result.foot}, {result.mode}{how_chosen}, seed {result.seed}")
        notes.append(f"{result.status.value}; {result.steps} steps, {result.distance:.2f} m")
    assert times is not None
    count = len(times)
    film = Film(
        model,
        [float(t) for t in times],
        np.stack([_held(p, count) for p in positions], axis=1),
        np.stack([_held(f, count) for f in turns], axis=1),
        labels,
        notes,
    )
    return write_film(path, title, film)


def _side_view(scene: Scene) -> mujoco.MjModel:
    """A model of the scene with strips as high as the ground on the right in place of a height field."""
    spec = scene.spec.copy()
    fields = [g for g in spec.worldbody.geoms if g.type == mujoco.mjtGeom.mjGEOM_HFIELD]
    if not fields or scene.terrain is None or scene.yielding is not None:
        return scene.world()[0]
    for geom in fields:
        spec.delete(geom)
    grid = map_of(scene.terrain)  # type: ignore[arg-type]
    lane = grid.heights[(grid.y > -0.42) & (grid.y < -0.18)].mean(axis=0)
    each = max(1, round(STRIP / grid.cell))
    for i in range(0, len(lane) - each, each):
        top = max(float(lane[i : i + each].mean()), -0.2)
        spec.worldbody.add_geom(
            type=mujoco.mjtGeom.mjGEOM_BOX,
            size=[each * grid.cell / 2, 0.01, 0.15 + top / 2],
            pos=[float(grid.x[i]) + each * grid.cell / 2, 0.8, top / 2 - 0.15],
            rgba=[0.72, 0.74, 0.77, 1],
            contype=0,
            conaffinity=0,
        )
    return spec.compile()


def _held(frames: np.ndarray, count: int) -> np.ndarray:
    """The requested number of frames; the last one is held."""
    return (
        np.concatenate([frames, np.repeat(frames[-1:], count - len(frames), axis=0)]) if len(frames) < count else frames
    )
