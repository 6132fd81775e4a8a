"""Simulated presses beside measured ones: the errors of Crotti et al. (2024), section III."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from plantar._arguments import checks_arguments
from plantar._checks import require
from plantar._rows import table_text
from plantar.bench.compare.measured import CONDITIONS, check_rows, read_measured, rotation_columns
from plantar.bench.compare.notes import BODIES, notes_on, relative_errors
from plantar.bench.press.press import Trial, run_trials
from plantar.bench.press.rig import PressRig
from plantar.bench.result import Result
from plantar.errors import InvalidInput
from plantar.feet.foot import Foot
from plantar.feet.softfoot.softfoot import SoftFoot
from plantar.table import Row, Table

PAPER_TABLE_I = (
    {"source": "paper, MuJoCo", "heel": 0.146, "module": 0.332, "metatarsus": 0.217},
    {"source": "paper, MuJoCo, filtered", "heel": 0.105, "module": 0.212, "metatarsus": 0.131},
    {"source": "paper, analytical", "heel": 0.310, "module": 0.595, "metatarsus": 0.072},
    {"source": "paper, analytical, filtered", "heel": 0.224, "module": 0.545, "metatarsus": 0.052},
)
"""Table I of Crotti et al. (2024); its analytical model is that of Mura et al. (2020). Shares, not percent."""


@dataclass(frozen=True, kw_only=True)
class Comparison(Result):
    """How far the simulation is from the measurement; it reads like its table of errors."""

    report: ClassVar[str] = "plantar.bench.compare.report"

    errors: Table
    """One row per trial. For heel, module, metatarsus and total: `measured_`, `simulated_` and
    `absolute_` (simulated minus measured) [N], and `relative_` (their ratio to the measured force;
    None where that is undefined). `rotation_error_k` of module k, offset removed [rad]; `settled`."""
    summary: Table
    """Table I: mean absolute relative errors, before and after the filter, and the paper's rows.
    `count_` columns say how many trials a mean is of."""
    rotations: Table
    """One row per module: offset removed, mean absolute, quartiles and largest absolute error [rad]."""
    offsets: Mapping[str, float]
    """Mean of simulated minus measured for each `rotation_k` [rad]."""
    notes: tuple[str, ...]
    """What was left out or looks wrong, a sentence each."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """What was compared with what."""

    @property
    def table(self) -> Table:  # type: ignore[override]
        """The errors."""
        return self.errors

    def found(self) -> str:
        """The mean relative errors of the simulation, in a sentence."""
        own = self.summary[0]
        named = [f"{b} {100 * own[b]:.3g} %" for b in (*BODIES, "total") if own[b] is not None]
        return (
            f"{len(self.errors)} trials compared; mean relative error of the forces: {', '.join(named) or 'undefined'}"
        )

    def text(self) -> str:
        """The errors in words, and Table I."""
        return f"{self.found()}\n\n{table_text(in_percent(self.summary))}"

    def record(self) -> dict[str, Any]:
        """Table I, and what was left out."""
        return {"summary": list(self.summary), "notes": list(self.notes)}


@checks_arguments
def compare(
    measured: Table | str | Path,
    foot: Foot | None = None,
    *,
    rig: PressRig | None = None,
    duration: float = 5.0,
    threads: int = 0,
    least_force: float = 0.0,
    progress: Callable[[int], None] | None = None,
) -> Comparison:
    """Simulate exactly the measured trials and compare forces and rotations.

    Args:
        measured: Measured trials, or the CSV file they are in (see `read_measured`).
        foot: The foot; by default a single-chain `SoftFoot`.
        rig: The bench; by default the paper's.
        duration: Simulated time of a trial [s].
        threads: Threads to use; 0 takes all cores.
        least_force: Measured forces up to this one have no relative error [N].
        progress: Called with the number of trials finished since the last call.

    Raises:
        InvalidInput: If the file or a trial cannot be used.
        Diverged: If a simulation blows up.
    """
    foot = SoftFoot(chains=1) if foot is None else foot
    rig = PressRig() if rig is None else rig
    file = None if isinstance(measured, Table) else Path(measured).name
    data = measured if isinstance(measured, Table) else read_measured(measured, len(foot.stations.module_x))
    simulated = run_trials(foot, rig, measured_trials(data), duration, threads, progress)
    found = compare_tables(data, simulated, least_force=least_force)
    return replace(found, settings={"foot": foot, "rig": rig, "measured": file})


def measured_trials(measured: Table) -> list[Trial]:
    """The conditions of the measured rows.

    Raises:
        InvalidInput: If a cell of the rows cannot be used.
    """
    check_rows(measured, "measured")
    return [Trial(load=row["load"], height=row["height"], position=int(row["position"])) for row in measured]


def compare_tables(
    measured: Table, simulated: Table, *, least_force: float = 0.0, source: str = "this simulation"
) -> Comparison:
    """Compare measured trials with simulated ones, from any model.

    Args:
        measured: Measured trials.
        simulated: Simulated trials with the columns of `press`; it must hold every measured one.
        least_force: Measured forces up to this one have no relative error [N].
        source: Name of the simulation in the summary.

    Raises:
        InvalidInput: If a measured trial was not simulated, or a cell of either table cannot be used.
    """
    require(len(measured) > 0, "measured", list(measured), "at least one trial")
    check_rows(measured, "measured")
    check_rows(simulated, "simulated")
    require(least_force >= 0, "least_force", least_force, "0 or more newtons")
    simulated = _matched(measured, simulated)
    rotations = [c for c in rotation_columns(measured.columns) if c in simulated.columns]
    difference = simulated.block(rotations) - measured.block(rotations)  # (trials, rotations)
    offset = difference.mean(axis=0)
    rows = [_force_errors(m, s, least_force) for m, s in zip(measured, simulated, strict=True)]
    for i, row in enumerate(rows):
        row |= {_error_name(c): float(e) for c, e in zip(rotations, difference[i] - offset, strict=True)}
        row["settled"] = bool(simulated[i].get("settled", True))
    errors, offsets = Table(rows), dict(zip(rotations, offset.tolist(), strict=True))
    return Comparison(
        errors=errors,
        summary=_summary(errors, source),
        rotations=_rotation_summary(errors, offsets),
        offsets=offsets,
        notes=(*getattr(measured, "notes", ()), *notes_on(errors, measured, simulated, rotations, least_force)),
    )


def filtered(values: Sequence[float] | np.ndarray) -> np.ndarray:
    """The paper's filter: the values that are not above their mean plus one standard deviation.

    The deviation is that of the values themselves (divided by n, not n - 1).
    """
    values = np.asarray(values, dtype=float)
    if len(values) == 0:
        return values
    # Equal values must all pass, whichever way their mean is rounded.
    return values[values <= (values.mean() + values.std()) * (1 + 1e-12)]


def in_percent(summary: Table) -> list[dict[str, str]]:
    """The summary as people read it: percent with one decimal."""
    names = (*BODIES, "total")
    return [
        {"mean relative error": row["source"]} | {b: "" if row[b] is None else f"{100 * row[b]:.1f} %" for b in names}
        for row in summary
    ]


def _matched(measured: Table, simulated: Table) -> Table:
    """The simulated rows in the order of the measured ones."""
    by_trial = {_key(row): row for row in simulated}
    for row in measured:
        if _key(row) not in by_trial:
            trial = ", ".join(f"{c} = {row[c]:g}" for c in CONDITIONS)
            raise InvalidInput(f"measured trial {trial} was not simulated: press the foot in that trial too")
    return Table(by_trial[_key(row)] for row in measured)


def _key(row: Row) -> tuple[float, ...]:
    return tuple(round(float(row[c]), 9) for c in CONDITIONS)


def _error_name(rotation: str) -> str:
    return rotation.replace("rotation_", "rotation_error_")


def _force_errors(measured: Row, simulated: Row, least_force: float) -> Row:
    m = {b: float(measured[f"force_{b}"]) for b in BODIES}
    s = {b: float(simulated[f"force_{b}"]) for b in BODIES}
    # e_T is of the three bodies together, which on a flat floor is less than the whole sole.
    m["total"], s["total"] = sum(m.values()), sum(s.values())
    row: Row = {c: measured[c] for c in CONDITIONS}
    for b in (*BODIES, "total"):
        error = s[b] - m[b]
        row |= {f"measured_{b}": m[b], f"simulated_{b}": s[b], f"absolute_{b}": error}
        row[f"relative_{b}"] = error / m[b] if m[b] > least_force else None
    return row


def _summary(errors: Table, source: str) -> Table:
    ours = []
    for name, keep in ((source, np.asarray), (f"{source}, filtered", filtered)):
        values = {b: keep(relative_errors(errors, b)) for b in (*BODIES, "total")}
        row: Row = {"source": name} | {b: float(v.mean()) if len(v) else None for b, v in values.items()}
        ours.append(row | {f"count_{b}": len(v) for b, v in values.items()})
    # The paper gives no total, and no counts after its filter.
    return Table([*ours, *({c: row.get(c) for c in ours[0]} for row in PAPER_TABLE_I)])


def _rotation_summary(errors: Table, offsets: Mapping[str, float]) -> Table:
    rows = []
    for name, offset in offsets.items():
        e = errors.column(_error_name(name))
        first, median, third = np.quantile(e, (0.25, 0.5, 0.75)).tolist()
        quartiles = {"first_quartile": first, "median": median, "third_quartile": third}
        row: Row = {"module": int(name.split("_")[1]), "offset": offset, "mean_absolute": float(np.abs(e).mean())}
        rows.append(row | quartiles | {"largest": float(np.abs(e).max())})
    return Table(rows)
