"""Converts a user's point on a body into a map onto the blocks of a scene."""

from __future__ import annotations

from typing import Any

import numpy as np

from plantar._checks import require
from plantar.errors import InvalidInput
from plantar.soft.fem.beam import BeamBody
from plantar.soft.fem.springs import SpringBody
from plantar.soft.fem.turning import rotation_matrix
from plantar.soft.mesh.mesh import chosen
from plantar.soft.scene.body import SoftBody
from plantar.soft.scene.mapping import Barycentric, Outside, PointMap, barycentric, map_frames, map_nodes
from plantar.soft.solve.system import System


class Placer:
    """Finds bodies by name and maps points onto them."""

    def __init__(self, bodies: dict[str, Any], system: System):
        self.bodies, self.system = bodies, system

    def body(self, name: str, user: str) -> Any:
        """The body called `name`; `user` names the caller in messages."""
        if name in self.bodies or name in self.system.frame_name:
            return self.bodies.get(name)
        raise InvalidInput(f"{user}: unknown body {name!r}; the scene has {', '.join(self.bodies) or 'none'}")

    def map(self, name: str, points: Any, user: str, outside: Outside = "error") -> PointMap:
        """Map `points` (places in the rest shape, or a `Barycentric`) onto body `name`."""
        body = self.body(name, user)
        if isinstance(points, Barycentric):
            self._check_nodes(name, points, user)
            if name in self.system.frame_name or isinstance(body, BeamBody):
                raise InvalidInput(f"{user}: body {name!r} has frames; give places, not nodes and weights")
            return map_nodes(points, self.system.offset[name])
        places = np.atleast_2d(np.asarray(points, dtype=float))
        require(
            places.shape[1] == 3 and bool(np.isfinite(places).all()), f"{user}: points", places.shape, "places (n, 3)"
        )
        if name in self.system.frame_name:
            return self._on_frame(self.system.frame_name[name], places)
        if isinstance(body, BeamBody):
            return self._on_beams(body, places)
        if isinstance(body, SpringBody):
            return self._on_nodes(name, np.asarray(body.nodes, dtype=float), places, user)
        assert isinstance(body, SoftBody)
        found = barycentric(body.mesh.nodes, body.mesh.tets, places, outside, user)
        return map_nodes(found, self.system.offset[name])

    def nodes(self, name: str, nodes: np.ndarray) -> PointMap:
        """Nodes of a body themselves."""
        body = self.bodies[name]
        if isinstance(body, BeamBody):
            frames = self.system.first_frame[name] + np.asarray(nodes)
            blocks = self.system.frame_block[frames]
            return map_frames(
                frames[:, None], blocks[:, None], np.ones((len(frames), 1)), np.zeros((len(frames), 1, 3))
            )
        nodes = np.asarray(nodes, dtype=np.int64).reshape(-1, 1)
        return map_nodes(Barycentric(nodes=nodes, weights=np.ones(nodes.shape)), self.system.offset[name])

    def _check_nodes(self, name: str, points: Barycentric, user: str) -> None:
        count = len(self.system.parts[name].points) if name in self.system.parts else 0
        chosen(f"{user}: nodes", points.nodes, count)

    def _on_frame(self, frame: int, places: np.ndarray) -> PointMap:
        block = self.system.frame_block[frame]
        arms = (places - self.system.x0[block]) @ rotation_matrix(self.system.quat0[frame])
        n = len(places)
        return map_frames(np.full((n, 1), frame), np.full((n, 1), block), np.ones((n, 1)), arms[:, None])

    def _on_beams(self, body: BeamBody, places: np.ndarray) -> PointMap:
        """Each point is attached to the two ends of the nearest beam, in proportion."""
        nodes, edges = np.asarray(body.nodes, dtype=float), np.asarray(body.edges, dtype=np.int64)
        a, d = nodes[edges[:, 0]], nodes[edges[:, 1]] - nodes[edges[:, 0]]
        s = np.einsum("pec,ec->pe", places[:, None] - a, d) / np.einsum("ec,ec->e", d, d)
        s = np.clip(s, 0, 1)
        near = np.linalg.norm(places[:, None] - a - s[..., None] * d, axis=2).argmin(axis=1)
        s = s[np.arange(len(places)), near]
        ends = edges[near]
        frames = self.system.first_frame[body.name] + ends
        arms = places[:, None] - nodes[ends]  # frames of beams start aligned with the world
        return map_frames(frames, self.system.frame_block[frames], np.stack([1 - s, s], axis=1), arms)

    def _on_nodes(self, name: str, nodes: np.ndarray, places: np.ndarray, user: str) -> PointMap:
        distance = np.linalg.norm(places[:, None] - nodes, axis=2)
        near = distance.argmin(axis=1)
        gap = distance[np.arange(len(places)), near]
        size = float(np.ptp(nodes, axis=0).max())
        bad = np.flatnonzero(gap > 1e-6 * size)
        if len(bad):
            raise InvalidInput(f"{user}: point {int(bad[0])} is not at a mass of {name!r}; its points are its masses")
        return self.nodes(name, near)
