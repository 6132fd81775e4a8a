"""From random guesses: how many hoppers converge, hard against soft; and what a soft start saves the hard one.

Each guess is the crude one with time and coordinates disturbed at random (seeds 0 to 19). A gait counts as converged
if its constraints hold within 1e-6 on the first mesh. The second table solves the rigid hopper to the refined
tolerance, cold from the crude guess and warm from the soft solution.

    OMP_NUM_THREADS=1 python benchmarks/gait_guesses.py [--guesses 20]
"""

from __future__ import annotations

import argparse
import statistics

from plantar.gait import Effort, Hopper, solve


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--guesses", type=int, default=20)
    args = parser.parse_args()
    effort = Effort(refinements=0, seconds=10.0, explain=False)
    soft = []
    for contact in ("hard", "soft"):
        found = [solve(Hopper(), contact, guess=seed, effort=effort) for seed in range(args.guesses)]
        good = [r for r in found if r.ok]
        costs = sorted(round(r.cost, 4) for r in good)
        print(
            f"{contact}: {len(good)} of {len(found)} converge; iterations (median) "
            f"{statistics.median(r.iterations for r in good):.0f}; cpu {sum(r.cpu_seconds for r in found):.1f} s; "
            f"costs {costs}",
            flush=True,
        )
        soft = good
    rescued = sum(solve(Hopper(), "hard", guess=r, effort=effort).ok for r in soft)
    print(f"hard, warm from each soft solution: {rescued} of {len(soft)} converge", flush=True)
    cold = solve(Hopper(), "hard")
    start = solve(Hopper(), "soft")
    warm = solve(Hopper(), "hard", guess=start)
    for name, r in (("cold", cold), ("soft", start), ("warm", warm)):
        print(
            f"{name}: {r.iterations} iterations, {r.cpu_seconds:.2f} s cpu, cost {r.cost:.6f}, {r.status.name}, "
            f"first mesh {r.history[0]['iterations']} iterations"
        )


if __name__ == "__main__":
    main()
