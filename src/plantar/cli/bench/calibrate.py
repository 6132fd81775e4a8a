"""`plantar bench calibrate`: parameters of foot and rig from measured presses."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from plantar.cli.bench.options import (
    Chains,
    FootName,
    GroundFile,
    RigSet,
    Set,
    bench_foot,
    make_rig,
    numbers,
    results_folder,
)
from plantar.cli.common import Json, Out, Overwrite, Progress, Seed, emit, run_command
from plantar.errors import InvalidInput

Parameters = Annotated[
    str, typer.Option("--parameters", metavar="A,B,...", help="What to fit; `list` names what can be.")
]
Bounds = Annotated[
    list[str] | None, typer.Option("--bounds", metavar="NAME=LOW,HIGH", help="Bounds of a parameter [SI].")
]


@run_command
def calibrate(
    measured: Annotated[
        Path | None, typer.Argument(metavar="MEASURED.csv", help="Measured trials; see `plantar bench template`.")
    ] = None,
    parameters: Parameters = "",
    bounds: Bounds = None,
    foot: FootName = "softfoot",
    chains: Chains = None,
    changes: Set = None,
    rig_changes: RigSet = None,
    ground: GroundFile = None,
    robust: Annotated[bool, typer.Option(help="Let readings far off count less.")] = True,
    folds: Annotated[int, typer.Option(help="Parts for the prediction of trials not seen; 0 leaves it out.")] = 4,
    seed: Seed = 0,
    out: Out = None,
    overwrite: Overwrite = False,
    as_json: Json = False,
) -> None:
    """Fit parameters to measured presses: values, intervals, and what the data cannot identify.

    Writes foot.json and rig.json, which every bench command takes with --foot and --rig.
    """
    from plantar._extras import require_extra  # noqa: PLC0415  (MuJoCo is loaded only when needed)
    from plantar.bench.calibrate.calibrate import DEFAULT, PARAMETERS, expected_presses  # noqa: PLC0415
    from plantar.bench.calibrate.calibrate import calibrate as fit  # noqa: PLC0415
    from plantar.bench.compare.measured import read_measured  # noqa: PLC0415

    require_extra("calibrate")
    if parameters == "list":
        _list(PARAMETERS, as_json)
        return
    if measured is None:
        raise InvalidInput("MEASURED.csv is missing: give the file of measured trials, see `plantar bench template`")
    the_foot, rig = bench_foot(foot, chains, changes), make_rig(rig_changes, ground)
    names = [name.strip() for name in parameters.split(",")] if parameters else list(DEFAULT)
    limits = dict(_bound(text) for text in bounds or [])
    data = read_measured(measured, the_foot.modules)
    folder = results_folder(out, "calibrate", overwrite)
    with Progress(expected_presses(len(names), len(data), folds), "calibrating") as bar:
        found = fit(
            data,
            the_foot,
            rig,
            names,
            bounds=limits,
            robust=robust,
            folds=folds,
            seed=seed,
            progress=bar.advance,
        )
    report = _write(found, folder)
    record = {**found.to_dict(), "folder": folder, "report": report}
    emit(record, as_json=as_json, text=f"{found.text()}\n\nreport: {report}")


def _list(knobs: dict[str, Any], as_json: bool) -> None:
    from plantar.cli.common import table_text  # noqa: PLC0415

    rows = [{"name": n, "low": k.low, "high": k.high, "unit": k.unit, "meaning": k.meaning} for n, k in knobs.items()]
    emit({"parameters": rows}, as_json=as_json, text=table_text(rows))


def _bound(text: str) -> tuple[str, tuple[float, float]]:
    name, equals, limits = text.partition("=")
    values = numbers("--bounds", limits) if equals else []
    if len(values) != 2:
        raise InvalidInput(f"--bounds {text!r} is not allowed: give NAME=LOW,HIGH, as in rig.tilt=0.01,0.1")
    return name.strip(), (values[0], values[1])


def _write(found: Any, folder: Any) -> Any:
    from plantar.bench.calibrate.plots import plot_all  # noqa: PLC0415
    from plantar.bench.units import COLUMN_UNITS  # noqa: PLC0415
    from plantar.show.plots import save  # noqa: PLC0415
    from plantar.show.report import Section, write_report  # noqa: PLC0415

    found.save(folder, overwrite=True)
    pictures = [save(figure, folder / f"{name}.png") for name, figure in plot_all(found).items()]
    advice = "\n".join(f"- {sentence}" for sentence in found.advice)
    sections = [
        Section(title="Parameters", text=f"{found.status.value}\n\n{advice}", table=found.parameters),
        *(Section(title=picture.stem.replace("_", " ").capitalize(), picture=picture) for picture in pictures),
        Section(title="Residuals", table=found.residuals),
        Section(title="Trials", table=found.trials, units=COLUMN_UNITS),
    ]
    return write_report(folder, "Calibration of the bench", sections, summary="SI units; intervals hold 95 %.")
