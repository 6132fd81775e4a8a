"""What the data can tell: parameters without effect, and parameters that cannot be told apart."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from plantar.bench.calibrate.parameters import ParameterSpace
from plantar.table import Row

COLLINEAR = 10.0
"""Parameters whose effects are alike to one part in this many count as confounded.

This is the collinearity index of Brun, Reichert and Kuensch (Water Resources Research 37, 2001), who
call values above 10 to 15 critical.
"""
WIDEST = 0.5
"""A 95 % interval that reaches this fraction of the bounds to either side determines nothing."""
WIDE = 0.25
"""A parameter whose 95 % interval reaches this fraction of the bounds to either side is not called determined."""


class Verdict(enum.Enum):
    """What the data say about a parameter; the text is for people to read."""

    IDENTIFIED = "determined by the data"
    NO_EFFECT = "not determined: no reading depends on it"
    CONFOUNDED = "not determined: its effect is that of another parameter, so it is held"
    CONDITIONAL = "holds only if what it is confounded with has the value at which it is held"
    WIDE = "hardly determined: its 95 % interval covers half of its bounds or more"
    AT_BOUND = "on a bound: the best value may lie beyond it"


@dataclass(frozen=True, kw_only=True)
class ConfoundedGroup:
    """Parameters of which the data determine only a combination."""

    members: tuple[int, ...]
    """Indices of the parameters, in the user's order."""
    held: int
    """The one that is held so that the others can be fitted: the last."""
    direction: tuple[float, ...]
    """Change of each member, in fractions of its bounds, that leaves the readings as they are."""


@dataclass(frozen=True, kw_only=True)
class Identifiability:
    """What a Jacobian says about its parameters."""

    idle: tuple[int, ...]
    """Parameters without effect."""
    confounded: tuple[ConfoundedGroup, ...]

    @property
    def held(self) -> tuple[int, ...]:
        """Parameters that cannot be fitted."""
        return (*self.idle, *(c.held for c in self.confounded))


def analyse(jacobian: np.ndarray, which: Sequence[int] | np.ndarray, scale: float = 1.0) -> Identifiability:
    """Find parameters without effect and groups that cannot be told apart.

    Args:
        jacobian: Slopes of the residuals (readings, parameters), residuals in standard deviations and
            parameters in fractions of their bounds.
        which: Index of the parameter of each column.
        scale: Standard deviation of the residuals, 1 if the noise is as assumed.
    """
    which = [int(i) for i in which]
    column = dict(zip(which, jacobian.T, strict=True))
    norm = {i: float(np.linalg.norm(column[i])) for i in which}
    idle = tuple(i for i in which if 1.96 * scale >= WIDEST * norm[i])
    active = [i for i in which if i not in idle]
    confounded = []
    while len(active) > 1:
        size = np.array([norm[i] for i in active])
        unit = np.stack([column[i] for i in active], axis=1) / size
        _, singular, right = np.linalg.svd(unit, full_matrices=False)
        deviation = np.sqrt(((right / np.maximum(singular, 1e-12)[:, None]) ** 2).sum(axis=0)) / size
        if singular[-1] * COLLINEAR >= 1 and 1.96 * scale * deviation.max() < WIDEST:
            break
        confounded.append(_confusion(right[-1], size, active))
        active.remove(confounded[-1].held)
    return Identifiability(idle=idle, confounded=tuple(confounded))


def _confusion(weak: np.ndarray, size: np.ndarray, active: list[int]) -> ConfoundedGroup:
    """The parameters that take part in a direction without effect."""
    share = np.abs(weak)
    part = sorted({*np.flatnonzero(share > 0.3 * share.max()).tolist(), *np.argsort(share)[-2:].tolist()})
    members = tuple(active[k] for k in part)
    return ConfoundedGroup(members=members, held=members[-1], direction=tuple(float(weak[k] / size[k]) for k in part))


def explain_confounded(group: ConfoundedGroup, space: ParameterSpace, u: np.ndarray) -> str:
    """A sentence that names the parameters, the combination that is determined, and what to do."""
    names = [space.names[i] for i in group.members]
    held = space.names[group.held]
    parameter = space.parameters[group.held]
    who = f"{', '.join(names[:-1])} and {names[-1]} cannot be told apart"
    if len(names) == 2:
        alike, only = _explain_pair(group, space, u)
    else:
        alike = "a change of one is undone by changes of the others"
        only = f"only {len(names) - 1} combinations of them are determined"
    return (
        f"{who}: {alike}; {only}. {held} is held at {space.nominal[group.held]:.4g} {parameter.unit} and the value of "
        f"{_join(n for n in names if n != held)} holds only if that is right: {parameter.remedy}, or fix one of them."
    )


def _explain_pair(group: ConfoundedGroup, space: ParameterSpace, u: np.ndarray) -> tuple[str, str]:
    """What does the same as a small change of the first parameter, and the combination that is determined."""
    (a, b), values, slopes = group.members, space.values(u), space.slopes(u)
    (name_a, name_b), (unit_a, unit_b) = ((x[a], x[b]) for x in (space.names, [k.unit for k in space.parameters]))
    # Raising b by 1 does what raising a by `ratio` does.
    ratio = -(group.direction[0] * slopes[a]) / (group.direction[1] * slopes[b])
    verb, sign = ("raising", "+") if ratio > 0 else ("lowering", "-")
    if space.parameters[a].log and space.parameters[b].log:
        power = ratio * values[b] / values[a]
        alike = f"raising {name_a} by 1 % changes the readings as {verb} {name_b} by {1 / abs(power):.2g} % does"
        return alike, f"only {name_a} x {name_b}^{power:.2g} is determined"
    small = 0.02 * abs(slopes[a])
    alike = (
        f"at {values[a]:.3g} {unit_a} and {values[b]:.3g} {unit_b} raising {name_a} by {small:.2g} {unit_a} "
        f"changes the readings as {verb} {name_b} by {small / abs(ratio):.2g} {unit_b} does"
    )
    return alike, f"only their combination is determined, there {name_a} {sign} {abs(ratio):.3g} x {name_b} in SI units"


def explain_idle(i: int, space: ParameterSpace, u: np.ndarray, excluded: Sequence[float]) -> str:
    """A sentence that names a parameter without effect and what to do.

    Args:
        i: The parameter.
        space: The parameters.
        u: The solution, in fractions.
        excluded: Bounds at which the fit would be clearly worse [SI].
    """
    parameter, value = space.parameters[i], space.values(u)[i]
    but = f" (values near {_join(f'{x:g}' for x in excluded)} {parameter.unit} are excluded)" if excluded else ""
    return (
        f"{space.names[i]} cannot be identified: around {value:.4g} {parameter.unit} it changes the readings by less "
        f"than their noise{but}. It is held there: {parameter.remedy}, or add trials in which it acts."
    )


def explain_wide(row: Row, trials: int, parameters: int) -> str:
    """A sentence that says how little is known of a parameter, and what to do."""
    few = f"{trials} trial{'s' * (trials != 1)} for {parameters} parameter{'s' * (parameters != 1)}"
    return (
        f"{row['name']} is only known to lie between {row['low']:.4g} and {row['high']:.4g} {row['unit']}, half of its "
        f"bounds or more: there are {few}, so add trials, or fix a parameter."
    )


def _join(names: object) -> str:
    words = [str(n) for n in names]  # type: ignore[attr-defined]
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
