"""Files that a model needs beside its XML."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path, PurePosixPath

import mujoco

from plantar.errors import InvalidInput

FOLDER = "assets"
"""Folder of the files, beside the XML."""
_MESHES, _TEXTURES = ("mesh", "hfield", "skin"), ("texture",)
_SIDES = ("file", "fileright", "fileleft", "fileup", "filedown", "filefront", "fileback")


def gather(spec: mujoco.MjSpec, xml: str, what: str) -> tuple[str, dict[str, bytes]]:
    """The XML of a spec with its files in `assets`, and those files by their names there.

    Args:
        spec: The spec, which knows where its files are.
        xml: What `spec.to_xml()` wrote.
        what: What to call the model in messages.

    Raises:
        InvalidInput: If a file is missing.
    """
    tree = ET.fromstring(xml)
    files: dict[str, bytes] = {}
    for tags, folder in ((_MESHES, spec.compiler.meshdir), (_TEXTURES, spec.compiler.texturedir)):
        for element in (e for tag in tags for e in tree.iterfind(f".//asset/{tag}")):
            _move(spec, element, folder, files, what)
    if not files:
        return xml, files
    compiler = tree.find("compiler")
    compiler = ET.SubElement(tree, "compiler") if compiler is None else compiler
    for old in ("assetdir", "strippath"):
        compiler.attrib.pop(old, None)
    compiler.set("meshdir", FOLDER)
    compiler.set("texturedir", FOLDER)
    return ET.tostring(tree, encoding="unicode") + "\n", files


def _move(spec: mujoco.MjSpec, element: ET.Element, folder: str, files: dict[str, bytes], what: str) -> None:
    """Point an element to copies of its files."""
    for side in _SIDES:
        name = element.get(side)
        if not name:
            continue
        content = _read(spec, folder, name, what)
        kept = _kept_name(name, content, files)
        files[kept] = content
        if side == "file" and not element.get("name"):
            element.set("name", Path(name).stem)  # MuJoCo names it so
        element.set(side, kept)


def _read(spec: mujoco.MjSpec, folder: str, name: str, what: str) -> bytes:
    for key in (name, str(PurePosixPath(folder) / name), Path(name).name):
        if key in spec.assets:
            return spec.assets[key]
    home = Path(spec.modelfiledir)
    for file in (home / folder / name, home / name, home / folder / Path(name).name, Path(name)):
        if file.is_file():
            return file.read_bytes()
    raise InvalidInput(f"file {name!r} of {what} does not exist: load or build it from where its files are")


def _kept_name(name: str, content: bytes, files: dict[str, bytes]) -> str:
    """A path below `assets`: the same as below its folder, or the bare name if from elsewhere; never a name twice."""
    path = PurePosixPath(Path(name).as_posix())
    kept = path.name if path.is_absolute() or ".." in path.parts else str(path)
    number = 2
    while files.get(kept, content) != content:
        kept = path.with_name(f"{path.stem}_{number}{path.suffix}").name
        number += 1
    return kept
