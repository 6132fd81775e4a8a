"""Press the foot on an obstacle under each module, with two independent models.

    python examples/03_press.py

The simulation drops a single-chain foot on two supports and an obstacle and reads the forces at rest; the planar
model finds the same equilibrium as the least energy of a linkage, without MuJoCo.
"""

from __future__ import annotations

import plantar
from plantar.bench import planar
from plantar.table import Table


def main() -> tuple[Table, dict[str, float]]:
    foot = plantar.feet.SoftFoot(chains=1)
    simulated = plantar.bench.press(foot, loads=(24,), heights=(0.015,)).table
    solved = planar.press(foot, loads=(24,), heights=(0.015,)).table
    for a, b in zip(simulated, solved, strict=True):
        print(
            f"module {a['position']}: heel {a['force_heel']:5.2f} ({b['force_heel']:5.2f}) N, "
            f"obstacle {a['force_module']:5.2f} ({b['force_module']:5.2f}) N, "
            f"metatarsus {a['force_metatarsus']:5.2f} ({b['force_metatarsus']:5.2f}) N"
        )
    differences = planar.compare(simulated, solved)
    print("largest differences, % of the load:", {name: round(value, 2) for name, value in differences.items()})
    return simulated, differences


if __name__ == "__main__":
    main()
