"""Grounds of the tasks: a plane, or patches of the terrains of `plantar.ground`, from easy to hard."""
# the extra `learn` need not be installed where types are checked
# pyright: reportMissingImports=false

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import mujoco
import numpy as np
from mjlab.terrains import TerrainEntityCfg
from mjlab.terrains.terrain_generator import SubTerrainCfg, TerrainGeneratorCfg, TerrainGeometry, TerrainOutput

from plantar.ground.terrain.registry import fields_of, find, make
from plantar.ground.terrain.terrain import Terrain
from plantar.learn.config import FLATTEST, LEVELS, TaskConfig

PATCH = 8.0
"""Side of a patch of ground [m]."""
START = 0.6
"""Radius around a robot's start within which the ground is level [m]."""
DEEP = 0.5
"""How far a patch that has a floor reaches down [m]."""
_FIELD = {"size": (PATCH, PATCH), "start": -PATCH / 2, "cell": 0.1, "flat": START}
_PLANE, _HFIELD = int(mujoco.mjtGeom.mjGEOM_PLANE), int(mujoco.mjtGeom.mjGEOM_HFIELD)


@dataclass(kw_only=True)
class GroundCfg(SubTerrainCfg):
    """A patch of a terrain of `plantar.ground`; one that lies ahead of a robot is laid out on all four sides."""

    kind: str
    """Its kind."""
    sizes: tuple[float, float]
    """Its size on the easiest and on the hardest patch, in the unit of the kind."""
    fields: dict[str, Any] = field(default_factory=dict)
    """Other fields of its kind."""
    around: bool = True
    """Whether it lies ahead of a robot, or is all of the patch by itself."""

    def function(self, difficulty: float, spec: mujoco.MjSpec, rng: np.random.Generator) -> TerrainOutput:
        """Make a patch."""
        body, (width, depth) = spec.body("terrain"), self.size
        middle, made, floor = np.array([width / 2, depth / 2, 0.0]), [], True
        size = self.sizes[0] + difficulty * (self.sizes[1] - self.sizes[0])
        for quarter in range(4 if self.around else 1) if size > FLATTEST else ():
            scene = mujoco.MjSpec()
            self._terrain(size, int(rng.integers(2**31))).add(scene)
            floor = any(int(geom.type) == _PLANE for geom in scene.worldbody.geoms)
            made += [_laid(spec, scene, geom, quarter, middle) for geom in scene.geoms if int(geom.type) != _PLANE]
        parts = [TerrainGeometry(geom=geom, color=(0.8, 0.4, 0.2, 1.0)) for geom in made]
        if floor:
            half = [width / 2, depth / 2, DEEP]
            level = body.add_geom(type=mujoco.mjtGeom.mjGEOM_BOX, size=half, pos=[*middle[:2], -DEEP])
            parts.append(TerrainGeometry(geom=level, color=(0.5, 0.5, 0.5, 1.0)))
        return TerrainOutput(origin=middle, geometries=parts)

    def _terrain(self, size: float, seed: int) -> Terrain:
        names = {name for name, _ in fields_of(self.kind)}
        given = {"seed": seed, "start": START, find(self.kind).size_field: size}  # type: ignore[attr-defined]
        return make(self.kind, **{name: value for name, value in given.items() if name in names} | self.fields)


def _laid(
    spec: mujoco.MjSpec, scene: mujoco.MjSpec, geom: mujoco.MjsGeom, quarter: int, middle: np.ndarray
) -> mujoco.MjsGeom:
    """A geom of a terrain in the ground of mjlab, turned to the left by quarters of a turn."""
    half, quat = quarter * math.pi / 4, np.zeros(4)
    turn = np.array([math.cos(half), 0.0, 0.0, math.sin(half)])
    mujoco.mju_mulQuat(quat, turn, geom.quat)
    place = np.zeros(3)
    mujoco.mju_rotVecQuat(place, geom.pos, turn)
    named = {}
    if int(geom.type) == _HFIELD:
        grid, name = geom.hfieldname, f"plantar_{len(spec.hfields)}"
        one = scene.hfield(grid)
        spec.add_hfield(name=name, nrow=one.nrow, ncol=one.ncol, size=one.size, userdata=one.userdata)
        named = {"hfieldname": name}
    return spec.body("terrain").add_geom(type=geom.type, size=geom.size, pos=place + middle, quat=quat, **named)


def terrain_of(config: TaskConfig, seed: int, *, play: bool = False) -> TerrainEntityCfg:
    """The ground of a task; during training, worlds move on to harder patches as they master them."""
    if config.terrain == "flat":
        return TerrainEntityCfg(terrain_type="plane", env_spacing=0.0)
    if config.terrain == "rough":
        kinds: dict[str, SubTerrainCfg] = {
            "flat": GroundCfg(kind="rough", sizes=(0.0, 0.0), proportion=0.2),
            "bumps": _field(rms=0.015, correlation=0.2, proportion=0.4),
            "waves": _field(rms=0.03, correlation=0.8, proportion=0.2),
            "slope": _slope((0.0, 0.25), proportion=0.2),
        }
    elif config.terrain == "bars":
        fields = {"count": 4, "length": 3.0, "spacing": (0.5, 0.9), "turn": math.pi / 4}
        kinds = {"bars": GroundCfg(kind="bars", sizes=config.height, fields=fields)}
    elif config.terrain == "slope":
        kinds = {"slope": _slope(config.height)}
    else:
        kinds = {config.terrain: GroundCfg(kind=config.terrain, sizes=config.height)}
    generator = TerrainGeneratorCfg(
        seed=seed,
        size=(PATCH, PATCH),
        border_width=10.0,
        num_rows=LEVELS,
        num_cols=len(kinds),
        sub_terrains=kinds,
        curriculum=not play,
    )
    return TerrainEntityCfg(terrain_type="generator", terrain_generator=generator, max_init_terrain_level=3)


def _field(rms: float, correlation: float, proportion: float) -> GroundCfg:
    """Patches of a random field."""
    fields = {**_FIELD, "correlation": correlation}
    return GroundCfg(kind="rough", sizes=(0.0, rms), fields=fields, around=False, proportion=proportion)


def _slope(angles: tuple[float, float], proportion: float = 1.0) -> GroundCfg:
    """Patches with a ramp from near the start to the edge; a plane alone would have no edge."""
    fields = {"width": PATCH, "length": PATCH / 2 - START, "down": False, "plateau": 0.05}
    return GroundCfg(kind="slope", sizes=angles, fields=fields, around=False, proportion=proportion)
