"""Where robots come from: built-in names, MuJoCo Menagerie, files and folders."""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import mujoco

from plantar._mjcf import read_by_mujoco
from plantar.errors import InvalidInput
from plantar.robots.built_in import built_in
from plantar.robots.ground import open_collision_groups, open_pairs, without_ground
from plantar.robots.load.packages import package_names, packaged
from plantar.robots.load.urdf import read_urdf

ROOT_VARIABLE = "MENAGERIE_ROOT"
"""Environment variable with the folder of a clone of MuJoCo Menagerie."""
ADVICE = f"`pip install mujoco-menagerie`, or set {ROOT_VARIABLE} to the folder of a clone"
"""How to make its names available."""
_PAIR_FIELDS = ("condim", "friction", "solref", "solreffriction", "solimp", "margin", "gap")


@dataclass(frozen=True, kw_only=True)
class Source:
    """A robot as it was read."""

    name: str
    """Its name."""
    spec: mujoco.MjSpec
    """The robot, without ground."""
    path: Path | None
    """File it came from."""


def read(robot: str | Path | mujoco.MjSpec, *, ground: bool = False, also: Sequence[str] = ()) -> Source:
    """The spec of a robot.

    Args:
        robot: Built-in or Menagerie name, path, or spec, which is copied.
        ground: Whether to keep the ground in a file.
        also: Other names that the caller knows, for the message.

    Raises:
        InvalidInput: If there is no such robot, or MuJoCo cannot read it.
    """
    if not isinstance(robot, str | Path):
        spec = robot.copy()
        return Source(name=_file_name(robot.modelname), spec=_ready(spec, ground), path=None)
    if str(robot) in built_in.ROBOTS:
        return Source(name=str(robot), spec=built_in.ROBOTS[str(robot)](), path=None)
    path = find_file(robot, also)
    named = not Path(robot).expanduser().is_file() and len(Path(robot).parts) == 1
    spec = read_file(path)
    _borrow(spec, path)
    return Source(
        name=_file_name(str(robot) if named else _name_of(path)),
        spec=_ready(spec, ground),
        path=path,
    )


def _ready(spec: mujoco.MjSpec, ground: bool) -> mujoco.MjSpec:
    """The spec with or without its ground, and with something that ground can touch."""
    spec = spec if ground else without_ground(spec)
    open_collision_groups(spec)
    return spec


def read_file(path: Path) -> mujoco.MjSpec:
    """The spec in an MJCF or URDF file.

    Raises:
        InvalidInput: If MuJoCo cannot read the file.
    """
    with read_by_mujoco(path, "robot file"):
        return read_urdf(path) if _is_urdf(path) else mujoco.MjSpec.from_file(str(path))


def _borrow(spec: mujoco.MjSpec, path: Path) -> None:
    """Take from a scene beside a robot's file its contact pairs, and its keyframes if the robot has none.

    The scene must include the file and add nothing that moves.
    """
    for scene in sorted(path.parent.glob("scene*.xml")):
        text = _text(scene)
        if scene == path or f'file="{path.name}"' not in text or not ("<key" in text or "<pair" in text):
            continue
        try:
            whole = mujoco.MjSpec.from_file(str(scene))
            model, alone = whole.compile(), spec.copy().compile()
        except ValueError:
            continue  # a scene that cannot be read takes nothing from the robot
        if (model.nq, model.nu, model.nmocap) != (alone.nq, alone.nu, alone.nmocap):
            continue
        if not spec.keys:
            _add_keyframes(spec, model)
        _add_pairs(spec, whole)
        return


def _add_keyframes(spec: mujoco.MjSpec, model: mujoco.MjModel) -> None:
    for k in range(model.nkey):
        key = spec.add_key(name=model.key(k).name, time=float(model.key_time[k]), qpos=model.key_qpos[k].tolist())
        key.qvel, key.act, key.ctrl = (a[k].tolist() for a in (model.key_qvel, model.key_act, model.key_ctrl))


