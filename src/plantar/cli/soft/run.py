"""`plantar soft run`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from plantar._files import write_config
from plantar.cli.common import Json, Out, Overwrite, Progress, emit, results_folder, table_text
from plantar.cli.show_options import Html, Video, report_on
from plantar.errors import InvalidInput
from plantar.show.report import Section
from plantar.soft.scene.clips import SceneFilm
from plantar.soft.scene.file import load_scene
from plantar.soft.scene.record import Film, Recorder

MOST_STEPS = 1e9
"""Steps of a run, at most."""


def run(
    scene: Annotated[Path, typer.Argument(metavar="SCENE.yaml", help="A scene file; see docs/soft.md.")],
    duration: Annotated[float | None, typer.Option(help="Simulated time [s]; as in the file if left out.")] = None,
    every: Annotated[int, typer.Option(min=0, help="Steps between frames for ParaView; 0 for none.")] = 10,
    energy: Annotated[bool, typer.Option("--energy", help="Also record energies.")] = False,
    html: Html = None,
    video: Video = None,
    out: Out = None,
    overwrite: Overwrite = False,
    as_json: Json = False,
) -> None:
    """Run a scene file; write a table, a plot, a film, a report and a series for ParaView."""
    file = load_scene(scene)
    length = file.duration if duration is None else duration
    if not 0 < length <= MOST_STEPS * file.scene.dt:
        raise InvalidInput(
            f"--duration {length} is not allowed: give seconds above 0, at most {MOST_STEPS:.0e} steps of "
            f"{file.scene.dt:g} s"
        )
    folder = results_folder(out, "soft-run", overwrite)
    live = file.scene
    live.dump = folder / "dump"
    recorder, film = Recorder(live, energy=energy), Film(live, folder) if every else None
    steps, shown = max(1, round(length / live.dt)), SceneFilm.of(live, html is not None or video is not None)
    recorder.note()
    if shown:
        shown.take()
    if film:
        film.add()
    with Progress(steps, "soft run") as bar:
        for i in range(steps):
            file.step()
            recorder.note()
            if shown:
                shown.take_at(i + 1, steps)
            if film and (i + 1) % every == 0:
                film.add()
            bar.advance()
    table, plot = recorder.write(folder), recorder.plot(folder / "record.png")
    write_config(folder, scene=scene.name, duration=length, dt=live.dt, dofs=live.dofs, mode=live.mode)
    words = (
        f"what the scene {scene.name} does in {length:g} s.",
        f"{steps} steps of {live.dofs} degrees of freedom; the table shows the end state.",
        f"{live.tally.summary()}; the mesh is as in the file: halve its cells to check convergence.",
    )
    last = [{"name": k, "value": v} for k, v in recorder.rows[-1].items()]
    sections = [Section(title="Over time", picture=plot), Section(title="At the end", text="SI units.", table=last)]
    title = scene.stem.replace("_", " ")
    clip = shown.clip(title) if shown else None
    report = report_on(folder, f"Soft scene: {title}", words, sections, clip=clip, html=html, video=video)
    record: dict[str, Any] = {
        "steps": steps,
        "dofs": live.dofs,
        "converged": live.tally.converged,
        "residual": live.tally.residual,
        "status": live.tally.status,
        "end": recorder.rows[-1],
        "table": table,
        "plot": plot,
        "folder": folder,
        "report": report,
    }
    text = f"{table_text(last, digits=6)}\n\n{live.dofs} dofs, {live.tally.summary()}"
    emit(record, as_json=as_json, text=f"{text}\ntable: {table}\nreport: {report}")
