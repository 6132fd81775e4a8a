"""Options shared by the ground commands."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from plantar.cli.common import words

GroundFile = Annotated[
    Path | None, typer.Option("--ground", metavar="FILE", help="A ground.json written by `plantar ground`.")
]
Soles = Annotated[
    str | None,
    typer.Option(
        "--soles", metavar="A,B,...", help="Bodies or geoms that touch the ground; found by name if left out."
    ),
]


def sole_names(text: str | None) -> list[str] | None:
    """Names of the bodies or geoms of `--soles`; None finds them."""
    return None if text is None else list(words(text))
