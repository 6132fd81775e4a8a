"""A foot in words and numbers: its fields with their documentation, and what follows from them."""

from __future__ import annotations

import dataclasses
from typing import Any

import mujoco

from plantar._fields import field_docs
from plantar.feet.foot import Foot


@dataclasses.dataclass(frozen=True)
class FieldRow:
    """One field of a foot, parts included."""

    name: str
    """Path of the field, as in `band.hardness`."""
    value: Any
    doc: str
    """What it means, with its unit."""


def field_rows(config: Any, prefix: str = "") -> list[FieldRow]:
    """Every field of a description; those of its parts come with a dotted name."""
    docs = field_docs(type(config))
    rows = []
    for f in dataclasses.fields(config):
        value = getattr(config, f.name)
        if dataclasses.is_dataclass(value):
            rows += field_rows(value, f"{prefix}{f.name}.")
        else:
            rows.append(FieldRow(prefix + f.name, value, docs.get(f.name, "")))
    return rows


def derived(foot: Foot, model: mujoco.MjModel | None = None) -> dict[str, float | int | str]:
    """What follows from the fields; the unit is in the name's brackets.

    Args:
        foot: The foot.
        model: What it was compiled to; the foot alone by default.
    """
    model = foot.model() if model is None else model
    facts: dict[str, float | int | str] = {
        "mass [kg]": float(model.body_subtreemass[0]),
        "sole height [m]": foot.sole_height,
        "degrees of freedom": model.nv,
        "bodies": model.nbody - 1,
        "equalities": model.neq,
        "tendons": model.ntendon,
        "sensors": model.nsensor,
        "fingerprint": foot.fingerprint(),
    }
    band = getattr(foot, "band", None)
    if band is not None:
        facts["joint stiffness [N m/rad]"] = band.hinge_stiffness
        facts["band stiffness [N/m]"] = band.axial_stiffness
        facts["band tension [N]"] = band.tension
    # the light builds have a sum of angles in place of the path
    whole = model if foot.fidelity == "full" else foot.with_(fidelity="full").model()
    lengths = [float(whole.tendon_length0[i]) for i in range(whole.ntendon) if _is_plantar(whole, i)]
    if lengths:
        facts["tendon path length [m]"] = lengths[0]
    return facts


def _is_plantar(model: mujoco.MjModel, tendon: int) -> bool:
    return model.tendon(tendon).name.startswith("tendon")
