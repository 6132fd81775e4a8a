"""`plantar doctor`: what this installation can do."""

from __future__ import annotations

import os
import platform
from importlib import metadata
from typing import Any

import plantar
from plantar import _opengl
from plantar._extras import EXTRAS
from plantar.cli.common import Json, emit, table_text

CORE = ("mujoco", "numpy", "scipy", "matplotlib", "typer")


def doctor(as_json: Json = False) -> None:
    """Show what is installed, what each missing extra would add, and whether OpenGL works."""
    record = examine()
    emit(record, as_json=as_json, text=_text(record))


def examine() -> dict[str, Any]:
    """Versions, extras and OpenGL as plain data."""
    backend = _opengl.backend()
    return {
        "plantar": plantar.__version__,
        "python": platform.python_version(),
        "system": platform.platform(terse=True),
        "cores": os.cpu_count(),
        "packages": {name: _version(name) for name in CORE},
        "extras": {
            name: {"installed": not extra.missing, "missing": list(extra.missing), "unlocks": extra.unlocks}
            for name, extra in EXTRAS.items()
        },
        "opengl": {"available": backend is not None, "backend": backend, "tried": list(_opengl.candidates())},
    }


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def _text(record: dict[str, Any]) -> str:
    head = [{"what": k, "found": record[k]} for k in ("plantar", "python", "system", "cores")]
    packages = [{"what": k, "found": v or "missing"} for k, v in record["packages"].items()]
    extras = [
        {"extra": name, "state": _state(name, extra), "unlocks": extra["unlocks"]}
        for name, extra in record["extras"].items()
    ]
    return "\n\n".join([table_text([*head, *packages]), table_text(extras), _opengl_line(record["opengl"])])


def _state(name: str, extra: dict[str, Any]) -> str:
    return "installed" if extra["installed"] else f"missing: pip install 'plantar[{name}]'"


def _opengl_line(opengl: dict[str, Any]) -> str:
    if opengl["available"]:
        return f"OpenGL: works off-screen (MUJOCO_GL={opengl['backend'] or 'default'})"
    tried = ", ".join(name or "default" for name in opengl["tried"])
    return f"OpenGL: not available (tried {tried}); pictures are ray cast on the CPU; nothing else changes"
