"""A condensed SolidFoot against its finite elements: error of the press curve up to 500 N, and speed.

    python benchmarks/solid_foot.py [--cells 0.016,0.012,0.010] [--fidelity fast]

The curve of both is computed on one thread: finite elements by static equilibria, MuJoCo by holding each load for
60 ms of simulated time. Both are also timed for one dynamic step of 2 ms under load.
"""

from __future__ import annotations

import argparse
import json

from plantar.cli.common import table_text
from plantar.soft.foot.card import solid_card
from plantar.soft.foot.solid import SolidFoot


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cells", default="0.016,0.012,0.010")
    parser.add_argument("--fidelity", default="full", choices=["full", "fast"])
    options = parser.parse_args()
    rows = []
    for cell in map(float, options.cells.split(",")):
        foot = SolidFoot(cell=cell).with_(fidelity=options.fidelity)
        rows.append({"cell_mm": 1e3 * cell, **solid_card(foot).row()})
        flat = [{"figure": key, "value": value} for key, value in rows[-1].items()]
        print(table_text(flat), flush=True)
        if foot == SolidFoot():
            print(f"figure soft.foot.card = {json.dumps(rows[-1])}", flush=True)
    keep = ("cell_mm", "dof_fe", "dof_condensed", "error_percent", "curve_times_faster", "step_times_faster")
    print("\n" + table_text([{key: row[key] for key in keep} for row in rows]))


if __name__ == "__main__":
    main()
