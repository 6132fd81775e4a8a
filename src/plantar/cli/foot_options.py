"""How every command names a foot: `NAME[:FIDELITY]`, a .json file or `-`, with `--set FIELD=VALUE`."""

from __future__ import annotations

from typing import Annotated

import typer

from plantar import feet
from plantar._read import read_stdin, reading
from plantar.cli.common import parse_changes

NAMING = "NAME[:FIDELITY] from `plantar feet list`, as in softfoot:fast, or a foot's .json file"

FootArgument = Annotated[str, typer.Argument(metavar="FOOT", help=f"{NAMING}; - reads stdin.")]
"""The foot of a command whose subject it is."""
FootOption = Annotated[str, typer.Option("--foot", metavar="FOOT", help=f"{NAMING}; - reads stdin.")]
"""The foot of a command that takes one."""
FeetOption = Annotated[str, typer.Option("--feet", metavar="FOOT,...", help=f"Feet to compare: {NAMING}.")]
"""The feet of a command that takes several."""
Set = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="FIELD=VALUE", help="Change a field of the foot, as in band.hardness=70."),
]
"""Changes of the foot, in every command that takes one."""


def read_foot(text: str, changes: list[str] | None = None) -> feet.Foot:
    """The foot named on a command line, with `FIELD=VALUE` changes.

    Raises:
        InvalidInput: If there is no such foot or field, or a value is not allowed.
    """
    if text == "-":
        with reading("stdin", "foot", "give a foot's JSON"):
            given = read_stdin()
        foot = feet.parse(given, "stdin")
    else:
        foot = feet.get(text)
    return foot.with_(**parse_changes("--set", changes))
