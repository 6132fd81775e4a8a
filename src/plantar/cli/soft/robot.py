"""`plantar soft robot`."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from plantar.cli.common import Json, Out, Overwrite, Progress, emit, parse_changes, results_folder, table_text
from plantar.cli.show_options import Html, Video, report_on
from plantar.cli.soft.options import RobotSet
from plantar.show.report import Section
from plantar.soft import robots
from plantar.soft.mesh.series import Series
from plantar.soft.reduction.reduce import Reduction
from plantar.soft.robots.registry import ROBOTS
from plantar.soft.robots.report import unit_of, write_robot
from plantar.soft.robots.run import steps_of
from plantar.soft.scene.body import SoftBody
from plantar.soft.scene.clips import SceneFilm
from plantar.soft.scene.scene import Scene


def robot(
    name: Annotated[str | None, typer.Argument(metavar="NAME", help="Name of a robot; lists all if left out.")] = None,
    duration: Annotated[
        float | None, typer.Option(help="Simulated time [s]; the full demonstration if left out.")
    ] = None,
    changes: RobotSet = None,
    reduction: Annotated[
        Path | None, typer.Option(help="Run it reduced, with the .npz from `plantar soft reduce`.")
    ] = None,
    film: Annotated[int, typer.Option(min=0, help="Frames of the GIF film; 0 for none.")] = 24,
    html: Html = None,
    video: Video = None,
    vtu: Annotated[bool, typer.Option("--vtu", help="Also write a series for ParaView.")] = False,
    out: Out = None,
    overwrite: Overwrite = False,
    as_json: Json = False,
) -> None:
    """Run one of the seven soft robots: a table, pictures, a film, and size and time beside the published ones."""
    if name is None:
        rows = [{"name": n, "dof_paper": c.published.dof, "what": c.summary()} for n, c in ROBOTS.items()]
        emit({"robots": rows}, as_json=as_json, text=table_text(rows))
        return
    machine = robots.get(name, **parse_changes("--robot-set", changes))
    steps = steps_of(machine, duration)
    scene = machine.scene() if reduction is None else Reduction.load(reduction).apply(machine.scene())
    folder = results_folder(out, f"soft-{name}", overwrite)
    with Progress(steps, f"soft robot {name}") as bar:
        shown, count = SceneFilm.of(scene, html is not None or video is not None), itertools.count(1)
        series = _series(folder, vtu, steps)
        if shown:
            shown.take()

        def watch(live: Scene) -> None:
            if shown:
                shown.take_at(next(count), steps)
            if series:
                series(live)

        done = robots.run(
            machine, duration=duration, scene=scene, shots=max(4, film), progress=bar.advance, on_step=watch
        )
    files = write_robot(folder, done)
    paper, row = machine.published, done.row()
    words = (
        f"what the soft robot {name} does, how large its model is and how fast it runs.",
        f"{row['dof']} degrees of freedom at {row['ms']:.3g} ms per step of {row['dt_ms']:g} ms; published: "
        f"{paper.dof} and {paper.milliseconds or 'no'} ms.",
        "times are medians on this machine with whatever else was running; shapes and materials are the paper's "
        "where it states them.",
    )
    pictures = [path for path in files if path.suffix == ".png"]
    sections = [Section(title="Readings and states", picture=pictures, table=[row])]
    clip = shown.clip(f"soft robot {name}") if shown else None
    files.append(report_on(folder, f"Soft robot {name}", words, sections, clip=clip, html=html, video=video))
    row = {k: v for k, v in done.row().items() if k not in ("material", "actuation", "contact", "control")}
    last = [{"reading": k, "end": v, "unit": "s" if k == "time" else unit_of(k)} for k, v in done.table[-1].items()]
    text = f"{table_text([row])}\n\n{table_text(last)}\n\n" + "\n".join(map(str, files))
    emit({**done.row(), "end": done.table[-1], "folder": folder, "files": files}, as_json=as_json, text=text)


def _series(folder: Path, wanted: bool, steps: int) -> Callable[[Scene], None] | None:
    """Writes about 50 frames for ParaView, one series per soft body."""
    if not wanted:
        return None
    series: dict[str, Series] = {}
    count = [0]

    def write(scene: Scene) -> None:
        count[0] += 1
        if count[0] % max(1, steps // 50):
            return
        for body in scene.bodies.values():
            if isinstance(body, SoftBody):
                film = series.setdefault(body.name, Series(folder, body.name))
                film.add(scene.time, body.mesh, scene.positions(body.name))

    return write
