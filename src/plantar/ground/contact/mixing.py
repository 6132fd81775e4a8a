"""MuJoCo's rules for the parameters of a contact between two geoms."""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np

from plantar.ground.laws.impedance import TINY, SolImp, SolRef

_MIN_FRICTION = 1e-5
"""The engine's smallest friction coefficient (mjMINMU)."""


@dataclass(frozen=True, kw_only=True)
class Mixed:
    """Parameters of a contact, and the rule that gave each."""

    condim: int
    friction: tuple[float, ...]
    """Two tangential, one torsional and two rolling coefficients."""
    solref: SolRef
    solimp: SolImp
    margin: float
    gap: float
    rules: dict[str, str]
    """Rule by parameter, for people."""


def why_apart(model: mujoco.MjModel, a: int, b: int) -> str:
    """Why two geoms do not collide, or an empty string if they do."""
    if _pair(model, a, b) is not None:
        return ""
    body_a, body_b = int(model.geom_bodyid[a]), int(model.geom_bodyid[b])
    weld_a, weld_b = int(model.body_weldid[body_a]), int(model.body_weldid[body_b])
    signature = (min(body_a, body_b) << 16) + max(body_a, body_b)
    if weld_a == weld_b:
        return "their bodies do not move against each other"
    if signature in set(model.exclude_signature.tolist()):
        return "the model excludes this pair of bodies"
    if not (model.geom_contype[a] & model.geom_conaffinity[b] or model.geom_contype[b] & model.geom_conaffinity[a]):
        return "contype and conaffinity of the two share no bit"
    filtered = not model.opt.disableflags & int(mujoco.mjtDisableBit.mjDSBL_FILTERPARENT)
    parent_a, parent_b = (int(model.body_weldid[model.body_parentid[w]]) for w in (weld_a, weld_b))
    if filtered and weld_a and weld_b and (weld_a == parent_b or weld_b == parent_a):
        return "one body is the parent of the other"
    return ""


def mixed(model: mujoco.MjModel, a: int, b: int) -> Mixed:
    """The parameters that win: of a <pair>, of the geom of higher priority, or a mixture; then the override."""
    pair = _pair(model, a, b)
    found = _of_pair(model, pair) if pair is not None else _of_geoms(model, a, b)
    if not model.opt.enableflags & int(mujoco.mjtEnableBit.mjENBL_OVERRIDE):
        return found
    options, rule = model.opt, "contact override in <option>"
    return Mixed(
        condim=found.condim,
        friction=_floats(np.maximum(options.o_friction, _MIN_FRICTION)),
        solref=_floats(options.o_solref[:2]),
        solimp=_floats(options.o_solimp),
        margin=float(options.o_margin),
        gap=found.gap,
        rules={**found.rules, "friction": rule, "solref": rule, "solimp": rule, "margin": rule},
    )


def _pair(model: mujoco.MjModel, a: int, b: int) -> int | None:
    for i in range(model.npair):
        if {int(model.pair_geom1[i]), int(model.pair_geom2[i])} == {a, b}:
            return i
    return None


def _of_pair(model: mujoco.MjModel, i: int) -> Mixed:
    names = ("condim", "friction", "solref", "solimp", "margin", "gap")
    return Mixed(
        condim=int(model.pair_dim[i]),
        friction=_floats(np.maximum(model.pair_friction[i], _MIN_FRICTION)),
        solref=_floats(model.pair_solref[i][:2]),
        solimp=_floats(model.pair_solimp[i]),
        margin=float(model.pair_margin[i]),
        gap=float(model.pair_gap[i]),
        rules=dict.fromkeys(names, "of the explicit <pair>; the geoms do not count"),
    )


def _of_geoms(model: mujoco.MjModel, a: int, b: int) -> Mixed:
    first, second = model.geom_priority[a], model.geom_priority[b]
    rules: dict[str, str] = {}
    if first != second:
        winner = a if first > second else b
        rule = f"of {_name(model, winner)}, whose priority is higher"
        condim, friction = model.geom_condim[winner], model.geom_friction[winner]
        solref, solimp = model.geom_solref[winner], model.geom_solimp[winner]
        rules |= dict.fromkeys(("condim", "friction", "solref", "solimp"), rule)
    else:
        weight = _weight(model, a, b)
        condim = max(model.geom_condim[a], model.geom_condim[b])
        friction = np.maximum(model.geom_friction[a], model.geom_friction[b])
        solref, how = _mixed_solref(model.geom_solref[a], model.geom_solref[b], weight)
        solimp = weight * model.geom_solimp[a] + (1 - weight) * model.geom_solimp[b]
        average = f"average by solmix, {weight:.3g} to {1 - weight:.3g}"
        rules |= {"condim": "larger of the two", "friction": "larger of the two, each coefficient"}
        rules |= {"solref": how or average, "solimp": average}
    slide, spin, roll = np.maximum(friction, _MIN_FRICTION)
    return Mixed(
        condim=int(condim),
        friction=_floats((slide, slide, spin, roll, roll)),
        solref=_floats(solref[:2]),
        solimp=_floats(solimp),
        margin=float(model.geom_margin[a] + model.geom_margin[b]),
        gap=float(model.geom_gap[a] + model.geom_gap[b]),
        rules=rules | {"margin": "sum of the two", "gap": "sum of the two"},
    )


def _weight(model: mujoco.MjModel, a: int, b: int) -> float:
    """Weight of geom a in averages."""
    mix_a, mix_b = float(model.geom_solmix[a]), float(model.geom_solmix[b])
    if mix_a < TINY or mix_b < TINY:
        return 0.5 if mix_a < TINY and mix_b < TINY else float(mix_b < TINY)
    return mix_a / (mix_a + mix_b)


def _mixed_solref(a: np.ndarray, b: np.ndarray, weight: float) -> tuple[np.ndarray, str]:
    if a[0] > 0 and b[0] > 0:
        return weight * a + (1 - weight) * b, ""
    return np.minimum(a, b), "smaller of the two, each number, since one is in the direct format"


def _name(model: mujoco.MjModel, geom: int) -> str:
    return model.geom(geom).name or f"geom {geom}"


def _floats(values: object) -> tuple:  # type: ignore[type-arg]
    return tuple(float(x) for x in np.asarray(values, dtype=float))
