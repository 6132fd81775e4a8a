"""Plantar: soft adaptive feet of legged robots, in MuJoCo."""
# ruff: noqa: E402  (Ctrl-C is looked after before anything is imported that takes time)

from __future__ import annotations

import signal
import sys

_given = sys.orig_argv[1:3]
if _given == ["-m", "plantar"] or (_given and _given[0].endswith(("/plantar", "\\plantar"))):
    # until the command is ready for it, Ctrl-C ends this process as it ends any, without a traceback of imports
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)

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
    from plantar import learn as learn
    from plantar import robots as robots
    from plantar import show as show
    from plantar import soft as soft
    from plantar import sweep as sweep
    from plantar import walk as walk

__version__ = "0.1.0"

ROOMS = ("feet", "robots", "ground", "bench", "walk", "gait", "soft", "foothold", "learn", "design", "sweep", "show")
"""Subpackages that are imported when first named, so that `import plantar` stays quick."""


def __getattr__(name: str) -> ModuleType:
    if name in ROOMS:
        return importlib.import_module(f"plantar.{name}")
    raise AttributeError(f"module 'plantar' has no attribute {name!r}; its rooms are {', '.join(ROOMS)}")


def __dir__() -> list[str]:
    return sorted([*globals(), *ROOMS])
