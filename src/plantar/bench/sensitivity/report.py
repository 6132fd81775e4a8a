"""Output of `plantar bench sensitivity`."""

from __future__ import annotations

from pathlib import Path

from plantar._files import write_config, write_table
from plantar.bench.sensitivity.plots import plot_sensitivity
from plantar.bench.sensitivity.sensitivity import SHARES, SensitivityResult
from plantar.bench.units import COLUMN_UNITS
from plantar.show.plots import save
from plantar.show.report import Section, in_words, write_report


def write(folder: Path, result: SensitivityResult) -> Path:
    """Write every setting, the ranges, their chart and the report; returns the report."""
    write_table(folder, "settings", result.table)
    write_table(folder, "summary", result.summary)
    write_config(folder, command="bench sensitivity", foot=result.foot, rig=result.rig)
    picture = save(plot_sensitivity(result), folder / "sensitivity.png")
    notes = "\n".join(f"- {line}" for line in result.notes)
    sections = [
        Section(title="Ranges", table=result.summary, units=SHARES, text=notes, picture=picture),
        Section(
            title="Every setting",
            table=result.table,
            units=SHARES
            | {"shift_*": "share", "mean_*": "N", "heel_shift": "m", "metatarsus_shift": "m"}
            | COLUMN_UNITS,
        ),
    ]
    words = in_words(
        "how the positions of the supports and the foot's tilt, which the paper does not state, affect the forces.",
        f"{result.found()}. `swing` is the range of a body's mean force, `span` the mean range of a trial's, "
        "`paper` the range that the paper reports.",
        "one unknown is varied at a time; together they may have a larger effect.",
    )
    return write_report(folder, "Effect of the bench's unknowns", sections, summary=words)
