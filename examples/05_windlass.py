"""Raise the toes and watch the arch respond, for three routings of the plantar tendon.

    python examples/05_windlass.py [OUT]

With the tendon as far below the coupling behind the metatarsus as below every other one (3.8 mm),
the sole of a standing foot has no length to give: the toes are locked. Passing it near that axis
(1 mm, the default) lets the arch rise. docs/windlass.md explains why.
"""

from __future__ import annotations

import math
import sys
from pathlib import Path

from plantar.bench.windlass.plots import plot_windlass
from plantar.bench.windlass.windlass import windlass
from plantar.feet.softfoot.softfoot import SoftFoot
from plantar.show.plots import save
from plantar.table import Table

LOAD = 40.0
"""Share of one chain in a foot that stands under 200 N [N]."""


def main(out: str | Path = "out/windlass", degrees: range = range(0, 9, 2)) -> dict[str, Table]:
    foot = SoftFoot(chains=1)
    feet = {
        "1 mm (default)": foot,
        "3.8 mm": foot.with_(tendon__metatarsal_arm=0.0038),
        "no tendon": foot.without_tendons(),
    }
    angles = [math.radians(a) for a in degrees]
    stance = {name: windlass(foot, stand=LOAD, angles=angles).table for name, foot in feet.items()}
    for name, table in stance.items():
        stood = [row for row in table if row["settled"]]
        last, end = stood[-1], "" if len(stood) == len(table) else ", then it falls over"
        print(
            f"{name:15s} toes up {math.degrees(last['toe_angle']):4.1f} deg: arch {1e3 * last['arch_lift']:+5.2f} mm, "
            f"shorter by {1e3 * last['shortening']:5.2f} mm, tendon {last['tension']:5.1f} N{end}"
        )
    folder = Path(out)
    folder.mkdir(parents=True, exist_ok=True)
    print("wrote", save(plot_windlass(stance), folder / "stance.png"))
    return stance


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "out/windlass")
