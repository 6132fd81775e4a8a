"""A clip as pictures: MuJoCo's renderer where there is one, ray casts elsewhere."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import replace

import mujoco
import numpy as np

from plantar import _opengl
from plantar.show.clip import Clip, Marks, Shape
from plantar.show.picture import draw
from plantar.show.recorder import along
from plantar.show.view import View

SIZE = (960, 600)
"""Width and height [pixel]; both even, as players of films expect."""
SUN = "sun"
"""Body that carries the light."""
KINDS = {"box": "BOX", "ball": "ELLIPSOID", "cylinder": "CYLINDER", "capsule": "CAPSULE"}
"""Geoms that shapes become, by the first word of the last part of their name; all others become meshes."""


class Theatre:
    """A MuJoCo model posed like a clip: a body without joints for every copy of a shape.

    Args:
        clip: What to show.
        size: Width and height of its pictures [pixel].
    """

    def __init__(self, clip: Clip, size: tuple[int, int] = SIZE):
        self.clip, self.size = clip, size
        spec = mujoco.MjSpec()
        _set_scene(spec, clip, size)
        self._shapes = [(shape, list(_add_shape(spec, k, shape))) for k, shape in enumerate(clip.shapes)]
        self._marks = [(marks, list(_add_marks(spec, marks))) for marks in clip.marks]
        self.model = spec.compile()
        self.data = mujoco.MjData(self.model)
        self._renderer = _renderer(self.model, size)

    def close(self) -> None:
        """Give back what OpenGL holds."""
        if self._renderer is not None:
            self._renderer.close()

    def picture(self, frame: int) -> np.ndarray:
        """Colours (height, width, 3) of a frame, as bytes."""
        for shape, names in self._shapes:
            self._pose(shape, names, frame)
        for marks, names in self._marks:
            self._mark(marks, names, marks.at(frame))
        if self.clip.follow is not None:
            self.data.mocap_pos[int(self.model.body(SUN).mocapid[0])] = self.clip.follow[frame]
        mujoco.mj_forward(self.model, self.data)
        view, clip = self.clip.view, self.clip
        assert view.centre is not None
        moved = np.array(view.centre) + (0 if clip.follow is None else clip.follow[frame])
        if self._renderer is None:
            x, y, z = (float(v) for v in moved)
            aimed = View(azimuth=view.azimuth, elevation=view.elevation, distance=view.distance, centre=(x, y, z))
            return np.round(255 * draw(self.model, self.data, aimed, self.size)).astype(np.uint8)
        camera = mujoco.MjvCamera()
        camera.lookat, camera.distance, camera.azimuth, camera.elevation = (
            moved,
            view.distance,
            view.azimuth,
            view.elevation,
        )
        self._renderer.update_scene(self.data, camera)
        return self._renderer.render()

    def _pose(self, shape: Shape, names: list[str], frame: int) -> None:
        m, d = self.model, self.data
        places, turns, sizes, colours = (
            values[frame if len(values) > 1 else 0]
            for values in (shape.places, shape.turns, shape.sizes, shape.colours)
        )
        for k, name in enumerate(names):
            body = m.body(name)
            mocap, geom = int(body.mocapid[0]), int(body.geomadr[0])
            d.mocap_pos[mocap], d.mocap_quat[mocap] = places[k], turns[k]
            m.geom_rgba[geom] = colours[k] if sizes[k].max() > 0 else 0
            if m.geom_type[geom] != mujoco.mjtGeom.mjGEOM_MESH:
                m.geom_size[geom] = np.maximum(_size(shape, sizes[k]), 1e-6)

    def _mark(self, marks: Marks, names: list[str], ends: np.ndarray) -> None:
        m, d = self.model, self.data
        for k, name in enumerate(names):
            body = m.body(name)
            mocap, geom = int(body.mocapid[0]), int(body.geomadr[0])
            m.geom_rgba[geom] = (*marks.colour, 1.0 if k < len(ends) else 0.0)
            if k < len(ends):
                way = ends[k, 1] - ends[k, 0]
                d.mocap_pos[mocap], d.mocap_quat[mocap] = ends[k].mean(axis=0), along(way[None])[0]
                m.geom_size[geom] = (marks.width, max(float(np.linalg.norm(way)) / 2, 1e-6), 0)


class Stills:
    """The same for bodies that deform: a model of its own for each frame, as MuJoCo's meshes keep their shape.

    Args:
        clip: What to show.
        size: Width and height of its pictures [pixel].
    """

    def __init__(self, clip: Clip, size: tuple[int, int] = SIZE):
        self.clip, self.size = clip, size

    def close(self) -> None:
        """Nothing is held between two frames."""

    def picture(self, frame: int) -> np.ndarray:
        """Colours (height, width, 3) of a frame, as bytes."""
        shapes = [s if s.corners.ndim == 2 else replace(s, corners=s.corners[frame]) for s in self.clip.shapes]
        with contextlib.closing(Theatre(replace(self.clip, shapes=tuple(shapes)), self.size)) as theatre:
            return theatre.picture(frame)


def _set_scene(spec: mujoco.MjSpec, clip: Clip, size: tuple[int, int]) -> None:
    """Sky, light and floor."""
    spec.compiler.balanceinertia = True  # nothing moves by its mass, which flat shapes get wrong by rounding
    look, wide, high = spec.visual, *size
    look.global_.fovy, look.global_.offwidth, look.global_.offheight = 45, wide, high
    look.quality.shadowsize = 4096
    reach = clip.view.distance or 1.0
    spec.stat.extent, spec.stat.center = 1.5 * reach, list(clip.view.centre or (0.0, 0.0, 0.0))
    look.headlight.ambient, look.headlight.diffuse, look.headlight.specular = [0.45] * 3, [0.35] * 3, [0.05] * 3
    gradient = {"builtin": mujoco.mjtBuiltin.mjBUILTIN_GRADIENT, "width": 64, "height": 384}
    spec.add_texture(
        type=mujoco.mjtTexture.mjTEXTURE_SKYBOX, rgb1=[0.97, 0.98, 0.99], rgb2=[0.86, 0.88, 0.91], **gradient
    )
    way, centre = np.array([0.3, 0.5, -0.8]), np.array(clip.view.centre or (0.0, 0.0, 0.0))
    # shadows are drawn around the line of this light only, which therefore goes with what the view follows
    sun = {"type": mujoco.mjtLightType.mjLIGHT_DIRECTIONAL, "dir": way, "pos": centre - 2 * reach * way}
    body = spec.worldbody.add_body(name=SUN, mocap=True)
    body.add_light(diffuse=[0.35] * 3, specular=[0.05] * 3, castshadow=True, **sun)
    if clip.floor is None:
        return
    spec.add_texture(
        name="floor",
        type=mujoco.mjtTexture.mjTEXTURE_2D,
        builtin=mujoco.mjtBuiltin.mjBUILTIN_CHECKER,
        rgb1=[0.86, 0.88, 0.90],
        rgb2=[0.82, 0.845, 0.87],
        width=256,
        height=256,
    )
    floor = spec.add_material(name="floor", texuniform=True, texrepeat=[2 / reach, 2 / reach])
    floor.textures[mujoco.mjtTextureRole.mjTEXROLE_RGB] = "floor"
    plane, at = mujoco.mjtGeom.mjGEOM_PLANE, [0, 0, clip.floor]
    spec.worldbody.add_geom(type=plane, size=[0, 0, 1], pos=at, material="floor")


def _renderer(model: mujoco.MjModel, size: tuple[int, int]) -> mujoco.Renderer | None:
    """A renderer, or None where there is no OpenGL and pictures are ray cast."""
    backend = _opengl.backend()
    if backend is None:
        return None
    _opengl.activate(backend)
    return mujoco.Renderer(model, size[1], size[0], max_geom=model.ngeom + 1000)


def _kind(shape: Shape) -> str | None:
    word = shape.name.rpartition("/")[2].split()[0]
    word = {"pressure": "cylinder", "tendons": "cylinder"}.get(word, word)
    return word if word in KINDS else None


def _size(shape: Shape, size: np.ndarray) -> np.ndarray:
    """MuJoCo's size of a geom from that of a copy."""
    kind = _kind(shape)
    if kind == "box":
        return size / 2
    if kind == "cylinder":
        return np.array([size[0], size[2] / 2, 0.0])
    if kind == "capsule":
        slender = float(shape.corners[:, 2].max()) - 1.0
        return np.array([size[0], size[0] * slender, 0.0])
    return np.asarray(size, float)


