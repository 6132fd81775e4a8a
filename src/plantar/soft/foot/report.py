"""The error card of a solid foot as files: tables, a plot, pictures, a report."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import mujoco

from plantar._files import write_config, write_table
from plantar.show.picture import render
from plantar.show.plots import figure, house_style, save
from plantar.show.report import Section, in_words, write_report
from plantar.soft.foot.card import SolidCard
from plantar.soft.foot.press import mujoco_rig

if TYPE_CHECKING:
    from plantar.soft.foot.solid import SolidFoot


def write_solid(folder: Path, foot: SolidFoot, cards: Sequence[SolidCard]) -> list[Path]:
    """Write everything about a condensed foot to an existing folder."""
    curves = [dict(row) for card in cards for row in card.table()]
    files = [write_table(folder, "press", curves), write_table(folder, "card", [card.row() for card in cards])]
    files.append(write_config(folder, foot=foot, loads=cards[0].fe.loads))
    plot, picture = plot_press(cards, folder / "press.png"), _draw(foot, folder / "foot.png")
    first = cards[0]
    sections = [
        Section(
            title="Press curves",
            text="How far the ankle comes down under a load, by finite elements and as MuJoCo integrates it.",
            picture=plot,
            table=curves,
            units={"load": "N", "depth_*": "m", "difference": "share"},
        ),
        Section(title="Error card", table=_transposed([card.row() for card in cards])),
        *([Section(title="The condensed foot", picture=picture)] if picture else []),
    ]
    headline = {
        f"largest difference on {first.ground} ground": f"{100 * first.error:.2f} %",
        "times faster per step": f"{first.step_ratio:.0f}",
        "degrees of freedom": f"{first.dof} of {first.fe_dof}",
    }
    words = in_words(
        f"how far the condensed foot in MuJoCo is from finite elements on {', '.join(c.ground for c in cards)} ground.",
        f"{100 * max(card.error for card in cards):.2g} % of the depth at most.",
        "both feet come from one mesh, whose own error is not in this figure; halve its cells to check it.",
    )
    files.append(write_report(folder, "A solid foot, condensed", sections, headline=headline, summary=words))
    return [*files, plot, *([picture] if picture else [])]


def plot_press(cards: Sequence[SolidCard], path: Path) -> Path:
    """Depth against load of both feet, and their difference."""
    with house_style():
        fig, axes = figure(1, 2, size=(9.0, 4.0))
        for i, card in enumerate(cards):
            colour = f"C{i}"
            axes[0, 0].plot(1e3 * card.fe.depth, card.fe.loads, color=colour, label=f"{card.ground}, finite elements")
            axes[0, 0].plot(
                1e3 * card.condensed.depth, card.condensed.loads, "o", color=colour, label=f"{card.ground}, MuJoCo"
            )
            difference = 100 * (card.condensed.depth / card.fe.depth - 1)
            axes[0, 1].plot(card.fe.loads, difference, "o-", color=colour, label=card.ground)
        axes[0, 0].set(xlabel="depth [mm]", ylabel="load [N]", title="Press")
        axes[0, 1].set(xlabel="load [N]", ylabel="difference of depth [%]", title="Condensed against finite elements")
        axes[0, 1].axhspan(-5, 5, color="0.9", zorder=0)
        for ax in axes.flat:
            ax.legend()
        return save(fig, path)


def _draw(foot: SolidFoot, path: Path) -> Path | None:
    model = mujoco_rig(foot).compile()
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    return render(model, data, path)


def _transposed(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """One row per figure and one column per ground, as a page is narrow."""
    return [{"figure": name, **{row["ground"]: row[name] for row in rows}} for name in rows[0] if name != "ground"]
