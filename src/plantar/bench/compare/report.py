"""Output of `plantar bench compare`."""

from __future__ import annotations

from pathlib import Path

from plantar._files import write_config, write_table
from plantar.bench.compare.compare import Comparison, in_percent
from plantar.bench.compare.plots import plot_all
from plantar.show.plots import save
from plantar.show.report import Section, in_words, write_report


def write(folder: Path, result: Comparison) -> Path:
    """Write errors, Table I, figures and the report; returns the report."""
    for name, table in (("errors", result.errors), ("summary", result.summary), ("rotations", result.rotations)):
        if len(table):
            write_table(folder, name, table)
    write_config(folder, command="bench compare", **result.settings)
    notes = "\n".join(f"- {line}" for line in result.notes)
    sections = [Section(title="Mean relative errors of the forces", table=in_percent(result.summary), text=notes)]
    for name, figure in plot_all(result).items():
        title = name.replace("_", " ").replace("figure", "Figure ")
        sections.append(Section(title=title, picture=save(figure, folder / f"{name}.png")))
    words = in_words(
        "how far simulated presses are from measured ones: Table I and Figures 5 to 8 of Crotti et al. (2024).",
        f"{result.found()}.",
        "sensor offsets are unknown and treated as described below; the paper's own figures are shown for comparison.",
    )
    return write_report(folder, "Measured and simulated presses", sections, summary=words)
