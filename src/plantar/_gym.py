"""The environment's name for Gymnasium, which finds this file by an entry point and loads no more than it."""

from __future__ import annotations

ID = "plantar/Walk-v0"
"""Name of the environment."""
SECONDS, RATE = 20.0, 50
"""Length of an episode [s], and actions a second, unless told otherwise."""


def register() -> None:
    """Make `plantar/Walk-v0` known to Gymnasium; harmless if it is already."""
    import gymnasium  # noqa: PLC0415  (extra `gym`)

    if ID not in gymnasium.registry:
        steps = round(SECONDS * RATE)
        gymnasium.register(id=ID, entry_point="plantar.walk.environment:WalkEnv", max_episode_steps=steps)
