"""Effect of the bench's unknowns on the forces: supports moved, foot tilted."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from plantar._checks import require
from plantar._rows import table_text
from plantar.bench.compare.compare import BODIES, compare_tables, measured_trials, relative_errors
from plantar.bench.compare.measured import check_rows
from plantar.bench.press.press import Trial, run_trials, trials
from plantar.bench.press.rig import PressRig
from plantar.bench.result import Result
from plantar.feet.foot import Foot
from plantar.feet.softfoot.softfoot import SoftFoot
from plantar.table import Row, Table

SHIFT = 0.004
"""How far the paper moves a support either way [m]."""
TILTS = tuple(math.radians(degrees) for degrees in (1, 2, 3, 4, 5))
"""Inclinations within the paper's range [rad]."""
PAPER = {
    "heel support": {"heel": 0.07, "module": 0.015, "metatarsus": 0.13},
    "metatarsus support": {"heel": 0.015, "module": 0.10, "metatarsus": 0.09},
    "tilt": {"heel": 0.14, "module": 0.19, "metatarsus": 0.20},
}
"""Variation of the mean relative force error in the discussion of Crotti et al. (2024), as shares."""
SHARES: dict[str, str] = dict.fromkeys(("swing", "span", "variation", "paper", "change_*", "error_*"), "share")
"""Columns that people read in percent."""
NO_CONTACT = 0.1
"""Nominal forces up to this one have no relative change [N]."""


@dataclass(frozen=True, kw_only=True)
class Setting:
    """One state of the bench."""

    group: str
    """What is changed: `nominal`, `heel support`, `metatarsus support` or `tilt`."""
    value: float
    """Forward shift of the support [m], or inclination [rad]; 0 for nominal."""
    rig: PressRig
    """The bench in that state."""

    @property
    def label(self) -> str:
        """The setting as people read it."""
        if self.group == "nominal":
            return "nominal"
        return f"{math.degrees(self.value):g} deg" if self.group == "tilt" else f"{1000 * self.value:+g} mm"


@dataclass(frozen=True, kw_only=True)
class SensitivityResult(Result):
    """Forces, and errors if there is a measurement, in every setting of the bench."""

    report: ClassVar[str] = "plantar.bench.sensitivity.report"

    table: Table
    """One row per setting, nominal first. For heel, module and metatarsus: `mean_` force over the trials
    [N]; `change_`, the change of that mean as a fraction of the nominal one; `shift_`, the mean over
    trials of |f - f_nominal| / f_nominal; `error_`, the mean |e_b| against the measurement (None
    without one). `unsettled` counts trials that had not come to rest."""
    summary: Table
    """One row for each thing changed and each body. `swing`: largest minus smallest `mean_` as a share
    of the nominal one. `span`: mean over trials of (largest f - smallest f) / f_nominal. `variation`:
    largest minus smallest `error_`, which is the paper's measure (None without a measurement).
    `paper`: what the paper reports. The nominal setting counts in each."""
    notes: tuple[str, ...]
    """What was left out, a sentence each."""
    foot: Foot
    """What was pressed."""
    rig: PressRig
    """The nominal bench."""

    def found(self) -> str:
        """What changes the forces most, in a sentence."""
        by_group: dict[str, float] = {}
        for row in self.summary:
            if row["swing"] is not None:  # a part that carries nothing in the nominal setting has none
                by_group[row["group"]] = max(by_group.get(row["group"], 0.0), row["swing"])
        most = sorted(by_group.items(), key=lambda pair: -pair[1])
        parts = ", ".join(f"the {group} by up to {100 * swing:.3g} %" for group, swing in most)
        return f"{len(self.table)} settings pressed; mean forces swing most with {parts} of their nominal value"

    def text(self) -> str:
        """What changes the forces most, and the ranges."""
        return f"{self.found()}\n\n{table_text(self.summary, digits=3, units=SHARES)}"

    def record(self) -> dict[str, Any]:
        """The ranges, and what was left out."""
        return {"summary": list(self.summary), "notes": list(self.notes)}


def settings(rig: PressRig, shift: float = SHIFT, tilts: Sequence[float] = TILTS) -> list[Setting]:
    """The nominal bench, each support moved back and forward, and the inclinations."""
    require(not rig.flat, "flat", rig.flat, "False: a flat floor has no supports to move")
    require(0 < shift <= 0.05, "shift", shift, "a length in metres above 0, 0.05 at most")
    found = [Setting(group="nominal", value=0.0, rig=rig)]
    for group, name in (("heel support", "heel_shift"), ("metatarsus support", "metatarsus_shift")):
        for d in (-shift, shift):
            found.append(Setting(group=group, value=d, rig=replace(rig, **{name: getattr(rig, name) + d})))
    return found + [Setting(group="tilt", value=tilt, rig=replace(rig, tilt=tilt)) for tilt in tilts]


