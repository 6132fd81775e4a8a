"""`plantar soft reduce`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from plantar._files import write_config, write_table
from plantar.cli.common import (
    FAILED,
    Json,
    OutTables,
    Overwrite,
    Progress,
    Seed,
    emit,
    fail,
    parse_changes,
    results_folder,
    table_text,
)
from plantar.cli.show_options import report_on
from plantar.cli.soft.options import RobotSet
from plantar.errors import InvalidInput
from plantar.show.report import Section
from plantar.soft.reduction.run import reduce_file, reduce_named


def reduce(
    name: Annotated[str, typer.Argument(metavar="NAME|SCENE.yaml", help="A soft robot, or a scene file.")],
    modes: Annotated[int | None, typer.Option(min=1, help="Largest number of modes.")] = None,
    samples: Annotated[int, typer.Option(min=1, help="Number of actuator combinations to learn from.")] = 10,
    changes: RobotSet = None,
    carrier: Annotated[str | None, typer.Option(help="Free rigid body that carries the modes (scene files).")] = None,
    tolerance: Annotated[
        float, typer.Option(help="Largest allowed error of a node, as a fraction of the motion; exit 1 above it.")
    ] = 0.1,
    seed: Seed = 0,
    out: OutTables = None,
    overwrite: Overwrite = False,
    as_json: Json = False,
) -> None:
    """Reduce a robot or a scene to a few modes and elements; write it with an error card."""
    is_file = name.endswith((".yaml", ".yml"))
    if is_file and changes:
        raise InvalidInput(f"--robot-set {changes[0]!r} is not allowed with a scene file: change the file")
    if not tolerance > 0:
        raise InvalidInput(f"--tolerance {tolerance} is not allowed: give a number above 0")
    folder = results_folder(out, f"soft-reduce-{Path(name).stem}", overwrite)
    with Progress(0, "soft reduce") as bar:
        if is_file:
            options = {"samples": samples, "seed": seed, "carrier": carrier}
            found, cards = reduce_file(Path(name), modes=modes or 24, **options, progress=bar.advance)
        else:
            fields = parse_changes("--robot-set", changes)
            found, cards = reduce_named(name, fields, modes=modes, samples=samples, seed=seed, progress=bar.advance)
    path = found.save(folder / "reduction.npz")
    rows = [card.row() for card in cards]
    write_table(folder, "card", rows)
    write_config(folder, seed=seed, name=name, modes=modes, samples=samples, changes=changes or [])
    flat = [{"figure": key, **{str(row["run"]): row[key] for row in rows}} for key in rows[0] if key != "run"]
    worst = max(cards, key=lambda card: card.relative)
    words = (
        f"a small model of {name} that moves like the full one.",
        f"{worst.run} is off by {100 * worst.relative:.2g} % of the motion; {100 * tolerance:g} % is allowed.",
        f"errors are measured against the full model; motions unlike the {samples} samples are not covered.",
    )
    report = report_on(folder, f"{Path(name).stem}, reduced", words, [Section(title="Error card", table=flat)])
    record = {"cards": rows, "reduction": path, "report": report}
    emit(record, as_json=as_json, text=f"{table_text(flat)}\n\n{path}\nreport: {report}")
    if worst.relative > tolerance:
        fail(
            f"{worst.run}: the reduced scene is off by {100 * worst.relative:.1f} % of the motion, more than "
            f"{100 * tolerance:g} %; try more --modes or --samples",
            FAILED,
        )
