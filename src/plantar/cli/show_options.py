"""Options of commands whose result can be looked at in three dimensions."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from plantar._checks import require
from plantar._extras import require_extra
from plantar.cli.common import check_file
from plantar.show.clip import Clip
from plantar.show.page import write_page
from plantar.show.video import write_video

Html = Annotated[
    Path | None,
    typer.Option("--html", metavar="FILE", help="Write one page to send: three-dimensional, plays without a network."),
]
Video = Annotated[
    Path | None,
    typer.Option("--video", metavar="FILE", help="Write a film at true speed, an .mp4; slow without a GPU."),
]
PORT = 8137
"""Port of a view unless told otherwise."""
Port = Annotated[int, typer.Option(min=0, max=65535, help="Port on this machine; 0 takes a free one.")]
Browser = Annotated[bool, typer.Option(help="Open a browser.")]
Seconds = Annotated[float | None, typer.Option(help="Stop after so many seconds; else at Ctrl-C.")]


def check_seconds(seconds: float | None) -> None:
    """Refuse a time that a view cannot be shown for.

    Raises:
        InvalidInput: If it is not a number above 0.
    """
    require(seconds is None or 0 < seconds < 1e6, "--seconds", seconds, "a time in seconds above 0")


def check_views(html: Path | None, overwrite: bool, video: Path | None = None) -> None:
    """Refuse names of a page and a film that cannot be written, before any work is done.

    Raises:
        InvalidInput: If one of them cannot be written.
        MissingExtra: If one is asked for and the extra is not installed.
    """
    for path, suffix, option in ((html, ".html", "--html"), (video, ".mp4", "--video")):
        if path is not None:
            require_extra("show")
            check_file(path, suffix, overwrite, option)


def write_views(clip: Clip, html: Path | None, video: Path | None = None) -> dict[str, Path]:
    """Write the page and the film that were asked for; returns them by name."""
    written = {}
    if html is not None:
        written["html"] = write_page(html, clip)
    if video is not None:
        written["video"] = write_video(video, clip)
    return written
