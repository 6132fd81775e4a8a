"""Laws of pressure and sinkage fitted to plates of several sizes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from scipy.optimize import least_squares
from scipy.stats import t as student

from plantar.errors import InvalidInput
from plantar.ground.laws.bekker import REFERENCE
from plantar.ground.soil.fitted import SoilFit, untold
from plantar.ground.soil.measured import SoilData
from plantar.ground.soil.yielding import YieldingGround
from plantar.table import Table

DEPTH = 0.01
"""Depth at which fits express their modulus, so that it hardly depends on the exponent [m]."""
Array = np.ndarray


@dataclass(frozen=True)
class Form:
    """A law with free numbers."""

    names: tuple[str, ...]
    start: tuple[float, ...]
    pressure: Callable[[Array, Array, Array], Array]
    """Of the numbers, diameters and depths."""


def _size(x: Array, wide: Array, deep: Array) -> Array:
    return np.exp(x[0]) * (wide / REFERENCE) ** x[1] * (deep / DEPTH) ** x[2]


def _bekker(x: Array, wide: Array, deep: Array) -> Array:
    return (np.exp(x[0]) + np.exp(x[1]) * REFERENCE / wide) * (deep / DEPTH) ** x[2]


FORMS = {
    "size": Form(("k_phi", "m", "n"), (9.0, 0.0, 1.0), _size),
    "bekker": Form(("k_phi", "k_c", "n"), (9.0, 6.0, 1.0), _bekker),
    "plain": Form(("k_phi", "n"), (9.0, 1.0), lambda x, wide, deep: _size(np.array([x[0], 0.0, x[1]]), wide, deep)),
}
"""Laws that are compared: modulus with an exponent of size, Bekker's, and none that knows the size."""


@dataclass(frozen=True)
class _Run:
    """One press within the window of depths."""

    name: str
    part: str
    wide: float
    deep: Array
    pressure: Array

    def error(self, form: Form, x: Array) -> float:
        """Mean error over mean pressure."""
        wrong = form.pressure(x, np.full(len(self.deep), self.wide), self.deep) - self.pressure
        return float(np.abs(wrong).mean() / self.pressure.mean())


@dataclass(frozen=True)
class _Fitted:
    """Numbers of a law with what is known of their errors."""

    x: Array
    spread: Array
    """Covariance, from how runs differ."""
    between: float
    """Standard deviation of a run about the law, relative."""
    freedom: int

    def reach(self) -> float:
        """Student's quantile of 95 %."""
        return float(student.ppf(0.975, max(self.freedom, 1)))


def fit_press(
    data: SoilData,
    check: SoilData | None = None,
    *,
    shallow: float = 0.002,
    deep: float = 0.02,
    name: str = "fitted soil",
) -> SoilFit:
    """Fit laws to presses of plates, and choose by held-out presses.

    Every run weighs the same, whatever its number of samples; errors are of the mean pressure of a run over the
    window. A part is all presses of a size in a box: each is predicted from all others.

    Args:
        data: Presses.
        check: Other presses, not used in the fit, to be predicted.
        shallow: Depth from which samples count [m]; above that, the height of the surface dominates.
        deep: Depth up to which they count [m].
        name: Name of the soil.
    """
    runs = _runs(data, shallow, deep)
    parts = sorted({run.part for run in runs})
    sizes = len({run.wide for run in runs})
    if len(parts) < 2:
        raise InvalidInput(
            "depth, force and diameter are of one size in one box: give at least two, so that one can be held out"
        )
    known = {law: form for law, form in FORMS.items() if sizes > 1 or law == "plain"}
    fits = {law: _fit(form, runs) for law, form in known.items()}
    others = {part: [run for run in runs if run.part != part] for part in parts}
    blind = {law: {part: _fit(form, rest) for part, rest in others.items()} for law, form in known.items()}
    rows = [
        {
            "law": law,
            "parameters": len(form.names),
            "own": float(np.mean([run.error(form, fits[law].x) for run in runs])),
            "left_out": float(np.mean([run.error(form, blind[law][run.part].x) for run in runs])),
            "worst": float(max(run.error(form, blind[law][run.part].x) for run in runs)),
        }
        for law, form in known.items()
    ]
    best = min(rows, key=lambda row: row["left_out"])["law"]
    form, fitted = known[best], fits[best]
    samples = [row for run in runs for row in _predicted(form, blind[best][run.part], run)]
    return SoilFit(
        kind="press",
        law=best,
        ground=YieldingGround(name=name, cohesion=0.0, **_numbers(form, fitted.x)),
        laws=Table(rows),
        parameters=Table(_parameters(form, fitted)),
        left_out=Table(_by_part(form, blind[best], runs)),
        samples=Table(samples),
        checked=None if check is None else _checked(form, fitted, _runs(check, shallow, deep)),
        notes=_notes(form, fitted, sizes),
    )


