"""Pictures of a scene: its surfaces, beams, cables, rigid bodies and obstacles, drawn by MuJoCo."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import mujoco
import numpy as np

from plantar.show.picture import render
from plantar.show.view import View
from plantar.soft.fem.beam import BeamBody
from plantar.soft.mesh.mesh import Floats
from plantar.soft.scene.body import SoftBody
from plantar.soft.scene.cable import LiveCable
from plantar.soft.scene.obstacle import Ball, Box, Capsule, Cylinder, Obstacle, Plane, Surface
from plantar.soft.scene.rigid import RigidBody
from plantar.soft.scene.scene import Scene
from plantar.soft.solve.state import State

COLOURS = ((0.25, 0.55, 0.80, 1), (0.85, 0.45, 0.30, 1), (0.35, 0.65, 0.45, 1), (0.60, 0.45, 0.70, 1))
CABLE, STEEL, OBSTACLE = [0.98, 0.74, 0.12, 1], [0.70, 0.72, 0.76, 1], [0.55, 0.58, 0.62, 1]
FLOOR = [0.86, 0.88, 0.90, 1]


def draw_scene(
    scene: Scene,
    path: str | Path,
    *,
    state: State | None = None,
    view: str | View = "corner",
    size: tuple[int, int] = (960, 720),
) -> Path | None:
    """Draw a scene as it stands, or as it stood in `state`, to a PNG file."""
    model = scene_model(scene, state).compile()
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    return render(model, data, path, camera=view, size=size)


def scene_model(scene: Scene, state: State | None = None) -> mujoco.MjSpec:
    """The scene as a static model for viewing in MuJoCo."""
    state = scene.state if state is None else state
    spec = mujoco.MjSpec()
    extent = np.ptp(state.x[~scene.system.rotational], axis=0)
    width = 0.004 * float(np.linalg.norm(extent))
    soft = [b for b in scene.bodies.values() if isinstance(b, SoftBody)]
    for number, body in enumerate(soft):
        at = scene.system.offset[body.name]
        nodes = state.x[at : at + len(body.mesh.nodes)]
        _add_mesh(spec, body.name, nodes, body.mesh.boundary, COLOURS[number % len(COLOURS) if len(soft) < 4 else 0])
    for a, b in beams_of(scene, state):
        _add_rod(spec, a, b, width, list(COLOURS[0]))
    for a, b in cables_of(scene, state):
        _add_rod(spec, a, b, 0.6 * width, CABLE)
    add_solids(spec, scene, state)
    return spec


def add_solids(spec: mujoco.MjSpec, scene: Scene, state: State, level_planes: bool = True) -> None:
    """Add what does not deform: rigid bodies, which mocap can move by their names, and obstacles.

    Args:
        spec: What they are added to.
        scene: The scene.
        state: Its state.
        level_planes: Whether planes that face up are among them.
    """
    extent = float(np.linalg.norm(np.ptp(state.x[~scene.system.rotational], axis=0)))
    for body in scene.bodies.values():
        if isinstance(body, RigidBody):
            _add_rigid(spec, scene, state, body)
    for contact in scene.contacts.values():
        against = contact.contact.against
        if isinstance(against, Obstacle) and contact.contact.carrier is None:
            if level_planes or not is_level(against):
                _add_obstacle(spec, against, extent, state)


def is_level(obstacle: Any) -> bool:
    """Whether an obstacle is a plane that faces up."""
    return isinstance(obstacle, Plane) and not any(obstacle.normal[:2]) and obstacle.normal[2] > 0


def beams_of(scene: Scene, state: State) -> Floats:
    """Both ends of every beam (n, 2, 3) [m]."""
    found = [np.zeros((0, 2, 3))]
    for body in scene.bodies.values():
        if isinstance(body, BeamBody):
            at = scene.system.offset[body.name]
            found.append(state.x[at : at + 2 * len(body.nodes) : 2][np.asarray(body.edges)])
    return np.concatenate(found)


def cables_of(scene: Scene, state: State) -> Floats:
    """Both ends of every straight piece of a cable (n, 2, 3) [m]."""
    found = [np.zeros((0, 2, 3))]
    for actuator in scene.actuators.values():
        if isinstance(actuator, LiveCable):
            points = actuator.map.positions(state.x, state.quat)
            points = np.vstack([actuator.anchor, points]) if actuator.anchored else points
            found.append(np.stack([points[:-1], points[1:]], axis=1))
    return np.concatenate(found)


def _add_mesh(spec: mujoco.MjSpec, name: str, nodes: Floats, triangles: np.ndarray, colour: Any) -> None:
    used, faces = np.unique(triangles, return_inverse=True)
    # only for display: as a shell any surface has a mass and a centre
    spec.add_mesh(
        name=name,
        uservert=nodes[used].ravel().tolist(),
        userface=faces.reshape(-1).tolist(),
        inertia=mujoco.mjtMeshInertia.mjMESH_INERTIA_SHELL,
    )
    kind = mujoco.mjtGeom.mjGEOM_MESH
    spec.worldbody.add_geom(type=kind, meshname=name, rgba=list(colour), contype=0, conaffinity=0)


def _add_rod(spec: mujoco.MjSpec, a: Floats, b: Floats, radius: float, rgba: list[float]) -> None:
    if np.linalg.norm(b - a) > 1e-9:
        kind, line = mujoco.mjtGeom.mjGEOM_CAPSULE, [*a.tolist(), *b.tolist()]
        spec.worldbody.add_geom(type=kind, fromto=line, size=[radius, 0, 0], rgba=rgba, contype=0, conaffinity=0)


def _add_rigid(spec: mujoco.MjSpec, scene: Scene, state: State, body: RigidBody) -> None:
    """A box with the body's mass and inertia, or the obstacle that it carries."""
    place, quat = pose_of(scene, state, body.name)
    carried = [c.contact.against for c in scene.contacts.values() if c.contact.carrier == body.name]
    moments = np.linalg.eigvalsh(body.inertia_matrix())
    second = np.maximum(moments.sum() / 2 - np.diag(body.inertia_matrix()), 1e-12)
    half = np.sqrt(3 * second / body.mass)
    shape = carried[0] if carried else None
    if isinstance(shape, Ball):
        kind, size = mujoco.mjtGeom.mjGEOM_SPHERE, [shape.radius, 0, 0]
    else:
        kind, size = mujoco.mjtGeom.mjGEOM_BOX, half.tolist()
    held = spec.worldbody.add_body(name=body.name, mocap=True, pos=place.tolist(), quat=quat.tolist())
    held.add_geom(type=kind, size=size, rgba=STEEL, contype=0, conaffinity=0)