def _add_pairs(spec: mujoco.MjSpec, scene: mujoco.MjSpec) -> None:
    """Add the pairs of a scene; geoms that touch only its ground through them touch any ground."""
    open_pairs(scene)
    for geom in spec.geoms:
        if geom.name and not (geom.contype or geom.conaffinity):
            opened = scene.geom(geom.name)
            geom.contype, geom.conaffinity = opened.contype, opened.conaffinity
            geom.condim, geom.friction = opened.condim, opened.friction
    there = {frozenset((p.geomname1, p.geomname2)) for p in spec.pairs}
    for pair in (p for p in scene.pairs if frozenset((p.geomname1, p.geomname2)) not in there):
        fields = {name: getattr(pair, name) for name in _PAIR_FIELDS}
        spec.add_pair(geomname1=pair.geomname1, geomname2=pair.geomname2, **fields)


def find_file(robot: str | Path, also: Sequence[str] = ()) -> Path:
    """The file of a robot given by path, folder or Menagerie name.

    Raises:
        InvalidInput: If there is none; the message lists those available.
    """
    path = Path(robot).expanduser()
    if path.is_file():
        return path.resolve()
    for folder in (path, *(root / path for root in menagerie_roots())):
        if folder.is_dir():
            return _robot_in(folder.resolve())
        file = folder.with_name(f"{folder.name}.xml") if folder.name else folder
        if file.is_file():
            return file.resolve()
    given = packaged(str(robot).split("/", maxsplit=1)[0])
    if given is not None:
        return _in_package(given, str(robot))
    known = [*also, *built_in.ROBOTS, *menagerie_names()]
    close = difflib.get_close_matches(str(robot), known, n=1)
    hint = f" (did you mean {close[0]!r}?)" if close else ""
    where = "" if menagerie_names() else f"; for MuJoCo Menagerie names {ADVICE}"
    raise InvalidInput(
        f"robot {str(robot)!r} is not known{hint}: give {', '.join(known)}, or the path of an MJCF or URDF file{where}"
    )


def menagerie_roots() -> list[Path]:
    """Folders that hold robots of MuJoCo Menagerie, by the environment variable."""
    roots = [Path(os.environ[ROOT_VARIABLE]).expanduser()] if os.environ.get(ROOT_VARIABLE) else []
    return [root for root in roots if root.is_dir()]


def menagerie_names() -> list[str]:
    """Robots of MuJoCo Menagerie that are on this machine, or that its package can fetch."""
    names = {f.name for root in menagerie_roots() for f in root.iterdir() if f.is_dir() and any(f.glob("*.xml"))}
    return sorted(names | set(package_names()))


def _in_package(given: Path, robot: str) -> Path:
    """The robot's file in what a package gave; `pal_talos/talos_position` names one of several."""
    one = given.parent / f"{robot}.xml" if "/" in robot else given
    if not one.exists():
        raise InvalidInput(f"robot {robot!r} is not known: {given} has no {one.name}")
    return (_robot_in(one) if one.is_dir() else one).resolve()


def _robot_in(folder: Path) -> Path:
    """The robot's file in a folder: not a scene, with actuators if any has, of the shortest name."""
    files = [f for f in sorted((*folder.glob("*.xml"), *folder.glob("*.urdf"))) if _describes_robot(f)]
    if not files:
        raise InvalidInput(f"folder {str(folder)!r} holds no robot: give a folder with an MJCF or URDF file")
    return min(files, key=lambda f: (f.name.startswith("scene"), "<actuator" not in _text(f), len(f.name), f.name))


def _describes_robot(file: Path) -> bool:
    return any(tag in _text(file) for tag in ("<worldbody", "<include", "<robot"))


def _text(file: Path) -> str:
    return file.read_text(encoding="utf-8", errors="replace")


def _is_urdf(path: Path) -> bool:
    return path.suffix.lower() == ".urdf" or "<robot" in _text(path)[:5000]


def _name_of(path: Path) -> str:
    return path.parent.name if path.stem.startswith("scene") or path.stem == "robot" else path.stem


def _file_name(name: str) -> str:
    """A name that a file can have, and that no other file of an exported folder has."""
    clean = re.sub(r"[^\w.-]+", "_", name).strip("._")
    return "robot" if clean in ("", "scene", "before") else clean
