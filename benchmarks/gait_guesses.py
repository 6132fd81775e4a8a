"""From random guesses: how many hoppers converge, hard against soft; and what a soft start saves the hard one.

Each guess is the crude one with time and coordinates disturbed at random (seeds 0 to 19). A gait counts as converged
when IPOPT says so on the first mesh and its constraint violation is below 1e-6. Soft gaits go through softer feet
first; `--direct` tries them without. Then the refined hard hopper to its tolerance, cold from the crude guess and warm
from the soft solution. Processor time counts, so that a busy machine does not.

    OMP_NUM_THREADS=1 python benchmarks/gait_guesses.py [--guesses 20] [--direct]
"""

from __future__ import annotations

import argparse
import statistics
from typing import Any

from plantar.gait import Effort, GaitResult, Hopper, solve

EFFORT: dict[str, Any] = {"refinements": 0, "seconds": 10.0, "explain": False}


def share(name: str, found: list[GaitResult]) -> list[GaitResult]:
    """Print how many converged, and return those."""
    good = [r for r in found if r.ok]
    print(f"{name}: {len(good)} of {len(found)} converge", flush=True)
    if good:
        iterations, seconds = ([getattr(r, n) for r in good] for n in ("iterations", "cpu_seconds"))
        print(
            f"  iterations: median {statistics.median(iterations):.0f}, most {max(iterations)}; processor time: median "
            f"{statistics.median(seconds):.2f} s, most {max(seconds):.2f} s\n"
            f"  losses {sorted(round(r.cost, 4) for r in good)}",
            flush=True,
        )
    return good


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--guesses", type=int, default=20)
    parser.add_argument("--direct", action="store_true", help="soft without softer feet first, too (slow)")
    args = parser.parse_args()
    effort, direct = Effort(**EFFORT), Effort(**EFFORT, cushions=())
    soft = share("soft", [solve(Hopper(), "soft", guess=seed, effort=effort) for seed in range(args.guesses)])
    share("hard", [solve(Hopper(), "hard", guess=seed, effort=effort) for seed in range(args.guesses)])
    share("hard, warm from each soft solution", [solve(Hopper(), "hard", guess=r, effort=effort) for r in soft])
    cold = solve(Hopper(), "hard")
    start = solve(Hopper(), "soft")
    warm = solve(Hopper(), "hard", guess=start)
    for name, r in (("hard, cold", cold), ("soft, cold", start), ("hard, warm from soft", warm)):
        print(
            f"refined {name}: {r.iterations} iterations, {r.cpu_seconds:.2f} s, losses {r.cost:.6f}, {r.status.name}",
            flush=True,
        )
    if args.direct:
        share("soft, directly", [solve(Hopper(), "soft", guess=seed, effort=direct) for seed in range(args.guesses)])


if __name__ == "__main__":
    main()
