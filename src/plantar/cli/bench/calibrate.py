"""`plantar bench calibrate`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from plantar import bench
from plantar._extras import require_extra
from plantar.bench.calibrate.calibrate import DEFAULT, PARAMETERS, expected_presses
from plantar.cli.bench.options import Chains, GroundFile, RigSet, bench_foot, finish, make_rig, running
from plantar.cli.common import Json, Out, Overwrite, Seed, emit, numbers, table_text, words
from plantar.cli.foot_options import FootOption, Set
from plantar.errors import InvalidInput


def calibrate(
    measured: Annotated[
        Path | None, typer.Argument(metavar="MEASURED.csv", help="Measured trials; see `plantar bench template`.")
    ] = None,
    parameters: Annotated[
        str, typer.Option("--parameters", metavar="A,B,...", help="Parameters to fit; `list` shows the available ones.")
    ] = "",
    bounds: Annotated[
        list[str] | None, typer.Option("--bounds", metavar="NAME=LOW,HIGH", help="Bounds of a parameter [SI].")
    ] = None,
    foot: FootOption = "softfoot",
    chains: Chains = None,
    changes: Set = None,
    rig_changes: RigSet = None,
    ground: GroundFile = None,
    robust: Annotated[bool, typer.Option(help="Give outlying readings less weight.")] = True,
    folds: Annotated[int, typer.Option(help="Number of parts for cross-validation; 0 skips it.")] = 4,
    seed: Seed = 0,
    out: Out = None,
    overwrite: Overwrite = False,
    as_json: Json = False,
) -> None:
    """Fit parameters to measured presses: values, intervals, and what the data cannot identify.

    Writes foot.json and rig.json, which every bench command accepts as --foot and --rig.
    """
    require_extra("calibrate")
    if parameters == "list":
        rows = [
            {"name": name, "low": p.low, "high": p.high, "unit": p.unit, "meaning": p.meaning}
            for name, p in PARAMETERS.items()
        ]
        emit({"parameters": rows}, as_json=as_json, text=table_text(rows))
        return
    if measured is None:
        raise InvalidInput("MEASURED.csv is missing: give the file of measured trials (see `plantar bench template`)")
    one, rig = bench_foot(foot, chains, changes), make_rig(rig_changes, ground)
    names = words(parameters) if parameters else DEFAULT
    limits = dict(_bound(text) for text in bounds or [])
    data = bench.read_measured(measured, len(one.stations.module_x))
    with running("calibrate", expected_presses(len(names), len(data), folds), out, overwrite) as (folder, bar):
        options = {"bounds": limits, "robust": robust, "folds": folds, "seed": seed, "progress": bar.advance}
        found = bench.calibrate(data, one, rig, names, **options)
    finish(found, folder, as_json)


def _bound(text: str) -> tuple[str, tuple[float, float]]:
    name, equals, limits = text.partition("=")
    values = numbers("--bounds", limits) if equals else []
    if len(values) != 2:
        raise InvalidInput(f"--bounds {text!r} is not allowed: give NAME=LOW,HIGH, as in rig.tilt=0.01,0.1")
    return name.strip(), (values[0], values[1])
