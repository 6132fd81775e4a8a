"""The solid foot: rubber simulated by finite elements, condensed to springs that MuJoCo integrates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import mujoco
import numpy as np

from plantar._checks import check_at_least, check_metres, require, require_choice, require_positive
from plantar.feet.contact import Contact
from plantar.feet.foot import Foot
from plantar.feet.registry import register
from plantar.feet.softfoot.bands import young_from_shore_a


@register
@dataclass(frozen=True, kw_only=True)
class SolidFoot(Foot):
    """A soft sole or a whole soft foot, from a few lengths or from a mesh.

    The soft part is a mesh of tetrahedra under a rigid mount at the ankle. `spec()` gives it to MuJoCo either
    condensed (`form="condensed"`): pads of the sole on springs whose stiffness is the finite-element one, couplings
    between all pads included; or whole (`form="flex"`), as a flex of the same tetrahedra. docs/solid_foot.md says
    what each keeps and leaves out; `plantar soft foot` measures it.

    `fidelity="fast"` lets pads move up and down only.

    Bodies: `ankle` and `pad1`, `pad2`, ... from heel to toe, right to left; of a flex, `ankle` and `node0`, ...
    """

    name: ClassVar[str] = "solid"
    title: ClassVar[str] = "Solid foot"
    derivation: ClassVar[tuple[str, ...]] = (
        "Rubber between a rigid mount and the ground is meshed with tetrahedra; its stiffness is condensed to the pads "
        "of the sole, which slide against the ankle on springs, couplings between pads included.",
    )
    fidelities: ClassVar[tuple[str, ...]] = ("full", "fast")
    integrator: ClassVar[Literal["implicitfast", "discrete"]] = "discrete"

    length: float = 0.240
    """Length of the sole, heel to toe [m]."""
    width: float = 0.095
    """Width of the sole at its widest [m]."""
    thickness: float = 0.020
    """Thickness of the sole [m]."""
    toe_spring: float = 0.0
    """How far the sole's tip is off the ground at rest; it rises over the last third [m]."""
    mesh_file: str = ""
    """A .vtu, .vtk or .msh file of tetrahedra, z up, to take in place of the sole; the fields above are then unused."""
    mesh_unit: float = 1.0
    """Length of that file's unit [m]."""
    mount_depth: float = 0.004
    """The file's nodes this far below its top are fixed to the ankle, unless it names a region `mount` [m]."""
    hardness: float = 50.0
    """Hardness of the rubber [Shore A]; Young's modulus follows from it."""
    modulus: float | None = None
    """Young's modulus of the rubber [Pa], as `plantar soft fit` finds it; that of the hardness if not given."""
    poisson: float = 0.45
    """Poisson's ratio; rubber has nearly 0.5, which linear tetrahedra turn into locking."""
    density: float = 1100.0
    """Density of the rubber [kg/m^3]."""
    loss_time: float = 0.003
    """Damping of the rubber: stress from strain rate over stress from strain [s]."""
    ankle_height: float = 0.0957
    """Height of the ankle above the ground [m]."""
    ankle_offset: tuple[float, float] = (-0.041, 0.0)
    """Ankle from the middle of the sole, (x, y) [m]; x < 0: nearer to the heel."""
    mount_mass: float = 0.400
    """Mass of the rigid part between ankle and rubber [kg]."""
    friction: float = 1.0
    """Sliding friction of the sole."""
    contact: Contact | None = None
    """None: its rubber is what deforms, with contact as hard as the solver allows."""
    cell: float = 0.010
    """Edge of the mesh's cells [m]; smaller is more exact and slower to condense."""
    pads: tuple[int, int] = (8, 3)
    """Pads of the condensed foot along and across the sole."""
    collider: Literal["ellipsoid", "box"] = "ellipsoid"
    """How a pad touches: `ellipsoid` in one point, for floors; `box` with a flat face, for edges, rods and stones."""
    form: Literal["condensed", "flex"] = "condensed"
    """What `spec()` builds."""

    def __post_init__(self) -> None:
        """Check every field; the first bad one is named."""
        super().__post_init__()
        require_choice("collider", self.collider, ("ellipsoid", "box"))
        require_choice("form", self.form, ("condensed", "flex"))
        positive = ("length", "width", "thickness", "mesh_unit", "mount_depth", "density", "loss_time", "ankle_height")
        require_positive(self, "", (*positive, "mount_mass", "cell"))
        check_at_least(self, "", ("friction", "toe_spring"))
        for name in ("length", "width", "thickness", "ankle_height", "cell"):
            check_metres(self, "", name)
        require(5 <= self.hardness <= 90, "hardness", self.hardness, "5 to 90 Shore A")
        ok = self.modulus is None or 1e4 <= self.modulus <= 1e9
        require(ok, "modulus", self.modulus, "None or a modulus from 1e4 to 1e9 Pa")
        require(0 <= self.poisson < 0.5, "poisson", self.poisson, "0 to 0.49")
        require(self.toe_spring < self.thickness, "toe_spring", self.toe_spring, "less than thickness")
        require(self.thickness < self.ankle_height, "thickness", self.thickness, "less than ankle_height")
        ok = 1 <= self.pads[0] <= 24 and 1 <= self.pads[1] <= 10
        require(ok, "pads", self.pads, "1 to 24 along and 1 to 10 across")

    @property
    def young(self) -> float:
        """Young's modulus of the rubber, by Gent's equation if it is not given [Pa]."""
        return young_from_shore_a(self.hardness) if self.modulus is None else self.modulus

    @property
    def sole_height(self) -> float:
        """Height of the ankle above the ground [m]."""
        return self.ankle_height

    @property
    def contact_bodies(self) -> tuple[str, ...]:
        """The pads, heel first; of a flex, the nodes of its sole."""
        from plantar.soft.foot.condense import condense  # noqa: PLC0415  (numba is loaded only when it is needed)

        if self.form == "flex":
            mesh = condense(self).shape.mesh
            sole = mesh.region("sole")
            return tuple(f"node{i}" for i in sole[np.argsort(mesh.nodes[sole, 0], kind="stable")])
        return tuple(f"pad{i + 1}" for i in range(len(condense(self).shape.areas)))

    def build(self) -> mujoco.MjSpec:
        """Build the foot; its origin is the ankle."""
        from plantar.soft.foot import flex, spec  # noqa: PLC0415

        return flex.flex_spec(self) if self.form == "flex" else spec.condensed_spec(self)

    @property
    def surrogate(self) -> Foot:
        """The condensed foot: the rubber is the same, and it settles in a fraction of a flex's time."""
        return self.with_(form="condensed") if self.form == "flex" else self

    @property
    def caveats(self) -> tuple[str, ...]:
        """Condensed pads are inaccurate on ground that is uneven within a pad; `plantar soft foot` shows it."""
        if self.form == "flex":
            return ()
        return (
            "the condensed solid foot is accurate on flat ground and steps, but not on bars, stones or slopes: "
            "`plantar soft foot` measures its error on each of them; use more pads, form='flex' or co-simulation there",
        )

    def set_options(self, spec: mujoco.MjSpec) -> dict[str, tuple[str, str]]:
        """Options that a flex needs to be as hard on the ground as rubber; a condensed foot needs none."""
        from plantar.soft.foot import flex  # noqa: PLC0415

        return flex.set_options(spec) if self.form == "flex" else {}
