"""Measured data: the mean print of 104 people, against the print of a SoftFoot that rolls from heel to toes."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np
from matplotlib.figure import Figure

from plantar.feet import SoftFoot
from plantar.feet.readings import contact_points
from plantar.feet.slider import PREFIX, Slider
from plantar.feet.sole import measure
from plantar.progress import Progress
from plantar.show.plots import COLOURS, figure, house_style
from validation.drawing import picture
from validation.records import Record, Row, shared

PARTS = {"heel": (0.0, 0.3), "midfoot": (0.3, 0.6), "forefoot": (0.6, 0.85), "toes": (0.85, 1.0)}
"""Shares of the length of a print."""
BINS = 20
LOADS, TILTS = (200.0, 400.0, 700.0, 1000.0), np.radians(np.arange(-15, 31, 5))
"""Loads [N] and pitches of the ankle [rad], front down."""
PREDICTED = (700.0, np.radians(-15), np.radians(30))
"""A person's weight, heel strike and push-off: nothing is fitted."""
SETTLE = 0.8
EDGE = 0.005
"""A heel that tips over touches by so much behind the sole of the straight foot [m]."""
LEAST = 10.0
"""Cells below this are the edge of the print [kPa]."""


def people(print_: np.ndarray) -> np.ndarray:
    """Share of the summed peak pressures in each part of the length (BINS,), heel first."""
    along = np.where(print_ > LEAST, print_, 0.0).sum(axis=1)
    rows = np.flatnonzero(along)
    part = along[rows[0] : rows[-1] + 1]
    at = (np.arange(len(part)) + 0.5) / len(part)
    return np.histogram(at, BINS, (0, 1), weights=part)[0] / part.sum()


def rolled(foot: SoftFoot, load: float, tilt: float) -> tuple[np.ndarray, np.ndarray]:
    """Where along the foot the floor presses [m from the ankle] and how much [N], at rest."""
    model = Slider(height=0.2, tilt=float(tilt), friction=0.0).on_floor(foot).compile()
    data = mujoco.MjData(model)
    joint = model.joint("slider").qposadr[0]
    low, high = -0.2, 0.0
    while high - low > 1e-5:
        data.qpos[joint] = middle = (low + high) / 2
        mujoco.mj_fwdPosition(model, data)
        low, high = (middle, high) if data.ncon else (low, middle)
    data.qpos[joint] = high
    steps = round(SETTLE / model.opt.timestep)
    for k in range(steps):
        data.ctrl[0] = load * min(1.0, 2 * k / steps)
        mujoco.mj_step(model, data)
    points, ankle = contact_points(model, data, PREFIX), data.body(f"{PREFIX}ankle")
    place = (points.position - ankle.xpos) @ ankle.xmat.reshape(3, 3)
    return place[:, 0], points.force[:, 2]


def _prints(foot: SoftFoot) -> dict[tuple[float, float], np.ndarray]:
    """Force in each part of the sole's length, for every load and tilt."""
    raw = {}
    with Progress(len(LOADS) * len(TILTS), "presses") as shown:
        for load in LOADS:
            for tilt in TILTS:
                raw[load, float(tilt)] = rolled(foot, load, tilt)
                shown.advance()
    sole = measure(foot)
    ends = sole.rear - EDGE, sole.front + EDGE
    return {key: np.histogram(x, BINS, ends, weights=force)[0] for key, (x, force) in raw.items()}


def _told(prints: dict[tuple[float, float], np.ndarray], load: float, first: float, last: float) -> np.ndarray:
    """Shares of the largest forces over a roll."""
    some = [v for (own, tilt), v in prints.items() if own == load and first - 1e-9 <= tilt <= last + 1e-9]
    most = np.max(some, axis=0)
    return most / most.sum()


def by_part(shares: np.ndarray) -> np.ndarray:
    """Shares of heel, midfoot, forefoot and toes."""
    at = (np.arange(BINS) + 0.5) / BINS
    return np.array([shares[(at > low) & (at < high)].sum() for low, high in PARTS.values()])


def footprint() -> Record:
    """Predicted with nothing fitted, then load and roll fitted to left feet and told for right ones."""
    data = np.load(shared("data/real/footprint_mun104.npz"), allow_pickle=False)
    left, right = (people(data[side].astype(float)) for side in ("left", "right"))
    prints = _prints(SoftFoot())
    ways = [(load, a, b) for load in LOADS for a in TILTS for b in TILTS if b - a > 0.1]
    best = min(ways, key=lambda way: float(np.abs(by_part(_told(prints, *way)) - by_part(left)).sum()))
    told = {"predicted": _told(prints, *PREDICTED), "fitted to left feet": _told(prints, *best)}
    off = {name: 50 * float(np.abs(by_part(v) - by_part(right)).sum()) for name, v in told.items()}
    same = 50 * float(np.abs(by_part(left) - by_part(right)).sum())

    def shown(shares: np.ndarray) -> str:
        return ", ".join(f"{name} {100 * v:.0f}" for name, v in zip(PARTS, by_part(shares), strict=True)) + " %"

    row = Row(
        what="mean print of 104 people, right feet: shares of heel, midfoot, forefoot, toes; a SoftFoot that rolls",
        published=shown(right),
        ours=f"predicted {shown(told['predicted'])}: {off['predicted']:.0f} % of the print in the wrong part; load "
        f"and roll fitted to left feet ({best[0]:.0f} N, {np.degrees(best[1]):.0f} to {np.degrees(best[2]):.0f} "
        f"degrees): {shown(told['fitted to left feet'])}, {off['fitted to left feet']:.0f} %",
        n="one mean print a side; cells hold each one's peak over a step, so loads of parts do not add up to a weight",
        controls=f"left feet told by right ones: {same:.1f} %",
        verdict="reported",
        regime="unit and cell of the print are not told by its source; a SoftFoot is no copy of a human foot",
        command="`python tools/validate.py data --only footprint`",
    )
    caption = "Share of a print along the foot, heel first: people, and a SoftFoot pressed at pitches from heel to toes"
    return Record(
        title="A mean human footprint",
        text="A SoftFoot is pressed on a floor at pitches from heel strike to push-off; each place keeps its largest "
        "force, as the cells of the print do. First nothing is fitted, then load and range of pitch are fitted to "
        "left feet and held against right ones.",
        rows=[row],
        pictures=[picture("data", "footprint", _draw(right, told), caption)],
        values={"right": right, "left": left, **told, "best": best, "off": off},
    )


def _draw(right: np.ndarray, told: dict[str, np.ndarray]) -> Figure:
    at = 100 * (np.arange(BINS) + 0.5) / BINS
    with house_style():
        fig, axes = figure(1, 1, size=(7.5, 3.4))
        lines: dict[str, Any] = {"people": right, **told}
        for colour, (name, line) in zip(("black", *COLOURS), lines.items(), strict=False):
            axes[0, 0].step(at, 100 * line, where="mid", color=colour, label=name)
        axes[0, 0].set(xlabel="place along the foot [%], heel first", ylabel="share of the print [%]")
        axes[0, 0].legend()
    return fig
