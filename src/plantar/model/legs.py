"""Find the legs of a robot by their structure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import mujoco
import numpy as np

from plantar.errors import InvalidInput
from plantar.model.keyframes import posed, standing_key
from plantar.model.shape import lowest
from plantar.model.tree import ancestors, below, collides, common_ancestor, geoms_of, joints_of, rigid_root

NEAR_GROUND = 0.2
"""Bodies that reach below this fraction of the base's height may belong to a foot."""
TOUCHING = 0.015
"""Bodies whose lowest points differ by less than this fraction of the base's height touch the ground together."""
MIN_JOINTS = 2
"""A limb with fewer joints is a wheel or a skid."""
_FREE = mujoco.mjtJoint.mjJNT_FREE


@dataclass(frozen=True, kw_only=True)
class Leg:
    """A chain from the base to the ground, in the numbers of a compiled model."""

    body: int
    """Link that touches the ground, or to which all that touches belongs."""
    joints: tuple[int, ...]
    """Joints from the base to it."""
    geoms: tuple[int, ...]
    """Geoms of it and below that collide and touch the ground."""


def find_base(model: mujoco.MjModel, name: str) -> int:
    """The body with the free joint; of several, the one that carries most bodies, then most mass.

    Raises:
        InvalidInput: If no body floats.
    """
    free = [int(model.jnt_bodyid[j]) for j in range(model.njnt) if model.jnt_type[j] == _FREE]
    if not free:
        roots = [model.body(b).name for b in range(1, model.nbody) if model.body_parentid[b] == 0]
        raise InvalidInput(
            f"robot {name!r} has a fixed base: add a <freejoint/> to its root body, {', '.join(roots) or 'it has none'}"
        )
    return max(free, key=lambda b: (len(below(model, b)), model.body_subtreemass[b]))


def find_legs(model: mujoco.MjModel, data: mujoco.MjData, base: int) -> list[Leg]:
    """Limbs that end at the ground in the posture of `data`; feet at any height of the base are found.

    A limb's end is a connected part of the tree that lies close to the ground, without the base. Its lowest bodies
    touch; the link that all of them belong to carries the foot.
    """
    floor = _floor(model, data, base)
    height = float(data.xpos[base, 2]) - floor
    legs = []
    for part in _parts_near(model, data, base, floor + NEAR_GROUND * height):
        depths = {b: lowest(model, data, _colliding(model, b)) for b in part}
        deepest = min(depths.values())
        touching = [b for b, z in depths.items() if z < deepest + TOUCHING * height]
        leg = leg_at(model, base, common_ancestor(model, touching))
        if np.isfinite(deepest) and len(leg.joints) >= MIN_JOINTS:
            legs.append(leg)
    return legs


def feet_of(model: mujoco.MjModel) -> tuple[int, ...]:
    """Last links of the legs of a model, in its standing keyframe or its reference posture; none if it has no legs."""
    free = [int(model.jnt_bodyid[j]) for j in range(model.njnt) if model.jnt_type[j] == _FREE]
    if not free:
        return ()
    base = find_base(model, "")
    key = standing_key(model, base)
    data = posed(model, mujoco.MjData(model), model.qpos0 if key is None else model.key_qpos[key])
    return tuple(leg.body for leg in find_legs(model, data, base))


def leg_at(model: mujoco.MjModel, base: int, body: int) -> Leg:
    """The leg that ends with `body`."""
    line = [body, *ancestors(model, body)]
    line = line[: line.index(base)] if base in line else line
    joints = [j for b in reversed(line) for j in joints_of(model, b)]
    geoms = [g for b in (body, *below(model, body)) for g in _colliding(model, b)]
    return Leg(body=body, joints=tuple(joints), geoms=tuple(geoms))


def named_legs(model: mujoco.MjModel, data: mujoco.MjData, base: int, names: Sequence[str], robot: str) -> list[Leg]:
    """Legs that end with the named bodies; of a joint, its body counts.

    Raises:
        InvalidInput: If a name is not in the model or ends no leg in the posture of `data` and in the reference
            posture, or if two name one leg; the message says what ends legs.
    """
    legs = [leg_at(model, base, _named_body(model, base, name, robot)) for name in names]
    low = _low_bodies(model, data, base)
    low |= _low_bodies(model, posed(model, mujoco.MjData(model), model.qpos0), base)
    for name, leg in zip(names, legs, strict=True):
        if not leg.geoms:
            raise InvalidInput(
                f"ankle {name!r} of {robot!r} has nothing that can touch the ground, on it or below: {_ends(model)}"
            )
        if leg.body not in low:
            raise InvalidInput(
                f"ankle {name!r} of {robot!r} is not the end of a leg, it does not come near the ground: {_ends(model)}"
            )
    for (one, a), (other, b) in combinations(zip(names, (leg.body for leg in legs), strict=True), 2):
        if a == b:
            raise InvalidInput(f"ankles {one!r} and {other!r} name one body twice: give one body for each leg")
        if upper := [n for n, body, above in ((one, a, b), (other, b, a)) if above in ancestors(model, body)]:
            outer = other if upper[0] == one else one
            raise InvalidInput(f"ankle {upper[0]!r} is part of the leg that ends with {outer!r}: name one of them")
    return legs


