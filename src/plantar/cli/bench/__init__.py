"""`plantar bench`: measure a foot."""

from plantar.cli.lazy import room

app = room(
    __name__,
    "Bench: press, compare, sensitivity, windlass, stiffness, calibrate.",
    {
        "press": "Press the foot on an obstacle under each module: 48 trials, a table, plots and a report.",
        "template": "Write an empty CSV with the 48 trials of the paper, to be filled with measurements.",
        "compare": "Compare measured presses with simulated ones: Table I and Figures 5 to 8 of the paper, from your "
        "data.",
        "sensitivity": "Move the supports by 4 mm and tilt the foot by 1 to 5 degrees; compare with the paper's "
        "figures.",
        "windlass": "Raise the toes step by step: arch height, heel-to-metatarsus distance, tendon tension, toe force.",
        "stiffness": "Press under a rising load: soft when lightly loaded, stiff when heavily loaded.",
        "calibrate": "Fit parameters to measured presses: values, intervals, and what the data cannot identify.",
        "replay": "Replay a diverged simulation from its last good state and say when and where it blows up.",
        "fields": "List the fields of a rig with defaults, units and meanings, as `--rig` takes them.",
    },
)
