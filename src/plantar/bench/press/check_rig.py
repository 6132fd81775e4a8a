"""A foot on the press, as a model that can be checked: the first keyframe is the start of a press."""

from __future__ import annotations

import mujoco

from plantar._checks import require
from plantar.bench.press.rig import PREFIX, BenchFoot, PressRig
from plantar.feet.foot import Foot

LOAD, HEIGHT = 200.0, 0.015
"""Load [N] and obstacle [m] of the check."""


def on_press(
    foot: Foot, child: mujoco.MjSpec | None = None, *, load: float = LOAD, height: float = HEIGHT
) -> mujoco.MjSpec:
    """The foot over an obstacle under the middle of its sole, or over a floor if it is rigid, with a load.

    Args:
        foot: The foot.
        child: A model to press in its place, with its ankle at the origin.
        load: Force on the ankle [N].
        height: Top of the obstacle over the supports [m].
    """
    require(load > 0, "load", load, "a force above 0")
    if not isinstance(foot, BenchFoot):
        return _on_floor(foot, load)
    rig = PressRig()
    spec = rig.spec(foot, child)
    model = spec.compile()
    data = mujoco.MjData(model)
    data.qpos[model.joint("slider").qposadr[0]] = rig.start_height(foot, height)
    place = [rig.obstacle_x(foot, (len(foot.stations.module_x) + 1) // 2), 0.0, height]
    spec.add_key(name="press", qpos=list(data.qpos), ctrl=[load], mpos=place)
    return spec


def _on_floor(foot: Foot, load: float) -> mujoco.MjSpec:
    spec = mujoco.MjSpec()
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    spec.worldbody.add_geom(name="floor", type=mujoco.mjtGeom.mjGEOM_PLANE, size=[0.5, 0.3, 0.05])
    slider = spec.worldbody.add_body(name="slider", pos=[0, 0, foot.sole_height + 0.002])
    slide = mujoco.mjtJoint.mjJNT_SLIDE
    slider.add_joint(name="slider", type=slide, axis=[0, 0, 1], damping=[PressRig().slider_damping, 0, 0])
    spec.attach(foot.spec(), frame=slider.add_frame(), prefix=PREFIX)
    spec.add_actuator(name="load", trntype=mujoco.mjtTrn.mjTRN_JOINT, target="slider", gear=[-1, 0, 0, 0, 0, 0])
    spec.add_key(name="press", qpos=[0.0], ctrl=[load])
    return spec
