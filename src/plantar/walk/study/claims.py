"""What the SoftFoot's paper says about walking over bars, compared with a study.

Crotti et al. (2024), section V: with rigid feet COMAN+ "was sometimes able to maintain balance" on bars of 5 mm and
"consistently fell" on 10 mm; the SoftFoot "generally handled both obstacle heights", best where the bar meets the sole
between the arches. A verdict is given only where an interval lies wholly on one side of what the claim says.
"""

from __future__ import annotations

from collections.abc import Sequence

from plantar import feet
from plantar.table import Row
from plantar.walk.study.feet import is_file
from plantar.walk.study.statistics import PairedShares, compare_pairs, share_interval
from plantar.walk.study.study import done

SOMETIMES = (0.05, 0.95)
"""Fractions that are called sometimes."""
GENERALLY, CONSISTENTLY = 0.8, 0.2
"""Least fraction that is called generally, largest one that is called a consistent fall."""
CONFIRMED, REFUTED, OPEN, UNTRIED = "confirmed", "refuted", "not decided by these walks", "not tried"


def judge(table: Sequence[Row]) -> list[Row]:
    """One row per claim, robot, mode and foot that it is about: what was found, n, interval and verdict."""
    rows: list[Row] = []
    good = done(table)
    for robot, mode in dict.fromkeys((r["robot"], r["mode"]) for r in good):
        cells = [r for r in good if r["robot"] == robot and r["mode"] == mode]
        feet = list(dict.fromkeys(r["foot"] for r in cells))
        rigid = [foot for foot in feet if not is_soft(foot)]
        found: list[Row] = []
        for foot in rigid:
            found += [
                _share("rigid feet sometimes keep the balance on 5 mm", cells, foot, 0.005, SOMETIMES),
                _share("rigid feet consistently fall on 10 mm", cells, foot, 0.010, (0.0, CONSISTENTLY)),
            ]
        for foot in filter(is_soft, feet):
            found += [
                _share("soft feet generally cross 5 mm", cells, foot, 0.005, (GENERALLY, 1.0)),
                _share("soft feet generally cross 10 mm", cells, foot, 0.010, (GENERALLY, 1.0)),
                _arch(cells, foot),
                *(_better(cells, foot, other) for other in rigid),
            ]
        rows += [{"robot": robot, "mode": mode, **row} for row in found]
    return rows


def overall(verdicts: Sequence[Row]) -> list[Row]:
    """One row per claim over all robots, modes and feet: how often it was confirmed, refuted and left open."""
    rows = []
    for claim in dict.fromkeys(r["claim"] for r in verdicts):
        tried = [r for r in verdicts if r["claim"] == claim and r["verdict"] != UNTRIED]
        counts = {name: sum(r["verdict"] == name for r in tried) for name in (CONFIRMED, REFUTED, OPEN)}
        rows.append({"claim": claim, "tried": len(tried), "confirmed": counts[CONFIRMED]})
        rows[-1] |= {"refuted": counts[REFUTED], "open": counts[OPEN]}
    return rows


def is_soft(foot: str) -> bool:
    """Whether a foot of a study is a soft one, by name or from a file; its controls are not."""
    name = feet.get(foot).name if is_file(foot) else foot
    return name.startswith("softfoot")


def _won(cells: Sequence[Row], foot: str, level: float | None, course: str) -> dict[tuple[float, int], bool]:
    """Whether each walk over bars succeeded, by level and draw."""
    return {
        (r["level"], r["draw"]): bool(r["success"])
        for r in cells
        if r["foot"] == foot and r["course"] == course and (level is None or abs(r["level"] - level) < 1e-9)
        if r["level"] > 0
    }


def _share(claim: str, cells: Sequence[Row], foot: str, level: float, band: tuple[float, float]) -> Row:
    won = list(_won(cells, foot, level, "bar").values())
    if not won:
        return {"claim": claim, "foot": foot, "found": "", "verdict": UNTRIED}
    low, high = share_interval(sum(won), len(won))
    inside, outside = band[0] <= low and high <= band[1], high < band[0] or band[1] < low
    found = f"{sum(won)} of {len(won)} walked ({100 * low:.0f} to {100 * high:.0f} %)"
    verdict = CONFIRMED if inside else REFUTED if outside else OPEN
    return {"claim": claim, "foot": foot, "found": found, "verdict": verdict}


def _better(cells: Sequence[Row], soft: str, rigid: str) -> Row:
    row: Row = {"claim": "soft feet cross bars more often than rigid ones", "foot": f"{soft} against {rigid}"}
    found = _pairs(_won(cells, soft, None, "bar"), _won(cells, rigid, None, "bar"))
    if not found.pairs:
        return row | {"found": "", "verdict": UNTRIED}
    verdict = OPEN if not found.sure else CONFIRMED if found.difference > 0 else REFUTED
    return row | {"found": _text(found), "verdict": verdict}


def _arch(cells: Sequence[Row], soft: str) -> Row:
    row: Row = {"claim": "soft feet are most robust with the bar between the arches", "foot": soft}
    arch = _won(cells, soft, None, "arch")
    beside = [_pairs(arch, _won(cells, soft, None, place)) for place in ("heel", "toe")]
    if not all(found.pairs for found in beside):
        return row | {"found": "", "verdict": UNTRIED}
    better = [found.sure and found.difference > 0 for found in beside]
    worse = [found.sure and found.difference < 0 for found in beside]
    text = "; ".join(f"{place}: {_text(found)}" for place, found in zip(("heel", "toe"), beside, strict=True))
    return row | {"found": text, "verdict": CONFIRMED if all(better) else REFUTED if any(worse) else OPEN}


def _pairs(first: dict[tuple[float, int], bool], second: dict[tuple[float, int], bool]) -> PairedShares:
    both = sorted(first.keys() & second.keys())
    return compare_pairs([first[key] for key in both], [second[key] for key in both])


def _text(found: PairedShares) -> str:
    won = found.both + found.only_first, found.both + found.only_second
    ends = f"{100 * found.low:+.0f} to {100 * found.high:+.0f} %"
    return f"{won[0]} against {won[1]} of {found.pairs} ({ends}, p = {found.p:.2g})"
