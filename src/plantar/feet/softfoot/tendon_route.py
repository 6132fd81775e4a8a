"""The plantar tendon of a chain over its virtual pulleys."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import mujoco

from plantar.feet.defaults import add_guide
from plantar.feet.softfoot.layout import Chain
from plantar.feet.softfoot.tendon import Point

if TYPE_CHECKING:
    from plantar.feet.softfoot.softfoot import SoftFoot


def add_tendon(spec: mujoco.MjSpec, foot: SoftFoot, layout: Chain, *, chain: int, y: float) -> None:
    """Route the tendon from the heel, around its roller and under the modules, to the toe tip.

    The caller, who knows the length of the path, sets the limit on its length.
    """
    config = foot.tendon
    tendon = spec.add_tendon(
        name=f"tendon{chain}",
        limited=True,
        range=[0, 1],
        width=0.001,
        material="tendon",
        solref_limit=list(config.solref),
        solimp_limit=list(config.solimp),
    )
    _route_heel(spec, foot, tendon, chain, y)
    tip = layout.links[-1]
    for i, link in enumerate(layout.links):
        name = f"chain{chain}_{link.name}"
        body = spec.body(name)
        _wrap(spec, tendon, body, f"{name}_rear", (0.0, 0.0), (0.0, -_arm(foot, i)), config.pulley_radius)
        if link is not tip:
            axis, below = (link.exit, 0.0), (link.exit, -_arm(foot, i + 1))
            _wrap(spec, tendon, body, f"{name}_front", axis, below, config.pulley_radius)
    tie = (foot.tip_length, -_arm(foot, len(layout.links) - 1))
    end = _site(spec, spec.body(f"chain{chain}_{tip.name}"), f"tendon{chain}_end", tie)
    tendon.wrap_site(end.name)


def _route_heel(spec: mujoco.MjSpec, foot: SoftFoot, tendon: mujoco.MjsTendon, chain: int, y: float) -> None:
    config, heel = foot.tendon, spec.body("heel")
    tendon.wrap_site(_site(spec, heel, f"tendon{chain}_start", config.start, y).name)
    x, z = config.heel_roller
    exit_axis = config.heel_exit or foot.chain_start
    # The tendon turns around the back of the roller: the guide is opposite to where it leaves for.
    back = math.atan2(-(config.start[1] + exit_axis[1] - 2 * z), -(config.start[0] + exit_axis[0] - 2 * x))
    reach = config.heel_roller_radius + 0.002
    guide = (x + reach * math.cos(back), z + reach * math.sin(back))
    _wrap(spec, tendon, heel, f"chain{chain}_heel_roller", (x, z), guide, config.heel_roller_radius, y, through=False)
    below = config.heel_exit_guide or (exit_axis[0], exit_axis[1] - config.arm)
    _wrap(spec, tendon, heel, f"chain{chain}_heel_exit", exit_axis, below, config.pulley_radius, y)


def _arm(foot: SoftFoot, coupling: int) -> float:
    """How far the tendon passes below the axes of a coupling, counted from 0 at the heel [m]."""
    if coupling == foot.modules:
        return foot.tendon.metatarsal_arm
    return foot.tendon.arm if coupling < foot.modules else foot.tendon.toe_arm


def _wrap(
    spec: mujoco.MjSpec,
    tendon: mujoco.MjsTendon,
    body: mujoco.MjsBody,
    name: str,
    axis: Point,
    guide: Point,
    radius: float,
    y: float = 0.0,
    *,
    through: bool = True,
) -> None:
    """Lead the tendon through the guide point and over a massless pulley on that side."""
    site = _site(spec, body, f"{name}_guide", guide, y)
    if math.dist(axis, guide) <= radius:
        # So close to the axis the pulley would have to push the tendon aside: the guide is an eyelet.
        tendon.wrap_site(site.name)
        return
    body.add_geom(
        spec.find_default("helper"),
        name=f"{name}_pulley",
        type=mujoco.mjtGeom.mjGEOM_CYLINDER,
        pos=[axis[0], y, axis[1]],
        quat=[math.sqrt(0.5), math.sqrt(0.5), 0, 0],
        size=[radius, 0.006, 0],
    )
    if through:
        tendon.wrap_site(site.name)
    tendon.wrap_geom(f"{name}_pulley", site.name)


def _site(spec: mujoco.MjSpec, body: mujoco.MjsBody, name: str, point: Point, y: float = 0.0) -> mujoco.MjsSite:
    return add_guide(spec, body, name, [point[0], y, point[1]])
