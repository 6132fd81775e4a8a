"""What walking on four SoftFoot-Q costs: control and physics against the time they simulate, on one core.

    python benchmarks/foothold_walk.py [--grounds flat,stairs,potholes] [--seconds 6]

Walks take turns in slices, so that a busy machine slows all alike. `real time` is simulated time over the processor's
for control and physics together; above 1 is faster than real time. The control step includes all planning and choosing.
"""

from __future__ import annotations

import argparse
import json
import os
import time

os.environ.setdefault("OMP_NUM_THREADS", "1")  # before NumPy: one core is what is asked

import numpy as np

from plantar import feet, robots
from plantar.walk import Course, Crawl, Simulation
from plantar.walk.courses import terrain_of

SLICE = 50
"""Control steps that are timed together."""


def walker(foot: str, robot: str, choose: str) -> Course:
    return Course(robots.mount(robot, feet.get(foot)), gait=Crawl(distance=3.0), choose=choose)


def time_slice(sim: Simulation) -> tuple[float, float, float]:
    """Clock time of control and of physics, and processor time of both, over a slice of control steps [s]."""
    control = physics = 0.0
    begun = time.process_time()
    for _ in range(SLICE):
        start = time.perf_counter()
        sim.act()
        middle = time.perf_counter()
        sim.advance()
        control += middle - start
        physics += time.perf_counter() - middle
    return control, physics, time.process_time() - begun


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--grounds", default="flat,stairs,potholes")
    parser.add_argument("--feet", default="ball,softfoot_q:fast")
    parser.add_argument("--robot", default="quadruped")
    parser.add_argument("--choose", default="analytic")
    parser.add_argument("--seconds", type=float, default=8.0)
    args = parser.parse_args()
    fleet: dict[tuple[str, str], Simulation] = {}
    for foot in args.feet.split(","):
        walk = walker(foot, args.robot, args.choose)
        for ground in args.grounds.split(","):
            fleet[foot, ground] = walk.on(terrain_of(ground, 0)).simulation()
    times: dict[tuple[str, str], list[tuple[float, float, float]]] = {name: [] for name in fleet}
    one = next(iter(fleet.values()))
    rate = 1 / (one.substeps * one.scene.model.opt.timestep)
    for _ in range(max(1, round(args.seconds * rate / SLICE))):
        for name, sim in fleet.items():
            times[name].append(time_slice(sim))
    print(
        f"{'feet':18s} {'ground':10s} {'control':>10s} {'physics':>10s} {'real time':>10s} {'at best':>11s}  contacts"
    )
    for name, found in times.items():
        sim, spent = fleet[name], np.array(found)
        span = SLICE / rate
        control, physics = 1e3 * np.median(spent[:, :2], axis=0) / SLICE
        pace, best = span * len(spent) / spent[:, 2].sum(), span / np.quantile(spent[:, 2], 0.05)
        print(
            f"{name[0]:18s} {name[1]:10s} {control:7.3f} ms {physics:7.3f} ms {pace:8.2f} x {best:9.2f} x  "
            f"{sim.data.ncon:5d}"
        )
        label = f"{name[0].partition(':')[0]}_{name[1]}"
        print(f"figure foothold.walk_speed.{label} = {json.dumps({'real_time': pace, 'best': best})}")


if __name__ == "__main__":
    main()
