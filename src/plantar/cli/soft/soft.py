"""`plantar soft`: soft bodies by finite elements."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from plantar.cli.bench.options import results_folder
from plantar.cli.common import FAILED, Json, Out, Overwrite, Progress, emit, note, run_command, table_text
from plantar.cli.soft import robots as soft_robots
from plantar.errors import InvalidInput

app = typer.Typer(
    rich_markup_mode=None,
    no_args_is_help=True,
    help="Soft bodies: finite elements, cables, pressure, contact, inverse.",
)

Backend = Annotated[
    Literal["auto", "pardiso", "eigen", "qdldl", "superlu"], typer.Option("--backend", help="Sparse library.")
]


@app.command()
@run_command
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
    from plantar._files import write_config  # noqa: PLC0415
    from plantar.soft.record import Film, Recorder  # noqa: PLC0415  (numba is loaded only when needed)
    from plantar.soft.scene_file import load_scene  # noqa: PLC0415

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
        "end": recorder.rows[-1],
        "table": table,
        "plot": plot,
        "folder": folder,
    }
    last = [{"name": k, "value": v} for k, v in recorder.rows[-1].items()]
    emit(
        record,
        as_json=as_json,
        text=f"{table_text(last, digits=6)}\n\n{live.dofs} dofs, {steps} steps\ntable: {table}\nplot: {plot}",
    )


@app.command()
@run_command
def compare(
    files: Annotated[list[Path], typer.Argument(metavar="FILE.json...", help="Files in the reference layout.")],
    tolerance: Annotated[float, typer.Option(help="Largest difference as a share of a state's displacement.")] = 1e-3,
    rotation: Annotated[
        Literal["file", "polar", "edge", "edge_polar"],
        typer.Option(help="Rotation of corotational elements: that of the file, or polar for the textbook element."),
    ] = "file",
    backend: Backend = "auto",
    out: Out = None,
    overwrite: Overwrite = False,
    as_json: Json = False,
) -> None:
    """Run every state of reference files and print the largest difference of each; exit 1 above the tolerance."""
    from plantar._files import write_config, write_table  # noqa: PLC0415
    from plantar.soft.compare import compare as against  # noqa: PLC0415
    from plantar.soft.reference import read_reference  # noqa: PLC0415

    if not tolerance > 0:
        raise InvalidInput(f"--tolerance {tolerance} is not allowed: give a number above 0")
    total = sum(len(read_reference(file)) for file in files)
    folder = None if out is None else results_folder(out, "soft-compare", overwrite)
    rows: list[dict[str, Any]] = []
    with Progress(total, "soft compare") as bar:
        for file in files:
            found = against(
                file, rotation=None if rotation == "file" else rotation, backend=backend, progress=bar.advance
            )
            rows += [_row(file, d, tolerance) for d in found]
    if folder:
        write_table(folder, "differences", rows)
        write_config(folder, files=[f.name for f in files], tolerance=tolerance, rotation=rotation)
    run_ = [r for r in rows if r["difference"] is not None]
    worst = max((r["difference"] for r in run_), default=None)
    ok = all(r["verdict"] in ("agrees", "not run") for r in rows) and bool(run_)
    record = {"ok": ok, "worst": worst, "tolerance": tolerance, "compared": len(run_), "states": rows}
    text = f"{table_text(rows)}\n\n{len(run_)} of {len(rows)} states compared; largest difference {worst or 0:.3g}"
    emit(record, as_json=as_json, text=text)
    if not ok:
        bad = sum(r["verdict"] in ("differs", "failed") for r in rows)
        note(f"{bad} above the tolerance {tolerance:g} or failed" if bad else "no state could be compared")
        raise typer.Exit(FAILED)


def _row(file: Path, difference: Any, tolerance: float) -> dict[str, Any]:
    verdict = "agrees" if difference.ok(tolerance) else "failed" if difference.failed else "differs"
    if difference.difference is None and not difference.failed:
        verdict = "not run"
    return {
        "file": file.stem,
        "state": difference.label,
        "command": difference.command,
        "displacement": difference.displacement,
        "difference": difference.difference,
        "verdict": verdict,
        "compared": difference.compared + (" (path dependent)" if difference.indicative else ""),
        "linearisations": difference.steps,
    }


soft_robots.register(app)
