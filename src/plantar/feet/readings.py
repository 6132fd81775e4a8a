"""Readings of a foot, taken from a simulation.

Every function takes `(model, data, prefix)`, where `prefix` is the one the foot was attached with
(`""` for a foot alone), and reads the last `mj_step` or `mj_forward`. Forces are those that **the
ground exerts on the foot**, in the **world's axes**: a foot that stands has a positive z force.
"The ground" is everything outside the foot: contacts between two bodies of the foot do not count.
"""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np
from numpy.typing import NDArray

from plantar.errors import InvalidInput
from plantar.model.polygon import convex_hull

Array = NDArray[np.float64]


@dataclass(frozen=True)
class ContactPoints:
    """The places where the ground touches a foot; row i of each array is contact i."""

    body: tuple[str, ...]
    """Body of the foot that is touched, without the prefix."""
    position: Array
    """Point of contact in the world [m], (n, 3)."""
    force: Array
    """Force of the ground on the foot, world axes [N], (n, 3)."""
    torque: Array
    """Torque of the ground on the foot about the point of contact, world axes [N m], (n, 3)."""
    normal: Array
    """Normal of the surface, out of the ground into the foot, world axes, (n, 3)."""
    depth: Array
    """How deep foot and ground overlap [m], (n,)."""

    def __len__(self) -> int:
        return len(self.body)


def contact_points(model: mujoco.MjModel, data: mujoco.MjData, prefix: str = "") -> ContactPoints:
    """All contacts between the foot and anything else that carry a force."""
    inside = foot_bodies(model, prefix)
    names: list[str] = []
    rows: list[Array] = []
    for i in range(data.ncon):
        contact = data.contact[i]
        bodies = [int(model.geom_bodyid[g]) if g >= 0 else -1 for g in contact.geom]
        touched = [b in inside for b in bodies]
        if contact.efc_address < 0 or touched[0] == touched[1]:
            continue
        # MuJoCo's normal points from the first geom to the second, and the force acts on the second.
        sign = 1.0 if touched[1] else -1.0
        names.append(model.body(bodies[touched.index(True)]).name.removeprefix(prefix))
        wrench = _contact_wrench(model, data, i)
        rows.append(np.concatenate([contact.pos, sign * wrench, sign * contact.frame[:3], [-contact.dist]]))
    table = np.array(rows).reshape(-1, 13)
    return ContactPoints(tuple(names), *np.split(table[:, :12], 4, axis=1), depth=table[:, 12])


def ground_force(model: mujoco.MjModel, data: mujoco.MjData, prefix: str = "") -> Array:
    """Force of the ground on the whole foot, world axes [N], (3,)."""
    return contact_points(model, data, prefix).force.sum(axis=0)


def ground_wrench(model: mujoco.MjModel, data: mujoco.MjData, prefix: str = "") -> Array:
    """Force [N] and torque about the ankle [N m] of the ground on the foot, world axes, (6,)."""
    points = contact_points(model, data, prefix)
    arms = points.position - data.body(f"{prefix}ankle").xpos
    torque = np.cross(arms, points.force) + points.torque
    return np.concatenate([points.force.sum(axis=0), torque.sum(axis=0)])


def body_forces(model: mujoco.MjModel, data: mujoco.MjData, prefix: str = "") -> dict[str, Array]:
    """Force of the ground on each body of the foot that has a force sensor, world axes [N]."""
    inside = foot_bodies(model, prefix)
    names = [model.body(b).name.removeprefix(prefix) for b in sorted(inside)]
    sensors = {name: _sensor(model, f"{prefix}{name}_force") for name in names}
    return {name: _read(model, data, s) for name, s in sensors.items() if s is not None}


def centre_of_pressure(
    model: mujoco.MjModel, data: mujoco.MjData, prefix: str = "", *, height: float | None = None
) -> Array:
    """Point (x, y) of a level plane about which the ground's forces have no horizontal moment.

    Args:
        model: The compiled model.
        data: Its state.
        prefix: Prefix of the foot.
        height: World height of that plane [m]; None takes the mean height of the contacts,
            weighted by their vertical force, which on level ground is the ground's.

    Returns:
        World x and y [m], (2,); NaN if the ground does not push the foot up.
    """
    points = contact_points(model, data, prefix)
    x, y, z = points.position.T
    fx, fy, fz = points.force.T
    total = fz.sum()
    if not total > 0:
        return np.full(2, np.nan)
    rise = z - ((fz @ z) / total if height is None else height)
    tx, ty, _ = points.torque.T
    return np.array([(fz * x - fx * rise - ty).sum(), (fz * y - fy * rise + tx).sum()]) / total


