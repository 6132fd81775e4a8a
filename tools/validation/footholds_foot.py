"""Footholds: SoftFoot-Q itself: its mass, how it stiffens, and what a map costs to score."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from plantar import bench
from plantar.bench.stiffness import StiffnessResult
from plantar.feet import SoftFootQ
from plantar.foothold.cost import cost_map
from plantar.progress import Progress
from plantar.show.plots import COLOURS, figure, house_style
from validation import footholds_stairs
from validation.drawing import picture
from validation.records import Record, Row

RADII, LOADS = (0.015, 0.025, 0.035), (10.0, 20.0, 40.0, 70.0, 100.0, 200.0)
PUBLISHED = 0.415
"""Sum of the published parts with three chains [kg]."""
COMMAND = "`python tools/validate.py footholds --only foot`"
ROUNDS = 50


def foot() -> Record:
    """Stiffness under light and heavy load on cylinders of three sizes, mass, and the time of a map."""
    tables: dict[str, Any] = {}
    with Progress(len(RADII) * len(LOADS), "stiffness of SoftFoot-Q") as shown:
        for radius in RADII:
            table = bench.stiffness(SoftFootQ(), radius=radius, loads=LOADS, progress=shown.advance).table
            verdict = StiffnessResult.verdict(table)
            tables[f"{1000 * radius:.0f} mm"] = {
                "light": verdict["from_10_to_40_N"], "heavy": verdict["from_100_to_200_N"], "ratio": verdict["ratio"],
                "load": table.column("load"), "deflection": table.column("deflection"),
                "settled": bool(table.column("settled").all()),
            }  # fmt: skip
    mass = float(SoftFootQ.three_chains().model().body_subtreemass[0])
    spent = _map_time()
    ratios = [v["ratio"] for v in tables.values()]
    stiff = [name for name, v in tables.items() if v["ratio"] > 3]
    rows = [
        Row(
            what="SoftFoot-Q: stiffness from 100 to 200 N over that from 10 to 40 N on cylinders of 15, 25 and 35 mm",
            place="Section III-B",
            published="stiffening by compression: the chains gradually become rigid in extension",
            ours=", ".join(f"{v:.2f}" for v in ratios) + " times",
            n=f"{len(LOADS)} loads at rest each; deterministic",
            verdict="confirmed" if len(stiff) == len(tables) else "only in a regime" if stiff else "not confirmed",
            regime="" if len(stiff) == len(tables) else f"three times or more on {' and '.join(stiff)}",
            command=COMMAND + ", `plantar bench stiffness --foot softfoot_q`",
        ),
        Row(
            what="SoftFoot-Q with three chains: mass",
            place="Section III-B",
            published=f"{PUBLISHED} kg (sum of the published parts)",
            ours=f"{mass:.3f} kg",
            verdict="confirmed" if abs(mass / PUBLISHED - 1) < 0.005 else "not confirmed",
            command=COMMAND,
        ),
        Row(
            what="map of 40 x 40 cells with reach, margin and collisions: processor time",
            place="Section III-A",
            published="terrain assessment and constraint checks are computationally expensive, hence the network",
            ours=f"{1000 * spent:.2f} ms (median)",
            n=f"{ROUNDS} maps of stairs, one core of a machine in use",
            verdict="not confirmed" if spent < 5e-3 else "confirmed",
            regime="written as here it fits into a control loop without a network",
            command=COMMAND + ", `python benchmarks/foothold_cost.py`",
        ),
    ]
    caption = "SoftFoot-Q on cylinders of three radii: load against deflection"
    return Record(
        title="SoftFoot-Q and the cost of a map",
        rows=rows,
        pictures=[picture("footholds", "foot", _draw(tables), caption)],
        values={"stiffness": tables, "mass": mass, "map_seconds": spent},
    )


def _map_time() -> float:
    maps = [footholds_stairs.Stairs(seed).elevation for seed in range(ROUNDS)]
    cost_map(maps[0], SoftFootQ(), leg="RF")
    spent = []
    for one in maps:
        start = time.process_time()
        cost_map(one, SoftFootQ(), leg="RF")
        spent.append(time.process_time() - start)
    return float(np.median(spent))


def _draw(tables: dict[str, Any]) -> Any:
    with house_style():
        fig, axes = figure(1, 1, size=(5.6, 3.6))
        for colour, (name, v) in zip(COLOURS, tables.items(), strict=False):
            axes[0, 0].plot(1000 * (v["deflection"] - v["deflection"][0]), v["load"], "o-", color=colour, label=name)
        axes[0, 0].set(xlabel="deflection from that at 10 N [mm]", ylabel="load [N]")
        axes[0, 0].legend(title="cylinder")
    return fig
