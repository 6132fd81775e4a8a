"""Summary of a study: success rates, means, and paired differences with intervals."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Sequence
from pathlib import Path

from plantar.table import Row
from plantar.walk.study.statistics import compare_draws, compare_pairs, mean_interval, share_interval
from plantar.walk.study.study import CELL, done

ENOUGH = 0.95
"""Fraction of trials in which a foot has to survive a level."""
FIGURES = (
    "com_excursion",
    "dcm_error",
    "support_area",
    "cop_margin",
    "force_peak",
    "force_rate",
    "slip",
    "collisions",
    "energy",
    "transport",
    "tilt",
    "drift",
)
"""Figures whose means are in the summary."""
SPREAD = ("slip", "collisions", "transport", "tilt")
"""Figures that get intervals."""


def summarise(table: Sequence[Row], names: Sequence[str] = CELL) -> list[Row]:
    """One row per cell: trials, successes with Wilson's interval, means of the figures with Student's intervals."""
    rows = []
    for key, group in groups(table, names).items():
        good = done(group)
        won = sum(bool(row["success"]) for row in good)
        low, high = share_interval(won, len(good))
        row: Row = dict(zip(names, key, strict=True))
        row |= {"trials": len(good), "successes": won, "share": won / len(good) if good else None}
        row |= {"low": low, "high": high}
        for name in FIGURES:
            finite = [v for v in (_number(r.get(name)) for r in good) if math.isfinite(v)]
            row[name] = sum(finite) / len(finite) if finite else None
            if name in SPREAD:
                row[f"{name}_low"], row[f"{name}_high"] = mean_interval(finite)
        rows.append(row)
    return rows


def largest_levels(summary: Sequence[Row]) -> list[Row]:
    """For each robot, foot, mode and course the largest level that it survives in 95 % of trials.

    A level counts only if all lower ones that were tried are survived as often.
    """
    rows = []
    for key, group in groups(summary, CELL[:-1]).items():
        best, sure = 0.0, 0.0
        for cell in sorted(group, key=lambda r: r["level"]):
            if cell["share"] is None or cell["share"] < ENOUGH:
                break
            best, sure = cell["level"], cell["low"]
        row: Row = dict(zip(CELL[:-1], key, strict=True))
        tallest = max(cell["level"] for cell in group)
        rows.append(row | {"largest_level": best, "highest_tried": tallest, "low_there": sure if best else None})
    return rows


def paired(table: Sequence[Row], by: str = "foot", reference: str | None = None) -> list[Row]:
    """One row per cell and pair of feet: how much more often the one walks than the other over the same draws.

    Args:
        table: The trials.
        by: What is compared: `foot`, `choose`, `mode`.
        reference: Value that all others are compared with; None compares each with each.
    """
    values = list(dict.fromkeys(row[by] for row in table))
    couples = itertools.combinations(values, 2) if reference is None else ((reference, v) for v in values)
    couples = [(first, other) for first, other in couples if first != other]
    rest, rows = [name for name in CELL if name != by], []
    for key, group in groups(done(table), rest).items():
        won = {v: {r["draw"]: bool(r["success"]) for r in group if r[by] == v} for v in values}
        for first, other in couples:
            draws = sorted(won.get(first, {}).keys() & won[other].keys())
            if not draws:
                continue
            found = compare_pairs([won[first][d] for d in draws], [won[other][d] for d in draws])
            row: Row = dict(zip(rest, key, strict=True)) | {by: first, "against": other, "pairs": found.pairs}
            row |= {"successes": found.both + found.only_first, "successes_against": found.both + found.only_second}
            row |= {"difference": found.difference, "low": found.low, "high": found.high}
            rows.append(row | {"p": found.p, "sure": found.sure})
    return rows


def pooled(
    table: Sequence[Row], by: str = "foot", reference: str | None = None, over: str | None = "mode"
) -> list[Row]:
    """How much more often one foot succeeds than the others, over many cells at once, by bootstrap over whole draws.

    Args:
        table: The trials.
        by: What is compared.
        reference: Value that the others are compared with; None is the first one that is not the robot's own.
        over: Column for each of whose values cells are pooled; None pools all.
    """
    values = list(dict.fromkeys(row[by] for row in table))
    first = reference or next((v for v in values if v != "own"), values[0] if values else "")
    names = [name for name in CELL if name != by]
    rows = []
    for where, group in groups(done(table), (over,) if over else ()).items():
        won = {(r[by], *(r[n] for n in names), r["draw"]): bool(r["success"]) for r in group}
        for other in (v for v in values if v != first):
            by_draw: dict[int, list[float]] = {}
            for (value, *key, draw), success in won.items():
                if value == first and (other, *key, draw) in won:
                    by_draw.setdefault(draw, []).append(float(success) - won[other, *key, draw])
            if not by_draw:
                continue
            mean, low, high = compare_draws(list(by_draw.values()))
            row: Row = {over or "pooled": where[0] if over else "all", by: first, "against": other}
            row |= {"draws": len(by_draw), "pairs": sum(map(len, by_draw.values()))}
            rows.append(row | {"difference": mean, "low": low, "high": high, "sure": bool(low > 0 or high < 0)})
    return rows


def best_of(summary: Sequence[Row]) -> list[Row]:
    """One row per course and level: which foot and chooser crosses it most often, and with least slip among those."""
    rows = []
    for _, cells in groups([r for r in summary if r["share"] is not None], ("course", "level")).items():
        best = min(cells, key=lambda r: (-r["share"], r["slip"] if r["slip"] is not None else math.inf))
        rows.append({name: best[name] for name in (*CELL, "successes", "trials", "slip", "collisions")})
    return rows


def verdicts(differences: Iterable[Row], by: str = "foot") -> list[str]:
    """A sentence for every difference that interval and exact test support; none for the others."""
    sentences = []
    for row in differences:
        if not row["sure"]:
            continue
        more = "more" if row["difference"] > 0 else "less"
        sentences.append(
            f"{short(row['robot'])}, {row['mode']}, {row['course']} at {row['level']:g}: {row[by]} walks {more} often "
            f"than {row['against']}, {row['successes']} against {row['successes_against']} of {row['pairs']} "
            f"({100 * row['difference']:+.0f} %, {100 * row['low']:+.0f} to {100 * row['high']:+.0f}, "
            f"p = {row['p']:.2g})"
        )
    return sentences


def groups(rows: Iterable[Row], names: Sequence[str]) -> dict[tuple, list[Row]]:
    """Rows by the values of some columns."""
    found: dict[tuple, list[Row]] = {}
    for row in rows:
        found.setdefault(tuple(row[name] for name in names), []).append(row)
    return found


def short(robot: str) -> str:
    """A robot's name without the folders and the ending of its file."""
    return Path(robot).name.removesuffix(".xml").removesuffix(".urdf").removesuffix(".json")


def _number(value: object) -> float:
    return math.nan if value is None else float(value)  # type: ignore[arg-type]
