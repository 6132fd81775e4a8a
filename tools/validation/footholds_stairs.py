"""Footholds: Figure 9 of Bednarek et al., what is chosen on stairs by a ball and by a soft foot."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.figure import Figure
from scipy.ndimage import gaussian_filter

from plantar.foothold.choose import choose
from plantar.foothold.cost import CostMap, cost_map
from plantar.foothold.sole import BallSole, SoftSole
from plantar.ground.terrain.elevation_map import ElevationMap
from plantar.progress import Progress
from plantar.show.plots import COLOURS, figure, house_style
from validation import footholds_maps
from validation.drawing import picture
from validation.records import Record, Row

CELL, CELLS, SEEDS = 0.02, 40, tuple(range(9901, 9961))
ORIGIN = (-(CELLS - 1) / 2 * CELL, -(CELLS - 1) / 2 * CELL)
"""The leg's nominal place is in the middle [m]."""
RISE, RUN, AWAY = (0.06, 0.12), (0.26, 0.36), 0.10
"""Of stairs, and how far from the middle of the map the nominal foothold may be [m]."""
ROUGH = tuple(range(9961, 10001))
"""Seeds of rough grounds."""
SOLES = {"ball": BallSole(), "soft": SoftSole()}
NEAR = 0.06
"""A place is at the base of a step or at its edge within this [m]."""
COMMAND = "`python tools/validate.py footholds --only figure9`"


def _nominal(rng: np.random.Generator) -> tuple[float, float]:
    return float(rng.uniform(-AWAY, AWAY)), float(rng.uniform(-AWAY, AWAY))


class Stairs:
    """Stairs that rise along x, and where the foot would go on flat ground."""

    def __init__(self, seed: int) -> None:
        """Draw rise, run, phase and nominal foothold."""
        rng = np.random.default_rng(seed)
        self.rise, self.run = rng.uniform(*RISE), rng.uniform(*RUN)
        self.phase = rng.uniform(0, self.run)
        self.nominal = _nominal(rng)
        x = (np.arange(CELLS) - (CELLS - 1) / 2) * CELL
        heights = np.tile(self.rise * np.floor((x + self.phase) / self.run), (CELLS, 1))
        self.elevation = ElevationMap(heights=heights, cell=CELL, origin=ORIGIN)

    def from_edge(self, x: Any) -> Any:
        """How far a place is from the edge of its own step [m]; the base of the next one is a run away."""
        return np.mod(np.asarray(x) + self.phase, self.run)

    def costs(self, sole: Any) -> CostMap:
        """Costs of the right front leg."""
        return cost_map(self.elevation, sole, leg="RF")


def figure9() -> Record:
    """Where each foot steps on stairs, how much of them it accepts, and whether choices are the cheapest cells."""
    found: dict[str, dict[str, list[float]]] = {name: {} for name in SOLES}
    with Progress(len(SEEDS), "stairs") as shown:
        for seed in SEEDS:
            stairs = Stairs(seed)
            for name, sole in SOLES.items():
                for key, value in _one(stairs, sole).items():
                    found[name].setdefault(key, []).append(value)
            shown.advance()
    caption = (
        "Figure 9: cost on one of the stairs (lines: edges; white: no foothold), and where on a step each foot chose"
    )
    rough = [_rough(seed) for seed in ROUGH]
    return Record(
        title="Figure 9: footholds on stairs and on rough ground",
        text="Stairs of random rise, run and phase rise along the foot. A place is counted from the edge of its own "
        "step; at the far end lies the base of the next one. Cells beyond the leg's reach or with the leg in collision "
        "are no footholds; of the others a foot accepts those whose terrain cost is below 1.",
        rows=[*_rows(found), *_rough_rows(rough)],
        pictures=[picture("footholds", "figure9", _draw(found), caption)],
        values={"found": found, "rough": rough, "seeds": [*SEEDS, *ROUGH]},
    )


