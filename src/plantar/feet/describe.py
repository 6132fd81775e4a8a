"""A foot in numbers: quantities derived from its fields."""

from __future__ import annotations

import mujoco

from plantar.feet.foot import Foot


def derived(foot: Foot, model: mujoco.MjModel | None = None) -> dict[str, float | int | str]:
    """Quantities derived from the fields; the unit is in brackets after the name.

    Args:
        foot: The foot.
        model: Its compiled model; the foot alone by default.
    """
    built: mujoco.MjModel = foot.model() if model is None else model
    facts: dict[str, float | int | str] = {
        "mass [kg]": float(built.body_subtreemass[0]),
        "sole height [m]": foot.sole_height,
        "degrees of freedom": built.nv,
        "bodies": built.nbody - 1,
        "equalities": built.neq,
        "tendons": built.ntendon,
        "sensors": built.nsensor,
        "fingerprint": foot.fingerprint(),
    }
    band = getattr(foot, "band", None)
    if band is not None:
        facts["joint stiffness [N m/rad]"] = band.hinge_stiffness
        facts["band stiffness [N/m]"] = band.axial_stiffness
        facts["band tension [N]"] = band.tension
    # the light builds have a sum of angles in place of the path
    whole = built if foot.fidelity == "full" else foot.with_(fidelity="full").model()
    lengths = [float(whole.tendon_length0[i]) for i in range(whole.ntendon) if _is_plantar(whole, i)]
    if lengths:
        facts["tendon path length [m]"] = lengths[0]
    return facts


def _is_plantar(model: mujoco.MjModel, tendon: int) -> bool:
    return model.tendon(tendon).name.startswith("tendon")
