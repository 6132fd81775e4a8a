"""What a scene is made of: built once, read by every step, changed by none."""

from __future__ import annotations

import copy
from pathlib import Path

import numpy as np

from plantar.soft.fem.groups import ROTATIONS, TetGroup
from plantar.soft.scene.bond import LiveDistance, LivePosition
from plantar.soft.scene.cable import Cable, LiveCable
from plantar.soft.scene.cable_stiffness import CableGroup
from plantar.soft.scene.cavity import Cavity, LiveCavity
from plantar.soft.scene.contact import LiveContact
from plantar.soft.scene.goal import LiveGoal
from plantar.soft.scene.load import LiveLoad
from plantar.soft.solve.complementarity import Rows
from plantar.soft.solve.rows import ActiveRows
from plantar.soft.solve.sparse_rows import SparseRows
from plantar.soft.solve.spin_kernels import keep_turning
from plantar.soft.solve.state import Commands, Method, State
from plantar.soft.solve.system import FIXED, System

MIDDLE, MANY = 8000, 3_000_000
"""Free numbers, and those times points that may touch, from which multigrid is faster than a solution for each row."""
TAUT = 0.02
"""Tension over length of a segment, as a fraction of the stiffness of a node, from which cables add to the matrix."""
TAUT_EDGE = 0.04
"""The same for elements of edge frames, whose own matrix leaves out more."""


