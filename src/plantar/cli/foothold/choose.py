"""`plantar foothold choose`."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from plantar._files import write_config
from plantar.cli.common import FAILED, Json, Out, Overwrite, emit, fail, numbers, results_folder
from plantar.cli.foot_options import FootOption, Set, read_foot
from plantar.cli.foothold.input import Cell, Height, Leg, Place, Scene, read_scene
from plantar.cli.foothold.options import Grey, Map, SoleFile, Yaws, read_sole
from plantar.cli.show_options import Html, Video, report_on
from plantar.errors import InvalidInput
from plantar.foothold import Choice, CostMap, cost_maps
from plantar.foothold import choose as pick
from plantar.foothold.learned import Network
from plantar.foothold.plots import plot_choice
from plantar.ground.clips import map_clip
from plantar.show.clip import Marks, gather
from plantar.show.plots import save
from plantar.show.report import Section

NetworkFile = Annotated[
    str | None,
    typer.Option(
        "--network", metavar="MODEL", help="Score with a network: softfoot_q (shipped) or a file; needs --leg."
    ),
]


def choose(
    source: Map,
    nominal: Annotated[
        str | None, typer.Option(metavar="X,Y", help="Nominal foothold in the map's frame [m]; --at if left out.")
    ] = None,
    k: Annotated[float, typer.Option("--k", "-k", help="Cost per metre from the nominal foothold.")] = 200.0,
    foot: FootOption = "softfoot_q",
    changes: Set = None,
    sole_file: SoleFile = None,
    network: NetworkFile = None,
    yaw: Yaws = "0",
    leg: Leg = None,
    at: Place = None,
    height: Height = None,
    cells: Annotated[int | None, typer.Option(min=2, help="Use only a part of this many cells per side.")] = None,
    cell: Cell = None,
    low: Grey = None,
    high: Grey = None,
    html: Html = None,
    video: Video = None,
    out: Out = None,
    overwrite: Overwrite = False,
    as_json: Json = False,
) -> None:
    """Choose the best foothold, c_final = c_f + k d_n, and draw it; exit code 1 if there is none."""
    turns = [math.radians(v) for v in numbers("--yaw", yaw)]
    one = read_foot(foot, changes)
    scene = read_scene(source, leg=leg, at=at, height=height, cells=cells, cell=cell, low=low, high=high)
    wanted = scene.at if nominal is None else _point("--nominal", nominal)
    if network is None:
        sole = read_sole(one, sole_file)
        maps = cost_maps([scene.elevation], sole, turns, **scene.options)[0]
    else:
        maps = _by_network(network, scene, turns)
    choice = pick(maps, wanted, k)
    costs = maps[[one.yaw for one in maps].index(choice.yaw)]
    folder = results_folder(out, "foothold-choose", overwrite)
    costs.save(folder / "cost.npz")
    picture = save(plot_choice(costs, choice, wanted), folder / "choice.png")
    settings: dict[str, Any] = {"source": Path(source).name, "nominal": wanted, "k": k, "scene": scene.record()}
    write_config(folder, command="foothold choose", foot=one, yaws=turns, **settings, choice=_record(choice))
    words = (
        f"the best foothold of {foot} near x {wanted[0]:.3f}, y {wanted[1]:.3f} m.",
        f"{_sentence(choice)}.",
        f"by a cost of {k:g} for every metre away from there and "
        + (f"the network {network}." if network else "the published cost, not by physics."),
    )
    shown = np.where(costs.feasible, -costs.cost.astype(float), np.nan)
    clip = map_clip(f"foothold of {foot}", costs.elevation, shown, ("light is a good foothold, blue a bad one",))
    if choice.status.ok:
        clip = replace(clip, marks=(_pin(choice, clip.view.distance or 1.0),))
    views = {"clip": clip, "html": html, "video": video}
    sections = [Section(title="The choice", picture=picture, table=[_record(choice)])]
    report = report_on(folder, "A foothold", words, sections, **views)
    record = {**_record(choice), "counts": costs.counts(), "picture": picture, "folder": folder, "report": report}
    emit(record, as_json=as_json, text=f"{_sentence(choice)}\npicture: {picture}\nreport: {report}")
    if not choice.status.ok:
        fail(f"{choice.status.value} ({_why(costs)})", FAILED)


def _pin(choice: Choice, reach: float) -> Marks:
    """An arrow pointing down at the foothold."""
    place = np.array([choice.x, choice.y, choice.z])
    ends = np.stack([place + [0.0, 0.0, 0.12 * reach], place])[None]
    return gather("foothold", "arrow", [ends], (0.80, 0.16, 0.12), 0.006 * reach)


def _by_network(model: str, scene: Scene, turns: list[float]) -> list[CostMap]:
    """Costs from a network, whose foot points along the robot's heading."""
    if scene.options.get("leg") is None:
        raise InvalidInput("--network needs --leg: give LF, RF, LH or RH")
    if any(turns):
        raise InvalidInput("--yaw is not allowed with --network: networks are for feet along the robot's heading")
    return [Network.load(model).cost_map(scene.elevation, **scene.options)]


def _record(choice: Choice) -> dict[str, Any]:
    names = ("x", "y", "z", "row", "column", "yaw", "cost", "distance", "total", "nominal_cost")
    return {"status": choice.status.name.lower(), **{name: getattr(choice, name) for name in names}}


def _sentence(choice: Choice) -> str:
    if not choice.status.ok:
        return choice.status.value
    return (
        f"step to x {choice.x:.3f}, y {choice.y:.3f}, z {choice.z:.3f} m, yaw {math.degrees(choice.yaw):.0f} degrees: "
        f"cost {choice.cost:.1f} (nominal {choice.nominal_cost:.1f}), {1e3 * choice.distance:.0f} mm from nominal"
    )


def _why(costs: CostMap) -> str:
    return ", ".join(f"{count} cells: {name}" for name, count in costs.counts().items() if count and name != "ok")


def _point(option: str, text: str) -> tuple[float, float]:
    values = numbers(option, text)
    if len(values) != 2:
        raise InvalidInput(f"{option} {text!r} is not allowed: give x and y in metres, as in 0.1,0.0")
    return values[0], values[1]
