"""Soft bodies as clips."""

from __future__ import annotations

from pathlib import Path

import mujoco
import numpy as np

from plantar.errors import InvalidInput
from plantar.progress import Progress
from plantar.show.clip import Clip, Shape, gather
from plantar.show.plots import COLOURS
from plantar.show.recorder import ClipRecorder
from plantar.show.view import View
from plantar.soft.scene.body import SoftBody
from plantar.soft.scene.file import load_scene
from plantar.soft.scene.picture import add_solids, beams_of, cables_of, is_level, pose_of
from plantar.soft.scene.rigid import RigidBody
from plantar.soft.scene.scene import Scene

FRAME = 0.02
"""Time between two frames, unless the scene's steps are longer [s]."""


class SceneFilm:
    """Takes frames of a scene: surfaces of soft bodies, beams, cables, rigid bodies and obstacles.

    Args:
        scene: The scene.

    Raises:
        InvalidInput: If nothing in it has a surface.
    """

    def __init__(self, scene: Scene):
        self.scene = scene
        self._faces: dict[str, np.ndarray] = {}
        self._nodes: dict[str, np.ndarray] = {}
        for name, body in scene.bodies.items():
            if isinstance(body, SoftBody):
                self._nodes[name], index = np.unique(body.mesh.boundary, return_inverse=True)
                self._faces[name] = index.reshape(-1, 3)
        if not self._faces:
            raise InvalidInput("the scene has no body of tetrahedra: nothing to view")
        self._times: list[float] = []
        self._corners: dict[str, list[np.ndarray]] = {name: [] for name in self._faces}
        self._lines: dict[str, list[np.ndarray]] = {"beams": [], "cables": []}
        spec = mujoco.MjSpec()
        add_solids(spec, scene, scene.state, level_planes=False)
        model = spec.compile()
        self._solids, self._data = ClipRecorder(model, overlays=False), mujoco.MjData(model)
        self._rigid = [body.name for body in scene.bodies.values() if isinstance(body, RigidBody)]

    @classmethod
    def of(cls, scene: Scene, needed: bool = False) -> SceneFilm | None:
        """A film of a scene, or None where nothing in it has a surface and none is needed."""
        there = any(isinstance(body, SoftBody) for body in scene.bodies.values())
        return cls(scene) if there or needed else None

    def take(self) -> None:
        """Add the present state."""
        self._times.append(float(self.scene.time))
        for name, nodes in self._nodes.items():
            self._corners[name].append(np.asarray(self.scene.positions(name))[nodes])
        state, data = self.scene.state, self._data
        self._lines["beams"].append(beams_of(self.scene, state))
        self._lines["cables"].append(cables_of(self.scene, state))
        for name in self._rigid:
            number = int(self._solids.model.body(name).mocapid[0])
            data.mocap_pos[number], data.mocap_quat[number] = pose_of(self.scene, state, name)
        mujoco.mj_kinematics(self._solids.model, data)
        self._solids.take(self._times[-1], data)

    def take_at(self, step: int, steps: int) -> None:
        """Add the state after a step, if enough time has passed or it is the last."""
        if step % max(1, round(FRAME / self.scene.dt)) == 0 or step == steps:
            self.take()

    def clip(self, title: str) -> Clip:
        """The film of all frames so far."""
        drawn = []
        for k, (name, faces) in enumerate(self._faces.items()):
            text = COLOURS[k % len(COLOURS)].lstrip("#")
            rgb = [int(text[i : i + 2], 16) / 255 for i in (0, 2, 4)]
            drawn.append(
                Shape(
                    name=f"bodies/{name}",
                    corners=np.stack(self._corners[name]),
                    faces=faces,
                    places=np.zeros((1, 1, 3)),
                    turns=np.array([[[1.0, 0.0, 0.0, 0.0]]]),
                    sizes=np.ones((1, 1, 3)),
                    colours=np.array([[[*rgb, 1.0]]]),
                    open=True,
                )
            )
        points = np.concatenate([shape.corners.reshape(-1, 3) for shape in drawn])
        low, high = points.min(axis=0), points.max(axis=0)
        x, y, z = (float(v) for v in (low + high) / 2)
        reach = float(np.linalg.norm(high - low))
        view = View(azimuth=125, elevation=-20, distance=1.6 * reach, centre=(x, y, z))
        planes = [contact.contact.against for contact in self.scene.contacts.values()]
        level = [float(plane.point[2]) for plane in planes if is_level(plane)]  # type: ignore[union-attr]
        floor = level[0] if level else float(low[2]) - 0.05 * reach
        marks = (
            gather("beams", "line", self._lines["beams"], (0.25, 0.55, 0.80), 0.004 * reach),
            gather("cables", "line", self._lines["cables"], (0.85, 0.60, 0.05), 0.0025 * reach),
        )
        return Clip(
            title=title,
            times=np.array(self._times) - self._times[0],
            shapes=(*drawn, *self._solids.clip(title, view=view).shapes),
            marks=tuple(mark for mark in marks if mark.counts.any()),
            view=view,
            floor=floor,
        )


def scene_clip(path: str | Path, duration: float | None = None) -> Clip:
    """Run a scene file and film it.

    Args:
        path: The .yaml file.
        duration: Simulated time [s]; as in the file if left out.

    Raises:
        InvalidInput: If the file cannot be read, or nothing in it can be seen.
    """
    file = load_scene(path)
    film, steps = SceneFilm(file.scene), max(1, round((duration or file.duration) / file.scene.dt))
    film.take()
    with Progress(steps, "soft scene") as bar:
        for i in range(steps):
            file.step()
            film.take_at(i + 1, steps)
            bar.advance()
    return film.clip(Path(path).stem.replace("_", " "))
