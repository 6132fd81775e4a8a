"""Fit the free parameters of a light twin to presses of the full foot."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from plantar.bench.press.random_press import REGIONS, Press, run_presses
from plantar.errors import Diverged
from plantar.feet.softfoot.layout import chain_layout
from plantar.feet.softfoot.softfoot import SoftFoot
from plantar.table import Row, Table

FORCE_SCALE, ROTATION_SCALE = 0.02, 0.03
"""Errors that count alike: a share of the load, and an angle [rad]."""
STEPS = {"stretch": 0.05, "bend": 0.05, "rod_offset": 2e-5}
"""The fitted fields of `Fast`, and a change of each that moves forces by about a per mille of the load. The
cord's are not among them: few presses pull it, and a fit would trade the windlass for them."""
PRIOR = 0.1
"""Weight of a step away from the derived value beside the errors of a press."""
REACH = 8.0
"""How many of these steps a parameter may go from its derived value."""
EVALUATIONS = 6
"""Most Jacobians that the fit takes."""


def fit(twin: SoftFoot, presses: Sequence[Press], truth: Table, *, threads: int = 0) -> tuple[SoftFoot, Row]:
    """Fit the twin; returns it with the values, or as it was if no better ones were found.

    Presses in which the full foot does not come to rest have nothing to be fitted to and are left out.
    """
    names = list(STEPS)
    known = [i for i, row in enumerate(truth) if row["settled"]]
    row: Row = {"presses": len(known), "cost_before": 0.0, "cost_after": 0.0}
    if len(known) < len(names):
        return twin, row
    presses, truth = [presses[i] for i in known], Table(truth[i] for i in known)
    start = np.array([_value(twin, name) for name in names])
    scale = np.array([STEPS[name] for name in names])

    def at(steps: np.ndarray) -> SoftFoot:
        values = dict(zip(names, map(float, start + scale * (steps - 1)), strict=True))
        return replace(twin, fast=replace(twin.fast, **values))

    def errors(steps: np.ndarray) -> np.ndarray:
        try:
            found = run_presses(at(steps), presses, threads=threads)
        except Diverged:
            return np.full(len(presses) * _width(twin) + len(names), 10.0)
        return np.append(residuals(found, truth).ravel(), PRIOR * (steps - 1))

    # SciPy takes differences relative to the parameters, so the derived values must not be at 0.
    centre = np.ones(len(names))
    # A press may sit at the edge of another equilibrium: large errors must not pull at all parameters.
    from scipy.optimize import least_squares  # noqa: PLC0415  (slow to load, and few need it)

    result = least_squares(
        errors, centre, bounds=(1 - REACH, 1 + REACH), diff_step=0.5, loss="soft_l1", max_nfev=EVALUATIONS
    )
    row["cost_before"], row["cost_after"] = _cost(errors(centre)), float(result.cost)
    best = result.x if row["cost_after"] < row["cost_before"] else centre
    fitted = at(best)
    row |= {name: getattr(fitted.fast, name) for name in names}
    return fitted, row


def residuals(found: Table, truth: Table) -> np.ndarray:
    """Errors of forces and rotations of each press in units of their scales, (presses, values)."""
    forces = [f"force_{name}" for name in REGIONS]
    turns = [name for name in truth.columns if name.startswith("rotation_")]
    load = truth.column("load")[:, None]
    force = (found.block(forces) - truth.block(forces)) / load / FORCE_SCALE
    turn = (found.block(turns) - truth.block(turns)) / ROTATION_SCALE
    return np.hstack([force, turn / np.sqrt(len(turns))])


def _width(foot: SoftFoot) -> int:
    return len(REGIONS) + foot.modules


def _cost(errors: np.ndarray) -> float:
    return float(np.sum(np.sqrt(1 + errors**2) - 1))


def _value(twin: SoftFoot, name: str) -> float:
    value = getattr(twin.fast, name)
    if value is not None:
        return value
    x, z = chain_layout(twin).metatarsal_joint
    return x / float(np.hypot(x, z))
