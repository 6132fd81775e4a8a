"""What a calibration found, and its files."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from plantar.bench.calibrate.trials import Noise
from plantar.bench.press.rig import PressRig
from plantar.bench.result import Result
from plantar.feet.foot import Foot
from plantar.table import Table


class Status(enum.Enum):
    """How a calibration ended; the text is the advice."""

    DONE = "Every parameter is determined by the data."
    UNIDENTIFIABLE = (
        "The data do not determine every parameter: read the advice, fix those, or measure them in another way."
    )
    AT_BOUND = (
        "A parameter lies on its bound: widen the bounds, or look for what is missing from the foot or rig model."
    )
    POOR_FIT = (
        "The fit misses the readings by far more than their noise: look for what is missing from the foot or rig model."
    )
    STOPPED = "The fit did not converge: start from a foot and rig closer to the real ones, or narrow the bounds."


@dataclass(frozen=True, kw_only=True)
class Holdout:
    """How well trials are predicted by a fit that has not seen them."""

    folds: int
    """Parts into which the trials are split; each is predicted from the others."""
    seed: int
    """Seed of the split."""
    force: float | None
    """Root mean square error of the forces predicted [N]; None if there are none."""
    force_fitted: float | None
    """The same of the forces fitted [N]."""
    rotation: float | None
    """Root mean square error of the rotations predicted [rad]; None if there are none."""
    rotation_fitted: float | None
    """The same of the rotations fitted [rad]."""
    strays: int
    """Trials predicted far off, as when a press slips to another equilibrium; a few of them make the errors large."""


@dataclass(frozen=True, kw_only=True)
class Calibration(Result):
    """The outcome of `calibrate`; all values in SI units. It reads like its table of parameters."""

    report: ClassVar[str] = "plantar.bench.calibrate.written"

    status: Status
    """How it ended, with advice."""
    advice: tuple[str, ...]
    """What the data cannot tell and what else deserves attention, a sentence each."""
    parameters: Table
    """One row per parameter: name, unit, nominal, value, standard_error, low and high (the 95 % interval),
    lower_bound, upper_bound, identifiable, verdict. What the data cannot tell has no interval."""
    correlation: np.ndarray
    """Correlation of the estimates, of `fitted` by `fitted`."""
    fitted: tuple[str, ...]
    """Parameters that were fitted at the end, in the order of `correlation`."""
    residuals: Table
    """One row per reading: column, unit, rms, noise (mean standard deviation assumed), ratio, outliers, offset."""
    trials: Table
    """One row per trial: its conditions and, for every reading, the measured and the fitted value."""
    holdout: Holdout | None
    """Prediction of held-out trials; None if not requested."""
    noise: Noise
    """Standard deviations that weighed the readings at the end."""
    noise_estimated: bool
    """Whether they were estimated from the residuals."""
    robust: bool
    """Whether trials far off counted less."""
    evaluations: int
    """Parameter sets pressed."""
    foot: Foot
    """The calibrated foot."""
    rig: PressRig
    """The calibrated rig."""

    @property
    def table(self) -> Table:  # type: ignore[override]
        """The parameters."""
        return self.parameters

    @property
    def values(self) -> dict[str, float]:
        """Value of every parameter [SI]."""
        return {row["name"]: row["value"] for row in self.parameters}

    @property
    def identifiable(self) -> dict[str, bool]:
        """Whether the data determine each parameter."""
        return {row["name"]: row["identifiable"] for row in self.parameters}

    def record(self) -> dict[str, Any]:
        """Everything as plain data, foot and rig included."""
        record: dict[str, Any] = {"status": self.status.name.lower(), "status_text": self.status.value}
        record |= {"advice": list(self.advice), "parameters": list(self.parameters), "fitted": list(self.fitted)}
        record |= {"correlation": self.correlation.tolist(), "residuals": list(self.residuals)}
        record |= {"holdout": self.holdout, "noise": self.noise, "noise_estimated": self.noise_estimated}
        return record | {"robust": self.robust, "evaluations": self.evaluations, "foot": self.foot, "rig": self.rig}

    def text(self) -> str:
        """The outcome for people to read."""
        lines = [self.status.value]
        for row in self.parameters:
            within = f"{row['low']:.4g} to {row['high']:.4g}" if row["low"] is not None else "no interval"
            lines.append(f"  {row['name']:22} {row['value']:.4g} {row['unit']} ({within}; {row['verdict']})")
        return "\n".join([*lines, *(f"  - {sentence}" for sentence in self.advice)])
