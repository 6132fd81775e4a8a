"""What drives the body of a reference file: cables, cavities and their commands."""

from __future__ import annotations

from typing import Any

import numpy as np

from plantar.errors import InvalidInput
from plantar.soft.mesh.mesh import Mesh
from plantar.soft.reference._parts import find, label_number, numbers, points_of, read_points, texts
from plantar.soft.scene.cable import Cable
from plantar.soft.scene.cavity import Cavity
from plantar.soft.scene.mapping import Barycentric


def read_drive(
    both: dict[str, Any], result: dict[str, Any], mesh: Mesh
) -> tuple[tuple[Cable | Cavity, ...], dict[str, float]]:
    """Actuators and their commands; cables come before cavities."""
    control = str(result.get("control", "")).lower()
    command = find(result, "command")
    cables, cavities = _cables(both, result, mesh, control), _cavities(both, mesh, control)
    made: tuple[Cable | Cavity, ...] = (*cables, *cavities)
    if not made:
        return (), {}
    if command is None and cavities and not cables:
        command = find(result, "volume_change" if "volume" in control else "pressure")
    given = numbers(command, len(made)) if command is not None else [0.0] * len(made)
    return made, {a.name: v for a, v in zip(made, given, strict=True)}


def _cables(both: dict[str, Any], result: dict[str, Any], mesh: Mesh, control: str) -> list[Cable]:
    drive = "force" if _by_force(result, control) else "length"
    low = find(both, "stroke") or find(both, "maxPositiveDisp")
    most = float(low) if isinstance(low, int | float) else label_number(both, _value("maxPositiveDisp"), np.inf)
    strongest = float(find(both, "max_force") or label_number(both, _value("maxForce"), np.inf))
    return [
        Cable(
            name=f"cable{i}",
            body="body",
            points=points,
            anchor=anchor,
            drive=drive,
            stroke=(-np.inf, most),
            max_force=strongest,
        )
        for i, (points, anchor) in enumerate(_cable_points(both, mesh))
    ]


def _value(name: str) -> str:
    return rf"{name}\s*=?\s*([\d.eE]+)"


def _by_force(result: dict[str, Any], control: str) -> bool:
    """Whether cables are driven by force; a state without control and commands is one without force."""
    if control:
        return "force" in control or "tension" in control
    if any(k in result for k in ("command_N", "command_mN")):
        return True
    label = str(result.get("label", "")).lower()
    return find(result, "command") is None or ("force" in label and "displacement" not in label)


def _cable_points(both: dict[str, Any], mesh: Mesh) -> list[tuple[Barycentric, Any]]:
    """Points and anchor of every cable."""
    if isinstance(both.get("cables"), list):
        return [_one_cable(c, mesh, i) for i, c in enumerate(both["cables"])]
    places, stored = find(both, "cable_points"), both.get("cable_point_mapping")
    if places is not None or stored is not None:
        anchor = find(both, "pull_point")
        if not _nested(places, 3) and not _nested(stored, 2):
            return [(points_of(stored, places, mesh, "cable_point_mapping or cable_points"), anchor)]
        anchor = anchor if anchor is not None else find(both, "pull_points")
        count = len(places if places is not None else stored or [])
        return [
            _one_cable({"points": places and places[i], "mapping": stored and stored[i], "pull_point": pick(anchor, i)},
                       mesh, i)
            for i in range(count)
        ]  # fmt: skip
    anchors = find(both, "pull_points")
    if anchors is not None:
        points = read_points(both, "controlled_point_mapping", "controlled_points", mesh)
        # controlled point 0 is the effector, cable i holds point i + 1
        return [
            (Barycentric(nodes=points.nodes[[i + 1]], weights=points.weights[[i + 1]]), anchor)
            for i, anchor in enumerate(anchors)
        ]
    return []


def _nested(value: Any, depth: int) -> bool:
    """Whether a list holds lists, `depth` of them inside each other."""
    for _ in range(depth):
        if not isinstance(value, list) or not value:
            return False
        value = value[0]
    return True


def pick(anchors: Any, index: int) -> Any:
    """The anchor of one cable, from one for all or one each."""
    return anchors[index] if _nested(anchors, 2) else anchors


def _one_cable(entry: Any, mesh: Mesh, index: int) -> tuple[Barycentric, Any]:
    if not isinstance(entry, dict):
        raise InvalidInput(f"reference cable {index} is not a record with 'points' or 'mapping': fix the file")
    stored = next((entry[k] for k in ("mapping", "point_mapping", "cable_point_mapping") if entry.get(k)), None)
    places = find(entry, "points") if find(entry, "points") is not None else find(entry, "cable_points")
    return points_of(stored, places, mesh, f"points of cable {index}"), find(entry, "pull_point")


def _cavities(both: dict[str, Any], mesh: Mesh, control: str) -> list[Cavity]:
    entries = both.get("cavities")
    if not isinstance(entries, list):
        entries = [both] if _triangles(both) is not None else []
    drive = "volume" if "volume" in control else "pressure"
    closed = any("minPressure=0" in t.replace(" ", "") for t in texts(both)) or find(both, "min_pressure") == 0
    found = []
    for i, entry in enumerate(entries):
        triangles = _triangles(entry)
        if triangles is None:
            raise InvalidInput(f"reference cavity {i} lacks 'cavity_triangle_list': list its triangles")
        points = read_points(entry, "cavity_point_mapping", "cavity_rest_positions", mesh)
        name = "cavity" if len(entries) == 1 else f"cavity{i}"
        made = Cavity(name=name, body="body", surface=triangles, points=points, drive=drive, unilateral=closed)
        found.append(made)
    return found


def _triangles(entry: dict[str, Any]) -> np.ndarray | None:
    for key in ("cavity_triangle_list", "cavity_triangles_list", "cavity_triangles", "triangles"):
        if isinstance(entry.get(key), list):
            return np.asarray(entry[key], dtype=np.int64)
    return None
