"""Output of `plantar bench calibrate`."""

from __future__ import annotations

from pathlib import Path

from plantar._files import to_json, write_config, write_table, write_text
from plantar.bench.calibrate.plots import plot_all
from plantar.bench.calibrate.result import Calibration
from plantar.bench.units import COLUMN_UNITS
from plantar.feet import registry
from plantar.show.plots import save
from plantar.show.report import Section, in_words, write_report


def write(folder: Path, found: Calibration) -> Path:
    """Write foot.json, rig.json, calibration.json, tables, config.json, figures and the report.

    `plantar.feet.load(folder / "foot.json")` is then the calibrated foot and `load_rig(folder / "rig.json")` the rig.
    """
    registry.save(found.foot, folder / "foot.json", overwrite=True)
    write_text(folder / "rig.json", to_json(found.rig, indent=2) + "\n")
    write_text(folder / "calibration.json", to_json(found.record(), indent=2) + "\n")
    for name, table in (("parameters", found.parameters), ("residuals", found.residuals), ("trials", found.trials)):
        write_table(folder, name, table)
    settings = {"command": "bench calibrate", "foot": found.foot, "rig": found.rig, "noise": found.noise}
    names = [row["name"] for row in found.parameters]
    write_config(folder, seed=found.holdout.seed if found.holdout else None, parameters=names, **settings)
    pictures = [save(figure, folder / f"{name}.png") for name, figure in plot_all(found).items()]
    advice = "\n".join(f"- {sentence}" for sentence in found.advice)
    sections = [
        Section(title="Parameters", text=f"{found.status.value}\n\n{advice}", table=found.parameters),
        *(Section(title=picture.stem.replace("_", " ").capitalize(), picture=picture) for picture in pictures),
        Section(title="Residuals", table=found.residuals),
        Section(title="Trials", table=found.trials, units=COLUMN_UNITS),
    ]
    words = in_words(
        f"values of {', '.join(names)} with which simulated presses match measured ones.",
        f"{found.status.value}.",
        "intervals are 95 % and reflect the noise of the measurements; what the data cannot identify is listed below. "
        "SI units.",
    )
    return write_report(folder, "Calibration of the bench", sections, summary=words)
