"""Scene files: YAML that holds data only; reading one never runs code."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from plantar._arguments import checks_arguments
from plantar._checks import require, require_choice
from plantar._config import Duration, NotNegative, check_value
from plantar._read import read_yaml, reading
from plantar.errors import InvalidInput
from plantar.soft.fem.beam import BeamBody, Section
from plantar.soft.fem.material import MATERIALS
from plantar.soft.fem.springs import SpringBody
from plantar.soft.scene._file_mesh import read_body_mesh, read_triangles
from plantar.soft.scene._file_track import read_track
from plantar.soft.scene.body import SoftBody
from plantar.soft.scene.bond import FixedDistance, FixedPosition
from plantar.soft.scene.cable import Cable
from plantar.soft.scene.cavity import Cavity
from plantar.soft.scene.contact import Contact
from plantar.soft.scene.goal import Goal
from plantar.soft.scene.load import Load
from plantar.soft.scene.obstacle import OBSTACLES
from plantar.soft.scene.rigid import RigidBody
from plantar.soft.scene.scene import Scene
from plantar.soft.scene.skin import Skin

TOP = (
    "bodies",
    "actuators",
    "bonds",
    "contacts",
    "goals",
    "loads",
    "skins",
    "gravity",
    "dt",
    "mode",
    "rayleigh",
    "backend",
    "duration",
    "drive",
    "targets",
    "energy",
)
"""Fields of a scene file."""


@dataclass(frozen=True, eq=False)
class SceneFile:
    """A scene and what is done with it."""

    scene: Scene
    """The scene, at rest."""
    duration: float
    """How long it runs [s]."""
    drive: Mapping[str, np.ndarray] = field(default_factory=dict)
    """Commands over time: rows of time and value, straight lines between them."""
    targets: Mapping[str, np.ndarray] = field(default_factory=dict)
    """Targets of goals over time: rows of time, x, y, z; if there are any, the inverse drives the actuators."""
    energy: float = 1e-5
    """Weight of the energy in the inverse."""

    def commands(self, time: float) -> dict[str, float]:
        """Commands at a time."""
        return {n: float(np.interp(time, rows[:, 0], rows[:, 1])) for n, rows in self.drive.items()}

    def goals(self, time: float) -> dict[str, list[float]]:
        """Targets at a time."""
        return {
            n: [float(np.interp(time, rows[:, 0], rows[:, k])) for k in (1, 2, 3)] for n, rows in self.targets.items()
        }

    def step(self) -> Any:
        """Make the next step: direct, or inverse where there are targets."""
        time = self.scene.time + self.scene.dt
        if self.targets:
            return self.scene.solve_inverse(self.goals(time), energy=self.energy)
        return self.scene.step(self.commands(time))


@checks_arguments
def load_scene(path: str | Path) -> SceneFile:
    """Read a scene from a YAML file; paths in it count from its folder.

    Raises:
        InvalidInput: If the file cannot be read or a field is unknown or wrong; the message names it.
    """
    path = Path(path)
    with reading(path, "scene", "give a YAML file"):
        data = read_yaml(path)
        require(isinstance(data, dict), f"scene {str(path)!r}", type(data).__name__, "a table with bodies")
        return read_scene(_numbers(data), path.parent)


def _numbers(value: Any) -> Any:
    """Numbers such as 2e5, which YAML 1.1 reads as strings, as numbers."""
    if isinstance(value, dict):
        return {k: _numbers(v) for k, v in value.items()}
    if isinstance(value, list):
        return [_numbers(v) for v in value]
    if isinstance(value, str) and re.fullmatch(r"[-+]?(\d+\.?\d*|\.\d+)[eE][-+]?\d+", value):
        return float(value)
    return value


def read_scene(data: dict[str, Any], folder: Path | str = ".") -> SceneFile:
    """A scene from plain data."""
    _known("scene", data, TOP)
    folder = Path(folder)
    bodies = [_body(b, folder) for b in _list(data, "bodies")]
    options = {k: data[k] for k in ("gravity", "dt", "mode", "backend") if k in data}
    if "rayleigh" in data:
        given = data["rayleigh"]
        options["rayleigh"] = tuple(given) if isinstance(given, list) else given
    scene = Scene(
        bodies,
        [_actuator(a, folder) for a in _list(data, "actuators")],
        bonds=[_pick("bond", b, {"distance": FixedDistance, "position": FixedPosition}) for b in _list(data, "bonds")],
        contacts=[_contact(c, folder) for c in _list(data, "contacts")],
        goals=[_make("goal", Goal, g) for g in _list(data, "goals")],
        loads=[_make("load", Load, x) for x in _list(data, "loads")],
        skins=[_skin(s, folder) for s in _list(data, "skins")],
        **options,
    )
    for name in ("drive", "targets"):
        require(isinstance(data.get(name) or {}, dict), name, data.get(name), "a table of names and rows")
    drive = {n: read_track(f"drive of {n!r}", rows, 2) for n, rows in (data.get("drive") or {}).items()}
    for name in drive:
        require(name in scene.actuators, "drive", name, f"an actuator: {', '.join(scene.actuators) or 'there is none'}")
    targets = {n: read_track(f"targets of {n!r}", rows, 4) for n, rows in (data.get("targets") or {}).items()}
    for name in targets:
        require(name in scene.goals, "targets", name, f"a goal: {', '.join(scene.goals) or 'there is none'}")
    duration = data.get("duration", 100 * scene.dt)
    check_value("duration", duration, Duration)
    check_value("energy", data.get("energy", 1e-5), NotNegative)
    return SceneFile(scene, float(duration), drive, targets, float(data.get("energy", 1e-5)))


def _list(data: Mapping[str, Any], name: str) -> list[dict[str, Any]]:
    items = data.get(name) or []
    ok = isinstance(items, list) and all(isinstance(i, dict) for i in items)
    require(ok, name, type(items).__name__, "a list of tables")
    return items


def _known(what: str, data: Mapping[str, Any], fields: tuple[str, ...]) -> None:
    unknown = sorted(set(data) - set(fields))
    if unknown:
        raise InvalidInput(f"unknown field {unknown[0]!r} of {what}: known fields are {', '.join(sorted(fields))}")


def _make(what: str, cls: type, data: Mapping[str, Any], **given: Any) -> Any:
    """Build dataclass `cls` from plain data, with `given` in place of some fields."""
    _known(what, data, tuple(f.name for f in dataclasses.fields(cls) if f.init))
    values = {**data, **given}
    for key in ("rayleigh", "stroke", "bodies"):
        if isinstance(values.get(key), list):
            values[key] = tuple(values[key])
    missing = [
        f.name
        for f in dataclasses.fields(cls)
        if f.init
        and f.name not in values
        and f.default is dataclasses.MISSING
        and f.default_factory is dataclasses.MISSING
    ]
    if missing:
        raise InvalidInput(f"{what} {data.get('name', '')!r} lacks {missing[0]!r}: give it")
    try:
        return cls(**values)
    except (TypeError, ValueError) as error:
        if isinstance(error, InvalidInput):
            raise
        raise InvalidInput(f"{what} {data.get('name', '')!r}: {' '.join(str(error).split())}") from error


def _pick(what: str, data: Mapping[str, Any], kinds: Mapping[str, type]) -> Any:
    kind = data.get("kind")
    require_choice(f"kind of {what}", kind, tuple(kinds))
    return _make(what, kinds[str(kind)], {k: v for k, v in data.items() if k != "kind"})


def _material(data: Any) -> Any:
    require(isinstance(data, dict), "material", data, "a table with law, young and poisson")
    law = data.get("law", "corotational")
    require_choice("law", law, tuple(MATERIALS))
    return _make("material", MATERIALS[law], {k: v for k, v in data.items() if k != "law"})


def _body(data: dict[str, Any], folder: Path) -> Any:
    kind = data.get("kind", "soft")
    rest = {k: v for k, v in data.items() if k != "kind"}
    if kind == "soft":
        mesh = read_body_mesh(rest, folder)
        rest = {k: v for k, v in rest.items() if k not in ("regions", "surfaces", "cells")}
        parts = {k: _material(v) for k, v in (data.get("parts") or {}).items()}
        return _make("body", SoftBody, rest, mesh=mesh, material=_material(data.get("material")), parts=parts)
    if kind == "beam":
        return _make("body", BeamBody, rest, section=_section(data.get("section")))
    kinds = {"rigid": RigidBody, "springs": SpringBody}
    require(isinstance(kind, str) and kind in kinds, "kind of body", kind, "one of soft, beam, rigid, springs")
    return _make("body", kinds[kind], rest)


def _section(data: Any) -> Section:
    require(isinstance(data, dict), "section", data, "a table: radius, or y and z, or all constants")
    if set(data) <= {"radius", "shear"}:
        return Section.circle(float(data["radius"]), shear=bool(data.get("shear", False)))
    if set(data) <= {"y", "z", "shear"}:
        return Section.rectangle(float(data["y"]), float(data["z"]), shear=bool(data.get("shear", False)))
    return _make("section", Section, data)


def _actuator(data: dict[str, Any], folder: Path) -> Any:
    if data.get("kind") == "cavity" and isinstance(data.get("surface"), dict):
        nodes, triangles = read_triangles(data["surface"], folder)
        rest = {k: v for k, v in data.items() if k != "kind"}
        return _make("cavity", Cavity, rest, points=nodes, surface=triangles)
    return _pick("actuator", data, {"cable": Cable, "cavity": Cavity})


def _contact(data: dict[str, Any], folder: Path) -> Contact:
    against = data.get("against")
    if isinstance(against, dict):
        kind = against.get("kind")
        require_choice(f"contact {data.get('name')!r}: kind of against", kind, tuple(OBSTACLES))
        rest = {k: v for k, v in against.items() if k != "kind"}
        if kind == "surface" and "file" in rest:
            nodes, triangles = read_triangles(rest, folder)
            rest = {"nodes": nodes, "triangles": triangles}
        against = _make("obstacle", OBSTACLES[str(kind)], rest)
    return _make("contact", Contact, data, against=against)


def _skin(data: dict[str, Any], folder: Path) -> Skin:
    if "file" not in data:
        return _make("skin", Skin, data)
    nodes, triangles = read_triangles({k: data[k] for k in ("file", "unit") if k in data}, folder)
    return _make(
        "skin", Skin, {k: v for k, v in data.items() if k not in ("file", "unit")}, nodes=nodes, triangles=triangles
    )
