"""Points on the surface of feet, each with its share of the area and the direction that it faces."""

from __future__ import annotations

from typing import NamedTuple

import mujoco
import numpy as np

from plantar.errors import InvalidInput

Geom = mujoco.mjtGeom
TREAD = 0x504C
"""First user value of a geom that covers more than it presses with; the second is the share that presses."""
BESIDE = 0.02
"""A surface that faces another part of its foot within this distance [m] does not touch the ground."""


class SolePoints(NamedTuple):
    """Points in the frames of their bodies."""

    body: np.ndarray
    """Body of each point (n)."""
    place: np.ndarray
    """Place in the body (n, 3) [m]."""
    normal: np.ndarray
    """Outward direction in the body (n, 3)."""
    area: np.ndarray
    """Area that it represents (n) [m^2]."""
    geom: np.ndarray
    """Geom that it lies on (n)."""
    edges: np.ndarray
    """Two half edges of its share of the surface, in the body (n, 2, 3) [m]."""

    def pick(self, which: np.ndarray) -> SolePoints:
        """Some of the points."""
        return SolePoints(*(part[which] for part in self))


def sole_points(model: mujoco.MjModel, geoms: list[int], spacing: float) -> SolePoints:
    """Sample the surfaces of geoms, a point for about every `spacing` squared."""
    parts: list[tuple[np.ndarray, ...]] = []
    for g in geoms:
        place, normal, area, edges = _surface(model, g, spacing)
        matrix = np.zeros(9)
        mujoco.mju_quat2Mat(matrix, model.geom_quat[g])
        matrix = matrix.reshape(3, 3)
        bodies, owners = np.full(len(place), model.geom_bodyid[g]), np.full(len(place), g)
        places, areas = place @ matrix.T + model.geom_pos[g], area * tread_share(model, g)
        parts.append((bodies, places, normal @ matrix.T, areas, owners, edges @ matrix.T))
    return SolePoints(*(np.concatenate(part) for part in zip(*parts, strict=True)))


def tread_share(model: mujoco.MjModel, geom: int) -> float:
    """Fraction of a geom's area that presses: below 1 for one that stands for several parts with gaps between them."""
    user = model.geom_user[geom] if model.nuser_geom >= 2 else (0.0, 1.0)
    return float(user[1]) if user[0] == TREAD else 1.0


def facing_down(model: mujoco.MjModel, data: mujoco.MjData, points: SolePoints, below: float) -> np.ndarray:
    """Whether points face down in the pose of `data`: outward direction lower than `below`; on balls all do."""
    facing = np.einsum("ni,ni->n", data.xmat[points.body].reshape(-1, 3, 3)[:, 2], points.normal)
    balls = (mujoco.mjtGeom.mjGEOM_SPHERE, mujoco.mjtGeom.mjGEOM_ELLIPSOID)
    only_balls = np.isin(model.geom_type[np.unique(points.geom)], balls).all()
    return (facing < below) | only_balls


def covered(model: mujoco.MjModel, data: mujoco.MjData, points: SolePoints, geoms: list[int]) -> np.ndarray:
    """Whether another of the geoms keeps a point from the ground in the pose of `data`.

    It does if it lies below the point, or beside it, within `BESIDE` of where the point looks.
    """
    turn = data.xmat[points.body].reshape(-1, 3, 3)
    spots = np.einsum("nij,nj->ni", turn, points.place) + data.xpos[points.body]
    outward = np.einsum("nij,nj->ni", turn, points.normal)
    down = np.array([0.0, 0.0, -1.0])
    hidden = np.zeros(len(spots), bool)
    for g in geoms:
        centre, radius = data.geom_xpos[g], model.geom_rbound[g] + BESIDE
        near = (np.hypot(*(spots[:, :2] - centre[:2]).T) < radius) & (spots[:, 2] > centre[2] - radius)
        for i in np.flatnonzero(near & (points.geom != g) & ~hidden):
            beside = _ray(model, data, g, spots[i], outward[i])
            hidden[i] = 0 <= beside < BESIDE or _ray(model, data, g, spots[i], down) >= 0
    return hidden


def _ray(model: mujoco.MjModel, data: mujoco.MjData, g: int, spot: np.ndarray, along: np.ndarray) -> float:
    """Distance from just above a surface to a geom [m], negative if it is not hit."""
    start = spot + 1e-6 * along
    if model.geom_type[g] == Geom.mjGEOM_MESH:
        return mujoco.mj_rayMesh(model, data, g, start, along, None)
    place, turn, size = data.geom_xpos[g], data.geom_xmat[g], model.geom_size[g]
    return mujoco.mju_rayGeom(place, turn, size, start, along, int(model.geom_type[g]), None)


Surface = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]
"""Places, outward directions, areas and half edges of points."""


def _surface(model: mujoco.MjModel, g: int, spacing: float) -> Surface:
    kind, size = int(model.geom_type[g]), model.geom_size[g]
    if kind == Geom.mjGEOM_BOX:
        return _box(size, spacing)
    if kind in (Geom.mjGEOM_SPHERE, Geom.mjGEOM_ELLIPSOID):
        radii = np.full(3, size[0]) if kind == Geom.mjGEOM_SPHERE else size.copy()
        return _ellipsoid(radii, spacing)
    if kind in (Geom.mjGEOM_CAPSULE, Geom.mjGEOM_CYLINDER):
        return _rod(float(size[0]), float(size[1]), kind == Geom.mjGEOM_CAPSULE, spacing)
    if kind == Geom.mjGEOM_MESH:
        return _mesh(model, int(model.geom_dataid[g]), spacing)
    raise InvalidInput(
        f"geom {model.geom(g).name!r} of a foot is of a kind that cannot be sampled: give boxes or meshes"
    )


