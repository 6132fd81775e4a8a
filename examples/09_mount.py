"""Swap the feet of a robot and compare how it stands.

    python examples/09_mount.py [ROBOT [OUT]]

ROBOT is a built-in name, a MuJoCo Menagerie name or a path. It is put on a rigid plate and on a SoftFoot, each time
dropped by a millimetre onto a floor with its joints held, and the spread of its ground contacts is measured.
"""

from __future__ import annotations

import sys
from pathlib import Path

import mujoco

from plantar import feet, robots
from plantar.feet import readings
from plantar.model.polygon import polygon_area
from plantar.robots.export.export import scene_spec


def support_area(robot: robots.Robot, seconds: float = 0.5) -> float:
    """Area on which the left foot stands when every joint of the robot is held [m^2]."""
    spec = scene_spec(robot)
    for joint in spec.joints:
        if "/" not in joint.name and joint.type == mujoco.mjtJoint.mjJNT_HINGE:
            joint.stiffness, joint.damping = [5000, 0, 0], [200, 0, 0]
            joint.springref = float(robot.model().key(robot.keyframe).qpos[robot.model().joint(joint.name).qposadr[0]])
    model = spec.compile()
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, model.key(robot.keyframe).id)
    data.qpos[2] += 0.001
    while data.time < seconds:
        mujoco.mj_step(model, data)
    return abs(polygon_area(readings.support_polygon(model, data, "left/")))


def main(name: str = "biped", out: str | Path | None = None) -> dict[str, float]:
    robot = robots.load(name)
    areas = {}
    for foot in (feet.FlatFoot(), feet.get("softfoot", fidelity="fast")):
        walker = robots.mount(robot, foot)
        print(walker.report().text)
        areas[foot.name] = support_area(walker)
        print(f"{foot.name} stands on {1e4 * areas[foot.name]:.0f} cm2\n")
        if out is not None:
            print("wrote", walker.export(Path(out) / foot.name))
    return areas


if __name__ == "__main__":
    main(*sys.argv[1:])
