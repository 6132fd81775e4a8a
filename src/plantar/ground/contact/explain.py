"""Which contact parameters win between two geoms, and what they mean in SI units."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import mujoco

from plantar._arguments import checks_arguments
from plantar._checks import require
from plantar._notebook import Shown
from plantar._rows import table_text
from plantar.errors import InvalidInput
from plantar.ground.contact.mixing import Mixed, mixed, why_apart
from plantar.ground.contact.reading import read_contacts
from plantar.ground.laws.impedance import clamped
from plantar.ground.laws.mujoco_law import MujocoLaw
from plantar.table import Table

_POINTS = {"mjGEOM_SPHERE": 1, "mjGEOM_ELLIPSOID": 1, "mjGEOM_CAPSULE": 2}
"""Contacts of a shape that lies on a plane; of all others 4."""


@dataclass(frozen=True, kw_only=True)
class Explanation(Shown):
    """A contact between two geoms."""

    geoms: tuple[str, str]
    """Names of the geoms."""
    apart: str
    """Why they do not collide, or empty."""
    parameters: Table
    """Rows with parameter, the value of each geom, the result and the rule."""
    law: MujocoLaw
    """The force law of all contacts together."""
    load: float
    """Force that the contacts carry at rest [N]."""
    depth: float
    """Static depth under that load [m]; the contacts touch `margin` earlier."""
    notes: tuple[str, ...]
    """What is easily overlooked."""

    @property
    def stiffness(self) -> float:
        """Slope of the force at the static depth [N/m]."""
        return float(self.law.stiffness_at(self.depth))

    @property
    def damping(self) -> float:
        """Damping at the static depth [N s/m]."""
        return float(self.law.damping_at(self.depth))

    def table(self) -> Table:
        """Quantities in SI units: name, value, unit."""
        law = self.law
        rows = [
            ("contacts", law.contacts, ""),
            ("effective mass of a contact", law.effective_mass, "kg"),
            ("load", self.load, "N"),
            ("static depth", self.depth, "m"),
            ("impedance there", float(law.impedance(self.depth)), ""),
            ("stiffness there (slope)", self.stiffness, "N/m"),
            ("stiffness to there (load over depth)", self.load / self.depth, "N/m"),
            ("damping there", self.damping, "N s/m"),
        ]
        return Table({"quantity": name, "value": value, "unit": unit} for name, value, unit in rows)

    def text(self) -> str:
        """The explanation for people."""
        first = f"{self.geoms[0]} and {self.geoms[1]} " + (f"do not collide: {self.apart}" if self.apart else "collide")
        parts = [
            first,
            table_text(self.parameters, digits=5),
            table_text(self.table(), digits=5),
            *(f"- {note}" for note in self.notes),
        ]
        return "\n\n".join(parts[:3]) + "".join(f"\n{note}" for note in ("", *parts[3:]))

    def to_dict(self) -> dict[str, Any]:
        """The explanation as plain data."""
        return {
            "geoms": list(self.geoms),
            "apart": self.apart,
            "parameters": list(self.parameters),
            "quantities": list(self.table()),
            "notes": list(self.notes),
        }


@checks_arguments
def explain(
    model: mujoco.MjModel,
    geom_a: str | int,
    geom_b: str | int,
    *,
    load: float | None = None,
    contacts: int | None = None,
    data: mujoco.MjData | None = None,
) -> Explanation:
    """Report which parameters win between two geoms, and the resulting stiffness, damping and static depth.

    Args:
        model: The model.
        geom_a: A geom, by name or number.
        geom_b: Another one.
        load: Force that the contacts carry [N]; None: the weight of the lighter of the two moving trees.
        contacts: Points that share it; None: those in `data`, else 1 for a sphere, 2 for a capsule, 4 for others.
        data: State in which the two touch, to take the inverse inertia that the solver uses there.
    """
    a, b = _geom(model, geom_a), _geom(model, geom_b)
    require(a != b, "geom_b", geom_b, "another geom than geom_a")
    found = mixed(model, a, b)
    points, mass, notes = _inertia(model, data, a, b, found)
    points = contacts or points or _points(model, a, b)
    require(points >= 1, "contacts", points, "an integer from 1")
    law = MujocoLaw(
        solref=_one_format(found.solref, notes),
        solimp=found.solimp,
        effective_mass=mass,
        contacts=points,
        timestep=_refsafe(model, found, notes),
    )
    load = _weight(model, a, b) if load is None else load
    depth = law.static_depth(load)
    notes += _remarks(model, found, law, depth)
    names = (_name(model, a), _name(model, b))
    rows = _rows(model, a, b, found, names)
    apart = why_apart(model, a, b)
    return Explanation(geoms=names, apart=apart, parameters=rows, law=law, load=load, depth=depth, notes=tuple(notes))


def _inertia(
    model: mujoco.MjModel, data: mujoco.MjData | None, a: int, b: int, found: Mixed
) -> tuple[int, float, list[str]]:
    """Contacts found in `data`, effective mass of one, notes."""
    seen = read_contacts(model, data, a, [b]) if data is not None else None
    if seen is not None and len(seen.depth):
        d = MujocoLaw(solimp=found.solimp, effective_mass=1.0).impedance(float(seen.depth.mean()))
        return len(seen.depth), float((1 - d) / d / seen.compliance.mean()), []
    bodies = model.geom_bodyid[[a, b]]
    inverse = float(model.body_invweight0[bodies, 0].sum())
    if inverse <= 0:
        raise InvalidInput(f"geoms {_name(model, a)!r} and {_name(model, b)!r} are both fixed: give one that moves")
    notes = []
    if model.opt.enableflags & int(mujoco.mjtEnableBit.mjENBL_DIAGEXACT):
        notes.append("diagexact is on: the solver uses the inertia in the current pose, give data in contact")
    return 0, _pyramid(model, found) / inverse, notes


def _pyramid(model: mujoco.MjModel, found: Mixed) -> float:
    """How much stiffer the edges of a pyramidal cone make a contact; 1 for elliptic cones."""
    if model.opt.cone != mujoco.mjtCone.mjCONE_PYRAMIDAL or found.condim == 1:
        return 1.0
    slide = found.friction[0]
    return (found.condim - 1) * model.opt.impratio / (slide**2 * (1 + slide**2))


def _remarks(model: mujoco.MjModel, found: Mixed, law: MujocoLaw, depth: float) -> list[str]:
    notes = []
    factor = _pyramid(model, found)
    if factor != 1.0:
        notes.append(
            f"pyramidal cone: its edges make the contact {factor:.3g} times as stiff as an elliptic cone would; "
            "friction, condim and impratio change the depth"
        )
        notes.append(
            'switch the cone before fitting anything else, <option cone="elliptic"/>: pyramidal friction pulls '
            "obliquely, and on 285 measured tosses of a cube the cone alone halves the position error"
        )
    if depth > found.solimp[2] > 0:
        notes.append("the static depth is beyond the width of solimp: the impedance is constant there")
    d0 = float(clamped(found.solimp)[0])
    if d0 < 0.1 and found.condim > 1 and (model.opt.impratio < 10 or factor != 1.0):
        notes.append(f"d0 = {found.solimp[0]:g}: friction creeps; use elliptic cones with impratio 100")
    notes.append(
        "stiffness and damping scale with the effective mass: the same solref and solimp are stiffer under a "
        "heavier body"
    )
    return notes


def _refsafe(model: mujoco.MjModel, found: Mixed, notes: list[str]) -> float:
    """Time step that limits the time constant, or 0."""
    if model.opt.disableflags & int(mujoco.mjtDisableBit.mjDSBL_REFSAFE):
        return 0.0
    step = float(model.opt.timestep)
    if 0 < found.solref[0] < 2 * step:
        notes.append(f"the time constant {found.solref[0]:g} s is raised to two time steps, {2 * step:g} s (refsafe)")
    return step


def _one_format(solref: tuple[float, float], notes: list[str]) -> tuple[float, float]:
    """`solref`, or MuJoCo's default if its two numbers are of different formats."""
    if (solref[0] > 0) == (solref[1] > 0):
        return solref
    notes.append(f"solref {solref} mixes two formats: MuJoCo takes its default, 0.02 1, instead")
    return (0.02, 1.0)


