"""`plantar bench compare`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from plantar import bench
from plantar.cli.bench.options import Chains, Duration, GroundFile, RigSet, bench_foot, finish, make_rig, running
from plantar.cli.common import Json, Out, Overwrite, note
from plantar.cli.foot_options import FootOption, Set


def compare(
    measured: Annotated[
        Path,
        typer.Argument(metavar="MEASURED.csv", help="Measured trials; `plantar bench template` writes an empty one."),
    ],
    foot: FootOption = "softfoot",
    chains: Chains = None,
    changes: Set = None,
    rig_changes: RigSet = None,
    ground: GroundFile = None,
    duration: Duration = 5.0,
    out: Out = None,
    overwrite: Overwrite = False,
    as_json: Json = False,
) -> None:
    """Compare measured presses with simulated ones: Table I and Figures 5 to 8 of the paper, from your data."""
    one, rig = bench_foot(foot, chains, changes), make_rig(rig_changes, ground)
    trials = len(bench.read_measured(measured, len(one.stations.module_x)))
    with running("compare", trials, out, overwrite) as (folder, bar):
        result = bench.compare(measured, one, rig=rig, duration=duration, progress=bar.advance)
    for line in result.notes:
        note(f"note: {line}")
    finish(result, folder, as_json)
