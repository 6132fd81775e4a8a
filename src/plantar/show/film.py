"""A film to watch in the browser: many simulations from the side, one self-contained page."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

import mujoco
import numpy as np
from scipy.spatial import ConvexHull

from plantar._files import write_text

VISIBLE_GROUPS = (0, 1, 2)
"""Geom groups that are drawn, as in MuJoCo's viewer."""


@dataclass(frozen=True)
class Film:
    """Poses of planar bodies over time."""

    model: mujoco.MjModel
    """What is filmed."""
    times: Sequence[float]
    """Time of each frame [s]."""
    positions: np.ndarray
    """Body positions (frames, simulations, bodies, 3) [m]."""
    frames: np.ndarray
    """Body orientations (frames, simulations, bodies, 9)."""
    labels: Sequence[str]
    """A caption for each simulation."""
    notes: Sequence[str] = ()
    """A line of results for each simulation."""


def write_film(path: str | Path, title: str, film: Film) -> Path:
    """Write the film as a single HTML page that works offline."""
    shapes = outlines(film.model)
    bodies = sorted({shape["body"] for shape in shapes})
    poses = _poses(film, bodies)
    record = {
        "title": title,
        "times": [round(t, 4) for t in film.times],
        "labels": list(film.labels),
        "notes": list(film.notes),
        "shapes": [{**shape, "body": bodies.index(shape["body"])} for shape in shapes],
        "poses": poses,
    }
    page = resources.files("plantar.show").joinpath("film.html").read_text(encoding="utf-8")
    # "</" would end the script element early if it ever stood in a caption
    data = json.dumps(record, separators=(",", ":")).replace("</", "<\\/")
    return write_text(path, page.replace("/*FILM*/null", data))


def outlines(model: mujoco.MjModel) -> list[dict]:
    """Side view of every visible geom: body, colour and convex outline (x, z) in the body [m]; back to front."""
    shapes = []
    for g in range(model.ngeom):
        kind = model.geom_type[g]
        rgba = model.mat_rgba[model.geom_matid[g]] if model.geom_matid[g] >= 0 else model.geom_rgba[g]
        hidden = model.geom_group[g] not in VISIBLE_GROUPS or rgba[3] < 0.05  # noqa: PLR2004
        if hidden or kind in (mujoco.mjtGeom.mjGEOM_PLANE, mujoco.mjtGeom.mjGEOM_HFIELD):
            continue
        rotation = np.empty(9)
        mujoco.mju_quat2Mat(rotation, model.geom_quat[g])
        points = _surface(model, g) @ rotation.reshape(3, 3).T + model.geom_pos[g]
        flat = points[:, [0, 2]]
        if np.linalg.svd(flat - flat.mean(axis=0), compute_uv=False)[1] < 1e-6 * len(flat):
            continue  # a plate seen edge-on has no outline
        colour = "#" + "".join(f"{round(255 * c):02x}" for c in rgba[:3])
        outline = np.round(1e3 * flat[ConvexHull(flat).vertices], 2).tolist()
        shapes.append(
            {"body": int(model.geom_bodyid[g]), "colour": colour, "outline": outline, "y": -points[:, 1].min()}
        )
    shapes.sort(key=lambda shape: shape.pop("y"))
    return shapes


def _surface(model: mujoco.MjModel, g: int) -> np.ndarray:
    """Points on a geom's surface in its own frame, enough for its outline."""
    a, b, c = model.geom_size[g]
    kind = model.geom_type[g]
    if kind == mujoco.mjtGeom.mjGEOM_BOX:
        return np.array([[x, y, z] for x in (-a, a) for y in (-b, b) for z in (-c, c)])
    if kind == mujoco.mjtGeom.mjGEOM_MESH:
        start, count = model.mesh_vertadr[model.geom_dataid[g]], model.mesh_vertnum[model.geom_dataid[g]]
        return model.mesh_vert[start : start + count].astype(float)
    turn = np.linspace(0, 2 * np.pi, 24, endpoint=False)
    if kind == mujoco.mjtGeom.mjGEOM_CYLINDER:
        return np.array([[a * np.cos(t), a * np.sin(t), z] for t in turn for z in (-b, b)])
    tilt = np.linspace(0, np.pi, 13)
    ball = np.array([[np.sin(p) * np.cos(t), np.sin(p) * np.sin(t), np.cos(p)] for t in turn for p in tilt])
    if kind == mujoco.mjtGeom.mjGEOM_CAPSULE:
        return np.concatenate([a * ball + [0, 0, b], a * ball - [0, 0, b]])
    return ball * ([a, b, c] if kind == mujoco.mjtGeom.mjGEOM_ELLIPSOID else a)


def _poses(film: Film, bodies: Sequence[int]) -> list:
    """x, z [mm] and pitch [rad] of the drawn bodies: simulations, frames, 3 * bodies."""
    frames = film.frames[:, :, bodies]
    pitch = np.arctan2(-frames[..., 6], frames[..., 0])
    x, z = 1e3 * film.positions[:, :, bodies, 0], 1e3 * film.positions[:, :, bodies, 2]
    poses = np.stack([np.round(x, 2), np.round(z, 2), np.round(pitch, 4)], axis=-1)
    return poses.transpose(1, 0, 2, 3).reshape(poses.shape[1], poses.shape[0], -1).tolist()
