"""`plantar foothold`: score an elevation map, choose a foothold, make data sets."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated, Any

import typer

from plantar.cli.bench.options import numbers, results_folder
from plantar.cli.common import FAILED, Json, Out, Overwrite, emit, fail, run_command, table_text
from plantar.cli.foothold.data import data
from plantar.cli.foothold.input import Cell, Height, Leg, Place, Scene, read_scene
from plantar.errors import InvalidInput

app = typer.Typer(rich_markup_mode=None, no_args_is_help=True, help="Footholds: cost maps, choice, data sets.")
app.command("data")(data)

Map = Annotated[str, typer.Argument(metavar="MAP", help="A map (.npz .npy .png), a terrain's .json, or its kind.")]
FootName = Annotated[str, typer.Option("--foot", metavar="NAME", help="softfoot_q, softfoot_q_three or ball.")]
Yaws = Annotated[str, typer.Option("--yaw", metavar="A,B,...", help="Turns of the foot [degrees].")]
SoleFile = Annotated[
    Path | None,
    typer.Option("--sole", metavar="FILE", help="sole.json or hold.npz of `calibrate`; or physics, or calibrated."),
]
NetworkFile = Annotated[
    str | None,
    typer.Option("--network", metavar="MODEL", help="Score by a network: softfoot_q (shipped) or a file; needs --leg."),
]
Grey = Annotated[float | None, typer.Option(help="Height of this end of a picture's grey levels [m].")]


@app.command("map")
@run_command
def map_(
    source: Map,
    foot: FootName = "softfoot_q",
    sole_file: SoleFile = None,
    yaw: Yaws = "0",
    leg: Leg = None,
    at: Place = None,
    height: Height = None,
    cells: Annotated[int | None, typer.Option(min=2, help="Score a part of this many cells a side only.")] = None,
    cell: Cell = None,
    low: Grey = None,
    high: Grey = None,
    beside: Annotated[bool, typer.Option(help="Score for a ball foot as well, for comparison.")] = True,
    out: Out = None,
    overwrite: Overwrite = False,
    as_json: Json = False,
) -> None:
    """Score every cell of a map as a foothold: cost maps, reasons and a picture."""
    from plantar._files import write_config, write_table  # noqa: PLC0415  (NumPy is loaded only when needed)
    from plantar.foothold import BallSole, cost_map, load_sole, sole_of  # noqa: PLC0415
    from plantar.foothold.plots import plot_costs  # noqa: PLC0415
    from plantar.show.plots import save  # noqa: PLC0415

    turns = [math.radians(v) for v in numbers("--yaw", yaw)]
    scene = read_scene(source, leg=leg, at=at, height=height, cells=cells, cell=cell, low=low, high=high)
    sole = sole_of(foot) if sole_file is None else load_sole(sole_file, foot)
    name = foot if sole_file is None else sole_file.stem
    maps = {}
    if beside and sole.kind != "ball":
        maps["ball foot"] = cost_map(scene.elevation, BallSole(), **scene.options)
    for turn in turns:
        maps[f"{name}, yaw {math.degrees(turn):.0f}"] = cost_map(scene.elevation, sole, turn, **scene.options)
    folder = results_folder(out, "foothold-map", overwrite)
    rows = [_row(name, one) for name, one in maps.items()]
    files = [one.save(folder / f"cost_{i}.npz") for i, one in enumerate(maps.values(), start=1)]
    write_table(folder, "maps", rows)
    picture = save(plot_costs(scene.elevation, maps), folder / "map.png")
    write_config(folder, command="foothold map", source=Path(source).name, sole=sole, yaws=turns, scene=scene.record())
    record = {"maps": rows, "files": files, "picture": picture, "folder": folder}
    emit(record, as_json=as_json, text=f"{table_text(rows)}\n\npicture: {picture}")


@app.command()
@run_command
def choose(
    source: Map,
    nominal: Annotated[
        str | None, typer.Option(metavar="X,Y", help="Nominal foothold in the map's frame [m]; --at if left out.")
    ] = None,
    k: Annotated[float, typer.Option("--k", "-k", help="Cost of a metre away from the nominal foothold.")] = 200.0,
    foot: FootName = "softfoot_q",
    sole_file: SoleFile = None,
    network: NetworkFile = None,
    yaw: Yaws = "0",
    leg: Leg = None,
    at: Place = None,
    height: Height = None,
    cells: Annotated[int | None, typer.Option(min=2, help="Look at a part of this many cells a side only.")] = None,
    cell: Cell = None,
    low: Grey = None,
    high: Grey = None,
    out: Out = None,
    overwrite: Overwrite = False,
    as_json: Json = False,
) -> None:
    """Choose the best foothold, c_final = c_f + k d_n, and draw it; exit code 1 if there is none."""
    from plantar._files import write_config  # noqa: PLC0415
    from plantar.foothold import choose as pick  # noqa: PLC0415
    from plantar.foothold import cost_maps, load_sole, sole_of  # noqa: PLC0415
    from plantar.foothold.plots import plot_choice  # noqa: PLC0415
    from plantar.show.plots import save  # noqa: PLC0415

    turns = [math.radians(v) for v in numbers("--yaw", yaw)]
    scene = read_scene(source, leg=leg, at=at, height=height, cells=cells, cell=cell, low=low, high=high)
    wanted = scene.at if nominal is None else _point("--nominal", nominal)
    if network is None:
        sole = sole_of(foot) if sole_file is None else load_sole(sole_file, foot)
        maps = cost_maps([scene.elevation], sole, turns, **scene.options)[0]
    else:
        maps = _by_network(network, scene, turns)
    choice = pick(maps, wanted, k)
    costs = maps[[one.yaw for one in maps].index(choice.yaw)]
    folder = results_folder(out, "foothold-choose", overwrite)
    costs.save(folder / "cost.npz")
    picture = save(plot_choice(costs, choice, wanted), folder / "choice.png")
    settings: dict[str, Any] = {"source": Path(source).name, "nominal": wanted, "k": k, "scene": scene.record()}
    write_config(folder, command="foothold choose", foot=foot, yaws=turns, **settings, choice=_record(choice))
    record = {**_record(choice), "counts": costs.counts(), "picture": picture, "folder": folder}
    emit(record, as_json=as_json, text=f"{_sentence(choice)}\npicture: {picture}")
    if not choice.status.ok:
        fail(f"{choice.status.value} ({_why(costs)})", FAILED)


def _by_network(model: str, scene: Scene, turns: list[float]) -> list[Any]:
    """Costs by a network, whose foot stands along the robot's heading."""
    from plantar.foothold.learned import Network  # noqa: PLC0415

    if scene.options.get("leg") is None:
        raise InvalidInput("--network needs --leg: give LF, RF, LH or RH")
    if any(turns):
        raise InvalidInput("--yaw is not allowed with --network: it is for feet along the robot's heading")
    return [Network.load(model).cost_map(scene.elevation, **scene.options)]


