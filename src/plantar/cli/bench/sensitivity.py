"""`plantar bench sensitivity`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from plantar import bench
from plantar.bench.sensitivity.sensitivity import workload
from plantar.cli.bench.options import Chains, GroundFile, RigSet, bench_foot, finish, make_rig, running
from plantar.cli.common import Json, Out, Overwrite, note
from plantar.cli.foot_options import FootOption, Set


def sensitivity(
    measured: Annotated[
        Path | None, typer.Argument(metavar="MEASURED.csv", help="Measured trials; if given, errors are compared too.")
    ] = None,
    foot: FootOption = "softfoot",
    chains: Chains = None,
    changes: Set = None,
    rig_changes: RigSet = None,
    ground: GroundFile = None,
    out: Out = None,
    overwrite: Overwrite = False,
    as_json: Json = False,
) -> None:
    """Move the supports by 4 mm and tilt the foot by 1 to 5 degrees; compare with the paper's figures."""
    one, rig = bench_foot(foot, chains, changes), make_rig(rig_changes, ground)
    modules = len(one.stations.module_x)
    data = bench.read_measured(measured, modules) if measured else None
    with running("sensitivity", workload(rig, data, modules), out, overwrite) as (folder, bar):
        result = bench.sensitivity(one, rig, data, progress=bar.advance)
    for line in result.notes:
        note(f"note: {line}")
    finish(result, folder, as_json)
