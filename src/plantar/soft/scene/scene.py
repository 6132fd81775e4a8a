"""Scenes: bodies, actuators, bonds and contacts that move together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from plantar._checks import require, require_choice
from plantar.errors import InvalidInput
from plantar.soft.fem.parts import check_unique
from plantar.soft.scene.bond import FixedDistance, FixedPosition, LiveDistance, LivePosition
from plantar.soft.scene.cable import Cable, LiveCable
from plantar.soft.scene.cavity import Cavity, LiveCavity
from plantar.soft.scene.contact import Contact, LiveContact, Touch
from plantar.soft.scene.goal import Goal, LiveGoal
from plantar.soft.scene.load import LiveLoad, Load
from plantar.soft.scene.overconstrained import check_held
from plantar.soft.scene.place import Placer
from plantar.soft.scene.skin import LiveSkin, Skin
from plantar.soft.solve.complementarity import Forces, Rows
from plantar.soft.solve.energy import energy
from plantar.soft.solve.factor import Backend
from plantar.soft.solve.implicit import StepResult, step_dynamic
from plantar.soft.solve.state import State
from plantar.soft.solve.static import StaticResult, solve_static
from plantar.soft.solve.system import System
from plantar.soft.solve.work import SceneWork

if TYPE_CHECKING:
    from plantar.soft.solve.inverse import InverseResult

Actuator = Cable | Cavity


class Scene(SceneWork):
    """Soft and rigid bodies with what drives, holds and touches them.

    Building one checks everything that can be checked before the first step. All lengths, masses and times may be
    in any consistent units; SI is what files and the rest of Plantar use.

    Args:
        bodies: Bodies with different names.
        actuators: Cables and cavities.
        bonds: Distances and positions that are held.
        contacts: What may touch what.
        goals: Points that the inverse brings to their targets.
        loads: Forces on points.
        skins: Other representations of bodies, for contact or to look at.
        gravity: Acceleration [m/s^2].
        dt: Time step [s].
        mode: `dynamic`: backward Euler with one linearisation a step. `static`: every step is an equilibrium.
        rayleigh: Damping on mass [1/s] and stiffness [s] of bodies without their own.
        backend: Sparse library; see `plantar.soft.solve.factor`.
        dump: Folder for the last good state if a step cannot be saved; None writes none.
    """

    contact_tolerance: float = 1e-12
    """Accuracy of contacts with friction, as a share of the largest gap or stroke of a step; 1e-6 is much faster."""
    contact_rounds: int = 4000
    """Most rounds of Gauss-Seidel in a step."""

    def __init__(
        self,
        bodies: Sequence[Any],
        actuators: Sequence[Actuator] = (),
        *,
        bonds: Sequence[FixedDistance | FixedPosition] = (),
        contacts: Sequence[Contact] = (),
        goals: Sequence[Goal] = (),
        loads: Sequence[Load] = (),
        skins: Sequence[Skin] = (),
        gravity: Sequence[float] = (0.0, 0.0, -9.81),
        dt: float = 0.01,
        mode: Literal["dynamic", "static"] = "dynamic",
        rayleigh: tuple[float, float] = (0.1, 0.1),
        backend: Backend = "auto",
        dump: str | Path | None = None,
    ):
        require(len(bodies) > 0, "bodies", 0, "at least one body")
        require(0 < dt < float("inf"), "dt", dt, "a number above 0, in s")
        require_choice("mode", mode, ("dynamic", "static"))
        require(np.shape(gravity) == (3,) and bool(np.isfinite(gravity).all()), "gravity", gravity, "three numbers")
        check_unique([*bodies, *actuators, *bonds, *contacts, *goals, *loads, *skins])
        self.dt, self.mode, self.dump = float(dt), mode, dump
        self.gravity = np.asarray(gravity, dtype=float)
        self.bodies = {b.name: b for b in bodies}
        self.system = System(list(bodies), rayleigh, backend)
        system = self.system
        self.state = State(0.0, system.x0.copy(), system.quat0.copy(), np.zeros((system.size, 3)))
        self._placer = Placer(self.bodies, system)
        self.skins = {k.name: LiveSkin(k, self._placer) for k in skins}
        self._build(actuators, bonds, contacts, goals, loads)
        self.commands = {name: 0.0 for name in self.actuators}
        self.efforts = {name: 0.0 for name in self.actuators}
        self._prescribed: np.ndarray | None = None
        self._boundary_moves = False
        # whether corotational elements add the change of their rotation to the tangent: exact, but not always definite
        self._exact = False
        self._last: Forces | None = None
        self._template: tuple[list[str], Rows, list[tuple[str, int]]] | None = None
        self._f = np.zeros((system.size, 3))
        self._weight = system.mass[:, None] * self.gravity
        self._step_factors: tuple[float, np.ndarray, np.ndarray] = (0.0, system.alpha, system.beta)
        self.least_det = 1.0
        self.touches: list[Touch] = []
        self._size = float(np.linalg.norm(np.ptp(system.x0[~system.rotational], axis=0))) or 1.0
        check_held(self)

    def _build(
        self,
        actuators: Iterable[Actuator],
        bonds: Iterable[Any],
        contacts: Iterable[Contact],
        goals: Iterable[Goal],
        loads: Iterable[Load],
    ) -> None:
        x, quat = self.state.x, self.state.quat
        self.actuators: dict[str, LiveCable | LiveCavity] = {
            a.name: (LiveCable if isinstance(a, Cable) else LiveCavity)(a, self._placer, x, quat)  # type: ignore[arg-type]
            for a in actuators
        }
        self.configs = {a.name: a for a in actuators}
        self._stiffen_cables()
        self.bonds = {
            b.name: (LiveDistance if isinstance(b, FixedDistance) else LivePosition)(b, self._placer, x, quat)  # type: ignore[arg-type]
            for b in bonds
        }
        self.goals = {g.name: LiveGoal(g, self._placer, x, quat) for g in goals}
        self.loads = {g.name: LiveLoad(g, self._placer, x, quat) for g in loads}
        self.contacts = {c.name: LiveContact(c, self._placer, self) for c in contacts}

    def command(self, values: Mapping[str, float] | None = None, **named: float) -> None:
        """Set what actuators are driven to: stroke or tension of cables, pressure or growth of volume of cavities."""
        for name, value in {**(values or {}), **named}.items():
            if name not in self.actuators:
                raise InvalidInput(f"unknown actuator {name!r}: the scene has {', '.join(self.actuators) or 'none'}")
            require(bool(np.isfinite(value)), f"command of {name!r}", value, "a finite number")
            self.commands[name] = float(value)

    def step(self, commands: Mapping[str, float] | None = None) -> StepResult:
        """Advance by `dt`, or in static mode to the equilibrium.

        Raises:
            Diverged: If the step fails however small it is made; the state is then the last good one.
        """
        if commands:
            self.command(commands)
        if self.mode == "static":
            return self.equilibrium().as_step(self)
        return step_dynamic(self)

    def run(self, duration: float) -> list[StepResult]:
        """Step until `duration` seconds have passed."""
        return [self.step() for _ in range(max(1, round(duration / self.dt)))]

    def equilibrium(self, tolerance: float = 1e-9, limit: int = 200) -> StaticResult:
        """Find the equilibrium under the present commands by Newton's method.

        Args:
            tolerance: Largest motion of the last iteration, as a share of the size of the scene.
            limit: Most iterations.

        Raises:
            Diverged: If there is none within the limit.
        """
        return solve_static(self, tolerance, limit)

    def build_inverse(self, targets: Mapping[str, Sequence[float]] | None = None, **options: Any) -> Any:
        """The quadratic program of one inverse step; see `plantar.soft.solve.inverse.build_inverse`."""
        from plantar.soft.solve.inverse import build_inverse  # noqa: PLC0415  (loads the solvers)

        return build_inverse(self, targets, **options)

    def solve_inverse(self, targets: Mapping[str, Sequence[float]] | None = None, **options: Any) -> InverseResult:
        """Make one step that brings the goals to their targets; see `plantar.soft.solve.inverse.solve_inverse`."""
        from plantar.soft.solve.inverse import solve_inverse  # noqa: PLC0415

        return solve_inverse(self, targets, **options)

    def jacobian(self) -> np.ndarray:
        """How goals move per stroke of each actuator: W_ea W_aa^-1 of eq. 14."""
        from plantar.soft.solve.inverse import coupling  # noqa: PLC0415

        return coupling(self)

    def strokes(self) -> dict[str, float]:
        """Stroke of every actuator: cable length pulled in, growth of a cavity's volume."""
        return {n: float(a.measure(self.state.x, self.state.quat)) for n, a in self.actuators.items()}

    def positions(self, body: str) -> np.ndarray:
        """Places of the nodes of a body, or the place of a rigid one."""
        if body not in self.bodies:
            if body in self.system.frame_name:
                return self.state.x[[self.system.frame_block[self.system.frame_name[body]]]]
            raise InvalidInput(f"unknown body {body!r}: the scene has {', '.join(self.bodies)}")
        parts, at = self.system.parts[body], self.system.offset[body]
        p = len(parts.points)
        if p:
            return self.state.x[at : at + p].copy()
        return self.state.x[at : at + parts.size : 2].copy()

    def orientation(self, body: str) -> np.ndarray:
        """Quaternion w x y z of a rigid body or rigid region."""
        if body not in self.system.frame_name:
            raise InvalidInput(f"{body!r} is not rigid; rigid are {', '.join(self.system.frame_name) or 'none'}")
        return self.state.quat[self.system.frame_name[body]].copy()

    def point_map(self, body: str, points: Any, outside: Literal["error", "extrapolate"] = "error") -> Any:
        """Map places of the rest shape onto a body: `.positions(scene.state.x, scene.state.quat)` follows it."""
        return self._placer.map(body, points, "points", outside)

    def move(self, body: str, displacement: Any, region: Any = None) -> None:
        """Move fixed nodes, or a fixed rigid body, during the next step.

        Args:
            body: The body.
            displacement: By how much (3) or (nodes, 3) [m]; for a rigid body also 6 numbers, the last three a
                rotation vector [rad].
            region: Which of its fixed nodes; all if None.
        """
        from plantar.soft.scene.prescribed_motion import prescribe  # noqa: PLC0415

        prescribe(self, body, np.asarray(displacement, dtype=float), region)

    def energy(self) -> dict[str, float]:
        """Kinetic, elastic and gravitational energy [J]."""
        return energy(self.system, self.state, self.gravity)

    def reset(self) -> None:
        """Back to the rest shape at time 0, with no commands."""
        s = self.system
        self.state = State(0.0, s.x0.copy(), s.quat0.copy(), np.zeros((s.size, 3)))
        self.commands = {name: 0.0 for name in self.actuators}
        self.efforts = {name: 0.0 for name in self.actuators}
        self.touches = []
        for contact in self.contacts.values():
            contact.reset()

    @property
    def dofs(self) -> int:
        """Degrees of freedom: numbers that can change."""
        return self.system.dofs

    @property
    def time(self) -> float:
        """Simulated time [s]."""
        return self.state.time

    @property
    def last_forces(self) -> Forces | None:
        """How the rows of the last step were solved."""
        return self._last