def _rough(seed: int) -> dict[str, dict[str, float]]:
    """How far the chosen cell stands out of its surroundings [m], and whether it is the cheapest of its map."""
    rng = np.random.default_rng(seed)
    heights = gaussian_filter(rng.normal(size=(CELLS, CELLS)), footholds_maps.SMOOTH)
    ground = ElevationMap(heights=footholds_maps.HEIGHT * heights / heights.std(), cell=CELL, origin=ORIGIN)
    out = ground.heights - gaussian_filter(ground.heights, footholds_maps.AROUND / CELL)
    nominal, found = _nominal(rng), {}
    for name, sole in SOLES.items():
        costs = cost_map(ground, sole, leg="RF")
        choice = choose(costs, nominal)
        cheapest = costs.cost[costs.feasible].min()
        found[name] = {"out": float(out[choice.row, choice.column]), "cheapest": float(choice.cost <= cheapest + 1e-9)}
    return found


def _one(stairs: Stairs, sole: Any) -> dict[str, float]:
    costs = stairs.costs(sole)
    choice = choose(costs, stairs.nominal)
    grid = stairs.elevation
    edge = np.broadcast_to(stairs.from_edge(grid.x)[None, :], costs.cost.shape)
    base = stairs.run - edge < NEAR
    # what the next riser forbids: cells that the leg reaches on flat ground
    level = cost_map(
        ElevationMap(heights=np.zeros_like(grid.heights), cell=CELL, origin=ORIGIN), sole, leg="RF"
    ).feasible
    accepted = costs.feasible & (costs.terrain < 1)
    return {
        "edge": float(stairs.from_edge(choice.x)) if choice.status.ok else float("nan"),
        "base": float(stairs.run - stairs.from_edge(choice.x)) if choice.status.ok else float("nan"),
        "run": float(stairs.run),
        "accepted": float(accepted[level].mean()),
        "accepted_at_base": float(accepted[level & base].mean()) if (level & base).any() else float("nan"),
        "accepted_at_edge": float(accepted[level & (edge < NEAR)].mean()) if (level & (edge < NEAR)).any() else 0.0,
    }


def _interval(values: np.ndarray) -> tuple[float, float, float]:
    values = values[np.isfinite(values)]
    drawn = np.random.default_rng(0).choice(values, (4000, len(values))).mean(axis=1)
    low, high = np.quantile(drawn, [0.025, 0.975])
    return float(values.mean()), float(low), float(high)


def _rows(found: dict[str, dict[str, list[float]]]) -> list[Row]:
    ball, soft = ({k: np.array(v) for k, v in found[name].items()} for name in ("ball", "soft"))
    nearer = _interval(1000 * (soft["edge"] - ball["edge"]))
    wider = _interval(100 * (soft["accepted"] - ball["accepted"]))
    at_base, elsewhere = (100 * float(np.nanmean(soft[k])) for k in ("accepted_at_base", "accepted"))
    stepped = int(np.sum(soft["base"] < NEAR))
    n = f"{len(SEEDS)} fresh stairs, the same for both; means, 95 % by bootstrap over stairs"
    edges = _interval(soft["accepted_at_edge"] - ball["accepted_at_edge"])
    at_edge = [100 * float(np.nanmean(one["accepted_at_edge"])) for one in (soft, ball)]
    return [
        Row(
            what="distance of the chosen foothold from the edge of its step: soft foot less ball",
            place="Section IV, Figure 9a to 9d",
            published="in contrast to a ball the robot prefers positions closer to the edges",
            ours=f"{nearer[0]:+.0f} mm ({nearer[1]:+.0f} to {nearer[2]:+.0f}); "
            f"means {1000 * np.nanmean(soft['edge']):.0f} and {1000 * np.nanmean(ball['edge']):.0f} mm",
            n=n,
            controls=f"cells within {1000 * NEAR:.0f} mm of an edge that are accepted: soft foot {at_edge[0]:.0f} %, "
            f"ball {at_edge[1]:.0f} %",
            verdict="confirmed" if nearer[2] < 0 else "only in a regime" if edges[1] > 0 else "not confirmed",
            regime=""
            if nearer[2] < 0
            else "edges are accepted, not preferred: on treads longer than the sole the flat middle costs least",
            command=COMMAND,
        ),
        Row(
            what="cells that the foot accepts of those in the leg's reach: soft foot less ball",
            place="Section IV, Figure 9c, d",
            published="a larger set of feet positions on the same terrain is acceptable",
            ours=f"{wider[0]:+.0f} % ({wider[1]:+.0f} to {wider[2]:+.0f}); "
            f"means {100 * np.mean(soft['accepted']):.0f} and {100 * np.mean(ball['accepted']):.0f} %",
            n=n,
            verdict="confirmed" if wider[1] > 0 else "not confirmed",
            regime="what a ball accepts is set in the manner of the earlier paper, whose numbers are not published",
            command=COMMAND,
        ),
        Row(
            what=f"soft foot, cells within {1000 * NEAR:.0f} mm of the base of a step that are accepted; choices there",
            place="Section IV, Figure 9a, b",
            published="the robot avoids the bases of the step due to collisions",
            ours=f"{at_base:.0f} % (of all cells {elsewhere:.0f} %); {stepped} of {len(SEEDS)} choices",
            n=n,
            verdict="confirmed" if at_base < 0.5 * elsewhere else "not confirmed",
            command=COMMAND,
        ),
    ]


