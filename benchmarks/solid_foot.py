"""A condensed SolidFoot against its finite elements: error of the press curve up to 500 N, and speed.

    python benchmarks/solid_foot.py [--cells 0.016,0.012,0.010] [--fidelity fast]

The curve of both is computed on one thread: finite elements by static equilibria, MuJoCo by holding each load for
60 ms of simulated time. Both are also timed for one dynamic step of 2 ms under load. Those are times on the wall; for
the default foot the curves are computed once more and compared in processor time, in which other work does not count.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable

from mujoco.batch import Batch

from plantar.cli.common import table_text
from plantar.soft.foot.card import solid_card
from plantar.soft.foot.press import fe_scene, mujoco_rig, press_fe, press_mujoco
from plantar.soft.foot.solid import SolidFoot


def processor(work: Callable[[], object]) -> float:
    """Time of this process that a piece of work takes [s], the least of three."""
    found = []
    for _ in range(3):
        start = time.process_time()
        work()
        found.append(time.process_time() - start)
    return min(found)


def ratios(foot: SolidFoot) -> tuple[float, float]:
    """How many times less processor time the condensed foot's curve takes: with its model built, and alone."""
    fe, condensed = processor(lambda: press_fe(foot)), processor(lambda: press_mujoco(foot))
    build_fe = processor(lambda: fe_scene(foot))
    build = processor(lambda: Batch(mujoco_rig(foot).compile(), nsim=1, nthread=1))
    return fe / condensed, (fe - build_fe) / (condensed - build)


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
            whole, curve = ratios(foot)
            print(f"in processor time {curve:.0f} times faster, {whole:.0f} with both models built", flush=True)
            for name, value in {"card": rows[-1], "curve_ratio": curve, "whole_ratio": whole}.items():
                print(f"figure soft.foot.{name} = {json.dumps(value)}", flush=True)
    keep = ("cell_mm", "dof_fe", "dof_condensed", "error_percent", "curve_times_faster", "step_times_faster")
    print("\n" + table_text([{key: row[key] for key in keep} for row in rows]))


if __name__ == "__main__":
    main()
