"""Plantar: soft adaptive feet of legged robots, in MuJoCo."""

from __future__ import annotations

import importlib
from types import ModuleType
from typing import TYPE_CHECKING

from plantar.errors import Diverged as Diverged
from plantar.errors import InvalidInput as InvalidInput
from plantar.errors import MissingExtra as MissingExtra
from plantar.errors import PlantarError as PlantarError

if TYPE_CHECKING:
    from plantar import bench as bench
    from plantar import design as design
    from plantar import feet as feet
    from plantar import foothold as foothold
    from plantar import gait as gait
    from plantar import ground as ground
    from plantar import robots as robots
    from plantar import show as show
    from plantar import soft as soft
    from plantar import sweep as sweep
    from plantar import walk as walk

__version__ = "0.1.0"

ROOMS = ("feet", "robots", "ground", "bench", "walk", "gait", "soft", "foothold", "design", "sweep", "show")
"""Subpackages that are imported when first named, so that `import plantar` stays quick."""


def __getattr__(name: str) -> ModuleType:
    if name in ROOMS:
        return importlib.import_module(f"plantar.{name}")
    raise AttributeError(f"module 'plantar' has no attribute {name!r}; its rooms are {', '.join(ROOMS)}")


def __dir__() -> list[str]:
    return sorted([*globals(), *ROOMS])