def sensitivity(
    foot: Foot | None = None,
    rig: PressRig | None = None,
    measured: Table | None = None,
    *,
    todo: Sequence[Trial] | None = None,
    shift: float = SHIFT,
    tilts: Sequence[float] = TILTS,
    duration: float = 5.0,
    threads: int = 0,
    progress: Callable[[int], None] | None = None,
) -> SensitivityResult:
    """Press the foot with the supports moved and the foot tilted, as the paper's discussion does.

    Args:
        foot: The foot; by default a single-chain `SoftFoot`.
        rig: The nominal bench; by default the paper's.
        measured: Measured trials (see `read_measured`); with them the paper's own measure is computed.
        todo: Trials; by default the measured ones, or the paper's 48.
        shift: How far each support is moved back and forward [m].
        tilts: Inclinations of the foot, front down [rad].
        duration: Simulated time of a trial [s].
        threads: Threads to use; 0 takes all cores.
        progress: Called with the number of trials finished since the last call; there are
            `workload` of them.

    Raises:
        InvalidInput: If the rig has no supports, or a trial cannot be built.
        Diverged: If a simulation blows up.
    """
    foot = SoftFoot(chains=1) if foot is None else foot
    rig = PressRig() if rig is None else rig
    if measured is not None:
        check_rows(measured, "measured")
    todo = planned(measured, todo, len(foot.stations.module_x))
    plan = settings(rig, shift, tilts)
    runs: dict[PressRig, Table] = {}
    for setting in plan:
        if setting.rig not in runs:
            runs[setting.rig] = run_trials(foot, setting.rig, todo, duration, threads, progress)
    tables = [runs[setting.rig] for setting in plan]
    rows = [_row(setting, table, tables[0], measured) for setting, table in zip(plan, tables, strict=True)]
    notes = (*getattr(measured, "notes", ()), *_notes(tables[0], rows))
    return SensitivityResult(table=Table(rows), summary=_summary(plan, tables, rows), notes=notes, foot=foot, rig=rig)


def planned(measured: Table | None = None, todo: Sequence[Trial] | None = None, modules: int = 6) -> list[Trial]:
    """The trials of a study: those given, else the measured ones, else the paper's 48, or 8 for each module."""
    if todo is not None:
        return list(todo)
    return trials(positions=range(1, modules + 1)) if measured is None else measured_trials(measured)


def workload(rig: PressRig | None = None, measured: Table | None = None, modules: int = 6) -> int:
    """How many trials `sensitivity` simulates with its default settings, for a progress bar."""
    return len({setting.rig for setting in settings(rig or PressRig())}) * len(planned(measured, modules=modules))


def _forces(table: Table) -> np.ndarray:
    return table.block([f"force_{b}" for b in BODIES])  # (trials, bodies)


def _mean(values: np.ndarray, where: np.ndarray) -> list[float | None]:
    """Mean of each column over the rows marked in `where`; None if there are none."""
    return [float(v[w].mean()) if w.any() else None for v, w in zip(values.T, where.T, strict=True)]


def _row(setting: Setting, table: Table, nominal: Table, measured: Table | None) -> Row:
    f, f0 = _forces(table), _forces(nominal)
    known = f0 > NO_CONTACT
    shift = _mean(np.divide(np.abs(f - f0), f0, out=np.zeros_like(f), where=known), known)
    mean, mean0 = f.mean(axis=0), f0.mean(axis=0)
    row: Row = {"group": setting.group, "setting": setting.label, "value": setting.value}
    row |= {f"mean_{b}": float(mean[i]) for i, b in enumerate(BODIES)}
    row |= {f"change_{b}": float(mean[i] / mean0[i] - 1) if mean0[i] > 0 else None for i, b in enumerate(BODIES)}
    row |= {f"shift_{b}": shift[i] for i, b in enumerate(BODIES)}
    errors = compare_tables(measured, table).errors if measured is not None else None
    for b in BODIES:
        e = relative_errors(errors, b) if errors is not None else ()
        row[f"error_{b}"] = float(np.mean(e)) if len(e) else None
    row["unsettled"] = sum(not settled for settled in table.column("settled"))
    return row


def _summary(plan: Sequence[Setting], tables: Sequence[Table], rows: Sequence[Row]) -> Table:
    f0 = _forces(tables[0])
    known = f0 > NO_CONTACT
    found: list[Row] = []
    for group, paper in PAPER.items():
        members = [i for i, setting in enumerate(plan) if setting.group in ("nominal", group)]
        f = np.array([_forces(tables[i]) for i in members])  # (settings, trials, bodies)
        ratio = np.divide(np.ptp(f, axis=0), f0, out=np.zeros_like(f0), where=known)
        span = _mean(ratio, known)
        for k, b in enumerate(BODIES):
            swing = _range(rows[i][f"change_{b}"] for i in members)
            variation = _range(rows[i][f"error_{b}"] for i in members)
            row: Row = {"group": group, "body": b, "swing": swing, "span": span[k], "variation": variation}
            found.append(row | {"paper": paper[b]})
    return Table(found)


def _range(values: Iterable[float | None]) -> float | None:
    known = [v for v in values if v is not None]
    return max(known) - min(known) if known else None


def _notes(nominal: Table, rows: Sequence[Row]) -> tuple[str, ...]:
    notes = []
    for b, missing in zip(BODIES, (_forces(nominal) <= NO_CONTACT).sum(axis=0).tolist(), strict=True):
        if missing:
            what = f"{missing} of {len(nominal)} trials without nominal force (up to {NO_CONTACT:g} N)"
            notes.append(f"{b}: {what} are left out of `shift` and `span`")
    for row in rows:
        if row["unsettled"]:
            name = " ".join(dict.fromkeys((row["group"], row["setting"])))
            notes.append(f"{name}: {row['unsettled']} of {len(nominal)} trials had not settled at the end")
    return tuple(notes)
