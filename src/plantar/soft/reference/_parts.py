"""Pieces of reference files: values whose keys carry units, parameters of one state, and how a body is held."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from plantar.errors import InvalidInput
from plantar.soft.mesh.mesh import Mesh
from plantar.soft.scene.mapping import Barycentric, barycentric

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
    "kg_mm3",
    "kg_cm3",
    "mm3",
    "cm3",
    "m3",
)
"""Units that keys may end with; values are used as they are, in the file's own system."""
OVERRIDES = (
    "dt",
    "method",
    "nu",
    "poisson",
    "young",
    "epsilon",
    "fem",
    "material",
    "density",
    "total_mass",
    "rayleigh",
    "rayleigh_mass",
    "rayleigh_stiffness",
    "fixed",
    "fixed_nodes",
    "pull_point",
    "pull_points",
    "cable_points",
    "cable_point_mapping",
    "nx",
    "ny",
    "nz",
    "L",
    "H",
    "W",
    "mu",
    "floor_x",
    "floor_y",
    "floor_z",
    "inverse",
    "maxPositiveDisp",
    "max_force",
    "min_pressure",
)
"""Parameters that a state may override."""
ROUNDING = 1e-9


def find(data: dict[str, Any], name: str) -> Any:
    """The value called `name`, whatever unit its key ends with; None if there is none."""
    if name in data:
        return data[name]
    for unit in UNITS:
        if f"{name}_{unit}" in data:
            return data[f"{name}_{unit}"]
    return None


def merge(model: dict[str, Any], result: dict[str, Any]) -> dict[str, Any]:
    """Parameters of one state: the model's, with the state's overrides."""
    params = result.get("params")
    own = {k: v for k, v in params.items() if v != ""} if isinstance(params, dict) else {}
    for name in OVERRIDES:
        value = find(result, name)
        if value is not None:
            own[name] = value
    if isinstance(result.get("model"), str):
        own["model"] = result["model"]
    both = dict(model)
    for key, value in own.items():
        # the same name with another unit would be found first
        for other in [k for k in both if k == key or any(k == f"{key}_{u}" for u in UNITS)]:
            del both[other]
        both[key] = value
    return both


def numbers(value: Any, count: int) -> list[float]:
    """`count` numbers from one or a list."""
    values = [float(v) for v in value] if isinstance(value, list) else [float(value)] * count
    if len(values) != count:
        raise InvalidInput(f"reference command {value!r} is not allowed: give {count} numbers")
    return values


def texts(data: dict[str, Any]) -> list[str]:
    """All descriptions in a model."""
    return [v for v in data.values() if isinstance(v, str)]


def label_number(data: dict[str, Any], pattern: str, default: float) -> float:
    """A number in the descriptions of a model."""
    for value in texts(data):
        if match := re.search(pattern, value):
            return float(match[1].rstrip("."))
    return default


def array(value: Any, name: str, shape: tuple[int | None, ...]) -> np.ndarray:
    """Finite numbers of a shape; None stands for any length.

    Raises:
        InvalidInput: If they are something else; the message names them.
    """
    try:
        found = np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        found = np.zeros(0)
    fits = found.ndim == len(shape) and all(s is None or s == n for s, n in zip(shape, found.shape, strict=True))
    if not fits or not np.isfinite(found).all():
        want = " x ".join("n" if s is None else str(s) for s in shape)
        raise InvalidInput(f"reference {name!r} is not {want} finite numbers: fix the file")
    return found


def read_points(data: dict[str, Any], mapping: str, places: str, mesh: Mesh) -> Barycentric:
    """Points by the stored weights, or by SOFA's rule where none are stored."""
    return points_of(data.get(mapping), find(data, places), mesh, f"{mapping} or {places}")


def points_of(stored: Any, places: Any, mesh: Mesh, name: str) -> Barycentric:
    """Points by stored weights, if there are any, else by their places."""
    if isinstance(stored, dict) and "weights" in stored:
        nodes = stored["nodes"] if "nodes" in stored else mesh.tets[np.asarray(stored["tet"], dtype=np.int64)]
        return _weighted(nodes, stored["weights"], mesh, name)
    if isinstance(stored, list) and stored and all(isinstance(p, dict) and "weights" in p for p in stored):
        nodes = [p["nodes"] if "nodes" in p else mesh.tets[p["tet"]].tolist() for p in stored]
        return _weighted(nodes, [p["weights"] for p in stored], mesh, name)
    if places is None:
        raise InvalidInput(f"reference model lacks {name}: give one of them")
    return barycentric(mesh.nodes, mesh.tets, array(places, name, (None, 3)), "extrapolate")


