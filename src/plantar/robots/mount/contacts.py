"""Contacts of mounted feet: with the ground, and not with their own leg."""

from __future__ import annotations

from collections.abc import Sequence

import mujoco
import numpy as np

from plantar.feet.foot import Foot
from plantar.model.legs import Leg, leg_at
from plantar.model.tree import ancestors, collides, geoms_of, joints_of
from plantar.robots.old_foot import has_ankle
from plantar.robots.place import Place

TIMESTEP = 0.002
"""Longest time step of soft feet [s]."""
ITERATIONS = {"iterations": 100, "ls_iterations": 50}
"""Iterations of MuJoCo's solver and of its line search that contacts may need: MuJoCo's own defaults."""
_NEWTON = mujoco.mjtSolver.mjSOL_NEWTON
_DISCRETE = mujoco.mjtIntegrator.mjINT_DISCRETE
_IMPLICIT = (mujoco.mjtIntegrator.mjINT_IMPLICITFAST, mujoco.mjtIntegrator.mjINT_IMPLICIT, _DISCRETE)


def set_options(spec: mujoco.MjSpec, foot: Foot) -> dict[str, tuple[str, str]]:
    """Give a robot on soft feet a suitable integrator, time step and solver.

    Returns:
        What was changed, before and after.
    """
    changed: dict[str, tuple[str, str]] = {}
    if foot.model().nv == 0:
        return changed
    option = spec.option
    allowed = (_DISCRETE,) if foot.integrator == "discrete" else _IMPLICIT
    if option.integrator not in allowed:
        before = mujoco.mjtIntegrator(option.integrator).name.removeprefix("mjINT_").lower()
        changed["integrator"] = (before, foot.integrator)
        option.integrator = getattr(mujoco.mjtIntegrator, f"mjINT_{foot.integrator.upper()}")
    if option.timestep > TIMESTEP:
        changed["timestep"] = (f"{option.timestep:g} s", f"{TIMESTEP:g} s")
        option.timestep = TIMESTEP
    return changed | solve_fully(spec) | foot.set_options(spec)


def solve_fully(spec: mujoco.MjSpec) -> dict[str, tuple[str, str]]:
    """Let MuJoCo solve contacts to convergence: GPU models stop after one to three iterations, and their feet slide.

    Returns:
        What was changed, before and after.
    """
    changed, option = {}, spec.option
    if option.solver != _NEWTON:  # the others need a square matrix of all constraints, of which soft feet have many
        changed["solver"] = (mujoco.mjtSolver(option.solver).name.removeprefix("mjSOL_").lower(), "newton")
        option.solver = _NEWTON
    for name, needed in ITERATIONS.items():
        # models made for one or two iterations of a rigid robot blow up on loops of links and tendons
        if (given := int(getattr(option, name))) < needed:
            changed[name] = (str(given), str(needed))
            setattr(option, name, needed)
    return changed


def set_masks(foot: mujoco.MjSpec, model: mujoco.MjModel, old: Sequence[int]) -> None:
    """Let a foot touch what the old one touched: one that was only touched stays so."""
    masks = [(int(model.geom_contype[g]), int(model.geom_conaffinity[g])) for g in old if collides(model, g)]
    if not masks or any(contype for contype, _ in masks):
        return
    affinity = int(np.bitwise_or.reduce([a for _, a in masks])) or 1  # none, if it touched by contact pairs alone
    for part in (*foot.geoms, *foot.flexes):
        if part.contype:
            part.contype, part.conaffinity = 0, affinity


def exclude(
    spec: mujoco.MjSpec, old: mujoco.MjModel, legs: Sequence[tuple[Place, Leg, str]], data: mujoco.MjData
) -> list[str]:
    """Keep feet, by the prefix of their names, from touching their own ankle and shank; what was done, in words."""
    said, own = [], {old.body(b).name for b in range(old.nbody)}  # some may begin like the parts of a foot
    for place, leg, prefix in legs:
        links = [old.body(b).name for b in _lower_links(old, data, leg)]
        mounted = [b for b in spec.bodies if b.name.startswith(prefix) and b.name not in own]
        parts = [b.name for b in mounted if any(map(_touches, b.geoms))]
        for link in links:
            for part in parts:
                spec.add_exclude(bodyname1=link, bodyname2=part)
        said.append(f"contacts of {place.name} with {', '.join(links)} are left out")
    return said


def _touches(geom: mujoco.MjsGeom) -> bool:
    return bool(geom.contype or geom.conaffinity)


def _lower_links(model: mujoco.MjModel, data: mujoco.MjData, leg: Leg) -> list[int]:
    """The colliding links from the one that carries the foot up to the first that is not an ankle."""
    base = int(model.body_rootid[leg.body])
    links = []
    for body in (leg.body, *ancestors(model, leg.body)):
        if body == base:
            break
        links.append(body)
        if joints_of(model, body) and not has_ankle(model, data, leg_at(model, base, body)) and body != leg.body:
            break
    return [b for b in links if any(collides(model, g) for g in geoms_of(model, [b]))]