def _runs(data: SoilData, shallow: float, deep: float) -> list[_Run]:
    """The presses, sampled evenly in depth so that slow parts do not weigh more."""
    keys = [key for key in ("run", "box", "soil") if key in data.names]
    label, part = data.label(*keys, "diameter"), data.label(*[k for k in keys if k != "run"], "diameter")
    found = []
    for name in dict.fromkeys(label):
        mine = np.flatnonzero(label == name)
        mine = mine[_loading(data["depth"][mine])]
        mine = mine[np.argsort(data["depth"][mine], kind="stable")]
        depth, wide = data["depth"][mine], float(data["diameter"][mine[0]])
        pressure = data["force"][mine] / (np.pi * wide**2 / 4)
        grid = np.arange(shallow, min(deep, depth[-1]) + 1e-9, (deep - shallow) / 18)
        grid = grid[grid >= depth[0]]
        if len(grid) > 2:
            found.append(_Run(name, str(part[mine[0]]), wide, grid, np.interp(grid, depth, pressure)))
    if not found:
        raise InvalidInput(f"no press reaches from {shallow:g} to {deep:g} m: give other depths")
    return found


def _loading(depth: Array) -> Array:
    """Which rows are up to the greatest depth of their press; after it, soil is unloaded.

    Presses that no column tells apart follow each other, each from the surface again.
    """
    again = np.flatnonzero(np.diff(depth) < -0.5 * np.ptp(depth)) + 1
    keep = np.zeros(len(depth), bool)
    for first, after in pairwise([0, *again, len(depth)]):
        top = first + int(np.argmax(depth[first:after]))
        # rows in falling order are those of a table
        keep[first : top + 1 if top > first else after] = True
    return keep


def _fit(form: Form, runs: list[_Run]) -> _Fitted:
    wide = np.concatenate([np.full(len(r.deep), r.wide) for r in runs])
    deep, seen = np.concatenate([r.deep for r in runs]), np.concatenate([r.pressure for r in runs])
    scale = np.concatenate([np.full(len(r.deep), r.pressure.mean() * np.sqrt(len(r.deep))) for r in runs])
    start = np.array(form.start)
    start[0] = np.log(np.median(seen * DEPTH / deep))
    if form.names[1] == "k_c":
        start[1] = start[0] - 3

    def wrong(x: Array) -> Array:
        return (form.pressure(x, wide, deep) - seen) / scale

    x = least_squares(wrong, start).x
    slopes = np.stack([(wrong(x + step) - wrong(x - step)) / 2e-5 for step in 1e-5 * np.eye(len(x))], axis=1)
    owner = np.repeat(np.arange(len(runs)), [len(r.deep) for r in runs])
    scores = np.stack([slopes[owner == g].T @ wrong(x)[owner == g] for g in range(len(runs))])
    inverse = np.linalg.pinv(slopes.T @ slopes)
    count, free = len(runs), len(runs) - len(x)
    own = scores @ inverse
    spread = own.T @ own * count / max(free, 1)  # in this order no variance is rounded to below zero
    offsets = [np.average(wrong(x)[owner == g]) * np.sqrt(len(r.deep)) for g, r in enumerate(runs)]
    return _Fitted(x, spread, float(np.sqrt(np.sum(np.square(offsets)) / max(free, 1))), free)


def _numbers(form: Form, x: Array) -> dict[str, Any]:
    """Fields of the ground."""
    n = float(x[form.names.index("n")])
    fields = {"k_phi": float(np.exp(x[0]) / DEPTH**n), "k_c": 0.0, "m": 0.0, "n": n}
    if "m" in form.names:
        fields["m"] = float(x[1])
    if "k_c" in form.names:
        fields["k_c"] = float(np.exp(x[1]) * REFERENCE / 2 / DEPTH**n)
    return fields


