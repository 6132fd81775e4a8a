"""A solid foot as a MuJoCo flex: the same tetrahedra, each free node a body on three slides."""

from __future__ import annotations

from typing import TYPE_CHECKING

import mujoco
import numpy as np

from plantar.feet.defaults import CONAFFINITY, CONTYPE
from plantar.feet.inertia import start_spec
from plantar.soft.foot.condense import condense, node_masses
from plantar.soft.foot.spec import add_mount, draw_mount

if TYPE_CHECKING:
    from plantar.soft.foot.solid import SolidFoot

RADIUS = 0.0005
"""Thickness of the flex's skin for collisions [m]."""
SOLREF, SOLIMP = (-1e7, -1e4), (0.9999, 0.9999, 0.001, 0.5, 2.0)
"""Contact of the nodes, as stiffness and damping per mass [1/s^2, 1/s]: a node weighs grams, so that the time constant
that is hard for a pad would sink deeper than the rubber deforms."""
MARKER, HIDDEN = 1 << 30, 5
"""Mask that matches nothing, and the group of geoms that are not drawn."""
IMPRATIO, ITERATIONS = 100.0, 1000
"""Friction this many times harder than the normal contact, or the rubber creeps sideways under load; and iterations
enough for the solve of mass and stiffness together."""


def flex_spec(foot: SolidFoot) -> mujoco.MjSpec:
    """The foot's mesh as a flex of Saint Venant-Kirchhoff tetrahedra whose mount is pinned to the ankle.

    Flex elasticity needs the integrator `discrete` (or `Euler` with short steps); MuJoCo refuses `implicitfast`. Its
    contact is as hard as it should be only with the options of `set_options` in the model it is attached to.
    """
    data = condense(foot)
    mesh, mount = data.shape.mesh, set(data.shape.mount.tolist())
    spec, ankle = start_spec(foot.name, foot.friction)
    masses, sole = node_masses(mesh, foot.density), set(mesh.region("sole").tolist())
    held = np.array(sorted(mount))
    add_mount(ankle, foot, data, float(masses[held].sum()) / data.mass)
    owners, places = [], []
    for i, place in enumerate(mesh.nodes):
        owners.append("ankle" if i in mount else f"node{i}")
        places.append(place if i in mount else np.zeros(3))
        if i not in mount:
            _add_node(ankle, f"node{i}", place, float(masses[i]), i in sole)
    flex = spec.add_flex(name="rubber", dim=3, radius=RADIUS, elem=mesh.tets.ravel().tolist())
    flex.vert = np.concatenate(places).tolist()
    flex.vertbody = owners
    flex.young, flex.poisson, flex.damping = foot.young, foot.poisson, foot.loss_time
    flex.contype, flex.conaffinity, flex.priority = CONTYPE, CONAFFINITY, 1
    flex.solref, flex.solimp = list(SOLREF), list(SOLIMP)
    flex.friction = [foot.friction, 0.005, 0.0001]
    flex.selfcollide = mujoco.mjtFlexSelf.mjFLEXSELF_NONE
    flex.rgba = [0.10, 0.10, 0.11, 1]
    draw_mount(spec, ankle, foot, data)
    set_options(spec)
    return spec


def set_options(spec: mujoco.MjSpec) -> dict[str, tuple[str, str]]:
    """Options that a model with a flex foot needs; attaching a foot does not carry them over, `robots.mount` sets them.

    Returns:
        What was changed, before and after.
    """
    wanted = {
        "integrator": mujoco.mjtIntegrator.mjINT_DISCRETE,
        "cone": mujoco.mjtCone.mjCONE_ELLIPTIC,
        "impratio": max(IMPRATIO, spec.option.impratio),
        "iterations": max(ITERATIONS, spec.option.iterations),
    }
    changed = {}
    for name, value in wanted.items():
        before = getattr(spec.option, name)
        if before != value:
            changed[name] = (_word(name, before), _word(name, value))
            setattr(spec.option, name, value)
    return changed


def _word(option: str, value: float) -> str:
    kinds = {"integrator": mujoco.mjtIntegrator, "cone": mujoco.mjtCone}
    return kinds[option](value).name.split("_", 1)[1].lower() if option in kinds else f"{value:g}"


def _add_node(ankle: mujoco.MjsBody, name: str, place: np.ndarray, mass: float, marked: bool) -> None:
    body = ankle.add_body(name=name, pos=place.tolist())
    body.explicitinertial = True
    body.mass, body.inertia = mass, [mass * 1e-6] * 3
    for axis in np.eye(3):
        body.add_joint(type=mujoco.mjtJoint.mjJNT_SLIDE, axis=axis.tolist())
    if marked:
        # shows the sole's position to code that looks for geoms; its mask touches nothing, the flex itself does
        size = [RADIUS, 0, 0]
        body.add_geom(type=mujoco.mjtGeom.mjGEOM_SPHERE, size=size, mass=0, contype=0, conaffinity=MARKER, group=HIDDEN)