def _named_body(model: mujoco.MjModel, base: int, name: str, robot: str) -> int:
    """Number of the moving body called so, or moved by the joint called so."""
    body = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_BODY, name)
    joint = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_JOINT, name)
    body = int(model.jnt_bodyid[joint]) if body < 0 <= joint else body
    moving = [b for b in below(model, base) if rigid_root(model, b) != base]
    if body not in moving:
        known = ", ".join(n for b in moving if (n := model.body(b).name)) or "none"
        raise InvalidInput(
            f"ankle {name!r} is not a moving body or joint of {robot!r}: {_ends(model)}, its bodies are {known}"
        )
    return body


def _ends(model: mujoco.MjModel) -> str:
    """Candidates for an ankle, in words."""
    return f"the ends of its legs are {', '.join(model.body(b).name for b in feet_of(model)) or 'not found'}"


def _low_bodies(model: mujoco.MjModel, data: mujoco.MjData, base: int) -> set[int]:
    """Bodies that lie so low that they may belong to a foot."""
    floor = _floor(model, data, base)
    limit = floor + NEAR_GROUND * (float(data.xpos[base, 2]) - floor)
    return {b for part in _parts_near(model, data, base, limit) for b in part}


def _floor(model: mujoco.MjModel, data: mujoco.MjData, base: int) -> float:
    """Height of the lowest point of the robot [m]."""
    return min((lowest(model, data, _colliding(model, b)) for b in (base, *below(model, base))), default=np.inf)


def _colliding(model: mujoco.MjModel, body: int) -> list[int]:
    return [g for g in geoms_of(model, [body]) if collides(model, g)]


def _parts_near(model: mujoco.MjModel, data: mujoco.MjData, base: int, limit: float) -> list[list[int]]:
    """Connected parts of the tree, without the base, that reach below `limit`."""
    near: dict[int, list[int]] = {}
    parts: list[list[int]] = []
    for b in below(model, base):
        if rigid_root(model, b) == base:
            continue
        geoms = _colliding(model, b)
        if (lowest(model, data, geoms) if geoms else float(data.xpos[b, 2])) > limit:
            continue
        part = near.get(int(model.body_parentid[b]))
        if part is None:
            part = []
            parts.append(part)
        part.append(b)
        near[b] = part
    return [part for part in parts if any(_colliding(model, b) for b in part)]


_SIDE = (
    (r"(^|[^a-z])(left|l|fl|lf|hl|lh|rl|bl|lb)([^a-z]|$)", 1),
    (r"(^|[^a-z])(right|r|fr|rf|hr|rh|rr|br|rb)([^a-z]|$)", -1),
)
_END = (
    (r"(^|[^a-z])(front|fore|fl|fr|lf|rf)([^a-z]|$)", 1),
    (r"(^|[^a-z])(hind|rear|back|hl|hr|lh|rh|rl|rr|bl|br|lb|rb)([^a-z]|$)", -1),
)


def heading(feet: np.ndarray, names: Sequence[Sequence[str]]) -> float:
    """Yaw of the robot's forward direction in the world [rad], from the positions and names of its feet.

    Forward is the world's x, unless names that say left, right, front or hind contradict it.

    Args:
        feet: Places of the feet from their middle (n, 2) [m].
        names: Names of the links of each foot's leg.
    """
    said = {kind: [np.sign(sum(_says(kind, n) for n in leg)) for leg in names] for kind in (_SIDE, _END)}
    turns = np.radians([0, 180, 90, -90])
    scores = []
    for yaw in turns:
        x = feet @ [np.cos(yaw), np.sin(yaw)]
        y = feet @ [-np.sin(yaw), np.cos(yaw)]
        scores.append(np.sign(np.round(y, 3)) @ said[_SIDE] + np.sign(np.round(x, 3)) @ said[_END])
    return float(turns[int(np.argmax(np.array(scores) - 1e-6 * np.arange(4)))])


def _says(patterns: Sequence[tuple[str, int]], name: str) -> int:
    """1, -1 or 0 for what a name says about a leg's place."""
    # a case change parts words as an underscore does
    words = re.sub(r"([a-z0-9])([A-Z])|([A-Z])(?=[A-Z][a-z])", r"\1\3_\2", name).lower()
    return sum(sign for pattern, sign in patterns if re.search(pattern, words))


def place_names(feet: np.ndarray) -> list[str]:
    """Names of places from where they are (x forward, y left) from their middle (n, 2)."""
    left, right = (sorted(np.flatnonzero(s), key=lambda i: -feet[i, 0]) for s in (feet[:, 1] > 0, feet[:, 1] <= 0))
    ends = {1: [""], 2: ["_front", "_hind"], 3: ["_front", "_middle", "_hind"]}
    names = [""] * len(feet)
    for side, feet_of in (("left", left), ("right", right)):
        tails = ends.get(len(feet_of), [f"_{i + 1}" for i in range(len(feet_of))])
        if len(left) != len(right):
            tails = [f"_{i + 1}" for i in range(len(feet_of))]
        for i, tail in zip(feet_of, tails, strict=True):
            names[i] = side + tail
    return names
