"""`plantar bench` commands that look at measured data: template, compare, sensitivity."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from plantar.cli.bench.options import Chains, FootName, GroundFile, RigSet, Set, bench_foot, make_rig, results_folder
from plantar.cli.common import Json, Out, Overwrite, Progress, emit, note, run_command, table_text

MeasuredFile = Annotated[
    Path, typer.Argument(metavar="MEASURED.csv", help="Measured trials; `plantar bench template` writes an empty one.")
]
Duration = Annotated[float, typer.Option(help="Simulated time of a trial [s].")]


@run_command
def template(
    path: Annotated[Path, typer.Argument(metavar="FILE.csv", help="File to write; an existing one is never touched.")],
    as_json: Json = False,
) -> None:
    """Write an empty CSV with the 48 trials of the paper, to be filled with measurements."""
    from plantar.bench.compare.measured import write_template  # noqa: PLC0415  (MuJoCo is loaded only when needed)

    written = write_template(path)
    emit(
        {"template": written}, as_json=as_json, text=f"{written}: fill in the empty cells, then `plantar bench compare`"
    )


@run_command
def compare(
    measured: MeasuredFile,
    foot: FootName = "softfoot",
    chains: Chains = None,
    changes: Set = None,
    rig_changes: RigSet = None,
    ground: GroundFile = None,
    duration: Duration = 5.0,
    out: Out = None,
    overwrite: Overwrite = False,
    as_json: Json = False,
) -> None:
    """Compare measured presses with simulated ones: Table I and Figures 5 to 8 of the paper, from your data."""
    from plantar._files import write_config, write_table  # noqa: PLC0415
    from plantar.bench.compare.compare import compare as compare_presses  # noqa: PLC0415
    from plantar.bench.compare.compare import in_percent  # noqa: PLC0415
    from plantar.bench.compare.measured import read_measured  # noqa: PLC0415
    from plantar.bench.compare.plots import plot_all  # noqa: PLC0415
    from plantar.show.plots import save  # noqa: PLC0415
    from plantar.show.report import Section, write_report  # noqa: PLC0415

    the_foot, rig = bench_foot(foot, chains, changes), make_rig(rig_changes, ground)
    data = read_measured(measured, the_foot.modules)
    folder = results_folder(out, "compare", overwrite)
    with Progress(len(data), "pressing") as bar:
        result = compare_presses(data, the_foot, rig=rig, duration=duration, progress=bar.advance)
    write_table(folder, "errors", result.errors)
    write_table(folder, "summary", result.summary)
    if len(result.rotations):
        write_table(folder, "rotations", result.rotations)
    write_config(folder, command="bench compare", foot=the_foot, rig=rig, measured=measured.name)
    pictures = {name: save(figure, folder / f"{name}.png") for name, figure in plot_all(result).items()}
    table = in_percent(result.summary)
    notes = [*data.notes, *result.notes]
    sections = [
        Section(title="Mean relative errors of the forces", table=table, text="\n".join(f"- {n}" for n in notes))
    ]
    titles = {name: name.replace("_", " ").replace("figure", "Figure ") for name in pictures}
    sections += [Section(title=titles[name], picture=path) for name, path in pictures.items()]
    report = write_report(folder, "Measured and simulated presses", sections)
    for line in notes:
        note(f"note: {line}")
    record = {"summary": list(result.summary), "notes": notes, "folder": folder, "report": report}
    emit(record, as_json=as_json, text=f"{table_text(table)}\n\nreport: {report}")


@run_command
def sensitivity(
    measured: Annotated[
        Path | None, typer.Argument(metavar="[MEASURED.csv]", help="With measured trials, errors are compared too.")
    ] = None,
    foot: FootName = "softfoot",
    chains: Chains = None,
    changes: Set = None,
    rig_changes: RigSet = None,
    ground: GroundFile = None,
    out: Out = None,
    overwrite: Overwrite = False,
    as_json: Json = False,
) -> None:
    """Move the supports by 4 mm and tilt the foot by 1 to 5 degrees, beside the paper's figures."""
    from plantar._files import write_config, write_table  # noqa: PLC0415
    from plantar.bench.compare.measured import read_measured  # noqa: PLC0415
    from plantar.bench.sensitivity.plots import plot_sensitivity  # noqa: PLC0415
    from plantar.bench.sensitivity.sensitivity import sensitivity as vary  # noqa: PLC0415
    from plantar.bench.sensitivity.sensitivity import workload  # noqa: PLC0415
    from plantar.show.plots import save  # noqa: PLC0415
    from plantar.show.report import Section, write_report  # noqa: PLC0415

    the_foot, rig = bench_foot(foot, chains, changes), make_rig(rig_changes, ground)
    data = read_measured(measured, the_foot.modules) if measured else None
    folder = results_folder(out, "sensitivity", overwrite)
    with Progress(workload(rig, data), "pressing") as bar:
        result = vary(the_foot, rig, data, progress=bar.advance)
    write_table(folder, "settings", result.table)
    write_table(folder, "summary", result.summary)
    write_config(folder, command="bench sensitivity", foot=the_foot, rig=rig, measured=measured and measured.name)
    picture = save(plot_sensitivity(result), folder / "sensitivity.png")
    text = "\n".join(f"- {line}" for line in result.notes)
    sections = [
        Section(title="Ranges", table=result.summary, text=text, picture=picture),
        Section(title="Every setting", table=result.table),
    ]
    report = write_report(folder, "What the unknowns of the bench do", sections)
    for line in result.notes:
        note(f"note: {line}")
    record = {"summary": list(result.summary), "notes": list(result.notes), "folder": folder, "report": report}
    emit(record, as_json=as_json, text=f"{table_text(result.summary, digits=3)}\n\nreport: {report}")