def support_polygon(model: mujoco.MjModel, data: mujoco.MjData, prefix: str = "") -> Array:
    """Convex hull of the contact points seen from above, anticlockwise, world (x, y) [m], (n, 2).

    Fewer than three rows mean that the foot stands on an edge (2), a point (1) or nothing (0).
    """
    return convex_hull(contact_points(model, data, prefix).position[:, :2])


def tendon_tensions(model: mujoco.MjModel, data: mujoco.MjData, prefix: str = "") -> Array:
    """Tension of each chain's tendon [N], (chains,); 0 when slack, empty for a foot without."""
    return _series(model, data, prefix, "tendon", "_tension").ravel()


def loop_residuals(model: mujoco.MjModel, data: mujoco.MjData, prefix: str = "") -> Array:
    """Gap at the metatarsal joint of each chain [m], (chains,); empty for a foot without loops."""
    if _sensor(model, f"{prefix}loop1_rod") is not None:
        return rod_residuals(model, data.sensordata, prefix)
    return np.linalg.norm(_series(model, data, prefix, "loop", "_residual").reshape(-1, 3), axis=1)


def rod_residuals(model: mujoco.MjModel, sensors: Array, prefix: str = "") -> Array:
    """How much longer or shorter than it should be the rod of each strip of a light build is [m], (strips,)."""
    gaps, number = [], 1
    while (sensor := _sensor(model, f"{prefix}loop{number}_rod")) is not None:
        tie = model.equality(f"{prefix}loop{number}")
        rod, path = (model.tendon(f"{prefix}loop{number}_{part}").id for part in ("rod", "path"))
        length = sensors[model.sensor_adr[sensor]] - model.tendon_length0[rod]
        fold = sensors[model.sensor(f"{prefix}loop{number}_path").adr[0]] - model.tendon_length0[path]
        gaps.append(abs(float(length - tie.data[0] - tie.data[1] * fold)))
        number += 1
    return np.array(gaps)


def foot_bodies(model: mujoco.MjModel, prefix: str = "") -> frozenset[int]:
    """Ids of the foot's bodies: the one named `<prefix>ankle` and all that hang on it.

    Raises:
        InvalidInput: If the model has no such body; the message lists the prefixes there are.
    """
    root = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_BODY, f"{prefix}ankle")
    if root < 0:
        names = [model.body(b).name for b in range(model.nbody)]
        known = ", ".join(repr(n.removesuffix("ankle")) for n in names if n.endswith("ankle")) or "none"
        raise InvalidInput(f"prefix = {prefix!r} is not allowed: the prefixes of feet in this model are {known}")
    inside = {root}
    for body in range(root + 1, model.nbody):
        if int(model.body_parentid[body]) in inside:
            inside.add(body)
    return frozenset(inside)


def _contact_wrench(model: mujoco.MjModel, data: mujoco.MjData, i: int) -> Array:
    """Force and torque of contact `i` on its second geom, world axes, (6,)."""
    wrench = np.zeros(6)
    mujoco.mj_contactForce(model, data, i, wrench)
    axes = data.contact[i].frame.reshape(3, 3)
    return (wrench.reshape(2, 3) @ axes).ravel()


def _series(model: mujoco.MjModel, data: mujoco.MjData, prefix: str, start: str, end: str) -> Array:
    """Values of the sensors `<prefix><start>1<end>`, 2, 3, ... as far as they go."""
    values, number = [], 1
    while (sensor := _sensor(model, f"{prefix}{start}{number}{end}")) is not None:
        values.append(_read(model, data, sensor))
        number += 1
    return np.array(values)


def _sensor(model: mujoco.MjModel, name: str) -> int | None:
    sensor = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_SENSOR, name)
    return None if sensor < 0 else sensor


def _read(model: mujoco.MjModel, data: mujoco.MjData, sensor: int) -> Array:
    start = model.sensor_adr[sensor]
    return data.sensordata[start : start + model.sensor_dim[sensor]].copy()
