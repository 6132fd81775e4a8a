"""Where the released model of the SoftFoot is on this machine, if it is; nothing is downloaded."""

from __future__ import annotations

import importlib
import importlib.util
import os
from pathlib import Path

ROOT_VARIABLE = "MENAGERIE_ROOT"
"""Environment variable with the folder of a clone of MuJoCo Menagerie."""
FOLDER, FILE = "iit_softfoot", "softfoot.xml"


def released_file() -> Path | None:
    """`iit_softfoot/softfoot.xml` of a clone of MuJoCo Menagerie, or of the cache of its package."""
    folders = []
    if os.environ.get(ROOT_VARIABLE):
        folders.append(Path(os.environ[ROOT_VARIABLE]).expanduser() / FOLDER)
    if (cached := _cached_folder()) is not None:
        folders.append(cached)
    return next((folder / FILE for folder in folders if (folder / FILE).is_file()), None)


def _cached_folder() -> Path | None:
    if importlib.util.find_spec("mujoco_menagerie") is None:
        return None
    menagerie = importlib.import_module("mujoco_menagerie")
    try:
        robot, cache = menagerie.get(FOLDER), menagerie.Cache()
        return Path(cache.model_path(robot)) if cache.is_cached(robot) else None
    except (AttributeError, menagerie.MenagerieError):
        # another version of the package, or one without this robot
        return None
