"""Grounds: contact laws in SI units, how MuJoCo realises them, parameters for a desired sinkage, terrains.

Names are imported when they are first used: the laws are below `feet`, and `identify` needs robots, which are above.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from plantar.ground.contact.explain import Explanation as Explanation
    from plantar.ground.contact.explain import explain as explain
    from plantar.ground.contact.ground import Ground as Ground
    from plantar.ground.contact.realisation import Realisation as Realisation
    from plantar.ground.contact.realisation import realise as realise
    from plantar.ground.laws import materials as materials
    from plantar.ground.laws.bekker import BekkerLaw as BekkerLaw
    from plantar.ground.laws.hunt_crossley import HuntCrossley as HuntCrossley
    from plantar.ground.laws.impedance import Solver as Solver
    from plantar.ground.laws.law import Law as Law
    from plantar.ground.laws.linear import ContactLaw as ContactLaw
    from plantar.ground.laws.linear import LinearLaw as LinearLaw
    from plantar.ground.laws.mujoco_law import MujocoLaw as MujocoLaw
    from plantar.ground.soil.tracks import Tracks as Tracks
    from plantar.ground.soil.yielding import YieldingGround as YieldingGround
    from plantar.ground.soil.yielding import load_ground as load_ground
    from plantar.ground.terrain.bars import Bars as Bars
    from plantar.ground.terrain.conventions import from_grid_map as from_grid_map
    from plantar.ground.terrain.conventions import from_grid_map_message as from_grid_map_message
    from plantar.ground.terrain.conventions import from_hfield as from_hfield
    from plantar.ground.terrain.conventions import from_image as from_image
    from plantar.ground.terrain.conventions import to_grid_map as to_grid_map
    from plantar.ground.terrain.conventions import to_grid_map_message as to_grid_map_message
    from plantar.ground.terrain.elevation_map import ElevationMap as ElevationMap
    from plantar.ground.terrain.fields import HeightField as HeightField
    from plantar.ground.terrain.fields import Rough as Rough
    from plantar.ground.terrain.loose import Plates as Plates
    from plantar.ground.terrain.obstacles import Cobbles as Cobbles
    from plantar.ground.terrain.obstacles import Stairs as Stairs
    from plantar.ground.terrain.obstacles import SteppingStones as SteppingStones
    from plantar.ground.terrain.obstacles import Steps as Steps
    from plantar.ground.terrain.patches import Course as Course
    from plantar.ground.terrain.patches import Patch as Patch
    from plantar.ground.terrain.patches import Patches as Patches
    from plantar.ground.terrain.plain import Flat as Flat
    from plantar.ground.terrain.plain import Slope as Slope
    from plantar.ground.terrain.registry import draw as draw
    from plantar.ground.terrain.registry import kinds as kinds
    from plantar.ground.terrain.registry import make as make
    from plantar.ground.terrain.registry import register as register
    from plantar.ground.terrain.reliefs import RELIEFS as RELIEFS
    from plantar.ground.terrain.reliefs import Relief as Relief
    from plantar.ground.terrain.reliefs import draw_relief as draw_relief
    from plantar.ground.terrain.terrain import RigidTerrain as RigidTerrain
    from plantar.ground.terrain.terrain import Terrain as Terrain
    from plantar.ground.terrain.wild import Potholes as Potholes
    from plantar.ground.terrain.wild import Rubble as Rubble
    from plantar.ground.terrain.wild import Trenches as Trenches
    from plantar.identify.identification import Identification as Identification
    from plantar.identify.identification import Status as Status
    from plantar.identify.identify import identify as identify
    from plantar.identify.identify import static_parameters as static_parameters
    from plantar.identify.standing_depth import sinkage as sinkage

_PUBLIC = {
    "ground.contact.explain": ("Explanation", "explain"),
    "ground.contact.ground": ("Ground",),
    "ground.contact.realisation": ("Realisation", "realise"),
    "ground.laws.bekker": ("BekkerLaw",),
    "ground.laws.hunt_crossley": ("HuntCrossley",),
    "ground.laws.impedance": ("Solver",),
    "ground.laws.law": ("Law",),
    "ground.laws.linear": ("ContactLaw", "LinearLaw"),
    "ground.laws.mujoco_law": ("MujocoLaw",),
    "ground.soil.tracks": ("Tracks",),
    "ground.soil.yielding": ("YieldingGround", "load_ground"),
    "ground.terrain.conventions": (
        "from_grid_map",
        "from_grid_map_message",
        "from_hfield",
        "from_image",
        "to_grid_map",
        "to_grid_map_message",
    ),
    "ground.terrain.elevation_map": ("ElevationMap",),
    "ground.terrain.bars": ("Bars",),
    "ground.terrain.fields": ("HeightField", "Rough"),
    "ground.terrain.loose": ("Plates",),
    "ground.terrain.obstacles": ("Cobbles", "Stairs", "SteppingStones", "Steps"),
    "ground.terrain.patches": ("Course", "Patch", "Patches"),
    "ground.terrain.plain": ("Flat", "Slope"),
    "ground.terrain.registry": ("draw", "kinds", "make", "register"),
    "ground.terrain.reliefs": ("RELIEFS", "Relief", "draw_relief"),
    "ground.terrain.terrain": ("RigidTerrain", "Terrain"),
    "ground.terrain.wild": ("Potholes", "Rubble", "Trenches"),
    "identify.identification": ("Identification", "Status"),
    "identify.identify": ("identify", "static_parameters"),
    "identify.standing_depth": ("sinkage",),
}
"""Public names by the module that has them."""
_HOMES = {name: f"plantar.{module}" for module, names in _PUBLIC.items() for name in names}


def __getattr__(name: str) -> Any:
    if name == "materials":
        return importlib.import_module("plantar.ground.laws.materials")
    if name in _HOMES:
        return getattr(importlib.import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'plantar.ground' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), "materials", *_HOMES])
