"""Every table and figure of the five papers: what it shows and, where no row of ours stands for it, why."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from validation.records import Row


@dataclass(frozen=True)
class Shown:
    """A table or figure of a paper."""

    place: str
    """As the paper counts it."""
    what: str
    """What it shows."""
    instead: str = ""
    """Why no row stands for it, or where to look; links as seen from docs/."""


DRAWING = "a drawing or photograph without a quantity"

SHOWN: dict[str, tuple[Shown, ...]] = {
    "softfoot": (
        Shown("Table I", "mean relative errors of contact forces, two models, with and without a filter"),
        Shown("Figure 1", "the twin on JVRC1, COMAN+, G1 and Talos"),
        Shown("Figure 2", "exploded view of the foot", f"{DRAWING}; [our parts](feet.md)"),
        Shown("Figure 3", "how tendons, bands and loops are modelled", f"{DRAWING}; [our choices](feet.md)"),
        Shown("Figure 4", "the rig, real and simulated", f"{DRAWING}; [our rig](bench_compare.md)"),
        Shown("Figure 5", "relative force errors by position, height and load"),
        Shown("Figure 6", "signed force errors by position, height and load"),
        Shown("Figure 7", "rotation errors of six modules by position, height and load"),
        Shown("Figure 8", "box plot of the rotation errors"),
        Shown("Figure 9", "COMAN+ walks over 5 and 10 mm on own feet and on SoftFeet"),
        Shown("Figure 10", "a rigid and a soft sole on the obstacle"),
    ),
    "ground": (
        Shown("Table I", "mass, sole and centre of mass of the KHR-3HV"),
        Shown("Figure 1", "robot and contact model", DRAWING),
        Shown("Figure 2", "force over deformation of a ball, by time constant and damping ratio"),
        Shown("Figure 3", "the same on identified ground, beside Hunt and Crossley's law"),
        Shown("Figure 4", "the same of a box"),
        Shown("Figure 5", "the same of the robot, before and after correction"),
    ),
    "contact": (
        Shown("Figure 1", "spring and damper fitted to five drops of a rubber foot"),
        Shown("Figure 2", "the normal law"),
        Shown("Figure 3", "feet of a squatting quadruped: measured, hard, soft"),
        Shown("Figure 4", "the hopper and its optimal motions on hard and soft feet"),
    ),
    "soft_robots": (
        Shown("Figure 1", "cable and pressure actuators, simulated and real", f"{DRAWING}; [ours](soft.md)"),
        Shown("Figure 2", "graspers; an octopus tentacle, simulated and real", f"{DRAWING}; [ours](soft_robots.md)"),
        Shown("Figure 3", "table of seven robots: degrees of freedom and time of a step"),
        Shown("Figure 4", "the diamond, simulated and real", f"{DRAWING}; its errors are a row (Section VI-B)"),
        Shown(
            "Figure 5", "Fetch and Flexo, simulated and real", f"{DRAWING}; the reduced Fetch is a row (Section VI-C)"
        ),
        Shown("Figure 6", "Stifface", f"{DRAWING}; its size and time are in the table"),
        Shown("Figure 7", "Sofia", f"{DRAWING}; its size and time are in the table"),
    ),
    "footholds": (
        Shown("Table I", "accuracy and overlap of three networks"),
        Shown("Table II", "confusion of classes 0 to 4"),
        Shown("Figure 1", "the robot chooses a foothold", DRAWING),
        Shown("Figure 2", "training off line, inference on line", f"{DRAWING}; [ours](foothold_networks.md)"),
        Shown("Figure 3", "parts and sizes of SoftFoot-Q", f"{DRAWING}; [ours](softfootq.md)"),
        Shown("Figure 4", "meaning of slope and curvature", f"{DRAWING}; [the cost](foothold.md)"),
        Shown("Figure 5", "foot shapes and their surfaces", f"{DRAWING}; [the cost](foothold.md)"),
        Shown("Figure 6", "small holes closed by a convex hull", f"{DRAWING}; [the cost](foothold.md)"),
        Shown("Figure 7", "cost maps for a ball and for two orientations of the soft foot"),
        Shown("Figure 8", "obstacles and trajectories of the feet"),
        Shown("Figure 9", "footholds chosen on stairs, steps and rough ground"),
    ),
}
"""By paper."""


def places(text: str) -> set[str]:
    """Tables and figures that a row's place names: `Table I, Figures 5 and 6` names three."""
    found = {f"Table {number}" for number in re.findall(r"Table ([IVX]+)", text)}
    for numbers in re.findall(r"Figures? ([0-9][0-9a-z]*(?:(?:, | and | to )[0-9a-z]+)*)", text):
        several = [int(n) for n in re.findall(r"[0-9]+", numbers)]
        if " to " in numbers:
            several = list(range(several[0], several[-1] + 1))
        found |= {f"Figure {n}" for n in several}
    return found


def standing_for(shown: Shown, rows: Iterable[Row]) -> list[Row]:
    """Rows that stand for a table or figure."""
    return [row for row in rows if shown.place in places(row.place)]
