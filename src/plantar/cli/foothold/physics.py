"""`plantar foothold press` and `calibrate`: labels from physics, and scores that are fitted to them."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from plantar.cli.bench.options import results_folder
from plantar.cli.common import Json, Out, Overwrite, Progress, Seed, emit, note, run_command, table_text
from plantar.cli.feet.feet import parse_change
from plantar.cli.foothold.input import read_map
from plantar.errors import InvalidInput

FootName = Annotated[
    str, typer.Option("--foot", metavar="NAME", help="Any foot: softfoot_q, ball, flat, softfoot, or its .json file.")
]
Changes = Annotated[list[str] | None, typer.Option("--set", metavar="FIELD=VALUE", help="Change a field of the foot.")]
RigChanges = Annotated[
    list[str] | None, typer.Option("--rig", metavar="FIELD=VALUE", help="Change a field of the rig, as friction=0.6.")
]
Engine = Annotated[Literal["threads", "gpu"], typer.Option(help="MuJoCo on this machine's cores, or MuJoCo Warp.")]
Directions = Annotated[int, typer.Option(help="Presses of a foothold, each pushed in another direction.")]


@run_command
def press(
    foot: FootName = "softfoot_q",
    changes: Changes = None,
    mosaics: Annotated[int, typer.Option(min=1, help="Mosaics of 64 tiles.")] = 1,
    tiles: Annotated[int, typer.Option(help="Tiles along each side of a mosaic.")] = 8,
    footholds: Annotated[int, typer.Option(help="Footholds on each tile.")] = 8,
    directions: Directions = 8,
    kinds: Annotated[str, typer.Option(metavar="A,B,...", help="Kinds of ground; all by default.")] = "",
    on: Annotated[
        str | None, typer.Option("--on", metavar="MAP", help="Press this map instead, and draw it beside the costs.")
    ] = None,
    every: Annotated[int, typer.Option(min=1, help="With --on: cells from one foothold to the next.")] = 2,
    cells: Annotated[int | None, typer.Option(min=4, help="With --on: press a part of so many cells a side.")] = None,
    yaw: Annotated[float, typer.Option(help="With --on: turn of the foot [degrees].")] = 0.0,
    rig: RigChanges = None,
    engine: Engine = "threads",
    worlds: Annotated[int, typer.Option(help="Worlds of a launch on a GPU.")] = 16384,
    seed: Seed = 0,
    out: Out = None,
    overwrite: Overwrite = False,
    as_json: Json = False,
) -> None:
    """Press a foot on footholds and push it until it slides: slip, holding force, tilt and support as labels."""
    from plantar._files import write_config  # noqa: PLC0415  (NumPy is loaded only when needed)
    from plantar.foothold.physics import MosaicConfig, PhysicsConfig, PressPlan  # noqa: PLC0415

    thing, own_rig = _foot(foot, changes), _rig(rig)
    names: dict[str, Any] = {"kinds": tuple(kind.strip() for kind in kinds.split(","))} if kinds else {}
    config = PhysicsConfig(
        mosaic=MosaicConfig(tiles=tiles, seed=seed, **names),
        plan=PressPlan(footholds=footholds, directions=directions, seed=seed),
        rig=own_rig,
    )
    if on is not None:
        _press_map(thing, config, on, every, cells, math.radians(yaw), engine, out, overwrite, as_json)
        return
    folder = results_folder(out, "foothold-press", overwrite)
    data = _press_mosaics(thing, config, mosaics, engine, worlds, folder)
    write_config(folder, command="foothold press", seed=seed, foot=thing, config=config, engine=engine)
    rows = _by_kind(data)
    record = {"folder": folder, "footholds": len(data), "presses": len(data) * directions, "kinds": rows}
    emit(record, as_json=as_json, text=f"{table_text(rows)}\n\n{len(data)} footholds: {folder}")


def _press_mosaics(foot: Any, config: Any, count: int, engine: Any, worlds: int, folder: Path) -> Any:
    from plantar._files import write_table  # noqa: PLC0415
    from plantar.foothold.physics import PhysicsData, Presser  # noqa: PLC0415
    from plantar.foothold.physics.plots import plot_data  # noqa: PLC0415
    from plantar.show.plots import save  # noqa: PLC0415

    presser = Presser(foot, config, engine, worlds=worlds)
    parts = []
    total = count * config.mosaic.tiles**2 * min(config.plan.footholds, config.mosaic.cells**2) * config.plan.directions
    with Progress(total, "presses") as bar:
        for number in range(count):
            parts.append(presser.footholds(number, bar.advance))
            # Each mosaic is kept as soon as it is there: a long run that is stopped loses one at most.
            parts[-1].save(folder / f"pressed_{number:03d}.npz", foot=foot.name, config=config, engine=engine)
    data = PhysicsData.joined(parts)
    write_table(folder, "kinds", _by_kind(data))
    save(plot_data(data.finite()), folder / "kinds.png")
    return data


def _press_map(
    foot: Any,
    config: Any,
    source: str,
    every: int,
    cells: int | None,
    yaw: float,
    engine: Any,
    out: Path | None,
    overwrite: bool,
    as_json: bool,
) -> None:
    from plantar._files import write_config, write_table  # noqa: PLC0415
    from plantar.foothold import SoftSole, terrain_cost  # noqa: PLC0415
    from plantar.foothold.physics.judge import sole_for  # noqa: PLC0415
    from plantar.foothold.physics.on_map import press_map  # noqa: PLC0415
    from plantar.foothold.physics.plots import plot_pressed  # noqa: PLC0415
    from plantar.foothold.physics.scores import spearman  # noqa: PLC0415
    from plantar.show.plots import save  # noqa: PLC0415

    ground = read_map(source, None)
    if cells is not None:
        ground = ground.crop(ground.centre, (cells, cells))
    folder = results_folder(out, "foothold-press", overwrite)
    sole = sole_for(foot)
    edge = 4
    sides = [len(range(edge, size - edge, every)) for size in ground.shape]
    with Progress(sides[0] * sides[1] * config.plan.directions, "presses") as bar:
        found = press_map(ground, foot, config, yaw=yaw, every=every, edge=edge, engine=engine, progress=bar.advance)
    name = "cost of eq. 3" if isinstance(sole, SoftSole) else "analytic cost"
    cost = terrain_cost(ground, sole, yaw).cost
    picture = save(plot_pressed(found, {name: cost}, _learned(foot, ground, yaw)), folder / "pressed.png")
    rows = _map_rows(found, cost)
    write_table(folder, "pressed", rows)
    write_config(folder, command="foothold press", foot=foot, config=config, source=Path(source).name, yaw=yaw)
    columns = {key: _array([row[key] for row in rows]) for key in ("hold", "slip", "cost")}
    ranks = {"hold": spearman(columns["cost"], -columns["hold"]), "slip": spearman(columns["cost"], columns["slip"])}
    record = {"folder": folder, "footholds": len(rows), "rank_correlation": ranks, "picture": picture}
    text = f"{len(rows)} footholds; {name} ranks hold {ranks['hold']:.2f}, slip {ranks['slip']:.2f}\npicture: {picture}"
    emit(record, as_json=as_json, text=text)


def _learned(foot: Any, ground: Any, yaw: float) -> Any:
    """Holding force by the learned score that comes with Plantar, where there is one for this foot and cell."""
    from plantar.foothold.physics import shipped  # noqa: PLC0415

    try:
        return shipped(foot.name).map(ground, yaw)["hold"]
    except InvalidInput:
        return None


def _map_rows(found: Any, cost: Any) -> list[dict[str, Any]]:
    ground, rows = found.elevation, []
    for j, row in enumerate(found.rows):
        for i, column in enumerate(found.columns):
            x, y = ground.position(int(row), int(column))
            labels = {name: float(getattr(found.labels, name)[j, i]) for name in found.labels.names()}
            rows.append({"x": x, "y": y, **labels, "cost": float(cost[row, column])})
    return rows


def _array(values: list[float]) -> Any:
    import numpy as np  # noqa: PLC0415

    return np.array(values)


def _by_kind(data: Any) -> list[dict[str, Any]]:
    """Medians of the labels of each kind, and the share of presses that failed."""
    import numpy as np  # noqa: PLC0415

    rows, labels = [], data.labels
    for number, kind in enumerate(data.kinds):
        own = data.foothold_kind == number
        if not own.any():
            continue
        middle = {name: float(np.nanmedian(getattr(labels, name)[own])) for name in labels.names()}
        failed = float(np.isnan(data.presses["hold"][own]).mean())
        rows.append({"kind": kind, "footholds": int(own.sum()), **middle, "failed": failed})
    return rows


@run_command
def calibrate(
    source: Annotated[Path, typer.Argument(metavar="DATA", help="Folder or .npz of `plantar foothold press`.")],
    foot: Annotated[str | None, typer.Option(metavar="NAME", help="The foot; what the data says if left out.")] = None,
    held_out: Annotated[
        str, typer.Option(metavar="A,B,...", help="Kinds that are not fitted on but judged on.")
    ] = "waves,stairs,rubble,planks",
    learn: Annotated[bool, typer.Option(help="Train the learned score as well (PyTorch).")] = False,
    epochs: Annotated[int, typer.Option(help="With --learn: passes over the data.")] = 60,
    seed: Seed = 0,
    out: Out = None,
    overwrite: Overwrite = False,
    as_json: Json = False,
) -> None:
    """Fit the weights of the analytic cost to physics, judge every score on kinds of ground it has not seen."""
    from plantar._fields import to_record  # noqa: PLC0415
    from plantar._files import to_json, write_config, write_table, write_text  # noqa: PLC0415
    from plantar.foothold import SoftSole  # noqa: PLC0415
    from plantar.foothold.physics import config_for, load_physics, train  # noqa: PLC0415
    from plantar.foothold.physics.calibrate import calibrate as fit  # noqa: PLC0415
    from plantar.foothold.physics.judge import judge, sole_for  # noqa: PLC0415
    from plantar.foothold.physics.plots import plot_scores  # noqa: PLC0415
    from plantar.show.plots import save  # noqa: PLC0415

    data = load_physics(source).finite()
    name = foot or data.card.get("foot", "softfoot_q")
    kept, held = _split(data, held_out)
    own = sole_for(name)
    found = fit(data.of_kinds(kept), own) if isinstance(own, SoftSole) else None
    if found is None:
        note(f"{name} has no weights to fit: only the learned score is")
    folder = results_folder(out, "foothold-calibrate", overwrite)
    if found is not None:
        write_text(folder / "sole.json", to_json({"kind": "soft", **to_record(found.sole)}, indent=2) + "\n")
    model = None
    if learn:
        settings = config_for(name, data, epochs=epochs, seed=seed)
        with Progress(epochs * settings.networks + settings.passes, "passes") as bar:
            model = train(data.of_kinds(kept), settings, progress=bar.advance, foot=name, fitted_on=kept, held_out=held)
        model.save(folder / "hold.npz")
    judged = judge(data.of_kinds(held), name, found.sole if found else None, model)
    rows, chosen = judged.pop("scores"), judged.pop("picks")
    write_table(folder, "scores", rows)
    if chosen:
        write_table(folder, "picks", chosen)
    picture = save(plot_scores(rows, judged["ceiling"], f"{name} on {', '.join(held)}"), folder / "scores.png")
    facts = {"fitted_on": kept, "held_out": held, **judged}
    write_config(folder, command="foothold calibrate", seed=seed, foot=name, calibration=found, **facts)
    record = {
        "folder": folder,
        **facts,
        "scores": rows,
        "picks": chosen,
        "sole": found.sole if found else None,
        "picture": picture,
    }
    both = table_text(rows) + (f"\n\nbest foothold of each map:\n{table_text(chosen)}" if chosen else "")
    text = f"{both}\n\nceiling by the labels' own noise: " + ", ".join(
        f"{label} {value:.3f}" for label, value in judged["ceiling"].items()
    )
    emit(record, as_json=as_json, text=f"{text}\npicture: {picture}")


def _split(data: Any, held_out: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    held = tuple(kind.strip() for kind in held_out.split(",") if kind.strip())
    there = tuple(data.kinds[number] for number in sorted(set(data.foothold_kind.tolist())))
    unknown = [kind for kind in held if kind not in there]
    kept = tuple(kind for kind in there if kind not in held)
    if unknown or not held or not kept:
        known = ", ".join(there)
        raise InvalidInput(f"--held-out {held_out!r} is not allowed: give some, not all, of the data's kinds {known}")
    return kept, held


def _foot(name: str, changes: list[str] | None) -> Any:
    """The foot in its fast build, unless the changes say otherwise."""
    from plantar import feet  # noqa: PLC0415

    foot = feet.load(name) if name.endswith(".json") else feet.get(name, fidelity="fast")
    return foot.with_(**dict(parse_change(text) for text in changes or []))


def _rig(changes: list[str] | None) -> Any:
    from plantar._fields import edited  # noqa: PLC0415
    from plantar.foothold.physics import PushRig  # noqa: PLC0415

    return edited(PushRig(), dict(parse_change(text) for text in changes or []))
