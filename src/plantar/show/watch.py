"""What a run leaves for viewing: its clip, and the page that plays it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from plantar._extras import EXTRAS
from plantar.show.clip import Clip
from plantar.show.page import write_page
from plantar.show.report import Section

CLIP, PAGE = "view.npz", "watch.html"
"""Files in a run's folder: what `plantar view` opens, and the standalone page."""


def watch(folder: Path, clip: Clip, *, old_film: Callable[[Path], Any] | None = None, **more: Any) -> Section:
    """Save a clip and its page in a folder; return the report section in which it plays.

    Args:
        folder: An existing folder.
        clip: What is kept.
        old_film: Writes a view from the side where the extra `show` is not installed.
        **more: Other fields of the section, such as a picture.
    """
    clip.save(folder / CLIP)
    page = folder / PAGE
    if not EXTRAS["show"].missing:
        write_page(page, clip)
    elif old_film is not None:
        old_film(page)
    else:
        text = "There is no page because `plantar[show]` is not installed; `plantar view` shows this folder."
        return Section(title="Watch it", **{"text": text, **more})
    return Section(title="Watch it", **{"film": page, **more})
