"""What every foot is: a frozen description that builds its own `mujoco.MjSpec`."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from abc import ABC, abstractmethod
from pathlib import Path
from typing import Any, ClassVar, Literal, Self

import mujoco

from plantar._checks import require_choice
from plantar._fields import edited, from_record, to_record


@dataclasses.dataclass(frozen=True, kw_only=True)
class Foot(ABC):
    """Base of all feet.

    A foot's spec has its origin at the ankle, x forward, y left and z up, and one root body named
    `ankle` without a joint, so that `parent.attach(foot.spec(), frame=frame, prefix="left/")` puts
    the ankle at `frame`.
    """

    name: ClassVar[str]
    """Name in the registry, `plantar.feet.get(name)`."""
    integrator: ClassVar[Literal["implicitfast", "discrete"]] = "implicitfast"
    """MuJoCo's integrator that suits it: `discrete` where springs are too stiff for a step."""
    fidelities: ClassVar[tuple[str, ...]] = ("full",)
    """Values of `fidelity` that give different builds."""

    fidelity: Literal["full", "hinge", "fast"] = "full"
    """How much of the mechanism is built: all of it, one hinge a coupling, or merged chains as well
    (docs/fast.md). Rigid feet have nothing to leave out and ignore it."""

    def __post_init__(self) -> None:
        """Check what all feet share."""
        require_choice("fidelity", self.fidelity, ("full", "hinge", "fast"))

    @abstractmethod
    def spec(self) -> mujoco.MjSpec:
        """Build a fresh spec; every call returns a new one that the caller may edit."""

    @property
    @abstractmethod
    def sole_height(self) -> float:
        """Height of the ankle above the ground in the undeformed foot [m]."""

    @property
    @abstractmethod
    def contact_bodies(self) -> tuple[str, ...]:
        """Names of the bodies that can touch the ground, heel first."""

    def model(self) -> mujoco.MjModel:
        """Compile the foot alone, its ankle fixed in the world."""
        return self.spec().compile()

    @property
    def stand_in(self) -> Foot:
        """A quicker foot that stands alike, where only its balance is asked for; most feet are their own."""
        return self

    def set_options(self, spec: mujoco.MjSpec) -> dict[str, tuple[str, str]]:
        """Set options that this foot needs beside its integrator in the model it is attached to; most need none.

        Returns:
            What was changed, before and after.
        """
        return {}

    def export(self, folder: str | Path, *, overwrite: bool = False) -> Path:
        """Write a self-contained model folder; see `plantar.feet.export`."""
        from plantar.feet.export import export  # noqa: PLC0415  (it draws pictures; keep lazy)

        return export(self, folder, overwrite=overwrite)

    def to_dict(self) -> dict[str, Any]:
        """The foot as plain data, with its registry name under `foot`."""
        return {"foot": self.name, **to_record(self)}

    @classmethod
    def from_dict(cls, record: dict[str, Any]) -> Self:
        """Rebuild a foot from `to_dict`; unknown fields are an error that lists the known ones."""
        return from_record(cls, {k: v for k, v in record.items() if k != "foot"})

    def with_(self, **changes: object) -> Self:
        """A copy with some fields changed; `band__hardness=70` reaches into a part.

        Raises:
            InvalidInput: If a name is unknown or a value not allowed.
        """
        return edited(self, changes)

    def fingerprint(self) -> str:
        """Short hash of the description; equal feet have equal fingerprints."""
        # Through `from_dict`, so that 1 and 1.0 count as the same number.
        text = json.dumps(self.from_dict(self.to_dict()).to_dict(), sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:12]
