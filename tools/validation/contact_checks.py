"""Contact: checks of the rubber law and of gaits, as tests and benchmarks have recorded them."""

from __future__ import annotations

from validation.figures import Figures
from validation.records import Record


def checks() -> Record:
    """What the laws and the gaits were held against."""
    f = Figures("gait")
    slopes = max(f["rubber.normal_slope_error"], f["rubber.tangential_slope_error"])
    rows = [
        f.row(
            "rubber.normal_slope_error",
            "rubber.least_force",
            "rubber.least_heat",
            good=slopes < 1e-6 and f["rubber.least_force"] >= 0 and f["rubber.least_heat"] >= 0,
            what=f"rubber law over {f['rubber.states']:,} random states: derivatives against differences; least force; "
            "least heat",
            published="1e-6; never negative; never negative",
            ours=f"{slopes:.1e}; {f['rubber.least_force']:g} N; {f['rubber.least_heat']:g} W",
        ),
    ]
    return f.record("Checks of laws and gaits", rows)
