"""What a scene does inside a step: forces, rows of constraints, and what is kept from step to step."""

from __future__ import annotations

import numpy as np

from plantar.soft.fem.groups import TetGroup
from plantar.soft.scene.bond import LiveDistance, LivePosition
from plantar.soft.scene.cable import Cable, LiveCable
from plantar.soft.scene.cable_stiffness import CableGroup
from plantar.soft.scene.cavity import Cavity, LiveCavity
from plantar.soft.scene.contact import LiveContact, Touch
from plantar.soft.scene.goal import LiveGoal
from plantar.soft.scene.load import LiveLoad
from plantar.soft.solve.active_rows import ActiveRows
from plantar.soft.solve.complementarity import Forces, Rows
from plantar.soft.solve.state import State
from plantar.soft.solve.system import System


class SceneWork:
    """The part of a scene that steps call; users call `Scene`."""

    system: System
    state: State
    dt: float
    mode: str
    actuators: dict[str, LiveCable | LiveCavity]
    configs: dict[str, Cable | Cavity]
    bonds: dict[str, LiveDistance | LivePosition]
    contacts: dict[str, LiveContact]
    goals: dict[str, LiveGoal]
    loads: dict[str, LiveLoad]
    commands: dict[str, float]
    efforts: dict[str, float]
    touches: list[Touch]
    least_det: float
    _prescribed: np.ndarray | None
    _boundary_moves: bool
    _exact: bool
    _template: tuple[list[str], Rows, list[tuple[str, int]]] | None
    _f: np.ndarray
    _weight: np.ndarray
    _step_factors: tuple[float, np.ndarray, np.ndarray]
    _size: float
    _last: Forces | None
    _taut: CableGroup | None

    def _stiffen_cables(self) -> None:
        """Give taut cables their stiffness where elements have an exact tangent; corotational ones do without both."""
        self._taut: CableGroup | None = None
        cables = [a for a in self.actuators.values() if isinstance(a, LiveCable)]
        exact = any(isinstance(g, TetGroup) and g.law >= 0 for g in self.system.groups)
        if cables and exact:
            self._taut = CableGroup(cables)
            self.system.set_groups([*self.system.groups, self._taut])

    def _forces(self, h: float | None) -> np.ndarray:
        """All known forces on all blocks, and stiffness assembled."""
        system, state, f = self.system, self.state, self._f
        if self._taut is not None:
            self._taut.tension[:] = [max(0.0, self._tension(c.name)) for c in self._taut.cables]
        self.least_det = system.assemble(state.x, state.quat, f, exact=self._exact)
        if not np.isfinite(self.least_det):
            self.least_det = -1.0
        F = f + self._weight
        for load in self.loads.values():
            load.add(state, F)
        if h is None:
            if self._prescribed is not None:
                system.multiply(self._prescribed, -np.ones(system.size), F)
            return F
        v = state.v
        if self._prescribed is not None:
            fixed = system.kind == 1
            v[fixed] = self._prescribed[fixed] / h
            self._boundary_moves = True
        elif self._boundary_moves:
            v[system.kind == 1] = 0.0
            self._boundary_moves = False
        system.damp(v, h, F)
        if system.frames:
            spin = v[system.frame_block + 1]
            inertia = system.world_inertia(state.quat)
            momentum = np.einsum("fij,fj->fi", inertia, spin)
            F[system.frame_block + 1] -= (
                np.cross(spin, momentum) + system.alpha[system.frame_block + 1, None] * momentum
            )
        return F

    def _coefficients(self, h: float | None, regular: float) -> tuple[np.ndarray, np.ndarray]:
        system = self.system
        if h is None:
            return np.full(system.size, regular), np.ones(system.size)
        if self._step_factors[0] != h:
            self._step_factors = (h, 1.0 + h * system.alpha, h * (h + system.beta))
        return self._step_factors[1:]

    def _drift(self, h: float | None) -> np.ndarray:
        """Motion without a change of velocity."""
        if h is not None:
            return self.state.v * h
        return np.zeros_like(self.state.v) if self._prescribed is None else self._prescribed

    def is_row(self, name: str, inverse: bool = False) -> bool:
        """Whether an actuator is solved for rather than given."""
        return inverse or self.configs[name].drive in ("length", "volume")

    def _known_loads(self, F: np.ndarray, inverse: bool) -> None:
        """Add forces of actuators driven by effort."""
        for name, actuator in self.actuators.items():
            if not self.is_row(name, inverse):
                effort = self._given_effort(name)
                if effort:
                    load = np.zeros_like(F)
                    actuator.load(self.state.x, self.state.quat, load)
                    F += effort * load

    def _tension(self, name: str) -> float:
        """Effort as far as it is known at the start of a step."""
        return self.efforts[name] or (0.0 if self.is_row(name) else self._given_effort(name))

    def _given_effort(self, name: str) -> float:
        low, high = self.configs[name].limits
        if isinstance(self.configs[name], Cavity):
            low = -np.inf
        return float(min(max(self.commands[name], low), high))

    def _active_rows(self, inverse: bool) -> ActiveRows:
        """Rows of actuators that are solved for, bonds, contacts and, for the inverse, goals."""
        x, quat = self.state.x, self.state.quat
        if not (inverse or self.contacts or self.bonds):
            return self._actuator_rows()
        driven = [n for n in self.actuators if self.is_row(n, inverse)]
        bonds = list(self.bonds.values())
        h = self.dt if self.mode == "dynamic" else 0.0
        touching = [c for c in self.contacts.values() if c.detect(self.state, h)]
        goals = list(self.goals.values()) if inverse else []
        count = len(driven) + sum(b.rows for b in bonds) + sum(c.rows for c in touching) + sum(g.rows for g in goals)
        stack, value = np.zeros((1 + count, self.system.size, 3)), np.zeros(count)
        full = stack[1:]
        low, high, friction = np.full(count, -np.inf), np.full(count, np.inf), np.full(count, -1.0)
        names: list[tuple[str, int]] = []
        row = 0
        for name in driven:
            actuator = self.actuators[name]
            value[row] = actuator.evaluate(x, quat, full[row])
            if not inverse:
                value[row] -= self.commands[name]
            low[row], high[row] = self.configs[name].limits
            names.append((name, 1))
            row += 1
        for bond in bonds:
            span = slice(row, row + bond.rows)
            value[span] = bond.evaluate(x, quat, full[span]) - bond.target
            low[span], high[span] = bond.low, bond.high
            names.append((bond.name, bond.rows))
            row += bond.rows
        for contact in touching:
            span = slice(row, row + contact.rows)
            value[span] = contact.evaluate(self.state, full[span])
            low[span], high[span], friction[span] = contact.limits()
            names.append((contact.name, contact.rows))
            row += contact.rows
        for goal in goals:
            span = slice(row, row + goal.rows)
            value[span] = goal.evaluate(x, quat, full[span])
            names.append((goal.name, goal.rows))
            row += goal.rows
        loads = self._friction_loads(driven, full)
        return ActiveRows(stack, value, loads, Rows(low, high, friction), names)

    def _actuator_rows(self) -> ActiveRows:
        """The same where nothing but actuators is solved for: the shape of the problem never changes."""
        if self._template is None:
            driven = [n for n in self.actuators if self.is_row(n)]
            limits = np.array([self.configs[n].limits for n in driven]).reshape(-1, 2)
            rows = Rows(limits[:, 0].copy(), limits[:, 1].copy(), np.full(len(driven), -1.0))
            self._template = (driven, rows, [(n, 1) for n in driven])
        driven, rows, names = self._template
        stack, value = np.zeros((1 + len(driven), self.system.size, 3)), np.zeros(len(driven))
        for row, name in enumerate(driven):
            stroke = self.actuators[name].evaluate(self.state.x, self.state.quat, stack[1 + row])
            value[row] = stroke - self.commands[name]
        return ActiveRows(stack, value, self._friction_loads(driven, stack[1:]), rows, names)

    def _friction_loads(self, driven: list[str], full: np.ndarray) -> np.ndarray | None:
        """Forces per unit effort, if friction at way points makes them differ from the derivatives of the strokes."""
        if not any(self.actuators[n].has_friction for n in driven):
            return None
        loads = full.copy()
        for i, name in enumerate(driven):
            if self.actuators[name].has_friction:
                loads[i] = 0.0
                self.actuators[name].load(self.state.x, self.state.quat, loads[i])
        return loads

    def _after_impact(self, names: list[tuple[str, int]], delta: np.ndarray) -> None:
        row = 0
        for name, count in names:
            if name in self.contacts:
                self.contacts[name].after_impact(delta[row : row + count])
            row += count

    def _advance(self, d: np.ndarray) -> None:
        self.system.advance(self.state, d)

    def _store(self, names: list[tuple[str, int]], force: np.ndarray) -> None:
        """Hand the forces found to their owners."""
        row = 0
        for name in self.actuators:
            if not any(n == name for n, _ in names):
                self.efforts[name] = self._given_effort(name)
        self.touches = []
        for name, count in names:
            part = force[row : row + count]
            if name in self.actuators:
                self.efforts[name] = float(part[0])
            elif name in self.bonds:
                self.bonds[name].force = part.copy()  # type: ignore[attr-defined]
            elif name in self.contacts:
                self.touches += self.contacts[name].store(part)
            row += count
        for actuator in self.actuators.values():
            if isinstance(actuator, LiveCable) and actuator.has_friction:
                stroke = actuator.measure(self.state.x, self.state.quat)
                if abs(stroke - actuator.last) > 1e-12 * actuator.rest:
                    actuator.sliding = 1.0 if stroke > actuator.last else -1.0
                actuator.last = stroke

    def _start(self, names: list[tuple[str, int]]) -> np.ndarray:
        """Forces of the last step as a first guess for these rows."""
        parts = []
        for name, count in names:
            if name in self.actuators:
                parts.append(np.array([self.efforts[name]]))
            elif name in self.bonds:
                parts.append(getattr(self.bonds[name], "force", np.zeros(count)))
            elif name in self.contacts:
                parts.append(self.contacts[name].guess())
            else:
                parts.append(np.zeros(count))
        return np.concatenate(parts) if parts else np.zeros(0)

    def _sound(self) -> bool:
        """Whether no Neo-Hookean element is inverted."""
        groups = [g for g in self.system.groups if isinstance(g, TetGroup) and g.needs_volume]
        return all(g.least_det(self.state.x) > 0 for g in groups)
