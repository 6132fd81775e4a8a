"""SoftFoot: bars under the heel, from the stored tables of the study."""

from __future__ import annotations

from validation.records import Record, Row
from validation.stored import Rows, difference, read, walked, where

FEET = {
    "softfoot:fast": "SoftFoot",
    "own": "own feet",
    "like:softfoot:fast": "a plate of its outline",
    "locked:softfoot:fast": "the same, locked",
}
FEELS = {"impedance": "feel their soles", "position": "do not"}
COMMAND = (
    "`plantar walk study jvrc1.xml biped pal_talos unitree_g1 --feet softfoot:fast,own,like,locked --modes impedance "
)
COMMAND += (
    "--courses heel --levels 0.015 --draws 20 --rate 250 --seed 6100`; `--feet softfoot:fast,own --modes position`; "
)
COMMAND += "`--levels 0.030`"


def heel() -> Record:
    """Walks with a bar under the heel: with and without feeling the sole, four feet."""
    summary, pairs = read("walk_heel", "summary.csv"), read("walk_heel", "pairs.csv")
    low, high = where(summary, level="0.015"), where(summary, level="0.03")
    rows = [_feeling(low), _without(low, where(pairs, level="0.015", mode="position")), _higher(high, pairs)]
    cells = [
        [f"{1000 * float(r['level']):.0f} mm", r["robot"].removesuffix(".xml"), FEELS[r["mode"]], FEET[r["foot"]]]
        + [f"{r['successes']} of {r['trials']}"]
        for r in summary
    ]
    return Record(
        title="Bars under the heel",
        text="Legs that are stiff and hold a sole level fall over a bar under its heel. Where they feel the sole's "
        "pressure and know how far the foot gives, they turn it until it is pressed where it should be "
        "([how](walk.md#bars-under-the-heel)).",
        rows=rows,
        tables=[
            {"title": "Walks that ended well", "columns": ["bar", "robot", "legs", "feet", "walked"], "rows": cells}
        ],
        origin="read",
        values={"source": "docs/results/walk_heel"},
    )


def _feeling(low: Rows) -> Row:
    counts = {name: walked(where(low, mode="impedance", foot=foot)) for foot, name in FEET.items()}
    told = ", ".join(f"{name} {good} of {all_}" for name, (good, all_) in counts.items())
    soft = counts["SoftFoot"][0]
    return Row(
        what="bar of 15 mm under the heel, stiff joints, legs that feel their soles: walks that end well",
        published="soft feet no worse than rigid ones",
        ours=told,
        n="4 robots, 20 fresh draws each, the same for all feet; 95 % interval of a full cell from 84 %",
        controls="the same foot locked; a plate of its outline",
        verdict="confirmed" if soft >= max(good for good, _ in counts.values()) else "not confirmed",
        command=COMMAND,
    )


def _without(low: Rows, pairs: Rows) -> Row:
    soft, own = (walked(where(low, mode="position", foot=foot)) for foot in ("softfoot:fast", "own"))
    told = "; ".join(f"{row['robot'].removesuffix('.xml')} {difference(row)}" for row in pairs)
    worse = [row for row in pairs if float(row["high"]) < 0]
    better = [row for row in pairs if float(row["low"]) > 0]
    return Row(
        what="bar of 15 mm under the heel, legs that do not feel their soles: SoftFoot less own feet",
        published="soft feet no worse than rigid ones",
        ours=f"{soft[0]} against {own[0]} of {soft[1]}: {told}",
        n="20 pairs a robot; 95 % interval of the paired difference",
        controls="no locked foot and no plate without feeling",
        verdict="not confirmed" if worse else "confirmed",
        regime=f"worse on {len(worse)} of {len(pairs)} robots, better on {len(better)}: legs that hold a sole level "
        f"need "
        "its pressure",
        command=COMMAND,
    )


def _higher(high: Rows, pairs: Rows) -> Row:
    told = []
    for robot in dict.fromkeys(row["robot"] for row in high):
        counts = ", ".join(
            f"{FEET[r['foot']]} {r['successes']} of {r['trials']}" for r in where(high, robot=robot, mode="impedance")
        )
        told.append(f"{robot}: {counts}")
    mine = where(pairs, level="0.03")
    own = "; ".join(f"{r['robot']} {difference(r)}" for r in mine if r["against"] == "own")
    plate = "; ".join(f"{r['robot']} {difference(r)}" for r in mine if r["against"] != "own")
    return Row(
        what="bar of 30 mm under the heel, legs that feel their soles: walks that end well",
        published="soft feet better than rigid ones",
        ours="; ".join(told),
        n=f"20 pairs a robot; SoftFoot less own feet {own}",
        controls=f"SoftFoot less a plate of its outline {plate}; no locked foot",
        verdict="confirmed" if all(r["sure"] == "True" for r in mine) else "only in a regime",
        command=COMMAND,
    )
