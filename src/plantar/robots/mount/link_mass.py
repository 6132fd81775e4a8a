"""Mass of the link that carried an old foot, without its sole."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import mujoco
import numpy as np

from plantar.model.legs import Leg
from plantar.model.shape import outlines
from plantar.model.tree import collides

RUBBER = 1000.0
"""Density of a foot at the end of a shank, where the model does not give its mass [kg/m^3]."""
MOST, LEAST = 0.9, 0.05
"""Largest fraction of a link that may be taken as its sole; smallest fraction of a principal inertia that must stay."""


class LinkMass(NamedTuple):
    """Mass of a rigid link in its own frame."""

    mass: float
    """Mass [kg]."""
    com: np.ndarray
    """Centre of mass (3,) [m]."""
    inertia: np.ndarray
    """Inertia about it, in the link's axes (3, 3) [kg m^2]."""


def link_mass(model: mujoco.MjModel, body: int) -> LinkMass:
    """Mass of a body of a compiled model."""
    turn = np.zeros(9)
    mujoco.mju_quat2Mat(turn, model.body_iquat[body])
    axes = turn.reshape(3, 3)
    inertia = axes @ np.diag(model.body_inertia[body]) @ axes.T
    return LinkMass(float(model.body_mass[body]), model.body_ipos[body].copy(), inertia)


def without_sole(whole: LinkMass, ankle: np.ndarray, sole: np.ndarray) -> tuple[LinkMass, str]:
    """A foot on an ankle, without its sole.

    The link is read as two parts, one at the ankle joint and one at the sole, in the ratio in which its centre of
    mass lies between them. What stays is the part at the ankle; all of it where the centre of mass is not below that.

    Args:
        whole: The link.
        ankle: Ankle joint in the link [m].
        sole: Middle of the sole in the link [m].
    """
    down = sole - ankle
    share = float((whole.com - ankle) @ down / max(down @ down, 1e-12))
    if share <= 0:
        return whole, "nothing taken off, as its centre of mass is not below the ankle"
    keep = 1 - (share := min(share, MOST))
    how = f"{share:.0%} of it is sole, as its centre of mass lies {share:.0%} of the way from ankle to sole"
    return LinkMass(whole.mass * keep, ankle.copy(), whole.inertia * keep), how


def without_part(whole: LinkMass, mass: float, com: np.ndarray, inertia: np.ndarray) -> LinkMass:
    """A link without a part of it; the remaining inertia is kept physically possible.

    Args:
        whole: The link.
        mass: Mass of the part [kg].
        com: Its centre of mass in the link [m].
        inertia: Its inertia about that [kg m^2] (3, 3).
    """
    mass = min(mass, MOST * whole.mass)
    rest = whole.mass - mass
    centre = (whole.mass * whole.com - mass * com) / rest
    left = whole.inertia + whole.mass * _steiner(whole.com - centre) - inertia - mass * _steiner(com - centre)
    if not _possible(left, whole.inertia):
        left = whole.inertia * rest / whole.mass
    return LinkMass(rest, centre, left)


def lightened(
    model: mujoco.MjModel,
    data: mujoco.MjData,
    leg: Leg,
    geoms: Sequence[int],
    ankle: np.ndarray | None,
    sole: np.ndarray,
) -> tuple[LinkMass, str]:
    """The link of a leg without its old sole, and how that was found.

    Args:
        model: The robot with its old feet.
        data: The robot in its standing posture.
        leg: The leg.
        geoms: Geoms of the old foot.
        ankle: Ankle joint in the world [m]; None for a foot at the end of a shank.
        sole: Middle of the old sole in the world [m].
    """
    whole = link_mass(model, leg.body)
    frame, place = data.xmat[leg.body].reshape(3, 3), data.xpos[leg.body]
    if ankle is not None:
        return without_sole(whole, frame.T @ (ankle - place), frame.T @ (sole - place))
    touching = [g for g in geoms if collides(model, g)]
    if not touching or whole.mass <= 0:
        return whole, "nothing taken off"
    points = outlines(model, data, touching)
    size = np.ptp(points, axis=0)
    volume = np.pi / 6 * float(np.prod(size))
    mass = min(RUBBER * volume, 0.5 * whole.mass)
    com = frame.T @ ((points.min(axis=0) + points.max(axis=0)) / 2 - place)
    inertia = frame.T @ np.diag(mass / 20 * (size @ size - size**2)) @ frame
    return without_part(whole, mass, com, inertia), f"its end taken as {1e6 * volume:.0f} cm3 of {RUBBER:g} kg/m3"


def set_link(body: mujoco.MjsBody, link: LinkMass) -> None:
    """Give a body of a spec this mass, whatever its geoms weigh."""
    xx, yy, zz = np.diag(link.inertia)
    body.explicitinertial = True
    body.mass, body.ipos, body.iquat = link.mass, link.com, [1, 0, 0, 0]
    body.ialt.type = mujoco.mjtOrientation.mjORIENTATION_QUAT
    body.inertia = [0, 0, 0]  # either the full matrix or the diagonal may be given
    body.fullinertia = [xx, yy, zz, link.inertia[0, 1], link.inertia[0, 2], link.inertia[1, 2]]


def bake(spec: mujoco.MjSpec, model: mujoco.MjModel) -> bool:
    """Write compiled masses into a spec whose compiler would otherwise recompute them from geoms or scale them.

    Returns:
        Whether that was needed.
    """
    compiler = spec.compiler
    derived = compiler.inertiafromgeom == mujoco.mjtInertiaFromGeom.mjINERTIAFROMGEOM_TRUE
    adjusted = compiler.balanceinertia or max(compiler.settotalmass, compiler.boundmass, compiler.boundinertia) > 0
    if not derived and not adjusted:
        return False
    for number in range(1, model.nbody):
        if model.body_mass[number] > 0:
            set_link(spec.body(model.body(number).name), link_mass(model, number))
    compiler.inertiafromgeom = mujoco.mjtInertiaFromGeom.mjINERTIAFROMGEOM_AUTO
    compiler.settotalmass, compiler.balanceinertia = -1, False
    compiler.boundmass = compiler.boundinertia = 0
    return True


def _steiner(arm: np.ndarray) -> np.ndarray:
    return (arm @ arm) * np.eye(3) - np.outer(arm, arm)


def _possible(inertia: np.ndarray, of: np.ndarray) -> bool:
    """Whether this inertia is physically possible and not negligible compared with `of`."""
    low, middle, high = np.linalg.eigvalsh(inertia)
    return low > LEAST * np.linalg.eigvalsh(of)[0] and low + middle >= high * (1 + 1e-9)
