"""SoftFoot: what it does over bars, from the stored tables of the four-foot experiment."""

from __future__ import annotations

import csv
from typing import Any

from validation.records import ROOT, Record, Row

FOLDER = ROOT / "docs" / "results" / "walk_feet"
NAMES = {"own": "own feet", "locked:softfoot:fast": "the same, locked", "like:softfoot:fast": "a plate of its outline"}
COMMAND = "`python tools/foot_experiment.py runs/feet --rounds 3 --thresholds torque --robots jvrc1.xml pal_talos "
COMMAND += "unitree_g1 biped`"
PUBLISHED = (
    "on SoftFeet the robot overcomes small obstacles, on its rigid flat feet it tends to fall (COMAN+, no counts)"
)


def _read(name: str) -> list[dict[str, str]]:
    with (FOLDER / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def _share(row: dict[str, str]) -> str:
    mean, low, high = (100 * float(row[k]) for k in ("difference", "low", "high"))
    return f"{mean:+.0f} % ({low:+.0f} to {high:+.0f})"


def walks() -> Record:
    """Claims on walking with controls: four feet on equal draws, at the height where own feet fail half of the time."""
    pooled, table = _read("pooled_by_mode.csv"), _read("table.csv")
    rows = []
    for mode in dict.fromkeys(row["mode"] for row in pooled):
        mine = {row["against"]: row for row in pooled if row["mode"] == mode}
        sure = all(mine[name]["sure"] == "True" for name in NAMES)
        own, robots = mine["own"], len({row["robot"] for row in table})
        rows.append(
            Row(
                what=f"SoftFoot over three bars where own feet fail half of the time, {mode} control: share of walks "
                "that "
                "end well, less own feet",
                place="Section IV-A",
                published=PUBLISHED,
                ours=_share(own),
                n=f"{own['pairs']} pairs, {robots} robots, {own['draws']} fresh draws each; 95 % by bootstrap over "
                "draws",
                controls="; ".join(f"less {NAMES[k]} {_share(row)}" for k, row in mine.items() if k != "own"),
                verdict="confirmed" if sure else "not confirmed",
                regime="softness itself helps, against both controls"
                if sure
                else "no effect of softness against controls",
                command=COMMAND,
            )
        )
    return Record(
        title="Walking over bars",
        text="The paper shows pictures of COMAN+ and gives no counts. Here four other robots walk over three bars at "
        "random "
        "places, on their own feet, on SoftFeet, on SoftFeet with locked joints and on plates of the same outline; "
        "locked "
        "feet and plates tell softness from the size of the sole ([how](walk.md#what-soft-feet-do-over-bars)).",
        rows=rows,
        tables=[_counts(table)],
        origin="read",
        values={"source": "docs/results/walk_feet"},
    )


def _counts(table: list[dict[str, str]]) -> dict[str, Any]:
    feet = [column.removeprefix("walked ") for column in table[0] if column.startswith("walked ")]
    names = {"softfoot:fast": "SoftFoot", **NAMES}
    cells = [
        [row["robot"], row["mode"], f"{1000 * float(row['level']):.1f} mm"]
        + [f"{row[f'walked {foot}']} of {row['draws']}" for foot in feet]
        for row in table
    ]
    return {
        "title": "Walks that ended well",
        "columns": ["robot", "mode", "bars", *(names[foot] for foot in feet)],
        "rows": cells,
    }
