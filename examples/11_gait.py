"""Optimise the hop of a one-legged robot through rubber feet, then through rigid ones, and check both.

    python examples/11_gait.py

Needs the extra `gait`: pip install 'plantar[gait]'.
"""

from __future__ import annotations

from plantar.gait import Effort, Hopper, RubberContact, check, replay, solve


def main() -> dict[str, float]:
    law = RubberContact()
    print(f"racquetball: {law.stiffness:.4g} N/m^2, {law.force(0.010):.0f} N at 10 mm, never pulls")

    effort = Effort(tolerance=1e-4)
    soft = solve(Hopper(), "soft", effort=effort)  # one phase; the optimiser finds touch-down and lift-off
    hard = solve(Hopper(), "hard", guess=soft, effort=effort)  # flight, impact, stance, flight
    for result in (soft, hard):
        proof = check(result)
        print(
            f"{result.contact}: losses {result.cost:.4f}, {result.intervals} intervals, {result.iterations} iterations;"
            f" integrated with SciPy it returns to its start within {proof.return_error:.1e}"
        )
    shown = replay(soft, step=2e-4)
    print(f"in MuJoCo, open loop: within {shown.error:.1e} leg lengths over the stride")
    return {"soft": soft.cost, "hard": hard.cost, "replay": shown.error}


if __name__ == "__main__":
    main()
