"""The style of every plot, and saving one without a display."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import matplotlib
import matplotlib.style
import numpy as np
from cycler import cycler
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from plantar._arguments import checks_arguments
from plantar._figure_format import WANTED
from plantar._files import replacing

COLOURS = ("#1f5fa8", "#d1462f", "#2f8f5b", "#d9a21b", "#7a4fa3", "#3aa6b9", "#8c564b", "#5c6670")
"""Line colours that colour-blind readers can tell apart."""
INK, GRID = "#22262b", "#dfe3e8"

STYLE: dict[str, Any] = {
    "figure.dpi": 100,
    "savefig.dpi": 150,
    "figure.facecolor": "white",
    "figure.constrained_layout.use": True,
    "figure.constrained_layout.w_pad": 0.1,
    "figure.constrained_layout.h_pad": 0.1,
    "font.family": "DejaVu Sans",
    "font.size": 10,
    "axes.titlesize": 11,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.labelsize": 10,
    "axes.edgecolor": "#9aa3ad",
    "axes.labelcolor": INK,
    "axes.titlecolor": INK,
    "text.color": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": GRID,
    "grid.linewidth": 0.8,
    "axes.prop_cycle": cycler(color=COLOURS),
    "lines.linewidth": 1.8,
    "lines.markersize": 5,
    "legend.frameon": False,
    "legend.fontsize": 9,
    "svg.hashsalt": "plantar",
    "pdf.fonttype": 42,
}
"""Settings of Matplotlib that make a plot one of Plantar's."""


@contextmanager
def house_style() -> Iterator[None]:
    """Draw in Plantar's style inside the `with` block, and leave the user's settings alone after it."""
    with matplotlib.style.context(["default", STYLE]):
        yield


def figure(
    rows: int = 1, columns: int = 1, size: tuple[float, float] = (7.0, 4.2), **kwargs: Any
) -> tuple[Figure, np.ndarray]:
    """A figure and its axes (rows, columns), independent of pyplot, any window and any thread.

    Call it inside `house_style`.

    Args:
        rows: Rows of axes.
        columns: Columns of axes.
        size: Width and height [inch].
        **kwargs: Passed to `Figure.subplots`, for example `sharex=True`.
    """
    fig = Figure(figsize=size)
    FigureCanvasAgg(fig)
    return fig, fig.subplots(rows, columns, squeeze=False, **kwargs)


def legend_outside(fig: Figure, ax: Any, **more: Any) -> None:
    """Put the legend of an axis below all axes, where it hides no data."""
    handles, labels = ax.get_legend_handles_labels()
    if labels:
        fig.legend(handles, labels, **{"loc": "outside lower center", "ncols": min(len(labels), 6), **more})


@checks_arguments
def save(fig: Figure, path: str | Path) -> Path:
    """Write the figure in one piece; the suffix of `path` chooses PNG, SVG or PDF.

    Equal figures give equal files: no date is written into them. If another format is requested, as with
    `--figure-format` of every command, it is written beside the PNG.
    """
    path = Path(path)
    if path.suffix.lower() == ".png" and WANTED.get() != "png":
        save(fig, path.with_suffix(f".{WANTED.get()}"))
    metadata = {"png": {"Software": None}, "svg": {"Date": None}, "pdf": {"CreationDate": None}}
    kind = path.suffix.lstrip(".").lower() or "png"
    with house_style(), replacing(path) as scratch:
        fig.savefig(scratch, format=kind, metadata=metadata.get(kind))
    return path
