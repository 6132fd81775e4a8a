"""Named grounds with published parameters; only those with a source."""

from __future__ import annotations

import difflib
import math
from dataclasses import dataclass
from typing import Any

from plantar._checks import require
from plantar.errors import InvalidInput
from plantar.ground.laws.bekker import BekkerLaw
from plantar.ground.laws.law import Law
from plantar.ground.laws.linear import ContactLaw
from plantar.ground.laws.materials_table import SOILS, SPRINGS, WONG
from plantar.table import Table


@dataclass(frozen=True, kw_only=True)
class Material:
    """A measured ground.

    It has a stiffness under a foot, or Bekker's numbers of a soil, never both. Neither kind of measurement gives
    a damping; a ground made of it takes a damping ratio, which is the user's choice.
    """

    name: str
    """Name in the table."""
    text: str
    """What it is."""
    source: str
    """Where its numbers are printed."""
    fitted: str = ""
    """What its numbers were fitted to here, with their error on held-out data; empty for printed numbers."""
    stiffness: float | None = None
    """Stiffness under one foot of a runner [N/m]."""
    n: float | None = None
    """Bekker's exponent of sinkage."""
    m: float | None = None
    """Exponent of size, 0 in Bekker's law."""
    k_c: float | None = None
    """Bekker's cohesive modulus [N/m^(n + 1)]."""
    k_phi: float | None = None
    """Bekker's frictional modulus [N/m^(n + 2)]."""
    cohesion: float | None = None
    """Cohesion of the soil [Pa]."""
    friction: float | None = None
    """Sliding friction, tangent of the soil's internal friction angle; None where the source has none."""

    def law(self, *, width: float, area: float) -> Law:
        """The slow force law under one foot.

        Args:
            width: Twice the area of the sole over its girth, the radius of a round one and nearly the shorter side of a
                long one [m]; only needed for soils.
            area: Area of the sole [m^2]; only needed for soils.
        """
        if self.stiffness is not None:
            return ContactLaw(stiffness=self.stiffness)
        assert self.n is not None and self.k_c is not None and self.k_phi is not None
        return BekkerLaw(k_c=self.k_c, k_phi=self.k_phi, n=self.n, m=self.m or 0.0, width=width, area=area)

    def depth(self, load: float, *, width: float, area: float, feet: int = 1) -> float:
        """How far `feet` equal feet sink that share `load` [m].

        Args:
            load: Force on all feet [N].
            width: Twice the area of a sole over its girth [m].
            area: Area of one sole [m^2].
            feet: Feet that share it.
        """
        require(feet >= 1, "feet", feet, "an integer from 1")
        return self.law(width=width, area=area).static_depth(load / feet)


def get(name: str) -> Material:
    """A material by name.

    Raises:
        InvalidInput: If there is none; the message lists what exists.
    """
    if name in SOILS:
        soil = SOILS[name]
        return Material(
            name=name,
            text=soil.text,
            source=f"{soil.row}; {soil.fitted}" if soil.fitted else f"{WONG}: {soil.row}",
            fitted=soil.fitted,
            n=soil.n,
            m=soil.m,
            k_c=1e3 * soil.k_c,
            k_phi=1e3 * soil.k_phi,
            cohesion=1e3 * soil.cohesion,
            friction=math.tan(math.radians(soil.friction_angle)),
        )
    if name in SPRINGS:
        spring = SPRINGS[name]
        return Material(name=name, text=spring.text, source=spring.source, stiffness=1e3 * spring.stiffness)
    near = difflib.get_close_matches(name, names(), n=1)
    hint = f"; did you mean {near[0]!r}?" if near else ""
    raise InvalidInput(f"material {name!r} is not known: choose one of {', '.join(names())}{hint}")


def names() -> tuple[str, ...]:
    """Names that `get` knows."""
    return (*SPRINGS, *SOILS)


def table() -> Table:
    """All materials, one per row, with their sources."""
    rows: list[dict[str, Any]] = []
    for name in names():
        m = get(name)
        rows.append(
            {
                "name": name,
                "text": m.text,
                "stiffness": m.stiffness,
                "n": m.n,
                "m": m.m,
                "k_c": m.k_c,
                "k_phi": m.k_phi,
                "cohesion": m.cohesion,
                "friction": m.friction,
                "source": m.source,
            }
        )
    return Table(rows)
