"""What a reference state is compared by, aims at and touches."""

from __future__ import annotations

from typing import Any

import numpy as np

from plantar.errors import InvalidInput
from plantar.soft.mesh.mesh import Mesh
from plantar.soft.reference._parts import array, find, label_number, read_points, texts
from plantar.soft.scene.contact import Contact
from plantar.soft.scene.goal import Goal
from plantar.soft.scene.mapping import Barycentric
from plantar.soft.scene.obstacle import Plane


def read_nodes(result: dict[str, Any], mesh: Mesh) -> np.ndarray | None:
    """Settled positions of all nodes, if the state has them."""
    shape = (len(mesh.nodes), 3)
    given = find(result, "node_positions")
    if given is not None:
        return array(given, "node_positions", shape)
    moved = find(result, "node_displacements")
    return None if moved is None else mesh.nodes + array(moved, "node_displacements", shape)


def read_tracked(
    both: dict[str, Any], result: dict[str, Any], mesh: Mesh
) -> tuple[Barycentric | None, np.ndarray | None]:
    """Points whose settled positions the state has, and these positions; the effector comes first."""
    if "controlled_points" in both or "controlled_point_mapping" in both:
        points = read_points(both, "controlled_point_mapping", "controlled_points", mesh)
        places = find(result, "controlled_points")
        if places is None and (one := find(result, "effector_position")) is not None:
            return Barycentric(nodes=points.nodes[:1], weights=points.weights[:1]), np.atleast_2d(one)
        return points, None if places is None else array(places, "controlled_points", (len(points.nodes), 3))
    found = [*_probe(both, result, mesh), *_tips(both, result, mesh)]
    if not found:
        return None, None
    width = max(p.nodes.shape[1] for p, _ in found)
    return Barycentric(
        nodes=np.concatenate([_wide(p.nodes, width) for p, _ in found]),
        weights=np.concatenate([_wide(p.weights, width) for p, _ in found]),
    ), np.concatenate([np.atleast_2d(np.asarray(x, dtype=float)) for _, x in found])


def _probe(both: dict[str, Any], result: dict[str, Any], mesh: Mesh) -> list[tuple[Barycentric, Any]]:
    """Probe nodes by their displacements, a probe point by its place."""
    found: list[tuple[Barycentric, Any]] = []
    nodes, moved = result.get("probe_nodes", both.get("probe_nodes")), find(result, "probe_displacements")
    if nodes is not None and moved is not None:
        there = mesh.nodes[np.asarray(nodes)] + array(moved, "probe_displacements", (len(nodes), 3))
        found.append((_at(nodes), there))
    place = find(result, "tip_probe_position")
    if place is not None and isinstance(both.get("tip_probe_mapping"), list):
        found.append((read_points(both, "tip_probe_mapping", "tip_probe_rest", mesh), place))
    return found


def _tips(both: dict[str, Any], result: dict[str, Any], mesh: Mesh) -> list[tuple[Barycentric, Any]]:
    """Single nodes at the tip."""
    found: list[tuple[Barycentric, Any]] = []
    place = find(result, "tip_node_position")
    if place is not None and "tip_node" in both:
        found.append((_at([both["tip_node"]]), place))
    moved, node = find(result, "tip_center_displacement"), result.get("tip_center_node", both.get("tip_center_node"))
    if moved is not None and node is not None:
        found.append((_at([node]), mesh.nodes[int(node)] + np.asarray(moved, dtype=float)))
    return found


def _at(nodes: Any) -> Barycentric:
    numbers = np.asarray(nodes, dtype=np.int64).reshape(-1, 1)
    return Barycentric(nodes=numbers, weights=np.ones(numbers.shape))


def _wide(values: np.ndarray, width: int) -> np.ndarray:
    return np.pad(values, ((0, 0), (0, width - values.shape[1])))


def read_goal(both: dict[str, Any], result: dict[str, Any], mesh: Mesh) -> Goal | None:
    """Target of the inverse."""
    target = find(result, "goal")
    if target is None:
        return None
    if "controlled_points" not in both and "controlled_point_mapping" not in both:
        raise InvalidInput("reference state has a goal but its model no 'controlled_point_mapping': add it")
    points = read_points(both, "controlled_point_mapping", "controlled_points", mesh)
    first = Barycentric(nodes=points.nodes[:1], weights=points.weights[:1])
    return Goal(name="goal", body="body", point=first, target=tuple(array(target, "goal", (3,)).tolist()))


def read_contact(both: dict[str, Any], mesh: Mesh) -> Contact | None:
    """A floor square to an axis, under the lowest face of the body."""
    for axis, name in enumerate(("floor_x", "floor_y", "floor_z")):
        height = find(both, name)
        if height is not None:
            return _floor(both, mesh, axis, float(height))
    return None


def _floor(both: dict[str, Any], mesh: Mesh, axis: int, height: float) -> Contact:
    along = mesh.nodes[:, axis]
    low = along.min()
    touching = mesh.nodes[along <= low + 1e-9 * max(1.0, abs(low))]
    if not any("lower face" in t for t in texts(both)) and find(both, "rest_node_positions") is not None:
        touching = mesh.nodes[mesh.boundary_nodes]
    unit = np.eye(3)[axis]
    return Contact(
        name="floor",
        body="body",
        points=touching,
        against=Plane(point=tuple(height * unit), normal=tuple(unit)),
        friction=float(both.get("mu", 0.0)),
        margin=label_number(both, r"alarm(?:\s*[dD]istance)?\s*=?\s*([\d.eE-]+)", 0.01),
        distance=label_number(both, r"contact\s*[dD]istance\s*=?\s*([\d.eE-]+)", 0.001),
    )
