"""Footholds: Figure 7 of Bednarek et al., cost maps of a ball and of a soft foot in two directions."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure
from scipy.ndimage import gaussian_filter
from scipy.stats import rankdata

from plantar.foothold.sole import BallSole, SoftSole
from plantar.foothold.terrain_cost import terrain_cost
from plantar.ground.terrain.elevation_map import ElevationMap
from plantar.show.plots import figure, house_style
from validation.drawing import picture
from validation.records import Record, Row

CELL, CELLS, SEEDS = 0.02, 60, tuple(range(7701, 7721))
SMOOTH, HEIGHT = 2.5, 0.015
"""Of random grounds: smoothing [cells] and standard deviation of their heights [m]."""
AROUND = 0.06
"""What a cell stands out of its surroundings by is counted within this [m]."""
TENTH = 0.1
WAYS = {"ball": (BallSole(), 0.0), "soft, along": (SoftSole(), 0.0), "soft, across": (SoftSole(), np.pi / 2)}


def ground(seed: int) -> ElevationMap:
    """Rough ground."""
    heights = gaussian_filter(np.random.default_rng(seed).normal(size=(CELLS, CELLS)), SMOOTH)
    return ElevationMap(heights=HEIGHT * heights / heights.std(), cell=CELL)


def _preferred(cost: np.ndarray, out: np.ndarray) -> dict[str, float]:
    """Mean cost of the tenth of cells that stand out most, of the middle tenth, and of the deepest hollows."""
    known = np.isfinite(cost)
    cost, out = cost[known], out[known]
    order = np.argsort(out)
    part = round(TENTH * len(order))
    middle = len(order) // 2
    some = {"bumps": order[-part:], "between": order[middle - part // 2 : middle + part // 2], "hollows": order[:part]}
    return {name: float(cost[index].mean()) for name, index in some.items()}


def figure7() -> Record:
    """What each foot prefers, and how much a soft foot's cost depends on its direction."""
    means: dict[str, list[dict[str, float]]] = {name: [] for name in WAYS}
    turned = []
    for seed in SEEDS:
        elevation = ground(seed)
        out = elevation.heights - gaussian_filter(elevation.heights, AROUND / CELL)
        costs = {name: terrain_cost(elevation, sole, yaw).cost for name, (sole, yaw) in WAYS.items()}
        for name, cost in costs.items():
            means[name].append(_preferred(cost, out))
        both = np.isfinite(costs["soft, along"]) & np.isfinite(costs["soft, across"])
        ranks = [rankdata(costs[name][both]) for name in ("soft, along", "soft, across")]
        turned.append(float(np.corrcoef(*ranks)[0, 1]))
    less = {n: _interval([100 * (m["bumps"] / m["hollows"] - 1) for m in some]) for n, some in means.items()}
    flat = {n: float(np.mean([m["between"] / m["bumps"] for m in some])) for n, some in means.items()}
    good = less["soft, along"][2] < 0 < less["ball"][1]
    command = "`python tools/validate.py footholds --only figure7`"
    n = f"{len(SEEDS)} fresh grounds; means, 95 % of the mean over grounds"
    rows = [
        Row(
            what="cost of the cells that stand out most against that of the deepest hollows: a ball; a soft foot",
            place="Section IV, Figure 7",
            published="with the ball's method the robot avoids small bumps and selects flat patches or small "
            "concavities; with a soft foot it prefers small bumps but also accepts flat terrain",
            ours=f"{_text(less['ball'])}; {_text(less['soft, along'])} (ground between them costs the soft foot "
            f"{flat['soft, along']:.2f} times as much as bumps)",
            n=n,
            controls=f"soft foot turned across: {_text(less['soft, across'])}",
            verdict="confirmed" if good else "not confirmed",
            regime="the ball's method is written in the manner of the earlier paper, whose numbers are not published",
            command=command,
        ),
        Row(
            what="cost of the same cells for a foot turned by 90 degrees: rank correlation",
            place="Section IV, Figure 7c, d",
            published="anisotropic: the cost depends on the orientation of the foot",
            ours=f"{np.mean(turned):.2f} ({min(turned):.2f} to {max(turned):.2f} over grounds)",
            n=n,
            verdict="confirmed" if max(turned) < 0.95 else "not confirmed",
            command=command,
        ),
    ]
    caption = "Figure 7: ground (a), cost by the ball's method (b), by the soft foot's along x (c) and across (d)"
    return Record(
        title="Figure 7: cost maps",
        rows=rows,
        pictures=[picture("footholds", "figure7", _draw(), caption)],
        values={"bumps_over_hollows": less, "turned": turned, "seeds": SEEDS},
    )


def _interval(values: list[float]) -> list[float]:
    drawn = np.random.default_rng(0).choice(values, (4000, len(values))).mean(axis=1)
    return [float(np.mean(values)), *(float(v) for v in np.quantile(drawn, [0.025, 0.975]))]


def _text(found: list[float]) -> str:
    return f"{found[0]:+.0f} % ({found[1]:+.0f} to {found[2]:+.0f})"


def _draw() -> Figure:
    elevation = ground(SEEDS[0])
    with house_style():
        fig, axes = figure(1, 1 + len(WAYS), size=(12, 3.1))
        maps = {"(a) height [mm]": 1000 * elevation.heights}
        for letter, (name, (sole, yaw)) in zip("bcd", WAYS.items(), strict=True):
            maps[f"({letter}) cost: {name}"] = terrain_cost(elevation, sole, yaw).cost
        for ax, (title, values) in zip(axes[0], maps.items(), strict=True):
            drawn = ax.imshow(values, origin="lower", cmap="terrain" if "height" in title else "YlOrRd_r")
            ax.set_title(title, fontsize=9)
            ax.grid(visible=False)
            ax.set(xticks=[], yticks=[])
            fig.colorbar(drawn, ax=ax, shrink=0.8)
    return fig
