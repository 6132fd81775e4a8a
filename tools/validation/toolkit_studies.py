"""The toolkit: designed feet and learned policies, as the stored tables of their studies have them."""

from __future__ import annotations

from typing import Any

from validation.records import Record
from validation.stored import Rows, difference, read, where

ROBOTS = ("biped", "quadruped")
GROUNDS = {"bars": "bars", "rough": "rough field", "pushes": "pushes of 1 m/s"}
LOCKED = "x 1000 by"
"""In the name of what a walk is paired with: the same feet a thousand times as stiff."""


def studies() -> Record:
    """Tables alone; what they show has its rows in the sections on design and on learning."""
    tables = [*(_designed(robot) for robot in ROBOTS), *(_learned(name, title) for name, title in GROUNDS.items())]
    return Record(
        title="Designed feet and learned policies: stored tables",
        text="What the rows on [design](design.md) and on [learning](learn.md) rest on, read from "
        "`docs/results/design` "
        "and `docs/results/learn`. Differences are paired by draw, with intervals of 95 %.",
        rows=[],
        tables=tables,
        origin="read",
        values={"source": ["docs/results/design", "docs/results/learn"]},
    )


def _designed(robot: str) -> dict[str, Any]:
    pairs = read("design", f"{robot}_pairs.csv")
    others = list(dict.fromkeys(row["against"] for row in pairs))
    cells = []
    for course in dict.fromkeys(row["course"] for row in pairs):
        mine = where(pairs, course=course)
        good = f"{mine[0]['successes']} of {mine[0]['pairs']}"
        cells.append([course.replace("_", " "), good, *_against(mine, others)])
    first = where(pairs, against=others[0])
    total = ["all", f"{_sum(first, 'successes')} of {_sum(first, 'pairs')}"]
    for other in others:
        mine = where(pairs, against=other)
        total.append(f"{_sum(mine, 'successes_against')} of {_sum(mine, 'pairs')}")
    return {
        "title": f"Designed foot of the {robot} on held-out grounds: walks that end well, and designed less each other",
        "columns": ["ground", "designed", *(f"{_name(other)}" for other in others)],
        "rows": [*cells, total],
    }


def _against(mine: Rows, others: list[str]) -> list[str]:
    found = []
    for other in others:
        row = next(iter(where(mine, against=other)), None)
        found.append(f"{row['successes_against']}: {difference(row)}" if row else "")
    return found


def _name(other: str) -> str:
    names = {"default": "default foot", "own": "own feet", "locked designed": "the same, locked"}
    return names.get(other, other.replace("like designed", "a plate of its outline"))


def _sum(rows: Rows, key: str) -> int:
    return sum(int(row[key]) for row in rows)


def _learned(name: str, title: str) -> dict[str, Any]:
    pairs = [row for row in read("learn", f"{name}_pairs.csv") if LOCKED in row["against"]]
    pairs = [row for row in pairs if row["foot"] == "softfoot:fast" and row["tendons"] == "True"]
    summary = read("learn", f"{name}_summary.csv")
    cells = []
    for row in pairs:
        fell = where(summary, policy=row["policy"], foot=row["foot"], stiffness=row["stiffness"], level=row["level"])
        fell = where(fell, push=row["push"], tendons=row["tendons"])
        told = [f"{float(row[f'{key}_percent']):+.0f} %" for key in ("transport_positive", "force_peak", "slip")]
        cells.append([f"{float(row['stiffness']):g}", f"{1000 * float(row['level']):.0f} mm", _percent(row), *told,
                      f"{fell[0]['fallen']} of {fell[0]['walks']}" if fell else ""])  # fmt: skip
    columns = ["stiffness", "height", "absolute work", "positive work", "peak force", "slip", "falls"]
    return {
        "title": f"The G1's policy, {title}: SoftFeet against the same feet locked",
        "columns": columns,
        "rows": cells,
    }


def _percent(row: dict[str, str]) -> str:
    """The difference of the cost of transport in percent, with its interval."""
    scale = float(row["transport_percent"]) / float(row["transport"])
    low, high = (scale * float(row[key]) for key in ("transport_low", "transport_high"))
    return f"{float(row['transport_percent']):+.0f} % ({min(low, high):+.0f} to {max(low, high):+.0f})"
