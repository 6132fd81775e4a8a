"""Pictures of a model as PNG files, with or without OpenGL."""

from __future__ import annotations

import functools
import logging
import math
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import matplotlib.image
import mujoco
import numpy as np

from plantar import _opengl
from plantar._arguments import checks_arguments
from plantar._checks import require
from plantar._files import replacing
from plantar._signals import asked_to_stop
from plantar.show._raycast import AMBIENT, DIFFUSE, HEADLIGHT, SUN, raycast
from plantar.show.view import View, camera_of, find_view, fit

log = logging.getLogger("plantar")

TOP, BOTTOM = np.array([0.97, 0.98, 0.99]), np.array([0.86, 0.88, 0.91])
"""Background from top to bottom, behind models without a sky."""
OVERSAMPLING = 2
"""Pixels are drawn this many times finer in each direction, then averaged."""
LIGHTS, SHARED = 8, 5
"""Lights that OpenGL draws at once, and how many share a shadow: each takes a fifth of a second without a GPU."""
SOFT = 0.05
"""How far the lights that make a soft shadow are apart, as a fraction of their distance: 3 degrees."""


@checks_arguments
def render(
    model: mujoco.MjModel,
    data: mujoco.MjData,
    path: str | Path,
    camera: str | View = "corner",
    size: tuple[int, int] = (960, 720),
) -> Path | None:
    """Draw the model as it stands in `data` to a PNG file.

    Without OpenGL the picture is ray cast on the CPU: the same view, plainer light. One line in the
    log says so, once.

    Args:
        model: The model to draw.
        data: Its state; `mj_forward` must have been called.
        path: The PNG file; its folder must exist.
        camera: A `View`, or the name of one: corner, side, front, top, below.
        size: Width and height [pixel].

    Returns:
        The path, or None if the model has nothing to draw.
    """
    require(min(size) >= 1 and max(size) <= 4096, "size", size, "width and height from 1 to 4096 pixels")
    if not model.ngeom:
        return None
    view = find_view(camera)
    image = draw(model, data, view, size)
    with replacing(path) as scratch:
        matplotlib.image.imsave(scratch, image, format="png")
    return Path(path)


def draw(model: mujoco.MjModel, data: mujoco.MjData, view: View, size: tuple[int, int]) -> np.ndarray:
    """Colours (height, width, 3) from 0 to 1 of the model as seen from `view`."""
    fine = (size[0] * OVERSAMPLING, size[1] * OVERSAMPLING)
    image = _opengl_image(model, data, view, fine)
    if image is None:
        image = raycast(model, data, camera_of(view, model, data, fine), fine, block=OVERSAMPLING)
    colours, there = image
    share = np.linspace(0, 1, fine[1])[:, None, None]
    whole = np.where(there[..., None], colours, TOP * (1 - share) + BOTTOM * share)
    return whole.reshape(size[1], OVERSAMPLING, size[0], OVERSAMPLING, 3).mean(axis=(1, 3))


def _opengl_image(
    model: mujoco.MjModel, data: mujoco.MjData, view: View, size: tuple[int, int]
) -> tuple[np.ndarray, np.ndarray] | None:
    """Colours and where there is anything, or None with a line in the log where OpenGL fails."""
    backend = _opengl.backend()
    try:
        if backend is not None:
            _opengl.activate(backend)
            return _photograph(model, data, view, size)
        reason = "is not available"
    except Exception as error:  # each driver fails in its own way
        if (stop := asked_to_stop()) is not None:  # OpenGL's Python makes an error of its own of it
            raise stop from error
        reason = f"failed ({' '.join(str(error).split())})"
    _say_once(f"OpenGL {reason}: pictures are ray cast on the CPU; see `plantar doctor`")
    return None


