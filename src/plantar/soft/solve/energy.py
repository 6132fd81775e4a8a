"""Energy of a scene."""

from __future__ import annotations

import numpy as np

from plantar.soft.solve.model import Model
from plantar.soft.solve.state import Commands, State
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


def has_potential(model: Model) -> bool:
    """Whether all forces come from a potential: elements do, and actuators are driven by effort without friction."""
    given = all(not model.is_row(n) and not a.has_friction for n, a in model.actuators.items())
    return model.conservative() and given and not model.contacts and not model.bonds


def potential(model: Model, state: State, commands: Commands) -> float:
    """Potential energy of elements, gravity, loads and actuators driven by effort [J]."""
    found = energy(model.system, state, model.gravity)
    total = found["elastic"] + found["gravity"]
    for load in model.loads.values():
        total -= float((load.map.positions(state.x, state.quat) @ load.force).mean())
    for name, actuator in model.actuators.items():
        total -= model.given_effort(name, commands) * float(actuator.measure(state.x, state.quat))
    return total
