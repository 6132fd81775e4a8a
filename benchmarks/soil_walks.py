"""Walks of 20 steps in the fitted sand and on hard ground, on rigid and on soft feet: sinkage, slip, cost of transport.

    python benchmarks/soil_walks.py ROBOT OUT.csv [SEEDS]

ROBOT is biped (its own rigid feet, and SoftFoot) or quadruped (rigid balls, and SoftFoot-Q). One row a walk, written
as it ends; the tracks of the first walks go beside it as OUT-FEET.npz. Slip is the way that loaded soles move along the
ground by load, per metre walked.
"""

from __future__ import annotations

import csv
import sys
from pathlib import Path
from typing import Any

import mujoco
import numpy as np

from plantar import feet, robots, walk
from plantar.ground.soil.law import FORCE, PLACE
from plantar.ground.soil.tracks import Tracks
from plantar.ground.soil.yielding import YieldingGround

SAND = YieldingGround.of("testbed_sand", origin=(-0.6, -0.7), size=(3.6, 1.4), cell=0.01)
FEET: dict[str, dict[str, Any]] = {
    "biped": {"rigid": None, "soft": ("softfoot", "fast")},
    "quadruped": {"rigid": ("ball", None), "soft": ("softfoot_q", "fast")},
}
GAITS = {"biped": walk.Gait(steps=20), "quadruped": walk.Crawl(distance=1.5)}


class Watch:
    """Adds up how far loaded soles slide in soil, of the ground that is attached last."""

    def __init__(self) -> None:
        self.tracks: Tracks | None = None
        self.slid = 0.0
        apply = Tracks.apply

        def watched(tracks: Tracks, data: mujoco.MjData) -> None:
            apply(tracks, data)
            if tracks is not self.tracks:
                self.tracks, self.slid = tracks, 0.0
            force, place = tracks._memory[:, FORCE + 2], tracks._memory[:, PLACE : PLACE + 3]
            for b, frame in enumerate(tracks._frames):
                mine = tracks.soles.of == b
                load = force[mine].sum()
                if load > 1.0:
                    arm = force[mine] @ place[mine] / load - frame[21:24]
                    moves = frame[18:21] + np.cross(frame[15:18], arm)
                    self.slid += load * float(np.hypot(*moves[:2])) * tracks.model.opt.timestep

        Tracks.apply = watched  # type: ignore[method-assign]


def walker(robot: str, kind: str) -> Any:
    name = FEET[robot][kind]
    if name is None:
        return robots.load(robot)
    foot, fidelity = name
    return robots.mount(robot, feet.get(foot, **({"fidelity": fidelity} if fidelity else {})))


def row(course: walk.Course, watch: Watch, robot: str, kind: str, ground: str, seed: int) -> dict[str, Any]:
    result = course.run(seed=seed)
    found = {"robot": robot, "feet": kind, "ground": ground, "seed": seed, "status": result.status.name}
    found |= {"steps": result.steps, "distance": result.distance, "transport": result.metrics.transport}
    slip, deep, mean, taken = result.metrics.slip, 0.0, 0.0, 0.0
    if ground == "sand" and watch.tracks is not None:
        heights = watch.tracks.elevation().heights
        prints = heights[heights < -1e-3]
        deep, mean = -float(heights.min()), -float(prints.mean()) if len(prints) else 0.0
        weight = course.scene.legged.mass * 9.81
        slip, taken = watch.slid / weight / max(result.distance, 1e-9), watch.tracks.lost_energy
    return {**found, "slip": slip, "deepest": deep, "mean_print": mean, "taken": taken}


def main(robot: str, out: Path, seeds: int = 10) -> None:
    watch = Watch()
    made = {(k, g): None for k in FEET[robot] for g in ("hard", "sand")}
    courses: dict[Any, Any] = dict(made)
    with out.open("w", newline="", encoding="utf-8") as file:
        table: Any = None
        for seed in range(seeds):
            for kind, ground in made:
                if courses[kind, ground] is None:
                    terrain = SAND if ground == "sand" else None
                    courses[kind, ground] = walk.Course(walker(robot, kind), gait=GAITS[robot], terrain=terrain)
                found = row(courses[kind, ground], watch, robot, kind, ground, seed)
                table = table or csv.DictWriter(file, found)
                if file.tell() == 0:
                    table.writeheader()
                table.writerow(found)
                file.flush()
                print({k: round(v, 4) if isinstance(v, float) else v for k, v in found.items()}, flush=True)
                if seed == 0 and ground == "sand" and watch.tracks is not None:
                    watch.tracks.elevation().save(out.with_name(f"{out.stem}-{kind}.npz"))


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), *(int(a) for a in sys.argv[3:]))
