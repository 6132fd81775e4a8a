"""Kinds of ground that scores are fitted on, and kinds that they have not seen."""

from __future__ import annotations

from plantar.ground.terrain.reliefs import RELIEFS

FOLDS: tuple[tuple[str, ...], ...] = (
    ("waves", "stairs", "rubble", "planks"),
    ("flat", "rough", "stones", "bumps"),
    ("slope", "steps", "hollows", "ridges"),
)
"""Three sets of kinds: each is held out once when every kind is to be judged by a score that never saw it."""
HELD_OUT = FOLDS[0]
"""Kinds that no shipped score was fitted on."""
FITTING = tuple(kind for kind in RELIEFS if kind not in HELD_OUT)
"""Kinds that shipped scores are fitted on."""
