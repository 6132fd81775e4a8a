"""Bounds on the time step of a model, one for each spring, constraint and contact."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import mujoco
import numpy as np

from plantar.feet._timestep_tendons import stiff_motions

LONGEST = 1.0
"""An unrealistically large step [s]."""
_EQUALITIES = {int(kind): kind.name[5:].lower() for kind in mujoco.mjtEq.__members__.values()}


@dataclass(frozen=True)
class Bound:
    """One bound on the time step."""

    what: str
    """Kind of element: spring, servo, equality, limit, contact, sinking, landing."""
    element: str
    """Name of the element."""
    step: float
    """Largest step [s]."""
    hard: bool
    """True where a larger step blows up, False where MuJoCo softens the constraint instead."""
    why: str
    """Explanation in numbers."""


def spring_bounds(model: mujoco.MjModel, data: mujoco.MjData) -> list[Bound]:
    """Springs and servos, which are explicit in position unless the integrator is `discrete`.

    With implicit damping d (per mass) a step h is stable if `h^2 w^2 < 4 + 2 h d`, w being the frequency.
    """
    if model.opt.integrator == mujoco.mjtIntegrator.mjINT_DISCRETE or model.nv == 0:
        return []
    mass = np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(model, data, mass)
    give = np.diag(np.linalg.inv(mass))
    bounds = []
    for dof in range(model.nv):
        joint = int(model.dof_jntid[dof])
        k = float(np.ravel(model.jnt_stiffness[joint])[0])
        c = float(np.ravel(model.dof_damping[dof])[0])
        if k > 0:
            bounds.append(_spring("spring", _name(model.joint(joint), joint), k, c, float(give[dof])))
    for tendon, w2, d in stiff_motions(model, data, mass):
        if w2 > 0:
            name = _name(model.tendon(tendon), tendon)
            bounds.append(Bound("spring", name, _swing(w2, d), True, f"tendon, {math.sqrt(w2):.3g} rad/s"))
    for actuator in range(model.nu):
        gear = float(model.actuator_gear[actuator, 0]) ** 2
        stiff, damp = -float(model.actuator_biasprm[actuator, 1]), -float(model.actuator_biasprm[actuator, 2])
        if model.actuator_trntype[actuator] == mujoco.mjtTrn.mjTRN_JOINT and stiff > 0:
            dof = int(model.jnt_dofadr[model.actuator_trnid[actuator, 0]])
            own, name = float(np.ravel(model.dof_damping[dof])[0]), _name(model.actuator(actuator), actuator)
            bounds.append(_spring("servo", name, gear * stiff, gear * damp + own, give[dof]))
    return bounds


def constraint_bounds(model: mujoco.MjModel) -> list[Bound]:
    """Equalities and limits: a time constant below two steps is lengthened by MuJoCo (`refsafe`)."""
    bounds = []
    for i in range(model.neq):
        name = f"{_name(model.equality(i), i)} ({_EQUALITIES[int(model.eq_type[i])]})"
        bounds.append(_constraint(model, "equality", name, model.eq_solref[i], model.eq_solimp[i]))
    for i in range(model.ntendon):
        if model.tendon_limited[i]:
            solref, solimp = model.tendon_solref_lim[i], model.tendon_solimp_lim[i]
            bounds.append(_constraint(model, "limit", _name(model.tendon(i), i), solref, solimp))
    for i in range(model.njnt):
        if model.jnt_limited[i]:
            name = _name(model.joint(i), i)
            bounds.append(_constraint(model, "limit", name, model.jnt_solref[i], model.jnt_solimp[i]))
    return bounds


def contact_bounds(model: mujoco.MjModel, data: mujoco.MjData, force: float) -> list[Bound]:
    """Contacts: their time constant, and how deep a softened one lets the thinnest part sink under `force`."""
    bounds = []
    calm = _Calm(model, data)
    for ground, part in _pairs(model):
        solref, solimp = _mixed(model, ground, part)
        name = f"{_name(model.geom(part), part)} on {_name(model.geom(ground), ground)}"
        bounds.append(_constraint(model, "contact", name, solref, solimp, calm.of(part)))
        give = float(model.body_invweight0[model.geom_bodyid[part], 0])
        if solref[0] > 0 and give > 0 and force > 0 and not _plane(model, ground):
            # At rest a contact yields A (1 - d) (t z)^2 metres per newton; refsafe makes t a few steps.
            few = _least_steps(model)
            depth = _half_thickness(model, part)
            step = math.sqrt(depth / (force * give * (1 - float(solimp[1])))) / float(solref[1]) / few
            why = f"softened to {few:g} step(s) it sinks {1e3 * depth:.2g} mm, half its thickness, under {force:.0f} N"
            bounds.append(Bound("sinking", name, max(step, float(solref[0]) / few), True, why))
    return bounds


def landing_bounds(model: mujoco.MjModel, data: mujoco.MjData, force: float) -> list[Bound]:
    """Falling parts that land too deep in one step, pushed by `force` from rest.

    Deeper than half of its height a part is pushed out on the other side, or by an edge: a press shakes. A plane
    has no other side.
    """
    parts = [part for ground, part in _pairs(model) if not _plane(model, ground)]
    if not parts or force <= 0:
        return []
    thin = min(parts, key=lambda part: _half_height(model, data, part))
    size = _half_height(model, data, thin)
    mass = float(model.body_mass[(model.body_weldid > 0) & (model.body_mocapid < 0)].sum())
    slides = [d for d in range(model.nv) if model.jnt_type[model.dof_jntid[d]] == mujoco.mjtJoint.mjJNT_SLIDE]
    c = max((float(np.ravel(model.dof_damping[d])[0]) for d in slides), default=0.0)
    # With implicit damping a step from rest moves it by h^2 F / (m + h c).
    step = (size * c + math.sqrt((size * c) ** 2 + 4 * force * size * mass)) / (2 * force)
    why = f"{force:.0f} N move {mass:.2g} kg by half its height, {1e3 * size:.2g} mm, in one step"
    return [Bound("landing", _name(model.geom(thin), thin), step, True, why)]


def _least_steps(model: mujoco.MjModel) -> float:
    """Steps below which MuJoCo lengthens the time constant of a contact."""
    return 1.0 if model.opt.integrator == mujoco.mjtIntegrator.mjINT_DISCRETE else 2.0


def _spring(what: str, name: str, k: float, c: float, give: float) -> Bound:
    w2, d = k * give, max(c, 0.0) * give
    step = _swing(w2, d)
    why = f"{k:.3g} N m/rad on {1 / give:.2g} kg m^2, {math.sqrt(w2):.3g} rad/s"
    return Bound(what, name, step, True, why)


def _swing(w2: float, d: float) -> float:
    """Largest step at which a spring of frequency squared `w2` and damping `d` per mass does not swing up [s]."""
    return (d + math.sqrt(d * d + 4 * w2)) / w2


class _Calm:
    """How much the implicit damping of the joints reduces the effect of a contact in a step.

    MuJoCo computes the force of a contact from the mass alone and then lets joints with damping D yield less: of the
    intended change of speed, a step h achieves the fraction `J (M + h D)^-1 J' / J M^-1 J'`.
    """

    def __init__(self, model: mujoco.MjModel, data: mujoco.MjData):
        self.model, self.data = model, data
        self.mass = np.zeros((model.nv, model.nv))
        if model.nv:
            mujoco.mj_fullM(model, data, self.mass)
        self.damping = np.diag(np.reshape(model.dof_damping, (model.nv, -1))[:, 0]) if model.nv else self.mass
        self.down = model.opt.gravity / max(float(np.linalg.norm(model.opt.gravity)), 1e-9)

    def of(self, geom: int) -> Callable[[float], float]:
        """The fraction for the contact of a geom, as a function of the step."""
        jacobian = np.zeros((3, self.model.nv))
        body = int(self.model.geom_bodyid[geom])
        mujoco.mj_jac(self.model, self.data, jacobian, None, self.data.geom_xpos[geom], body)
        row = self.down @ jacobian

        def share(step: float) -> float:
            free = row @ np.linalg.solve(self.mass, row)
            held = row @ np.linalg.solve(self.mass + step * self.damping, row)
            return float(held / free) if free > 0 else 1.0

        return share


def _constraint(
    model: mujoco.MjModel,
    what: str,
    name: str,
    solref: np.ndarray,
    solimp: np.ndarray,
    share: Callable[[float], float] = lambda step: 1.0,
) -> Bound:
    time, ratio = float(solref[0]), float(solref[1])
    discrete = model.opt.integrator == mujoco.mjtIntegrator.mjINT_DISCRETE
    if time > 0:
        if discrete and what == "equality":
            return Bound(what, name, math.inf, False, "never softened by the discrete integrator")
        step = time * (ratio if discrete else 1.0) / _least_steps(model)
        return Bound(what, name, step, False, f"time constant {1e3 * time:g} ms")
    width = max(float(solimp[1]), 1e-4)
    k, b = -time / width**2, -ratio / width
    if discrete:
        return Bound(what, name, math.inf, False, "implicit in the discrete integrator")
    step = _steady_step(b, k, share)
    return Bound(what, name, step, True, f"stiffness {-time:.3g} 1/s^2, damping {-ratio:.3g} 1/s, not softened")


def _steady_step(b: float, k: float, share: Callable[[float], float]) -> float:
    """Largest step at which a constraint of damping b and stiffness k that is not softened stays stable [s].

    It is explicit in position and velocity. What comes down on it in one step is thrown off again if the share that is
    left of `b h + k h^2` is above 2, and springs back from it if that of `(b + k h)^2` is below 4 k: at once, or never
    if it is so without any damping of joints.
    """

    def calm(h: float) -> bool:
        left = share(h)
        springs = b * b >= 4 * k and left * (b + k * h) ** 2 < 4 * k
        return left * (b * h + k * h * h) <= 2 and not springs

    steps = np.geomspace(1e-4, LONGEST, 200)
    first = next((i for i, h in enumerate(steps) if not calm(float(h))), None)
    if first is None:
        return math.inf
    good, bad = float(steps[first - 1]) if first else 0.0, float(steps[first])
    while bad - good > 1e-7:
        middle = (good + bad) / 2
        good, bad = (middle, bad) if calm(middle) else (good, middle)
    return good


def _pairs(model: mujoco.MjModel) -> list[tuple[int, int]]:
    """Pairs of a static and a moving geom that may touch."""
    still = [g for g in range(model.ngeom) if model.body_weldid[model.geom_bodyid[g]] == 0 or _mocap(model, g)]
    moving = [g for g in range(model.ngeom) if g not in set(still)]
    return [(a, b) for a in still for b in moving if _touch(model, a, b)]


def _touch(model: mujoco.MjModel, a: int, b: int) -> bool:
    kind, open_to = model.geom_contype, model.geom_conaffinity
    return bool((kind[a] & open_to[b]) or (kind[b] & open_to[a]))


def _plane(model: mujoco.MjModel, geom: int) -> bool:
    return bool(model.geom_type[geom] == mujoco.mjtGeom.mjGEOM_PLANE)


def _mocap(model: mujoco.MjModel, geom: int) -> bool:
    return model.body_mocapid[model.geom_bodyid[geom]] >= 0


def _mixed(model: mujoco.MjModel, a: int, b: int) -> tuple[np.ndarray, np.ndarray]:
    """Solver parameters of a contact between two geoms, mixed as MuJoCo does."""
    if model.geom_priority[a] != model.geom_priority[b]:
        winner = a if model.geom_priority[a] > model.geom_priority[b] else b
        return model.geom_solref[winner], model.geom_solimp[winner]
    total = model.geom_solmix[a] + model.geom_solmix[b]
    share = model.geom_solmix[a] / total if total > 0 else 0.5
    refs, imps = model.geom_solref[[a, b]], model.geom_solimp[[a, b]]
    solref = refs.min(axis=0) if (refs[:, 0] <= 0).any() else share * refs[0] + (1 - share) * refs[1]
    return solref, share * imps[0] + (1 - share) * imps[1]


def _half_thickness(model: mujoco.MjModel, geom: int) -> float:
    """Half of a geom's smallest extent, from its bounding box [m]."""
    return float(np.min(model.geom_aabb[geom, 3:]))


def _half_height(model: mujoco.MjModel, data: mujoco.MjData, geom: int) -> float:
    """Half of a geom's extent along gravity, from its bounding box [m]."""
    down = model.opt.gravity / max(float(np.linalg.norm(model.opt.gravity)), 1e-9)
    return float(np.abs(down @ data.geom_xmat[geom].reshape(3, 3)) @ model.geom_aabb[geom, 3:])


def _name(view: object, number: int) -> str:
    return getattr(view, "name", "") or f"number {number}"
