"""The toolkit: designed feet on grounds that their search never saw, and what the search was held against."""

from __future__ import annotations

from validation.figures import Figures
from validation.records import Record, Row
from validation.stored import Rows, difference, read, where

CASES = {
    "biped_again": "the biped's foot with a sole of up to 160 mm",
    "quadruped": "the quadruped's foot",
}
EARLIER = {
    "biped_wide": "the biped's foot with a sole of up to 160 mm, other grounds, a search of nine feet",
    "biped": "the biped's foot with its sole as wide as it is",
}
"""Searches of which walks are not stored, so that only differences on each ground are known."""
NAMES = {
    "default": "the default foot",
    "own": "own feet",
    "locked designed": "the same, locked",
    "like designed": "a plate of its outline",
}


def held_out() -> Record:
    """Designed feet against others, on five held-out grounds each."""
    rows = [row for case, told in CASES.items() for row in _against_default_and_own(case, told)]
    rows.append(_time())
    return Record(
        title="Designed feet on held-out grounds",
        text="Ten kinds of ground are drawn beforehand; five are searched on, five are held out, each at the level at "
        "which the default foot fails half of the time. All feet walk as full feet over the same fresh draws. A ground "
        "counts as apart where the interval of the paired difference excludes zero and McNemar's exact test agrees. "
        "[What it means](design.md).",
        rows=rows,
        tables=[_table(case, told) for case, told in {**CASES, **EARLIER}.items()],
        origin="read",
        values={"source": "docs/results/design"},
    )


def _against_default_and_own(case: str, told: str) -> list[Row]:
    pairs, overall = read("design", f"{case}_pairs.csv"), read("design", f"{case}_overall.csv")
    command = read("design", "commands.csv")
    controls = "; ".join(
        f"less {NAMES[row['against']]} {difference(row)}" for row in overall if row["against"] not in ("default", "own")
    )
    rows = []
    for other in ("default", "own"):
        (all_grounds,) = where(overall, against=other)
        mine = where(pairs, against=other)
        apart = sum(row["sure"] == "True" and float(row["difference"]) > 0 for row in mine)
        behind = sum(float(row["difference"]) < 0 for row in mine)
        good = f"{_sum(mine, 'successes')} against {_sum(mine, 'successes_against')} of {_sum(mine, 'pairs')}"
        ahead = all_grounds["sure"] == "True" and float(all_grounds["difference"]) > 0
        rows.append(
            Row(
                what=f"design: {told}, on five held-out grounds: share of walks that end well, less {NAMES[other]}",
                published="ahead on 4 of 5 grounds with intervals apart",
                ours=f"{difference(all_grounds)}, {good}; apart on {apart} of {len(mine)} grounds, behind on {behind}",
                verdict="confirmed" if apart >= 4 else "only in a regime" if ahead else "not confirmed",
                command=f"`{where(command, case=case)[0]['command']}`",
                n=f"{all_grounds['pairs']} pairs, {all_grounds['draws']} draws a ground; 95 % by bootstrap over draws",
                controls=controls,
                regime=""
                if apart >= 4
                else "over all grounds together"
                if ahead
                else f"{NAMES[other]} never fall on "
                f"{sum(row['successes_against'] == row['pairs'] for row in mine)} of {len(mine)} grounds",
            )
        )
    return rows


def _time() -> Row:
    """How long the runs took as a whole."""
    taken = {row["case"]: float(row["seconds"]) / 60 for row in read("design", "commands.csv")}
    return Row(
        what="design: whole runs, from the levels of grounds (biped) or the search (quadruped) to the last judged walk",
        published="under an hour on two cores",
        ours=", ".join(f"{case.partition('_')[0]} {minutes:.0f} minutes" for case, minutes in taken.items()),
        verdict="confirmed" if max(taken.values()) < 60 else "not confirmed",
        command=", ".join(f"`{row['command']}`" for row in read("design", "commands.csv")),
        regime="one worker, on two cores that were busy with other work",
    )


