"""A file to share: a clip as a page that plays in any browser, offline."""

from __future__ import annotations

import html
import json
from importlib import resources
from pathlib import Path

import numpy as np

from plantar._extras import require_extra
from plantar._files import write_text
from plantar.show.clip import Clip

MOST_RATE = 50.0
"""Largest frame rate of a page [1/s]."""


def write_page(path: str | Path, clip: Clip) -> Path:
    """Write a clip as a single self-contained HTML file, in 3D and real time.

    Raises:
        MissingExtra: If the extra `show` is not installed.
    """
    return write_text(path, page(clip))


def page(clip: Clip) -> str:
    """The page of a clip."""
    require_extra("show")
    from plantar.show.stage import Stage, start_server, stop_server  # noqa: PLC0415  (an extra)

    frames = _frames(clip)
    server = start_server()
    try:
        stage = Stage(server, clip)
        recording = server.get_scene_serializer()
        for now, after in zip(frames, [*frames[1:], None], strict=True):
            stage.show(now)
            if after is not None:
                recording.insert_sleep(float(clip.times[after] - clip.times[now]))
        text = recording.as_html()
    finally:
        stop_server(server)
    return _with_panel(text, clip, frames)


def _frames(clip: Clip) -> list[int]:
    """Frames that are far enough apart, the first and the last among them."""
    chosen, end = [0], len(clip.times) - 1
    for k in range(1, end + 1):
        if clip.times[k] - clip.times[chosen[-1]] >= 0.999 / MOST_RATE or k == end:
            chosen.append(k)
    return chosen


def _with_panel(text: str, clip: Clip, frames: list[int]) -> str:
    """The page with title, notes and readings over the picture."""
    record = {
        "times": [round(float(clip.times[k]), 4) for k in frames],
        "readings": {name: [_short(values[k]) for k in frames] for name, values in clip.readings.items()},
    }
    speed = f"{clip.seconds:.2f} s in real time" if clip.seconds > 0 else ""
    notes = "".join(f"<li>{html.escape(note)}</li>" for note in clip.notes)
    panel = resources.files("plantar.show").joinpath("page.html").read_text(encoding="utf-8")
    # "</" would end the script element early if it ever stood in a name
    data = json.dumps(record, separators=(",", ":")).replace("</", "<\\/")
    for mark, value in (("TITLE", html.escape(clip.title)), ("SPEED", speed), ("NOTES", notes), ("DATA", data)):
        panel = panel.replace(f"{{{{{mark}}}}}", value)
    text = text.replace("<title>Viser</title>", f"<title>{html.escape(clip.title)}</title>", 1)
    end = text.rindex("</body>")
    return text[:end] + panel + text[end:]


def _short(value: float) -> float | None:
    return float(f"{value:.4g}") if np.isfinite(value) else None
