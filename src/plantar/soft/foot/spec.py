"""A condensed foot as MuJoCo model: pads on slides, coupled by springs of the finite-element stiffness."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import mujoco
import numpy as np

from plantar.feet.defaults import collider, visual
from plantar.feet.inertia import start_spec
from plantar.feet.sensors import add_contact_force
from plantar.soft.foot.condense import Condensed, condense
from plantar.soft.foot.shape import SolidShape
from plantar.soft.mesh.mesh import Floats

if TYPE_CHECKING:
    from plantar.soft.foot.solid import SolidFoot

SHARE = 1 / 3
"""Fraction of the rubber's mass that moves with the pads: that of a rod held at one end, in its first shape."""
STICK = 0.2
"""Friction from which pads count as held sideways: rubber under load then sticks before it bulges out."""
REACH, LEAST = 1.6, 0.003
"""Pads are coupled up to this many times the distance of neighbours, above this fraction of their own stiffness."""
SOLREF, SOLIMP = (0.004, 1.0), (0.999, 0.9999, 0.001, 0.5, 2.0)
"""Contact of the pads: hard compared with the rubber, which is what deforms."""
AXES = np.eye(3)


def condensed_spec(foot: SolidFoot) -> mujoco.MjSpec:
    """Pads that slide against the ankle on springs.

    Each pad has springs to the ankle, and to its neighbours through fixed tendons over two slides, so that the
    stiffness between pads is the finite-element one. What is left out, couplings of far pads and of different
    directions, is added where it acts the same way when all pads move together.
    """
    data = condense(foot)
    axes = (2,) if foot.fidelity == "fast" else (0, 1, 2)
    spec, ankle = start_spec(foot.name, foot.friction)
    add_mount(ankle, foot, data, 1 - SHARE)
    for i in range(len(data.shape.areas)):
        _add_pad(spec, ankle, foot, data, i, axes)
    for axis in axes:
        springs = network(stiffness(data, axis, stick=foot.friction >= STICK), data.shape.places)
        _add_springs(spec, springs, foot.loss_time, "xyz"[axis])
    draw_mount(spec, ankle, foot, data)
    return spec


def stiffness(data: Condensed, axis: int, *, stick: bool) -> Floats:
    """Stiffness between the pads in one direction (pads, pads) [N/m].

    Args:
        data: The foot.
        axis: 0, 1, 2 for x, y, z.
        stick: Whether rubber that is pressed down is held sideways, as on most floors, or can bulge out.
    """
    part = slice(axis, None, 3)
    return data.K[part, part] if stick or axis != 2 else data.K_slip


@dataclass(frozen=True)
class Springs:
    """A stiffness matrix as springs that all have a positive stiffness."""

    to_ankle: Floats
    """Spring of each pad to the ankle (pads,) [N/m]."""
    pairs: list[tuple[int, int, float]]
    """Two pads and k [N/m]: k > 0 acts on their difference, k < 0 with |k| on their sum."""

    def matrix(self) -> Floats:
        """The stiffness they have together [N/m]."""
        K = np.diag(self.to_ankle)
        for i, j, k in self.pairs:
            v = np.zeros(len(K))
            v[i], v[j] = 1.0, -np.sign(k)
            K += abs(k) * np.outer(v, v)
        return K


def network(K: Floats, places: Floats) -> Springs:
    """Springs between near pads whose matrix has the row sums of `K`: uniformly pressed pads respond exactly."""
    count = len(K)
    distance = np.linalg.norm(places[:, None] - places[None], axis=2)
    reach = REACH * np.sort(distance, axis=1)[:, min(2, count - 1)].max()
    to_ankle = K.sum(axis=1)
    pairs: list[tuple[int, int, float]] = []
    near = [(i, j) for i in range(count) for j in range(i) if distance[i, j] <= reach]
    for i, j in sorted(near, key=lambda pair: -abs(K[pair])):
        k = -K[i, j]
        if abs(k) < LEAST * min(K[i, i], K[j, j]):
            continue
        # a spring on the sum takes from the pads' own springs, which have to stay positive
        own = np.array([to_ankle[i], to_ankle[j]]) + min(2 * k, 0.0)
        if (own > LEAST * np.array([K[i, i], K[j, j]])).all():
            to_ankle[[i, j]] = own
            pairs.append((i, j, float(k)))
    return Springs(to_ankle, pairs)


def mount_points(foot: SolidFoot, shape: SolidShape) -> tuple[Floats, Floats]:
    """The mount as eight equal points (8, 3) that have the inertia of its plate, and their masses (8,) [kg]."""
    top = shape.mesh.nodes[shape.mount]
    low, high = top.min(axis=0), top.max(axis=0)
    half = np.maximum(high - low, 0.004) / 2
    corners = np.stack(np.meshgrid([-1, 1], [-1, 1], [-1, 1], indexing="ij"), axis=-1).reshape(-1, 3)
    return (low + high) / 2 + corners * half / np.sqrt(3), np.full(8, foot.mount_mass / 8)