def _table(case: str, told: str) -> dict[str, object]:
    pairs = read("design", f"{case}_pairs.csv")
    others = [other for other in NAMES if where(pairs, against=other)]
    cells = []
    for course in dict.fromkeys(row["course"] for row in pairs):
        mine = where(pairs, course=course)
        cells.append([f"{course.replace('_', ' ')} {float(mine[0]['level']):.3g}", *_cells(mine, others)])
    return {
        "title": f"{told[:1].upper()}{told[1:]}: walks that end well, designed and other, and their difference",
        "columns": ["ground and level", *(NAMES[other] for other in others)],
        "rows": cells,
    }


def _cells(mine: Rows, others: list[str]) -> list[str]:
    found = []
    for other in others:
        row = next(iter(where(mine, against=other)), None)
        sure = "**" if row and row["sure"] == "True" else ""
        told = f"{row['successes']} and {row['successes_against']} of {row['pairs']}: {difference(row)}" if row else ""
        found.append(f"{sure}{told}{sure}")
    return found


def _sum(rows: Rows, key: str) -> int:
    return sum(int(row[key]) for row in rows)


def search() -> Record:
    """Known fronts, kills, engines, parts lists."""
    f = Figures("design")
    equal, kills = f["rows_equal_after_kills"], f["kills"]
    engines = {name.rpartition(".")[2]: counts for name, counts in f.below("rows_equal_on").items()}
    parts = {name: value for name, value in f.below("parts").items() if name.endswith(".good")}
    strain, limit = f["parts.default.strain"]
    rows = [
        f.row(
            "fronts.zdt1",
            "fronts.bnh",
            good=min(f["fronts.zdt1"], f["fronts.bnh"]) > 0.95,
            what="design: hypervolume of the fronts of ZDT1 and of Binh and Korn's problem by TPE in rounds of 8, over "
            "that of the library alone",
            published="at least 0.95",
            ours=f"{f['fronts.zdt1']:.3f}; {f['fronts.bnh']:.3f}",
            n="means of 3 seeds of 160 feet each",
        ),
        f.row(
            "nsga2.equal_points",
            good=f["nsga2.equal_points"] == f["nsga2.points"],
            what="design: points of NSGA-II in rounds that are those of the library alone",
            published="all",
            ours=f"{f['nsga2.equal_points']} of {f['nsga2.points']}",
        ),
        f.row(
            "rows_equal_after_kills",
            *(f"rows_equal_on.{engine}" for engine in engines),
            good=equal[0] == equal[1] and len(engines) == 2 and all(a == b for a, b in engines.values()),
            what=f"design: rows that are the same, bit for bit, after {kills} kills; on {' and on '.join(engines)}",
            published="all",
            ours="; ".join(f"{a} of {b}" for a, b in (equal, *engines.values())),
        ),
        f.row(
            *(name.partition(".")[2] for name in parts),
            good=all(a == b for a, b in parts.values()),
            what=f"design: checks of the parts lists of {len(parts)} feet against their compiled models; largest "
            "strain of a band of the default foot",
            published=f"all good; below {100 * limit:.0f} %, which rubber of its hardness has to reach (AASHTO M 251)",
            ours=f"{sum(a for a, _ in parts.values())} of {sum(b for _, b in parts.values())}; {100 * strain:.0f} %",
        ),
    ]
    return f.record("Design: search, engines and parts lists", [*rows, *_speed(f)])


def _speed(f: Figures) -> list[Row]:
    """Feet a second by what is asked of them, and where the time of a walk goes."""
    seconds, physics = f["speed.seconds"], f["speed.physics"]
    walks = {name: seconds[name] for name in physics}
    presses = {name: s for name, s in seconds.items() if name not in walks and not name.startswith("proposal")}
    proposals = {name.removeprefix("proposal of "): s for name, s in seconds.items() if name.startswith("proposal")}

    def rates(times: dict[str, float]) -> str:
        return ", ".join(f"{name} {1 / s:.2g}" for name, s in times.items())

    told = ", ".join(f"{name} {100 * share:.0f} %" for name, share in physics.items())
    return [
        f.row(
            "speed.seconds",
            good=None,
            what="design: feet a second on one core (processor time), by fidelity: measures without a robot; walks; "
            "proposals",
            ours=f"{rates(presses)}; {rates(walks)}; {rates(proposals)}",
        ),
        f.row("speed.physics", good=None, what="design: share of a walk, with mounting, that is physics", ours=told),
    ]
