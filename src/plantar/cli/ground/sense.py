"""`plantar ground sense`: the ground as sensed by a robot's own feet."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from plantar._files import write_config, write_table
from plantar.cli.common import Json, Out, Overwrite, Seed, emit, results_folder, table_text
from plantar.cli.ground.options import GroundFile
from plantar.cli.show_options import report_on
from plantar.errors import InvalidInput
from plantar.ground.soil.fit_plots import plot_sensed
from plantar.ground.soil.sense import COLUMNS, FootLog
from plantar.ground.soil.sense import sense as sense_log
from plantar.ground.soil.stepping import APART, Stepping
from plantar.ground.soil.yielding import YieldingGround, load_ground
from plantar.show.plots import save
from plantar.show.report import Section


def sense(
    log: Annotated[
        Path | None,
        typer.Argument(
            metavar="LOG", help="CSV or NPZ with step, depth, speed, force; steps are simulated if left out."
        ),
    ] = None,
    sole: Annotated[str, typer.Option(metavar="LENGTH,WIDTH", help="Size of the sole [m].")] = "0.1,0.06",
    stiffness: Annotated[bool, typer.Option("--foot-stiffness", help="Also find the foot's stiffness.")] = False,
    material: Annotated[str | None, typer.Option(help="Soil to simulate; testbed_sand if left out.")] = None,
    ground: GroundFile = None,
    steps: Annotated[int, typer.Option(min=1, help="Steps to simulate.")] = 10,
    load: Annotated[float, typer.Option(help="Largest force of a simulated step [N].")] = 60.0,
    noise: Annotated[float, typer.Option(min=0, help="Relative noise of simulated readings.")] = 0.02,
    spring: Annotated[float, typer.Option(help="Stiffness of the simulated foot, with --foot-stiffness [N/m].")] = 15e3,
    seed: Seed = 0,
    out: Out = None,
    overwrite: Overwrite = False,
    as_json: Json = False,
) -> None:
    """Find the law of the ground and the foot's stiffness from forces and motions of ordinary steps."""
    length, width = _sole(sole)
    truth: dict[str, float] = {}
    if log is None:
        soft = {"stiffness": spring} if stiffness else {}
        plan = Stepping(steps=steps, load=load, noise=noise, length=length, width=width, **soft)
        seen = plan.walk(_ground(material, ground, steps), seed)
    else:
        # equivalent diameter of a rectangle from its moments, as the ground computes it
        wide = 4.41 * length * width / (2 * (length + width))
        seen = FootLog.load(log, area=length * width, diameter=wide)
    found = sense_log(seen, stiffness=stiffness)
    if log is None:
        soil = _ground(material, ground, steps)
        truth = {"pressure": float(soil.law(area=1.0, diameter=seen.diameter).force(found.depth)), "n": soil.n}
        truth |= {"foot_stiffness": spring} if stiffness else {}
    folder = results_folder(out, "ground-sense", overwrite)
    write_table(folder, "parameters", found.parameters)
    rows = zip(*(getattr(seen, name) for name in COLUMNS), strict=True)
    write_table(folder, "log", [dict(zip(COLUMNS, map(float, row), strict=True)) for row in rows])
    picture = save(plot_sensed(seen, found, title="Ground sensed by a foot"), folder / "sense.png")
    write_config(folder, seed=seed, command="ground sense", sole=[length, width], result=found.to_dict(), truth=truth)
    file = found.ground.save(folder / "ground.json")
    words = (
        f"the law of the ground, sensed by a foot over {found.steps} steps"
        + (" of a simulation." if log is None else "."),
        ", ".join(f"{row['parameter']} {row['value']:.4g}" for row in found.parameters) + ".",
        f"joint 95 % intervals from {found.samples} samples with a noise of {found.noise:.1%}. "
        + (f"It was simulated with {', '.join(f'{k} {v:.4g}' for k, v in truth.items())}." if truth else ""),
    )
    sections = [Section(title="Force over depth", picture=picture, table=found.parameters)]
    report = report_on(folder, "Ground sensed by a foot", words, sections)
    parts = [
        f"{found.steps} steps, {found.samples} samples, noise {found.noise:.1%}; joint 95 % intervals:",
        table_text(found.parameters, digits=4),
        *([f"simulated with: {', '.join(f'{k} {v:.4g}' for k, v in truth.items())}"] if truth else []),
        "\n".join(f"- {note}" for note in found.notes),
        f"ground: {file}\nreport: {report}",
    ]
    record = {**found.to_dict(), "truth": truth, "file": file, "folder": folder, "report": report}
    emit(record, as_json=as_json, text="\n\n".join(parts))


def _sole(text: str) -> tuple[float, float]:
    try:
        length, width = (float(part) for part in text.split(","))
    except ValueError:
        length = width = -1.0
    if min(length, width) <= 0:
        raise InvalidInput(f"--sole {text!r} is not allowed: give length and width [m], as in 0.1,0.06")
    return length, width


def _ground(material: str | None, file: Path | None, steps: int) -> YieldingGround:
    if file is not None and material is not None:
        raise InvalidInput("give either --material or --ground")
    if file is None:
        where = {"origin": (-0.2, -0.2), "size": (APART * steps + 0.4, 0.4), "cell": 0.01}
        return YieldingGround.of(material or "testbed_sand", **where)
    made = load_ground(file)
    if not isinstance(made, YieldingGround):
        raise InvalidInput(f"ground {str(file)!r} does not yield: give one that `plantar ground fit-soil` wrote")
    return made
