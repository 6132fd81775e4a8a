"""What the light builds take from the full foot: masses, moment arms and stiffness of one hinge."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING

import mujoco
import numpy as np

from plantar.feet.parts import Part, Vector
from plantar.feet.softfoot.band_tendons import band_lengths
from plantar.feet.softfoot.layout import chain_offsets

if TYPE_CHECKING:
    from plantar.feet.softfoot.fast import Impedance
    from plantar.feet.softfoot.softfoot import SoftFoot


@dataclass(frozen=True)
class Strip:
    """Neighbouring chains that are built as one."""

    chains: int
    """How many chains it represents."""
    y: float
    """Lateral place of its middle [m]."""
    reach: float
    """From the middle to the axis of its outermost chains [m]."""
    spread: float
    """Mean square distance of its chains from the middle [m^2]."""


def strips(foot: SoftFoot) -> list[Strip]:
    """The strips of a foot, medial first; their sizes are as even and symmetric as they can be."""
    places, count = chain_offsets(foot), foot.built_chains
    ends = [round(i * len(places) / count) for i in range(count + 1)]
    found = []
    for a, b in zip(ends, ends[1:], strict=False):
        own = np.array(places[a:b])
        middle = float(own.max() + own.min()) / 2
        found.append(Strip(b - a, middle, float(own.max() - middle), float(np.mean((own - middle) ** 2))))
    return found


def merged(part: Part, strip: Strip) -> Part:
    """The part of a whole strip."""
    many = part.scaled(strip.chains)
    aside = many.mass * strip.spread
    xx, yy, zz = many.inertia
    return replace(many, inertia=(xx + aside, yy, zz + aside))


def joined(*parts: Part) -> Part:
    """Several parts, all given from the same origin, as one."""
    mass = sum(p.mass for p in parts)
    com = np.sum([p.mass * np.array(p.com) for p in parts], axis=0) / mass
    inertia = np.zeros((3, 3))
    for p in parts:
        xy, xz, yz = p.products
        own = np.diag(p.inertia) + np.array([[0, xy, xz], [xy, 0, yz], [xz, yz, 0]])
        r = np.array(p.com) - com
        inertia += own + p.mass * (r @ r * np.eye(3) - np.outer(r, r))
    xx, yy, zz = (float(inertia[i, i]) for i in range(3))
    products: Vector = (float(inertia[0, 1]), float(inertia[0, 2]), float(inertia[1, 2]))
    return Part(float(mass), (float(com[0]), float(com[1]), float(com[2])), (xx, yy, zz), products)


def point_mass(mass: float, at: Vector) -> Part:
    """A small ball of a millimetre radius of gyration."""
    return Part(mass, at, (mass * 1e-6, mass * 1e-6, mass * 1e-6))


def bare(foot: SoftFoot) -> SoftFoot:
    """The foot without what its measured parts do not depend on, so that a fit measures them once."""
    return replace(foot, fast=type(foot.fast)(), fidelity="full")


def loop_impedance(foot: SoftFoot) -> Impedance:
    """Impedance of the rods: as given, or such that they yield under a force as the full foot's loops do.

    A constraint of time constant t, damping ratio z and impedance d yields `A (1 - d) (t z)^2` metres per
    newton, where A is the inverse mass that MuJoCo sees at it (computation, "Parameters").
    """
    if foot.fast.loop_solimp is not None:
        return foot.fast.loop_solimp
    full, light = loop_masses(bare(foot))
    start, end, *rest = foot.loop_solimp
    (t, z), (fast_t, fast_z) = foot.loop_solref, foot.fast.loop_solref
    if t < 0 or fast_t < 0:
        return foot.loop_solimp
    ratio = full / light * (t * z / (fast_t * fast_z)) ** 2
    soft, hard = (1 - min(1 - ratio * (1 - d), 0.9999) for d in (start, end))
    return 1 - min(soft, 0.9), 1 - min(hard, 0.9), rest[0], rest[1], rest[2]


@lru_cache(maxsize=64)
def loop_masses(foot: SoftFoot) -> tuple[float, float]:
    """Inverse mass [1/kg] that MuJoCo sees at a loop of one chain of the full foot, and at its rod."""
    one = replace(foot, coupling="rolling", band_model="joint", chains=1, chain_offsets=None)
    model = one.build().compile()
    loop = sum(float(model.body_invweight0[model.body(b).id, 0]) for b in ("anterior_arch", "chain1_metatarsus"))
    fixed = replace(one, fidelity="hinge", fast=replace(foot.fast, loop_solimp=(0.99, 0.995, 0.001, 0.5, 2.0)))
    light = fixed.build().compile()
    return loop, float(light.tendon_invweight0[light.tendon("loop1_rod").id])


@lru_cache(maxsize=64)
def cord_of(foot: SoftFoot) -> tuple[tuple[float, ...], float]:
    """Lengthening of the cord by a turn of each coupling [m/rad], and its slack in the straight foot [m].

    Both are measured on one chain of the full foot, so that every route of the cord is covered.
    """
    one = replace(foot, fidelity="full", coupling="rolling", band_model="joint", chains=1, chain_offsets=None)
    model = one.build().compile()
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    cord = model.tendon("tendon1").id
    row = np.zeros(model.nv)
    adr, size = model.ten_J_rowadr[cord], model.ten_J_rownnz[cord]
    row[model.ten_J_colind[adr : adr + size]] = data.ten_J.ravel()[adr : adr + size]
    arms = []
    for name in (b for b in one.contact_bodies if b != "heel"):
        # Both hinges of a pair turn by half of the coupling's angle.
        arms.append(sum(float(row[model.joint(f"{name}_{end}").dofadr[0]]) for end in "ab") / 2)
    return tuple(arms), float(model.tendon_range[cord, 1] - data.ten_length[cord])


def hinge_spring(foot: SoftFoot) -> tuple[float, float]:
    """Linear [N m/rad] and cubic [N m/rad^3] stiffness of the one hinge of a coupling of one chain."""
    if foot.band_model == "joint":
        # Two equal hinges in series are half as stiff as each alone.
        return foot.band.hinge_stiffness / 2, 0.0
    band = foot.band
    _, length, natural = band_lengths(band, foot.coupling_length)
    turn = np.linspace(-foot.flexion_limit, foot.flexion_limit, 101)
    half, a = turn / 2, band.exit_offset
    # The energy of the stretched band, derived by the coupling's angle, which is twice that of a hinge.
    longer = length - natural + 2 * a * (1 - np.cos(half))
    torque = band.axial_stiffness * longer * a * np.sin(half)
    linear, cubic = np.linalg.lstsq(np.stack([turn, turn**3], axis=1), torque, rcond=None)[0]
    return float(linear), float(cubic)