def _weighted(nodes: Any, weights: Any, mesh: Mesh, name: str) -> Barycentric:
    w = array(weights, f"weights of {name}", (None, None))
    numbers_ = np.asarray(nodes, dtype=np.int64)
    if numbers_.shape != w.shape or numbers_.min(initial=0) < 0 or numbers_.max(initial=0) >= len(mesh.nodes):
        raise InvalidInput(f"reference nodes of {name!r} do not fit their weights or the mesh: fix the file")
    # files round weights: make them add up to 1 again
    return Barycentric(nodes=numbers_, weights=w / w.sum(axis=1, keepdims=True))


def fixed_nodes(data: dict[str, Any], nodes: np.ndarray) -> np.ndarray:
    """Nodes that cannot move: listed, in a box, or on a plane."""
    listed = data.get("fixed_nodes")
    if listed is not None:
        found = np.asarray(listed, dtype=np.int64)
        if found.size and (found.min() < 0 or found.max() >= len(nodes)):
            raise InvalidInput(f"reference 'fixed_nodes' names node {int(found.max())}: there are {len(nodes)}")
        return found
    text = str(data.get("fixed", "")) + " " + str(data.get("text", ""))
    if match := re.search(r"\[([-\d.,eE\s]+)\]", text):
        box = [float(v) for v in match[1].split(",")]
        low, high = np.minimum(box[:3], box[3:]), np.maximum(box[:3], box[3:])
        return np.flatnonzero(((nodes >= low) & (nodes <= high)).all(axis=1))
    if match := re.search(r"\b([xyz])\s*=\s*([-\d.]+)", str(data.get("fixed", "x=0"))):
        return np.flatnonzero(np.abs(nodes[:, "xyz".index(match[1])] - float(match[2].rstrip("."))) < ROUNDING)
    raise InvalidInput("reference model lacks 'fixed_nodes': list the nodes that cannot move")


def read_mass(both: dict[str, Any]) -> dict[str, Any]:
    """Mass or density and how it is lumped, as fields of a `SoftBody`."""
    text = " ".join(str(both.get(k, "")) for k in ("mass", "text"))
    density = find(both, "density")
    if density is None and (match := re.search(r"([\d.eE+]+)\s*kg/m\^3", text)):
        density = float(match[1])
    total = find(both, "total_mass")
    if total is None:
        plain = both.get("mass")
        total = both.get("mass_kg", plain if isinstance(plain, float | int) else None)
    if total is not None:
        lumped = "MeshMatrixMass" in text or "lumped" in text
        return {"mass": float(total), "lumping": "volume" if lumped else "uniform"}
    if density is None:
        raise InvalidInput("reference model lacks 'total_mass_kg', 'mass_kg' or 'density': give one of them")
    return {"density": float(density), "lumping": "uniform" if "UniformMass" in text else "volume"}


def read_gravity(both: dict[str, Any], result: dict[str, Any], label: str) -> tuple[float, ...]:
    """Acceleration of a state."""
    own = find(result, "gravity")
    if isinstance(own, list):
        return tuple(array(own, "gravity", (3,)).tolist())
    if own is False or "no gravity" in label.lower() or "without gravity" in label.lower():
        return (0.0, 0.0, 0.0)
    given = find(both, "gravity")
    return tuple(array(given, "gravity", (3,)).tolist()) if given is not None else (0.0, -9.81, 0.0)


def read_rayleigh(both: dict[str, Any]) -> tuple[float, float]:
    """Damping on mass and stiffness."""
    if "rayleigh_mass" in both or "rayleigh_stiffness" in both:
        return float(both.get("rayleigh_mass", 0)), float(both.get("rayleigh_stiffness", 0))
    value = both.get("rayleigh")
    if value is None:
        text = " ".join(str(both.get(k, "")) for k in ("ode", "text"))
        match = re.search(r"Rayleigh\s*([\d.eE-]+)\s*/\s*([\d.eE-]+)", text)
        return (float(match[1]), float(match[2])) if match else (0.1, 0.1)
    return (float(value[0]), float(value[1])) if isinstance(value, list) else (float(value), float(value))