def _squares(normal: np.ndarray, area: np.ndarray) -> np.ndarray:
    """Half edges of squares with given areas across given directions, for points that lie on no grid."""
    other = np.where(abs(normal[:, :1]) < 0.7, [1.0, 0.0, 0.0], [0.0, 1.0, 0.0])
    first = np.cross(normal, other)
    first /= np.linalg.norm(first, axis=1, keepdims=True)
    half = np.sqrt(area)[:, None] / 2
    return np.stack([half * first, half * np.cross(normal, first)], axis=1)


def _join(parts: list[Surface]) -> Surface:
    places, normals, areas, edges = (np.concatenate(part) for part in zip(*parts, strict=True))
    return places, normals, areas, edges


def _grid(length: float, spacing: float) -> np.ndarray:
    """Middles of equal parts of a side about 0."""
    count = max(1, round(length / spacing))
    return (np.arange(count) + 0.5) * length / count - length / 2


def _box(half: np.ndarray, spacing: float) -> Surface:
    parts = []
    for axis in range(3):
        u, v = (axis + 1) % 3, (axis + 2) % 3
        sides = _grid(2 * half[u], spacing), _grid(2 * half[v], spacing)
        a, b = np.meshgrid(*sides)
        edges = np.zeros((a.size, 2, 3))
        edges[:, 0, u], edges[:, 1, v] = half[u] / len(sides[0]), half[v] / len(sides[1])
        for sign in (-1, 1):
            face = np.zeros((a.size, 3))
            face[:, axis], face[:, u], face[:, v] = sign * half[axis], a.ravel(), b.ravel()
            outward = np.zeros((a.size, 3))
            outward[:, axis] = sign
            parts.append((face, outward, np.full(a.size, 4 * half[u] * half[v] / a.size), edges))
    return _join(parts)


def _ellipsoid(radii: np.ndarray, spacing: float) -> Surface:
    """Fibonacci's spiral, which spreads points evenly."""
    count = int(np.clip(4 * np.pi * np.mean(radii) ** 2 / spacing**2, 60, 2000))
    i = np.arange(count) + 0.5
    height, turn = 1 - 2 * i / count, np.pi * (1 + 5**0.5) * i
    round_ = np.sqrt(1 - height**2)
    unit = np.stack([round_ * np.cos(turn), round_ * np.sin(turn), height], axis=1)
    stretched = unit / radii
    size = np.linalg.norm(stretched, axis=1)
    # area of a patch of the unit ball after stretching
    area = 4 * np.pi / count * np.prod(radii) * size
    normal = stretched / size[:, None]
    return unit * radii, normal, area, _squares(normal, area)


def _rod(radius: float, half: float, capped: bool, spacing: float) -> Surface:
    """A cylinder along z with round or flat ends."""
    around = max(8, round(2 * np.pi * radius / spacing))
    angle = 2 * np.pi * (np.arange(around) + 0.5) / around
    ring = np.stack([np.cos(angle), np.sin(angle), np.zeros(around)], axis=1)
    levels = _grid(2 * half, spacing)
    side, normal = np.concatenate([radius * ring + [0, 0, z] for z in levels]), np.tile(ring, (len(levels), 1))
    area = np.full(len(side), 4 * np.pi * radius * half / len(side))
    parts = [(side, normal, area, _squares(normal, area))]
    if capped:
        place, normal, area, edges = _ellipsoid(np.full(3, radius), spacing)
        parts.append((place + half * np.sign(place[:, 2:]) * [0, 0, 1], normal, area, edges))
        return _join(parts)
    steps = _grid(2 * radius, spacing)
    x, y = (a.ravel() for a in np.meshgrid(steps, steps))
    inside = np.hypot(x, y) <= radius
    count = max(1, int(inside.sum()))
    area = np.full(count, np.pi * radius**2 / count)
    edges = np.tile(radius / len(steps) * np.eye(3)[:2], (count, 1, 1))
    for sign in (-1.0, 1.0):
        disc = np.stack([x[inside], y[inside], np.full(inside.sum(), sign * half)], axis=1)
        parts.append((disc, np.tile([0, 0, sign], (len(disc), 1)), area, edges))
    return _join(parts)


def _mesh(model: mujoco.MjModel, mesh: int, spacing: float) -> Surface:
    """Middles of the hull's triangles, cut until they are small; MuJoCo collides with the hull as well."""
    from scipy.spatial import ConvexHull  # noqa: PLC0415  (slow to load)

    start, count = int(model.mesh_vertadr[mesh]), int(model.mesh_vertnum[mesh])
    vertices = model.mesh_vert[start : start + count].astype(float)
    hull = ConvexHull(vertices)
    corners, outward = vertices[hull.simplices], hull.equations[:, :3]
    parts = []
    for triangle, direction in zip(corners, outward, strict=True):
        a, b, c = triangle
        whole = np.linalg.norm(np.cross(b - a, c - a)) / 2
        cuts = max(1, int(np.ceil(np.sqrt(whole) / spacing)))
        i, j = np.meshgrid(np.arange(cuts), np.arange(cuts), indexing="ij")
        upper, lower = i + j < cuts, i + j < cuts - 1
        thirds = [np.stack([i[part] + k / 3, j[part] + k / 3], axis=1) for part, k in ((upper, 1), (lower, 2))]
        weights = np.concatenate(thirds)
        place = a + weights[:, :1] / cuts * (b - a) + weights[:, 1:] / cuts * (c - a)
        normal, area = np.tile(direction, (len(weights), 1)), np.full(len(weights), whole / len(weights))
        # squares leave gaps between triangles unless they are a little larger
        parts.append((place, normal, area, 1.5 * _squares(normal, area)))
    return _join(parts)
