"""`plantar soft foot`."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from plantar.cli.common import FAILED, Json, Out, Overwrite, Progress, emit, fail, results_folder, table_text
from plantar.cli.foot_options import FootArgument, Set, read_foot
from plantar.errors import InvalidInput
from plantar.soft.foot.card import TRUST, solid_card
from plantar.soft.foot.press import GROUNDS, Ground
from plantar.soft.foot.report import write_solid
from plantar.soft.foot.solid import SolidFoot


def foot(
    solid: FootArgument = "solid",
    changes: Set = None,
    ground: Annotated[
        Literal["flat", "rod", "edge", "tilted", "all"], typer.Option(help="Ground to press on.")
    ] = "flat",
    load: Annotated[float, typer.Option(help="Largest load [N].")] = 500.0,
    tolerance: Annotated[
        float,
        typer.Option(
            help="Largest allowed relative difference on flat ground, elsewhere 0.1 or this; exit 1 above it."
        ),
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
        raise InvalidInput(
            f"foot {solid!r} is not allowed: this command is for solid feet, give solid or its .json file"
        )
    folder = results_folder(out, "soft-foot", overwrite)
    grounds: tuple[Ground, ...] = GROUNDS if ground == "all" else (ground,)
    loads = [load * (k + 1) / 10 for k in range(10)]
    with Progress(10 * len(grounds), "soft foot") as bar:
        cards = [solid_card(one, g, loads=loads, progress=bar.advance) for g in grounds]
    rows = [card.row() for card in cards]
    files = write_solid(folder, one, cards)
    flat = [{"figure": key, **{str(row["ground"]): row[key] for row in rows}} for key in rows[0] if key != "ground"]
    emit(
        {"foot": one, "cards": rows, "files": files},
        as_json=as_json,
        text="\n".join([table_text(flat), *map(str, files)]),
    )
    refused = [
        card for card in cards if not card.error <= (tolerance if card.ground == "flat" else max(tolerance, TRUST))
    ]
    if refused:
        fail("; ".join(card.verdict for card in refused), FAILED)
