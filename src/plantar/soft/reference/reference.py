"""Reference files: scenes with all their numbers and the states another engine settled to."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from plantar._read import read_json, reading
from plantar.errors import InvalidInput
from plantar.soft.fem.material import Material
from plantar.soft.mesh.mesh import Mesh
from plantar.soft.reference._drive import read_drive
from plantar.soft.reference._goal import read_contact, read_goal, read_nodes, read_tracked
from plantar.soft.reference._material import read_layers, read_material
from plantar.soft.reference._parts import (
    find,
    fixed_nodes,
    label_number,
    merge,
    read_gravity,
    read_mass,
    read_rayleigh,
)
from plantar.soft.reference.mesh import read_mesh_of
from plantar.soft.scene.cable import Cable
from plantar.soft.scene.cavity import Cavity
from plantar.soft.scene.contact import Contact
from plantar.soft.scene.goal import Goal
from plantar.soft.scene.mapping import Barycentric


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
    layers: dict[str, Material] = field(default_factory=dict)
    """Other materials by the name of a set of tetrahedra of the mesh."""
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
    size: float | None = None
    """Largest displacement of the state, if the file gives it."""
    loose: bool = False
    """Whether only the first point, the effector, is determined (redundant actuators without energy)."""
    indicative: bool = False
    """Whether the state depends on its path: contact with friction."""
    failed: str = ""
    """Why the other engine has no such state."""


def read_reference(path: str | Path) -> list[ReferenceState]:
    """Read all states of a reference file.

    Raises:
        InvalidInput: If the file does not exist, is not JSON, or lacks something; the message names it.
    """
    path = Path(path)
    with reading(path, "reference", "give a JSON file"):
        data = read_json(path)
    if not isinstance(data, dict) or "model" not in data or not isinstance(data.get("results"), list):
        raise InvalidInput(f"reference {str(path)!r} has no 'model' and 'results': give a file in the reference layout")
    model = data["model"] if isinstance(data["model"], dict) else {"text": str(data["model"])}
    extra = {k: v for k, v in data.items() if k not in ("model", "results")}
    return [_read_state(path, {**extra, **model}, result, i) for i, result in enumerate(data["results"])]


def _read_state(path: Path, model: dict[str, Any], result: Any, index: int) -> ReferenceState:
    """One state; any fault in it is reported with the file and its number."""
    if not isinstance(result, dict):
        raise InvalidInput(f"reference {str(path)!r}, result {index} is not a record: fix the file")
    try:
        return _state(model, result, index)
    except InvalidInput as error:
        raise InvalidInput(f"{path.name}, result {index}: {error}") from error
    except (KeyError, IndexError, TypeError, ValueError) as error:
        raise InvalidInput(f"{path.name}, result {index} cannot be understood ({error!r}): fix the file") from error


def _state(model: dict[str, Any], result: dict[str, Any], index: int) -> ReferenceState:
    both = merge(model, result)
    label = str(result.get("label") or _name(result, index))
    mesh = read_mesh_of(both)
    if "failed" in result:
        return _failed(both, label, mesh, str(result["failed"]))
    material = read_material(both, label)
    layers = read_layers(both, material, mesh)
    for name, (cells, _) in layers.items():
        mesh = mesh.with_cells(name, cells)
    actuators, commands = read_drive(both, result, mesh)
    points, places = read_tracked(both, result, mesh)
    contact = read_contact(both, mesh)
    epsilon = find(both, "epsilon")
    energy = label_number(both, r"epsilon\s*=\s*([\d.eE-]+)", 1e-3) if epsilon is None else float(epsilon)
    size = find(result, "max_displacement")
    settle = result.get("settle")
    return ReferenceState(
        label=label,
        mesh=mesh,
        material=material,
        layers={name: m for name, (_, m) in layers.items()},
        fixed=fixed_nodes(both, mesh.nodes),
        mass=read_mass(both),
        gravity=read_gravity(both, result, label),
        dt=float(find(both, "dt") or label_number(both, r"dt\s*=\s*([\d.eE+-]+)", 0.01)),
        rayleigh=read_rayleigh(both),
        actuators=actuators,
        commands=commands,
        contact=contact,
        goal=read_goal(both, result, mesh),
        energy=energy,
        steps=int(settle.get("steps", 0)) if isinstance(settle, dict) else 0,
        nodes=read_nodes(result, mesh),
        points=points,
        places=places,
        size=float(size) if isinstance(size, int | float) and size > 0 else None,
        loose=find(result, "goal") is not None and energy < 1e-6,
        indicative=contact is not None and contact.friction > 0,
    )


def _failed(both: dict[str, Any], label: str, mesh: Mesh, why: str) -> ReferenceState:
    return ReferenceState(
        label=label,
        mesh=mesh,
        material=read_material({**both, "model": "TetrahedronFEM", "method": "large"}, ""),
        fixed=np.zeros(0, dtype=np.int64),
        mass={},
        gravity=(0.0, 0.0, 0.0),
        dt=1.0,
        rayleigh=(0.0, 0.0),
        failed=why,
    )


def _name(result: dict[str, Any], index: int) -> str:
    parts = [f"{k} {result[k]}" for k in ("mu", "floor_y", "control", "command") if k in result]
    return ", ".join(parts) or f"state {index}"
