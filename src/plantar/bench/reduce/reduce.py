"""Derive the fast twin of a foot, fit the remaining parameters, and report how far it is from the full foot."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from plantar._checks import require, require_choice
from plantar._rows import READ, table_text
from plantar.bench.press.random_press import ACROSS, ObstacleShape, random_presses, run_presses
from plantar.bench.reduce.card import error_rows, mechanism_rows, summary_rows
from plantar.bench.reduce.fit import fit
from plantar.bench.reduce.strips import ROTATION, choose_strips
from plantar.bench.result import Result
from plantar.errors import InvalidInput
from plantar.feet.foot import Foot
from plantar.feet.softfoot.softfoot import SoftFoot
from plantar.settle import Progress
from plantar.table import Row, Table

CHECK_SEED = 1_000_003
"""Added to the seed for the presses of the error card, which no fit has seen."""


@dataclass(frozen=True)
class Reduced(Result):
    """A fast twin and its error card; it reads like the card."""

    report: ClassVar[str] = "plantar.bench.reduce.report"

    foot: SoftFoot
    """The twin: plain data, with every fitted number in `foot.fast`."""
    full: SoftFoot
    """The foot it stands for."""
    card: Table
    """One row per fresh press: what it was, forces and rotations of both feet, and the errors."""
    summary: Table
    """One row per quantity: mean, 95th percentile and largest error over the presses."""
    mechanism: Table
    """Stiffening and windlass of both feet."""
    fitted: Row
    """What was fitted: the values, and the cost before and after."""
    strips: Table
    """One row for each number of strips that was tried: its errors in the presses of the fit."""
    seed: int
    """Seed of the presses."""

    @property
    def settled(self) -> int:
        """Presses of the card in which both feet came to rest."""
        return int(sum(row["settled"] for row in self.card))

    @property
    def table(self) -> Table:  # type: ignore[override]
        """The error card."""
        return self.card

    def text(self) -> str:
        """How good the twin is, in a sentence; errors, mechanisms and strips."""
        facts = headline(self)
        words = (
            f"forces of the {self.foot.fidelity} twin are off by {100 * facts['force_mean']:.2g} % of the load on "
            f"average in the worst region, over {facts['presses']} fresh presses"
        )
        strips = [{**row, **{c: 100 * row[c] for c in row if c.startswith("force_")}} for row in self.strips]
        tables = [
            table_text(_in_units_of_people(self.summary)),
            table_text(_in_units_of_people(self.mechanism)),
            table_text(strips, units={"force_*": "% of load", "rotation_*": "rad"}),
        ]
        return "\n\n".join([words, *(table for table in tables if table.strip())])

    def record(self) -> dict[str, Any]:
        """The errors that matter, what was fitted, and the twin as `foot`."""
        return {**headline(self), "seed": self.seed, "fitted": self.fitted, "foot": self.foot}


def _in_units_of_people(rows: Table) -> list[dict[str, Any]]:
    """Rows that name their own unit, in degrees, millimetres and percent."""
    known = {**READ, "share of load": ("% of load", 100.0)}
    read = []
    for row in rows:
        unit, factor = known.get(row["unit"], (row["unit"], 1.0))
        scaled = {c: factor * v if isinstance(v, float) and c != "error" else v for c, v in row.items()}
        if "error" in row:
            error = scaled.pop("error")
            scaled["error [%]"] = None if error is None else 100 * error
        read.append({**scaled, "unit": unit})
    return read


def reduce(
    foot: Foot | None = None,
    *,
    fidelity: str = "fast",
    presses: int = 36,
    checks: int = 100,
    shapes: Sequence[ObstacleShape] = ACROSS,
    strips: int | None = None,
    seed: int = 0,
    mechanism: bool = True,
    threads: int = 0,
    progress: Progress | None = None,
) -> Reduced:
    """Make the light twin of a foot and its error card.

    Args:
        foot: The full foot; by default `SoftFoot()`.
        fidelity: `fast` or `hinge`.
        presses: Random presses that the free parameters are fitted on; 0 keeps what is derived.
        checks: Fresh random presses for the error card.
        shapes: Obstacle shapes of all presses; the default ones lie across the whole sole.
        strips: Strips of a fast twin; None takes the fewest that are good enough for these obstacles,
            by the presses of the fit: 1 where they lie across the sole, 3 or more under stones.
        seed: Seed of the presses.
        mechanism: Whether to compare stiffening and windlass as well.
        threads: Threads to use; 0 takes all cores.
        progress: Called with the number of full presses finished since the last call, `presses + checks`
            in all.

    Raises:
        InvalidInput: If the foot has no light twin to fit, or a count or a shape is not allowed.
        Diverged: If a press of the full foot blows up.
    """
    foot = SoftFoot() if foot is None else foot
    if not isinstance(foot, SoftFoot) or foot.rigid:
        what = "is locked and" if foot.rigid else ""
        raise InvalidInput(f"foot {foot.name!r} {what} has no light twin to fit: give a SoftFoot".replace("  ", " "))
    require_choice("fidelity", fidelity, ("fast", "hinge"))
    require(presses >= 0, "presses", presses, "0 or more")
    require(checks >= 1, "checks", checks, "1 or more")
    for shape in shapes:
        require_choice("shapes", shape, ("cylinder", "box", "sphere"))
    full = replace(foot, fidelity="full")
    fast = foot.fast if strips is None else replace(foot.fast, strips=strips)
    twin = replace(foot, fidelity=fidelity, fast=fast)  # type: ignore[arg-type]
    fitted: Row = {}
    tried: list[Row] = []
    if presses:
        training = random_presses(full, presses, seed=seed, shapes=shapes)
        truth = run_presses(full, training, threads=threads, progress=progress)
        if strips is None:
            twin, fitted, tried = choose_strips(twin, training, truth, threads=threads)
        else:
            twin, fitted = fit(twin, training, truth, threads=threads)
    fresh = random_presses(full, checks, seed=seed + CHECK_SEED, shapes=shapes)
    truth = run_presses(full, fresh, threads=threads, progress=progress)
    card = Table(error_rows(truth, run_presses(twin, fresh, threads=threads)))
    rows = mechanism_rows(full, twin, threads) if mechanism else []
    return Reduced(twin, full, card, Table(summary_rows(card)), Table(rows), fitted, Table(tried), seed)


def headline(reduced: Reduced) -> Row:
    """The errors that matter, in one row: shares of the load, radians, and the share of presses within 0.03 rad."""
    force = [row for row in reduced.summary if row["quantity"].startswith("force")]
    rotation = next(row for row in reduced.summary if row["quantity"] == "rotation")
    return {
        "presses": len(reduced.card),
        "strips": reduced.foot.built_chains,
        "settled": reduced.settled,
        "force_mean": float(np.max([row["mean"] for row in force])),
        "force_p95": float(np.max([row["p95"] for row in force])),
        "rotation_mean": rotation["mean"],
        "rotation_p95": rotation["p95"],
        "within_rotation": float(np.mean(reduced.card.column("rotation_error") <= ROTATION)),
    }
