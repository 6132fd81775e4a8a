"""How long the analytic foothold cost takes, and how it grows with the map and with the number of yaws.

Times are processor time of one core, the median of many calls; `cell by cell` is SciPy's bounded least squares on each
patch, on a sample of cells, scaled up to the map. Variants are timed in turns.

    python benchmarks/foothold_cost.py
    PLANTAR_NO_NUMBA=1 python benchmarks/foothold_cost.py      # the NumPy version
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import numpy as np
from scipy.optimize import lsq_linear

from plantar.foothold import (
    BallSole,
    ElevationMap,
    Quadruped,
    SoftSole,
    Stance,
    choose,
    cost_map,
    cost_maps,
    terrain_cost,
)
from plantar.foothold._jit import has_numba
from plantar.foothold._patch import patch_of
from plantar.foothold.terrain_cost import closed


def rough(size: int, seed: int = 0) -> ElevationMap:
    """Rubble with a step, the map's middle at 0, 0."""
    rng = np.random.default_rng(seed)
    heights = rng.normal(0, 0.02, (size, size))
    heights[:, 3 * size // 4 :] += 0.15
    half = (size - 1) / 2 * 0.02
    return ElevationMap(heights=heights, cell=0.02, origin=(-half, -half))


def timed(tasks: dict[str, Callable[[], object]], rounds: int) -> dict[str, float]:
    """Median processor time of each task [s], in turns."""
    spent: dict[str, list[float]] = {name: [] for name in tasks}
    for task in tasks.values():
        task()
    for _ in range(rounds):
        for name, task in tasks.items():
            count, begin = 0, time.process_time()
            while time.process_time() - begin < 0.02 or count < 2:
                task()
                count += 1
            spent[name].append((time.process_time() - begin) / count)
    return {name: float(np.median(times)) for name, times in spent.items()}


def cell_by_cell(elevation: ElevationMap, sole: SoftSole, yaw: float, cells: int) -> float:
    """Time of SciPy's bounded least squares for a whole map [s], from a sample of cells."""
    patch = patch_of(sole, yaw, elevation.cell)
    matrix = np.stack([np.ones_like(patch.x), patch.x, patch.x**2, patch.y, patch.y**2], axis=1)
    top = np.array([np.inf, sole.slope_limit[0], sole.curvature_limit[0], sole.slope_limit[1], sole.curvature_limit[1]])
    heights = closed(np.array(elevation.heights))
    fitted = int(np.isfinite(terrain_cost(elevation, sole, yaw).cost).sum())
    rng, reach = np.random.default_rng(0), 6
    where = rng.integers(reach, min(elevation.shape) - reach, (cells, 2))
    begin = time.process_time()
    for j, i in where:
        lsq_linear(matrix, heights[j + patch.rows, i + patch.columns], bounds=(-top, top), method="bvls")
    return (time.process_time() - begin) / cells * fitted


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=15)
    args = parser.parse_args()
    robot, sole, ball = Quadruped(), SoftSole(), BallSole()
    stance = Stance.under_hip(robot, "RF")
    small = rough(40)
    print(f"kernels: {'Numba' if has_numba() else 'NumPy'}")

    def whole() -> object:
        return cost_map(small, sole, 0.3, leg="RF", robot=robot, stance=stance)

    tasks: dict[str, Callable[[], object]] = {
        "terrain, yaw 0": lambda: terrain_cost(small, sole, 0.0),
        "terrain, yaw 0.3": lambda: terrain_cost(small, sole, 0.3),
        "ball": lambda: cost_map(small, ball, leg="RF", robot=robot, stance=stance),
        "all constraints, yaw 0": lambda: cost_map(small, sole, leg="RF", robot=robot, stance=stance),
        "all constraints, yaw 0.3": whole,
        "all constraints and choice": lambda: choose(whole(), (0.0, 0.0)),  # type: ignore[arg-type]
    }
    print("\n40 x 40 cells                   ms")
    for name, seconds in timed(tasks, args.rounds).items():
        print(f"{name:28s} {1e3 * seconds:6.3f}")
    print(f"{'cell by cell (SciPy)':28s} {1e3 * cell_by_cell(small, sole, 0.3, 60):6.1f}")

    print("\ncells a side      ms   ns a cell")
    maps = {size: rough(size) for size in (20, 40, 80, 160, 320)}
    sizes = timed(
        {str(n): (lambda m=m: cost_map(m, sole, 0.3, leg="RF", robot=robot, stance=stance)) for n, m in maps.items()},
        max(3, args.rounds // 3),
    )
    for size, seconds in sizes.items():
        print(f"{size:>12s} {1e3 * seconds:7.3f}   {1e9 * seconds / int(size) ** 2:9.1f}")

    print("\nyaws (40 x 40)    ms   ms a yaw")
    for count in (1, 2, 4, 8, 16):
        yaws = [np.pi * n / count for n in range(count)]
        task: dict[str, Callable[[], object]] = {
            "all": lambda yaws=yaws: cost_maps([small], sole, yaws, leg="RF", robot=robot, stance=stance)
        }
        seconds = timed(task, max(3, args.rounds // 3))["all"]
        print(f"{count:>12d} {1e3 * seconds:7.3f}   {1e3 * seconds / count:8.3f}")


if __name__ == "__main__":
    main()
