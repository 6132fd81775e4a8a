"""`plantar feet reduce`."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from plantar.bench.reduce.reduce import reduce as make_twin
from plantar.cli.common import Json, Out, Overwrite, Progress, Seed, emit, results_folder, words
from plantar.cli.foot_options import FootArgument, Set, read_foot


def reduce(
    foot: FootArgument = "softfoot",
    changes: Set = None,
    fidelity: Annotated[Literal["fast", "hinge"], typer.Option(help="Light build to derive.")] = "fast",
    presses: Annotated[int, typer.Option(min=0, help="Random presses to fit to; 0 keeps the derived values.")] = 36,
    checks: Annotated[int, typer.Option(min=1, help="Fresh random presses for the error card.")] = 100,
    shapes: Annotated[
        str, typer.Option("--obstacles", "--shapes", help="Obstacles it is meant for: cylinder, box, sphere.")
    ] = "cylinder,box",
    strips: Annotated[
        int | None, typer.Option(min=1, max=5, help="Strips of the fast twin; by default the fewest that suffice.")
    ] = None,
    mechanism: Annotated[bool, typer.Option(help="Also compare stiffening and windlass.")] = True,
    seed: Seed = 0,
    out: Out = None,
    overwrite: Overwrite = False,
    as_json: Json = False,
) -> None:
    """Derive and fit the fast twin of a foot, with an error card against the full foot."""
    full = read_foot(foot, changes)
    folder = results_folder(out, "feet-reduce", overwrite)
    with Progress(presses + checks, "reduce") as bar:
        reduced = make_twin(
            full,
            fidelity=fidelity,
            presses=presses,
            checks=checks,
            shapes=words(shapes),  # type: ignore[arg-type]
            strips=strips,
            seed=seed,
            mechanism=mechanism,
            progress=bar.advance,
        )
    report = reduced.write(folder, overwrite=True)
    emit({**reduced.record(), "report": report}, as_json=as_json, text=f"{reduced.text()}\n\nreport: {report}")
