"""Make a quadruped on four SoftFoot-Qs climb stairs, choosing where to step.

uv run examples/16_foothold_walk.py            # or: python examples/16_foothold_walk.py
"""

from __future__ import annotations

from plantar import feet, robots, walk
from plantar.walk.courses import terrain_of


def main(distance: float = 1.6) -> dict[str, float]:
    robot = robots.mount("quadruped", feet.get("softfoot_q", fidelity="fast"))
    gait, stairs = walk.Crawl(distance=distance), terrain_of("stairs", seed=0)
    result = walk.trial(robot, gait=gait, terrain=stairs, choose="analytic", seed=0)
    figures = result.metrics
    print(result.text())
    print(f"slip {1e3 * figures.slip:.0f} mm/m, {figures.collisions} collisions")
    return {"distance": result.distance, "crossed": result.success, "slip": figures.slip}


if __name__ == "__main__":
    main()