def _rows(model: mujoco.MjModel, a: int, b: int, found: Mixed, names: tuple[str, str]) -> Table:
    fields = ("priority", "condim", "friction", "solref", "solimp", "margin", "gap")
    rows = []
    for field in fields:
        source = getattr(model, f"geom_{field}")
        result = "" if field == "priority" else _short(getattr(found, field))
        rule = "the higher one wins" if field == "priority" else found.rules[field]
        one, two = _short(source[a]), _short(source[b])
        rows.append({"parameter": field, names[0]: one, names[1]: two, "result": result, "rule": rule})
    return Table(rows)


def _short(value: Any) -> str:
    try:
        return " ".join(f"{float(x):.6g}" for x in value)
    except TypeError:
        return f"{float(value):g}"


def _weight(model: mujoco.MjModel, a: int, b: int) -> float:
    bodies = model.geom_bodyid[[a, b]]
    # a body without joints stands in the world, and its weight on nothing
    roots = set(model.body_rootid[bodies[model.body_weldid[bodies] != 0]].tolist())
    gravity = float((model.opt.gravity**2).sum() ** 0.5)
    weight = min(float(model.body_subtreemass[r]) for r in roots) * gravity
    if weight <= 0:
        raise InvalidInput("load = None is not allowed without gravity: give the force that the contacts carry [N]")
    return weight


def _points(model: mujoco.MjModel, a: int, b: int) -> int:
    kinds = [mujoco.mjtGeom(int(model.geom_type[g])).name for g in (a, b)]
    return min(_POINTS.get(kind, 4) for kind in kinds)


def _geom(model: mujoco.MjModel, geom: str | int) -> int:
    found = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_GEOM, geom) if isinstance(geom, str) else int(geom)
    if not 0 <= found < model.ngeom:
        names = ", ".join(n for i in range(model.ngeom) if (n := model.geom(i).name)) or "none has a name"
        raise InvalidInput(f"geom {geom!r} is not in the model: its geoms are {names}")
    return found


def _name(model: mujoco.MjModel, geom: int) -> str:
    return model.geom(geom).name or f"geom {geom}"
