"""Let a quadruped on four SoftFoot-Q climb stairs, choosing where to step.

uv run examples/16_foothold_walk.py            # or: python examples/16_foothold_walk.py
"""

from __future__ import annotations

from plantar import feet, robots
from plantar.foothold.walking import Crossing


def main(distance: float = 1.6) -> dict[str, float]:
    robot = robots.mount("quadruped", feet.get("softfoot_q", fidelity="fast"))
    walk = Crossing(robot).run("stairs", "analytic", seed=0, distance=distance)
    print(f"{walk.status.value}: {len(walk.steps)} steps, {walk.distance:.2f} m in {walk.duration:.1f} s")
    print(f"slip {1e3 * walk.figures.slip:.0f} mm/m, {walk.figures.collisions} collisions, {walk.pace:.1f} x real time")
    return {"distance": walk.distance, "crossed": walk.success, "slip": walk.figures.slip}


if __name__ == "__main__":
    main()
