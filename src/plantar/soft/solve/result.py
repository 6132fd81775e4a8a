"""What a step did, and how far to trust it."""

from __future__ import annotations

import enum
import functools
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from plantar._notebook import Shown
from plantar.soft.scene.contact_near import Touch


class Solved(Protocol):
    """What every kind of result tells."""

    @property
    def converged(self) -> bool: ...  # noqa: D102
    @property
    def residual(self) -> float: ...  # noqa: D102
    @property
    def rounds(self) -> int: ...  # noqa: D102
    @property
    def active(self) -> int: ...  # noqa: D102


class StepStatus(enum.StrEnum):
    """How a step or an equilibrium ended; the text is the advice."""

    CONVERGED = "converged"
    CUT = "converged in smaller parts: the step is long for what happens in it; lower `dt`"
    CLOSED = (
        "converged, with way points of a cable pulled together until they met: pulling harder shortens nothing there; "
        "if walls would touch before, add a `Contact` of the body with itself"
    )
    INVERTED = (
        "converged, with elements turned inside out, which says nothing about a real body: lower the load, or make the "
        "mesh finer where it gives way"
    )
    CONTACT = (
        "forces of contacts are not converged: raise `contact_rounds`, loosen `contact_tolerance` or lower `dt`; "
        "`residual` says how far they are off"
    )


@dataclass(frozen=True, kw_only=True)
class StepResult(Shown):
    """What a step did."""

    status: StepStatus = StepStatus.CONVERGED
    """How it ended, with advice."""
    time: float
    """Time at its end [s]."""
    efforts: Mapping[str, float]
    """Tension of cables [N] and pressure of cavities [Pa]."""
    strokes: Mapping[str, float]
    """Cable length pulled in [m] and growth of volume [m^3]."""
    motion: float
    """Largest motion of a node [m]."""
    residual: float = 0.0
    """Largest violation of what actuators, bonds and contacts ask for, as a fraction of the largest gap or stroke."""
    rounds: int = 0
    """Rounds of the solver of those rows, of all linearisations together."""
    active: int = 0
    """Contacts with a force."""
    substeps: int = 1
    """Parts the step was cut into; 1 if all went well."""
    iterations: int = 1
    """Linearisations."""
    touches: list[Touch] = field(default_factory=list)
    """Contacts with a force."""

    @property
    def converged(self) -> bool:
        """Whether every force reaches the requested accuracy."""
        return self.status is not StepStatus.CONTACT


@dataclass(frozen=True, kw_only=True)
class Tally:
    """How the steps of a run ended."""

    steps: int = 0
    """Steps, inverse ones and equilibria included."""
    converged: int = 0
    """Those that converged."""
    cut: int = 0
    """Those that had to be cut into smaller parts."""
    residual: float = 0.0
    """Largest residual of a step."""
    rounds: int = 0
    """Most rounds of a step."""
    active: int = 0
    """Most contacts with a force in a step."""
    status: StepStatus = StepStatus.CONVERGED
    """The worst status of the steps."""

    def plus(self, result: Solved) -> Tally:
        """The tally with one more step."""
        status = getattr(result, "status", None)
        if not isinstance(status, StepStatus):
            status = StepStatus.CONVERGED if result.converged else StepStatus.CONTACT
        return Tally(
            steps=self.steps + 1,
            converged=self.converged + result.converged,
            cut=self.cut + (getattr(result, "substeps", 1) > 1),
            residual=max(self.residual, result.residual),
            rounds=max(self.rounds, result.rounds),
            active=max(self.active, result.active),
            status=max(self.status, status, key=list(StepStatus).index),
        )

    def summary(self) -> str:
        """One line: how many steps converged, the worst of them, and advice where some did not."""
        line = f"{self.converged} of {self.steps} steps converged; most: {self.rounds} rounds, {self.active} contacts"
        if self.converged < self.steps:
            return f"{line}; worst residual {self.residual:.1e}: {self.status.value}"
        cut = f"; {self.cut} cut" if self.cut else ""
        return f"{line}{cut}" + ("" if self.status is StepStatus.CONVERGED else f": {self.status.value}")


class RunResult(list[StepResult]):
    """The steps of a run."""

    @property
    def tally(self) -> Tally:
        """How they ended."""
        return functools.reduce(Tally.plus, self, Tally())

    @property
    def converged(self) -> bool:
        """Whether every step converged."""
        return all(r.converged for r in self)


@dataclass(frozen=True, kw_only=True)
class StaticResult(Shown):
    """An equilibrium."""

    status: StepStatus = StepStatus.CONVERGED
    """How it ended, with advice."""
    iterations: int
    """Linearisations it took."""
    motion: float
    """Largest motion of the last one [m]."""
    imbalance: float
    """Largest force out of balance on a free number [N]."""
    residual: float = 0.0
    """Largest violation of what rows ask for, as a fraction of the largest gap or stroke of the last linearisation."""
    rounds: int = 0
    """Rounds of the solver of contacts, of all linearisations together."""
    active: int = 0
    """Contacts with a force."""
    history: tuple[float, ...]
    """Largest motion of every iteration [m]."""

    @property
    def converged(self) -> bool:
        """Whether forces of contacts reach the requested accuracy."""
        return self.status is not StepStatus.CONTACT
