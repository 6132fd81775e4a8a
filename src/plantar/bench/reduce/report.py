"""Output of `plantar feet reduce`: the twin, its error card, figures and a report."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from plantar._files import write_config, write_table
from plantar.bench.press.random_press import REGIONS
from plantar.bench.reduce.reduce import Reduced, headline
from plantar.bench.reduce.strips import FORCE_MEAN, FORCE_P95, ROTATION
from plantar.bench.units import COLUMN_UNITS
from plantar.feet.registry import save as save_foot
from plantar.show.plots import figure, house_style, save
from plantar.show.report import Section, in_words, write_report
from plantar.table import Table

CARD = "Forces are vertical, behind (heel), on (middle) and in front of the obstacle (front); `split` counts "
CARD += "them by place instead, 30 mm behind and in front of the ankle. Errors are of the twin from the full foot."


STRIP_UNITS = {"force_*": "of the load", "rotation_*": "rad"}
STRIPS_CHOSEN = ", the fewest that are good enough"
STRIPS = "Errors of twins with more and more strips in the presses of the fit. The first is taken that keeps a mean of "
STRIPS += f"{100 * FORCE_MEAN:g} % and a 95th percentile of {100 * FORCE_P95:g} % of the load in every region, and "
STRIPS += f"{ROTATION:g} rad in 95 % of the presses; if none does, the best. Under obstacles of other shapes than "
STRIPS += "those named above the twin's errors are not known."


def write(folder: Path, reduced: Reduced) -> Path:
    """Write everything about a twin to `folder`; returns the report."""
    twin = reduced.foot
    save_foot(twin, folder / f"{twin.name}_{twin.fidelity}.json", overwrite=True)
    write_table(folder, "card", reduced.card)
    write_table(folder, "summary", reduced.summary)
    for name, table in (("mechanism", reduced.mechanism), ("strips", reduced.strips)):
        if len(table) > 0:
            write_table(folder, name, table)
    write_config(folder, seed=reduced.seed, command="feet reduce", foot=reduced.full, twin=twin, fitted=reduced.fitted)
    picture = save(plot_card(reduced.card), folder / "errors.png")
    facts = headline(reduced)
    loads = reduced.card.column("load")
    heights, tilts = 1e3 * reduced.card.column("height"), np.degrees(reduced.card.column("tilt"))
    shapes = ", ".join(sorted(set(reduced.card.column("shape"))))
    return write_report(
        folder,
        f"The {twin.fidelity} twin of {twin.name}",
        _sections(reduced, picture),
        summary=in_words(
            f"a light twin of {twin.name} that distributes its load like the full foot.",
            f"forces are off by {100 * facts['force_mean']:.2g} % of the load on average in the worst region.",
            f"{facts['presses']} fresh random presses: loads {loads.min():.0f} to {loads.max():.0f} N, obstacles "
            f"({shapes}) {heights.min():.1f} to {heights.max():.1f} mm high, tilts {tilts.min():.1f} to "
            f"{tilts.max():.1f} degrees, on the bench's supports or on a floor. Both feet came to rest in "
            f"{facts['settled']} of them.",
        ),
        headline={
            "mean force error, worst region": f"{100 * facts['force_mean']:.2g} % of the load",
            "95th percentile": f"{100 * facts['force_p95']:.2g} % of the load",
            "rotation error, 95th percentile": f"{facts['rotation_p95']:.2g} rad",
            "presses whose worst module is within 0.03 rad": f"{100 * facts['within_rotation']:.3g} %",
            f"strips{STRIPS_CHOSEN if len(reduced.strips) else ''}; obstacles: {shapes}": str(facts["strips"]),
        },
    )


def plot_card(card: Table) -> Figure:
    """Forces of the twin against those of the full foot, and how errors are spread."""
    with house_style():
        fig, axes = figure(1, 3, size=(12, 4))
        for region in REGIONS:
            full, twin = (card.column(f"force_{region}_{which}") for which in ("full", "twin"))
            axes[0, 0].plot(full, twin, "o", markersize=3, alpha=0.6, label=region)
            _spread(axes[0, 1], 100 * card.column(f"force_{region}_error"), region)
        most = max(axes[0, 0].get_xlim()[1], axes[0, 0].get_ylim()[1])
        axes[0, 0].plot([0, most], [0, most], color="#5c6670", linewidth=0.8)
        axes[0, 0].set(xlabel="force of the full foot [N]", ylabel="force of the twin [N]", title="Forces")
        axes[0, 0].legend()
        axes[0, 1].set(
            xlabel="error [% of the load], not more than", ylabel="fraction of presses", title="Force errors"
        )
        axes[0, 1].axvline(5, color="#5c6670", linewidth=0.8)
        axes[0, 1].set_xlim(0, 10)
        axes[0, 1].legend()
        _spread(axes[0, 2], card.column("rotation_error"), "worst module")
        axes[0, 2].axvline(0.03, color="#5c6670", linewidth=0.8)
        axes[0, 2].set_xlim(0, 0.06)
        axes[0, 2].set(xlabel="error [rad], not more than", ylabel="fraction of presses", title="Rotation errors")
    return fig


def _spread(ax: object, errors: np.ndarray, label: str) -> None:
    """Draw the share of presses whose error is not more than x."""
    size = np.sort(np.abs(errors))
    ax.step(size, np.arange(1, len(size) + 1) / len(size), where="post", label=label)  # type: ignore[attr-defined]


def _sections(reduced: Reduced, picture: Path) -> list[Section]:
    sections = [Section(title="Error card", text=CARD, table=reduced.summary, picture=picture)]
    if len(reduced.mechanism) > 0:
        text = "The foot stiffens under load and lifts its arch when its toes are raised; `error` is relative."
        sections.append(Section(title="Stiffening and windlass", text=text, table=reduced.mechanism))
    if len(reduced.strips) > 0:
        sections.append(Section(title="Strips", text=STRIPS, table=reduced.strips, units=STRIP_UNITS))
    if reduced.fitted:
        rows = [{"parameter": name, "value": value} for name, value in reduced.fitted.items()]
        text = "What was fitted to presses of the full foot; all else is derived from its description."
        sections.append(Section(title="Fit", text=text, table=rows))
    worst = sorted(reduced.card, key=lambda row: -max(abs(row[f"force_{r}_error"]) for r in REGIONS))[:12]
    columns = ("press", "load", "height", "x", "tilt", "shape", "radius", "flat", "settled_full", "settled_twin")
    shown = [{c: row[c] for c in (*columns, *(f"force_{r}_error" for r in REGIONS), "rotation_error")} for row in worst]
    text = "A foot that does not settle, or that can settle in two ways, has no unique result to compare with."
    sections.append(Section(title="The worst presses", text=text, table=shown, units=COLUMN_UNITS))
    return sections