def pose_of(scene: Scene, state: State, body: str) -> tuple[Floats, Floats]:
    """Place [m] and quaternion of a rigid body."""
    frame = scene.system.frame_name[body]
    return state.x[scene.system.frame_block[frame]], state.quat[frame]


def _add_obstacle(spec: mujoco.MjSpec, obstacle: Obstacle, extent: float, state: State) -> None:
    place = spec.worldbody
    off = {"contype": 0, "conaffinity": 0}
    if isinstance(obstacle, Plane):
        normal = np.asarray(obstacle.normal, dtype=float) / np.linalg.norm(obstacle.normal)
        middle = state.x.mean(axis=0)
        middle = middle - ((middle - np.asarray(obstacle.point)) @ normal + 1e-3 * extent) * normal
        quat = np.zeros(4)
        mujoco.mju_quatZ2Vec(quat, normal)
        kind, half = mujoco.mjtGeom.mjGEOM_BOX, [0.8 * extent, 0.8 * extent, 1e-3 * extent]
        place.add_geom(type=kind, pos=middle.tolist(), quat=quat.tolist(), size=half, rgba=FLOOR, **off)
    elif isinstance(obstacle, Ball):
        kind = mujoco.mjtGeom.mjGEOM_SPHERE
        place.add_geom(type=kind, pos=list(obstacle.centre), size=[obstacle.radius, 0, 0], rgba=OBSTACLE, **off)
    elif isinstance(obstacle, Capsule | Cylinder):
        kind = mujoco.mjtGeom.mjGEOM_CAPSULE if isinstance(obstacle, Capsule) else mujoco.mjtGeom.mjGEOM_CYLINDER
        line = [*obstacle.start, *obstacle.end]
        place.add_geom(type=kind, fromto=line, size=[obstacle.radius, 0, 0], rgba=OBSTACLE, **off)
    elif isinstance(obstacle, Box):
        kind, half = mujoco.mjtGeom.mjGEOM_BOX, (np.asarray(obstacle.size) / 2).tolist()
        turn = list(obstacle.orientation)
        place.add_geom(type=kind, pos=list(obstacle.centre), quat=turn, size=half, rgba=OBSTACLE, **off)
    elif isinstance(obstacle, Surface):
        _add_mesh(spec, "surface", np.asarray(obstacle.nodes), np.asarray(obstacle.triangles), OBSTACLE)
