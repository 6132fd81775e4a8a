"""Rows of constraints that take part in a step: actuators that are solved for, bonds, contacts and goals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from plantar.soft.scene.contact_near import NearContact
from plantar.soft.solve.complementarity import Rows

if TYPE_CHECKING:
    from plantar.soft.solve.model import Model
    from plantar.soft.solve.sparse_rows import SparseRows
    from plantar.soft.solve.state import Commands, Method, State


@dataclass(frozen=True, eq=False)
class ActiveRows:
    """Rows of one linearisation on all blocks."""

    stack: np.ndarray
    """Room for the known forces, then the derivatives of the rows (1 + k, blocks, 3)."""
    value: np.ndarray
    """Values of the rows (k)."""
    loads: np.ndarray | None
    """Forces per unit effort where friction of cables makes them differ from the derivatives."""
    rows: Rows
    """Limits and friction."""
    names: list[tuple[str, int]]
    """Owner and number of rows, in order."""
    near: dict[str, NearContact]
    """Contacts that have rows."""


def active_rows(model: Model, state: State, commands: Commands, method: Method) -> ActiveRows:
    """Rows of actuators that are solved for, bonds, contacts and, for the inverse, goals."""
    if not (method.inverse or model.contacts or model.bonds):
        return _actuator_rows(model, state, commands)
    driven = [n for n in model.actuators if model.is_row(n, method.inverse)]
    h = method.h or 0.0
    near = {n: found for n, c in model.contacts.items() if (found := c.detect(state, h)) is not None}
    goals = list(model.goals.values()) if method.inverse else []
    owners: list[Any] = [*model.bonds.values(), *near.values(), *goals]
    count = len(driven) + sum(o.rows for o in owners)
    stack, value = np.zeros((1 + count, model.system.size, 3)), np.zeros(count)
    full = stack[1:]
    low, high, friction = np.full(count, -np.inf), np.full(count, np.inf), np.full(count, -1.0)
    names: list[tuple[str, int]] = [(n, 1) for n in driven]
    for row, name in enumerate(driven):
        value[row] = model.actuators[name].evaluate(state.x, state.quat, full[row])
        if not method.inverse:
            value[row] -= commands.values[name]
        low[row], high[row] = model.configs[name].limits
    row = len(driven)
    for owner in owners:
        span = slice(row, row + owner.rows)
        if isinstance(owner, NearContact):
            value[span] = owner.evaluate(state, full[span], method.start)
            low[span], high[span], friction[span] = owner.limits()
        else:
            value[span] = owner.evaluate(state.x, state.quat, full[span])
            if owner.name in model.bonds:
                value[span] -= owner.target
                low[span], high[span] = owner.low, owner.high
        names.append((owner.name, owner.rows))
        row += owner.rows
    loads = _friction_loads(model, state, driven, full)
    return ActiveRows(stack, value, loads, Rows(low, high, friction), names, near)


def _actuator_rows(model: Model, state: State, commands: Commands) -> ActiveRows:
    """The same where nothing but actuators is solved for: the shape of the problem never changes."""
    driven, rows, names = model.driven_rows()
    stack, value = np.zeros((1 + len(driven), model.system.size, 3)), np.zeros(len(driven))
    for row, name in enumerate(driven):
        stroke = model.actuators[name].evaluate(state.x, state.quat, stack[1 + row])
        value[row] = stroke - commands.values[name]
    return ActiveRows(stack, value, _friction_loads(model, state, driven, stack[1:]), rows, names, {})


def _friction_loads(model: Model, state: State, driven: list[str], full: np.ndarray) -> np.ndarray | None:
    """Forces per unit effort, if friction at way points makes them differ from the derivatives of the strokes."""
    if not any(model.actuators[n].has_friction for n in driven):
        return None
    loads = full.copy()
    for i, name in enumerate(driven):
        if model.actuators[name].has_friction:
            loads[i] = 0.0
            model.actuators[name].load(state.x, state.quat, loads[i], state.cables[name][1])
    return loads


def first_guess(state: State, active: ActiveRows | SparseRows) -> np.ndarray:
    """Forces of the last step as a first guess for these rows."""
    parts = []
    for name, count in active.names:
        if name in active.near:
            parts.append(active.near[name].guess(state.contacts.get(name)))
        elif name in state.efforts:
            parts.append(np.array([state.efforts[name]]))
        else:
            parts.append(state.bonds.get(name, np.zeros(count)))
    return np.concatenate(parts) if parts else np.zeros(0)
