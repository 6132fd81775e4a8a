"""What terrains are made of: shapes that are geoms in a scene and heights on a map."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import mujoco
import numpy as np

from plantar.ground.contact.floor import Masks, add_ground
from plantar.ground.contact.ground import Ground
from plantar.ground.terrain.elevation_map import ElevationMap

Geom = mujoco.mjtGeom
THICK = 0.2
"""Thickness of blocks and of a height field's base below what is seen [m]."""
HAIR = 1e-9
"""Blocks reach this much further on maps, so that two which meet leave no crack between them [m]."""


Bounds = tuple[float, float, float, float]


class Piece(Protocol):
    """A shape of one ground."""

    @property
    def name(self) -> str:
        """Its name in the terrain."""
        ...

    @property
    def ground(self) -> Ground:
        """What it is made of."""
        ...

    def add(self, spec: mujoco.MjSpec, name: str, masks: Masks | None = None) -> mujoco.MjsGeom:
        """Add it to the world of `spec` as geom `name`; `masks` are found for the robot there if not given."""
        ...

    def top(self, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Height of its upper side above points, -inf where it is not."""
        ...

    def bounds(self) -> Bounds:
        """A rectangle outside which it is not: x from, x to, y from, y to [m]."""
        ...

    def moved(self, x: float, y: float) -> Piece:
        """The same piece elsewhere."""
        ...


@dataclass(frozen=True, kw_only=True)
class Floor:
    """An unbounded plane through `point`, climbing along x by `pitch`."""

    name: str = "floor"
    ground: Ground
    point: tuple[float, float, float] = (0.0, 0.0, 0.0)
    pitch: float = 0.0
    roll: float = 0.0

    def add(self, spec: mujoco.MjSpec, name: str, masks: Masks | None = None) -> mujoco.MjsGeom:
        """Add the plane."""
        quat = _quat(self._normal(), self.pitch)
        return add_ground(spec, name, Geom.mjGEOM_PLANE, masks=masks, size=[0, 0, 0.5], pos=self.point, quat=quat)

    def top(self, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Height of the plane."""
        n = self._normal()
        return self.point[2] - (n[0] * (x - self.point[0]) + n[1] * (y - self.point[1])) / n[2]

    def bounds(self) -> Bounds:
        """Everywhere."""
        return -math.inf, math.inf, -math.inf, math.inf

    def moved(self, x: float, y: float) -> Floor:
        """The plane elsewhere; a level one stays as it is."""
        if self.pitch == 0 == self.roll:
            return self
        return replace(self, point=(self.point[0] + x, self.point[1] + y, self.point[2]))

    def _normal(self) -> np.ndarray:
        normal = np.array([-math.tan(self.pitch), -math.tan(self.roll), 1.0])
        return normal / np.linalg.norm(normal)


@dataclass(frozen=True, kw_only=True)
class Block:
    """A box; `centre` is the middle of its upper side, about which it is turned."""

    name: str
    ground: Ground
    centre: tuple[float, float, float]
    size: tuple[float, float]
    """Along its own x and y [m]."""
    yaw: float = 0.0
    pitch: float = 0.0
    """Climb along its own x [rad]."""
    thickness: float = THICK

    def add(self, spec: mujoco.MjSpec, name: str, masks: Masks | None = None) -> mujoco.MjsGeom:
        """Add the box."""
        half, middle, quat = self.box()
        return add_ground(spec, name, Geom.mjGEOM_BOX, masks=masks, size=half, pos=middle, quat=quat)

    def box(self) -> tuple[list[float], np.ndarray, np.ndarray]:
        """Half sizes, middle and attitude."""
        matrix = self._axes()
        middle = np.array(self.centre) - self.thickness / 2 * matrix[:, 2]
        return [self.size[0] / 2, self.size[1] / 2, self.thickness / 2], middle, _quat_of(matrix)

    def top(self, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Height at which a vertical line from above enters the box."""
        matrix = self._axes()
        half = np.array([self.size[0] / 2, self.size[1] / 2, self.thickness / 2])
        middle = np.array(self.centre) - half[2] * matrix[:, 2]
        start = np.stack([x - middle[0], y - middle[1], np.zeros_like(x)], axis=-1) @ matrix  # in the box
        down = matrix[2]  # the world's z in the box
        enter, leave = np.full(x.shape, np.inf), np.full(x.shape, -np.inf)
        for axis in range(3):
            if abs(down[axis]) < 1e-12:
                beside = abs(start[..., axis]) > half[axis] + HAIR
                enter = np.where(beside, -np.inf, enter)
                continue
            ends = np.stack([(s * half[axis] - start[..., axis]) / down[axis] for s in (-1, 1)])
            enter, leave = np.minimum(enter, ends.max(axis=0)), np.maximum(leave, ends.min(axis=0))
        return np.where(enter >= leave, middle[2] + enter, -np.inf)

    def bounds(self) -> Bounds:
        """Around the box as it is turned; a tilted one reaches out by its thickness at most."""
        c, s, tilt = abs(math.cos(self.yaw)), abs(math.sin(self.yaw)), self.thickness * abs(math.sin(self.pitch))
        along, across = (self.size[0] * c + self.size[1] * s) / 2, (self.size[0] * s + self.size[1] * c) / 2
        x, y, hair = self.centre[0], self.centre[1], tilt + HAIR
        return x - along - hair, x + along + hair, y - across - hair, y + across + hair

    def moved(self, x: float, y: float) -> Block:
        """The box elsewhere."""
        return replace(self, centre=(self.centre[0] + x, self.centre[1] + y, self.centre[2]))

    def _axes(self) -> np.ndarray:
        c, s = math.cos(self.yaw), math.sin(self.yaw)
        turn = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1.0]])
        c, s = math.cos(self.pitch), math.sin(self.pitch)
        return turn @ np.array([[c, 0, -s], [0, 1, 0], [s, 0, c]])


@dataclass(frozen=True, kw_only=True)
class Log:
    """A cylinder that lies along its own y, or stands if `upright`; `centre` is the middle of its axis."""

    name: str
    ground: Ground
    centre: tuple[float, float, float]
    radius: float
    length: float
    yaw: float = 0.0
    upright: bool = False

    def add(self, spec: mujoco.MjSpec, name: str, masks: Masks | None = None) -> mujoco.MjsGeom:
        """Add the cylinder."""
        c, s = math.cos(self.yaw), math.sin(self.yaw)
        axis = np.array([-s, c, 0.0])
        across = np.array([c, s, 0.0])
        matrix = np.stack([across, np.cross(axis, across), axis], axis=1)
        quat = [1.0, 0, 0, 0] if self.upright else _quat_of(matrix)
        size = [self.radius, self.length / 2, 0]
        return add_ground(spec, name, Geom.mjGEOM_CYLINDER, masks=masks, size=size, pos=list(self.centre), quat=quat)

    def top(self, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Height of its upper side."""
        x, y = x - self.centre[0], y - self.centre[1]
        if self.upright:
            return np.where(np.hypot(x, y) <= self.radius, self.centre[2] + self.length / 2, -np.inf)
        c, s = math.cos(self.yaw), math.sin(self.yaw)
        across, along = c * x + s * y, -s * x + c * y
        on = (abs(across) <= self.radius) & (abs(along) <= self.length / 2)
        return np.where(on, self.centre[2] + np.sqrt(np.maximum(self.radius**2 - across**2, 0)), -np.inf)

    def bounds(self) -> Bounds:
        """Around the cylinder however it is turned."""
        return _around(self.centre, self.radius + self.length / 2)

    def moved(self, x: float, y: float) -> Log:
        """The cylinder elsewhere."""
        return replace(self, centre=(self.centre[0] + x, self.centre[1] + y, self.centre[2]))


@dataclass(frozen=True, kw_only=True)
class Field:
    """A height field."""

    name: str
    ground: Ground
    grid: ElevationMap
    base: float = THICK

    def add(self, spec: mujoco.MjSpec, name: str, masks: Masks | None = None) -> mujoco.MjsGeom:
        """Add the field and its asset, both called `name`."""
        z = self.grid.heights
        low, high = float(z.min()), float(z.max())
        rise = max(high - low, 1e-6)
        length, width = self.grid.size
        spec.add_hfield(
            name=name,
            nrow=z.shape[0],
            ncol=z.shape[1],
            size=[length / 2, width / 2, rise, self.base],
            userdata=((z - low) / rise).ravel(),
        )
        middle = [self.grid.origin[0] + length / 2, self.grid.origin[1] + width / 2, low]
        return add_ground(spec, name, Geom.mjGEOM_HFIELD, masks=masks, hfieldname=name, pos=middle)

    def top(self, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Height of the field."""
        return np.asarray(self.grid.on_triangles(x, y))

    def bounds(self) -> Bounds:
        """The map, and a hair around it."""
        (x, y), (length, width), hair = self.grid.origin, self.grid.size, 1e-6 * self.grid.cell
        return x - hair, x + length + hair, y - hair, y + width + hair

    def moved(self, x: float, y: float) -> Field:
        """The field elsewhere."""
        origin = (self.grid.origin[0] + x, self.grid.origin[1] + y)
        return replace(self, grid=replace(self.grid, origin=origin))


@dataclass(frozen=True, kw_only=True)
class Dome:
    """A cap of a ball that looks out of the ground at z = 0."""

    name: str
    ground: Ground
    place: tuple[float, float]
    height: float
    diameter: float
    """Where it meets z = 0 [m]."""

    def add(self, spec: mujoco.MjSpec, name: str, masks: Masks | None = None) -> mujoco.MjsGeom:
        """Add the ball."""
        radius, middle = self._ball()
        return add_ground(spec, name, Geom.mjGEOM_SPHERE, masks=masks, size=[radius, 0, 0], pos=[*self.place, middle])

    def top(self, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Height of the ball's upper side."""
        radius, middle = self._ball()
        rest = radius**2 - (x - self.place[0]) ** 2 - (y - self.place[1]) ** 2
        return np.where(rest >= 0, middle + np.sqrt(np.maximum(rest, 0)), -np.inf)

    def bounds(self) -> Bounds:
        """Around the ball."""
        return _around(self.place, self._ball()[0])

    def moved(self, x: float, y: float) -> Dome:
        """The cap elsewhere."""
        return replace(self, place=(self.place[0] + x, self.place[1] + y))

    def _ball(self) -> tuple[float, float]:
        """Radius and height of the middle of the ball [m]."""
        radius = (self.diameter**2 / 4 + self.height**2) / (2 * self.height)
        return radius, self.height - radius


@dataclass(frozen=True, kw_only=True)
class Loose:
    """A block that is free to move: it lies where it is put until something pushes it."""

    block: Block
    mass: float
    """[kg]."""

    @property
    def name(self) -> str:
        """Name of the block, its body and its joint."""
        return self.block.name

    @property
    def ground(self) -> Ground:
        """What it is made of."""
        return self.block.ground

    def add(self, spec: mujoco.MjSpec, name: str, masks: Masks | None = None) -> mujoco.MjsGeom:
        """Add a free body with the block."""
        half, place, quat = self.block.box()
        body = spec.worldbody.add_body(name=name, pos=place, quat=quat)
        body.add_freejoint(name=name)
        return add_ground(spec, name, Geom.mjGEOM_BOX, body=body, masks=masks, size=half, mass=self.mass)

    def top(self, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Height of its upper side before anything pushes it."""
        return self.block.top(x, y)

    def bounds(self) -> Bounds:
        """Around the block where it is put."""
        return self.block.bounds()

    def moved(self, x: float, y: float) -> Loose:
        """The block elsewhere."""
        return replace(self, block=self.block.moved(x, y))


def _around(place: Sequence[float], reach: float) -> Bounds:
    return place[0] - reach, place[0] + reach, place[1] - reach, place[1] + reach


def _quat(normal: np.ndarray, pitch: float) -> np.ndarray:
    """Attitude of a plane with this normal whose x climbs by `pitch`."""
    forward = np.array([math.cos(pitch), 0.0, math.sin(pitch)])
    return _quat_of(np.stack([forward, np.cross(normal, forward), normal], axis=1))


def _quat_of(matrix: np.ndarray) -> np.ndarray:
    quat = np.zeros(4)
    mujoco.mju_mat2Quat(quat, np.ascontiguousarray(matrix).ravel())
    return quat
