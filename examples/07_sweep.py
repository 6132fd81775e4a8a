"""Run many presses at once, stop whenever you like, and resume later.

    python examples/07_sweep.py [threads|processes|ray]

First a grid: bands of five hardnesses under three loads, with `PressTrials`, which runs on MuJoCo's own
batch. Then your own function, which draws an unknown of the bench, the tilt of the foot, from its
seed: the spread of the force on the obstacle. Stop the script with Ctrl-C, or kill it, and
start it again: it runs only what is missing. The table is the same whatever you do.
"""

from __future__ import annotations

import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from plantar import sweep
from plantar.bench import PressTrials
from plantar.show.plots import save

HARDNESSES = [40.0, 50.0, 60.0, 70.0, 80.0]
LOADS = [12.0, 24.0, 48.0]


def tilted_press(config: dict, seed: int) -> dict:
    """One press with a tilt that nobody measured: 3 degrees, give or take half a degree."""
    tilt = float(np.random.default_rng(seed).normal(np.radians(3), np.radians(0.5)))
    row = PressTrials()({**config, "height": 0.011, "position": 3, "rig.tilt": tilt})
    return {"tilt": tilt, "force_module": row["force_module"], "settled": row["settled"]}


def hardness_study(engine: sweep.EngineName, out: Path) -> np.ndarray:
    """Force on an obstacle under the third module, one row per hardness and one column per load [N]."""
    trials = sweep.grid({"foot.band.hardness": HARDNESSES}, load=LOADS, height=[0.011], position=[3])
    result = sweep.run(PressTrials(), trials, engine, out=out)
    print(f"{result.ran} of {result.trials} presses run in {result.wall_s:.1f} s: {result.counts}")
    return result.load().column("force_module").reshape(len(HARDNESSES), len(LOADS))


def tilt_study(engine: sweep.EngineName, out: Path, count: int = 40) -> np.ndarray:
    """Force on the obstacle for `count` tilts drawn at random [N]."""
    result = sweep.run(tilted_press, [{"load": 24.0}] * count, engine, out=out, seed=1)
    print(f"{result.ran} of {result.trials} tilts run in {result.wall_s:.1f} s: {result.counts}")
    return result.load().column("force_module")


def main(engine: sweep.EngineName, folder: Path) -> tuple[np.ndarray, np.ndarray]:
    by_hardness = hardness_study(engine, folder / "hardness")
    forces = tilt_study(engine, folder / "tilt")
    print(f"force on the obstacle over tilts: {forces.mean():.2f} N, give or take {forces.std(ddof=1):.2f} N")
    figure, axis = plt.subplots()
    for load, column in zip(LOADS, by_hardness.T, strict=True):
        axis.plot(HARDNESSES, column, "o-", label=f"{load:g} N")
    axis.set(xlabel="hardness of the bands [Shore A]", ylabel="force on the obstacle [N]")
    axis.legend()
    print("wrote", save(figure, folder / "hardness.png"))
    return by_hardness, forces


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "threads", Path("runs/07_sweep"))  # type: ignore[arg-type]