def _add_shape(spec: mujoco.MjSpec, k: int, shape: Shape) -> Iterator[str]:
    """Add a body for every copy; their names."""
    kind = _kind(shape)
    look = {"contype": 0, "conaffinity": 0}
    if kind is None:
        spec.add_mesh(
            name=f"mesh{k}",
            uservert=np.asarray(shape.corners, float).ravel(),
            userface=np.asarray(shape.faces).ravel(),
            inertia=mujoco.mjtMeshInertia.mjMESH_INERTIA_SHELL,
        )
    for copy in range(shape.places.shape[1]):
        name = f"shape{k}.{copy}"
        body = spec.worldbody.add_body(name=name, mocap=True)
        if kind is None:
            # MuJoCo moves a mesh into the middle of its mass, and the geom with it
            body.add_geom(type=mujoco.mjtGeom.mjGEOM_MESH, meshname=f"mesh{k}", **look)
        else:
            geom = getattr(mujoco.mjtGeom, f"mjGEOM_{KINDS[kind]}")
            body.add_geom(type=geom, size=[0.01, 0.01, 0.01], **look)
        yield name


def _add_marks(spec: mujoco.MjSpec, marks: Marks) -> Iterator[str]:
    for k in range(int(marks.counts.max(initial=0))):
        name = f"{marks.name}.{k}"
        body = spec.worldbody.add_body(name=name, mocap=True)
        body.add_geom(type=mujoco.mjtGeom.mjGEOM_CAPSULE, size=[marks.width, marks.width, 0], contype=0, conaffinity=0)
        yield name
