"""`plantar soft robot|reduce|foot|stream`: robots, reduced scenes, solid feet, and set-points to hardware."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from plantar.cli.bench.options import results_folder
from plantar.cli.common import FAILED, Json, Out, Overwrite, Progress, Seed, emit, note, run_command, table_text
from plantar.cli.feet.feet import parse_change
from plantar.errors import InvalidInput

Set = Annotated[
    list[str] | None, typer.Option("--set", metavar="FIELD=VALUE", help="Change a field, as in young=300000.")
]
Name = Annotated[
    str, typer.Argument(metavar="NAME", help="grasper, octopus, diamond, fetch, flexo, stifface or sofia.")
]


@run_command
def robot(
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="A robot's name; without one, all are listed.")
    ] = None,
    duration: Annotated[
        float | None, typer.Option(help="Simulated time [s]; the whole demonstration if left out.")
    ] = None,
    changes: Set = None,
    reduction: Annotated[
        Path | None, typer.Option(help="Run it reduced, by the .npz of `plantar soft reduce`.")
    ] = None,
    vtu: Annotated[bool, typer.Option("--vtu", help="Write a series for ParaView too.")] = False,
    out: Out = None,
    overwrite: Overwrite = False,
    as_json: Json = False,
) -> None:
    """Run one of the seven soft robots: a table, pictures, its size and time beside the published ones."""
    from plantar.soft import robots  # noqa: PLC0415  (numba is loaded only when needed)
    from plantar.soft.robots.registry import ROBOTS  # noqa: PLC0415

    if name is None:
        rows = [{"name": n, "dof_paper": c.published.dof, "what": c.summary()} for n, c in ROBOTS.items()]
        emit({"robots": rows}, as_json=as_json, text=table_text(rows))
        return
    machine = robots.get(name, **dict(parse_change(text) for text in changes or []))
    if duration is not None and not duration > 0:
        raise InvalidInput(f"--duration {duration} is not allowed: give a number above 0, in s")
    scene = _scene_of(machine, reduction)
    folder = results_folder(out, f"soft-{name}", overwrite)
    steps = max(1, round((duration or machine.duration) / machine.dt))
    with Progress(steps, f"soft robot {name}") as bar:
        done = robots.run(
            machine, duration=duration, scene=scene, progress=bar.advance, on_step=_series(folder, vtu, steps)
        )
    from plantar.soft.robots.report import write_robot  # noqa: PLC0415

    files = write_robot(folder, done)
    row = {k: v for k, v in done.row().items() if k not in ("material", "actuation", "contact", "control")}
    last = [{"reading": k, "end": v} for k, v in done.table[-1].items()]
    text = f"{table_text([row])}\n\n{table_text(last)}\n\n" + "\n".join(map(str, files))
    emit({**done.row(), "end": done.table[-1], "folder": folder, "files": files}, as_json=as_json, text=text)


def _scene_of(machine: Any, reduction: Path | None) -> Any:
    from plantar.soft.reduce import Reduction  # noqa: PLC0415

    loaded = None if reduction is None else Reduction.load(reduction)
    scene = machine.scene()
    return scene if loaded is None else loaded.apply(scene)


def _series(folder: Path, wanted: bool, steps: int) -> Any:
    if not wanted:
        return None
    from plantar.soft.body import SoftBody  # noqa: PLC0415
    from plantar.soft.mesh_files import Series  # noqa: PLC0415

    series: dict[str, Any] = {}
    count = [0]

    def write(scene: Any) -> None:
        count[0] += 1
        if count[0] % max(1, steps // 50):
            return
        for body in scene.bodies.values():
            if isinstance(body, SoftBody):
                film = series.setdefault(body.name, Series(folder, body.name))
                film.add(scene.time, body.mesh, scene.positions(body.name))

    return write


@run_command
def reduce(
    name: Annotated[str, typer.Argument(metavar="NAME|SCENE.yaml", help="A soft robot, or a scene file.")],
    modes: Annotated[int | None, typer.Option(min=1, help="Most modes.")] = None,
    samples: Annotated[int, typer.Option(min=1, help="Combinations of actuators to learn from.")] = 10,
    changes: Set = None,
    carrier: Annotated[str | None, typer.Option(help="Free rigid body that the modes ride on (scene files).")] = None,
    tolerance: Annotated[
        float, typer.Option(help="Largest error of a node, as a share of the motion; exit 1 above it.")
    ] = 0.1,
    seed: Seed = 0,
    out: Out = None,
    overwrite: Overwrite = False,
    as_json: Json = False,
) -> None:
    """Reduce a robot or a scene to a few modes and elements; write it with an error card."""
    from plantar._files import write_config, write_table  # noqa: PLC0415
    from plantar.soft.reduce_run import reduce_file, reduce_named  # noqa: PLC0415

    is_file = name.endswith((".yaml", ".yml"))
    if is_file and changes:
        raise InvalidInput("--set is not allowed with a scene file: change the file")
    if not tolerance > 0:
        raise InvalidInput(f"--tolerance {tolerance} is not allowed: give a number above 0")
    folder = results_folder(out, f"soft-reduce-{Path(name).stem}", overwrite)
    with Progress(0, "soft reduce") as bar:
        if is_file:
            found, cards = reduce_file(Path(name), modes=modes or 24, samples=samples, seed=seed, carrier=carrier,
                                       progress=bar.advance)  # fmt: skip
        else:
            fields = dict(parse_change(text) for text in changes or [])
            found, cards = reduce_named(name, fields, modes=modes, samples=samples, seed=seed, progress=bar.advance)
    path = found.save(folder / "reduction.npz")
    rows = [card.row() for card in cards]
    write_table(folder, "card", rows)
    write_config(folder, seed=seed, name=name, modes=modes, samples=samples, changes=changes or [])
    flat = [{"figure": key, **{str(row["run"]): row[key] for row in rows}} for key in rows[0] if key != "run"]
    emit({"cards": rows, "reduction": path}, as_json=as_json, text=f"{table_text(flat)}\n\n{path}")
    worst = max(cards, key=lambda card: card.relative)
    if worst.relative > tolerance:
        note(
            f"{worst.run}: the reduced scene is off by {100 * worst.relative:.1f} % of the motion, more than "
            f"{100 * tolerance:g} %; try more --modes or --samples"
        )
        raise typer.Exit(FAILED)


@run_command
def foot(
    changes: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="FIELD=VALUE", help="Change a field of the foot, as in hardness=40."),
    ] = None,
    ground: Annotated[Literal["flat", "rod", "tilted", "all"], typer.Option(help="What it is pressed on.")] = "flat",
    load: Annotated[float, typer.Option(help="Largest load [N].")] = 500.0,
    tolerance: Annotated[
        float, typer.Option(help="Largest relative difference on flat ground; exit 1 above it.")
    ] = 0.05,
    out: Out = None,
    overwrite: Overwrite = False,
    as_json: Json = False,
) -> None:
    """Press a solid foot by finite elements and condensed in MuJoCo: the error card of the condensation."""
    from plantar.cli.feet.feet import find_foot  # noqa: PLC0415
    from plantar.soft.solid_card import solid_card  # noqa: PLC0415
    from plantar.soft.solid_report import write_solid  # noqa: PLC0415

    if not (0 < load <= 5000 and tolerance > 0):
        raise InvalidInput(
            f"--load {load} is not allowed: give a force above 0, 5000 N at most, and a tolerance above 0"
        )
    solid = find_foot("solid", changes)
    folder = None if out is None else results_folder(out, "soft-foot", overwrite)
    grounds: tuple[Any, ...] = ("flat", "rod", "tilted") if ground == "all" else (ground,)
    loads = [load * (k + 1) / 10 for k in range(10)]
    with Progress(10 * len(grounds), "soft foot") as bar:
        cards = [solid_card(solid, g, loads=loads, progress=bar.advance) for g in grounds]
    rows = [card.row() for card in cards]
    files = write_solid(folder, solid, cards) if folder else []
    flat = [{"figure": key, **{str(row["ground"]): row[key] for row in rows}} for key in rows[0] if key != "ground"]
    emit({"cards": rows, "files": files}, as_json=as_json, text="\n".join([table_text(flat), *map(str, files)]))
    worst = max((card.error for card in cards if card.ground == "flat"), default=0.0)
    if worst > tolerance:
        note(f"the condensed foot is off by {100 * worst:.1f} % on flat ground, more than {100 * tolerance:g} %")
        raise typer.Exit(FAILED)


@run_command
def stream(
    table: Annotated[Path, typer.Argument(metavar="TABLE.csv", help="One row a set-point, one column a channel [SI].")],
    port: Annotated[str, typer.Option(help="Serial port, such as /dev/ttyUSB0 or COM3.")],
    rate: Annotated[float, typer.Option(help="Frames a second [Hz].")] = 50.0,
    baud: Annotated[int, typer.Option(help="Speed of the line [bit/s].")] = 115200,
    columns: Annotated[
        str | None, typer.Option(help="Columns to send, with commas between; all but `time` if left out.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Send the rows of a table to a board at a fixed rate (docs/serial.md)."""
    from plantar._fields import to_record  # noqa: PLC0415
    from plantar.soft.serial_port import Channel, Link, stream  # noqa: PLC0415
    from plantar.soft.serial_table import read_setpoints  # noqa: PLC0415

    names, rows = read_setpoints(table, None if columns is None else columns.split(","))
    with Link(port, [Channel(name=n) for n in names], baud=baud) as link, Progress(len(rows), "soft stream") as bar:
        report = stream(link, _told(rows, bar), rate)
    record = {"channels": names, **to_record(report)}
    emit(record, as_json=as_json, text=table_text([{"figure": k, "value": v} for k, v in to_record(report).items()]))


def _told(rows: list[list[float]], bar: Progress) -> Any:
    for row in rows:
        yield row
        bar.advance()


def register(app: typer.Typer) -> None:
    """Add the commands to `plantar soft`."""
    for name, function in (("robot", robot), ("reduce", reduce), ("foot", foot), ("stream", stream)):
        app.command(name)(function)
