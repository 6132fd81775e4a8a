"""Fit the model of a compliant ankle-foot to dynamometer runs, and tell other runs by it.

    python tools/ankle.py RUNS.npz                      # fit, and each position of the support from the others
    python tools/ankle.py RUNS.npz --check OTHERS.npz   # tell runs that were not fitted

Files have `t` [s], `angle` [rad], `torque` [N m] and `offset` (run i is rows offset[i] to offset[i + 1]), per run
`slider` [m] and `cam` (0 both, 1 plantar alone, 2 dorsal alone), and `dynamometer_stiffness` [N m/rad]. Errors are root
mean squares over the peak torque of a run. Runs with one cam are told with the play that such runs among the fitted
ones show.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np
from validation.data_ankle_model import Run, fit, fit_loss, profiles, read_runs, share, tell, tell_alone


def told(seen: list[Run], run: Run) -> float:
    """Error on a run by a model fitted to others."""
    both, alone = [r for r in seen if r["cam"] == 0], [r for r in seen if r["cam"] != 0]
    parameters = fit(both)
    profile = profiles(parameters, both)[0]
    if run["cam"] == 0:
        return share(tell(parameters, profile, run) - run["torque"], run)
    play = float(np.mean([fit_loss(parameters, profile, r, "play") for r in alone])) if alone else 0.0
    return share(tell_alone(parameters, profile, run, play) - run["torque"], run)


def main() -> int:
    """Fit, and print parameters and errors."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", type=Path, metavar="RUNS.npz")
    parser.add_argument("--check", type=Path, metavar="OTHERS.npz", help="runs to tell")
    options = parser.parse_args()
    seen = read_runs(options.runs)
    both = [run for run in seen if run["cam"] == 0]
    if len({run["slider"] for run in both}) < 3:
        parser.error(f"{options.runs} has runs with both cams at fewer than 3 positions of the support: give 3 or more")
    length, slope, frame = fit(both)
    print(f"free length {1000 * length:.1f} mm, rest angle {slope:.3f} rad/m, frame {1e-3 / frame:.2f} kN m/rad")
    print("support [mm]  cam  peak [N m]  error [%]")
    # without other runs each of the fitted ones is told by the rest: both cams by other positions
    for run in read_runs(options.check) if options.check else seen:
        others = seen if options.check else [r for r in seen if (r["slider"], r["cam"]) != (run["slider"], run["cam"])]
        error = 100 * told(others, run)
        print(f"{1000 * run['slider']:12.1f}  {run['cam']:3d}  {run['peak']:10.1f}  {error:9.1f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
