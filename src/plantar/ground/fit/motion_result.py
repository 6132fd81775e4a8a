"""What a fit to motions found, beside MuJoCo's defaults."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from scipy.stats import bootstrap

from plantar._notebook import Shown
from plantar._rows import table_text
from plantar.ground.contact.ground import Ground
from plantar.table import Table

CONTACTS = ("pyramidal", "elliptic", "fitted")
"""Contacts whose errors are compared: MuJoCo's default with either cone, and the one that was fitted."""
Kind = Literal["position", "rotation"]
SCALES: dict[Kind, tuple[float, str]] = {"position": (100.0, "% of the side"), "rotation": (180 / np.pi, "degrees")}


@dataclass(frozen=True, kw_only=True, eq=False)
class MotionFit(Shown):
    """A contact fitted to motions, and how well it does on motions that it has not seen."""

    ground: Ground
    """Fitted to all motions."""
    height: float
    """Where the data have the ground [m]; of the measurement, not of the ground."""
    share: float
    """How far it is from the elliptic default (0) to what the search found (1), chosen on motions left out."""
    shares: tuple[float, ...]
    """The same of each fold."""
    parameters: Table
    """Rows with parameter, value, low, high (95 %, by jackknife over the folds), unit."""
    motions: Table
    """Rows with motion, fold, and errors on each of `CONTACTS`; on the fitted one after a fit without that motion."""

    def mean(self, kind: Kind, contact: str) -> float:
        """Mean error: position (fraction of the side) or rotation [rad]."""
        return float(self.motions.column(f"{kind}_{contact}").mean())

    def reduction(self, kind: Kind, contact: str = "fitted", base: str = "elliptic") -> tuple[float, float, float]:
        """Fraction by which the mean error is lower than on another contact, and its 95 % interval (bootstrap)."""
        before, after = (self.motions.column(f"{kind}_{name}") for name in (base, contact))
        found = bootstrap(
            (before, after),
            lambda b, a, axis=-1: 1 - a.mean(axis=axis) / b.mean(axis=axis),
            paired=True,
            vectorized=True,
            n_resamples=4000,
            method="percentile",
            rng=np.random.default_rng(0),  # pyright: ignore[reportCallIssue]
        ).confidence_interval
        return float(1 - after.mean() / before.mean()), float(found.low), float(found.high)

    def table(self) -> Table:
        """One row per error and contact: the mean, and how much less it is than on either default."""
        rows = []
        for kind, (scale, unit) in SCALES.items():
            for contact in CONTACTS:
                name = contact if contact == "fitted" else f"{contact} default"
                row: dict[str, Any] = {"error of": kind, "contact": name, "unit": unit}
                row["mean"] = scale * self.mean(kind, contact)
                for base in CONTACTS[: CONTACTS.index(contact)]:
                    row[f"less than {base}"] = "{:.1%} ({:.1%} to {:.1%})".format(*self.reduction(kind, contact, base))
                rows.append(
                    {column: row.get(column, "") for column in (*row, "less than pyramidal", "less than elliptic")}
                )
        return Table(rows)

    def advice(self) -> list[str]:
        """What to do with it: the cone first, then the fit if it is better on motions that it has not seen."""
        cone = {kind: self.reduction(kind, "elliptic", "pyramidal") for kind in SCALES}
        fit = {kind: self.reduction(kind) for kind in SCALES}
        lines = []
        if all(low > 0 for _, low, _ in cone.values()):
            cuts = " and ".join(f"{kind} by {share:.0%}" for kind, (share, _, _) in cone.items())
            lines.append(f'switch the cone first: <option cone="elliptic"/> alone, nothing fitted, lowers {cuts}')
        better = [kind for kind, (_, low, _) in fit.items() if low > 0]
        worse = [kind for kind, (_, _, high) in fit.items() if high < 0]
        same = [kind for kind in fit if kind not in (*better, *worse)]
        if len(better) == len(fit):
            lines.append("the fitted contact is better than the elliptic default in both errors: use it")
        else:
            told = {"better": better, "worse": worse, "neither better nor worse": same}
            parts = [f"{word} in {' and '.join(kinds)}" for word, kinds in told.items() if kinds]
            lines.append(f"against the elliptic default the fitted contact is {', '.join(parts)}")
        if self.share == 0:
            lines.append("held-out motions chose the elliptic default itself: the ground is that one")
        return lines

    def text(self) -> str:
        """The result for people."""
        head = f"{len(self.motions)} motions, each predicted by a fit without it"
        advice = "\n".join(f"- {line}" for line in self.advice())
        return "\n\n".join([head, table_text(self.table()), advice, table_text(self.parameters)])

    def to_dict(self) -> dict[str, Any]:
        """The result as plain data."""
        names = ("share", "low", "high")
        pairs = (("elliptic", "pyramidal"), ("fitted", "pyramidal"), ("fitted", "elliptic"))
        return {
            "motions": len(self.motions),
            "mean": {kind: {contact: self.mean(kind, contact) for contact in CONTACTS} for kind in SCALES},
            "reduction": {
                kind: {f"{a} from {b}": dict(zip(names, self.reduction(kind, a, b), strict=True)) for a, b in pairs}
                for kind in SCALES
            },
            "advice": self.advice(),
            "share": self.share,
            "shares": list(self.shares),
            "parameters": list(self.parameters),
            "ground": self.ground.to_dict(),
            "height": self.height,
        }
