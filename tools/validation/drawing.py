"""Pictures of records: small files beside the results."""

from __future__ import annotations

from matplotlib.figure import Figure

from plantar.show.plots import house_style
from validation.records import FOLDER

DPI = 90


def picture(paper: str, name: str, fig: Figure, caption: str) -> dict[str, str]:
    """Save a figure beside the results and say what it shows."""
    path = FOLDER / paper / f"{name}.png"
    path.parent.mkdir(parents=True, exist_ok=True)
    with house_style():
        fig.savefig(path, dpi=DPI, metadata={"Software": None})
    return {"file": path.name, "caption": caption}
