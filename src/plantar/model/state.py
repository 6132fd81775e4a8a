"""Whether the state of a simulation can be trusted."""

from __future__ import annotations

import mujoco
import numpy as np

_BAD = [int(getattr(mujoco.mjtWarning, f"mjWARN_BADQ{what}")) for what in ("POS", "VEL", "ACC")]


def blown_up(data: mujoco.MjData) -> bool:
    """Whether a simulation has blown up since its beginning.

    MuJoCo then puts it back to its beginning with a warning and goes on, with numbers that look fine.
    """
    return any(data.warning[kind].number for kind in _BAD) or not bool(np.isfinite(data.qpos).all())
