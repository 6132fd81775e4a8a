"""Pieces of reference files: values whose keys carry units, meshes by rule, materials by their name in SOFA."""

from __future__ import annotations

import itertools
import re
from typing import Any

import numpy as np

from plantar.errors import InvalidInput
from plantar.soft.mapping import Barycentric, barycentric
from plantar.soft.material import Corotational, Material, NeoHookean, StableNeoHookean, StVenantKirchhoff
from plantar.soft.mesh import Mesh

UNITS = (
    "mm",
    "cm",
    "m",
    "kg",
    "g",
    "s",
    "Pa",
    "kPa",
    "MPa",
    "mN",
    "N",
    "mm_s2",
    "cm_s2",
    "m_s2",
    "kg_m3",
    "mm3",
    "cm3",
)
"""Units that keys may end with; values are used as they are, in the file's own system."""
ROTATIONS = {"small": "none", "large": "edge", "polar": "edge_polar", "svd": "edge_polar"}
"""SOFA's methods of TetrahedronFEMForceField as rotations of `Corotational`."""
HYPERELASTIC = {
    "stableneohookean": StableNeoHookean,
    "neohookean": NeoHookean,
    "stvenantkirchhoff": StVenantKirchhoff,
}
"""SOFA's names of hyperelastic laws; the first that is in the text counts."""


def find(data: dict[str, Any], name: str) -> Any:
    """The value called `name`, whatever unit its key ends with; None if there is none."""
    if name in data:
        return data[name]
    for unit in UNITS:
        if f"{name}_{unit}" in data:
            return data[f"{name}_{unit}"]
    return None


def numbers(value: Any, count: int) -> list[float]:
    """`count` numbers from one or a list."""
    values = [float(v) for v in value] if isinstance(value, list) else [float(value)] * count
    if len(values) != count:
        raise InvalidInput(f"reference command {value!r} is not allowed: give {count} numbers")
    return values


def label_number(data: dict[str, Any], pattern: str, default: float) -> float:
    """A number in the descriptions of a model."""
    for value in data.values():
        if isinstance(value, str) and (match := re.search(pattern, value)):
            return float(match[1].rstrip("."))
    return default


def read_material(data: dict[str, Any], label: str) -> Material:
    """The material of a state."""
    young = find(data, "young")
    young = label_number(data, r"\bE\s*=\s*([\d.eE+]+)", 0.0) if young is None else float(young)
    poisson = data["nu"] if "nu" in data else find(data, "poisson")
    poisson = label_number(data, r"\bnu\s*=\s*([\d.]+)", 0.3) if poisson is None else float(poisson)
    if not young:
        raise InvalidInput("reference model lacks 'young': give Young's modulus")
    law = str(data.get("model", "") or data.get("material", ""))
    known = law.lower().replace(" ", "").replace("_", "")
    for name, kind in HYPERELASTIC.items():
        if name in known:
            return kind(young=young, poisson=poisson)
    method = str(
        data.get("method", "") or _method(str(data.get("fem", "")) + " " + label + " " + str(data.get("text", "")))
    )
    if method not in ROTATIONS:
        raise InvalidInput(f"reference method {method!r} is not known: give one of {', '.join(ROTATIONS)}")
    return Corotational(young=young, poisson=poisson, rotation=ROTATIONS[method])  # type: ignore[arg-type]


def _method(text: str) -> str:
    match = re.search(r"method\s*=\s*(\w+)", text) or re.search(r"\b(small|large|polar|svd)\b", text)
    return match[1] if match else "large"


