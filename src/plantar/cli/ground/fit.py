"""`plantar ground fit`: contact laws from measured forces, contact parameters from recorded motions."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Any

import typer

from plantar._files import write_config, write_table
from plantar.cli.common import Json, Out, Overwrite, Progress, Seed, emit, numbers, results_folder, table_text, words
from plantar.cli.ground.options import Soles, sole_names
from plantar.cli.show_options import report_on
from plantar.errors import InvalidInput
from plantar.ground.fit.motion_fit import evaluations, fit_motions
from plantar.ground.fit.motion_plots import plot_motion_fit
from plantar.ground.fit.motion_result import MotionFit
from plantar.ground.fit.motions import Motions
from plantar.ground.fit.press_data import read_press
from plantar.ground.fit.press_fit import FitResult
from plantar.ground.fit.press_fit import fit as fit_laws
from plantar.ground.fit.press_plots import plot_fit
from plantar.identify.contact_inertia import contact_inertia
from plantar.show.plots import save
from plantar.show.report import Section

SHARES: dict[str, str] = dict.fromkeys(("held_out", "error"), "share")
"""Columns of the laws that are shares of the largest force."""


def fit(
    data: Annotated[
        Path | None, typer.Argument(metavar="DATA.csv", help="Columns depth, force and optionally speed; SI units.")
    ] = None,
    law: Annotated[str, typer.Option(help="mujoco, linear, hunt_crossley, bekker, or auto.")] = "auto",
    robot: Annotated[
        str | None, typer.Option(metavar="R", help="Robot whose foot the ground is for, as in `identify`.")
    ] = None,
    soles: Soles = None,
    effective_mass: Annotated[
        float | None, typer.Option(help="Effective mass of one contact, 1 / efc_diagA [kg], instead of a robot.")
    ] = None,
    contacts: Annotated[int | None, typer.Option(min=1, help="Number of contacts that shared the force.")] = None,
    plate: Annotated[
        str | None, typer.Option(metavar="WIDTH,AREA", help="Plate of the test, for Bekker's law [m, m^2].")
    ] = None,
    free: Annotated[
        str | None,
        typer.Option(metavar="A,B,...", help="Parameters of solimp to fit: width,d0,d_width,midpoint,power."),
    ] = None,
    damping_ratio: Annotated[
        float, typer.Option(help="Damping ratio of the ground, if the data have no speeds.")
    ] = 1.0,
    motion: Annotated[
        Path | None, typer.Option(metavar="FILE.npz", help="Recorded motions of a free body to fit to instead.")
    ] = None,
    body: Annotated[
        Path | None, typer.Option(metavar="BODY.xml", help="Model of the body, if it is not a box or sphere.")
    ] = None,
    friction: Annotated[
        float, typer.Option(min=1e-3, help="Approximate sliding friction; the search stays within a factor of 2.")
    ] = 0.18,
    folds: Annotated[int, typer.Option(min=3, help="Number of parts for cross-validation.")] = 5,
    generations: Annotated[
        int, typer.Option(min=0, help="Generations of each search, starting from the default.")
    ] = 10,
    substeps: Annotated[int, typer.Option(min=1, help="Time steps between two rows of a motion.")] = 2,
    threads: Annotated[int, typer.Option(min=0, help="Threads; 0 takes all cores.")] = 0,
    seed: Seed = 0,
    out: Out = None,
    overwrite: Overwrite = False,
    as_json: Json = False,
) -> None:
    """Find a ground's parameters from measured forces or recorded motions; write them as ground.json."""
    if (data is None) == (motion is None):
        raise InvalidInput("give either DATA.csv with forces, or --motion FILE.npz")
    if motion is not None:
        settings = {
            "folds": folds,
            "generations": generations,
            "substeps": substeps,
            "friction": friction,
            "seed": seed,
        }
        _motion(motion, body, settings, threads, results=(out, overwrite), as_json=as_json)
        return
    assert data is not None
    settings = {"law": law, "damping_ratio": damping_ratio, **_plate(plate)}
    settings["free"] = None if free is None else words(free)
    inertia = _inertia(robot, soles, effective_mass, contacts)
    _forces(data, settings, inertia, results=(out, overwrite), as_json=as_json)


