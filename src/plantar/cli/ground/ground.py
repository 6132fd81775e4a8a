"""`plantar ground`: contact laws in SI units, identification, materials, terrains."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from plantar.cli.bench.options import numbers, results_folder
from plantar.cli.common import Json, Out, Overwrite, emit, run_command, table_text
from plantar.cli.ground.fit import fit
from plantar.cli.ground.output import summary, write_curves, write_identification
from plantar.cli.ground.terrain import terrain
from plantar.cli.ground.tracks import tracks
from plantar.errors import InvalidInput

app = typer.Typer(
    rich_markup_mode=None, no_args_is_help=True, help="Grounds: contact laws in SI units, sinkage, materials."
)

app.command("fit")(fit)
app.command("terrain")(terrain)
app.command("tracks")(tracks)

GroundFile = Annotated[
    Path | None, typer.Option("--ground", metavar="FILE", help="A ground that `plantar ground identify` wrote.")
]
Robot = Annotated[
    str, typer.Option("--robot", metavar="R", help="khr3hv, ball, box, or the path of an MJCF or URDF file.")
]
Feet = Annotated[
    str | None, typer.Option("--feet", metavar="A,B,...", help="Bodies or geoms that stand; found by name if left out.")
]
PostureKey = Annotated[
    str | None, typer.Option("--posture", metavar="KEY", help="Keyframe to stand in; stand or home if left out.")
]


@app.command()
@run_command
def identify(
    robot: Robot,
    depth: Annotated[float | None, typer.Option(help="Static sinkage [m].")] = None,
    damping_ratio: Annotated[float, typer.Option(help="Damping ratio of the solver's reference.")] = 1.0,
    material: Annotated[
        str | None, typer.Option(help="Take depth and friction from this material; see `plantar ground materials`.")
    ] = None,
    feet: Feet = None,
    posture: PostureKey = None,
    d0: Annotated[float, typer.Option(help="Impedance at the surface.")] = 0.0,
    d_width: Annotated[float, typer.Option(help="Impedance from the width on.")] = 0.95,
    midpoint: Annotated[float, typer.Option(help="Commanded depth over the width.")] = 0.5,
    power: Annotated[float, typer.Option(help="Power of the impedance.")] = 2.0,
    diagexact: Annotated[
        bool | None, typer.Option("--diagexact/--no-diagexact", help="MuJoCo's flag; as in the robot if left out.")
    ] = None,
    stand: Annotated[
        bool | None, typer.Option("--stand/--no-stand", help="Check by a simulated stand; soft feet always do.")
    ] = None,
    unaided: Annotated[
        bool, typer.Option("--unaided", help="Stand without a balancing torque, leaning at the ankles.")
    ] = False,
    out: Out = None,
    overwrite: Overwrite = False,
    as_json: Json = False,
) -> None:
    """Find solref and solimp with which a robot sinks by a depth; write them as ground.json."""
    from plantar.ground import identify as find  # noqa: PLC0415  (MuJoCo is loaded only when needed)

    names = _names(feet)
    sunk, friction = _depth_and_friction(robot, depth, material, names, posture)
    result = find(
        robot,
        sunk,
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
        **friction,
    )
    folder = results_folder(out, "ground-identify", overwrite)
    file = write_identification(result, folder, robot, names, posture, material)
    record = {**result.to_dict(), "file": file, "folder": folder}
    emit(record, as_json=as_json, text=f"{result.text()}\n\nground: {file}")


@app.command()
@run_command
def curve(
    shape: Annotated[Literal["ball", "box"], typer.Option(help="What falls.")] = "ball",
    mass: Annotated[float, typer.Option(help="Its mass [kg].")] = 1.0,
    height: Annotated[float, typer.Option(help="Free fall [m].")] = 0.01,
    depth: Annotated[
        float | None, typer.Option(help="Static sinkage that gives solref and solimp by eqs. 29-30 [m].")
    ] = None,
    damping_ratio: Annotated[float, typer.Option(help="Damping ratio for --depth.")] = 1.0,
    solref: Annotated[list[str] | None, typer.Option(metavar="A,B", help="May be given several times.")] = None,
    solimp: Annotated[str, typer.Option(metavar="A,B,C,D,E")] = "0.9,0.95,0.001,0.5,2",
    ground: GroundFile = None,
    hunt_crossley: Annotated[str | None, typer.Option(metavar="K,C[,N]", help="A Hunt-Crossley law beside it.")] = None,
    deepest: Annotated[float | None, typer.Option(help="End of the curve at rest [m].")] = None,
    duration: Annotated[float, typer.Option(help="Simulated time [s].")] = 0.5,
    timestep: Annotated[float, typer.Option(help="Time step [s].")] = 1e-4,
    out: Out = None,
    overwrite: Overwrite = False,
    as_json: Json = False,
) -> None:
    """Plot force against deformation: dropped and at rest, simulated and analytic, Hunt-Crossley beside it."""
    from plantar.ground.curve import Drop, fall_on, forward_curve, inverse_curve, law_curve  # noqa: PLC0415

    drop = Drop(shape=shape, mass=mass, height=height, duration=duration, timestep=timestep)
    grounds = _grounds(drop, depth, damping_ratio, solref, solimp, ground)
    law = _hunt_crossley(hunt_crossley)
    folder = results_folder(out, "ground-curve", overwrite)
    sunk = {name: drop.law(g).static_depth(drop.weight) for name, g in grounds.items()}
    end = deepest or 1.25 * max(sunk.values())
    forward = {name: forward_curve(drop, g) for name, g in grounds.items()}
    inverse = {name: inverse_curve(drop, g, end) for name, g in grounds.items()}
    rows = [summary(name, forward[name], inverse[name], sunk[name]) for name in grounds]
    if law is not None:
        forward["Hunt-Crossley"], inverse["Hunt-Crossley"] = fall_on(law, drop), law_curve(law, end)
        fallen = forward["Hunt-Crossley"]
        deep = float(fallen.column("depth").max()) if len(fallen) else None
        rows.append({"law": "Hunt-Crossley", "static_depth": law.static_depth(drop.weight), "deepest": deep})
    picture = write_curves(folder, drop, grounds, law, forward, inverse)
    emit({"curves": rows, "folder": folder}, as_json=as_json, text=f"{table_text(rows, digits=6)}\n\nplot: {picture}")


@app.command()
@run_command
def explain(
    model: Annotated[Path, typer.Argument(metavar="MODEL.xml")],
    geom_a: Annotated[str, typer.Argument(metavar="GEOM_A")],
    geom_b: Annotated[str, typer.Argument(metavar="GEOM_B")],
    load: Annotated[float | None, typer.Option(help="Force at rest [N]; the weight of what moves if left out.")] = None,
    contacts: Annotated[int | None, typer.Option(help="Points that share it; by shape if left out.")] = None,
    as_json: Json = False,
) -> None:
    """Say which contact parameters win between two geoms, and the stiffness, damping and depth that result."""
    import mujoco  # noqa: PLC0415

    from plantar.ground import explain as tell  # noqa: PLC0415

    if not model.is_file():
        raise InvalidInput(f"model {str(model)!r} is not there: give the path of an MJCF or URDF file")
    try:
        compiled = mujoco.MjModel.from_xml_path(str(model))
    except ValueError as error:
        raise InvalidInput(f"model {str(model)!r} cannot be read by MuJoCo: {error}") from error
    told = tell(compiled, geom_a, geom_b, load=load, contacts=contacts)
    emit(told.to_dict(), as_json=as_json, text=told.text())


@app.command()
@run_command
def materials(as_json: Json = False) -> None:
    """List grounds with published stiffness, Bekker numbers and friction, and their sources."""
    from plantar.ground import materials as known  # noqa: PLC0415

    table = known.table()
    rows = [{k: v for k, v in row.items() if k != "source"} for row in table]
    sources = "\n".join(f"{row['name']}: {row['source']}" for row in table)
    emit({"materials": list(table)}, as_json=as_json, text=f"{table_text(rows)}\n\nSI units. Sources:\n{sources}")


def _names(text: str | None) -> list[str] | None:
    return None if text is None else [name.strip() for name in text.split(",") if name.strip()]


def _depth_and_friction(
    robot: str, depth: float | None, material: str | None, feet: list[str] | None, posture: str | None
) -> tuple[float, dict[str, Any]]:
    if (depth is None) == (material is None):
        raise InvalidInput("give either --depth, in metres, or --material")
    if depth is not None:
        return depth, {}
    from plantar.ground import materials as known  # noqa: PLC0415
    from plantar.ground import sinkage  # noqa: PLC0415

    stuff = known.get(str(material))
    friction = {} if stuff.friction is None else {"friction": (stuff.friction, 0.005, 0.0001)}
    return sinkage(robot, stuff, feet=feet, posture=posture), {**friction, "name": stuff.name}


def _grounds(
    drop: Any, depth: float | None, ratio: float, solref: list[str] | None, solimp: str, file: Path | None
) -> dict[str, Any]:
    """Grounds by label, from whichever option describes them."""
    from plantar.ground import Ground, static_parameters  # noqa: PLC0415

    if sum(x is not None for x in (depth, solref, file)) > 1:
        raise InvalidInput("give only one of --depth, --solref and --ground")
    if file is not None:
        ground = Ground.load(file)
        return {ground.name: ground}
    if depth is not None:
        pair = static_parameters(depth, ratio, contacts=drop.contacts)
        return {f"{1e3 * depth:g} mm": Ground(solref=pair.solref, solimp=pair.solimp)}
    shape = _vector("--solimp", solimp, 5)
    pairs = [_vector("--solref", text, 2) for text in solref or ["0.02,1"]]
    return {f"solref {p[0]:g} {p[1]:g}": Ground(solref=p, solimp=shape) for p in pairs}


def _vector(option: str, text: str, size: int) -> Any:
    values = tuple(numbers(option, text))
    if len(values) != size:
        raise InvalidInput(f"{option} {text!r} is not allowed: give {size} numbers separated by commas")
    return values


def _hunt_crossley(text: str | None) -> Any:
    from plantar.ground import HuntCrossley  # noqa: PLC0415

    if text is None:
        return None
    values = numbers("--hunt-crossley", text)
    if len(values) not in (2, 3):
        raise InvalidInput(f"--hunt-crossley {text!r} is not allowed: give stiffness, damping and perhaps exponent")
    return HuntCrossley(stiffness=values[0], damping=values[1], exponent=values[2] if len(values) == 3 else 1.5)