def read_points(data: dict[str, Any], mapping: str, places: str, mesh: Mesh) -> Barycentric:
    """Points by the stored weights, or by SOFA's rule where none are stored."""
    stored = data.get(mapping)
    if isinstance(stored, dict):
        nodes = stored["nodes"] if "nodes" in stored else mesh.tets[np.asarray(stored["tet"], dtype=np.int64)]
        return Barycentric(nodes=np.asarray(nodes), weights=_normal(stored["weights"]))
    if isinstance(stored, list) and stored:
        nodes = [p["nodes"] if "nodes" in p else mesh.tets[p["tet"]].tolist() for p in stored]
        return Barycentric(nodes=np.asarray(nodes), weights=_normal([p["weights"] for p in stored]))
    given = find(data, places)
    if given is None:
        raise InvalidInput(f"reference model lacks {mapping!r} and {places!r}: give one of them")
    return barycentric(mesh.nodes, mesh.tets, np.asarray(given, dtype=float), "extrapolate")


def _normal(weights: Any) -> np.ndarray:
    """Weights that add up to 1 exactly: files round them."""
    w = np.asarray(weights, dtype=float)
    return w / w.sum(axis=1, keepdims=True)


def fixed_nodes(data: dict[str, Any], nodes: np.ndarray) -> np.ndarray:
    """Nodes that cannot move: listed, in a box, or on a plane."""
    listed = data.get("fixed_nodes")
    if listed is not None:
        return np.asarray(listed, dtype=np.int64)
    text = str(data.get("fixed", "")) + " " + str(data.get("text", ""))
    if match := re.search(r"\[([-\d.,eE\s]+)\]", text):
        box = [float(v) for v in match[1].split(",")]
        inside = ((nodes >= box[:3]) & (nodes <= box[3:])).all(axis=1)
        return np.flatnonzero(inside)
    if match := re.search(r"\b([xyz])\s*=\s*([-\d.]+)", str(data.get("fixed", "x=0"))):
        return np.flatnonzero(np.abs(nodes[:, "xyz".index(match[1])] - float(match[2].rstrip("."))) < 1e-9)
    raise InvalidInput("reference model lacks 'fixed_nodes': list the nodes that cannot move")


def beam_mesh(data: dict[str, Any]) -> Mesh:
    """The beam L x H x W of nx x ny x nz nodes, every cell cut into six tetrahedra after Kuhn."""
    nx, ny, nz = (data.get(k) for k in ("nx", "ny", "nz"))
    if nx is None:
        match = re.search(r"(\d+)\s*x\s*(\d+)\s*x\s*(\d+)\s*nodes", str(data.get("text", "")))
        nx, ny, nz = (int(g) for g in match.groups()) if match else (21, 5, 5)
    size = [float(find(data, k) or default) for k, default in (("L", 1.0), ("H", 0.2), ("W", 0.2))]
    counts = (int(nx), int(ny or 5), int(nz or 5))
    return kuhn_beam(counts, (size[0], size[1], size[2]))


def kuhn_beam(counts: tuple[int, int, int], size: tuple[float, float, float]) -> Mesh:
    """A box of nodes i + nx (j + ny k), cells cut into one tetrahedron a permutation of the axes."""
    nx, ny, nz = counts
    k, j, i = np.meshgrid(range(nz), range(ny), range(nx), indexing="ij")
    step = [s / (n - 1) for s, n in zip(size, counts, strict=True)]
    nodes = np.stack([i * step[0], j * step[1], k * step[2]], axis=-1).reshape(-1, 3)
    cells = np.stack(np.meshgrid(range(nz - 1), range(ny - 1), range(nx - 1), indexing="ij"), axis=-1).reshape(-1, 3)[
        :, ::-1
    ]
    stride = np.array([1, nx, nx * ny])
    tets = []
    for order in itertools.permutations(range(3)):
        corner = np.zeros((4, 3), dtype=np.int64)
        for step_, axis in enumerate(order):
            corner[step_ + 1 :, axis] += 1
        # odd permutations are mirror images: swap local vertices 1 and 2 to keep the volume positive
        odd = order in ((0, 2, 1), (1, 0, 2), (2, 1, 0))
        tets.append(((cells[:, None] + corner) @ stride)[:, [0, 2, 1, 3] if odd else [0, 1, 2, 3]])
    return Mesh(nodes, np.stack(tets, axis=1).reshape(-1, 4))
