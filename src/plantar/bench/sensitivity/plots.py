"""The sensitivity of the bench as a tornado chart."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from plantar.bench.compare.compare import BODIES
from plantar.bench.sensitivity.sensitivity import PAPER, SensitivityResult
from plantar.show.plots import COLOURS, INK, figure, house_style
from plantar.table import Row

TITLES = {"heel": "Heel", "module": "Plantar fascia module", "metatarsus": "Metatarsus"}
MUTED = "#6b7480"


def plot_sensitivity(result: SensitivityResult) -> Figure:
    """One panel per body, a bar for each thing changed, from its lowest to its highest setting.

    With a measurement the bars show the mean relative error, which is what the paper reports; without
    one they show the change of the mean force.
    """
    measured = any(row["error_heel"] is not None for row in result.table)
    column = "error" if measured else "change"
    with house_style():
        fig, axes = figure(1, len(BODIES), size=(12.5, 3.9), sharey=True)
        for ax, body in zip(axes[0], BODIES, strict=True):
            _panel(ax, result, f"{column}_{body}", body)
            _beside_the_paper(ax, result, body)
        if not measured:
            # One scale, so that bars of different bodies can be compared by eye.
            reach = max(max(map(abs, ax.get_xlim())) for ax in axes[0])
            for ax in axes[0]:
                ax.set_xlim(-reach, reach)
        what = "Mean relative force error" if measured else "Change of the mean force over the trials"
        fig.suptitle(f"{what} when the bench is changed", x=0.01, ha="left", fontweight="bold")
        unit = "mean |e| [%]" if measured else "change against the nominal bench [%]"
        axes[0, 1].set_xlabel(f"{unit}; line: nominal bench, circles: settings between the two ends")
    return fig


def _panel(ax: Axes, result: SensitivityResult, name: str, body: str) -> None:
    nominal = result.table[0][name]
    labels = []
    for y, group in enumerate(PAPER):
        rows = [row for row in result.table.where(group=group) if row[name] is not None]
        if nominal is not None and rows:
            _bar(ax, y, rows, name, nominal)
        labels.append(f"{group}\n{_signed(rows[0])} to {_signed(rows[-1])}" if rows else group)
    if nominal is not None:
        ax.axvline(100 * nominal, color=INK, linewidth=1)
    ax.set_yticks(range(len(labels)), labels)
    ax.set_ylim(len(labels) - 0.4, -0.6)
    ax.grid(axis="y", visible=False)
    ax.margins(x=0.25)
    ax.set_title(TITLES[body])


def _bar(ax: Axes, y: int, rows: list[Row], name: str, nominal: float) -> None:
    """First setting above, last below, from the nominal value; a dot for each one between them."""
    # Two lanes, because both ends may lie on the same side of the nominal value.
    for row, lane, colour in ((rows[0], y - 0.11, COLOURS[0]), (rows[-1], y + 0.11, COLOURS[1])):
        value = row[name]
        ax.barh(lane, 100 * (value - nominal), left=100 * nominal, height=0.22, color=colour, alpha=0.85)
        side = 1 if value >= nominal else -1
        ax.annotate(
            _signed(row),
            (100 * value, lane),
            xytext=(5 * side, 0),
            textcoords="offset points",
            ha="left" if side > 0 else "right",
            va="center",
            fontsize=8,
        )
    between = [100 * row[name] for row in rows[1:-1]]
    ax.plot(between, [y] * len(between), "o", markerfacecolor="white", markeredgecolor=INK, markersize=4, zorder=3)


def _beside_the_paper(ax: Axes, result: SensitivityResult, body: str) -> None:
    for y, row in enumerate(result.summary.where(body=body)):
        ours = "" if row["swing"] is None else f"swing {100 * row['swing']:.1f} %; "
        if row["variation"] is not None:
            ours = f"variation {100 * row['variation']:.1f} %; "
        paper = "paper" if row["variation"] is not None else "paper's error variation"
        ax.annotate(
            f"{ours}{paper} {100 * row['paper']:g} %",
            (0.99, y - 0.36),
            xycoords=("axes fraction", "data"),
            ha="right",
            va="center",
            fontsize=8,
            color=MUTED,
            bbox={"facecolor": "white", "edgecolor": "none", "pad": 1.0},
        )


def _signed(row: Row) -> str:
    return row["setting"].replace("-", "\N{MINUS SIGN}")
