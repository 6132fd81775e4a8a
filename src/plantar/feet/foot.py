"""What every foot is: a frozen description that builds its own `mujoco.MjSpec`.

Your own foot is a subclass with a name, fields and `build`; everything else has a working default, measured on what
was built. docs/own_foot.md is a worked example.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import tempfile
from abc import ABC, abstractmethod
from functools import lru_cache
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar, Literal, Self

import mujoco
import numpy as np

from plantar._checks import require_choice
from plantar._config import Checked
from plantar._fields import edited, from_record, scaled, to_record
from plantar._notebook import fields_html
from plantar.feet import contact as _contact
from plantar.feet.contact import Contact
from plantar.feet.locked import lock
from plantar.feet.sensors import add_contact_force
from plantar.feet.sole import Sole, contact_bodies, measure
from plantar.feet.stations import Stations, evenly_spaced

PICTURE = (480, 360)
"""Width and height of the picture in notebooks [pixel]."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class Foot(Checked, ABC):
    """Base of all feet.

    A foot's spec has its origin at the ankle, x forward, y left and z up, and one root body named
    `ankle` without a joint, so that `parent.attach(foot.spec(), frame=frame, prefix="left/")` puts
    the ankle at `frame`.
    """

    name: ClassVar[str]
    """Name in the registry, `plantar.feet.get(name)`."""
    title: ClassVar[str] = ""
    """Human-readable name; the registry name if empty."""
    derivation: ClassVar[tuple[str, ...]] = ()
    """Derivation, step by step, for the README of an exported folder."""
    citations: ClassVar[tuple[str, ...]] = ()
    """References to cite."""
    fidelities: ClassVar[tuple[str, ...]] = ("full",)
    """Builds that differ; a foot accepts all fidelities and builds the nearest it has."""
    integrator: ClassVar[Literal["implicitfast", "discrete"]] = "implicitfast"
    """MuJoCo's integrator that suits it: `discrete` where springs are too stiff for a step."""

    fidelity: Literal["full", "hinge", "fast"] = "full"
    """How much of the mechanism is built: all of it, one hinge for each coupling, or merged chains as well
    (docs/fast.md). Rigid feet have nothing to leave out and ignore it."""
    contact: Contact | None = Contact()
    """How its sole yields, the same for all its parts and builds; None keeps MuJoCo's defaults."""
    rigid: bool = False
    """True fixes every joint: geometry, mass and contact stay; see `locked`."""

    def __post_init__(self) -> None:
        """Check what all feet share."""
        require_choice("fidelity", self.fidelity, ("full", "hinge", "fast"))

    @abstractmethod
    def build(self) -> mujoco.MjSpec:
        """Build the bodies, joints, geoms and sensors of the mechanism, as if its ankle were held."""

    def spec(self, *, sensors: bool = False) -> mujoco.MjSpec:
        """Build a fresh spec; every call returns a new one that the caller may edit.

        Its contact is correct for a foot on a slider; `plantar.feet.set_contact` corrects it in another model.

        Args:
            sensors: Whether each part of the sole has a force sensor, `<body>_force`; they cost time at every step.
        """
        spec = lock(self.build(), self.name) if self.rigid else self.build()
        if self.contact is not None:
            _contact.realise(spec, self, self.contact, _inverse_masses(self))
        for body in spec.bodies:
            if body.explicitinertial and np.isnan(body.ipos[0]):
                body.ipos = [0, 0, 0]  # what it compiles to; a file without it is refused
        if sensors:
            there = {sensor.name for sensor in spec.sensors}
            for body in self.contact_bodies:
                if f"{body}_force" not in there:
                    add_contact_force(spec, f"{body}_force", body)
        return spec

    def model(self) -> mujoco.MjModel:
        """Compile the foot alone, its ankle fixed in the world."""
        return self.spec().compile()

    @property
    def sole(self) -> Sole:
        """Outline and parts of the sole of the undeformed foot, measured on its colliders."""
        return measure(self)

    @property
    def sole_height(self) -> float:
        """Height of the ankle above the ground in the undeformed foot [m]."""
        return self.sole.height

    @property
    def contact_bodies(self) -> tuple[str, ...]:
        """Names of the bodies that can touch the ground, heel first."""
        return _contact_bodies(self)

    def contact_areas(self) -> dict[str, float]:
        """Contact area of each body on flat ground [m^2]: the outline of its colliders from below."""
        return {part.body: part.area for part in self.sole.parts}

    @property
    def stations(self) -> Stations:
        """Where a bench supports the foot and places obstacles.

        Raises:
            InvalidInput: If it cannot lie on two supports; the message says why.
        """
        return evenly_spaced(self.sole)

    @property
    def tension_sensors(self) -> tuple[str, ...]:
        """Names of the sensors that measure the tension of its tendons or chains, if any."""
        return ()

    @property
    def tension_share(self) -> float:
        """Fraction of such a reading that one real tendon carries, where a light build merges several."""
        return 1.0

    def residuals(self, model: mujoco.MjModel, sensors: np.ndarray, prefix: str = "") -> list[float]:
        """Gap of each closed loop, from the sensors `loop<n>_residual` of a model that holds the foot [m], if any."""
        gaps, number = [], 1
        while (at := mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_SENSOR, f"{prefix}loop{number}_residual")) >= 0:
            first = int(model.sensor_adr[at])
            gaps.append(float(np.linalg.norm(sensors[first : first + int(model.sensor_dim[at])])))
            number += 1
        return [] if self.rigid else gaps

    @property
    def surrogate(self) -> Foot:
        """A faster foot that stands the same way, for when only its balance matters; by default the foot itself."""
        return self

    @property
    def caveats(self) -> tuple[str, ...]:
        """Where the foot's model is known to be inaccurate, as sentences; by default nowhere."""
        return ()

    def for_side(self, side: Literal["left", "right"]) -> Foot:
        """The foot for one side of a robot; most feet are symmetric."""
        return dataclasses.replace(self, side=side) if hasattr(self, "side") else self

    def locked(self) -> Self:
        """The same foot with every joint fixed: same geometry, mass and contact, no softness; a control."""
        return dataclasses.replace(self, rigid=True)

    def scaled(self, factor: float) -> Self:
        """The foot scaled up or down, made of the same materials.

        Every field is scaled by its unit: lengths by the factor, masses by its cube, inertias by its fifth power,
        stiffnesses in N/m by the factor and in N m/rad by its cube, forces by its square, dampings in N m s/rad by
        its fourth power, a sole's stiffness in N/m^3 by its inverse. Angles, hardnesses and counts stay.
        """
        return scaled(self, factor)

    def set_options(self, spec: mujoco.MjSpec) -> dict[str, tuple[str, str]]:
        """Set options, other than the integrator, that this foot needs in the model it is attached to; most need none.

        Returns:
            What was changed, before and after.
        """
        return {}

    def export(self, folder: str | Path, *, overwrite: bool = False) -> Path:
        """Write a self-contained model folder; see `plantar.feet.export`."""
        return self._files().export(self, folder, overwrite=overwrite)

    def _repr_html_(self) -> str:
        """A picture of the foot and its fields with their units, for notebooks."""
        with tempfile.TemporaryDirectory() as folder:
            drawn = self._files().draw(self, Path(folder) / "foot.png", PICTURE)
            return fields_html(self, drawn and drawn.read_bytes())

    @staticmethod
    def _files() -> ModuleType:
        from plantar.feet import export  # noqa: PLC0415  (it draws pictures; keep lazy)

        return export

    def to_dict(self) -> dict[str, Any]:
        """The foot as plain data, with its registry name under `foot`."""
        return {"foot": self.name, **to_record(self)}

    @classmethod
    def from_dict(cls, record: dict[str, Any]) -> Self:
        """Rebuild a foot from `to_dict`; unknown fields are an error that lists the known ones."""
        return from_record(cls, {k: v for k, v in record.items() if k != "foot"})

    def with_(self, **changes: object) -> Self:
        """A copy with some fields changed; `band__hardness=70` reaches into a part, `scale=0.6` scales it first.

        Raises:
            InvalidInput: If a name is unknown or a value not allowed.
        """
        factor = changes.pop("scale", None)
        return edited(self if factor is None else self.scaled(factor), changes)  # type: ignore[arg-type]

    def fingerprint(self) -> str:
        """Short hash of the description; equal feet have equal fingerprints."""
        # Through `from_dict`, so that 1 and 1.0 count as the same number.
        text = json.dumps(self.from_dict(self.to_dict()).to_dict(), sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:12]


@lru_cache(maxsize=128)
def _contact_bodies(foot: Foot) -> tuple[str, ...]:
    return contact_bodies(foot.build().compile(), foot.name)


@lru_cache(maxsize=128)
def _inverse_masses(foot: Foot) -> dict[str, float]:
    """By part of the sole, the inverse mass that MuJoCo takes for its contacts when the foot is on a slider [1/kg]."""
    names = foot.contact_bodies  # first, as it says what is wrong with the foot
    spec = mujoco.MjSpec()
    slider = spec.worldbody.add_body()
    slider.add_joint(type=mujoco.mjtJoint.mjJNT_SLIDE, axis=[0, 0, 1])
    child = lock(foot.build(), foot.name) if foot.rigid else foot.build()
    spec.attach(child, frame=slider.add_frame(), prefix="foot/")
    model = spec.compile()
    return {name: float(model.body_invweight0[model.body(f"foot/{name}").id, 0]) for name in names}
