"""Ground: walks in fitted sand and on hard ground, from the stored tables of the study."""

from __future__ import annotations

import numpy as np

from validation.records import Record, Row
from validation.stored import Rows, read, where

NAMES = {"rigid": "own rigid feet", "soft": "soft feet (fast)"}
COMMAND = "`python benchmarks/soil_walks.py ROBOT OUT.csv`"


def walks() -> Record:
    """Who stays up, and what sand costs each kind of foot."""
    tables = {robot: read("soil_walks", f"{robot}.csv") for robot in ("biped", "quadruped")}
    everything = [row for rows in tables.values() for row in rows]
    good = len(where(everything, status="WALKED"))
    cells, rows = [], []
    for robot, table in tables.items():
        for feet, name in NAMES.items():
            hard, sand = (where(table, feet=feet, ground=ground) for ground in ("hard", "sand"))
            transport = [_mean(one, "transport", 3) for one in (hard, sand)]
            slip = [_mean(one, "slip", 3) for one in (hard, sand)]
            cells.append([f"{robot}, {name}", *transport, *slip, _mean(sand, "mean_print", 1, 1000)])
        rows.append(_paired(robot, table))
    first = Row(
        what="walks of 20 steps in the fitted sand and on hard ground, biped and quadruped, rigid and soft feet",
        published="simulate bipedal locomotion on deformable terrain",
        place="Section IV",
        ours=f"{good} of {len(everything)} end well",
        n="10 seeds a cell, which vary the start: the sand is level and the same everywhere",
        verdict="confirmed" if good == len(everything) else "only in a regime",
        command=COMMAND,
    )
    columns = ["feet", "cost of transport, hard", "in sand", "slip, hard [m/m]", "in sand [m/m]", "mean print [mm]"]
    return Record(
        title="Walks in sand",
        text="The paper identifies ground so that bipeds may walk on it, and shows no walk. Here robots walk in the "
        "sand "
        "that was fitted to measured plates. The feet differ in size, mass and height as well as in softness: this "
        "says "
        "what these feet do, not what softness does ([how](ground_soil.md#walks)).",
        rows=[first, *rows],
        tables=[{"title": "Means with 95 % intervals of the mean", "columns": columns, "rows": cells}],
        origin="read",
        values={"source": "docs/results/soil_walks"},
    )


def _values(rows: Rows, key: str) -> np.ndarray:
    return np.array([float(row[key]) for row in sorted(rows, key=lambda row: int(row["seed"]))])


def _interval(values: np.ndarray) -> tuple[float, float, float]:
    drawn = np.random.default_rng(0).choice(values, (4000, len(values))).mean(axis=1)
    low, high = np.quantile(drawn, [0.025, 0.975])
    return float(values.mean()), float(low), float(high)


def _mean(rows: Rows, key: str, digits: int, factor: float = 1.0) -> str:
    mean, low, high = _interval(factor * _values(rows, key))
    return f"{mean:.{digits}f} ({low:.{digits}f} to {high:.{digits}f})"


def _paired(robot: str, table: Rows) -> Row:
    soft, rigid = (where(table, feet=feet, ground="sand") for feet in ("soft", "rigid"))
    told = {}
    for key in ("transport", "slip"):
        mean, low, high = _interval(_values(soft, key) - _values(rigid, key))
        told[key] = f"{mean:+.3f} ({low:+.3f} to {high:+.3f})"
    return Row(
        what=f"{robot} in sand, soft feet less rigid ones: cost of transport; slip [m/m]",
        ours=f"{told['transport']}; {told['slip']}",
        n=f"{len(soft)} pairs by seed; 95 % by bootstrap",
        controls="none of equal outline: locked feet and plates were not walked in sand",
        verdict="reported",
        command=COMMAND,
    )
