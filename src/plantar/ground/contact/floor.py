"""Ground that carries: geoms that ignore a robot's defaults, and the check that feet touch them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import mujoco
import numpy as np

from plantar.errors import InvalidInput

CONTACT_FIELDS = ("condim", "priority", "friction", "solmix", "solref", "solimp", "margin", "gap")
"""Fields of a geom that determine its contact, apart from its masks."""
_OTHER_FIELDS = ("pos", "quat", "fromto", "adhesion", "surfacevel", "castshadow", "rgba", "material", "group")


class Masks(NamedTuple):
    """Which geoms a geom touches: those where a bit of the one's contype is in the other's conaffinity."""

    contype: int
    conaffinity: int

    def meet(self, other: Masks) -> bool:
        """Whether geoms with these masks and with others touch."""
        return bool(self.contype & other.conaffinity or other.contype & self.conaffinity)


def _plain() -> dict[str, Any]:
    """MuJoCo's own values of a geom's fields."""
    spec = mujoco.MjSpec()  # it owns the geom, which would go with it
    geom = spec.worldbody.add_geom()
    read = {name: getattr(geom, name) for name in (*CONTACT_FIELDS, *_OTHER_FIELDS)}
    return {name: value.copy() if isinstance(value, np.ndarray) else value for name, value in read.items()}


PLAIN = _plain()
"""MuJoCo's own values of the fields that ground does not take from a robot's defaults."""


def masks_for(spec: mujoco.MjSpec) -> Masks:
    """Masks with which ground touches all of a robot that touches anything; MuJoCo's own where these do."""
    parts = [*(g for body in spec.bodies[1:] for g in body.geoms), *spec.flexes]
    masks = [Masks(int(part.contype), int(part.conaffinity)) for part in parts]
    return Masks(
        contype=int(np.bitwise_or.reduce([1, *(m.conaffinity for m in masks if not m.contype & 1)])),
        conaffinity=int(np.bitwise_or.reduce([1, *(m.contype for m in masks if not m.conaffinity & 1)])),
    )


def add_ground(
    spec: mujoco.MjSpec,
    name: str,
    kind: mujoco.mjtGeom,
    *,
    body: mujoco.MjsBody | None = None,
    masks: Masks | None = None,
    **fields: Any,
) -> mujoco.MjsGeom:
    """Add a geom of the ground, of a bar or of a terrain under a robot.

    The top defaults of a robot's file apply to every geom that is added later: with contype 0 among them, nothing would
    touch its floor. This one has MuJoCo's own values in every field that is not given.

    Args:
        spec: The scene; it is changed.
        name: Name of the geom.
        kind: Its shape.
        body: Where it goes; None is the world.
        masks: Which geoms it touches; None finds the masks that touch the robot.
        **fields: Other fields of the geom.
    """
    geom = (body or spec.worldbody).add_geom(name=name, type=kind)
    geom.alt.type = mujoco.mjtOrientation.mjORIENTATION_QUAT
    geom.contype, geom.conaffinity = masks or masks_for(spec)
    for field, value in {**PLAIN, **fields}.items():
        setattr(geom, field, value)
    return geom


def check_carries(
    model: mujoco.MjModel, robot: str, feet: Mapping[str, Sequence[int]], ground: Iterable[int | str]
) -> None:
    """Refuse ground through which a foot would fall.

    Args:
        model: The scene.
        robot: Name of the robot.
        feet: Bodies of each foot, by its name.
        ground: Geoms of the ground; every foot must touch every one of them.

    Raises:
        InvalidInput: If a foot and a geom cannot touch; the message names both and their masks.
    """
    if model.opt.disableflags & int(mujoco.mjtDisableBit.mjDSBL_CONTACT):
        raise InvalidInput(f"{robot!r} would fall through its ground: contacts are switched off in its options")
    for geom in (model.geom(g) for g in ground):
        floor = Masks(int(geom.contype[0]), int(geom.conaffinity[0]))
        for foot, bodies in feet.items():
            masks = _touchable(model, bodies, int(geom.bodyid[0]))
            if any(floor.meet(m) for m in masks) or _paired(model, bodies, int(geom.id)):
                continue
            own = ", ".join(sorted({f"{m.contype}/{m.conaffinity}" for m in masks})) or "none that can touch it"
            raise InvalidInput(
                f"{foot!r} of {robot!r} would fall through {geom.name!r}: no bit of contype/conaffinity of its geoms "
                f"({own}) meets that of the ground ({floor.contype}/{floor.conaffinity}); give its sole masks that do"
            )


