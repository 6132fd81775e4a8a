"""Robots that the packages `mujoco-menagerie` and `robot_descriptions` know; both download what is used."""

from __future__ import annotations

import importlib
import importlib.util
from pathlib import Path
from typing import Any

from plantar.errors import PlantarError

MENAGERIE, DESCRIPTIONS = "mujoco_menagerie", "robot_descriptions"
"""Packages to query, if installed."""
SUFFIX = "_description"
"""Suffix of the names of `robot_descriptions`, as in `g1_mj_description`."""


def package_names() -> list[str]:
    """Robots of MuJoCo Menagerie that its package knows; they need not be on this machine yet."""
    package = _installed(MENAGERIE)
    return list(package.names()) if package else []


def packaged(name: str) -> Path | None:
    """Folder or file of a robot that a package knows, downloaded on first use; None if none does.

    Raises:
        PlantarError: If it cannot be fetched, as without a network; the message says which package and why.
    """
    menagerie = _installed(MENAGERIE)
    if menagerie and name in menagerie.names():
        return Path(_fetched(MENAGERIE, name, lambda: menagerie.get(name).path()))
    if name.endswith(SUFFIX) and name.isidentifier() and _has(DESCRIPTIONS, name):
        module = _fetched(DESCRIPTIONS, name, lambda: importlib.import_module(f"{DESCRIPTIONS}.{name}"))
        return Path(getattr(module, "MJCF_PATH", "") or module.URDF_PATH)
    return None


def _installed(package: str) -> Any:
    return importlib.import_module(package) if importlib.util.find_spec(package) else None


def _has(package: str, name: str) -> bool:
    return bool(importlib.util.find_spec(package) and importlib.util.find_spec(f"{package}.{name}"))


def _fetched(package: str, name: str, fetch: Any) -> Any:
    try:
        return fetch()
    except Exception as error:  # each fails in a different way: no network, no git, a full disk
        why = " ".join(str(error).split()) or type(error).__name__
        raise PlantarError(f"robot {name!r} of the package {package} cannot be fetched: {why}") from error
