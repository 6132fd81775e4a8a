"""Walk at low, run at high speed: gaits of a biped that save electrical energy, followed over speed and checked.

Two patterns of footfalls are guesses at one speed each, and the gaits that come out are followed to the other speeds,
as `plantar gait sweep` does. Every refined gait is then integrated with DOP853 and run open loop in MuJoCo.

    OMP_NUM_THREADS=1 python benchmarks/gait_families.py [--step 1e-4]
"""

from __future__ import annotations

import argparse
import json

from plantar.gait import Biped, Effort, check, family, replay

SPEEDS = (0.1, 0.2, 0.3, 0.4, 0.45, 0.5, 0.55, 0.6, 0.65, 0.7, 0.8, 0.9, 1.0)
STARTS = ("walk@0.3", "run@0.8")
EFFORT = Effort(intervals=14, tolerance=1e-4, refinements=5, seconds=60.0)
"""As `plantar gait sweep` has it."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--step", type=float, default=1e-4, help="time step in MuJoCo [s]")
    args = parser.parse_args()
    tried = []
    found = family(Biped(), SPEEDS, starts=STARTS, effort=EFFORT, progress=lambda: tried.append(1))
    rows = []
    print(
        f"{'speed':>5s} {'gait':6s} {'start':6s} {'transport':>9s} {'defect':>9s} {'return':>9s} {'cost':>9s}"
        f" {'MuJoCo':>9s} {'cpu s':>6s}"
    )
    for gait, told in zip(found.results, found.rows(), strict=True):
        row = {"speed": gait.request.speed} | {name: told[name] for name in ("gait", "start", "defect")}
        row["transport"] = told["cost_of_transport"]
        refined = gait.defect < EFFORT.tolerance
        if refined:
            checked, played = check(gait), replay(gait, step=args.step)
            row |= {"return_error": checked.return_error, "cost_error": checked.cost_error, "replay": played.error}
        rows.append(row)
        errors = [row.get(name, float("nan")) for name in ("return_error", "cost_error", "replay")]
        print(
            f"{row['speed']:5.2f} {row['gait']:6s} {row['start']:6s} {row['transport']:9.4f} {row['defect']:9.1e}"
            + "".join(f" {error:9.1e}" for error in errors)
            + f" {gait.cpu_seconds:6.1f}",
            flush=True,
        )
    print(f"{len(found.results)} of {len(tried)} converge")
    print(f"figure gait.families.tried = {len(tried)}")
    print(f"figure gait.families.gaits = {json.dumps(rows)}")


if __name__ == "__main__":
    main()