def _touchable(model: mujoco.MjModel, bodies: Sequence[int], under: int) -> list[Masks]:
    """Masks of a foot's geoms, except for bodies whose contact with the ground's body is excluded."""
    excluded = {int(s) for s in model.exclude_signature}
    free = [b for b in bodies if (min(b, under) << 16) + max(b, under) not in excluded]
    geoms = np.flatnonzero(np.isin(model.geom_bodyid, free))
    masks = [Masks(int(model.geom_contype[g]), int(model.geom_conaffinity[g])) for g in geoms]
    for f in range(model.nflex):
        start, count = int(model.flex_vertadr[f]), int(model.flex_vertnum[f])
        if np.isin(model.flex_vertbodyid[start : start + count], free).any():
            masks.append(Masks(int(model.flex_contype[f]), int(model.flex_conaffinity[f])))
    return [m for m in masks if m.contype or m.conaffinity]


def _paired(model: mujoco.MjModel, bodies: Sequence[int], ground: int) -> bool:
    """Whether a contact pair lets a foot touch a geom of the ground."""
    for one, other in ((model.pair_geom1, model.pair_geom2), (model.pair_geom2, model.pair_geom1)):
        if np.isin(model.geom_bodyid[other[one == ground]], bodies).any():
            return True
    return False


def carriers(model: mujoco.MjModel, bodies: Sequence[int], above: float) -> list[int]:
    """Geoms fixed to the world that would carry bodies from below, where they are in the reference pose.

    Args:
        model: The scene.
        bodies: Bodies of feet.
        above: Geoms whose surface lies lower than this under all of the bodies are left out [m].
    """
    if model.opt.disableflags & int(mujoco.mjtDisableBit.mjDSBL_CONTACT):
        return []
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    masks = _touchable(model, bodies, 0)
    found = []
    for g in np.flatnonzero(model.body_weldid[model.geom_bodyid] == 0):
        own = Masks(int(model.geom_contype[g]), int(model.geom_conaffinity[g]))
        if not any(own.meet(m) for m in masks) and not _paired(model, bodies, int(g)):
            continue
        if any(_surface_below(model, data, int(g), data.xpos[b]) >= above for b in bodies):
            found.append(int(g))
    return found


HIGH = 10.0
"""Height above a place from which its ground is searched [m]."""


def _surface_below(model: mujoco.MjModel, data: mujoco.MjData, geom: int, place: np.ndarray) -> float:
    """Height of a geom's surface under or over a place, minus infinity where it is not."""
    start, down = np.array([place[0], place[1], HIGH]), np.array([0.0, 0.0, -1.0])
    kind = model.geom_type[geom]
    if kind == mujoco.mjtGeom.mjGEOM_MESH:
        way = mujoco.mj_rayMesh(model, data, geom, start, down, None)
    elif kind == mujoco.mjtGeom.mjGEOM_HFIELD:
        way = mujoco.mj_rayHfield(model, data, geom, start, down, None)
    else:
        turn, size = data.geom_xmat[geom], model.geom_size[geom]
        way = mujoco.mju_rayGeom(data.geom_xpos[geom], turn, size, start, down, int(kind), None)
    return HIGH - way if way >= 0 else -np.inf
