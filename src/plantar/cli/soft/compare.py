"""`plantar soft compare`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from plantar._files import write_config, write_table
from plantar.cli.common import FAILED, Json, OutTables, Overwrite, Progress, emit, fail, results_folder, table_text
from plantar.cli.show_options import report_on
from plantar.errors import InvalidInput
from plantar.show.report import Section
from plantar.soft.reference.compare import Difference
from plantar.soft.reference.compare import compare as against
from plantar.soft.reference.reference import read_reference

Backend = Annotated[
    Literal["auto", "pardiso", "eigen", "qdldl", "superlu"], typer.Option("--backend", help="Sparse library.")
]


def compare(
    files: Annotated[list[Path], typer.Argument(metavar="FILE.json", help="Files in the reference layout.")],
    tolerance: Annotated[
        float, typer.Option(help="Largest allowed difference, as a fraction of a state's displacement.")
    ] = 1e-3,
    rotation: Annotated[
        Literal["file", "polar", "edge", "edge_polar"],
        typer.Option(help="Rotation of corotational elements: as in the file, or polar for the textbook element."),
    ] = "file",
    backend: Backend = "auto",
    out: OutTables = None,
    overwrite: Overwrite = False,
    as_json: Json = False,
) -> None:
    """Run every state of the reference files and print the largest difference of each; exit 1 above the tolerance."""
    if not tolerance > 0:
        raise InvalidInput(f"--tolerance {tolerance} is not allowed: give a number above 0")
    total = sum(len(read_reference(file)) for file in files)
    folder = results_folder(out, "soft-compare", overwrite)
    rows: list[dict[str, Any]] = []
    with Progress(total, "soft compare") as bar:
        for file in files:
            found = against(
                file, rotation=None if rotation == "file" else rotation, backend=backend, progress=bar.advance
            )
            rows += [_row(file, d, tolerance) for d in found]
    write_table(folder, "differences", rows)
    write_config(folder, files=[f.name for f in files], tolerance=tolerance, rotation=rotation)
    run_ = [r for r in rows if r["difference"] is not None]
    worst = max((r["difference"] for r in run_), default=None)
    ok = all(r["verdict"] in ("agrees", "not run") for r in rows) and bool(run_)
    words = (
        f"whether {', '.join(f.stem for f in files)} give the same results here as in the reference.",
        f"{len(run_)} of {len(rows)} states were compared; the largest difference is {worst or 0:.3g} "
        "of the displacement.",
        f"{tolerance:g} is allowed; states marked as path dependent are indicative only.",
    )
    report = report_on(folder, "Soft bodies beside a reference", words, [Section(title="States", table=rows)])
    record = {"ok": ok, "worst": worst, "tolerance": tolerance, "compared": len(run_), "states": rows, "report": report}
    text = f"{table_text(rows)}\n\n{len(run_)} of {len(rows)} states compared; largest difference {worst or 0:.3g}"
    emit(record, as_json=as_json, text=text)
    if not ok:
        bad = sum(r["verdict"] in ("differs", "failed") for r in rows)
        fail(f"{bad} above the tolerance {tolerance:g} or failed" if bad else "no state could be compared", FAILED)


def _row(file: Path, difference: Difference, tolerance: float) -> dict[str, Any]:
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
