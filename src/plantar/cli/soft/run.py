"""`plantar soft run`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from plantar._files import write_config
from plantar.cli.common import Json, Out, Overwrite, Progress, emit, results_folder, table_text
from plantar.errors import InvalidInput
from plantar.soft.scene.file import load_scene
from plantar.soft.scene.record import Film, Recorder


def run(
    scene: Annotated[Path, typer.Argument(metavar="SCENE.yaml", help="A scene file; see docs/soft.md.")],
    duration: Annotated[float | None, typer.Option(help="Simulated time [s]; that of the file if left out.")] = None,
    every: Annotated[int, typer.Option(min=0, help="Write a frame for ParaView every so many steps; 0: none.")] = 10,
    energy: Annotated[bool, typer.Option("--energy", help="Note energies as well.")] = False,
    out: Out = None,
    overwrite: Overwrite = False,
    as_json: Json = False,
) -> None:
    """Run a scene file; write a table, a plot and a series for ParaView."""
    file = load_scene(scene)
    length = file.duration if duration is None else duration
    if not length > 0:
        raise InvalidInput(f"--duration {length} is not allowed: give a number above 0, in s")
    folder = results_folder(out, "soft-run", overwrite)
    live = file.scene
    live.dump = folder / "dump"
    recorder, film = Recorder(live, energy=energy), Film(live, folder) if every else None
    steps = max(1, round(length / live.dt))
    recorder.note()
    if film:
        film.add()
    with Progress(steps, "soft run") as bar:
        for i in range(steps):
            file.step()
            recorder.note()
            if film and (i + 1) % every == 0:
                film.add()
            bar.advance()
    table, plot = recorder.write(folder), recorder.plot(folder / "record.png")
    write_config(folder, scene=scene.name, duration=length, dt=live.dt, dofs=live.dofs, mode=live.mode)
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
    }
    last = [{"name": k, "value": v} for k, v in recorder.rows[-1].items()]
    emit(
        record,
        as_json=as_json,
        text=f"{table_text(last, digits=6)}\n\n{live.dofs} dofs, {live.tally.summary()}\ntable: {table}\nplot: {plot}",
    )
