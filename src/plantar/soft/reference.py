"""Reference files: scenes with all their numbers and the states another engine settled to."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from plantar.errors import InvalidInput
from plantar.soft._reference_parts import (
    beam_mesh,
    find,
    fixed_nodes,
    label_number,
    numbers,
    read_material,
    read_points,
)
from plantar.soft.cable import Cable
from plantar.soft.cavity import Cavity
from plantar.soft.contact import Contact
from plantar.soft.goal import Goal
from plantar.soft.mapping import Barycentric
from plantar.soft.material import Material
from plantar.soft.mesh import Mesh
from plantar.soft.obstacle import Plane


@dataclass(frozen=True, kw_only=True, eq=False)
class ReferenceState:
    """One settled state, with what drives the body there; all in the file's units."""

    label: str
    """What it shows."""
    mesh: Mesh
    """Rest shape."""
    material: Material
    """What the body is made of."""
    fixed: np.ndarray
    """Nodes that cannot move."""
    mass: dict[str, Any]
    """Mass or density and how it is lumped, as fields of a `SoftBody`."""
    gravity: tuple[float, ...]
    """Acceleration."""
    dt: float
    """Time step."""
    rayleigh: tuple[float, float]
    """Damping on mass and stiffness."""
    actuators: tuple[Cable | Cavity, ...] = ()
    """Cables and cavities."""
    commands: dict[str, float] = field(default_factory=dict)
    """What they are driven to."""
    contact: Contact | None = None
    """A floor."""
    goal: Goal | None = None
    """Target of the inverse."""
    energy: float = 1e-3
    """Weight of the energy in the inverse."""
    steps: int = 0
    """Steps the other engine took to settle."""
    nodes: np.ndarray | None = None
    """Settled positions of all nodes, or None."""
    points: Barycentric | None = None
    """Points whose settled positions are known where those of the nodes are not."""
    places: np.ndarray | None = None
    """Settled positions of these points."""
    loose: bool = False
    """Whether only the first point, the effector, is determined (redundant actuators without energy)."""
    indicative: bool = False
    """Whether the state depends on its path: contact with friction."""
    failed: str = ""
    """Why the other engine has no such state."""


def read_reference(path: str | Path) -> list[ReferenceState]:
    """Read all states of a reference file.

    Raises:
        InvalidInput: If the file is not there, is not JSON, or lacks something; the message names it.
    """
    path = Path(path)
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InvalidInput(f"reference {str(path)!r} cannot be read ({error.strerror}): give a JSON file") from error
    except json.JSONDecodeError as error:
        raise InvalidInput(f"reference {str(path)!r} is not JSON: {error}") from error
    if not isinstance(data, dict) or "model" not in data or not isinstance(data.get("results"), list):
        raise InvalidInput(f"reference {str(path)!r} has no 'model' and 'results': give a file in the reference layout")
    model = data["model"] if isinstance(data["model"], dict) else {"text": str(data["model"])}
    extra = {k: v for k, v in data.items() if k not in ("model", "results")}
    return [_state({**extra, **model}, result, i) for i, result in enumerate(data["results"])]


def _state(model: dict[str, Any], result: dict[str, Any], index: int) -> ReferenceState:
    params = result.get("params") if isinstance(result.get("params"), dict) else {}
    both = {**model, **{k: v for k, v in params.items() if v != ""}}  # type: ignore[union-attr]
    for key in ("dt", "method", "nu", "poisson", "young", "epsilon"):
        if key in result:
            both[key] = result[key]
    label = str(result.get("label") or _name(result, index))
    mesh = _mesh(both)
    if "failed" in result:
        empty = np.zeros(0, dtype=np.int64)
        return ReferenceState(
            label=label,
            mesh=mesh,
            material=read_material({**both, "model": "", "method": "large"}, ""),
            fixed=empty,
            mass={},
            gravity=(0.0, 0.0, 0.0),
            dt=1.0,
            rayleigh=(0.0, 0.0),
            failed=str(result["failed"]),
        )
    actuators, commands = _drive(both, result, mesh)
    nodes = find(result, "node_positions")
    points, places = _tracked(both, result, mesh)
    epsilon = float(find(both, "epsilon") or 1e-3)
    return ReferenceState(
        label=label,
        mesh=mesh,
        material=read_material(both, label),
        fixed=fixed_nodes(both, mesh.nodes),
        mass=_mass(both),
        gravity=_gravity(both, result, label),
        dt=float(find(both, "dt") or label_number(both, r"dt\s*=\s*([\d.eE+-]+)", 0.01)),
        rayleigh=_rayleigh(both),
        actuators=actuators,
        commands=commands,
        contact=_contact(both, result, mesh),
        goal=_goal(both, result, points),
        energy=epsilon,
        steps=int(result.get("settle", {}).get("steps", 0)),
        nodes=None if nodes is None else np.asarray(nodes, dtype=float),
        points=points,
        places=places,
        loose=find(result, "goal") is not None and epsilon < 1e-6,
        indicative=float(result.get("mu", 0.0)) > 0,
    )


