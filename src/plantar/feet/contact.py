"""Contact that belongs to the sole: a layer with the same indentation under the same pressure, on any part.

MuJoCo's contacts are softer the lighter the touching body is, so that one `solref` for a whole foot lets light modules
sink in where a heavy heel does not. Here each geom of a sole gets its own parameters: the two numbers that give the
desired stiffness follow from its area and the inverse mass that MuJoCo sees at its body, whatever the mass of the
part, the number of parts, the time step and the floor.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import mujoco
import numpy as np

from plantar._arguments import checks_arguments
from plantar._checks import require, require_positive
from plantar._config import Checked
from plantar.ground.laws.impedance import MAX_IMPEDANCE
from plantar.ground.laws.linear import ContactLaw
from plantar.model.shape import outline

if TYPE_CHECKING:
    from plantar.feet.foot import Foot

RATE = 250.0
"""Rate at which a contact absorbs an approach [1/s]: it is halved in 3 ms, and stable up to steps of 8 ms."""
LEAST_IMPEDANCE = 0.05
"""Below this a contact is a plain spring and damper; softer soles respond more slowly, as their springs do."""
LEAST_FRICTION = 0.2
"""With less friction than this, pyramidal cones are made harder than requested: with their small regularisation, a sole
of the requested softness would absorb an approach so slowly that it falls through its ground."""
WEIGHT = 1e6
"""Weight (`solmix`) of a sole's parameters against those of the ground, whose weight is 1 by default."""
POINTS = {mujoco.mjtGeom.mjGEOM_BOX: 4, mujoco.mjtGeom.mjGEOM_MESH: 4, mujoco.mjtGeom.mjGEOM_CYLINDER: 4}
"""Contact points of a geom that lies on a floor; capsules have 2, spheres and ellipsoids 1."""
ROUND = (mujoco.mjtGeom.mjGEOM_SPHERE, mujoco.mjtGeom.mjGEOM_ELLIPSOID)
_CAPSULE, _ELLIPTIC = mujoco.mjtGeom.mjGEOM_CAPSULE, mujoco.mjtCone.mjCONE_ELLIPTIC


class Touched(NamedTuple):
    """What a geom of the ground brings to its contacts with a sole."""

    friction: float = 1.0
    """Sliding friction."""
    condim: int = 3
    """Dimensions of its contacts."""
    priority: int = 0
    """Of two geoms that differ in it, the higher one decides alone."""
    contype: int = 1
    """Bits of what it touches."""
    conaffinity: int = 1
    """Bits of what touches it."""

    def meets(self, geom: mujoco.MjsGeom) -> bool:
        """Whether both can touch."""
        return bool((self.contype & geom.conaffinity) or (geom.contype & self.conaffinity))


UNKNOWN = (Touched(),)
"""The ground of a model that has none yet: MuJoCo's default geom."""


@dataclass(frozen=True, kw_only=True)
class Contact(Checked, prefix="contact."):
    """How a sole yields: in proportion to the pressure on it, like a thin layer on a hard backing."""

    stiffness: float = 1.0e9
    """Pressure per metre of depth [N/m^3]; the default is a tread of 2.5 mm of rubber of 50 Shore A (Gent, 1958:
    2.5 MPa), which 50 kPa indents by 0.05 mm."""
    damping_time: float = 0.1
    """Damping over stiffness [s]. It also slows the creep of MuJoCo's friction, which is a damper of this size."""

    def __post_init__(self) -> None:
        """Check every field."""
        require_positive(self, "contact.", ("stiffness", "damping_time"))
        ok = 1e5 <= self.stiffness <= 1e13
        require(ok, "contact.stiffness", self.stiffness, "1e5 to 1e13 N/m^3: a modulus [Pa] over a thickness [m]")
        require(self.damping_time <= 10, "contact.damping_time", self.damping_time, "seconds, 10 at most")

    @classmethod
    def pad(cls, *, modulus: float, thickness: float, damping_time: float = 0.1) -> Contact:
        """The contact of a pad.

        Args:
            modulus: Young's modulus of its material, or its apparent one if it is wide and thin [Pa].
            thickness: Its thickness [m].
            damping_time: Damping over stiffness [s].
        """
        require(1e3 <= modulus <= 1e12, "modulus", modulus, "1e3 to 1e12 Pa")
        require(1e-5 <= thickness <= 0.1, "thickness", thickness, "a length in metres from 1e-5 to 0.1")
        return cls(stiffness=modulus / thickness, damping_time=damping_time)

    def on(self, ground_stiffness: float | None) -> Contact:
        """This contact in series with a ground of this pressure per metre of depth [N/m^3]; None is rigid."""
        if ground_stiffness is None:
            return self
        require(ground_stiffness > 0, "ground_stiffness", ground_stiffness, "a number above 0 [N/m^3]")
        return Contact(stiffness=1 / (1 / self.stiffness + 1 / ground_stiffness), damping_time=self.damping_time)


