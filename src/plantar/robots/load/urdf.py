"""URDF files, prepared for MuJoCo: a floating base, meshes found, motors, feasible contacts."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path

import mujoco

from plantar.errors import InvalidInput

READABLE = (".stl", ".obj", ".msh")
"""Kinds of meshes that MuJoCo reads."""
LIGHTEST = 1e-4, 1e-7
"""Smallest mass [kg] and inertia [kg m^2] of a moving link; URDFs leave some links without."""
_COMPILER = {"strippath": "false", "fusestatic": "true", "balanceinertia": "true", "discardvisual": "false"}
_WORLD = "world"


def read_urdf(path: Path) -> mujoco.MjSpec:
    """A robot from a URDF file.

    The root link floats, which URDF cannot say; meshes are looked for beside the file and under its parents where
    `package://` names them; joints with an effort limit get a motor of that torque; links that overlap in the
    reference posture do not touch each other.

    Raises:
        InvalidInput: If a mesh is missing or of a kind that MuJoCo does not read, or the robot is fixed to the world.
    """
    tree = ET.fromstring(path.read_bytes())  # in the encoding that the file states
    _float(tree, path)
    _weigh_nothing(tree)
    _find_meshes(tree, path)
    extension = tree.find("mujoco")
    extension = ET.SubElement(tree, "mujoco") if extension is None else extension
    compiler = extension.find("compiler")
    compiler = ET.SubElement(extension, "compiler") if compiler is None else compiler
    compiler.attrib.update(_COMPILER)
    spec = mujoco.MjSpec.from_string(ET.tostring(tree, encoding="unicode"))
    spec.modelfiledir = str(path.parent)
    spec.compiler.boundmass, spec.compiler.boundinertia = LIGHTEST
    spec.compile()  # joins links that are fixed to each other
    spec.compiler.fusestatic = False
    _hide_colliders(spec)
    _add_motors(spec, tree)
    _exclude_overlaps(spec)
    return spec


def _float(tree: ET.Element, path: Path) -> None:
    """Put the root link on a floating joint; MuJoCo would weld it to the world and drop its mass."""
    links = [str(link.get("name")) for link in tree.findall("link")]
    children = {child.get("link") for child in tree.findall("joint/child")}
    roots = [name for name in links if name not in children]
    if any(joint.get("type") == "floating" for joint in tree.findall("joint")):
        return
    if len(roots) != 1:
        raise InvalidInput(
            f"robot file {str(path)!r} is not one tree, the links without a parent are {', '.join(roots) or 'none'}: "
            "leave all but one of them out, or attach them"
        )
    if roots[0] == _WORLD:
        raise InvalidInput(
            f"robot file {str(path)!r} has a fixed base, its root link is named {_WORLD!r}: make the joint attached "
            'to it type="floating", or leave that link out'
        )
    root = _without_footprint(tree, roots[0])
    ET.SubElement(tree, "link", name="plantar_world")
    joint = ET.SubElement(tree, "joint", name="plantar_float", type="floating")
    ET.SubElement(joint, "parent", link="plantar_world")
    ET.SubElement(joint, "child", link=root)


def _without_footprint(tree: ET.Element, root: str) -> str:
    """The first link with anything in it: empty ones above it, as `base_footprint`, only say where the ground is."""
    link = next(link for link in tree.findall("link") if link.get("name") == root)
    joints = [joint for joint in tree.findall("joint") if joint.find(f"parent[@link='{root}']") is not None]
    if len(link) or len(joints) != 1 or joints[0].get("type") != "fixed":
        return root
    child = joints[0].find("child")
    tree.remove(link)
    tree.remove(joints[0])
    return root if child is None else _without_footprint(tree, str(child.get("link")))


def _weigh_nothing(tree: ET.Element) -> None:
    """Say of links without `<inertial>` that they have no mass, as URDF means it; MuJoCo would fill them with water."""
    without = [link for link in tree.findall("link") if link.find("inertial") is None]
    if len(without) < len(tree.findall("link")):
        for link in without:
            inertial = ET.SubElement(link, "inertial")
            ET.SubElement(inertial, "mass", value="0")
            ET.SubElement(inertial, "inertia", dict.fromkeys(("ixx", "iyy", "izz", "ixy", "ixz", "iyz"), "0"))


def _find_meshes(tree: ET.Element, path: Path) -> None:
    """Give every mesh the path of its file; missing visual meshes are left out."""
    missing = []
    for link in tree.findall("link"):
        for part in [*link.findall("visual"), *link.findall("collision")]:
            mesh = part.find("geometry/mesh")
            if mesh is None:
                continue
            file = _locate(str(mesh.get("filename")), path.parent)
            if file is not None and file.suffix.lower() in READABLE:
                mesh.set("filename", str(file))
            elif part.tag == "visual" and (file is not None or link.find("collision") is not None):
                link.remove(part)
            else:
                missing.append((str(link.get("name")), str(mesh.get("filename")), file))
    if missing:
        link_name, name, file = missing[0]
        why = f"is of a kind MuJoCo does not read ({', '.join(READABLE)})" if file else "is missing"
        more = f", and {len(missing) - 1} more" if len(missing) > 1 else ""
        raise InvalidInput(
            f"robot file {str(path)!r}: mesh {name!r} of link {link_name!r} {why}{more}; put it beside the URDF file, "
            "or correct its path"
        )


def _locate(name: str, folder: Path) -> Path | None:
    """The file that a URDF means, or None: as it says, under a parent for `package://`, beside it, in `meshes`."""
    rest = name.partition("://")[2] or name
    inner = Path(*Path(rest).parts[1:]) if name.startswith("package://") and len(Path(rest).parts) > 1 else Path(rest)
    tries = [Path(rest)] if Path(rest).is_absolute() else [folder / rest]
    for parent in (folder, *list(folder.parents)[:4]):
        tries += [parent / rest.lstrip("/"), parent / inner]
    base = Path(rest).name
    tries += [folder / base, folder / "meshes" / base, folder.parent / "meshes" / base]
    return next((file.resolve() for file in tries if file.is_file()), None)


def _hide_colliders(spec: mujoco.MjSpec) -> None:
    """Show visual geoms, and colliders only of links that have nothing else."""
    for body in spec.bodies:
        looks = [g for g in body.geoms if not (g.contype or g.conaffinity)]
        for geom in body.geoms:
            if looks and (geom.contype or geom.conaffinity):
                geom.group = 3
        for geom in looks:
            geom.group = 2


def _add_motors(spec: mujoco.MjSpec, tree: ET.Element) -> None:
    """A motor on every joint with an effort limit, if the file has no actuators."""
    if spec.actuators:
        return
    there = {joint.name for joint in spec.joints}
    for joint in tree.findall("joint"):
        limit = joint.find("limit")
        effort = float(limit.get("effort", 0)) if limit is not None else 0.0
        name = str(joint.get("name"))
        if effort > 0 and name in there:
            motor = spec.add_actuator(name=name, target=name, trntype=mujoco.mjtTrn.mjTRN_JOINT)
            motor.set_to_motor()
            motor.ctrllimited, motor.ctrlrange = True, [-effort, effort]


def _exclude_overlaps(spec: mujoco.MjSpec) -> None:
    """Leave out contacts between links whose hulls overlap in the reference posture."""
    model = spec.compile()
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    pairs = {tuple(sorted(int(model.geom_bodyid[g]) for g in contact.geom)) for contact in data.contact}
    for one, other in sorted(pairs):
        if one > 0:
            spec.add_exclude(bodyname1=model.body(one).name, bodyname2=model.body(other).name)
