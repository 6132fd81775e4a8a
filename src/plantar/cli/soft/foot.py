"""`plantar soft foot`."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from plantar.cli.common import FAILED, Json, Out, Overwrite, Progress, emit, note, results_folder, table_text
from plantar.cli.foot_options import FootArgument, Set, read_foot
from plantar.errors import InvalidInput
from plantar.soft.foot.card import Ground, solid_card
from plantar.soft.foot.report import write_solid
from plantar.soft.foot.solid import SolidFoot


def foot(
    solid: FootArgument = "solid",
    changes: Set = None,
    ground: Annotated[Literal["flat", "rod", "tilted", "all"], typer.Option(help="What it is pressed on.")] = "flat",
    load: Annotated[float, typer.Option(help="Largest load [N].")] = 500.0,
    tolerance: Annotated[
        float, typer.Option(help="Largest relative difference on flat ground; exit 1 above it.")
    ] = 0.05,
    out: Out = None,
    overwrite: Overwrite = False,
    as_json: Json = False,
) -> None:
    """Press a solid foot by finite elements and condensed in MuJoCo: the error card of the condensation."""
    if not (0 < load <= 5000 and tolerance > 0):
        raise InvalidInput(
            f"--load {load} is not allowed: give a force above 0, 5000 N at most, and a tolerance above 0"
        )
    one = read_foot(solid, changes)
    if not isinstance(one, SolidFoot):
        raise InvalidInput(f"foot {solid!r} is not allowed: this measures a solid foot, give solid or its .json file")
    folder = None if out is None else results_folder(out, "soft-foot", overwrite)
    grounds: tuple[Ground, ...] = ("flat", "rod", "tilted") if ground == "all" else (ground,)
    loads = [load * (k + 1) / 10 for k in range(10)]
    with Progress(10 * len(grounds), "soft foot") as bar:
        cards = [solid_card(one, g, loads=loads, progress=bar.advance) for g in grounds]
    rows = [card.row() for card in cards]
    files = write_solid(folder, one, cards) if folder else []
    flat = [{"figure": key, **{str(row["ground"]): row[key] for row in rows}} for key in rows[0] if key != "ground"]
    emit(
        {"foot": one, "cards": rows, "files": files},
        as_json=as_json,
        text="\n".join([table_text(flat), *map(str, files)]),
    )
    worst = max((card.error for card in cards if card.ground == "flat"), default=0.0)
    if worst > tolerance:
        note(f"the condensed foot is off by {100 * worst:.1f} % on flat ground, more than {100 * tolerance:g} %")
        raise typer.Exit(FAILED)
