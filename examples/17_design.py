"""Search for a foot: as light as possible, with an arch that lifts, from available parts.

    python examples/17_design.py

Three fields of the fast SoftFoot may change. The report has the front of mass and lift, the chosen feet side by side,
what each field does, what rounding to parts costs, and a parts list. Stop the script and start it again: it resumes.
"""

from __future__ import annotations

from pathlib import Path

from plantar import design
from plantar.design.result import DesignResult


def main(out: Path = Path("runs/example_design"), evaluations: int = 40) -> DesignResult:
    """Search, write the report and print the answer."""
    result = design.search(
        foot="softfoot:fast",
        vary=["band.hardness=40..80", "modules=4..8", "chains=3..5"],
        objectives=["mass", "lift:angle=15"],
        limits=["length<=0.28", "band_stress<=6e6"],
        steps={"band.hardness": 10},
        budget=design.Budget(evaluations=evaluations),
        out=out / "runs",
    )
    print(result.text())
    print(f"report: {result.write(out / 'report', overwrite=True)}")
    return result


if __name__ == "__main__":
    main()
