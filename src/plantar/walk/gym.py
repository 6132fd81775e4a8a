"""The environment's name for Gymnasium; `import plantar.walk` registers it if Gymnasium is installed."""

from __future__ import annotations

import importlib.util

ID = "plantar/Walk-v0"
"""Name of the environment."""
SECONDS, RATE = 20.0, 50
"""Default length of an episode [s], and actions per second."""


def register() -> None:
    """Register `plantar/Walk-v0` with Gymnasium; harmless if already done, or if it is not installed."""
    if importlib.util.find_spec("gymnasium") is None:
        return
    import gymnasium  # noqa: PLC0415  (extra `gym`)

    if ID not in gymnasium.registry:
        steps = round(SECONDS * RATE)
        gymnasium.register(id=ID, entry_point="plantar.walk.environment:WalkEnv", max_episode_steps=steps)
