"""`plantar gait`: contact laws from drops, contact models compared, gaits optimised."""

from plantar.cli.lazy import room

app = room(
    __name__,
    "Gaits through hard and soft contact: fit, compare, optimise.",
    {
        "solve": "Optimise a periodic gait by direct collocation; check it with an independent integrator; plot and "
        "film it.",
        "sweep": "Follow gaits over speed on rubber feet: families, gait diagrams, cost of transport.",
        "fit-drops": "Fit k_N, d_N1 and d_N2 of a rubber foot to recorded drops, with intervals; draw the paper's "
        "Figure 1.",
        "drops": "Write synthetic drops of the racquetball foot; the paper's recordings are not public.",
        "compare-contact": "Compare open-loop squats on hard and soft feet with a recorded motion: the paper's "
        "Figure 3, errors, verdict.",
    },
)
