"""What a run of a soft robot leaves: a table, a plot, pictures."""

from __future__ import annotations

from pathlib import Path

import matplotlib.image
import numpy as np

from plantar._files import replacing, write_config, write_table
from plantar.show.plots import figure, house_style, save
from plantar.soft.robots.run import RobotRun
from plantar.soft.scene.picture import draw_scene


def write_robot(folder: Path, run: RobotRun) -> list[Path]:
    """Write the table, config, plot and picture of a run to an existing folder."""
    name = run.robot.name
    files = [write_table(folder, name, list(run.table)), write_table(folder, "card", [run.row()])]
    files.append(write_config(folder, robot=run.robot.name, fields=run.robot))
    files.append(plot_readings(run, folder / f"{name}_readings.png"))
    picture = draw_run(run, folder / f"{name}.png")
    return [*files, *([picture] if picture else [])]


def draw_run(run: RobotRun, path: Path, size: tuple[int, int] = (480, 400)) -> Path | None:
    """The kept states side by side, first to last."""
    shots = []
    for i, state in enumerate(run.shots):
        part = path.with_name(f".{path.stem}{i}.png")
        if draw_scene(run.scene, part, state=state, size=size) is None:
            return None
        shots.append(matplotlib.image.imread(part)[..., :3])
        part.unlink()
    with replacing(path) as scratch:
        matplotlib.image.imsave(scratch, np.concatenate(shots, axis=1), format="png")
    return path


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
        for ax in axes[-1]:
            ax.set_xlabel("time [s]")
        return save(fig, path)
