"""Score the stairs under a quadruped's right front leg for a SoftFoot-Q and choose where to step.

uv run examples/15_foothold.py            # or: python examples/15_foothold.py
"""

from __future__ import annotations

import math

from plantar import foothold
from plantar.ground import Stairs


def main() -> dict[str, float]:
    ground = Stairs().elevation_map()
    robot = foothold.Quadruped()
    nominal = (0.82, 0.05)  # on the edge of the second step
    x, y, _ = robot.nominal("RF")
    row, column = ground.index(*nominal)
    height = float(ground.heights[row, column]) + robot.stand_height
    stance = foothold.Stance(position=(nominal[0] - float(x), nominal[1] - float(y), height))

    under_hip = ground.crop(nominal)
    yaws = [math.radians(a) for a in (-30, 0, 30)]
    costs = foothold.cost_maps([under_hip], "softfoot_q", yaws, leg="RF", robot=robot, stance=stance)[0]
    choice = foothold.choose(costs, nominal)
    print(costs[1].counts())
    print(f"{choice.status.value}: x {choice.x:.2f}, y {choice.y:.2f} m, yaw {math.degrees(choice.yaw):.0f} degrees")
    print(f"cost {choice.cost:.1f} instead of {choice.nominal_cost:.1f}, {1e3 * choice.distance:.0f} mm away")
    return {"cost": choice.cost, "nominal": choice.nominal_cost, "distance": choice.distance}


if __name__ == "__main__":
    main()
