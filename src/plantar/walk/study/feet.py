"""Feet of a study: the robot's own, any foot by name, and the two controls of a foot.

`locked` is the foot with its joints fixed, `like` a rigid plate of its outline, height and mass. Both are mounted
where the foot is, at the same angle, and the controller gets the same description of them as of the foot, so that only
what is named differs. `plate` is the plate of `like` mounted as a rigid foot would be and known to carry to its ends:
it shows what the shared description costs.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import mujoco
import numpy as np

from plantar import feet, robots
from plantar._checks import require
from plantar.errors import InvalidInput
from plantar.table import Row
from plantar.walk.robot.legged import Legged

OWN = "own"
"""The feet that a robot came with."""
CONTROLS = {"locked": lambda foot: foot.locked(), "like": feet.FlatFoot.like, "plate": feet.FlatFoot.like}
"""Controls by name: how each is made from a foot."""


def named_feet(texts: Sequence[str]) -> tuple[str, ...]:
    """Feet with the foot that each control is of: `softfoot:fast, locked` is `softfoot:fast, locked:softfoot:fast`.

    Raises:
        InvalidInput: If there are none, one appears twice, or a control has no foot to refer to.
    """
    require(len(texts) > 0, "feet", texts, "at least one")
    reference = next((text for text in texts if text != OWN and text.partition(":")[0] not in CONTROLS), None)
    named = []
    for text in texts:
        if text in CONTROLS:
            if reference is None:
                raise InvalidInput(f"feet {text!r} is a control of another foot: name that as well, as softfoot:fast")
            text = f"{text}:{reference}"  # noqa: PLW2901
        named.append(text)
    require(len(set(named)) == len(named), "feet", ",".join(texts), "each foot once")
    return tuple(named)


def reference_foot(names: Sequence[str]) -> str:
    """The foot that others are compared with: the first that is not the robot's own."""
    return next((foot for foot in names if foot != OWN), OWN)


def _split(text: str) -> tuple[str | None, str]:
    """The control and its foot; None and the foot itself."""
    control, colon, rest = text.partition(":")
    return (control, rest) if control in CONTROLS and colon else (None, text)


def content_of(*texts: str) -> str:
    """A hash of the files among robots, feet, controllers, choosers and courses by name; empty if none is a file.

    What is built or stored under a file's name is that of another file once its content has changed.
    """
    found = [_split(text)[1] for text in texts]
    digests = [hashlib.sha256(Path(name).read_bytes()).hexdigest() for name in found if is_file(name)]
    return hashlib.sha256("".join(digests).encode()).hexdigest()[:12] if digests else ""


def is_file(text: str) -> bool:
    """Whether a robot, a foot or anything else is named by a file of its own."""
    return bool(Path(text).suffix) and Path(text).is_file()


def find_walker(robot: str, foot: str | feet.Foot = OWN) -> robots.Robot:
    """A robot by name or path with feet by name, or with its own.

    Args:
        robot: What `plantar.robots.load` takes.
        foot: `own`, a foot, what `plantar.feet.get` takes, or a control of that: `locked:FOOT`, `like:FOOT`.

    Raises:
        InvalidInput: If there is no such robot or foot, or it does not fit.
    """
    found = robots.load(robot)
    if foot == OWN:
        return found
    control, name = _split(foot) if isinstance(foot, str) else (None, foot)
    if control is None:
        return robots.mount(found, name)
    if control == "plate":  # mounted and described to the controller like any rigid foot
        return robots.mount(found, CONTROLS[control](feet.get(str(name))))
    offset, pitch, supports = _seat(robot, str(name), content_of(robot, str(name)))
    made = robots.mount(found, CONTROLS[control](feet.get(str(name))), offset=offset, pitch=pitch)
    # same description of the support: a plate known to carry to its ends would be controlled differently
    places = tuple(replace(place, support=support) for place, support in zip(made.places, supports, strict=True))
    return replace(made, places=places)


@functools.lru_cache(maxsize=32)
def _seat(robot: str, foot: str, content: str) -> tuple[float, float, tuple]:
    """Where a foot sits under a robot, how it is turned, and what of each sole carries."""
    mounted = robots.mount(robots.load(robot), foot)
    report = mounted.report()
    return report.offset, report.pitch, tuple(place.support for place in mounted.places)


def feet_table(robot_names: Sequence[str], foot_names: Sequence[str]) -> list[Row]:
    """The feet of a study, one row per robot and foot, with everything that differs besides softness."""
    return [dict(_row(robot, foot, content_of(robot, foot))) for robot in robot_names for foot in foot_names]


@functools.lru_cache(maxsize=64)
def _row(robot: str, foot: str, content: str) -> Row:
    walker = find_walker(robot, foot)
    place, legged, model = walker.places[0], Legged(walker), walker.model()
    back, front, right, left = place.extent
    sole = legged.soles[0]
    below = [b for bodies in list(walker.foot_bodies(model).values())[:1] for b in bodies]
    touching = [g for g in range(model.ngeom) if model.geom_bodyid[g] in below and model.geom_contype[g]]
    own = [b for b in below if place.prefix and model.body(b).name.startswith(place.prefix)]
    return {
        "robot": robot,
        "foot": foot,
        "length": back + front,
        "width": right + left,
        "mass": float(sum(model.body_mass[b] for b in below)),
        "height": _ankle_height(walker, model, place),
        "told_length": sole.extent[1] - sole.extent[0],
        "told_width": sole.extent[3] - sole.extent[2],
        "joints": int(model.body_jntnum[own].sum()),
        "contact": place.foot.contact.stiffness if place.foot is not None and place.foot.contact else None,
        "solref": " ".join(f"{v:.4g}" for v in np.unique(model.geom_solref[touching], axis=0)[0]) if touching else "",
    }


def _ankle_height(walker: robots.Robot, model: mujoco.MjModel, place: robots.Place) -> float:
    """Height of the leg's last joint above the sole in the standing posture [m]."""
    data = mujoco.MjData(model)
    if walker.keyframe:
        mujoco.mj_resetDataKeyframe(model, data, model.key(walker.keyframe).id)
    mujoco.mj_kinematics(model, data)
    mujoco.mj_comPos(model, data)
    last = model.joint(place.joints[-1]).id
    return float(data.xanchor[last, 2] - data.site_xpos[model.site(place.site).id, 2])
