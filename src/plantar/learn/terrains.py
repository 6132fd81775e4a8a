"""Grounds of the tasks: a plane, a field of bumps, waves and slopes, and bars across a plane."""
# the extra `learn` need not be installed where types are checked
# pyright: reportMissingImports=false

from __future__ import annotations

import math
from dataclasses import dataclass

import mujoco
import numpy as np
from mjlab.terrains import TerrainEntityCfg
from mjlab.terrains.config import hf_pyramid_slope, random_rough, wave_terrain
from mjlab.terrains.primitive_terrains import BoxFlatTerrainCfg
from mjlab.terrains.terrain_generator import SubTerrainCfg, TerrainGeneratorCfg, TerrainGeometry, TerrainOutput

from plantar.learn.config import TaskConfig

PATCH = 8.0
"""Side of a patch of ground [m]."""
LEVELS = 10
"""Patches from the easiest to the hardest."""
START = 0.6
"""No bar lies as near to where a robot starts [m]."""
DEEP = 0.5
"""How far a patch and its bars reach down [m]."""


@dataclass(kw_only=True)
class BarsCfg(SubTerrainCfg):
    """Bars of square section across a plane, in random places and directions."""

    height: tuple[float, float]
    """Their height on the easiest and on the hardest patch [m]."""
    count: int = 9
    """Bars of a patch."""
    length: float = 3.0
    """Length of a bar [m]."""

    def function(self, difficulty: float, spec: mujoco.MjSpec, rng: np.random.Generator) -> TerrainOutput:
        """Make a patch."""
        body, (width, depth) = spec.body("terrain"), self.size
        middle = np.array([width / 2, depth / 2])
        box = mujoco.mjtGeom.mjGEOM_BOX
        made = [body.add_geom(type=box, size=[width / 2, depth / 2, DEEP], pos=[*middle, -DEEP])]
        tall = self.height[0] + difficulty * (self.height[1] - self.height[0])
        for _ in range(self.count if tall > 1e-4 else 0):
            turn, away, along = rng.uniform(0, math.pi), rng.uniform(START, width / 2 - 0.1), rng.uniform(-1, 1)
            across = np.array([math.cos(turn), math.sin(turn)]) * rng.choice([-1, 1])
            place = middle + away * across + along * np.array([-across[1], across[0]])
            quat = [math.cos(turn / 2), 0, 0, math.sin(turn / 2)]
            size = [tall / 2, self.length / 2, DEEP]
            made.append(body.add_geom(type=box, size=size, pos=[*place, tall - DEEP], quat=quat))
        colours = [(0.5, 0.5, 0.5, 1.0), *[(0.8, 0.4, 0.2, 1.0)] * (len(made) - 1)]
        parts = [TerrainGeometry(geom=geom, color=rgba) for geom, rgba in zip(made, colours, strict=True)]
        return TerrainOutput(origin=np.array([*middle, 0.0]), geometries=parts)


def terrain_of(config: TaskConfig, seed: int, *, play: bool = False) -> TerrainEntityCfg:
    """The ground of a task; while training, worlds go on to harder patches as they master them."""
    if config.terrain == "flat":
        return TerrainEntityCfg(terrain_type="plane", env_spacing=0.0)
    if config.terrain == "bars":
        kinds: dict[str, SubTerrainCfg] = {"bars": BarsCfg(height=config.height)}
    else:
        kinds = {
            "flat": BoxFlatTerrainCfg(proportion=0.2),
            "bumps": random_rough(proportion=0.4, noise_range=(0.005, 0.05), noise_step=0.005),
            "waves": wave_terrain(proportion=0.2, amplitude_range=(0.0, 0.1), num_waves=4),
            "slope": hf_pyramid_slope(proportion=0.2, slope_range=(0.0, 0.3)),
        }
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
