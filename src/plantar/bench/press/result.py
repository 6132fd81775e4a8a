"""What a press run found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from plantar._rows import table_text
from plantar.bench.press.models import compare
from plantar.bench.press.rig import PressRig
from plantar.bench.result import Result
from plantar.bench.units import COLUMN_UNITS
from plantar.feet.foot import Foot
from plantar.settle import Recording
from plantar.table import Row, Table

SHOWN = ("trial", "load", "height", "position", "force_heel", "force_module", "force_metatarsus", "force_total")
"""Columns that fit on a terminal, beside `settled`."""


@dataclass(frozen=True, kw_only=True)
class PressResult(Result):
    """Forces and rotations of every trial, and what they were measured on."""

    report: ClassVar[str] = "plantar.bench.press.report"

    table: Table
    """One row per trial; see `plantar.bench.press`."""
    foot: Foot
    """What was pressed."""
    rig: PressRig
    """On what."""
    recording: Recording | None = None
    """Poses along the way, if recorded; the report then has a film."""
    planar: Table | None = None
    """The same trials by the planar model, if requested."""
    simulated: bool = True
    """False where the table is the planar model's."""

    @property
    def facts(self) -> Row:
        """The checks on a press run, in numbers: what settled, what is in balance, what is closed."""
        expected = self.column("load") + self.column("weight")
        scale = np.where(expected > 0, expected, 1.0)  # without load and weight, the balance is in newtons
        return {
            "trials": len(self),
            "settled": int(self.column("settled").sum()),
            "force_imbalance": float((np.abs(self.column("force_total") - expected) / scale).max()),
            "loop_residual": float(self.column("residual").max()),
            "tension": float(self.column("tension").max()),
        }

    @property
    def differences(self) -> dict[str, float]:
        """Largest difference of each force between the two models [% of the load]; empty if there is one model."""
        return {} if self.planar is None else compare(self.table, self.planar)

    def text(self) -> str:
        """The trials and the checks on them."""
        facts = self.facts
        verdict = f"{facts['settled']} of {facts['trials']} trials settled; forces balance load and weight within "
        verdict += f"{100 * facts['force_imbalance']:.2g} %"
        if facts["loop_residual"]:
            verdict += f"; loops close within {1e3 * facts['loop_residual']:.2g} mm"
        apart = [f"{name}: {value:.2g} % of the load" for name, value in self.differences.items()]
        table = table_text(self.table, (*SHOWN, "settled"), units=COLUMN_UNITS)
        return "\n".join([verdict, *apart, "", table])

    def record(self) -> dict[str, Any]:
        """The checks, and how far two models are apart."""
        model = "both" if self.planar is not None else "mujoco" if self.simulated else "analytic"
        return {**self.facts, "model": model, "differences": self.differences}
