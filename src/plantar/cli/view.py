"""`plantar view`."""

from __future__ import annotations

import contextlib
import math
import time
import webbrowser
from typing import Annotated

import typer

from plantar._extras import require_extra
from plantar.cli.common import Json, Overwrite, emit, note
from plantar.cli.foot_options import NAMING, Set, read_foot
from plantar.cli.show_options import PORT, Browser, Html, Port, Seconds, Video, check_seconds, write_views
from plantar.cli.subjects import Subject, find_subject


def view(
    what: Annotated[
        str,
        typer.Argument(
            metavar="WHAT", help="A foot, a robot, a terrain, a soft robot or scene, or the folder or file of a run."
        ),
    ],
    foot: Annotated[
        str | None, typer.Option("--foot", metavar="FOOT", help=f"Feet to put on a robot: {NAMING}.")
    ] = None,
    changes: Set = None,
    load: Annotated[float, typer.Option(help="Load on a foot [N].")] = 24.0,
    height: Annotated[float, typer.Option(help="Height of the obstacle under a foot [m].")] = 0.012,
    position: Annotated[int | None, typer.Option(help="Module over the obstacle, 1 next to the heel.")] = None,
    toes: Annotated[float, typer.Option(help="Angle by which the toes are raised [deg].")] = 0.0,
    html: Html = None,
    video: Video = None,
    port: Port = PORT,
    browser: Browser = True,
    seconds: Seconds = None,
    overwrite: Overwrite = False,
    as_json: Json = False,
) -> None:
    """View a foot, a robot or a run in 3D: in the browser, or as a single page or film to share.

    The page is served only to this machine; over ssh, forward the port: ssh -L 8137:127.0.0.1:8137.
    """
    require_extra("show")
    check_seconds(seconds)
    press = {"load": load, "height": height, "place": position, "toes": math.radians(toes)}
    worn = None if foot is None else read_foot(foot, changes)
    subject = find_subject(what, worn, None if foot is not None else changes, press)
    if html is None and video is None:
        serve(subject, port, browser, seconds, as_json)
        return
    clip = subject.clip()
    written = write_views(clip, html, video)
    record = {"what": what, "title": clip.title, "seconds": clip.seconds, **written}
    emit(record, as_json=as_json, text="\n".join([clip.title, *map(str, written.values())]))


def serve(subject: Subject, port: int, browser: bool, seconds: float | None, as_json: bool) -> None:
    """Show something in the browser until the time is up or Ctrl-C."""
    from plantar.show.live import Viewer  # noqa: PLC0415  (an extra)

    viewer = Viewer(subject.clip(), sliders=subject.sliders, maker=subject.maker, port=port)
    with contextlib.closing(viewer):
        emit({"address": viewer.address}, as_json=as_json, text=f"{viewer.address} (Ctrl-C to stop)")
        if browser and not webbrowser.open(viewer.address):
            note("plantar: no browser could be opened; open the address yourself")
        end = math.inf if seconds is None else time.monotonic() + seconds
        with contextlib.suppress(KeyboardInterrupt):
            while time.monotonic() < end:
                time.sleep(min(0.2, max(0.0, end - time.monotonic())))
