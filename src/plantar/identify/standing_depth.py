"""How far a robot sinks into a material."""

from __future__ import annotations

from collections.abc import Sequence

from plantar.ground.laws.materials import Material
from plantar.identify.stage import AnyRobot, Posture, Stage


def sinkage(
    robot: AnyRobot, material: Material, *, feet: Sequence[str] | None = None, posture: Posture = None
) -> float:
    """Depth to which the material's published law lets `robot` sink at rest [m], its feet sharing the weight evenly.

    The sole counts as the rectangle around what collides of a foot. `identify` then finds the solver parameters
    for this depth. What Bekker's law knows of first, slow loading is all that goes in.

    Args:
        robot: As for `identify`.
        material: From `plantar.ground.materials.get`.
        feet: Bodies or geoms that carry the robot; None finds them by name.
        posture: Keyframe by name, or qpos.
    """
    stage = Stage(robot, feet, posture)
    stage.place(stage.touch_height())
    length, width, area = stage.sole()
    count = len(stage.feet)
    # twice the area over the girth, which is what the moduli of a soil were measured with
    return material.depth(stage.weight, width=length * width / (length + width), area=area / count, feet=count)
