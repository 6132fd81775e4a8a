"""Viewpoint of a model, and the resulting camera."""

from __future__ import annotations

import math
from dataclasses import dataclass

import mujoco
import numpy as np

from plantar._checks import require, require_choice
from plantar._config import Checked

VISIBLE_GROUPS = np.array([1, 1, 1, 0, 0, 0], dtype=np.uint8)
"""Geom groups that pictures show: 0 to 2, as MuJoCo's viewer does."""


@dataclass(frozen=True, kw_only=True)
class View(Checked):
    """A direction to look from; distance and centre fit the model unless given."""

    azimuth: float = 125.0
    """Heading of the line of sight about z, 0 looks along +x and 90 along +y [deg]."""
    elevation: float = -18.0
    """Angle of the line of sight above the horizon; negative looks down [deg]."""
    distance: float | None = None
    """From the camera to `centre` [m]; None fits everything that is visible."""
    centre: tuple[float, float, float] | None = None
    """Point in the middle of the picture [m]; None takes the middle of what is visible."""
    margin: float = 0.06
    """Fraction of the picture left free on each side when the distance is fitted."""

    def __post_init__(self) -> None:
        """Check the angles and lengths."""
        require(-90 <= self.elevation <= 90, "elevation", self.elevation, "degrees from -90 to 90")
        require(self.distance is None or self.distance > 0, "distance", self.distance, "a length above 0")
        require(0 <= self.margin < 0.5, "margin", self.margin, "a fraction from 0 up to 0.5")


VIEWS = {
    "corner": View(),
    "side": View(azimuth=90, elevation=0),
    "front": View(azimuth=180, elevation=-8),
    "top": View(azimuth=90, elevation=-90),
    "below": View(azimuth=125, elevation=25),
}
"""Views by name; `side` sees the left side, x to the right."""


@dataclass(frozen=True, kw_only=True)
class Camera:
    """A pinhole camera in the world."""

    position: np.ndarray
    """Place of the pinhole [m]."""
    axes: np.ndarray
    """Rows: right, up, forward."""
    slope: float
    """Tangent of half the vertical field of view."""

    def project(self, points: np.ndarray, size: tuple[int, int]) -> tuple[np.ndarray, np.ndarray]:
        """Pixels (column, row) and depths [m] of points (n, 3) in a picture of `size` (width, height)."""
        right, up, depth = self.axes @ (points - self.position).T
        scale = size[1] / 2 / self.slope / depth
        return np.stack([size[0] / 2 + right * scale, size[1] / 2 - up * scale], axis=1), depth

    def rays(self, size: tuple[int, int]) -> np.ndarray:
        """Unit vectors (height * width, 3) through the pixels, row by row from the top left."""
        width, height = size
        x = (np.arange(width) + 0.5 - width / 2) * 2 * self.slope / height
        y = (height / 2 - np.arange(height) - 0.5) * 2 * self.slope / height
        right, up, forward = self.axes
        rays = (forward + x[None, :, None] * right + y[:, None, None] * up).reshape(-1, 3)
        return rays / np.linalg.norm(rays, axis=1, keepdims=True)


def find_view(camera: str | View) -> View:
    """The view itself, or the one of that name.

    Raises:
        InvalidInput: If there is no view of that name; the message lists those that exist.
    """
    if isinstance(camera, View):
        return camera
    require_choice("camera", camera, tuple(VIEWS))
    return VIEWS[camera]


def fit(view: View, model: mujoco.MjModel, data: mujoco.MjData, size: tuple[int, int]) -> tuple[np.ndarray, float]:
    """Centre and distance [m] with which everything visible is inside a picture of `size`."""
    axes, slope = _axes(view), math.tan(math.radians(model.vis.global_.fovy) / 2)
    points = _visible_points(model, data)
    if view.centre is None:
        along = points @ axes.T  # (n, 3) in the camera's axes
        centre = (along.min(axis=0) + along.max(axis=0)) / 2 @ axes
    else:
        centre = np.array(view.centre)
    right, up, forward = axes @ (points - centre).T
    room = slope * (1 - 2 * view.margin)
    need = np.maximum(abs(right) / room * size[1] / size[0], abs(up) / room) - forward
    return centre, float(view.distance or max(need.max(), 1e-3))


def camera_of(view: View, model: mujoco.MjModel, data: mujoco.MjData, size: tuple[int, int]) -> Camera:
    """The pinhole camera that MuJoCo's free camera of this view is."""
    centre, distance = fit(view, model, data, size)
    axes = _axes(view)
    slope = math.tan(math.radians(model.vis.global_.fovy) / 2)
    return Camera(position=centre - distance * axes[2], axes=axes, slope=slope)


def _axes(view: View) -> np.ndarray:
    """Right, up and forward of the line of sight, as rows."""
    a, e = math.radians(view.azimuth), math.radians(view.elevation)
    forward = np.array([math.cos(e) * math.cos(a), math.cos(e) * math.sin(a), math.sin(e)])
    right = np.array([math.sin(a), -math.cos(a), 0.0])
    return np.stack([right, np.cross(right, forward), forward])


def _visible_points(model: mujoco.MjModel, data: mujoco.MjData) -> np.ndarray:
    """Corners (n, 3) of the boxes around all visible geoms of finite size [m]."""
    endless = (mujoco.mjtGeom.mjGEOM_PLANE, mujoco.mjtGeom.mjGEOM_HFIELD)
    shown = VISIBLE_GROUPS[model.geom_group].astype(bool) & ~np.isin(model.geom_type, endless)
    if not shown.any():
        return model.stat.center + model.stat.extent / 2 * np.array([[1.0, 1, 1], [-1, -1, -1]])
    corners = np.stack(np.meshgrid([-1, 1], [-1, 1], [-1, 1]), axis=-1).reshape(8, 3)
    local = model.geom_aabb[shown, None, :3] + corners * model.geom_aabb[shown, None, 3:]  # (n, 8, 3)
    turned = np.einsum("nij,nkj->nki", data.geom_xmat[shown].reshape(-1, 3, 3), local)
    return (data.geom_xpos[shown, None] + turned).reshape(-1, 3)
