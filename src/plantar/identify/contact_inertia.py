"""What the solver takes for the inertia of a robot's foot on the ground."""

from __future__ import annotations

from collections.abc import Sequence

from plantar.identify.stage import AnyRobot, Posture, Stage


def contact_inertia(
    robot: AnyRobot, feet: Sequence[str] | None = None, posture: Posture = None, depth: float = 1e-3
) -> tuple[float, int]:
    """Effective mass of a contact of the first foot [kg], and how many contacts that foot has on level ground.

    Args:
        robot: As for `identify`.
        feet: Bodies or geoms that carry it; None finds them by name.
        posture: Keyframe by name, or qpos.
        depth: How deep the foot is pushed to count its contacts [m].
    """
    stage = Stage(robot, feet, posture)
    contacts = stage.place(stage.touch_height() - depth)
    first = int(contacts.geom[0])
    body = stage.model.geom_bodyid[first]
    mine = [i for i, g in enumerate(contacts.geom) if stage.model.geom_bodyid[g] == body]
    return float(1 / contacts.inverse_inertia[mine].mean()), len(mine)
