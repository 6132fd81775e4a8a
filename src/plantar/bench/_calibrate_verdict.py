"""What the data can tell: parameters without effect, and parameters that cannot be told apart."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from plantar.bench._calibrate_parameters import Space

COLLINEAR = 20.0
"""Parameters whose effects are alike to one part in this many count as confounded.

This is the collinearity index of Brun, Reichert and Kuensch (Water Resources Research 37, 2001), who
call values above 10 to 15 critical.
"""
WIDEST = 0.5
"""A 95 % interval that reaches this fraction of the bounds to either side determines nothing."""


class Verdict(enum.Enum):
    """What the data say about a parameter; the text is for people to read."""

    IDENTIFIED = "determined by the data"
    NO_EFFECT = "not determined: no reading depends on it"
    CONFOUNDED = "not determined: its effect is that of another parameter, so it is held"
    CONDITIONAL = "holds only if what it is confounded with has the value at which it is held"
    AT_BOUND = "on a bound: the best value may lie beyond it"


@dataclass(frozen=True, kw_only=True)
class Confusion:
    """Parameters of which the data determine only a combination."""

    members: tuple[int, ...]
    """Indices of the parameters, in the user's order."""
    held: int
    """The one that is held so that the others can be fitted: the last."""
    direction: np.ndarray
    """Change of every parameter, in fractions of its bounds, that leaves the readings as they are."""


@dataclass(frozen=True, kw_only=True)
class Identifiability:
    """What a Jacobian says about its parameters."""

    idle: tuple[int, ...]
    """Parameters without effect."""
    confusions: tuple[Confusion, ...]

    @property
    def held(self) -> tuple[int, ...]:
        """Parameters that cannot be fitted."""
        return (*self.idle, *(c.held for c in self.confusions))


def analyse(jacobian: np.ndarray, scale: float = 1.0) -> Identifiability:
    """Find parameters without effect and groups that cannot be told apart.

    Args:
        jacobian: Slopes of the residuals (readings, parameters), residuals in standard deviations and
            parameters in fractions of their bounds.
        scale: Standard deviation of the residuals, 1 if the noise is as assumed.
    """
    n = jacobian.shape[1]
    norms = np.linalg.norm(jacobian, axis=0)
    idle = [i for i in range(n) if 1.96 * scale >= WIDEST * norms[i]]
    active = [i for i in range(n) if i not in idle]
    confusions = []
    while len(active) > 1:
        unit = jacobian[:, active] / norms[active]
        _, singular, right = np.linalg.svd(unit, full_matrices=False)
        spread = np.sqrt(((right / np.maximum(singular, 1e-12)[:, None]) ** 2).sum(axis=0)) / norms[active]
        if singular[-1] * COLLINEAR >= 1 and 1.96 * scale * spread.max() < WIDEST:
            break
        confusions.append(_confusion(right[-1], active, norms, n))
        active.remove(confusions[-1].held)
    return Identifiability(idle=tuple(idle), confusions=tuple(confusions))


def _confusion(weak: np.ndarray, active: list[int], norms: np.ndarray, n: int) -> Confusion:
    """The parameters that take part in a direction without effect."""
    share = np.abs(weak)
    part = sorted({*np.flatnonzero(share > 0.3 * share.max()), *np.argsort(share)[-2:]})
    members = tuple(active[k] for k in part)
    direction = np.zeros(n)
    direction[list(members)] = weak[part] / norms[list(members)]
    return Confusion(members=members, held=members[-1], direction=direction)


def explain_confusion(confusion: Confusion, space: Space, u: np.ndarray) -> str:
    """A sentence that names the parameters, the combination that is determined, and what to do."""
    names = [space.names[i] for i in confusion.members]
    held = space.names[confusion.held]
    knob = space.knobs[confusion.held]
    who = f"{', '.join(names[:-1])} and {names[-1]} cannot be told apart"
    # Along the direction without effect dx_i; the readings depend on the sum of x_i / dx_i with signs that cancel it.
    change = confusion.direction * space.slopes(u)
    if len(names) == 2:
        a, b = confusion.members
        ratio = -change[a] / change[b]  # raising b by 1 does what raising a by `ratio` does
        small = 0.02 * abs(space.slopes(u)[a])
        verb, sign = ("raising", "+") if ratio > 0 else ("lowering", "-")
        alike = (
            f"raising {names[0]} by {small:.2g} {space.knobs[a].unit} changes the readings as "
            f"{verb} {names[1]} by {small / abs(ratio):.2g} {space.knobs[b].unit} does"
        )
        only = f"only {names[0]} {sign} {abs(ratio):.3g} x {names[1]} is determined (SI units)"
    else:
        alike = "a change of one is undone by changes of the others"
        only = f"only {len(names) - 1} combinations of them are determined"
    return (
        f"{who}: {alike}; {only}. {held} is held at {space.values(u)[confusion.held]:.4g} {knob.unit} and the value of "
        f"{_join(n for n in names if n != held)} holds only if that is right: {knob.remedy}, or fix one of them."
    )


def explain_idle(i: int, space: Space, u: np.ndarray, excluded: Sequence[float]) -> str:
    """A sentence that names a parameter without effect and what to do.

    Args:
        i: The parameter.
        space: The parameters.
        u: The solution, in fractions.
        excluded: Bounds at which the fit would be clearly worse [SI].
    """
    knob, value = space.knobs[i], space.values(u)[i]
    but = f" (values near {_join(f'{x:g}' for x in excluded)} {knob.unit} are excluded)" if excluded else ""
    return (
        f"{space.names[i]} cannot be identified: around {value:.4g} {knob.unit} it changes the readings by less than "
        f"their noise{but}. It is held there: {knob.remedy}, or add trials in which it acts."
    )


def _join(names: object) -> str:
    words = [str(n) for n in names]  # type: ignore[attr-defined]
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
