"""Names for unnamed elements, so that they can be referred to."""

from __future__ import annotations

from collections.abc import Collection

import mujoco


def free_name(wanted: str, taken: Collection[str]) -> str:
    """`wanted`, or with the first number that makes it new."""
    if wanted not in taken:
        return wanted
    return next(f"{wanted}_{i}" for i in range(2, len(taken) + 3) if f"{wanted}_{i}" not in taken)


def name_everything(spec: mujoco.MjSpec) -> None:
    """Name bodies, joints and actuators that have no name; names that are there stay."""
    for kind, elements in (("body", spec.bodies), ("joint", spec.joints), ("actuator", spec.actuators)):
        taken = {e.name for e in elements}
        for i, element in enumerate(elements):
            if not element.name:
                element.name = free_name(f"{kind}{i}", taken)
                taken.add(element.name)
