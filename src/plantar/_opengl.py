"""What MuJoCo does besides simulating: which OpenGL draws here, found without risking the process, and warnings."""

from __future__ import annotations

import ctypes.util
import functools
import importlib.util
import logging
import os
import subprocess
import sys
import tempfile
from pathlib import Path

PROBE = """
import mujoco
model = mujoco.MjModel.from_xml_string("<mujoco><worldbody><geom size='.1'/></worldbody></mujoco>")
data = mujoco.MjData(model)
mujoco.mj_forward(model, data)
with mujoco.Renderer(model, 32, 32) as renderer:
    renderer.update_scene(data)
    assert renderer.render().std() > 0
"""
"""Draws a ball; a broken driver may crash, so it runs in a separate process."""

_WARNINGS = logging.getLogger("plantar.mujoco")
KNOWN = ("", "enable", "enabled", "on", "true", "1", "glfw", "egl", "osmesa", "glx", "wgl", "cgl")
KNOWN += ("disable", "disabled", "off", "false", "0")
"""Values of MUJOCO_GL that MuJoCo does not refuse."""
LIBRARIES = {"egl": "EGL", "osmesa": "OSMesa"}
OFF = "PLANTAR_NO_GL"
"""Environment variable that turns OpenGL off when set to 1."""


def hush_mujoco() -> None:
    """Send MuJoCo's warnings, if it is loaded, to the log: by itself it prints them and leaves a file where it runs.

    What they warn of is looked at where it matters (`plantar.settle`).
    """
    if mujoco := sys.modules.get("mujoco"):
        mujoco.set_mju_user_warning(_WARNINGS.debug)


def disable_if_absent() -> None:
    """Set MUJOCO_GL to `disable` if it names a library that is not on this machine, or none at all."""
    name = os.environ.get("MUJOCO_GL", "").strip().lower()
    library = LIBRARIES.get(name)
    absent = library and sys.platform == "linux" and ctypes.util.find_library(library) is None
    if absent or name not in KNOWN:
        os.environ["MUJOCO_GL"] = "disable"


def use_own_glfw() -> None:
    """Name the library of GLFW's wheel: left to itself the package starts a process for every library it finds."""
    found = importlib.util.find_spec("glfw") if "PYGLFW_LIBRARY" not in os.environ else None
    if found is None or found.origin is None or sys.platform != "linux":
        return
    session = "wayland" if os.environ.get("XDG_SESSION_TYPE") == "wayland" else "x11"
    library = Path(found.origin).parent / session / "libglfw.so"
    if library.is_file():
        os.environ["PYGLFW_LIBRARY"] = str(library)


def hush_mesa() -> None:
    """Let Mesa keep no shaders where its folder for them cannot be made: it would print that it cannot."""
    named = os.environ.get("MESA_SHADER_CACHE_DIR", os.environ.get("XDG_CACHE_HOME"))
    place = Path(os.path.expanduser("~/.cache") if named is None else named)
    there = next((folder for folder in (place, *place.parents) if os.path.exists(folder)), None)
    if named == "" or there is None or not there.is_dir() or not os.access(there, os.W_OK):
        os.environ.setdefault("MESA_SHADER_CACHE_DISABLE", "true")


def backend() -> str | None:
    """The value of MUJOCO_GL that draws off-screen here, '' for MuJoCo's own choice, None if none does."""
    if os.environ.get(OFF, "0") not in ("", "0"):
        return None
    return _working_backend()


def activate(name: str) -> None:
    """Make MuJoCo use backend `name` from now on, even if it was imported before."""
    os.environ["MUJOCO_GL"] = name
    # MuJoCo reads the variable once, when this module is imported; others may have set it since, as mjlab does
    context = importlib.import_module("mujoco.rendering.classic.gl_context")
    if context._MUJOCO_GL != name:
        importlib.reload(context)


def candidates() -> tuple[str, ...]:
    """Backends worth trying, best first; one that the user chose is the only one."""
    chosen = os.environ.get("MUJOCO_GL")
    if chosen:
        return (chosen,)
    if sys.platform != "linux":
        return ("",)
    screen = os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    return ("", *LIBRARIES) if screen else tuple(LIBRARIES)


@functools.cache
def _working_backend() -> str | None:
    return next((name for name in candidates() if _draws(name)), None)


def _draws(name: str) -> bool:
    command = [sys.executable, "-c", PROBE]
    env = {**os.environ, "MUJOCO_GL": name}
    # a failing MuJoCo leaves a log file where it runs
    with tempfile.TemporaryDirectory() as folder:
        try:
            done = subprocess.run(
                command, env=env, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, timeout=60, check=False
            )
        except (OSError, subprocess.TimeoutExpired):
            return False
    return done.returncode == 0
