"""What the SoftFoot's paper says of walking over bars, beside what a study found.

Crotti et al. (2024), section V: with rigid feet COMAN+ "was sometimes able to maintain balance" on bars of 5 mm and
"consistently fell" on 10 mm; the SoftFoot "generally handled both obstacle heights", best where the bar meets the sole
between the arches.
"""

from __future__ import annotations

from collections.abc import Sequence

from plantar.table import Row
from plantar.walk.study.statistics import difference_is_sure

SOMETIMES = (0.05, 0.95)
"""Shares that are called sometimes."""
GENERALLY, CONSISTENTLY = 0.8, 0.1
"""Least share that is called generally, largest one that is called a consistent fall."""
CONFIRMED, NOT, UNTRIED = "confirmed", "not confirmed", "not tried"


def judge(summary: Sequence[Row]) -> list[Row]:
    """A row for each claim, robot and mode: what the paper says, what was found, and the verdict."""
    rows: list[Row] = []
    for robot, mode in dict.fromkeys((r["robot"], r["mode"]) for r in summary):
        cells = [r for r in summary if r["robot"] == robot and r["mode"] == mode]
        soft, rigid = _is_soft(cells), _is_rigid(cells)
        found = [
            _share("rigid feet sometimes keep the balance on 5 mm", rigid, 0.005, "random", _sometimes),
            _share("rigid feet consistently fall on 10 mm", rigid, 0.010, "random", _falls),
            _share("soft feet generally cross 5 mm", soft, 0.005, "random", _crosses),
            _share("soft feet generally cross 10 mm", soft, 0.010, "random", _crosses),
            _better(soft, rigid),
            _arch(soft),
        ]
        rows += [{"robot": robot, "mode": mode, **row} for row in found]
    return rows


def overall(verdicts: Sequence[Row]) -> list[Row]:
    """One verdict a claim over all robots and modes: confirmed, not confirmed, or only in some regime."""
    rows = []
    for claim in dict.fromkeys(r["claim"] for r in verdicts):
        tried = [r for r in verdicts if r["claim"] == claim and r["verdict"] != UNTRIED]
        yes = [r for r in tried if r["verdict"] == CONFIRMED]
        if not tried:
            verdict = UNTRIED
        elif len(yes) == len(tried):
            verdict = CONFIRMED
        elif not yes:
            verdict = NOT
        else:
            verdict = "only with " + ", ".join(f"{r['robot']} in {r['mode']} mode" for r in yes)
        rows.append({"claim": claim, "verdict": verdict, "confirmed": len(yes), "tried": len(tried)})
    return rows


def _is_soft(cells: Sequence[Row]) -> list[Row]:
    return [r for r in cells if str(r["foot"]).startswith("softfoot")]


def _is_rigid(cells: Sequence[Row]) -> list[Row]:
    own = [r for r in cells if r["foot"] == "own"]
    return own or [r for r in cells if str(r["foot"]).startswith("flat")]


def _sometimes(share: float) -> bool:
    return SOMETIMES[0] <= share <= SOMETIMES[1]


def _falls(share: float) -> bool:
    return share <= CONSISTENTLY


def _crosses(share: float) -> bool:
    return share >= GENERALLY


def _pooled(cells: Sequence[Row], height: float | None, place: str | None) -> tuple[int, int]:
    """Successes and trials of all cells of a height and place."""
    fit = [
        r
        for r in cells
        if (height is None or abs(r["obstacle"] - height) < 1e-9) and (place is None or r["place"] == place)
    ]
    return sum(r["successes"] for r in fit), sum(r["trials"] for r in fit)


def _share(claim: str, cells: Sequence[Row], height: float, place: str, rule) -> Row:  # noqa: ANN001
    won, tried = _pooled(cells, height, place)
    if not tried:
        return {"claim": claim, "found": "", "verdict": UNTRIED}
    verdict = CONFIRMED if rule(won / tried) else NOT
    return {"claim": claim, "found": f"{won} of {tried} walked", "verdict": verdict}


def _better(soft: Sequence[Row], rigid: Sequence[Row]) -> Row:
    claim = "soft feet cross bars more often than rigid ones"
    a, b = _pooled(soft, None, "random"), _pooled(rigid, None, "random")
    if not a[1] or not b[1]:
        return {"claim": claim, "found": "", "verdict": UNTRIED}
    sure = a[0] / a[1] > b[0] / b[1] and difference_is_sure(a, b)
    found = f"soft {a[0]} of {a[1]}, rigid {b[0]} of {b[1]}"
    return {"claim": claim, "found": found, "verdict": CONFIRMED if sure else NOT}


def _arch(soft: Sequence[Row]) -> Row:
    claim = "soft feet are most robust with the bar between the arches"
    shares = {place: _pooled(soft, None, place) for place in ("heel", "arch", "toe")}
    if not all(tried for _, tried in shares.values()):
        return {"claim": claim, "found": "", "verdict": UNTRIED}
    share = {place: won / tried for place, (won, tried) in shares.items()}
    found = ", ".join(f"{place} {won} of {tried}" for place, (won, tried) in shares.items())
    best = share["arch"] >= max(share.values()) and share["arch"] > min(share.values())
    return {"claim": claim, "found": found, "verdict": CONFIRMED if best else NOT}
