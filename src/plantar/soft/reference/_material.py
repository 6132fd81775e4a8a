"""Materials of reference files, by their names in SOFA, and stiffer layers laid over them."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from plantar.errors import InvalidInput
from plantar.soft.fem.material import Corotational, Material, NeoHookean, StableNeoHookean, StVenantKirchhoff
from plantar.soft.mesh.mesh import Mesh
from plantar.soft.reference._parts import find, label_number

ROTATIONS = {"small": "none", "large": "edge", "polar": "edge_polar", "svd": "edge_polar"}
"""SOFA's methods of TetrahedronFEMForceField as rotations of `Corotational`."""
HYPERELASTIC = {
    "stableneohookean": StableNeoHookean,
    "neohookean": NeoHookean,
    "stvenantkirchhoff": StVenantKirchhoff,
    "saintvenantkirchhoff": StVenantKirchhoff,
}
"""SOFA's names of hyperelastic laws; the first that is in the text counts."""
OTHER = ("mooneyrivlin", "arrudaboyce", "ogden", "costa", "verondawestman", "boyceandarruda")
"""Laws of SOFA that are not here."""


def read_material(data: dict[str, Any], label: str) -> Material:
    """The material of a state."""
    young = find(data, "young")
    young = label_number(data, r"\bE\s*=\s*([\d.eE+]+)", 0.0) if young is None else float(young)
    poisson = data["nu"] if "nu" in data else find(data, "poisson")
    poisson = label_number(data, r"\bnu\s*=\s*([\d.]+)", 0.3) if poisson is None else float(poisson)
    if not young:
        raise InvalidInput("reference model lacks 'young': give Young's modulus")
    law = _law(data, label)
    if law is not None:
        return law(young=young, poisson=poisson)
    described = " ".join(str(data.get(k, "")) for k in ("fem", "model", "material", "text"))
    method = str(data.get("method", "") or _method(f"{label} {described}"))
    if method not in ROTATIONS:
        raise InvalidInput(f"reference method {method!r} is not known: give one of {', '.join(ROTATIONS)}")
    return Corotational(young=young, poisson=poisson, rotation=ROTATIONS[method])  # type: ignore[arg-type]


def _law(data: dict[str, Any], label: str) -> type[Any] | None:
    """The hyperelastic law, by what names it first: the state, then its model; None: corotational."""
    for text in (data.get("model"), data.get("material"), label, data.get("fem")):
        known = re.sub(r"[\s_.-]", "", str(text or "")).lower()
        for other in OTHER:
            if other in known:
                raise InvalidInput(f"reference material {text!r} is not offered: {', '.join(HYPERELASTIC)} are")
        for name, kind in HYPERELASTIC.items():
            if name in known:
                return kind
        if "tetrahedronfem" in known:
            return None
    return None


def _method(text: str) -> str:
    match = re.search(r"method\s*=\s*(\w+)", text) or re.search(r"\b(small|large|polar|svd)\b", text)
    return match[1] if match else "large"


def read_layers(data: dict[str, Any], material: Material, mesh: Mesh) -> dict[str, tuple[np.ndarray, Material]]:
    """Layers with their own force field on top of the body's: their tetrahedra, and the sum of both.

    A layer is an entry with `young` and a `box` (all corners inside) or `tets`, by whatever name.
    """
    found: dict[str, tuple[np.ndarray, Material]] = {}
    for name, entry in data.items():
        if isinstance(entry, dict) and find(entry, "young") is not None:
            cells = _cells(entry, mesh, name)
            if name in found or not len(cells):
                continue
            nu = entry.get("nu", entry.get("poisson", material.poisson))
            found[name] = cells, _sum(material, float(find(entry, "young")), float(nu))
    return found


def _cells(entry: dict[str, Any], mesh: Mesh, name: str) -> np.ndarray:
    for key in ("tets", "tetrahedra", "tet_indices", "elements", "cells"):
        if isinstance(entry.get(key), list):
            listed = np.asarray(entry[key], dtype=np.int64)
            if listed.ndim == 2:
                order = {tuple(sorted(t)): i for i, t in enumerate(mesh.tets.tolist())}
                listed = np.array([order[tuple(sorted(t))] for t in listed.tolist()], dtype=np.int64)
            return listed
    box = find(entry, "box")
    if not isinstance(box, list) or np.size(box) != 6:
        raise InvalidInput(f"reference layer {name!r} lacks 'tets' or a 'box' of six numbers: give one of them")
    corner = np.asarray(box, dtype=float).reshape(2, 3)
    inside = ((mesh.nodes >= corner.min(axis=0)) & (mesh.nodes <= corner.max(axis=0))).all(axis=1)
    return np.flatnonzero(inside[mesh.tets].all(axis=1))


def _sum(material: Material, young: float, poisson: float) -> Material:
    """The material whose Lame constants are those of both."""
    kind = type(material)
    extra = {"rotation": material.rotation} if isinstance(material, Corotational) else {}
    lam, mu = np.add(material.lame, kind(young=young, poisson=poisson, **extra).lame)
    return kind(young=float(mu * (3 * lam + 2 * mu) / (lam + mu)), poisson=float(lam / (2 * (lam + mu))), **extra)
