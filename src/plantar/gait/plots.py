"""Figure 4b of Raff and Remy: the gaits of both contact models in one picture; gait diagrams; families."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from plantar._checks import require
from plantar.gait._plot_style import HARD, SOFT
from plantar.gait.families import Family
from plantar.gait.footfalls import contacts
from plantar.gait.result import GaitResult
from plantar.show.plots import COLOURS, figure, house_style, legend_outside

COLOUR = {"hard": HARD, "soft": SOFT}
DASHES = ("-", "--", ":", "-.")


def plot_gaits(results: Sequence[GaitResult]) -> Figure:
    """States, motor forces, ground forces and foot paths; dashed lines where rigid phases meet.

    Args:
        results: One or two gaits of the same robot; rigid feet are red, rubber feet blue. Several legs differ by dash.
    """
    require(len(results) > 0, "results", 0, "at least one gait")
    legs = results[0].robot.legs
    with house_style():
        fig, axes = figure(4, 3, size=(12.5, 10.0))
        for result in results:
            _states(axes, result, legs)
            for time in result.lines:
                for ax in axes.ravel()[:-1]:
                    ax.axvline(time, color=HARD, linestyle="--", linewidth=0.7)
        _labels(axes)
        for result in results:
            what = {"thermal": "losses", "work": "work", "electrical": "energy"}[result.request.cost]
            name = f"{'rigid' if result.contact == 'hard' else 'rubber'} feet: {what} {result.cost:.4f} m g l₀"
            axes[0, 0].plot([], [], color=COLOUR[result.contact], label=name)
        legend_outside(fig, axes[0, 0])
    return fig


def _states(axes: np.ndarray, result: GaitResult, legs: int) -> None:
    colour, t, q, v = COLOUR[result.contact], result.times, result.q, result.v
    body = {"color": colour, "linewidth": 1.5}
    axes[0, 0].plot(t, q[:, 1], **body)
    axes[0, 1].plot(t, q[:, 2], **body)
    axes[0, 2].plot(t, v[:, 0], **body)
    motors = 3 + 2 * legs
    for i in range(legs):
        line = {**body, "linestyle": DASHES[i % 4]}
        faint = {**line, "linewidth": 0.9, "alpha": 0.6}
        axes[1, 0].plot(t, q[:, 3 + 2 * i], **line)
        axes[1, 0].plot(t, q[:, motors + 2 * i], **faint)
        axes[1, 1].plot(t, q[:, 4 + 2 * i], **line)
        axes[1, 1].plot(t, 1 + q[:, motors + 2 * i + 1], **faint)
        axes[1, 2].plot(t, result.feet[:, 2 * i + 1], **line)
        axes[2, 0].plot(t, result.torque[:, 2 * i], **line)
        axes[2, 1].plot(t, result.torque[:, 2 * i + 1], **line)
        axes[2, 2].plot(t, v[:, motors + 2 * i + 1], **line)
        axes[3, 0].plot(t, result.force[:, 2 * i + 1], **line)
        axes[3, 1].plot(t, result.force[:, 2 * i], **line)
        axes[3, 2].plot(result.feet[:, 2 * i], result.feet[:, 2 * i + 1], **line)


def _labels(axes: np.ndarray) -> None:
    titles = (
        ("height y [l₀]", "pitch [rad]", "speed dx/dt [√(g l₀)]"),
        ("hip angle; motor faint [rad]", "leg length; motor faint [l₀]", "foot's gap to the ground [l₀]"),
        ("hip motor torque [m g l₀]", "leg motor force [m g]", "leg motor speed [√(g l₀)]"),
        ("ground force across [m g]", "ground force along [m g]", "foot's path, gap over x [l₀]"),
    )
    for row, names in zip(axes, titles, strict=True):
        for ax, name in zip(row, names, strict=True):
            ax.set_title(name, fontsize=10)
    for ax in axes.ravel()[:-1]:
        ax.set_xlabel("time [√(l₀/g)]")
    axes[3, 2].set_xlabel("x [l₀]")


def plot_diagram(results: Sequence[GaitResult], labels: Sequence[str] | None = None) -> Figure:
    """Gait diagrams: a bar where a foot is on the ground."""
    labels = labels or [f"{r.robot.name}, speed {r.speed:.2f}, {r.contact}" for r in results]
    with house_style():
        fig, axes = figure(len(results), 1, size=(8.5, 0.7 + len(results) * (0.5 + 0.28 * results[0].robot.legs)))
        for ax, result, label in zip(axes[:, 0], results, labels, strict=True):
            _bars(ax, result)
            ax.set_title(label, fontsize=10)
        axes[-1, 0].set_xlabel("fraction of the stride")
    return fig


def _bars(ax: Axes, result: GaitResult) -> None:
    times, on = contacts(result)
    share = times / times[-1]
    for i in range(result.robot.legs):
        edges = np.flatnonzero(np.diff(np.concatenate([[0], on[:, i].astype(int), [0]])))
        for a, b in zip(edges[::2], edges[1::2], strict=True):
            ax.barh(
                i, share[min(b, len(share) - 1)] - share[a], left=share[a], height=0.6, color=COLOURS[i % len(COLOURS)]
            )
    names = result.robot.leg_names if result.robot.legs > 1 else ("foot",)
    ax.set_yticks(range(result.robot.legs), names)
    ax.set_xlim(0, 1)
    ax.set_ylim(result.robot.legs - 0.5, -0.5)


def plot_family(found: Family) -> Figure:
    """Cost of transport, stride time and duty factor against speed; gaits of one kind and start are joined."""
    kinds = list(dict.fromkeys(found.names))
    with house_style():
        fig, axes = figure(1, 3, size=(12.5, 4.2))
        told = set()
        for start, kind in dict.fromkeys(zip(found.starts, found.names, strict=True)):
            some = [r for r, *both in _zipped(found) if both == [start, kind]]
            some.sort(key=lambda r: r.speed)
            speeds, colour = [r.speed for r in some], COLOURS[kinds.index(kind) % len(COLOURS)]
            label = None if kind in told else kind
            told.add(kind)
            axes[0, 0].plot(speeds, [r.transport for r in some], "o-", color=colour, label=label, markersize=4)
            steps = [contacts(r) for r in some]
            axes[0, 1].plot(speeds, [times[-1] for times, _ in steps], "o-", color=colour, markersize=4)
            axes[0, 2].plot(speeds, [on.mean() for _, on in steps], "o-", color=colour, markersize=4)
        cost = found.results[0].request.cost
        axes[0, 0].set(title=f"cost of transport ({cost})", xlabel="speed [√(g l₀)]", ylim=(0, None))
        axes[0, 1].set(title="stride time [√(l₀/g)]", xlabel="speed [√(g l₀)]", ylim=(0, None))
        axes[0, 2].set(title="share of the stride that a foot is down", xlabel="speed [√(g l₀)]", ylim=(0, 1))
        legend_outside(fig, axes[0, 0])
    return fig


def _zipped(found: Family) -> zip:
    return zip(found.results, found.starts, found.names, strict=True)
