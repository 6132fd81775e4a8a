"""Files and folders that hostile cases start from: good ones of every format, and some that nobody may touch."""

from __future__ import annotations

import csv
import json
import math
from pathlib import Path
from typing import Any

import numpy as np

from plantar import feet
from plantar.bench import write_template
from plantar.feet import BallFoot
from plantar.ground import ElevationMap, Flat, Ground

SCENE: dict[str, Any] = {
    "dt": 0.02,
    "duration": 0.04,
    "bodies": [
        {
            "name": "beam",
            "mesh": {"shape": "beam", "length": 0.1, "width": 0.03, "height": 0.03, "cell": 0.03},
            "regions": {"base": {"box": [[-0.001, -1, -1], [0.001, 1, 1]]}},
            "material": {"law": "corotational", "young": 200000.0, "poisson": 0.45},
            "density": 1000,
            "fixed": ["base"],
        },
        {"kind": "rigid", "name": "ball", "mass": 0.05, "inertia": [1e-5, 1e-5, 1e-5], "position": [0.1, 0, 0.1]},
    ],
    "actuators": [{"kind": "cable", "name": "top", "body": "beam", "points": [[0.01, 0, 0.012], [0.09, 0, 0.012]]}],
    "contacts": [
        {"name": "floor", "body": "beam", "against": {"kind": "plane", "point": [0, 0, -0.03]}, "friction": 0.4}
    ],
    "goals": [{"name": "tip", "body": "beam", "point": [0.1, 0, 0]}],
    "loads": [{"name": "pull", "body": "beam", "points": [[0.1, 0, 0]], "force": [0, 0, -0.1]}],
    "skins": [{"name": "dots", "body": "beam", "nodes": [[0.05, 0, 0.015], [0.1, 0, 0.015]]}],
    "drive": {"top": [[0, 0], [0.1, 0.005]]},
}
"""A scene with one of everything, small enough to run in a moment (JSON is YAML)."""

ROBOT = """<mujoco><worldbody><geom name='floor' type='plane' size='1 1 .1'/>
<body pos='0 0 .1'><freejoint/><geom name='ball' size='.1'/></body></worldbody></mujoco>"""


def lay_out(folder: Path) -> None:
    """Write a good file of every format, and files that nobody may touch."""
    folder.mkdir(parents=True)
    (folder / "mine.txt").write_text("mine")
    (folder / "mine").mkdir()
    for name in ("report.html", "config.json", "table.csv", "trials.csv", "LICENSE"):
        (folder / "mine" / name).write_text("mine")
    (folder / "nowhere").symlink_to(folder / "gone")
    feet.save(BallFoot(), folder / "foot.json")
    Ground().save(folder / "ground.json")
    Flat().save(folder / "terrain.json")
    (folder / "rig.json").write_text(json.dumps({"tilt": 0.01}))
    (folder / "scene.yaml").write_text(json.dumps(SCENE))
    (folder / "model.xml").write_text(ROBOT)
    _measured(folder / "measured.csv")
    xs = np.linspace(0, 1, 40)
    heights = 0.02 * np.sin(6 * xs)[None, :] * np.ones((40, 1))
    ElevationMap(heights=heights, cell=0.02).save(folder / "map.npz")
    _write(folder / "press.csv", ("time", "depth", "force"), [(0.01 * i, 1e-4 * i, 2.0 * i) for i in range(40)])
    _write(folder / "setpoints.csv", ("time", "a", "b"), [(0.02 * i, 0.1 * i, 0.0) for i in range(5)])


def _measured(path: Path) -> None:
    """The bench's table with made-up readings."""
    write_template(path)
    with path.open(newline="") as file:
        rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
    for i, row in enumerate(rows):
        for name, cell in row.items():
            if cell == "":
                row[name] = f"{1 + math.sin(i):.3f}"
    _write(path, tuple(rows[0]), [tuple(row.values()) for row in rows])


def _write(path: Path, names: tuple[str, ...], rows: list[tuple[Any, ...]]) -> None:
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([names, *rows])