class Model:
    """Bodies as one system of blocks, and what drives, holds and touches them.

    `linearise` and `solve` read it together with a state; nothing of a state is kept here.
    """

    system: System
    dt: float
    """Time step [s]."""
    mode: str
    """`dynamic` or `static`."""
    gravity: np.ndarray
    """Acceleration [m/s^2]."""
    actuators: dict[str, LiveCable | LiveCavity]
    configs: dict[str, Cable | Cavity]
    bonds: dict[str, LiveDistance | LivePosition]
    contacts: dict[str, LiveContact]
    goals: dict[str, LiveGoal]
    loads: dict[str, LiveLoad]
    dump: str | Path | None = None
    """Folder for the last good state if a step cannot be saved; None writes none."""
    contact_tolerance: float = 1e-12
    """Accuracy of contacts with friction, as a fraction of the largest gap or stroke of a step; 1e-6 is much faster."""
    contact_rounds: int = 4000
    """Most rounds of Gauss-Seidel in a step."""

    _taut: CableGroup | None = None
    _tight: System | None = None
    _tight_of: System | None = None
    _tight_cables: CableGroup | None = None
    _template: tuple[list[str], Rows, list[tuple[str, int]]] | None = None

    @property
    def size(self) -> float:
        """Diagonal of the box around the scene at rest [m]."""
        return self._size

    def _finish(self) -> None:
        """What follows from the parts."""
        system = self.system
        self._size = float(np.linalg.norm(np.ptp(system.x0[~system.rotational], axis=0))) or 1.0
        self._weight = system.mass[:, None] * self.gravity
        system.assemble(system.x0, system.quat0, np.zeros((system.size, 3)))
        self._stiffness = float(np.trace(system.K[system.row == system.col].mean(axis=0)) / 3)
        self._step_factors: tuple[float, np.ndarray, np.ndarray] = (0.0, system.alpha, system.beta)
        self._taut_from = (TAUT if self.conservative() else TAUT_EDGE) * self._stiffness
        may = self._taut is None
        self._cables = [a for a in self.actuators.values() if may and isinstance(a, LiveCable)]
        points = sum(len(c.map) for c in self.contacts.values())
        if system.backend == "auto" and system.dofs >= MIDDLE and system.dofs * points >= MANY:
            system.large = True

    def _stiffen_cables(self) -> None:
        """Give taut cables their stiffness where elements have an exact tangent; corotational ones do without both."""
        cables = [a for a in self.actuators.values() if isinstance(a, LiveCable)]
        exact = any(isinstance(g, TetGroup) and g.law >= 0 for g in self.system.groups)
        if cables and exact:
            self._taut = CableGroup(cables)
            self.system.set_groups([*self.system.groups, self._taut])

    def tangent(self, state: State, commands: Commands, method: Method) -> System:
        """The system to linearise: that with the stiffness of taut cables, in statics and where it matters.

        Corotational elements do without it at small tensions, and are then faster.
        """
        cables = self._cables
        if not cables or method.inverse or self.system.large:
            return self.system
        if method.h is not None:
            pull = max(self._tension(c.name, state, commands) / c.shortest for c in cables)
            if pull < self._taut_from:
                return self.system
        if self._tight is None or self._tight_of is not self.system:  # a reduction takes the system's place
            self._tight_of, self._tight_cables = self.system, CableGroup(cables)
            tight = copy.copy(self.system)
            tight.set_groups([*map(copy.copy, self.system.groups), self._tight_cables])
            self._tight = tight
        return self._tight

    def shutting(
        self, state: State, x: np.ndarray, quat: np.ndarray, commands: Commands, method: Method
    ) -> np.ndarray | None:
        """Segments of taut cables that a step from a state to these places shuts, or None where there are none."""
        if not self._cables and self._taut is None:
            return None
        taut = self._tight_cables if self.tangent(state, commands, method) is not self.system else self._taut
        shut = None if taut is None else taut.shut_by(state, x, quat)
        return shut if shut is not None and shut.any() else None

    def conservative(self) -> bool:
        """Whether forces of all elements come from a potential; those of edge frames do not."""
        kept = (ROTATIONS["polar"], ROTATIONS["none"])
        return all(g.law >= 0 or g.kind in kept for g in self.system.groups if isinstance(g, TetGroup))

    @property
    def may_soften(self) -> bool:
        """Whether loads can make the stiffness of elements negative: where a hyperelastic law has its exact tangent."""
        return any(g.law >= 0 for g in self.system.groups if isinstance(g, TetGroup))

    def rest_state(self) -> State:
        """The rest shape at time 0, with no forces."""
        s = self.system
        return State(
            0.0,
            s.x0.copy(),
            s.quat0.copy(),
            np.zeros((s.size, 3)),
            efforts={name: 0.0 for name in self.actuators},
            cables={n: (0.0, 1.0) for n, a in self.actuators.items() if a.has_friction},
        )

    def start_velocity(self, state: State, commands: Commands, h: float | None) -> np.ndarray:
        """Velocities at the start of a step: those of fixed blocks are what moves them."""
        if h is None or not (commands.moves is not None or state.boundary_moves):
            return state.v
        v, fixed = state.v.copy(), self.system.kind == FIXED
        v[fixed] = 0.0 if commands.moves is None else commands.moves[fixed] / h
        return v

    def forces(self, state: State, commands: Commands, method: Method, v: np.ndarray) -> np.ndarray:
        """All known forces on all blocks (n, 3); the system's stiffness is assembled on the way."""
        system, h = self.tangent(state, commands, method), method.h
        taut = self._tight_cables if system is not self.system else self._taut
        if taut is not None:
            taut.tension[:] = [max(0.0, self._tension(c.name, state, commands)) for c in taut.cables]
            taut.shutting = np.zeros(len(taut.owner), dtype=bool) if method.shutting is None else method.shutting
        F = np.zeros((system.size, 3))
        system.assemble(state.x, state.quat, F, exact=method.exact)
        F += self._weight
        for load in self.loads.values():
            load.add(state, F)
        self._effort_loads(state, commands, method, F)
        if h is None:
            if commands.moves is not None:
                system.multiply(commands.moves, -np.ones(system.size), F)
            return F
        system.damp(v, h, F)
        if system.frames:
            turning, inertia = system.frame_block + 1, system.world_inertia(state.quat)
            F[turning] -= system.alpha[turning, None] * np.einsum("fij,fj->fi", inertia, v[turning])
            parts = (system.mass, inertia, system.frame_block, system.number, system.slaves, system.master_frame)
            if not keep_turning(state.x, v, h, *parts, F):
                raise FloatingPointError("a rigid part turns too far in the step")
        return F

    def coefficients(self, method: Method) -> tuple[np.ndarray, np.ndarray]:
        """Of mass and of stiffness in the matrix, a number a block."""
        system, h = self.system, method.h
        if h is None:
            return np.full(system.size, method.regular), np.ones(system.size)
        if self._step_factors[0] != h:
            self._step_factors = (h, 1.0 + h * system.alpha, h * (h + system.beta))
        return self._step_factors[1:]

    def is_row(self, name: str, inverse: bool = False) -> bool:
        """Whether an actuator is solved for rather than given."""
        return inverse or self.configs[name].drive in ("length", "volume")

    def driven_rows(self) -> tuple[list[str], Rows, list[tuple[str, int]]]:
        """Actuators that are solved for, their limits, and their names with 1 each."""
        if self._template is None:
            driven = [n for n in self.actuators if self.is_row(n)]
            limits = np.array([self.configs[n].limits for n in driven]).reshape(-1, 2)
            rows = Rows(limits[:, 0].copy(), limits[:, 1].copy(), np.full(len(driven), -1.0))
            self._template = (driven, rows, [(n, 1) for n in driven])
        return self._template

    def _effort_loads(self, state: State, commands: Commands, method: Method, F: np.ndarray) -> None:
        """Add forces of actuators driven by effort."""
        for name, actuator in self.actuators.items():
            if not self.is_row(name, method.inverse):
                effort = self.given_effort(name, commands)
                if effort:
                    load = np.zeros_like(F)
                    actuator.load(state.x, state.quat, load, state.cables.get(name, (0.0, 1.0))[1])
                    F += effort * load

    def _tension(self, name: str, state: State, commands: Commands) -> float:
        """Effort as far as it is known at the start of a step."""
        return state.efforts[name] or (0.0 if self.is_row(name) else self.given_effort(name, commands))

    def given_effort(self, name: str, commands: Commands) -> float:
        """Effort that an actuator is driven to, within its limits."""
        low, high = self.configs[name].limits
        if isinstance(self.configs[name], Cavity):
            low = -np.inf
        return float(min(max(commands.values[name], low), high))

    def remember(
        self, old: State, new: State, commands: Commands, active: ActiveRows | SparseRows, force: np.ndarray
    ) -> dict:
        """What the next step should know of the forces found in this one: fields of a `State`."""
        efforts, bonds, contacts, touches = {}, {}, {}, []
        row = 0
        for name, count in active.names:
            part = force[row : row + count]
            if name in active.near:
                near = active.near[name]
                contacts[name] = (near.found.point, part.reshape(-1, near.per))
                touches += near.touches(part)
            elif name in self.actuators:
                efforts[name] = float(part[0])
            elif name in self.bonds:
                bonds[name] = part
            row += count
        for name in self.actuators:
            if name not in efforts:
                efforts[name] = self.given_effort(name, commands)
        cables = {}
        for name, (last, sliding) in old.cables.items():
            cable = self.actuators[name]
            stroke = float(cable.measure(new.x, new.quat))
            if abs(stroke - last) > 1e-12 * cable.rest:
                sliding = 1.0 if stroke > last else -1.0  # noqa: PLW2901
            cables[name] = (stroke, sliding)
        efforts = {name: efforts[name] for name in self.actuators}
        return {"efforts": efforts, "bonds": bonds, "contacts": contacts, "cables": cables, "touches": tuple(touches)}

    def strokes_at(self, state: State) -> dict[str, float]:
        """Stroke of every actuator: cable length pulled in, growth of a cavity's volume."""
        return {n: float(a.measure(state.x, state.quat)) for n, a in self.actuators.items()}

    def sound(self, state: State) -> bool:
        """Whether no Neo-Hookean element is inverted."""
        return not self.inside_out(state, law_minds=True)

    def inside_out(self, state: State, law_minds: bool = False) -> bool:
        """Whether an element is inverted; with `law_minds`, one whose law has no meaning there."""
        groups = [g for g in self.system.groups if isinstance(g, TetGroup) and (g.needs_volume or not law_minds)]
        return any(not g.least_det(state.x) > 0 for g in groups)

    def pulled_shut(self, state: State) -> bool:
        """Whether a taut cable has pulled two of its waypoints together."""
        cables = (a for a in self.actuators.values() if isinstance(a, LiveCable))
        taut = (c for c in cables if state.efforts[c.name] > self._taut_from * c.shortest)
        return any(c.shut(state.x, state.quat) for c in taut)
