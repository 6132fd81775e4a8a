"""The old foot of a leg: its geoms, and where the ankle is."""

from __future__ import annotations

import mujoco
import numpy as np

from plantar.model.legs import Leg
from plantar.model.shape import outline, outlines
from plantar.model.tree import below, collides, geoms_of, rigid_root

SHORT_LINK = 0.45
"""A last joint lower than this fraction of the leg above it is an ankle; a higher one is a knee, with a foot at the
end of the shank."""
END_SHARE = 0.35
"""Geoms within this fraction of a shank's length from the ground are its foot."""


def ankle_point(model: mujoco.MjModel, data: mujoco.MjData, leg: Leg) -> np.ndarray:
    """Where the last joint of a leg turns, in the world (3,)."""
    return data.xanchor[leg.joints[-1]].copy()


def has_ankle(model: mujoco.MjModel, data: mujoco.MjData, leg: Leg) -> bool:
    """Whether the last link is a foot on an ankle, rather than a shank.

    It is one if the last joint is close to the ground compared with the length of the leg.
    """
    anchors = data.xanchor[list(leg.joints)]
    floor = float(_lowest_of(model, data, leg))
    ankle, hip = float(anchors[-1, 2]) - floor, float(anchors[:, 2].max()) - floor
    return ankle < SHORT_LINK * max(hip - ankle, 1e-9)


def old_geoms(model: mujoco.MjModel, data: mujoco.MjData, leg: Leg) -> list[int]:
    """Geoms of the old foot, colliding and visual.

    All geoms of a foot on an ankle and below it; of a shank those near its lower end.
    """
    top = rigid_root(model, leg.body)
    rigid = [b for b in (top, *below(model, top)) if rigid_root(model, b) == top]
    geoms = sorted({*geoms_of(model, rigid), *geoms_of(model, below(model, leg.body))})
    if has_ankle(model, data, leg):
        return geoms
    floor = float(_lowest_of(model, data, leg))
    limit = floor + END_SHARE * (float(ankle_point(model, data, leg)[2]) - floor)
    return [g for g in geoms if outline(model, data, g)[:, 2].max() < limit]


def touching(model: mujoco.MjModel, data: mujoco.MjData, leg: Leg) -> list[int]:
    """Colliding geoms of the old foot; all colliding geoms of the last link if none can be singled out."""
    return [g for g in old_geoms(model, data, leg) if collides(model, g)] or list(leg.geoms)


def _lowest_of(model: mujoco.MjModel, data: mujoco.MjData, leg: Leg) -> float:
    points = outlines(model, data, leg.geoms) if leg.geoms else data.xpos[leg.body][None]
    return float(points[:, 2].min())
