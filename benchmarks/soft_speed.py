"""Milliseconds per step of soft scenes: beside SOFA, and by sparse library; `soft_size.py` measures against size.

    python benchmarks/soft_speed.py                 # the scenes of the reference, beside SOFA's figures, three rounds
    python benchmarks/soft_speed.py --backends      # factorisation alone, every library that is installed

SOFA's figures (v25.06.00, one pinned core of a quiet 2.8 GHz Xeon, best single step) came with two calibrations, which
are run here before and after each round: our time is divided by (calibration here / calibration there) before it is
compared, best against best. All times are those of the process on one thread: run with OMP_NUM_THREADS=1. The
scenes need the reference files (--reference DIR).
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import splu

from plantar.soft import Scene
from plantar.soft.reference.compare import build
from plantar.soft.reference.reference import ReferenceState, read_reference
from plantar.soft.solve.factor import available, make_factor

REFERENCE = Path(__file__).resolve().parents[2] / "shared" / "reference"
SOFA = {
    "finger, one cable": 1.20,
    "diamond, direct": 27.1,
    "diamond, inverse": 27.6,
    "springy, 3x3-block LDL": 38.0,
    "beam, corotational": 9.5,
    "beam, Neo-Hookean": 11.4,
    "beam on a floor, frictionless": 12.6,
    "beam, corotational, fine": 369.0,
}
"""Best single step in SOFA [ms]."""
SPLU_THERE, PRODUCT_THERE = 5.49, 0.097
"""Calibrations on the machine of those figures: SuperLU of a 30^3 Laplacian, product of 1500 x 1500 matrices [s]."""


def calibrate() -> tuple[float, float]:
    n = 30
    line = sp.csr_array(2 * np.eye(n) - np.eye(n, k=1) - np.eye(n, k=-1))
    one = sp.eye_array(n)
    grid = sp.kron(sp.kron(line, one), one) + sp.kron(sp.kron(one, line), one) + sp.kron(sp.kron(one, one), line)
    matrix = sp.csc_matrix(grid)
    a = np.random.default_rng(0).random((1500, 1500))
    return best(lambda: splu(matrix), 2), best(lambda: a @ a, 5)


def best(work: Callable[[], object], times: int) -> float:
    found = []
    for _ in range(times):
        # time of this process, not of the clock on the wall: other work on the machine must not count
        start = time.process_time()
        work()
        found.append(time.process_time() - start)
    return min(found)


def scenes(folder: Path) -> dict[str, tuple[Scene, Callable[[], object], int]]:
    """Scenes of the table with one step of each and the number of steps to time."""
    finger = read_reference(folder / "case1_finger.json")[1]
    direct = read_reference(folder / "case2_diamond_direct.json")[1]
    inverse = read_reference(folder / "case2_diamond_inverse.json")[0]
    springy = read_reference(folder / "case3_springy.json")[1]
    beams = {s.label: s for s in read_reference(folder / "case4_beam.json")}
    floor = read_reference(folder / "case5_beam_contact.json")[0]
    large, fine = "TetrahedronFEMForceField large nu=0.3", "fine TetrahedronFEMForceField large nu=0.3"
    states = {
        "finger, one cable": (finger, 1000),
        "diamond, direct": (direct, 100),
        "diamond, inverse": (inverse, 100),
        "springy, 3x3-block LDL": (springy, 100),
        "beam, corotational": (beams[large], 200),
        "beam, Neo-Hookean": (beams["NeoHookean  nu=0.3"], 200),
        "beam on a floor, frictionless": (floor, 200),
        "beam, corotational, fine": (beams[fine], 25),
    }
    return {name: (*_scene(state), count) for name, (state, count) in states.items()}


def _scene(state: ReferenceState) -> tuple[Scene, Callable[[], object]]:
    scene = build(state)
    scene.mode = "dynamic"
    scene.command(state.commands)
    if state.goal is None:
        return scene, scene.step
    return scene, lambda: scene.solve_inverse(energy=1e-3, pace=np.inf)


def against_sofa(folder: Path, rounds: int) -> None:
    made = scenes(folder)
    for _, step, _ in made.values():
        for _ in range(40):
            step()
    calibrations, times = [calibrate()], {name: np.inf for name in made}
    for _ in range(rounds):
        for name, (_, step, count) in made.items():
            times[name] = min(times[name], 1e3 * best(step, count))
        calibrations.append(calibrate())
    lu, product = (min(column) for column in zip(*calibrations, strict=True))
    print(f"calibration here: splu {lu:.2f} s ({SPLU_THERE} there), product {product:.3f} s ({PRODUCT_THERE} there)")
    print(f"{'scene':32} {'dofs':>6} {'ours':>9} {'SOFA':>9} {'x faster, by splu':>18} {'x faster, as is':>16}")
    plain = {name: SOFA[name] / ms for name, ms in times.items()}
    scaled = {name: ratio * lu / SPLU_THERE for name, ratio in plain.items()}
    for name, ms in times.items():
        ours = f"{name:32} {made[name][0].dofs:6d} {ms:6.2f} ms"
        print(f"{ours} {SOFA[name]:6.2f} ms {scaled[name]:18.2f} {plain[name]:16.2f}")
    figures = {"rounds": rounds, "calibration": lu, "calibration_there": SPLU_THERE}
    for name, value in {**figures, "ms": times, "faster": scaled, "faster_plain": plain}.items():
        print(f"figure soft.speed.{name} = {json.dumps(value)}")


def backends(folder: Path) -> None:
    for name, (scene, step, _) in scenes(folder).items():
        if "inverse" in name or "floor" in name or "Neo" in name:
            continue
        for _ in range(5):
            step()
        system = scene.system
        values, b = system.data.copy(), np.random.default_rng(0).random((2, system.dofs))
        for backend in available():
            factor = make_factor(system.indptr, system.indices, backend)  # type: ignore[arg-type]
            factor.update(values)
            times = 3 if system.dofs > 9000 else 15
            ms = 1e3 * best(partial(factor.update, values), times)
            solve = 1e3 * best(partial(factor.solve, b), times)
            print(
                f"{name:28} {system.dofs:6d} dofs  {backend:8} factorise {ms:8.2f} ms  solve two {solve:7.2f} ms",
                flush=True,
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--reference", type=Path, default=REFERENCE)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--backends", action="store_true")
    options = parser.parse_args()
    if options.backends:
        backends(options.reference)
    else:
        against_sofa(options.reference, options.rounds)


if __name__ == "__main__":
    main()