def _name(result: dict[str, Any], index: int) -> str:
    parts = [f"{k} {result[k]}" for k in ("mu", "floor_y", "control", "command") if k in result]
    return ", ".join(parts) or f"state {index}"


def _mesh(both: dict[str, Any]) -> Mesh:
    nodes, tets = find(both, "rest_node_positions"), find(both, "tetrahedra")
    if nodes is not None and tets is not None:
        return Mesh(np.asarray(nodes, dtype=float), np.asarray(tets, dtype=np.int64))
    return beam_mesh(both)


def _mass(both: dict[str, Any]) -> dict[str, Any]:
    text = " ".join(str(both.get(k, "")) for k in ("mass", "text"))
    density = find(both, "density")
    if density is None and (match := re.search(r"([\d.eE+]+)\s*kg/m\^3", text)):
        density = float(match[1])
    total = find(both, "total_mass")
    if total is None:
        total = (
            both["mass_kg"]
            if "mass_kg" in both
            else both.get("mass")
            if isinstance(both.get("mass"), float | int)
            else None
        )
    if total is not None:
        lumped = "MeshMatrixMass" in text or "lumped" in text
        return {"mass": float(total), "lumping": "volume" if lumped else "uniform"}
    if density is None:
        raise InvalidInput("reference model lacks 'total_mass_kg', 'mass_kg' or 'density': give one of them")
    return {"density": float(density), "lumping": "uniform" if "UniformMass" in text else "volume"}


def _gravity(both: dict[str, Any], result: dict[str, Any], label: str) -> tuple[float, ...]:
    own = find(result, "gravity")
    if own is not None and not isinstance(own, bool):
        return tuple(float(g) for g in own)
    if "no gravity" in label.lower():
        return (0.0, 0.0, 0.0)
    given = find(both, "gravity")
    return tuple(float(g) for g in given) if given is not None else (0.0, -9.81, 0.0)


def _rayleigh(both: dict[str, Any]) -> tuple[float, float]:
    if "rayleigh_mass" in both or "rayleigh_stiffness" in both:
        return float(both.get("rayleigh_mass", 0)), float(both.get("rayleigh_stiffness", 0))
    value = both.get("rayleigh")
    if value is None:
        text = " ".join(str(both.get(k, "")) for k in ("ode", "text"))
        match = re.search(r"Rayleigh\s*([\d.eE-]+)\s*/\s*([\d.eE-]+)", text)
        return (float(match[1]), float(match[2])) if match else (0.1, 0.1)
    return (float(value[0]), float(value[1])) if isinstance(value, list) else (float(value), float(value))


def _drive(both: dict[str, Any], result: dict[str, Any], mesh: Mesh) -> tuple[tuple[Any, ...], dict[str, float]]:
    """Actuators and their commands."""
    control = str(result.get("control", "")).lower()
    command = find(result, "command")
    cables = _cable_points(both, mesh)
    if cables:
        given = numbers(command, len(cables)) if command is not None else [0.0] * len(cables)
        force = _by_force(result, control)
        low = find(both, "stroke") or find(both, "maxPositiveDisp")
        most = (
            float(low)
            if isinstance(low, int | float)
            else label_number(both, r"maxPositiveDisp\s*=?\s*([\d.eE]+)", np.inf)
        )
        made = tuple(
            Cable(
                name=f"cable{i}",
                body="body",
                points=p,
                anchor=a,
                drive="force" if force else "length",
                stroke=(-np.inf, most),
            )
            for i, (p, a) in enumerate(cables)
        )
        return made, {c.name: v for c, v in zip(made, given, strict=True)}
    triangles = find(both, "cavity_triangle_list") or find(both, "cavity_triangles_list")
    if triangles is None:
        return (), {}
    points = read_points(both, "cavity_point_mapping", "cavity_rest_positions", mesh)
    drive = "volume" if "volume" in control else "pressure"
    cavity = Cavity(name="cavity", body="body", surface=np.asarray(triangles), points=points, drive=drive)
    return (cavity,), {"cavity": float(command or 0.0)}