@checks_arguments
def set_contact(spec: mujoco.MjSpec, foot: Foot, *prefixes: str, ground_stiffness: float | None = None) -> None:
    """Set the contact of a foot's sole inside the model that it was attached to, once or several times.

    `foot.spec()` carries parameters for a foot on a slider. In another model the parts have different inverse masses,
    up to twice for the heel; call this once the model is complete. Plantar's own rigs, scenes and `robots.mount` do.

    Args:
        spec: The complete model; it is compiled once to learn the inverse masses.
        foot: The foot.
        *prefixes: Prefixes of its names; none for a foot alone.
        ground_stiffness: Pressure per metre of depth of a yielding ground in series [N/m^3].
    """
    if foot.contact is None:
        return
    contact = foot.contact.on(ground_stiffness)
    model = spec.compile()
    ground = _ground(model)
    for prefix in prefixes or ("",):
        bodies = {name: model.body(prefix + name).id for name in foot.contact_bodies}
        masses = {name: float(model.body_invweight0[b, 0]) for name, b in bodies.items()}
        realise(spec, foot, contact, masses, prefix, ground=ground)


def realise(
    spec: mujoco.MjSpec,
    foot: Foot,
    contact: Contact,
    inverse_mass: Mapping[str, float],
    prefix: str = "",
    *,
    ground: Collection[Touched] = UNKNOWN,
) -> None:
    """Write the parameters of `contact` into the geoms of a sole.

    Args:
        spec: The model.
        foot: The foot.
        contact: Its contact.
        inverse_mass: By body, the inverse mass that MuJoCo takes for its contacts [1/kg].
        prefix: Prefix of the foot's names.
        ground: What it stands on; of several grounds the roughest counts, on which it is softest.
    """
    areas = foot.contact_areas()
    for name, inverse in inverse_mass.items():
        geoms = [geom for geom in spec.body(prefix + name).geoms if geom.contype or geom.conaffinity]
        for geom in geoms:
            law = _law(contact, areas[name] / len(geoms), geom)
            mass = 1 / (max(inverse, 1e-9) * _share(spec, geom, ground))
            # given the reference damping b and stiffness b / damping_time, the impedance supplies the rest
            soft = RATE / contact.damping_time / (law.stiffness / mass)
            impedance = min(max(1 - soft, LEAST_IMPEDANCE), MAX_IMPEDANCE)
            solref, solimp = law.to_mujoco(effective_mass=mass, impedance=impedance)
            geom.solref, geom.solimp, geom.solmix = list(solref), list(solimp), WEIGHT


def footprint(model: mujoco.MjModel, data: mujoco.MjData, geom: int) -> tuple[np.ndarray, np.ndarray]:
    """Lowest and highest corner of a geom in the world, of the box around it that is square to the axes [m]."""
    points = outline(model, data, geom)
    return points.min(axis=0), points.max(axis=0)


def _law(contact: Contact, area: float, geom: mujoco.MjsGeom) -> ContactLaw:
    """The law of one contact point of a geom of `area`."""
    points = POINTS.get(geom.type, 2 if geom.type == _CAPSULE else 1)
    stiffness = contact.stiffness * area / points
    return ContactLaw(stiffness=stiffness, damping=contact.damping_time * stiffness)


def _ground(model: mujoco.MjModel) -> Collection[Touched]:
    """What in a model does not move by itself and collides."""
    body = model.geom_bodyid
    still = (model.body_weldid[body] == 0) | (model.body_mocapid[body] >= 0)
    found = np.flatnonzero(still & ((model.geom_contype | model.geom_conaffinity) != 0))
    columns = (model.geom_condim, model.geom_priority, model.geom_contype, model.geom_conaffinity)
    return {Touched(float(model.geom_friction[g, 0]), *(int(column[g]) for column in columns)) for g in found}


def _share(spec: mujoco.MjSpec, geom: mujoco.MjsGeom, ground: Collection[Touched]) -> float:
    """Effect of a pyramidal friction cone on the inverse mass of a contact (engine: `mj_makeImpedance`).

    The friction is that of the contact, the larger of the two geoms'.
    """
    met = [other for other in ground if other.meets(geom)] or UNKNOWN
    met = [other for other in met if other.priority == geom.priority]
    condim = max([int(geom.condim), *(other.condim for other in met)])
    if spec.option.cone == _ELLIPTIC or condim == 1:
        return 1.0
    friction = max([float(geom.friction[0]), LEAST_FRICTION, *(other.friction for other in met)])
    return friction**2 / spec.option.impratio * (1 + friction**2) / (condim - 1)
