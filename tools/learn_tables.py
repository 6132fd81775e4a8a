"""The tables of docs/learn_softness.md from the stored ones of `plantar learn evaluate`.

`python tools/learn_tables.py g1` prints those of one policy of the whole G1 over the stiffness of its feet, against the
same feet locked; `quadruped` those of several trainings each of a quadruped on soft and rigid feet, `legs` of the G1's
legs.
"""

from __future__ import annotations

import csv
import math
import sys
from collections.abc import Sequence
from pathlib import Path

STORED = Path(__file__).resolve().parent.parent / "docs" / "results" / "learn"
GROUNDS = {
    "level": ("bars", "0.0"),
    "bars 10 mm": ("bars", "0.01"),
    "20 mm": ("bars", "0.02"),
    "30 mm": ("bars", "0.03"),
    "40 mm": ("bars", "0.04"),
    "50 mm": ("bars", "0.05"),
    "rough 20 mm": ("rough", "0.02"),
    "pushes 1 m/s": ("pushes", "0.0"),
}
"""Columns of the tables: which stored table, and which level in it."""
TRAININGS = ("quadruped", "legs")
"""How the stored tables of several trainings begin."""
NAMES = {"own": "own", "plate": "plate", "1000.0": "locked"}

Row = dict[str, str]


def read(name: str) -> list[Row]:
    """A stored table."""
    with (STORED / f"{name}.csv").open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def who(row: Row) -> str:
    """A kind of feet in a word."""
    return NAMES.get(row["foot"]) or NAMES.get(row["stiffness"]) or f"{float(row['stiffness']):g}"


def cells(prefix: str, kind: str) -> dict[str, dict[str, Row]]:
    """Rows of stored tables by kind of feet and ground."""
    found: dict[str, dict[str, Row]] = {}
    for ground, (table, level) in GROUNDS.items():
        if not (STORED / f"{prefix}{table}_{kind}.csv").exists():
            continue
        for row in read(f"{prefix}{table}_{kind}"):
            if float(row["level"]) == float(level):
                found.setdefault(who(row), {})[ground] = row
    last = ("locked", "own", "plate")
    return {name: found[name] for name in sorted(found, key=lambda n: 1e6 + last.index(n) if n in last else float(n))}


def percent(row: Row, key: str) -> str:
    """A difference in percent with its interval, bold where that excludes 0."""
    if f"{key}_percent_low" in row:
        mean, low, high = (float(row[f"{key}_percent{end}"] or "nan") for end in ("", "_low", "_high"))
    else:
        mean, value = float(row[f"{key}_percent"] or "nan"), float(row[key] or "nan")
        low, high = sorted(mean / value * float(row[f"{key}_{end}"] or "nan") for end in ("low", "high"))
    if math.isnan(mean):
        return ""
    text = f"{mean:+.0f}" if math.isnan(low) else f"{mean:+.0f} ({low:+.0f} to {high:+.0f})"
    return f"**{text}**" if low * high > 0 else text


def number(row: Row, key: str) -> str:
    """A mean with its interval."""
    mean, low, high = (float(row[f"{key}{end}"] or "nan") for end in ("", "_low", "_high"))
    return "" if math.isnan(mean) else f"{mean:.3g}" if math.isnan(low) else f"{mean:.3g} ({low:.3g} to {high:.3g})"


def fell(row: Row) -> str:
    """Falls, and how many walks reached the end."""
    return f"{row['fallen']} ({row['arrived']})"


def points(row: Row, key: str) -> str:
    """A difference in percentage points with its interval, bold where that excludes 0."""
    return percent({f"{key}_percent{end}": row[f"{key}{end}"] for end in ("", "_low", "_high")}, key)


def show(title: str, rows: dict[str, dict[str, Row]], told: object, keys: Sequence[str] = ()) -> None:
    """Print a table, one row per kind of feet and one column per ground."""
    grounds = [ground for ground in GROUNDS if any(ground in by for by in rows.values())]
    print(f"\n{title}\n\n| feet | {' | '.join(grounds)} |\n|{'---|' * (len(grounds) + 1)}")
    for name, by in rows.items():
        line = [told(by[g], *keys) if g in by else "" for g in grounds]  # type: ignore[operator]
        if any(line):
            print(f"| {name} | {' | '.join(line)} |")


def main() -> None:
    """Print the tables that were asked for."""
    asked = sys.argv[1] if len(sys.argv) == 2 else ""  # noqa: PLR2004
    if asked == "g1":
        pairs, summary = (cells("", kind) for kind in ("pairs", "summary"))
        for key, title in (("transport", "absolute work"), ("transport_positive", "positive work")):
            show(f"{title} against the same feet locked, %", pairs, percent, (key,))
        show("the locked feet's own", {"locked": summary["locked"]}, number, ("transport",))
        show("the locked feet's own", {"locked": summary["locked"]}, number, ("transport_positive",))
        for key in ("speed_error", "force_peak", "force_rate", "slip"):
            show(f"{key}, %", pairs, percent, (key,))
        show("falls (arrived)", summary, fell)
    elif asked in TRAININGS:
        feet, trainings = (cells(f"{asked}_", kind) for kind in ("feet", "trainings"))
        for key in ("speed_error", "transport", "transport_positive", "force_peak", "force_rate", "slip"):
            show(f"{key}: means over the trainings", feet, number, (key,))
            show(f"{key} against the plate, %", feet, percent, (key,))
            show(f"{key} against the same policy's locked feet, %", trainings, percent, (key,))
        show("falls (arrived) of all walks", feet, fell)
        if "fallen_points" in next(iter(next(iter(trainings.values())).values())):
            for key in ("fallen_points", "arrived_points"):
                show(f"{key} against the same policy's locked feet", trainings, points, (key,))
                show(f"{key} against the plate", feet, points, (key,))
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
