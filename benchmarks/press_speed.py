"""How much faster the 48 press trials run than 48 serial runs of the released twin.

Both stand in the same rig with the same time step. The gain has three parts, each with a line of its own: one chain
instead of five; trials that have come to rest are not stepped on (batch of 1 thread); threads. Rounds are
interleaved, so that a busy machine slows both alike; the figures are medians over rounds.

    python benchmarks/press_speed.py ../shared/models/menagerie/iit_softfoot/softfoot.xml
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import time
from collections.abc import Callable

import mujoco

from plantar.bench.press.press import Trial, press, run_trials, trials
from plantar.bench.press.rig import PressRig
from plantar.feet import SoftFoot

TARGET = 10
"""Least ratio of wall times."""


def serial_runs(model: mujoco.MjModel, foot: SoftFoot, rig: PressRig, todo: list[Trial], duration: float) -> None:
    """Run trials one after the other, as a script around `mj_step` does."""
    for trial in todo:
        data = mujoco.MjData(model)
        data.qpos[model.joint("slider").qposadr[0]] = rig.start_height(foot, trial.height)
        data.mocap_pos[0] = (rig.obstacle_x(foot, trial.position), 0, trial.height)
        data.ctrl[0] = trial.load
        mujoco.mj_step(model, data, round(duration / model.opt.timestep))


def seconds(function: Callable[[], object]) -> float:
    """Wall time of a call."""
    start = time.perf_counter()
    function()
    return time.perf_counter() - start


def main() -> None:
    """Time the contestants side by side and print the ratios."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("released", help="path of the released softfoot.xml")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--duration", type=float, default=5.0, help="simulated seconds of a trial")
    args = parser.parse_args()

    rig, todo = PressRig(), trials()
    five, one = SoftFoot.published(), SoftFoot(chains=1)
    released = rig.spec(five, mujoco.MjSpec.from_file(args.released)).compile()
    single = rig.spec(one).compile()
    contestants: dict[str, Callable[[], object]] = {
        "released, serial": lambda: serial_runs(released, five, rig, todo, args.duration),
        "default single chain, serial": lambda: serial_runs(single, one, rig, todo, args.duration),
        "default single chain, batch of 1 thread": lambda: run_trials(one, rig, todo, args.duration, threads=1),
        "plantar bench press": lambda: press(duration=args.duration),
    }
    times: dict[str, list[float]] = {name: [] for name in contestants}
    for _ in range(args.rounds):
        for name, function in contestants.items():
            times[name].append(seconds(function))
    reference = statistics.median(times["released, serial"])
    for name, values in times.items():
        median = statistics.median(values)
        print(f"{name:42s} {median:8.2f} s   {reference / median:6.1f} x")
    medians = {name: statistics.median(values) for name, values in times.items()}
    found = {"trials": len(todo), "rounds": args.rounds, "cores": os.cpu_count()}
    print(f"figure softfoot.press_speed.seconds = {json.dumps(medians)}")
    print(f"figure softfoot.press_speed.made = {json.dumps(found)}")
    if reference / statistics.median(times["plantar bench press"]) < TARGET:
        raise SystemExit(f"slower than {TARGET} times the released twin")


if __name__ == "__main__":
    main()
