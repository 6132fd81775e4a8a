"""Output of a run of a soft robot: a table, a plot, pictures."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import matplotlib.image
import numpy as np
from PIL import Image

from plantar._files import replacing, write_config, write_table
from plantar.show.plots import figure, house_style, save
from plantar.soft.robots.run import RobotRun
from plantar.soft.scene.picture import draw_scene

UNITS = {"pressure": "Pa", "tension": "N", "force": "N", "grip": "N", "stiffness": "N/m", "rotation": "rad"}
"""Units of readings by a word of their name; all others are lengths [m]."""
PICTURES, FPS = 4, 10
"""Pictures side by side, and frames per second of the film."""


def write_robot(folder: Path, run: RobotRun) -> list[Path]:
    """Write the table, config, plot, picture and film of a run to an existing folder."""
    name = run.robot.name
    files = [write_table(folder, name, list(run.table)), write_table(folder, "card", [run.row()])]
    files.append(write_config(folder, robot=run.robot.name, fields=run.robot))
    files.append(plot_readings(run, folder / f"{name}_readings.png"))
    frames = draw_states(run, folder)
    if frames:
        some = np.linspace(0, len(frames) - 1, min(PICTURES, len(frames))).round().astype(int)
        with replacing(folder / f"{name}.png") as scratch:
            matplotlib.image.imsave(scratch, np.concatenate([frames[i] for i in some], axis=1), format="png")
        files.append(folder / f"{name}.png")
    if len(frames) > PICTURES:
        files.append(write_gif(folder / f"{name}.gif", frames))
    return files


def draw_states(run: RobotRun, folder: Path, size: tuple[int, int] = (480, 400)) -> list[np.ndarray]:
    """Pictures of the kept states, first to last; none if they cannot be drawn here."""
    frames = []
    for i, state in enumerate(run.shots):
        part = folder / f".{run.robot.name}{i}.png"
        if draw_scene(run.scene, part, state=state, size=size) is None:
            return []
        frames.append(matplotlib.image.imread(part)[..., :3])
        part.unlink()
    return frames


def write_gif(path: Path, frames: Sequence[np.ndarray]) -> Path:
    """A film of pictures (height, width, 3) with values from 0 to 1 that runs again and again."""
    images = [Image.fromarray((255 * frame).astype(np.uint8)) for frame in frames]
    with replacing(path) as scratch:
        images[0].save(scratch, "GIF", save_all=True, append_images=images[1:], duration=1000 // FPS, loop=0)
    return path


def unit_of(reading: str) -> str:
    """Unit of a reading."""
    return next((unit for word, unit in UNITS.items() if word in reading), "m")


def plot_readings(run: RobotRun, path: Path) -> Path:
    """Every reading over time."""
    names = [name for name in run.table.columns if name != "time"]
    rows = (len(names) + 2) // 3
    time = run.table.column("time")
    with house_style():
        fig, axes = figure(rows, 3, size=(10.0, 1.0 + 2.0 * rows), sharex=True)
        for ax in axes.flat[len(names) :]:
            ax.set_visible(False)
        for ax, name in zip(axes.flat, names, strict=False):
            ax.plot(time, run.table.column(name))
            ax.set_title(name.replace("_", " "))
            ax.set_ylabel(f"[{unit_of(name)}]")
        for ax in axes[-1]:
            ax.set_xlabel("time [s]")
        return save(fig, path)
