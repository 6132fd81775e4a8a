"""Options of commands whose result can be looked at in three dimensions."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from plantar._extras import require_extra
from plantar.cli.common import check_file
from plantar.show.clip import Clip
from plantar.show.page import write_page

Html = Annotated[
    Path | None,
    typer.Option("--html", metavar="FILE", help="Write one page to send: three-dimensional, plays without a network."),
]


def check_views(html: Path | None, overwrite: bool) -> None:
    """Refuse the name of a page that cannot be written, before any work is done.

    Raises:
        InvalidInput: If it cannot be written.
        MissingExtra: If it is asked for and the extra is not installed.
    """
    if html is not None:
        require_extra("show")
        check_file(html, ".html", overwrite, "--html")


def write_views(clip: Clip, html: Path | None) -> dict[str, Path]:
    """Write the page that was asked for; returns it by name."""
    return {} if html is None else {"html": write_page(html, clip)}
