"""A ground: contact parameters as one record that can be put on a geom or in a file."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import mujoco

from plantar._checks import require, require_choice
from plantar._config import Checked
from plantar._fields import from_record, to_record
from plantar._files import to_json, write_text
from plantar._read import read_json, reading
from plantar.errors import InvalidInput
from plantar.ground.laws.impedance import DEFAULT_SOLIMP, DEFAULT_SOLREF, SolImp, SolRef
from plantar.ground.laws.mujoco_law import MujocoLaw

_CONES = {"elliptic": mujoco.mjtCone.mjCONE_ELLIPTIC, "pyramidal": mujoco.mjtCone.mjCONE_PYRAMIDAL}
_DIAGEXACT = mujoco.mjtEnableBit.mjENBL_DIAGEXACT


@dataclass(frozen=True, kw_only=True)
class Ground(Checked):
    """What MuJoCo needs to know about a ground.

    By default the cone is elliptic and `impratio` is 100: with the small d0 of soft grounds a foot
    on a slope would otherwise creep by millimetres per second, and with pyramidal cones `impratio` would change the
    depth as well.
    """

    name: str = "ground"
    """Human-readable name."""
    solref: SolRef = DEFAULT_SOLREF
    """(time constant [s], damping ratio), or both <= 0: (-stiffness [1/s^2], -damping [1/s])."""
    solimp: SolImp = DEFAULT_SOLIMP
    """(d0, d_width, width [m], midpoint, power)."""
    friction: tuple[float, float, float] = (1.0, 0.005, 0.0001)
    """Sliding, torsional [m] and rolling [m] friction."""
    condim: int = 3
    """Dimension of the contacts: 1, 3, 4 or 6."""
    priority: int = 1
    """Priority of the geom; above that of the feet, these values are used instead of a mixture."""
    cone: Literal["elliptic", "pyramidal"] = "elliptic"
    """Friction cone of the whole model."""
    impratio: float = 100.0
    """Stiffness of friction over that of the normal direction, of the whole model."""
    diagexact: bool | None = None
    """Flag `diagexact` of the whole model; None leaves it as it is."""
    note: str = ""
    """Where the numbers come from."""

    def __post_init__(self) -> None:
        """Check every field; the first bad one is named."""
        MujocoLaw(solref=self.solref, solimp=self.solimp, effective_mass=1.0)
        good = len(self.friction) == 3 and all(math.isfinite(f) and f >= 0 for f in self.friction)
        require(good, "friction", self.friction, "three numbers that are 0 or above")
        require_choice("condim", self.condim, (1, 3, 4, 6))
        require_choice("cone", self.cone, tuple(_CONES))
        require(math.isfinite(self.impratio) and self.impratio > 0, "impratio", self.impratio, "a number above 0")

    def law(self, *, effective_mass: float, contacts: int = 1, timestep: float = 0.0) -> MujocoLaw:
        """The force law of this ground under contacts of the given inertia, for elliptic cones."""
        return MujocoLaw(
            solref=self.solref,
            solimp=self.solimp,
            effective_mass=effective_mass,
            contacts=contacts,
            timestep=timestep,
        )

    def apply(self, spec: mujoco.MjSpec, geom: mujoco.MjsGeom | str) -> mujoco.MjsGeom:
        """Put the ground on a geom of `spec`, and its cone, impratio and flag on the model's options.

        Args:
            spec: The scene; it is changed.
            geom: The ground's geom or its name.

        Returns:
            The geom.
        """
        found = spec.geom(geom) if isinstance(geom, str) else geom
        if found is None:
            names = ", ".join(g.name for g in spec.geoms if g.name) or "none has a name"
            raise InvalidInput(f"geom {geom!r} is not in the model: its geoms are {names}")
        self._write(found)
        found.priority, found.condim = self.priority, self.condim
        spec.option.cone, spec.option.impratio = _CONES[self.cone], self.impratio
        if self.diagexact is not None:
            spec.option.enableflags = _with_flag(spec.option.enableflags, self.diagexact)
        return found

    def apply_to_model(self, model: mujoco.MjModel, geom: int | str) -> None:
        """Put the ground on a geom of a compiled model, which is changed."""
        i = model.geom(geom).id if isinstance(geom, str) else geom
        model.geom_solref[i], model.geom_solimp[i] = self.solref, self.solimp
        model.geom_friction[i] = self.friction
        model.geom_priority[i], model.geom_condim[i] = self.priority, self.condim
        model.opt.cone, model.opt.impratio = _CONES[self.cone], self.impratio
        if self.diagexact is not None:
            model.opt.enableflags = _with_flag(model.opt.enableflags, self.diagexact)

    def _write(self, geom: mujoco.MjsGeom) -> None:
        geom.solref, geom.solimp, geom.friction = self.solref, self.solimp, self.friction

    def to_dict(self) -> dict[str, Any]:
        """The ground as plain data."""
        return to_record(self)

    @classmethod
    def from_dict(cls, record: dict[str, Any]) -> Ground:
        """Rebuild a ground; unknown fields are an error that lists the known ones."""
        return from_record(cls, record)

    def save(self, path: str | Path) -> Path:
        """Write the ground as JSON, for `--ground FILE` and `Ground.load`."""
        return write_text(path, to_json({"ground": self.to_dict()}, indent=2) + "\n")

    @classmethod
    def load(cls, path: str | Path) -> Ground:
        """Read a ground written by `save`.

        Raises:
            InvalidInput: If there is no such file, or it is not a ground.
        """
        with reading(path, "ground file", "give a ground's .json, as written by Ground.save"):
            record = read_json(path)
        if not isinstance(record, dict) or not isinstance(record.get("ground"), dict):
            raise InvalidInput(
                f"ground file {str(path)!r} does not hold a ground: write one with `plantar ground identify`"
            )
        return cls.from_dict(record["ground"])


def _with_flag(flags: int, on: bool) -> int:
    return int(flags) | int(_DIAGEXACT) if on else int(flags) & ~int(_DIAGEXACT)
