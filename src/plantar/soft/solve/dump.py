"""The last good state of a scene that came apart."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from plantar._files import write_text
from plantar.errors import Diverged

if TYPE_CHECKING:
    from plantar.soft.scene.scene import Scene


def diverged(scene: Scene, velocity: np.ndarray, why: str = "the step failed however small it was made") -> Diverged:
    """The error, with the body that moved fastest and a dump if the scene has a folder for it."""
    speed = np.where(np.isfinite(velocity), np.abs(velocity), np.inf).max(axis=1)
    index = int(scene.system.body_of[int(np.argmax(speed))])
    name = list(scene.bodies)[index] if index >= 0 else "rigid region"
    folder = write_dump(scene) if scene.dump is not None else None
    where = f"; the last good state is in {folder}" if folder else ""
    return Diverged(f"soft scene diverged: {why}{where}", time=scene.state.time, body=name)


def write_dump(scene: Scene) -> Path:
    """Write the state as `state.npz` and what drives it as `commands.txt`."""
    folder = Path(str(scene.dump))
    folder.mkdir(parents=True, exist_ok=True)
    state = scene.state
    np.savez(folder / "state.npz", time=state.time, x=state.x, quat=state.quat, v=state.v)
    lines = [f"{name} = {value!r}" for name, value in scene.commands.items()]
    write_text(folder / "commands.txt", "\n".join(lines) + "\n")
    return folder