def _forces(
    path: Path,
    settings: dict[str, Any],
    inertia: dict[str, Any],
    *,
    results: tuple[Path | None, bool],
    as_json: bool,
) -> None:
    samples = read_press(path)
    result = fit_laws(samples, **settings, **inertia, name=path.stem)
    folder = results_folder(results[0], "ground-fit", results[1])
    file, picture = _write_forces(result, folder, path, settings, inertia)
    best, real = result.best, result.realisation
    said = (
        f"a law for the forces in {path.name}, and solver parameters that reproduce it.",
        f"{best.name}; MuJoCo follows it with an error of {real.rms_error:.2%} rms over the range.",
        f"noise is {best.noise[0]:.3g} N and {best.noise[1]:.2%} of the force, {best.outliers} outliers; 95 % "
        f"intervals hold for all parameters jointly. {' '.join(best.advice)}",
    )
    sections = [
        Section(title="Laws", picture=picture, table=result.table(), units=SHARES),
        Section(title=f"Parameters of {best.name}", table=best.parameters),
    ]
    report = report_on(folder, f"Force laws fitted to {path.name}", said, sections)
    parts = [
        table_text(result.table(), units=SHARES),
        f"{best.name}, joint 95 % intervals of all parameters:\n{table_text(best.parameters, digits=5)}",
        f"noise {best.noise[0]:.3g} N and {best.noise[1]:.2%} of the force, {best.outliers} outliers",
        f"MuJoCo follows it with an error of {real.rms_error:.2%} rms, {real.worst_error:.2%} at most, over the range",
        *(f"- {line}" for line in best.advice),
        f"for contacts of {inertia['effective_mass']:.4g} kg, {inertia['contacts']} sharing the force; ground: {file}",
        f"report: {report}",
    ]
    emit(
        {**result.to_dict(), "file": file, "folder": folder, "report": report}, as_json=as_json, text="\n\n".join(parts)
    )


def _write_forces(
    result: FitResult, folder: Path, path: Path, settings: dict[str, Any], inertia: dict[str, Any]
) -> tuple[Path, Path]:
    write_table(folder, "laws", result.table())
    rows = [{"law": fit.name, **row} for fit in result.fits for row in fit.parameters]
    write_table(folder, "parameters", rows)
    write_table(folder, "realisation", result.realisation.card())
    picture = save(plot_fit(result, title=f"Force laws fitted to {path.name}"), folder / "fit.png")
    write_config(folder, command="ground fit", data=path.name, **settings, **inertia, result=result.to_dict())
    return result.ground.save(folder / "ground.json"), picture


def _plate(text: str | None) -> dict[str, float]:
    if text is None:
        return {}
    sides = numbers("--plate", text)
    if len(sides) != 2 or min(sides) <= 0:
        raise InvalidInput(f"--plate {text!r} is not allowed: give width [m] and area [m^2], as in 0.05,0.005")
    return {"width": sides[0], "area": sides[1]}


def _inertia(
    robot: str | None, soles: str | None, effective_mass: float | None, contacts: int | None
) -> dict[str, Any]:
    """Effective mass of a contact and the number of contacts that share the force of one foot."""
    if robot is None:
        return {"effective_mass": 1.0 if effective_mass is None else effective_mass, "contacts": contacts or 1}
    if effective_mass is not None:
        raise InvalidInput("give either --robot or --effective-mass")
    mass, count = contact_inertia(robot, sole_names(soles))
    return {"effective_mass": mass, "contacts": contacts or count}


def _motion(
    path: Path,
    body: Path | None,
    settings: dict[str, Any],
    threads: int,
    *,
    results: tuple[Path | None, bool],
    as_json: bool,
) -> None:
    motions = Motions.load(path, body)
    folder = results_folder(results[0], "ground-fit-motion", results[1])
    with Progress(evaluations(settings["folds"], settings["generations"]), "fit") as bar:
        result = fit_motions(motions, **settings, threads=threads or os.cpu_count() or 1, progress=bar.advance)
    file, report = _write_motion(result, folder, path, settings)
    text = f"{result.text()}\n\nground: {file}\nreport: {report}"
    emit({**result.to_dict(), "file": file, "folder": folder, "report": report}, as_json=as_json, text=text)


def _write_motion(result: MotionFit, folder: Path, path: Path, settings: dict[str, Any]) -> tuple[Path, Path]:
    write_table(folder, "motions", result.motions)
    write_table(folder, "errors", result.table())
    write_table(folder, "parameters", result.parameters)
    picture = save(plot_motion_fit(result, title=f"Contact fitted to {path.name}"), folder / "fit.png")
    seed = settings["seed"]
    rest = {k: v for k, v in settings.items() if k != "seed"}
    write_config(folder, seed=seed, command="ground fit --motion", data=path.name, **rest, result=result.to_dict())
    said = (
        f"contact parameters with which MuJoCo reproduces the motions in {path.name}.",
        result.text().strip().splitlines()[0] + ".",
        f"evaluated on held-out motions, in {settings['folds']} parts; intervals are 95 %.",
    )
    sections = [
        Section(title="Errors", picture=picture, table=result.table()),
        Section(title="Parameters", table=result.parameters),
    ]
    report = report_on(folder, f"Contact fitted to {path.name}", said, sections)
    return result.ground.save(folder / "ground.json"), report
