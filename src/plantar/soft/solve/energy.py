"""Energy of a scene."""

from __future__ import annotations

import numpy as np

from plantar.soft.solve.state import State
from plantar.soft.solve.system import System


def energy(system: System, state: State, gravity: np.ndarray) -> dict[str, float]:
    """Kinetic, elastic and gravitational energy [J]."""
    kinetic = 0.5 * float((system.mass[:, None] * state.v**2).sum())
    if system.frames:
        spin = state.v[system.frame_block + 1]
        kinetic += 0.5 * float(np.einsum("fi,fij,fj->", spin, system.world_inertia(state.quat), spin))
    elastic = sum(g.energy(state.x, state.quat) for g in system.groups)
    height = -float((system.mass[:, None] * state.x * gravity)[~system.rotational].sum())
    return {"kinetic": kinetic, "elastic": float(elastic), "gravity": height}