def _row(name: str, costs: Any) -> dict[str, Any]:
    good = costs.cost[costs.feasible]
    best = {"least": float(good.min()), "median": float(sorted(good)[len(good) // 2])} if len(good) else {}
    return (
        {"map": name, "cells": costs.cost.size, "footholds": len(good), "least": None, "median": None}
        | best
        | {k: v for k, v in costs.counts().items() if k != "ok"}
    )


def _record(choice: Any) -> dict[str, Any]:
    names = ("x", "y", "z", "row", "column", "yaw", "cost", "distance", "total", "nominal_cost")
    return {"status": choice.status.name.lower(), **{name: getattr(choice, name) for name in names}}


def _sentence(choice: Any) -> str:
    if not choice.status.ok:
        return choice.status.value
    return (
        f"step to x {choice.x:.3f}, y {choice.y:.3f}, z {choice.z:.3f} m, yaw {math.degrees(choice.yaw):.0f} degrees: "
        f"cost {choice.cost:.1f} (nominal {choice.nominal_cost:.1f}), {1e3 * choice.distance:.0f} mm from nominal"
    )


def _why(costs: Any) -> str:
    return ", ".join(f"{count} cells: {name}" for name, count in costs.counts().items() if count and name != "ok")


def _point(option: str, text: str) -> tuple[float, float]:
    values = numbers(option, text)
    if len(values) != 2:
        raise InvalidInput(f"{option} {text!r} is not allowed: give x and y in metres, as in 0.1,0.0")
    return values[0], values[1]


__all__ = ["Scene", "app"]