def add_mount(ankle: mujoco.MjsBody, foot: SolidFoot, data: Condensed, still: float) -> None:
    """Give the ankle the mass of the mount, a plate, and of the fraction `still` of the rubber that moves with it."""
    total, centre, moments = data.inertia[0], data.inertia[1:4], data.inertia[4:]
    points, _ = mount_points(foot, data.shape)
    plate = points.mean(axis=0)
    square = ((points - plate) ** 2).mean(axis=0)
    box = foot.mount_mass * (square.sum() - square)
    mass = foot.mount_mass + still * total
    middle = (foot.mount_mass * plate + still * total * centre) / mass
    inertia = _shifted(np.diag(box), foot.mount_mass, plate - middle)
    rubber = np.array(
        [
            [moments[0], moments[3], moments[4]],
            [moments[3], moments[1], moments[5]],
            [moments[4], moments[5], moments[2]],
        ]
    )
    inertia = inertia + _shifted(still * rubber, still * total, centre - middle)
    ankle.explicitinertial = True
    ankle.mass, ankle.ipos = mass, middle.tolist()
    ankle.fullinertia = [inertia[0, 0], inertia[1, 1], inertia[2, 2], inertia[0, 1], inertia[0, 2], inertia[1, 2]]


def _shifted(inertia: Floats, mass: float, arm: Floats) -> Floats:
    return inertia + mass * (arm @ arm * np.eye(3) - np.outer(arm, arm))


def _add_pad(
    spec: mujoco.MjSpec,
    ankle: mujoco.MjsBody,
    foot: SolidFoot,
    data: Condensed,
    i: int,
    axes: tuple[int, ...],
) -> None:
    shape = data.shape
    share = SHARE * data.mass * shape.areas[i] / shape.areas.sum()
    pad = ankle.add_body(name=f"pad{i + 1}", pos=shape.places[i].tolist())
    half = np.array([*(shape.sizes[i] / 2), foot.thickness / 4])
    pad.explicitinertial = True
    pad.mass = share
    pad.inertia = (share / 3 * (half @ half - half**2)).tolist()
    for a in axes:
        pad.add_joint(name=f"pad{i + 1}_{'xyz'[a]}", type=mujoco.mjtJoint.mjJNT_SLIDE, axis=AXES[a].tolist())
    fields: dict[str, Any] = {"priority": 1, "solref": list(SOLREF), "solimp": list(SOLIMP), "pos": [0, 0, half[2]]}
    if foot.collider == "ellipsoid":
        # round the pad's corners it leaves no gap to its neighbours
        size = [*(np.sqrt(2) * half[:2]).tolist(), half[2]]
        collider(spec, pad, mujoco.mjtGeom.mjGEOM_ELLIPSOID, f"pad{i + 1}_collision", size=size, **fields)
    else:
        collider(spec, pad, mujoco.mjtGeom.mjGEOM_BOX, f"pad{i + 1}_collision", size=half.tolist(), **fields)
    look = {"size": [*(0.96 * half[:2]), half[2]], "pos": [0, 0, float(half[2])]}
    visual(spec, pad, mujoco.mjtGeom.mjGEOM_BOX, "rubber", **look)
    add_contact_force(spec, f"pad{i + 1}_force", f"pad{i + 1}")


def _add_springs(spec: mujoco.MjSpec, springs: Springs, loss_time: float, axis: str) -> None:
    for i, k in enumerate(springs.to_ankle, start=1):
        joint = spec.joint(f"pad{i}_{axis}")
        joint.stiffness, joint.damping = [float(k), 0, 0], [loss_time * float(k), 0, 0]
    for i, j, k in springs.pairs:
        tendon = spec.add_tendon(name=f"pads{i + 1}_{j + 1}_{axis}", springlength=[0.0, 0.0])
        tendon.stiffness, tendon.damping = [abs(k), 0, 0], [loss_time * abs(k), 0, 0]
        tendon.wrap_joint(f"pad{i + 1}_{axis}", 1.0)
        tendon.wrap_joint(f"pad{j + 1}_{axis}", -1.0 if k > 0 else 1.0)


def draw_mount(spec: mujoco.MjSpec, ankle: mujoco.MjsBody, foot: SolidFoot, data: Condensed) -> None:
    """The mount as a plate and a post up to the ankle."""
    top = data.shape.mesh.nodes[data.shape.mount]
    low, high = top.min(axis=0), top.max(axis=0)
    plate = [*((low + high) / 2)[:2].tolist(), float(low[2]) + 0.003]
    half = [*(0.48 * (high - low)[:2]).tolist(), 0.003]
    visual(spec, ankle, mujoco.mjtGeom.mjGEOM_BOX, "frame", pos=plate, size=half)
    line = [0, 0, float(low[2]) + 0.003, 0, 0, 0]
    visual(spec, ankle, mujoco.mjtGeom.mjGEOM_CYLINDER, "frame", fromto=line, size=[0.018, 0, 0])
    visual(spec, ankle, mujoco.mjtGeom.mjGEOM_CYLINDER, "steel", fromto=[0, -0.022, 0, 0, 0.022, 0], size=[0.012, 0, 0])
