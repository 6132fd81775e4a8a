"""`plantar ground identify`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from plantar import robots
from plantar._files import write_config, write_table
from plantar.cli.common import Json, Out, Overwrite, emit, results_folder
from plantar.cli.foot_options import NAMING, Set, read_foot
from plantar.cli.ground.options import Soles, sole_names
from plantar.cli.show_options import report_on
from plantar.errors import InvalidInput
from plantar.ground import Identification, materials, sinkage
from plantar.ground import identify as find
from plantar.identify.curve import robot_curve
from plantar.identify.curve_plots import plot_robot
from plantar.show.plots import save
from plantar.show.report import Section
from plantar.table import Table


def identify(
    robot: Annotated[
        str, typer.Option("--robot", metavar="R", help="ball, box, a robot's name, or an MJCF or URDF file.")
    ],
    foot: Annotated[
        str | None, typer.Option("--foot", metavar="FOOT", help=f"Put these feet on it: {NAMING}; - reads stdin.")
    ] = None,
    changes: Set = None,
    depth: Annotated[float | None, typer.Option(help="Static sinkage [m].")] = None,
    damping_ratio: Annotated[float, typer.Option(help="Damping ratio of the solver's reference.")] = 1.0,
    material: Annotated[
        str | None, typer.Option(help="Take depth and friction from this material (see `plantar ground materials`).")
    ] = None,
    soles: Soles = None,
    posture: Annotated[
        str | None, typer.Option("--posture", metavar="KEY", help="Keyframe to stand in; stand or home if left out.")
    ] = None,
    d0: Annotated[float, typer.Option(help="Impedance at the surface.")] = 0.0,
    d_width: Annotated[float, typer.Option(help="Impedance beyond the width.")] = 0.95,
    midpoint: Annotated[float, typer.Option(help="Commanded depth over the width.")] = 0.5,
    power: Annotated[float, typer.Option(help="Power of the impedance.")] = 2.0,
    diagexact: Annotated[
        bool | None, typer.Option("--diagexact/--no-diagexact", help="MuJoCo's flag; that of the robot if left out.")
    ] = None,
    stand: Annotated[
        bool | None,
        typer.Option("--stand/--no-stand", help="Check by simulating a standing robot; always done for soft feet."),
    ] = None,
    unaided: Annotated[
        bool, typer.Option("--unaided", help="Stand without a balancing torque, leaning at the ankles.")
    ] = False,
    out: Out = None,
    overwrite: Overwrite = False,
    as_json: Json = False,
) -> None:
    """Find the solref and solimp with which a robot sinks to a given depth; write them as ground.json."""
    if (depth is None) == (material is None):
        raise InvalidInput("give either --depth, in metres, or --material")
    if foot is None and changes:
        raise InvalidInput(f"--set {changes[0]!r} is not allowed without --foot: give a foot that has fields")
    worn = None if foot is None else read_foot(foot, changes)
    standing = robot if worn is None else robots.mount(robot, worn)
    names = sole_names(soles)
    more: dict[str, Any] = {}
    if material is not None:
        stuff = materials.get(material)
        depth = sinkage(standing, stuff, feet=names, posture=posture)
        more = {"name": stuff.name}
        if stuff.friction is not None:
            more["friction"] = (stuff.friction, 0.005, 0.0001)
    assert depth is not None
    result = find(
        standing,
        depth,
        damping_ratio,
        feet=names,
        posture=posture,
        d0=d0,
        d_width=d_width,
        midpoint=midpoint,
        power=power,
        diagexact=diagexact,
        stands=stand,
        unaided=unaided,
        **more,
    )
    folder = results_folder(out, "ground-identify", overwrite)
    swept = robot_curve(standing, result.ground, feet=names, posture=posture, deepest=1.5 * result.depth)
    settings = {"robot": Path(robot).name, "foot": worn, "posture": posture, "material": material}
    file, report = _write(result, swept, folder, settings)
    record = {**result.to_dict(), "foot": worn, "file": file, "folder": folder, "report": report}
    emit(record, as_json=as_json, text=f"{result.text()}\n\nground: {file}\nreport: {report}")


def _write(result: Identification, swept: Table, folder: Path, settings: dict[str, Any]) -> tuple[Path, Path]:
    """Write ground.json, contacts, curve, plot, settings and report; return the paths of the ground and the report."""
    write_table(folder, "contacts", result.contacts)
    write_table(folder, "curve", swept)
    title = f"{result.robot} on the ground that was found for it"
    picture = save(plot_robot(swept, weight=result.weight, depth=result.depth, title=title), folder / "curve.png")
    write_config(folder, command="ground identify", **settings, feet=result.feet, result=result.to_dict())
    words = (
        f"a ground into which the standing {result.robot} sinks by {1e3 * result.depth:.4g} mm.",
        f"solref {' '.join(f'{v:.5g}' for v in result.ground.solref)}, solimp "
        f"{' '.join(f'{v:.5g}' for v in result.ground.solimp)}.",
        "the curve is MuJoCo's inverse dynamics of the standing robot; the ground is for this robot, posture and feet.",
    )
    lines = "\n".join(f"- {line}" for line in result.text().splitlines() if line.strip())
    sections = [
        Section(title="Force over depth", text=lines, picture=picture),
        Section(title="Contacts", table=result.contacts),
    ]
    return result.ground.save(folder / "ground.json"), report_on(folder, title, words, sections)
