"""Photo sequences and films of quadruped walks."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import mujoco
import numpy as np

from plantar._files import replacing
from plantar.foothold.walking.result import CrossResult
from plantar.foothold.walking.terrains import map_of
from plantar.ground.terrain.terrain import Terrain
from plantar.show.film import Film, write_film
from plantar.show.picture import draw
from plantar.show.view import View
from plantar.walk.sim.scene import Scene

STRIP = 0.04
"""Width of the strips that stand for a height field in a film from the side [m]."""


def photo_sequence(
    path: str | Path,
    scenes: Sequence[Scene],
    results: Sequence[CrossResult],
    *,
    shots: int = 5,
    size: tuple[int, int] = (380, 300),
) -> Path:
    """Pictures of walks as time goes on, a row for each."""
    import matplotlib.image  # noqa: PLC0415  (walks run without it)

    rows = []
    for scene, result in zip(scenes, results, strict=True):
        r = result.record
        assert r is not None and len(r.frames), "photo_sequence needs walks with frames=True"
        picks = np.linspace(0, len(r.frames) - 1, shots).astype(int)
        rows.append(np.concatenate([_shot(scene, r.frames[i], size) for i in picks], axis=1))
    with replacing(path) as scratch:
        matplotlib.image.imsave(scratch, np.concatenate(rows, axis=0), format="png")
    return Path(path)


def _shot(scene: Scene, qpos: np.ndarray, size: tuple[int, int]) -> np.ndarray:
    data = mujoco.MjData(scene.model)
    data.qpos[:] = qpos
    mujoco.mj_forward(scene.model, data)
    x, y, z = data.xpos[scene.base]
    view = View(azimuth=118, elevation=-20, distance=2.1, centre=(float(x) + 0.15, float(y), float(z) - 0.28))
    return draw(scene.model, data, view, size)


def walk_film(path: str | Path, scene: Scene, terrain: Terrain, results: Sequence[CrossResult], title: str) -> Path:
    """A film of walks from the side, to be watched in any browser; height fields are shown as their profile."""
    model = _side_view(scene, terrain)
    count = max(len(r.record.frames) for r in results if r.record is not None)
    positions, turns, times = [], [], np.zeros(0)
    for result in results:
        r = result.record
        assert r is not None and len(r.frames), "walk_film needs walks with frames=True"
        times = r.frame_times if len(r.frame_times) > len(times) else times
        data, where, how = mujoco.MjData(model), [], []
        for qpos in r.frames:
            data.qpos[:] = qpos
            mujoco.mj_kinematics(model, data)
            where.append(data.xpos.copy())
            how.append(data.xmat.copy())
        still = count - len(where)  # the last frame of a short walk is held
        positions.append(np.array(where + where[-1:] * still))
        turns.append(np.array(how + how[-1:] * still))
    film = Film(
        model,
        [float(t) for t in times],
        np.stack(positions, axis=1),
        np.stack(turns, axis=1),
        [f"{r.foot}, {r.choose}, seed {r.seed}" for r in results],
        [f"{r.status.value}; {len(r.steps)} steps, {r.distance:.2f} m" for r in results],
    )
    return write_film(path, title, film)


def _side_view(scene: Scene, terrain: Terrain) -> mujoco.MjModel:
    """The scene's model with strips as high as the ground under the right feet in place of a height field."""
    spec = scene.spec.copy()
    fields = [g for g in spec.worldbody.geoms if g.type == mujoco.mjtGeom.mjGEOM_HFIELD]
    if not fields:
        return scene.model
    for geom in fields:
        spec.delete(geom)
    grid = map_of(terrain)
    lane = grid.heights[(grid.y > -0.42) & (grid.y < -0.18)].mean(axis=0)
    each = max(1, round(STRIP / grid.cell))
    for i in range(0, len(lane) - each, each):
        top = float(lane[i : i + each].mean())
        spec.worldbody.add_geom(
            type=mujoco.mjtGeom.mjGEOM_BOX,
            size=[each * grid.cell / 2, 0.01, 0.05 + max(top, -0.2) / 2 + 0.1],
            pos=[float(grid.x[i]) + each * grid.cell / 2, 0.8, max(top, -0.2) / 2 - 0.15],
            rgba=[0.72, 0.74, 0.77, 1],
            contype=0,
            conaffinity=0,
        )
    return spec.compile()
