"""The control step and the physics step of this version beside those of another one, slice by slice.

    python benchmarks/walk_turns.py OTHER [CASE ...] [--slices 40]

OTHER is the root of another checkout, also of one whose quadrupeds have an engine of their own. Both versions walk in
a process of their own and take turns every 50 control steps, so that only one of them runs at a time and a busy machine
slows both alike. Times are the processor's, the lower quartile over slices, as others can only make a slice longer; a
ratio is here over there, with its 95 % interval (bootstrap over slices).
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")  # before NumPy: one core is what is asked

import numpy as np

HERE = Path(__file__).resolve().parents[1]
SLICE = 50
"""Control steps that are timed together."""
USUAL = 0.25
"""Quantile of the slices that is taken."""
CASES = {
    "biped": ("own", "torque"),
    "biped_stiff": ("own", "impedance"),
    "biped_unfelt": ("own", "position"),  # the stiff joints of earlier versions, which did not feel their soles
    "biped_soft": ("softfoot:fast", "torque"),
    "quadruped": ("ball", "stairs"),
    "quadruped_soft": ("softfoot_q:fast", "stairs"),
}
"""Feet and mode of bipeds, feet and ground of quadrupeds."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("other", type=Path, help="root of another checkout")
    parser.add_argument("cases", nargs="*", default=list(CASES), help=", ".join(CASES))
    parser.add_argument("--slices", type=int, default=40)
    given = parser.parse_args()
    print(f"{'':16}{'control':>9} {'ratio':>6} {'interval':>13} {'physics':>9} {'ratio':>6} {'interval':>13}")
    for case in given.cases:
        times = in_turns([given.other.resolve(), HERE], case, given.slices)
        line = f"{case:16}"
        ratios: dict[str, Any] = {"turns": len(times)}
        for what, (there, here) in zip(("control", "physics"), times.transpose(2, 1, 0), strict=True):
            low, high = np.quantile(_resampled(here, there), (0.025, 0.975))
            own, other = (np.quantile(times, USUAL) for times in (here, there))
            ratios[what] = [float(own / other), float(low), float(high)]
            line += f"{1e3 * own:6.3f} ms {own / other:6.2f} {low:6.2f}-{high:.2f} "
        print(line, flush=True)
        print(f"figure softfoot.walk_turns.{case} = {json.dumps(ratios)}", flush=True)


def in_turns(roots: list[Path], case: str, slices: int) -> np.ndarray:
    """Times of a control step and of its physics (slices, versions, 2) [s]; the first quarter of slices is left out."""
    workers = [_worker(root, case) for root in roots]
    found = np.empty((slices, len(roots), 2))
    for k in range(slices):
        for i in range(len(roots))[:: 1 if k % 2 else -1]:  # whoever is first is so by turns
            process = workers[i]
            assert process.stdin is not None and process.stdout is not None
            process.stdin.write("\n")
            process.stdin.flush()
            found[k, i] = [float(word) for word in process.stdout.readline().split()]
    for process in workers:
        process.communicate()  # the end of its input ends it
    return found[slices // 4 :]


def _resampled(here: np.ndarray, there: np.ndarray) -> np.ndarray:
    """Ratios over slices drawn again in pairs."""
    picks = np.random.default_rng(0).integers(len(here), size=(2000, len(here)))
    return np.quantile(here[picks], USUAL, axis=1) / np.quantile(there[picks], USUAL, axis=1)


def _worker(root: Path, case: str) -> subprocess.Popen[str]:
    env = {**os.environ, "PYTHONPATH": str(root / "src"), "OMP_NUM_THREADS": "1"}
    line = [sys.executable, __file__, "--serve", case]
    return subprocess.Popen(line, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def serve(case: str) -> None:
    """Time a slice for each line of the input."""
    sim = simulate(case)
    for _ in sys.stdin:
        control = physics = 0.0
        for _ in range(SLICE):
            start = time.process_time()
            sim.act()
            middle = time.process_time()
            sim.advance()
            control += middle - start
            physics += time.process_time() - middle
        print(control / SLICE, physics / SLICE, flush=True)


def simulate(case: str) -> Any:
    """A walk of whichever version is installed."""
    from plantar import feet, robots, walk  # noqa: PLC0415  (the version of this process)

    foot, how = CASES[case]
    name, _, fidelity = foot.partition(":")
    worn = feet.get(name, **({"fidelity": fidelity} if fidelity else {})) if foot != "own" else None
    kind = case.partition("_")[0]
    robot = robots.load(kind) if worn is None else robots.mount(kind, worn)
    if kind == "biped":
        gait, now = walk.Gait(steps=60), hasattr(walk.Course, "simulation")
        course = walk.Course(robot, gait=gait, mode=how if now or how != "position" else "impedance")
        return course.simulation() if now else _Earlier(course)
    if importlib.util.find_spec("plantar.foothold.walking"):
        old: Any = importlib.import_module("plantar.foothold.walking")
        return old.Crossing(robot).simulation(old.make_terrain(how, 0), old.find_chooser("analytic"), distance=6.0)
    from plantar.walk.courses import terrain_of  # noqa: PLC0415

    crawl = walk.Course(robot, gait=walk.Crawl(distance=6.0), choose="analytic")
    return crawl.on(terrain_of(how, 0)).simulation()


class _Earlier:
    """A simulation of the version that had `tick` alone."""

    def __init__(self, course: Any):
        from plantar import walk  # noqa: PLC0415

        self.sim: Any = walk.Simulation(course.scene, course.controller, seed=0)

    def act(self) -> None:
        sim = self.sim
        command = sim.controller.act(sim.observe())
        torque = command.torque
        if command.position is not None:
            torque = torque + sim.controller.stiffness * command.position + sim.controller.damping * command.velocity
        sim.data.ctrl[sim.scene.motors] = torque

    def advance(self) -> None:
        import mujoco  # noqa: PLC0415

        m, d = self.sim.scene.model, self.sim.data
        for _ in range(self.sim.substeps):
            self.sim.pusher.apply(d)
            mujoco.mj_step(m, d)
        assert not d.warning[mujoco.mjtWarning.mjWARN_BADQACC].number and np.isfinite(d.qpos[0])


if __name__ == "__main__":
    if sys.argv[1:2] == ["--serve"]:
        serve(sys.argv[2])
    else:
        main()
