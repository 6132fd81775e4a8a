"""How good predicted foothold maps are.

Most cells of a map are not footholds, and any method recognises most of those: accuracy over all cells says little. The
functions here also look at footholds alone, at cells wrongly called footholds, and at what the choice then costs.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from plantar._checks import require
from plantar.foothold.choose import PULL
from plantar.foothold.cost import INFEASIBLE

Array = np.ndarray


def confusion(predicted: ArrayLike, true: ArrayLike, classes: int) -> Array:
    """Cells of true class (rows) that were predicted as each class (columns), (classes, classes)."""
    p, t = _same(predicted, true)
    ok = max(int(p.max(initial=0)), int(t.max(initial=0))) < classes
    require(ok, "classes", classes, "at least the largest class plus one")
    return np.bincount(t.ravel().astype(int) * classes + p.ravel().astype(int), minlength=classes**2).reshape(
        classes, classes
    )


def accuracy(predicted: ArrayLike, true: ArrayLike, where: ArrayLike | None = None) -> float:
    """Fraction of cells whose class is right; of those in `where` only, if it is given. NaN if there are none."""
    p, t = _same(predicted, true)
    right = p == t
    right = right if where is None else right[np.asarray(where, bool)]
    return float(right.mean()) if right.size else float("nan")


def iou(predicted: ArrayLike, true: ArrayLike, classes: int) -> float:
    """Mean over classes of the cells in it by both over those by either; classes in neither are left out."""
    table = confusion(predicted, true, classes)
    both = np.diag(table)
    either = table.sum(axis=0) + table.sum(axis=1) - both
    there = either > 0
    return float((both[there] / either[there]).mean()) if there.any() else float("nan")


def feasible_accuracy(predicted: ArrayLike, true: ArrayLike, feasible: ArrayLike) -> float:
    """Accuracy over the cells that truly are footholds."""
    return accuracy(predicted, true, feasible)


def false_feasible(predicted: ArrayLike, true: ArrayLike) -> float:
    """Fraction of non-footholds that are called footholds; NaN if all are footholds."""
    p, t = (np.asarray(v, bool) for v in _same(predicted, true))
    none = ~t
    return float(p[none].mean()) if none.any() else float("nan")


def false_infeasible(predicted: ArrayLike, true: ArrayLike) -> float:
    """Fraction of footholds that are not called one; NaN if there are none."""
    return false_feasible(~np.asarray(predicted, bool), ~np.asarray(true, bool))


@dataclass(frozen=True, eq=False)
class Regret:
    """What choosing by predicted costs loses against choosing by the true ones; row n of an array is map n."""

    loss: Array
    """True c_final of the choice less the least there is (n,), NaN where there is no foothold to choose; a pick that
    is not a foothold counts with the cost of 255."""
    infeasible: Array
    """Whether the pick is not a foothold (n,)."""
    none: Array
    """Whether the prediction found no foothold though there are some (n,)."""
    choosable: Array
    """Whether there is a true foothold at all (n,)."""

    @property
    def mean(self) -> float:
        """Mean loss over maps with a foothold where one was picked."""
        picked = self.loss[self.choosable & ~self.none]
        return float(picked.mean()) if picked.size else float("nan")

    @property
    def infeasible_rate(self) -> float:
        """Fraction of picks that are not footholds, over maps with a foothold where one was picked."""
        picked = self.infeasible[self.choosable & ~self.none]
        return float(picked.mean()) if picked.size else float("nan")

    @property
    def none_rate(self) -> float:
        """Fraction of maps with a foothold where none was found."""
        there = self.none[self.choosable]
        return float(there.mean()) if there.size else float("nan")


def regret(
    predicted_cost: ArrayLike,
    predicted_feasible: ArrayLike,
    true_cost: ArrayLike,
    true_feasible: ArrayLike,
    *,
    cell: float,
    nominal: tuple[float, float] | None = None,
    k: float = PULL,
) -> Regret:
    """Choose on predicted maps by c_f + k d_n and pay on the true ones.

    Args:
        predicted_cost: Costs (n, rows, columns).
        predicted_feasible: Cells that may be chosen (n, rows, columns).
        true_cost: True costs (n, rows, columns).
        true_feasible: True footholds (n, rows, columns).
        cell: Side of a cell [m].
        nominal: Row and column of the nominal foothold; the middle of the map by default.
        k: Cost per metre from it.
    """
    p, t = _same(predicted_cost, true_cost)
    pf, tf = (np.asarray(v, bool) for v in _same(predicted_feasible, true_feasible))
    require(p.ndim == 3 and p.shape == pf.shape, "predicted_cost", p.shape, "maps (n, rows, columns)")
    rows, columns = p.shape[1:]
    j, i = ((rows - 1) / 2, (columns - 1) / 2) if nominal is None else nominal
    away = k * cell * np.hypot(np.arange(rows)[:, None] - j, np.arange(columns)[None] - i)
    guess = np.where(pf, p + away, np.inf).reshape(len(p), -1)
    truth = np.where(tf, t, INFEASIBLE).reshape(len(t), -1) + away.ravel()
    best = np.where(tf.reshape(len(t), -1), truth, np.inf).min(axis=1)
    pick = guess.argmin(axis=1)
    n = np.arange(len(p))
    choosable = np.array([bool(one.any()) for one in tf], bool)
    none = np.array([not one.any() for one in pf], bool)
    wrong = ~tf.reshape(len(t), -1)[n, pick]
    with np.errstate(invalid="ignore"):
        loss = np.where(choosable, truth[n, pick] - best, np.nan)
    return Regret(loss, wrong & ~none, none & choosable, choosable)


def scores(
    predicted_class: ArrayLike,
    predicted_cost: ArrayLike,
    predicted_feasible: ArrayLike,
    true_class: ArrayLike,
    true_cost: ArrayLike,
    true_feasible: ArrayLike,
    *,
    classes: int,
    cell: float,
    k: float = PULL,
) -> dict[str, float]:
    """All of the above in one table row."""
    lost = regret(predicted_cost, predicted_feasible, true_cost, true_feasible, cell=cell, k=k)
    return {
        "accuracy": accuracy(predicted_class, true_class),
        "iou": iou(predicted_class, true_class, classes),
        "feasible_accuracy": feasible_accuracy(predicted_class, true_class, true_feasible),
        "false_feasible": false_feasible(predicted_feasible, true_feasible),
        "false_infeasible": false_infeasible(predicted_feasible, true_feasible),
        "regret": lost.mean,
        "infeasible_picks": lost.infeasible_rate,
        "none_found": lost.none_rate,
    }


def _same(a: ArrayLike, b: ArrayLike) -> tuple[Array, Array]:
    first, second = np.asarray(a), np.asarray(b)
    require(first.shape == second.shape, "shapes", (first.shape, second.shape), "arrays of the same shape")
    return first, second
