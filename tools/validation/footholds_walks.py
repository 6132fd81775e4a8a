"""Footholds: walks of the quadruped over chosen footholds, from the stored tables of the study."""

from __future__ import annotations

from validation.records import Record, Row
from validation.stored import Rows, difference, read, walked, where

FEET = {"softfoot_q:fast": "SoftFoot-Q", "ball": "balls", "locked:softfoot_q:fast": "SoftFoot-Q locked"}
CHOICES = {
    "nominal": "no choice",
    "slope": "slope",
    "analytic": "cost of the paper",
    "calibrated": "calibrated cost",
    "network": "network",
    "physics": "learned score",
}
FOLDER = "foothold_walk"
COMMAND = "`plantar foothold walk stairs trenches rubble --feet softfoot_q:fast,ball --choose "
COMMAND += "nominal,slope,analytic,network,physics --draws 10 --seed 6000 --no-photos`"
POTHOLES = "`plantar foothold walk potholes --feet softfoot_q:fast --choose nominal,slope,analytic,calibrated,physics "
POTHOLES += "--draws 40 --seed 5000 --no-photos`"


def walks() -> Record:
    """What choosing does, what the feet do, and which choice is best, with intervals."""
    summary, feet = read(FOLDER, "summary.csv"), read(FOLDER, "feet.csv")
    holes, hole_pairs = read(FOLDER, "potholes_summary.csv"), read(FOLDER, "potholes_pairs.csv")
    names = [foot for foot in FEET if where(summary, foot=foot)]
    choices = [c for c in CHOICES if where(summary, choose=c)]
    cells = [[CHOICES[c], *(_of(where(summary, foot=foot, choose=c)) for foot in names)] for c in choices]
    hole_cells = [[CHOICES[c], _of(where(holes, choose=c))] for c in CHOICES if where(holes, choose=c)]
    return Record(
        title="Figure 8: walking over chosen footholds",
        text="The built-in quadruped crawls over ground that takes a choice of footholds; who chooses and what it "
        "stands "
        "on are what differs ([how](foothold_walk.md#what-was-seen)). The paper shows such walks in pictures and "
        "leaves "
        "the foot's compliance out of its simulation.",
        rows=[_choosing(read(FOLDER, "choosers.csv"), summary), *_feet_rows(feet), _hole_row(holes, hole_pairs)],
        tables=[
            {
                "title": "Walks that crossed stairs, trenches and rubble",
                "columns": ["chosen by", *(FEET[foot] for foot in names)],
                "rows": cells,
            },
            {"title": "Walks that crossed potholes", "columns": ["chosen by", "SoftFoot-Q"], "rows": hole_cells},
        ],
        origin="read",
        values={"source": "docs/results/foothold_walk"},
    )


def _of(rows: Rows) -> str:
    good, all_ = walked(rows)
    return f"{good} of {all_}"


def _choosing(pairs: Rows, summary: Rows) -> Row:
    mine = where(pairs, choose="nominal", against="analytic")
    told = []
    for foot in dict.fromkeys(row["foot"] for row in mine):
        several = where(mine, foot=foot)
        parts = ", ".join(f"{row['course']} {_turned(row)}" for row in several)
        told.append(f"{FEET[foot]} {_of(where(summary, foot=foot, choose='analytic'))} against "
                    f"{_of(where(summary, foot=foot, choose='nominal'))} ({parts})")  # fmt: skip
    sure = [row for row in mine if row["sure"] == "True"]
    return Row(
        what="quadruped over stairs, trenches and rubble, ten fresh grounds of each: crossed with footholds chosen "
        "by the "
        "paper's cost, against no choice",
        place="Section IV, Figure 8",
        published="the robot avoids risky configurations and selects footholds that provide stable support (no counts)",
        ours="; ".join(told),
        n="10 grounds a cell, the same for all; 95 % interval of the paired difference",
        controls="no choice; balls",
        verdict="only in a regime" if sure else "not confirmed",
        regime="told apart on " + ", ".join(f"{FEET[r['foot']]} over {r['course']}" for r in sure)
        if sure
        else "ten grounds tell no pair apart",
        command=COMMAND,
    )


def _turned(row: dict[str, str]) -> str:
    """The difference the other way round."""
    other = {"difference": -float(row["difference"]), "low": -float(row["high"]), "high": -float(row["low"])}
    return difference({key: str(value) for key, value in other.items()})


def _feet_rows(feet: Rows) -> list[Row]:
    rows = []
    for choice in ("nominal", "analytic"):
        for against in dict.fromkeys(row["against"] for row in feet):
            mine = where(feet, choose=choice, against=against)
            if not mine:
                continue
            good, other = (sum(int(row[key]) for row in mine) for key in ("successes", "successes_against"))
            sure = [row["course"] for row in mine if row["sure"] == "True" and float(row["low"]) > 0]
            rows.append(
                Row(
                    what=f"quadruped over them, {CHOICES[choice]}: SoftFoot-Q less {FEET.get(against, against)}",
                    published="a mechanically adaptive sole enhances stability",
                    place="Section III-B",
                    ours=f"{good} against {other} of {sum(int(row['pairs']) for row in mine)}: "
                    + ", ".join(f"{row['course']} {difference(row)}" for row in mine),
                    n="10 grounds a course, the same for all; 95 % interval of the paired difference",
                    controls="balls; a locked SoftFoot-Q was not walked"
                    if against == "ball"
                    else "the same foot locked",
                    verdict="only in a regime" if sure else "not confirmed",
                    regime=f"over {', '.join(sure)}" if sure else "the feet are not told apart",
                    command=COMMAND,
                )
            )
    return rows


def _hole_row(holes: Rows, pairs: Rows) -> Row:
    better = [r["against"] for r in where(pairs, choose="nominal") if r["sure"] == "True" and float(r["high"]) < 0]
    apart = where(pairs, choose="analytic")
    others = "; ".join(f"{CHOICES[r['against']]} p = {float(r['p']):.2g}" for r in apart)
    return Row(
        what="SoftFoot-Q over potholes, crossed of 40 fresh grounds: " + ", ".join(
            CHOICES[c] for c in CHOICES if where(holes, choose=c)
        ),
        published="learned score best (ours)",
        ours=", ".join(_of(where(holes, choose=c)) for c in CHOICES if where(holes, choose=c)),
        n="40 grounds, the same for all; McNemar's exact test",
        controls=f"better than no choice: {', '.join(CHOICES[c] for c in better)}; the paper's cost against {others}",
        verdict="not confirmed",
        regime="the learned score is not told from the paper's cost",
        command=POTHOLES,
    )  # fmt: skip
