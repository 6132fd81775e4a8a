"""A fit of soil to measurements: laws compared on held-out data, parameters with intervals, notes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from plantar._notebook import Shown
from plantar.ground.soil.yielding import YieldingGround
from plantar.table import Table

UNTOLD = {
    "rebound": "how far soil springs back",
    "damping": "what fast sinking costs",
    "shear_stiffness": "how far soil yields before it slides",
    "cohesion": "strength without pressure",
    "friction": "strength under pressure",
}
"""Parameters of a ground that first loading does not determine, and what they are."""


@dataclass(frozen=True, kw_only=True, eq=False)
class SoilFit(Shown):
    """A law of soil fitted to measurements."""

    kind: str
    """press, wheel or intrusion."""
    law: str
    """The law with the least held-out error."""
    ground: YieldingGround
    """The soil with that law."""
    laws: Table
    """One row per law: number of free parameters, error on its own data, and on held-out data."""
    parameters: Table
    """One row per parameter of the law: value, 95 % interval, and whether the data determine it."""
    left_out: Table
    """One row per held-out part: rows, error with which the rest predicts it, fraction inside its 95 % interval."""
    samples: Table
    """One row per sample: measured, predicted by a fit that had not seen its part, and the interval about that."""
    checked: Table | None = None
    """The same as `left_out`, of other measurements that the fit has not seen; None if none were given."""
    notes: tuple[str, ...]
    """What the data cannot determine, and what was assumed."""

    @property
    def error(self) -> float:
        """Mean held-out error of the law."""
        return float(next(row["left_out"] for row in self.laws if row["law"] == self.law))

    @property
    def covered(self) -> float:
        """Fraction of held-out samples that lie inside their interval."""
        low, high, seen = (self.samples.column(name) for name in ("low", "high", "measured"))
        return float(np.mean((seen >= low) & (seen <= high)))

    def to_dict(self) -> dict[str, Any]:
        """The fit as plain data."""
        tables = {name: list(getattr(self, name)) for name in ("laws", "parameters", "left_out")}
        record = {"kind": self.kind, "law": self.law, "error": self.error, "covered": self.covered}
        tables["checked"] = list(self.checked or ())
        return {**record, **tables, "notes": list(self.notes), "ground": self.ground.to_dict()}


def untold(*names: str) -> str:
    """A note on numbers of the ground that were not measured."""
    parts = ", ".join(f"{name} ({UNTOLD[name]})" for name in names)
    return f"not determined by these data and left at their defaults: {parts}"