def _parameters(form: Form, fitted: _Fitted) -> list[dict[str, object]]:
    half = fitted.reach() * np.sqrt(np.diag(fitted.spread))
    rows: list[dict[str, object]] = []
    for i, name in enumerate(form.names):
        low, value, high = fitted.x[i] - half[i], fitted.x[i], fitted.x[i] + half[i]
        told = bool(half[i] < 1.0)
        pressure = name in ("k_phi", "k_c")
        if pressure:
            low, value, high = np.exp(low), np.exp(value), np.exp(high)
        word = f"{name}_pressure" if pressure else name
        rows.append({"parameter": word, "value": float(value), "low": float(low), "high": float(high), "told": told})
    return rows


def _predicted(form: Form, fitted: _Fitted, run: _Run) -> list[dict[str, object]]:
    """Pressures of a run by a fit that has not seen its part, with the interval of a new press."""
    wide = np.full(len(run.deep), run.wide)
    pressure = form.pressure(fitted.x, wide, run.deep)
    steps = 1e-5 * np.eye(len(fitted.x))
    slopes = np.stack([np.log(form.pressure(fitted.x + s, wide, run.deep) / pressure) / 1e-5 for s in steps], axis=1)
    variance = np.einsum("ij,jk,ik->i", slopes, fitted.spread, slopes) + fitted.between**2
    relative = np.sqrt(np.maximum(variance, 0.0))
    half = fitted.reach() * relative * pressure
    rows = zip(run.deep, run.pressure, pressure, pressure - half, pressure + half, strict=True)
    names = ("depth", "measured", "predicted", "low", "high")
    head = {"run": run.name, "part": run.part, "diameter": run.wide}
    return [{**head, **dict(zip(names, map(float, row), strict=True))} for row in rows]


def _by_part(form: Form, blind: dict[str, _Fitted], runs: list[_Run]) -> list[dict[str, object]]:
    rows = []
    for part, fitted in blind.items():
        mine = [run for run in runs if run.part == part]
        seen = [row for run in mine for row in _predicted(form, fitted, run)]
        inside = np.mean([row["low"] <= row["measured"] <= row["high"] for row in seen])  # type: ignore[operator]
        errors = [run.error(form, fitted.x) for run in mine]
        error = _of_mean(form, fitted, mine)
        row = {"part": part, "runs": len(mine), "error": error, "worst_run": max(errors)}
        rows.append({**row, "inside": float(inside)})
    return rows


def _of_mean(form: Form, fitted: _Fitted, runs: list[_Run]) -> float:
    """Error of the mean of presses of one size over the depths that all of them have, not a number without such."""
    low, high = max(run.deep[0] for run in runs), min(run.deep[-1] for run in runs)
    shared = [(run.deep > low - 1e-9) & (run.deep < high + 1e-9) for run in runs]
    if not shared[0].any():
        return float("nan")
    pressure = np.mean([run.pressure[part] for run, part in zip(runs, shared, strict=True)], axis=0)
    return _Run("", "", runs[0].wide, runs[0].deep[shared[0]], pressure).error(form, fitted.x)


def _checked(form: Form, fitted: _Fitted, runs: list[_Run]) -> Table:
    """Other presses, predicted by the whole fit."""
    return Table(_by_part(form, {part: fitted for part in sorted({run.part for run in runs})}, runs))


def _notes(form: Form, fitted: _Fitted, sizes: int) -> tuple[str, ...]:
    rows = _parameters(form, fitted)
    lost = [row["parameter"] for row in rows if not row["told"]]
    notes = [f"{name} is not determined by these data: its interval is wider than its value" for name in lost]
    if sizes == 1:
        notes.append("all plates have the same size: how pressure depends on size (m, k_c) is not determined")
    notes.append(f"a press differs from the law by {fitted.between:.1%} (one standard deviation), whatever the law")
    notes.append(untold(*("rebound", "damping", "shear_stiffness", "cohesion", "friction")))
    notes.append("plates went straight down: resistance at angles is that of generic resistive force theory")
    return tuple(notes)
