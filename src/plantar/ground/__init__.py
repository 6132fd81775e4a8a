"""Grounds: contact laws in SI units, what MuJoCo makes of them, parameters for a wanted sinkage, terrains.

Names are imported when they are first used: the laws are below `feet`, and `identify` needs robots, which are above.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from plantar.ground import materials as materials
    from plantar.ground._identification import Identification as Identification
    from plantar.ground._identification import Status as Status
    from plantar.ground.bekker import BekkerLaw as BekkerLaw
    from plantar.ground.elevation import ElevationGrid as ElevationGrid
    from plantar.ground.explain_contact import Explanation as Explanation
    from plantar.ground.explain_contact import explain as explain
    from plantar.ground.ground import Ground as Ground
    from plantar.ground.hunt_crossley import HuntCrossley as HuntCrossley
    from plantar.ground.identify_ground import identify as identify
    from plantar.ground.identify_ground import static_parameters as static_parameters
    from plantar.ground.impedance import Solver as Solver
    from plantar.ground.law import Law as Law
    from plantar.ground.linear import ContactLaw as ContactLaw
    from plantar.ground.linear import LinearLaw as LinearLaw
    from plantar.ground.mujoco_law import MujocoLaw as MujocoLaw
    from plantar.ground.realisation import Realisation as Realisation
    from plantar.ground.realisation import realise as realise
    from plantar.ground.standing_depth import sinkage as sinkage
    from plantar.ground.terrain import Flat as Flat
    from plantar.ground.terrain import Slope as Slope
    from plantar.ground.terrain import Terrain as Terrain
    from plantar.ground.terrain_fields import HeightField as HeightField
    from plantar.ground.terrain_fields import Rough as Rough
    from plantar.ground.terrain_obstacles import Bars as Bars
    from plantar.ground.terrain_obstacles import Stairs as Stairs
    from plantar.ground.terrain_obstacles import SteppingStones as SteppingStones
    from plantar.ground.terrain_obstacles import Steps as Steps
    from plantar.ground.terrain_patches import Course as Course
    from plantar.ground.terrain_patches import Patch as Patch
    from plantar.ground.terrain_patches import Patches as Patches
    from plantar.ground.tracks import Tracks as Tracks
    from plantar.ground.yielding import YieldingGround as YieldingGround
    from plantar.ground.yielding import load_ground as load_ground

_HOMES = {
    "Identification": "_identification",
    "Status": "_identification",
    "BekkerLaw": "bekker",
    "ElevationGrid": "elevation",
    "Explanation": "explain_contact",
    "explain": "explain_contact",
    "Ground": "ground",
    "HuntCrossley": "hunt_crossley",
    "identify": "identify_ground",
    "static_parameters": "identify_ground",
    "Solver": "impedance",
    "Law": "law",
    "ContactLaw": "linear",
    "LinearLaw": "linear",
    "MujocoLaw": "mujoco_law",
    "Realisation": "realisation",
    "realise": "realisation",
    "sinkage": "standing_depth",
    "Flat": "terrain",
    "Slope": "terrain",
    "Terrain": "terrain",
    "HeightField": "terrain_fields",
    "Rough": "terrain_fields",
    "Bars": "terrain_obstacles",
    "Stairs": "terrain_obstacles",
    "SteppingStones": "terrain_obstacles",
    "Steps": "terrain_obstacles",
    "Course": "terrain_patches",
    "Patch": "terrain_patches",
    "Patches": "terrain_patches",
    "Tracks": "tracks",
    "YieldingGround": "yielding",
    "load_ground": "yielding",
}
"""The module of each public name."""


def __getattr__(name: str) -> Any:
    if name == "materials":
        return importlib.import_module("plantar.ground.materials")
    if name in _HOMES:
        return getattr(importlib.import_module(f"plantar.ground.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'plantar.ground' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), "materials", *_HOMES])
