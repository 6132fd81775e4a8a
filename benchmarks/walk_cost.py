"""What a walk costs: time of a control step and of a physics step against the time they simulate.

    python benchmarks/walk_cost.py [ROBOT ...] [--feet own,softfoot:fast,softfoot] [--seconds 6]

Robots take turns, so that a busy machine slows all alike. `real time` is simulated time over the clock's, `processor`
over that of the processor, which is what one core does when nobody else is at it.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import time

os.environ.setdefault("OMP_NUM_THREADS", "1")  # before NumPy: one core is what is asked

import numpy as np

from plantar import walk
from plantar.walk.study.feet import find_walker

SLICE = 100
"""Control steps that are timed together."""


def simulate(robot: str, foot: str, mode: str) -> walk.Simulation:
    course = walk.Course(find_walker(robot, foot), gait=walk.Gait(steps=40), mode=mode)
    return course.simulation()


def processor_time() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def time_slice(sim: walk.Simulation) -> tuple[float, float, float]:
    """Mean time of control, of physics, and of the processor over a slice of control steps [s]."""
    control = physics = 0.0
    before = processor_time()
    for _ in range(SLICE):
        start = time.perf_counter()
        sim.act()
        middle = time.perf_counter()
        sim.advance()
        control += middle - start
        physics += time.perf_counter() - middle
    return control / SLICE, physics / SLICE, (processor_time() - before) / SLICE


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("robots", nargs="*", default=["biped"])
    parser.add_argument("--feet", default="own,softfoot:fast")
    parser.add_argument("--modes", default="torque,impedance")
    parser.add_argument("--seconds", type=float, default=6.0)
    args = parser.parse_args()
    names = [(r, f, m) for r in args.robots for f in args.feet.split(",") for m in args.modes.split(",")]
    sims = {name: simulate(*name) for name in names}
    period = {name: sim.substeps * sim.scene.model.opt.timestep for name, sim in sims.items()}
    slices: dict[tuple[str, str, str], list[tuple[float, float, float]]] = {name: [] for name in names}
    for _ in range(max(1, round(args.seconds / 0.002 / SLICE))):
        for name, sim in sims.items():
            slices[name].append(time_slice(sim))
    print(f"{'robot':12} {'foot':14} {'mode':10} {'control':>10} {'physics':>10} {'real time':>10} {'processor':>10}")
    paces = {}
    for name, times in slices.items():
        mean = np.mean(times, axis=0)
        pace = period[name] / mean[:2].sum()
        paces[", ".join(name)] = {"clock": pace, "processor": period[name] / mean[2]}
        print(
            f"{name[0][-12:]:12} {name[1]:14} {name[2]:10} {1e3 * mean[0]:7.3f} ms {1e3 * mean[1]:7.3f} ms "
            f"{pace:8.2f} x {period[name] / mean[2]:8.2f} x"
        )
    print(f"figure softfoot.walk_cost.paces = {json.dumps(paces)}")


if __name__ == "__main__":
    main()
