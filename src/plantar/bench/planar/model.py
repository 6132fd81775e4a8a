"""One press as an equilibrium problem: energy, constraints and where the foot starts from."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from plantar._checks import require
from plantar.bench.planar.contact import Box, Contacts, Cylinder, Plate, build_pairs
from plantar.bench.planar.energy import Energy, build_energy
from plantar.bench.planar.kinematics import FIRST, SLIDER, Linkage, build_linkage
from plantar.bench.planar.tendon import PlanarTendon, build_tendon
from plantar.bench.press.press import Trial
from plantar.bench.press.rig import PressRig
from plantar.errors import InvalidInput
from plantar.feet.foot import Foot
from plantar.feet.softfoot.layout import chain_offsets
from plantar.feet.softfoot.softfoot import SoftFoot

HEEL_LIMIT = math.pi / 2
"""The heel joint stops here, either way [rad]."""


@dataclass(frozen=True)
class PlanarModel:
    """Minimise energy + load z subject to loop = 0 and contacts, tendon and joint limits >= 0."""

    linkage: Linkage
    energy: Energy
    contacts: Contacts
    tendon: PlanarTendon | None
    load: float
    """Force of the slider [N]."""
    low: np.ndarray
    """Least value of every coordinate after the slider."""
    high: np.ndarray
    """Largest value of every coordinate after the slider."""
    damping: np.ndarray
    """Damping of every coordinate; affects the descent, not the equilibrium."""
    start: np.ndarray
    """The straight foot over the bench."""

    def energy_of(self, q: np.ndarray) -> float:
        """Potential energy with the load's [J]."""
        return self.energy.value(q) + self.load * float(q[SLIDER])

    def gradient(self, q: np.ndarray) -> np.ndarray:
        """Derivative of the potential energy."""
        slope = self.energy.gradient(q)
        slope[SLIDER] += self.load
        return slope

    def inequalities(self, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Contact gaps, room of the tendon and room of the joints, all >= 0, and their derivatives."""
        values, slopes = self.contacts.gaps(q)
        joints = np.eye(len(q))[1:]
        g, G = [values, q[1:] - self.low, self.high - q[1:]], [slopes, joints, -joints]
        if self.tendon:
            room, slope = self.tendon.room(q)
            g, G = [*g, [room]], [*G, slope]
        return np.concatenate(g), np.vstack(G)

    def hessian(self, q: np.ndarray, equal: np.ndarray, above: np.ndarray) -> np.ndarray:
        """Second derivative of the Lagrangian at multipliers `equal` and `above`."""
        loop = np.array([complex(*equal)])
        curvature = self.linkage.curvature(self.linkage.loop, loop, q)
        curvature += self.contacts.curvature(q, self.split(above)[0])
        if self.tendon and above[-1] > 0:
            curvature += above[-1] * self.tendon.curvature(q)
        return self.energy.hessian(q) - curvature

    def split(self, above: np.ndarray) -> tuple[np.ndarray, float]:
        """Forces of the contacts and of all tendons among the multipliers [N]."""
        return above[: len(self.contacts.pairs)], float(above[-1]) if self.tendon else 0.0


def build_model(foot: SoftFoot, rig: PressRig, trial: Trial) -> PlanarModel:
    """Put `foot` over the bench of one trial.

    Raises:
        InvalidInput: If the trial or the rig is not planar and free of friction.
    """
    check_scope(foot, rig)
    linkage = build_linkage(foot, rig.tilt)
    low, high = _limits(foot, linkage)
    damping = np.array([rig.slider_damping] + [foot.arch_damping] * 2 + [0.0] * len(linkage.links))
    # Two hinges that turn by half the angle each.
    damping[FIRST:] = foot.chains * foot.band.damping / 2
    start = np.zeros(linkage.size)
    start[SLIDER] = rig.start_height(foot, trial.height)
    return PlanarModel(
        linkage=linkage,
        energy=build_energy(foot, linkage, rig.gravity),
        contacts=Contacts(linkage, build_pairs(sole_boxes(foot, linkage), bench_parts(foot, rig, trial))),
        tendon=build_tendon(foot, linkage),
        load=trial.load,
        low=low,
        high=high,
        damping=np.maximum(damping, 1e-4),
        start=start,
    )


def check_scope(foot: Foot, rig: PressRig) -> SoftFoot:
    """Refuse what is not planar and free of friction, by name; returns the foot."""
    otherwise = "or use the simulation"
    if not isinstance(foot, SoftFoot) or foot.rigid:
        kind = "is locked" if foot.rigid else "has no chain of rolling modules"
        raise InvalidInput(f"foot {foot.name!r} {kind}: give the planar model a SoftFoot, {otherwise}")
    require(rig.friction == 0, "friction", rig.friction, f"0, as the planar model has no friction, {otherwise}")
    for name in ("ground_stiffness", "ground"):
        law = getattr(rig, name)
        require(law is None, name, law, f"None, as contacts of the planar model are rigid, {otherwise}")
    for name in ("shape", "support_shape"):
        shape = getattr(rig, name)
        require(shape != "sphere", name, shape, f"'cylinder' or 'box' for the planar model, {otherwise}")
    require(foot.collider == "box", "collider", foot.collider, f"'box' for the planar model, {otherwise}")
    if rig.obstacle_width is not None or rig.obstacle_y != 0:
        width = 0.08 if rig.obstacle_width is None else rig.obstacle_width
        reach, outer = width - abs(rig.obstacle_y), max(map(abs, chain_offsets(foot)))
        allowed = f"an obstacle under all chains for the planar model, {otherwise}"
        require(reach >= outer, "obstacle_width, obstacle_y", (rig.obstacle_width, rig.obstacle_y), allowed)
    return foot


def sole_boxes(foot: SoftFoot, linkage: Linkage) -> list[Box]:
    """The colliders of the heel and of one chain."""
    size = foot.heel_half_size
    heel = Box("heel", linkage.heel, foot.heel_centre, (size[0], size[2]), foot.heel_pitch)
    boxes = [heel]
    for body, link in zip(linkage.links, linkage.layout.links, strict=True):
        size = link.half_size
        boxes.append(Box(link.name, body, (link.centre, 0.0), (size[0], size[2])))
    return boxes


def bench_parts(foot: SoftFoot, rig: PressRig, trial: Trial) -> list[Cylinder | Plate]:
    """Supports, or the floor, and the obstacle if there is one."""
    obstacle = (_block(rig.shape, "obstacle", rig.obstacle_x(foot, trial.position), trial.height, rig.radius),)
    obstacle = obstacle if trial.height > 0 else ()
    if rig.flat:
        return [Plate("floor", 0.0, 0.0, math.inf), *obstacle]
    places = {"heel_support": rig.heel_x(foot), "metatarsus_support": rig.metatarsus_x(foot)}
    return [*(_block(rig.support_shape, name, x, 0.0, rig.support_radius) for name, x in places.items()), *obstacle]


def _block(shape: str, name: str, x: float, top: float, size: float) -> Cylinder | Plate:
    return Cylinder(name, x, top, size) if shape == "cylinder" else Plate(name, x, top, size)


def _limits(foot: SoftFoot, linkage: Linkage) -> tuple[np.ndarray, np.ndarray]:
    """Limits of heel, arch (which has none) and couplings."""
    down, up = foot.flexion_limit, foot.extension_limit
    couplings = [(-down, up) if link.reversed else (-up, down) for link in linkage.layout.links]
    low, high = np.array([(-HEEL_LIMIT, HEEL_LIMIT), (-math.pi, math.pi), *couplings]).T
    return low, high