def _by_force(result: dict[str, Any], control: str) -> bool:
    """Whether cables are driven by force; a state that says nothing of control and commands is one without force."""
    if control:
        return "force" in control or "tension" in control
    if any(k in result for k in ("command_N", "command_mN")):
        return True
    label = str(result.get("label", "")).lower()
    return find(result, "command") is None or ("force" in label and "displacement" not in label)


def _cable_points(both: dict[str, Any], mesh: Mesh) -> list[tuple[Barycentric, Any]]:
    """Points and anchor of every cable."""
    if "cable_point_mapping" in both or "cable_points" in both:
        points = read_points(both, "cable_point_mapping", "cable_points", mesh)
        return [(points, both.get("pull_point"))]
    if "pull_points" in both:
        points = read_points(both, "controlled_point_mapping", "controlled_points", mesh)
        # controlled point 0 is the effector, cable i holds point i + 1
        return [
            (Barycentric(nodes=points.nodes[[i + 1]], weights=points.weights[[i + 1]]), anchor)
            for i, anchor in enumerate(both["pull_points"])
        ]
    return []


def _tracked(both: dict[str, Any], result: dict[str, Any], mesh: Mesh) -> tuple[Barycentric | None, np.ndarray | None]:
    places = find(result, "controlled_points")
    if "controlled_points" in both or "controlled_point_mapping" in both:
        points = read_points(both, "controlled_point_mapping", "controlled_points", mesh)
        if places is None and (one := find(result, "effector_position")) is not None:
            return Barycentric(nodes=points.nodes[:1], weights=points.weights[:1]), np.atleast_2d(one)
        return points, None if places is None else np.asarray(places, dtype=float)
    place = find(result, "tip_node_position")
    if place is not None and "tip_node" in both:
        return Barycentric(nodes=np.array([[both["tip_node"]]]), weights=np.ones((1, 1))), np.atleast_2d(
            np.asarray(place, dtype=float)
        )
    moved = find(result, "tip_center_displacement")
    if moved is not None and "tip_center_node" in result:
        node = int(result["tip_center_node"])
        return Barycentric(nodes=np.array([[node]]), weights=np.ones((1, 1))), np.atleast_2d(
            mesh.nodes[node] + np.asarray(moved)
        )
    return None, None


def _goal(both: dict[str, Any], result: dict[str, Any], points: Barycentric | None) -> Goal | None:
    target = find(result, "goal")
    if target is None:
        return None
    if points is None:
        raise InvalidInput("reference state has a goal but its model no 'controlled_point_mapping': add it")
    first = Barycentric(nodes=points.nodes[:1], weights=points.weights[:1])
    return Goal(name="goal", body="body", point=first, target=tuple(float(t) for t in target))


def _contact(both: dict[str, Any], result: dict[str, Any], mesh: Mesh) -> Contact | None:
    height = result.get("floor_y", both.get("floor_y"))
    if height is None:
        return None
    low = mesh.nodes[:, 1].min()
    bottom = mesh.nodes[mesh.nodes[:, 1] <= low + 1e-9 * max(1.0, abs(low))]
    margin = label_number(both, r"alarm(?:\s*distance)?\s*=?\s*([\d.eE-]+)", 0.01)
    distance = label_number(both, r"contact distance\s*=?\s*([\d.eE-]+)", 0.001)
    floor = Plane(point=(0.0, float(height), 0.0), normal=(0.0, 1.0, 0.0))
    return Contact(
        name="floor",
        body="body",
        points=bottom,
        against=floor,
        friction=float(result.get("mu", 0.0)),
        margin=margin,
        distance=distance,
    )
