"""Write a robot as a folder in the style of MuJoCo Menagerie, for use without Plantar."""

from __future__ import annotations

from pathlib import Path

import mujoco
import numpy as np

from plantar._files import to_json, write_config, write_text
from plantar._folders import filling
from plantar.errors import InvalidInput, PlantarError
from plantar.ground.contact.floor import CONTACT_FIELDS, check_carries
from plantar.model.assets import FOLDER, gather
from plantar.robots.export import text
from plantar.robots.robot import Robot, compiled


def export(robot: Robot, folder: str | Path, *, overwrite: bool = False) -> Path:
    """Write the model, its meshes, a scene with a floor, what mounting changed, a README and a picture.

    The file is read back and compared: it compiles to the same model, every array bit for bit.

    Args:
        robot: The robot to write.
        folder: Folder to write to; made if it does not exist.
        overwrite: Whether a folder that already holds files may be used; other files in it stay. If anything fails,
            the folder is as it was.

    Returns:
        The folder.

    Raises:
        InvalidInput: If the folder cannot be written, or holds files and `overwrite` is off.
        PlantarError: If the file that was written does not give the same model, or the scene does not carry it.
    """
    model = robot.model()
    xml, files = model_files(robot)
    texts = {
        f"{robot.name}.xml": xml,
        "scene.xml": text.scene(robot, model),
        "README.md": text.readme(robot, model),
        **text.licences(robot),
    }
    settings = {"robot": robot.name, "keyframe": robot.keyframe, "places": robot.places}
    if robot.change is not None:
        settings |= {"foot": robot.places[0].foot, "offset": robot.change.offset, "pitch": robot.change.pitch}
        texts["report.json"] = to_json(robot.change, indent=2) + "\n"
    with filling(folder, overwrite) as path:
        for name, content in files.items():
            (path / FOLDER / name).parent.mkdir(parents=True, exist_ok=True)
            (path / FOLDER / name).write_bytes(content)
        for name, content in texts.items():
            write_text(path / name, content)
        write_config(path, **settings)
        check_same(model, path / f"{robot.name}.xml")
        check_scene(robot, path / "scene.xml")
        _draw(robot, path)
    return Path(folder).expanduser()


def model_files(robot: Robot) -> tuple[str, dict[str, bytes]]:
    """The robot as MJCF that compiles to the same model, and the files it needs in `assets`."""
    spec = robot.spec.copy()
    # As compiled, numbers would be saved with six digits; as written, all of them are.
    spec.compiler.savecompiled = False
    spec.compiler.savecanonical = False
    model = robot.model()
    for body in spec.bodies:
        if body.explicitinertial and np.isnan(body.ipos).any() and body.name:
            body.ipos = model.body(body.name).ipos  # MuJoCo chose it because none was given; a file must give it
    try:
        return gather(spec, spec.to_xml(), f"robot {robot.name!r}")
    except ValueError as error:  # MuJoCo reads the files again
        raise InvalidInput(f"robot {robot.name!r} cannot be written: {' '.join(str(error).split())}") from error


def scene_spec(robot: Robot) -> mujoco.MjSpec:
    """The scene of `scene.xml`, built from the robot itself instead of from its file."""
    spec = robot.spec.copy()
    text.add_floor(spec)
    return spec


def check_scene(robot: Robot, file: Path) -> None:
    """Raise unless a scene that was written carries the robot, on a floor that is MuJoCo's own.

    Raises:
        InvalidInput: If a foot would fall through the floor.
        PlantarError: If the floor has other contact than it was given.
    """
    model, name = _read(file), text.floor_name(robot.spec)
    check_carries(model, robot.name, robot.foot_bodies(model), [name])
    floor, meant = model.geom(name), compiled(scene_spec(robot), robot.name).geom(name)
    fields = ("type", "pos", "quat", "contype", "conaffinity", *CONTACT_FIELDS)
    if differ := [f for f in fields if not np.array_equal(getattr(floor, f), getattr(meant, f))]:
        raise PlantarError(f"the floor of {file.name} is not as intended: {', '.join(differ)} differ")


def check_same(model: mujoco.MjModel, file: Path) -> None:
    """Raise unless a file compiles to `model`.

    Raises:
        PlantarError: If MuJoCo cannot read it, or an array differs; the message names it.
    """
    again = _read(file)
    # hulls of meshes that nothing touches any more are left out when a file is read; a width is only looked at
    idle = ("mesh_graph", "mesh_poly", "mesh_extrema", "tendon_width")
    differ = [n for n in different_arrays(model, again) if not n.startswith(idle)]
    if differ:
        raise PlantarError(f"{file.name} does not give the model it was written from: {', '.join(differ[:5])} differ")


def _read(file: Path) -> mujoco.MjModel:
    """The model of a file that was written here."""
    try:
        return mujoco.MjModel.from_xml_path(str(file))
    except ValueError as error:
        reason = " ".join(str(error).split())
        raise PlantarError(f"{file.name} cannot be read back by MuJoCo, nothing was written: {reason}") from error


def different_arrays(one: mujoco.MjModel, other: mujoco.MjModel) -> list[str]:
    """Names of the arrays in which two models differ, paths of files aside."""
    names = [n for n in dir(one) if not n.startswith("_") and "path" not in n]
    arrays = [n for n in names if isinstance(getattr(one, n), np.ndarray)]
    return [n for n in arrays if not np.array_equal(_used(one, n), _used(other, n), equal_nan=True)]


def _used(model: mujoco.MjModel, name: str) -> np.ndarray:
    """An array of a model, without what the engine never reads."""
    values = getattr(model, name)
    if name != "eq_data":
        return values
    # only welds use all of it; the writer leaves defaults of a weld in the others
    polynomial = np.isin(model.eq_type, (mujoco.mjtEq.mjEQ_JOINT, mujoco.mjtEq.mjEQ_TENDON))
    used = values.copy()
    used[polynomial, 5:] = 0
    return used


def _draw(robot: Robot, path: Path) -> None:
    """Draw the robot before and after, and write the report; the folder is complete without pictures."""
    from plantar.robots.export.pictures import draw  # noqa: PLC0415  (drawing is slow to import)
    from plantar.robots.export.report_page import write_page  # noqa: PLC0415

    drawn = draw(robot, path / f"{robot.name}.png")
    if robot.change is not None:
        write_page(robot, path, drawn)
