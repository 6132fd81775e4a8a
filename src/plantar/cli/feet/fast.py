"""`plantar feet reduce` and `plantar feet check`: the fast twin, and the largest stable step."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from plantar.cli.common import Json, Out, Overwrite, Progress, Seed, emit, output_folder, run_command, table_text
from plantar.cli.feet.feet import Name, Set, find_foot
from plantar.errors import InvalidInput


@run_command
def reduce(
    name: Name = "softfoot",
    changes: Set = None,
    fidelity: Annotated[Literal["fast", "hinge"], typer.Option(help="Which light build.")] = "fast",
    presses: Annotated[int, typer.Option(min=0, help="Random presses to fit on; 0 keeps what is derived.")] = 36,
    checks: Annotated[int, typer.Option(min=1, help="Fresh random presses for the error card.")] = 100,
    shapes: Annotated[
        str, typer.Option("--obstacles", "--shapes", help="What it is meant for: cylinder, box, sphere.")
    ] = "cylinder,box",
    strips: Annotated[
        int | None, typer.Option(min=1, max=5, help="Strips of the fast twin; by default the fewest that will do.")
    ] = None,
    mechanism: Annotated[bool, typer.Option(help="Compare stiffening and windlass as well.")] = True,
    seed: Seed = 0,
    out: Out = None,
    overwrite: Overwrite = False,
    as_json: Json = False,
) -> None:
    """Derive and fit the fast twin of a foot, with an error card against the full foot."""
    from plantar.bench.reduce.reduce import headline  # noqa: PLC0415  (MuJoCo is loaded only when a command needs it)
    from plantar.bench.reduce.reduce import reduce as make_twin  # noqa: PLC0415
    from plantar.feet import SoftFoot  # noqa: PLC0415

    foot = find_foot(name, changes)
    if not isinstance(foot, SoftFoot):
        raise InvalidInput(f"{name!r} has nothing to fit: give softfoot or a SoftFoot's .json file")
    folder = output_folder(out, overwrite)
    wanted = [shape.strip() for shape in shapes.split(",")]
    with Progress(presses + checks, "reduce") as bar:
        reduced = make_twin(
            foot,
            fidelity=fidelity,
            presses=presses,
            checks=checks,
            shapes=wanted,  # type: ignore[arg-type]
            strips=strips,
            seed=seed,
            mechanism=mechanism,
            progress=bar.advance,
        )
    report: Path | None = None
    if folder is not None:
        from plantar.bench.reduce.report import write_reduced  # noqa: PLC0415

        report = write_reduced(folder, reduced, overwrite=overwrite)
    parts = [table_text(reduced.summary)]
    parts += [table_text(table) for table in (reduced.mechanism, reduced.strips) if len(table)]
    parts += [f"report: {report}"] if report else []
    record = {**headline(reduced), "seed": seed, "fitted": reduced.fitted, "twin": reduced.foot, "report": report}
    emit(record, as_json=as_json, text="\n\n".join(parts))


@run_command
def check(
    name: Annotated[str, typer.Argument(metavar="NAME", help="A foot's name, its .json, or an MJCF .xml file.")],
    changes: Set = None,
    mounted: Annotated[bool, typer.Option(help="Check a foot on the press; else alone, its ankle fixed.")] = True,
    integrator: Annotated[
        Literal["euler", "implicitfast", "implicit", "discrete"] | None, typer.Option(help="Instead of the model's.")
    ] = None,
    verify: Annotated[bool, typer.Option(help="Find the largest stable step by runs as well.")] = True,
    as_json: Json = False,
) -> None:
    """Predict the largest stable time step of a foot or model, and say what limits it."""
    from plantar.feet.timestep import check_model  # noqa: PLC0415

    spec = _spec(name, changes, mounted)
    forecast = check_model(spec, integrator=integrator, verify=verify)
    rows = [
        {"what": b.what, "element": b.element, "limit_ms": 1e3 * b.step, "hard": b.hard, "why": b.why}
        for b in forecast.bounds[:8]
    ]
    lines = [table_text(rows), "", forecast.advice]
    emit(forecast.record(), as_json=as_json, text="\n".join(lines))


def _spec(name: str, changes: list[str] | None, mounted: bool):  # noqa: ANN202  (MjSpec is not loaded here)
    import mujoco  # noqa: PLC0415

    from plantar.bench.press.check_rig import on_press  # noqa: PLC0415

    if name.endswith(".xml"):
        try:
            return mujoco.MjSpec.from_file(name)
        except ValueError as error:
            raise InvalidInput(f"{name} cannot be loaded ({error}): give an MJCF file") from error
    foot = find_foot(name, changes)
    return on_press(foot) if mounted else foot.spec()