def _rough_rows(rough: list[dict[str, dict[str, float]]]) -> list[Row]:
    out = {name: _interval(np.array([1000 * one[name]["out"] for one in rough])) for name in SOLES}
    cheapest = sum(one["soft"]["cheapest"] for one in rough)
    text = "; ".join(
        f"{out[name][0]:+.1f} mm ({out[name][1]:+.1f} to {out[name][2]:+.1f})" for name in ("soft", "ball")
    )
    n = f"{len(ROUGH)} fresh rough grounds, the same for both; means, 95 % by bootstrap over grounds"
    return [
        Row(
            what="rough ground: how far the chosen cell stands out of its surroundings: soft foot; ball",
            place="Section IV, Figure 9e, f",
            published="the robot prefers small bumps and avoids concavities",
            ours=text,
            n=n,
            controls="the ball",
            verdict="confirmed" if out["soft"][1] > max(0, out["ball"][2]) else "not confirmed",
            command=COMMAND,
        ),
        Row(
            what="rough ground: choices of the soft foot that are the cheapest cell of their map",
            place="Section IV, Figure 9",
            published="always a compromise with the nominal foothold: not the cell with the lowest value",
            ours=f"{cheapest:.0f} of {len(ROUGH)}",
            n=n,
            verdict="confirmed" if cheapest < 0.1 * len(ROUGH) else "only in a regime",
            regime="" if cheapest < 0.1 * len(ROUGH) else "where the nominal foothold is not among the cheapest",
            command=COMMAND,
        ),
    ]


def _draw(found: dict[str, dict[str, list[float]]]) -> Figure:
    stairs = Stairs(SEEDS[0])
    edges = np.arange(np.floor(-0.4 / stairs.run), np.ceil(0.4 / stairs.run) + 2) * stairs.run - stairs.phase
    with house_style():
        fig, axes = figure(1, 3, size=(12, 3.4))
        for ax, (name, sole) in zip(axes[0, :2], SOLES.items(), strict=True):
            costs = stairs.costs(sole)
            shown = np.where(costs.feasible, costs.cost, np.nan)
            half = CELLS * CELL / 2
            drawn = ax.imshow(
                shown, origin="lower", extent=(-half, half, -half, half), cmap="YlOrRd_r", vmin=0, vmax=254
            )
            ax.vlines([e for e in edges if abs(e) < half], -half, half, color="black", lw=0.8)
            choice = choose(costs, stairs.nominal)
            ax.plot(*stairs.nominal, "+", color="black", ms=9, label="nominal")
            ax.plot(choice.x, choice.y, "o", color=COLOURS[0], ms=7, label="chosen")
            ax.set(title=f"cost: {name}", xlabel="x [m]", ylabel="y [m]")
            ax.grid(visible=False)
            ax.legend(loc="lower right")
            fig.colorbar(drawn, ax=ax, shrink=0.85)
        for colour, (name, one) in zip(COLOURS, found.items(), strict=False):
            share = np.array(one["edge"]) / np.array(one["run"])
            axes[0, 2].hist(share, np.linspace(0, 1, 16), histtype="step", lw=1.8, color=colour, label=name)
        axes[0, 2].set(xlabel="0: edge of the step, 1: base of the next", ylabel="choices")
        axes[0, 2].legend()
    return fig
