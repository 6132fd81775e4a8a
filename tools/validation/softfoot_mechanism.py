"""SoftFoot: stiffening under load by size of the obstacle."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from plantar import bench
from plantar.bench.stiffness import StiffnessResult
from plantar.feet.softfoot.softfoot import SoftFoot
from plantar.progress import Progress
from plantar.show.plots import COLOURS, figure, house_style
from plantar.table import Table
from validation.drawing import picture
from validation.records import Record, Row

RADII = (0.015, 0.025, 0.035)
LOADS = (10.0, 20.0, 40.0, 70.0, 100.0, 200.0)
CAPTION = "Deflection under load, and the share of the load that heel and front carry, on cylinders of three radii "
CAPTION += "(dashed: without tendons, dotted: stops of the modules far away)"


def stiffness() -> Record:
    """The stiffness under light and heavy load on cylinders of three sizes, with and without tendons."""
    foot = SoftFoot()
    far = math.radians(70)
    feet = {
        "with tendons": foot,
        "without tendons": foot.without_tendons(),
        "module stops far away": replace(foot, extension_limit=far),
    }
    found: dict[str, dict[str, Any]] = {}
    with Progress(len(RADII) * len(feet) * len(LOADS), "stiffness") as shown:
        for radius in RADII:
            for name, one in feet.items():
                table = bench.stiffness(one, radius=radius, loads=LOADS, progress=shown.advance).table
                found[f"{1000 * radius:.0f} mm {name}"] = _read(table, radius, name)
    return Record(
        title="Stiffening under load",
        text="The paper says that the foot is compliant under low load and stiffens as the load increases. The ratio "
        "of the "
        "stiffness from 100 to 200 N to that from 10 to 40 N depends on the size of what lies under the middle of "
        "the sole. "
        "The tendons do nothing here: they hang slack. On the small cylinder the front comes down and takes the "
        "largest "
        "part of the load that is added; stops of the modules play no part. On the middle one the stops make a part "
        "of it: "
        "with stops far away the ratio is smaller. On the large one the middle goes on carrying, and little stiffens.",
        rows=_stiffness_rows(found),
        tables=[_stiffness_table(found)],
        pictures=[picture("softfoot", "stiffness", _draw_stiffness(found), CAPTION)],
        values=found,
    )


def _read(table: Table, radius: float, name: str) -> dict[str, Any]:
    verdict = StiffnessResult.verdict(table)
    ends = table.column("force_heel") + table.column("force_front")
    carried = ends / (ends + table.column("force_middle"))
    return {
        "radius": radius,
        "foot": name,
        "light": verdict["from_10_to_40_N"],
        "heavy": verdict["from_100_to_200_N"],
        "ratio": verdict["ratio"],
        "load": table.column("load").tolist(),
        "deflection": table.column("deflection").tolist(),
        "front": table.column("force_front").tolist(),
        "ends_share": carried.tolist(),
        "tension": table.column("tension").tolist(),
        "settled": bool(table.column("settled").all()),
    }


def _stiffness_rows(found: dict[str, dict[str, Any]]) -> list[Row]:
    ratios = {(v["radius"], v["foot"]): v["ratio"] for v in found.values()}
    names = list(dict.fromkeys(v["foot"] for v in found.values()))
    of = {name: ", ".join(f"{ratios[r, name]:.3g}" for r in RADII) for name in names}
    large = [r for r in RADII if ratios[r, names[0]] >= 3]
    return [
        Row(
            what="stiffness from 100 to 200 N over that from 10 to 40 N on cylinders of 15, 25 and 35 mm",
            place="Section II-A",
            published='"compliance when the load is low, stiffening up as the load increases"',
            ours=f"{of[names[0]]} times",
            n=f"{len(LOADS)} loads at rest each; deterministic",
            controls="; ".join(f"{name}: {of[name]}" for name in names[1:]),
            verdict="confirmed" if len(large) == len(RADII) else "only in a regime",
            regime=f"three times or more up to {1000 * max(large):.0f} mm; by the front that comes to carry and, at "
            "25 mm, "
            "the stops of the modules; not by the tendons",
            command="`python tools/validate.py softfoot --only stiffness`, `plantar bench stiffness`",
        )
    ]


def _stiffness_table(found: dict[str, dict[str, Any]]) -> dict[str, Any]:
    columns = ["cylinder", "foot", "10 to 40 N", "100 to 200 N", "ratio", "heel and front carry at 10, 100, 200 N"]
    rows = []
    for v in found.values():
        shares = np.interp([10, 100, 200], v["load"], v["ends_share"])
        front = np.interp([10, 40, 100, 200], v["load"], v["front"])
        added = (front[1] - front[0]) / 30, (front[3] - front[2]) / 100
        rows.append([
            f"{1000 * v['radius']:.0f} mm", v["foot"], f"{v['light'] / 1000:.1f} kN/m", f"{v['heavy'] / 1000:.0f} kN/m",
            f"{v['ratio']:.2f}", ", ".join(f"{100 * s:.0f}" for s in shares) + " %",
            ", ".join(f"{100 * s:.0f}" for s in added) + " %", f"{v['tension'][-1]:.1f} N",
        ])  # fmt: skip
    columns += ["front takes of what is added, 10 to 40 and 100 to 200 N", "tension at 200 N"]
    return {"columns": columns, "rows": rows}


def _draw_stiffness(found: dict[str, dict[str, Any]]) -> Figure:
    with house_style():
        fig, axes = figure(1, 2, size=(9.5, 3.6))
        for v in found.values():
            style = {"with tendons": "-", "without tendons": "--"}.get(v["foot"], ":")
            look = {"color": COLOURS[RADII.index(v["radius"])], "ls": style}
            label = f"{1000 * v['radius']:.0f} mm" if v["foot"] == "with tendons" else None
            start = v["deflection"][0]
            axes[0, 0].plot(
                [1000 * (d - start) for d in v["deflection"]], v["load"], "o", **look | {"ls": look["ls"]}, label=label
            )
            axes[0, 1].plot(v["load"], [100 * s for s in v["ends_share"]], "o", **look)
        axes[0, 0].set(xlabel="deflection from that at 10 N [mm]", ylabel="load [N]")
        axes[0, 1].set(xlabel="load [N]", ylabel="heel and front carry [%]", ylim=(0, 100))
        axes[0, 0].legend(title="cylinder")
    return fig
