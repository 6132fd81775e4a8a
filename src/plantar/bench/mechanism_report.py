"""What `plantar bench windlass` and `stiffness` leave in their folders."""

from __future__ import annotations

from pathlib import Path

from plantar._files import write_config, write_table
from plantar.bench.clips import windlass_clip
from plantar.bench.mechanism import OWN, MechanismResult
from plantar.bench.units import COLUMN_UNITS
from plantar.bench.windlass.plots import plot_stiffness, plot_windlass
from plantar.show.plots import save
from plantar.show.report import Section, in_words, write_report
from plantar.show.watch import watch

WORDS = {
    "windlass": (
        "what raising the toes does to the arch, the distance from heel to metatarsus and the tendons.",
        "the figures and the first table, with the foot without tendons and the released twin beside it.",
        "every angle is settled until nothing moves; friction in the tendons is not modelled.",
    ),
    "stiffness": (
        "whether the foot is soft when lightly loaded and stiff when heavily loaded.",
        "the slopes of force over depth in the first table.",
        "every load is settled until nothing moves; the other feet are pressed in the same way.",
    ),
}
PLOTS = {"windlass": plot_windlass, "stiffness": plot_stiffness}


def write(folder: Path, result: MechanismResult) -> Path:
    """Write the tables of all feet, their plot and a report; returns the report."""
    for label, table in result.tables.items():
        write_table(folder, label.replace(" ", "_"), table)
    write_config(folder, command=f"bench {result.name}", feet=dict(result.feet), **result.settings)
    picture = save(PLOTS[result.name](result.tables), folder / f"{result.name}.png")
    sections = [Section(title="At a glance", table=result.summary, units=COLUMN_UNITS, picture=picture)]
    for label, table in result.tables.items():
        sections.append(Section(title=f"Foot: {label}", table=table, units=COLUMN_UNITS))
    if result.name == "windlass":
        angle, stand = max(result.settings["angles"]), result.settings["rig"].stand
        sections.insert(0, watch(folder, windlass_clip(result.feet[OWN], angle, stand)))
    return write_report(folder, f"{result.name.capitalize()} bench", sections, summary=in_words(*WORDS[result.name]))
