"""Options of commands whose result can be viewed in 3D."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from plantar._checks import require
from plantar._files import write_text
from plantar.show.clip import Clip
from plantar.show.page import write_page
from plantar.show.report import Section, in_words, write_report
from plantar.show.video import write_video
from plantar.show.watch import CLIP, PAGE, watch

Html = Annotated[
    Path | None,
    typer.Option("--html", metavar="FILE", help="Write a single 3D page to share; it plays offline."),
]
Video = Annotated[
    Path | None,
    typer.Option("--video", metavar="FILE", help="Write an .mp4 film in real time; slow without a GPU."),
]
PORT = 8137
"""Default port of a view."""
Port = Annotated[int, typer.Option(min=0, max=65535, help="Local port; 0 picks a free one.")]
Browser = Annotated[bool, typer.Option(help="Open a browser.")]
Seconds = Annotated[float | None, typer.Option(help="Stop after this many seconds; without it, at Ctrl-C.")]


def check_seconds(seconds: float | None) -> None:
    """Refuse a time that a view cannot be shown for.

    Raises:
        InvalidInput: If it is not a number above 0.
    """
    require(seconds is None or 0 < seconds < 1e6, "--seconds", seconds, "a time in seconds above 0")


def write_views(clip: Clip, html: Path | None, video: Path | None = None) -> dict[str, Path]:
    """Write the requested page and film; return their paths by name."""
    written = {}
    if html is not None:
        written["html"] = write_page(html, clip)
    if video is not None:
        written["video"] = write_video(video, clip)
    return written


def send_views(folder: Path, html: Path | None, video: Path | None = None) -> dict[str, Path]:
    """Write the requested page and film of a recorded run; return their paths by name."""
    written = {}
    if html is not None:
        written["html"] = write_text(html, (folder / PAGE).read_text(encoding="utf-8"))
    if video is not None:
        written["video"] = write_video(video, Clip.load(folder / CLIP))
    return written


def report_on(
    folder: Path,
    title: str,
    words: tuple[str, str, str],
    sections: Sequence[Section],
    *,
    clip: Clip | None = None,
    html: Path | None = None,
    video: Path | None = None,
    **more: Any,
) -> Path:
    """Write the report of a run, including its film, and the requested views; return the report's path.

    Args:
        folder: Folder of the run.
        title: Heading.
        words: Question, result and confidence, one sentence each.
        sections: Parts of the report besides the film.
        clip: What can be viewed in 3D, if anything.
        html: Page to write.
        video: Film to write.
        **more: Other arguments of `write_report` and, after `watch_`, of the film's section.
    """
    film = {key.removeprefix("watch_"): more.pop(key) for key in list(more) if key.startswith("watch_")}
    if clip is not None:
        sections = [watch(folder, clip, **film), *sections]
        send_views(folder, html, video)
    return write_report(folder, title, sections, summary=in_words(*words), **more)
