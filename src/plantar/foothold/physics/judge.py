"""Every score compared with physics, on kinds of ground that it was not fitted on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from plantar import feet
from plantar.errors import InvalidInput
from plantar.foothold.physics import scores
from plantar.foothold.physics.calibrate import calibrate
from plantar.foothold.physics.data import PhysicsData
from plantar.foothold.physics.model import HoldModel
from plantar.foothold.physics.mosaic import FOLDS
from plantar.foothold.sole import BallSole, SoftSole, Sole, sole_of


def costs_of(data: PhysicsData, foot: str, calibrated: Sole | None, model: HoldModel | None) -> dict[str, np.ndarray]:
    """Costs of each foothold by every score (n,); the learned one as one cost, and as one for each label."""
    own = scores.of_size(sole_for(foot), data)
    rectangle = own if isinstance(own, SoftSole) else SoftSole(length=2 * own.radius, width=2 * own.radius)
    slope, roughness = scores.plane(data, rectangle)
    found = {"published" if isinstance(own, SoftSole) else "analytic": scores.analytic(data, own)}
    if calibrated is not None:
        found["calibrated"] = scores.analytic(data, calibrated)
    found |= {"slope": slope, "roughness": roughness, "ball cost": scores.analytic(data, BallSole())}
    if model is not None:
        labels = model.footholds(data)
        found |= {"learned": model.cost(labels), "learned hold": -labels["hold"], "learned slip": labels["slip"]}
    return found


def judge(
    data: PhysicsData, foot: str, calibrated: Sole | None, model: HoldModel | None, draws: int = 200
) -> dict[str, Any]:
    """Rank correlations of scores with hold and slip, their ceilings set by label noise, and the quality of picks."""
    data = data.finite()
    costs = costs_of(data, foot, calibrated, model)
    ceilings = {label: scores.reliability(data, label) for label in scores.LABELS}
    return {
        "footholds": len(data),
        "maps": len(np.unique(data.tile)),
        "reliability": {label: value[0] for label, value in ceilings.items()},
        "ceiling": {label: value[1] for label, value in ceilings.items()},
        "scores": scores.compare(data, costs, samples=draws),
        "picks": scores.picks(data, costs),
    }


def judge_folds(data: PhysicsData, models: Sequence[HoldModel], foot: str, draws: int = 200) -> list[dict[str, Any]]:
    """Evaluate on each fold's held-out kinds what was fitted on the other kinds."""
    found = []
    for held, model in zip(FOLDS, models, strict=False):
        kept = tuple(kind for kind in data.kinds if kind not in held)
        sole = sole_for(foot)
        fitted = calibrate(data.of_kinds(kept), sole).sole if isinstance(sole, SoftSole) else None
        found.append({"held_out": held, **judge(data.of_kinds(held), foot, fitted, model, draws)})
    return found


def sole_for(foot: Any) -> Sole:
    """The analytic cost's sole of a foot or of its name; that of the SoftFoot-Q where there is none for it."""
    foot = feet.get(foot) if isinstance(foot, str) else foot
    try:
        return sole_of(foot)
    except InvalidInput:
        return SoftSole()
