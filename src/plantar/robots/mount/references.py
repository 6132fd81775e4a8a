"""References in a model to a geom that is to be removed."""

from __future__ import annotations

import mujoco

from plantar.errors import PlantarError

GHOST_GROUP = 5
"""Group of geoms that stay because a tendon wraps around them, unseen and untouched."""
_GEOM, _SUBTREE = mujoco.mjtObj.mjOBJ_GEOM, mujoco.mjtObj.mjOBJ_XBODY
_CONTACT = mujoco.mjtSensor.mjSENS_CONTACT


def remove(spec: mujoco.MjSpec, model: mujoco.MjModel, geoms: dict[int, str]) -> list[str]:
    """Remove geoms from a spec, with meshes that nothing else uses.

    Args:
        spec: A copy of the spec that was compiled to `model`.
        model: The model.
        geoms: Geoms to be removed, and the body of the new foot that replaces each.

    Returns:
        What else had to be changed, in words.
    """
    ghosts, said = release(spec, model, geoms)
    # ids change with every deletion, so all are looked up before the first
    for number, geom in [(g, _element(spec, model, g)) for g in geoms]:
        if number in ghosts:
            make_ghost(geom)
        else:
            spec.delete(geom)
    drop_unused_meshes(spec, model)
    return said


def _element(spec: mujoco.MjSpec, model: mujoco.MjModel, geom: int) -> mujoco.MjsGeom:
    """A geom of a model as an element of its spec; the geoms of a body have one order in both."""
    body = int(model.geom_bodyid[geom])
    element = spec.body(model.body(body).name).geoms[geom - int(model.body_geomadr[body])]
    if element.name != model.geom(geom).name:
        raise PlantarError(f"geoms of body {model.body(body).name!r} are not in the order of its spec")
    return element


def release(spec: mujoco.MjSpec, model: mujoco.MjModel, geoms: dict[int, str]) -> tuple[set[int], list[str]]:
    """Free geoms from sensors, contact pairs and tendons that name them.

    Contact sensors are turned to the new foot. Other sensors, and tendons that wrap, keep their geom as a ghost that
    neither collides nor is seen. Contact pairs are removed with their geom.

    Args:
        spec: The spec, compiled to `model`.
        model: The model.
        geoms: Geoms to be removed, and the body of the new foot that replaces each.

    Returns:
        Geoms that must stay as ghosts, and what was changed in words.
    """
    names = {model.geom(g).name: g for g in geoms if model.geom(g).name}
    ghosts: set[int] = set()
    said: list[str] = []
    for sensor in spec.sensors:
        ghosts |= _turn_sensor(sensor, names, geoms, said)
    for pair in list(spec.pairs):
        if {pair.geomname1, pair.geomname2} & set(names):
            said.append(f"contact pair {pair.geomname1} - {pair.geomname2} was removed with the old foot")
            spec.delete(pair)
    wrapped = {int(i) for i, kind in zip(model.wrap_objid, model.wrap_type, strict=True) if kind in _WRAPS}
    for geom in wrapped & set(geoms):
        said.append(f"geom {model.geom(geom).name} stays as an invisible geom, as a tendon wraps around it")
        ghosts.add(geom)
    return ghosts, said


_WRAPS = (int(mujoco.mjtWrap.mjWRAP_SPHERE), int(mujoco.mjtWrap.mjWRAP_CYLINDER))


def _turn_sensor(sensor: mujoco.MjsSensor, names: dict[str, int], geoms: dict[int, str], said: list[str]) -> set[int]:
    ghosts = set()
    for kind, field in (("objtype", "objname"), ("reftype", "refname")):
        name = getattr(sensor, field)
        if getattr(sensor, kind) != _GEOM or name not in names:
            continue
        geom = names[name]
        if sensor.type == _CONTACT:
            setattr(sensor, kind, _SUBTREE)
            setattr(sensor, field, geoms[geom])
            said.append(f"sensor {sensor.name} now senses {geoms[geom]} instead of geom {name}")
        else:
            ghosts.add(geom)
            said.append(f"geom {name} stays as an invisible geom, as sensor {sensor.name} reads it")
    return ghosts


def spell_out_materials(spec: mujoco.MjSpec) -> None:
    """Remove materials from a spec's top defaults, so that its file names them at every part.

    Defaults of an attached model lie below the top ones, and no file can say that a part has no material.
    """
    for part in (spec.default.geom, spec.default.site, spec.default.tendon):
        part.material = ""


def make_ghost(geom: mujoco.MjsGeom) -> None:
    """Keep a geom massless, untouchable and invisible."""
    geom.contype = geom.conaffinity = 0
    geom.group, geom.mass = GHOST_GROUP, 0


def drop_unused_meshes(spec: mujoco.MjSpec, model: mujoco.MjModel) -> None:
    """Remove meshes that were drawn or touched in `model` and no longer are in `spec`."""
    mesh = mujoco.mjtGeom.mjGEOM_MESH
    before = {
        model.mesh(int(i)).name for i, kind in zip(model.geom_dataid, model.geom_type, strict=True) if kind == mesh
    }
    now = {geom.meshname for geom in spec.geoms if geom.meshname}
    for element in list(spec.meshes):
        if element.name in before - now:
            spec.delete(element)
