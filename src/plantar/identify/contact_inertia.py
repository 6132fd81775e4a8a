"""What the solver takes for the inertia of a robot's foot on the ground."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from plantar.errors import InvalidInput
from plantar.ground.contact.ground import Ground
from plantar.identify.stage import AnyRobot, Posture, Stage
from plantar.model.feet import foot_geoms


def contact_inertia(
    robot: AnyRobot, feet: Sequence[str] | None = None, posture: Posture = None, depth: float = 1e-3
) -> tuple[float, int]:
    """Effective mass of a contact of the first foot [kg], and how many contacts that foot has on level ground.

    On a `Ground`, whose cone is elliptic: the rows of a pyramidal cone, which is MuJoCo's own default, have another
    inertia, and the ground for which this number is used would be off by the ratio.

    Args:
        robot: As for `identify`.
        feet: Bodies or geoms that carry it; None finds them by name.
        posture: Keyframe by name, or qpos.
        depth: How deep the foot is pushed to count its contacts [m].
    """
    stage = Stage(robot, feet, posture)
    stage.use(Ground())
    contacts = stage.place(stage.touch_height() - depth)
    for foot in stage.feet:
        mine = np.isin(contacts.geom, foot_geoms(stage.model, foot))
        if mine.any():
            return float(1 / contacts.inverse_inertia[mine].mean()), int(mine.sum())
    raise InvalidInput(f"no foot of {stage.name!r} touches at a depth of {depth:g} m: give a larger depth")
