"""Output of `plantar bench windlass` and `stiffness`."""

from __future__ import annotations

from pathlib import Path

from plantar._files import write_config, write_table
from plantar.bench.clips import stiffness_clip, windlass_clip
from plantar.bench.mechanism import OWN, MechanismResult
from plantar.bench.stiffness import StiffnessResult
from plantar.bench.units import COLUMN_UNITS
from plantar.bench.windlass.plots import plot_stiffness, plot_windlass
from plantar.show.plots import save
from plantar.show.report import Section, in_words, write_report
from plantar.show.watch import watch

WORDS = {
    "windlass": (
        "what raising the toes does to the arch, the distance from heel to metatarsus and the tendons.",
        "at every angle the foot settles until nothing moves; friction in the tendons is not modelled.",
    ),
    "stiffness": (
        "whether the foot is soft when lightly loaded and stiff when heavily loaded.",
        "under every load the foot settles until nothing moves; the other feet are pressed in the same way.",
    ),
}
NAMES = {OWN: "The foot", "no tendons": "The foot without tendons", "released": "The released twin"}
PLOTS = {"windlass": plot_windlass, "stiffness": plot_stiffness}


def write(folder: Path, result: MechanismResult) -> Path:
    """Write the tables of all feet, their plot and a report; returns the report."""
    for label, table in result.tables.items():
        write_table(folder, label.replace(" ", "_"), table)
    write_config(folder, command=f"bench {result.name}", feet=dict(result.feet), **result.settings)
    picture = save(PLOTS[result.name](result.tables), folder / f"{result.name}.png")
    sections = [Section(title="At a glance", table=result.summary, units=COLUMN_UNITS, picture=picture)]
    for label, table in result.tables.items():
        sections.append(Section(title=NAMES.get(label, label.capitalize()), table=table, units=COLUMN_UNITS))
    if isinstance(result, StiffnessResult):
        clip = stiffness_clip(result)
    else:
        angle, stand = max(result.settings["angles"]), result.settings["rig"].stand
        clip = windlass_clip(result.feet[OWN], angle, stand)
    sections.insert(0, watch(folder, clip))
    asked, sure = WORDS[result.name]
    title = f"{result.name.capitalize()} of {result.feet[OWN].title or result.feet[OWN].name}"
    return write_report(folder, title, sections, summary=in_words(asked, f"{result.found()}.", sure))
