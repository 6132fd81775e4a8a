"""`plantar foothold map`."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from plantar._files import write_config, write_table
from plantar.cli.common import Json, Out, Overwrite, emit, numbers, results_folder, table_text
from plantar.cli.foot_options import FootOption, Set, read_foot
from plantar.cli.foothold.input import Cell, Height, Leg, Place, read_scene
from plantar.cli.foothold.options import Grey, Map, SoleFile, Yaws, read_sole
from plantar.cli.show_options import Html, Video, report_on
from plantar.foothold import BallSole, CostMap, cost_map
from plantar.foothold.plots import plot_costs
from plantar.ground.clips import map_clip
from plantar.show.plots import save
from plantar.show.report import Section

UNITS = {"least": "cost", "median": "cost"} | dict.fromkeys(("unknown", "reach", "ground", "legs"), "cells")
"""What columns count; the last four say why cells are not footholds."""


def map_(
    source: Map,
    foot: FootOption = "softfoot_q",
    changes: Set = None,
    sole_file: SoleFile = None,
    yaw: Yaws = "0",
    leg: Leg = None,
    at: Place = None,
    height: Height = None,
    cells: Annotated[int | None, typer.Option(min=2, help="Use only a part of this many cells per side.")] = None,
    cell: Cell = None,
    low: Grey = None,
    high: Grey = None,
    beside: Annotated[bool, typer.Option(help="Also score for a ball foot, for comparison.")] = True,
    html: Html = None,
    video: Video = None,
    out: Out = None,
    overwrite: Overwrite = False,
    as_json: Json = False,
) -> None:
    """Score every cell of a map as a foothold: cost maps, reasons and a picture."""
    turns = [math.radians(v) for v in numbers("--yaw", yaw)]
    one = read_foot(foot, changes)
    scene = read_scene(source, leg=leg, at=at, height=height, cells=cells, cell=cell, low=low, high=high)
    sole = read_sole(one, sole_file)
    name = foot if sole_file is None else sole_file.stem
    maps = {}
    if beside and sole.kind != "ball":
        maps["ball foot"] = cost_map(scene.elevation, BallSole(), **scene.options)
    for turn in turns:
        maps[f"{name}, yaw {math.degrees(turn):.0f}°"] = cost_map(scene.elevation, sole, turn, **scene.options)
    folder = results_folder(out, "foothold-map", overwrite)
    rows = [_row(name, one) for name, one in maps.items()]
    files = [one.save(folder / f"cost_{i}.npz") for i, one in enumerate(maps.values(), start=1)]
    write_table(folder, "maps", rows)
    picture = save(plot_costs(scene.elevation, maps), folder / "map.png")
    costs = list(maps.values())[-1]
    shown = np.where(costs.feasible, -costs.cost.astype(float), np.nan)
    notes = ("light is a good foothold, blue a bad one, grey none",)
    clip = map_clip(f"footholds of {name}", costs.elevation, shown, notes)
    facts = {"foot": one, "sole": sole, "yaws": turns, "scene": scene.record()}
    write_config(folder, command="foothold map", source=Path(source).name, **facts)
    last = rows[-1]
    words = (
        f"where {name} can stand on {Path(source).stem.replace('_', ' ')}" + (f" with leg {leg}." if leg else "."),
        f"{last['footholds']} of {last['cells']} cells are footholds"
        + (f"; the best costs {last['least']:.3g}, the median {last['median']:.3g}." if last["footholds"] else "."),
        "costs follow the published formula and weights; `plantar foothold press` measures slip and holding force "
        "on the same map by physics.",
    )
    sections = [Section(title="Cost maps", picture=picture, table=rows, units=UNITS)]
    views = {"clip": clip, "html": html, "video": video}
    report = report_on(folder, f"Footholds of {name}", words, sections, **views)
    record = {"maps": rows, "files": files, "picture": picture, "folder": folder, "report": report}
    text = f"{name}: {words[1].rstrip('.')}\n\n{table_text(rows, units=UNITS)}\n\npicture: {picture}\nreport: {report}"
    emit(record, as_json=as_json, text=text)


def _row(name: str, costs: CostMap) -> dict[str, Any]:
    good = costs.cost[costs.feasible]
    best = {"least": float(good.min()), "median": float(sorted(good)[len(good) // 2])} if len(good) else {}
    return (
        {"map": name, "cells": costs.cost.size, "footholds": len(good), "least": None, "median": None}
        | best
        | {k: v for k, v in costs.counts().items() if k != "ok"}
    )