def _photograph(
    model: mujoco.MjModel, data: mujoco.MjData, view: View, size: tuple[int, int]
) -> tuple[np.ndarray, np.ndarray]:
    """Colours and where there is anything; a sky is everywhere."""
    camera = mujoco.MjvCamera()
    camera.lookat, camera.distance = fit(view, model, data, size)
    camera.azimuth, camera.elevation = view.azimuth, view.elevation
    width, height = size
    with _studio(model, size), mujoco.Renderer(model, height, width) as renderer:
        renderer.update_scene(data, camera)
        if not model.nlight:
            _add_sun(renderer.scene, camera.lookat)
        _soften(renderer.scene, camera.lookat)
        colours = renderer.render() / 255.0
        if np.any(model.tex_type == mujoco.mjtTexture.mjTEXTURE_SKYBOX):
            return colours, np.ones((height, width), bool)
        renderer.enable_segmentation_rendering()
        return colours, renderer.render()[..., 0] >= 0


def _add_sun(scene: mujoco.MjvScene, target: np.ndarray) -> None:
    """Add the light that ray cast pictures have."""
    light = scene.lights[scene.nlight]
    light.type = mujoco.mjtLightType.mjLIGHT_DIRECTIONAL
    light.pos, light.dir = target + SUN, -SUN
    light.ambient, light.diffuse, light.specular = [0.0] * 3, [DIFFUSE] * 3, [0.2] * 3
    light.castshadow, light.headlight = 1, 0
    scene.nlight += 1


def _soften(scene: mujoco.MjvScene, target: np.ndarray) -> None:
    """Split each light that casts a shadow into a few weaker ones around it, so that shadows fade at their edges."""
    casting = [k for k in range(scene.nlight) if scene.lights[k].castshadow]
    count = min(SHARED, 1 + (LIGHTS - scene.nlight) // max(1, len(casting)))
    for k in casting if count > 1 else ():
        light = scene.lights[k]
        sun = light.type == mujoco.mjtLightType.mjLIGHT_DIRECTIONAL
        away = -np.array(light.dir, float) if sun else np.array(light.pos, float) - target
        sides = np.linalg.svd(away[None])[2][1:] * np.linalg.norm(away)  # across the light's way
        light.diffuse, light.specular = np.array(light.diffuse) / count, np.array(light.specular) / count
        for i in range(count):
            turn = 2 * math.pi * i / count
            moved = away + SOFT * (math.cos(turn) * sides[0] + math.sin(turn) * sides[1])
            one = light if i == count - 1 else scene.lights[scene.nlight]
            if one is not light:
                _copy_light(light, one)
                scene.nlight += 1
            one.pos, one.dir = target + moved, -moved / np.linalg.norm(moved)


def _copy_light(light: mujoco.MjvLight, to: mujoco.MjvLight) -> None:
    for name in ("type", "attenuation", "cutoff", "exponent", "diffuse", "specular", "range", "intensity"):
        setattr(to, name, getattr(light, name))
    to.ambient, to.castshadow, to.headlight, to.texid, to.bulbradius = [0.0] * 3, 1, 0, -1, light.bulbradius


@contextmanager
def _studio(model: mujoco.MjModel, size: tuple[int, int]) -> Iterator[None]:
    """Lend the model an off-screen buffer of `size`, and light if it has none."""
    glob, quality, lamp = model.vis.global_, model.vis.quality, model.vis.headlight
    before = glob.offwidth, glob.offheight, quality.offsamples, lamp.ambient.copy(), lamp.diffuse.copy()
    # smoothed edges would carry the black behind the model into the picture
    glob.offwidth, glob.offheight, quality.offsamples = *size, 0
    if not model.nlight:
        lamp.ambient, lamp.diffuse = [AMBIENT] * 3, [HEADLIGHT] * 3
    try:
        yield
    finally:
        glob.offwidth, glob.offheight, quality.offsamples, lamp.ambient, lamp.diffuse = before


@functools.cache
def _say_once(message: str) -> None:
    log.warning(message)
