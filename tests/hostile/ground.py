"""Files and folders that hostile cases start from: good ones of every format, and some that nobody may touch."""

from __future__ import annotations

import csv
import json
import math
import os
import random
from pathlib import Path
from typing import Any

import numpy as np

import plantar
from plantar import feet
from plantar._files import write_csv
from plantar.bench import write_template
from plantar.feet import BallFoot
from plantar.gait.drops import DropRig, synthetic_drops
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
    os.mkfifo(folder / "fifo.html")
    for network in ("learn/policies/g1_softfoot.onnx", "foothold/networks/softfoot_q.onnx"):
        good = Path(plantar.__path__[0]) / network
        (folder / ("policy.onnx" if "policies" in network else "network.onnx")).write_bytes(good.read_bytes())
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
    _plates(folder / "plates.csv")
    write_csv(folder / "drops.csv", synthetic_drops(rig=DropRig(heights=(0.02, 0.05)), seed=0))
    _cube(folder / "cube.stl")
    stretches = [1 + 0.05 * i for i in range(1, 20)]
    _write(folder / "rubber.csv", ("stretch", "stress"), [(s, 3e5 * (s - s**-2)) for s in stretches])
    places = [0.01 * i for i in range(18)]
    _write(folder / "beam.csv", ("s", "x", "z", "angle"), [(s, 0.98 * s, -0.3 * s - s**2, 0.3) for s in places])
    _write(folder / "setpoints.csv", ("time", "a", "b"), [(0.02 * i, 0.1 * i, 0.0) for i in range(5)])


def _measured(path: Path) -> None:
    """Some rows of the bench's table with made-up readings that carry the load."""
    write_template(path)
    with path.open(newline="") as file:
        rows = list(csv.DictReader(line for line in file if not line.startswith("#")))[:4]
    for i, row in enumerate(rows):
        shares = 0.3 + 0.05 * math.sin(i), 0.3, 0.4 - 0.05 * math.sin(i)
        forces = [name for name in row if name.startswith("force")]
        row.update({name: f"{share * float(row['load']):.3f}" for name, share in zip(forces, shares, strict=True)})
        row.update({name: f"{0.01 * math.sin(i + k):.4f}" for k, name in enumerate(row) if name.startswith("rotation")})
    _write(path, tuple(rows[0]), [tuple(row.values()) for row in rows])


def _plates(path: Path) -> None:
    """Plates of three sizes pressed into soil that differs a little from place to place."""
    rng, rows = random.Random(1), []
    for size in (0.04, 0.06, 0.09):
        for repeat in range(6):
            own = 1e4 * rng.uniform(0.9, 1.1) * (size / 0.1) ** 0.8
            depths = [0.0005 + 2e-4 * i for i in range(120)]
            rows += [(f"{size}-{repeat}", size, d, own * (d / 0.01) ** 1.2 * 0.785 * size**2) for d in depths]
    _write(path, ("run", "diameter", "depth", "force"), rows)


def _cube(path: Path, edge: float = 10.0) -> None:
    """The surface of a cube as a binary STL, in millimetres."""
    corners = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], dtype=float) * edge
    sides = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))
    faces = [corners[list(part)] for a, b, c, d in sides for part in ((a, b, c), (a, c, d))]
    record = np.zeros(len(faces), dtype=[("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("spare", "<u2")])
    record["corners"] = faces
    path.write_bytes(bytes(80) + len(faces).to_bytes(4, "little") + record.tobytes())


def _write(path: Path, names: tuple[str, ...], rows: list[tuple[Any, ...]]) -> None:
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([names, *rows])
