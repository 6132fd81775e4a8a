"""A picture without OpenGL: MuJoCo's own ray casts, shaded with NumPy."""

from __future__ import annotations

import mujoco
import numpy as np

from plantar.show.view import VISIBLE_GROUPS, Camera

FAR = 100.0
"""Rays end here [m]."""
SUN = np.array([-0.3, -0.5, 0.8]) / np.linalg.norm([-0.3, -0.5, 0.8])
"""Direction towards the light, in the world."""
SUN_DISTANCE = 10.0
"""From the light to the middle of the picture [m]; far enough for shadows that look parallel."""
AMBIENT, DIFFUSE, HEADLIGHT = 0.40, 0.45, 0.25
"""Fractions of ambient light, of the sun and of the camera's light."""


def raycast(
    model: mujoco.MjModel, data: mujoco.MjData, camera: Camera, size: tuple[int, int], block: int = 2
) -> tuple[np.ndarray, np.ndarray]:
    """Colours (h, w, 3) from 0 to 1, and where there is anything (h, w), for a picture of `size` (w, h).

    One ray is cast for every `block` by `block` pixels, and one for every pixel only where the colour
    changes, so that edges are smooth after averaging over blocks. Both sides of `size` are multiples of `block`.
    """
    width, height = size
    coarse = camera.rays((width // block, height // block))
    colours, reach = _shade(model, data, camera, coarse)
    edges = _edges(np.column_stack([colours, np.isfinite(reach)]).reshape(height // block, width // block, 4))
    colours, reach, redo = (
        _enlarged(a.reshape(height // block, width // block, -1), block) for a in (colours, reach, edges)
    )
    reach, redo = reach.ravel(), redo.ravel()
    colours[redo], reach[redo] = _shade(model, data, camera, camera.rays(size)[redo])
    _draw_tendons(model, data, camera, size, colours, reach)
    return np.clip(colours, 0, 1).reshape(height, width, 3), np.isfinite(reach).reshape(height, width)


def _shade(
    model: mujoco.MjModel, data: mujoco.MjData, camera: Camera, rays: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Colour (n, 3) and depth [m] (n,) that each ray of the camera sees; endless depth means nothing."""
    geom, distance, normal = _cast(model, data, camera.position, rays)
    hit = geom >= 0
    seen, normal = rays[hit], normal[hit]
    # the normal of a surface seen from inside points away
    cosine = np.sum(normal * seen, axis=1)
    normal = np.where(cosine[:, None] > 0, -normal, normal)
    lit = _lit(model, data, camera.position + distance[hit, None] * seen, geom[hit])
    light = AMBIENT + DIFFUSE * lit * np.clip(normal @ SUN, 0, 1) + HEADLIGHT * abs(cosine)
    colours, depth = np.zeros((len(rays), 3)), np.full(len(rays), np.inf)
    colours[hit] = _geom_rgb(model)[geom[hit]] * light[:, None]
    depth[hit] = distance[hit] * (seen @ camera.axes[2])
    return colours, depth


def _edges(image: np.ndarray) -> np.ndarray:
    """Where a pixel of (h, w, channels) differs from the one beside or below it."""
    edges = np.zeros(image.shape[:2], bool)
    for axis in (0, 1):
        change = np.abs(np.diff(image, axis=axis)).max(axis=2) > 0.04
        for side in (slice(None, -1), slice(1, None)):
            edges[(side, slice(None)) if axis == 0 else (slice(None), side)] |= change
    return edges


def _enlarged(image: np.ndarray, block: int) -> np.ndarray:
    """Every pixel of (h, w, channels) as a block of pixels, in rows (h * w * block**2, channels)."""
    return image.repeat(block, axis=0).repeat(block, axis=1).reshape(-1, image.shape[2])


def _cast(
    model: mujoco.MjModel, data: mujoco.MjData, origin: np.ndarray, rays: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Geom (n,), distance [m] (n,) and surface normal (n, 3) that each ray from `origin` meets first."""
    n = len(rays)
    geom, distance, normal = np.full(n, -1, np.int32), np.zeros(n), np.zeros(3 * n)
    if n:
        mujoco.mj_multiRay(model, data, origin, rays.ravel(), VISIBLE_GROUPS, True, -1, geom, distance, normal, n, FAR)
    return geom, distance, normal.reshape(n, 3)


def _lit(model: mujoco.MjModel, data: mujoco.MjData, points: np.ndarray, geom: np.ndarray) -> np.ndarray:
    """1 where the sun reaches a point, 0 in the shadow of another geom."""
    if not len(points):
        return np.ones(0)
    sun = points.mean(axis=0) + SUN_DISTANCE * SUN
    away = points - sun
    far = np.linalg.norm(away, axis=1)
    first, distance, _ = _cast(model, data, sun, away / far[:, None])
    return np.where((first != geom) & (first >= 0) & (distance < far - 1e-4), 0.0, 1.0)


def _geom_rgb(model: mujoco.MjModel) -> np.ndarray:
    """Colour (ngeom, 3): the geom's own if it was set, else its material's."""
    rgba = model.geom_rgba.copy()
    dressed = (model.geom_matid >= 0) & np.all(rgba == (0.5, 0.5, 0.5, 1), axis=1)
    rgba[dressed] = model.mat_rgba[model.geom_matid[dressed]]
    return rgba[:, :3]


def _draw_tendons(
    model: mujoco.MjModel,
    data: mujoco.MjData,
    camera: Camera,
    size: tuple[int, int],
    colours: np.ndarray,
    reach: np.ndarray,
) -> None:
    """Dot the tendons' paths over `colours` and `reach` where nothing nearer hides them."""
    for t in range(model.ntendon):
        start = data.ten_wrapadr[t]
        path = data.wrap_xpos.reshape(-1, 3)[start : start + data.ten_wrapnum[t]]
        if not VISIBLE_GROUPS[model.tendon_group[t]] or len(path) < 2:
            continue
        steps = np.linspace(0, 1, 200)[:, None, None]
        dots = (path[:-1] * (1 - steps) + path[1:] * steps).reshape(-1, 3)
        matid = model.tendon_matid[t]
        rgb = model.tendon_rgba[t, :3] if matid < 0 else model.mat_rgba[matid, :3]
        _dots(camera, size, dots, float(model.tendon_width[t]), rgb, colours, reach)


def _dots(
    camera: Camera,
    size: tuple[int, int],
    points: np.ndarray,
    radius: float,
    rgb: np.ndarray,
    colours: np.ndarray,
    reach: np.ndarray,
) -> None:
    """Draw balls of `radius` [m] at `points` as flat discs."""
    pixels, depth = camera.project(points, size)
    span = np.arange(-12, 13)
    dx, dy = (grid.ravel() for grid in np.meshgrid(span, span))
    reach_px = np.clip(radius * size[1] / 2 / camera.slope / depth, 0.7, 12)
    col, row = (np.rint(pixels[:, k, None]).astype(int) + d for k, d in ((0, dx), (1, dy)))
    inside = (dx**2 + dy**2 <= reach_px[:, None] ** 2) & (depth[:, None] > 0)
    inside &= (col >= 0) & (col < size[0]) & (row >= 0) & (row < size[1])
    index = (row * size[0] + col)[inside]
    near = np.broadcast_to(depth[:, None] - radius, inside.shape)[inside]
    seen = near < reach[index]
    colours[index[seen]] = rgb
    np.minimum.at(reach, index[seen], near[seen])
