"""The last good state of a scene that came apart."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from plantar._files import write_text
from plantar.errors import Diverged
from plantar.soft.solve.model import Model
from plantar.soft.solve.state import Commands, State


def diverged(
    model: Model, state: State, commands: Commands, why: str = "the step failed however small it was made"
) -> Diverged:
    """The error, with the body that moved fastest and a dump of the state if the scene has a folder for it."""
    speed = np.where(np.isfinite(state.v), np.abs(state.v), np.inf).max(axis=1)
    index = int(model.system.body_of[int(np.argmax(speed))])
    name = list(model.system.names())[index] if index >= 0 else "rigid region"
    folder = write_dump(Path(str(model.dump)), state, commands) if model.dump is not None else None
    where = f"; the last good state is in {folder}" if folder else ""
    return Diverged(f"soft scene diverged: {why}{where}", time=state.time, body=name)


def write_dump(folder: Path, state: State, commands: Commands) -> Path:
    """Write the state as `state.npz` and what drives it as `commands.txt`."""
    folder.mkdir(parents=True, exist_ok=True)
    np.savez(folder / "state.npz", time=state.time, x=state.x, quat=state.quat, v=state.v)
    lines = [f"{name} = {value!r}" for name, value in commands.values.items()]
    write_text(folder / "commands.txt", "\n".join(lines) + "\n")
    return folder
