"""A scene in motion: the one place where a state takes the place of the last."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from plantar._checks import require
from plantar._config import Duration, check_value
from plantar.errors import InvalidInput
from plantar.soft.scene.contact_near import Touch
from plantar.soft.solve.energy import energy
from plantar.soft.solve.implicit import step_dynamic
from plantar.soft.solve.model import Model
from plantar.soft.solve.result import RunResult, Solved, StaticResult, StepResult, Tally
from plantar.soft.solve.state import Commands, State
from plantar.soft.solve.static import solve_static, static_step

if TYPE_CHECKING:
    from plantar.soft.solve.inverse_result import InverseResult

Result = TypeVar("Result", bound=Solved)


class Driver(Model):
    """A model with a state and commands. Steps are pure functions of them; this keeps what they return."""

    _state: State
    _commands: dict[str, float]
    _moves: np.ndarray | None
    _tally: Tally

    @property
    def state(self) -> State:
        """Where the scene is; it cannot be changed, only replaced by a step, `reset` or `restore`."""
        return self._state.shown()

    @property
    def commands(self) -> Mapping[str, float]:
        """What actuators are driven to."""
        return self._commands

    @property
    def efforts(self) -> Mapping[str, float]:
        """Tension of cables [N] and pressure of cavities [Pa] of the last step."""
        return self._state.efforts

    @property
    def touches(self) -> list[Touch]:
        """Contacts with a force in the last step."""
        return list(self._state.touches)

    @property
    def tally(self) -> Tally:
        """How all steps since the start or the last reset ended."""
        return self._tally

    @property
    def time(self) -> float:
        """Simulated time [s]."""
        return self._state.time

    def restore(self, state: State) -> None:
        """Go back to a state that the scene was in."""
        fits = state.x.shape == self.system.x0.shape and state.quat.shape == self.system.quat0.shape
        require(fits, "state", state.x.shape, f"a state of this scene, {self.system.x0.shape}")
        self._state = state.taken()

    def reset(self) -> None:
        """Back to the rest shape at time 0, with no commands."""
        self._state, self._moves, self._tally = self.rest_state(), None, Tally()
        self._commands = {name: 0.0 for name in self.actuators}

    def command(self, values: Mapping[str, float] | None = None, **named: float) -> None:
        """Set what actuators are driven to: stroke or tension of cables, pressure or growth of volume of cavities."""
        for name, value in {**(values or {}), **named}.items():
            if name not in self.actuators:
                raise InvalidInput(f"unknown actuator {name!r}: the scene has {', '.join(self.actuators) or 'none'}")
            require(bool(np.isfinite(value)), f"command of {name!r}", value, "a finite number")
            self._commands[name] = float(value)

    def move(self, body: str, displacement: Any, region: Any = None) -> None:
        """Move fixed nodes, or a fixed rigid body, during the next step.

        Args:
            body: The body.
            displacement: By how much (3) or (nodes, 3) [m]; for a rigid body also 6 numbers, the last three a
                rotation vector [rad].
            region: Which of its fixed nodes; all if None.
        """
        from plantar.soft.scene.prescribed_motion import prescribe  # noqa: PLC0415

        self._moves = prescribe(self, self._moves, body, np.asarray(displacement, dtype=float), region)

    def step(self, commands: Mapping[str, float] | None = None) -> StepResult:
        """Advance by `dt`, or in static mode to the equilibrium.

        Raises:
            Diverged: If the step fails however small it is made; the state is then the last good one.
        """
        if commands:
            self.command(commands)
        if self.mode == "static":
            found = self.equilibrium()
            return static_step(self, self._state, found)
        return self._keep(*step_dynamic(self, self._state, self._orders()))

    def run(self, duration: float) -> RunResult:
        """Step until `duration` seconds have passed; `.tally` of the result says how they ended."""
        check_value("duration", duration, Duration)
        return RunResult(self.step() for _ in range(max(1, round(duration / self.dt))))

    def equilibrium(self, tolerance: float = 1e-9, limit: int = 200) -> StaticResult:
        """Find the equilibrium under the present commands by Newton's method.

        Args:
            tolerance: Largest motion of the last iteration, as a fraction of the size of the scene.
            limit: Most iterations.

        Raises:
            Diverged: If there is none within the limit.
        """
        return self._keep(*solve_static(self, self._state, self._orders(), tolerance, limit))

    def build_inverse(self, targets: Mapping[str, Sequence[float]] | None = None, **options: Any) -> Any:
        """The quadratic program of one inverse step; see `plantar.soft.solve.inverse.build_inverse`."""
        from plantar.soft.solve.inverse import build_inverse  # noqa: PLC0415  (loads the solvers)

        self._aim(targets)
        return build_inverse(self, self._state, self._orders(), **options)

    def solve_inverse(self, targets: Mapping[str, Sequence[float]] | None = None, **options: Any) -> InverseResult:
        """Make one step that brings the goals to their targets; see `plantar.soft.solve.inverse.solve_inverse`."""
        from plantar.soft.solve.inverse import solve_inverse  # noqa: PLC0415

        self._aim(targets)
        return self._keep(*solve_inverse(self, self._state, self._orders(), **options))

    def jacobian(self) -> np.ndarray:
        """How goals move per stroke of each actuator: W_ea W_aa^-1 of eq. 14."""
        from plantar.soft.solve.inverse import coupling  # noqa: PLC0415

        return coupling(self, self._state, self._orders())

    def strokes(self) -> dict[str, float]:
        """Stroke of every actuator: cable length pulled in, growth of a cavity's volume."""
        return self.strokes_at(self._state)

    def energy(self) -> dict[str, float]:
        """Kinetic, elastic and gravitational energy [J]."""
        return energy(self.system, self._state, self.gravity)

    def _aim(self, targets: Mapping[str, Sequence[float]] | None) -> None:
        for name, target in (targets or {}).items():
            if name not in self.goals:
                raise InvalidInput(f"unknown goal {name!r}: the scene has {', '.join(self.goals) or 'none'}")
            ok = np.shape(target) == (3,) and bool(np.isfinite(target).all())
            require(ok, f"target of {name!r}", target, "three numbers, in m")
            self.goals[name].target = np.asarray(target, dtype=float)

    def _keep(self, state: State, result: Result) -> Result:
        """Take what a step returned."""
        self._state, self._moves, self._tally = state, None, self._tally.plus(result)
        return result

    def _orders(self) -> Commands:
        return Commands(dict(self._commands), self._moves)
