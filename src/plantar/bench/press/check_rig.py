"""A foot on the press, as a model that can be checked: the first keyframe is the start of a press."""

from __future__ import annotations

import mujoco

from plantar._checks import require
from plantar.bench.press.rig import PressRig
from plantar.feet.foot import Foot
from plantar.feet.slider import Slider

LOAD, HEIGHT, CLEARANCE = 200.0, 0.015, 0.002
"""Load [N], obstacle [m] and gap over a floor [m] of the check."""


def on_press(
    foot: Foot, child: mujoco.MjSpec | None = None, *, load: float = LOAD, height: float = HEIGHT
) -> mujoco.MjSpec:
    """The foot over an obstacle under the middle of its sole, or over a floor if it is rigid, with a load.

    Args:
        foot: The foot.
        child: A model to use in its place, with its ankle at the origin.
        load: Force on the ankle [N].
        height: Top of the obstacle over the supports [m].
    """
    require(load > 0, "load", load, "a force above 0")
    if foot.model().nv == 0:
        spec = Slider(height=foot.sole_height + CLEARANCE).on_floor(foot)
        spec.add_key(name="press", qpos=[0.0], ctrl=[load])
        return spec
    rig = PressRig()
    spec = rig.spec(foot, child)
    qpos = spec.compile().qpos0.copy()
    qpos[0] = rig.start_height(foot, height)  # the slider is the first joint
    place = [rig.obstacle_x(foot, (len(foot.stations.module_x) + 1) // 2), 0.0, height]
    spec.add_key(name="press", qpos=list(qpos), ctrl=[load], mpos=place)
    return spec
