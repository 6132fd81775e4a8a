"""The toolkit: learned policies on soft feet, from the stored tables of their walks and the cards they ship with."""

from __future__ import annotations

import json
import re
from typing import Any

from validation.figures import Figures
from validation.records import ROOT, Record, Row
from validation.stored import Rows, read, where

CARDS = ROOT / "src" / "plantar" / "learn" / "policies"
EVALUATE = "`plantar learn evaluate g1_softfoot.onnx g1_rigid.onnx --stiffness 0.25,0.5,1,2,4,16,1000 {} --draws 12 --seconds 6 --seed {}`"  # noqa: E501
ON = {
    "bars": EVALUATE.format("--course bars --levels 0,0.01,0.02,0.03,0.04", 5000),
    "rough": "the same with `--course rough --levels 0.02`",
    "pushes": "the same with `--course flat --levels 0 --pushes 1`",
}
FULL = "`plantar learn evaluate g1_softfoot.onnx --feet softfoot:fast,softfoot --course bars --levels 0,0.02 --stiffness 1 --draws 10 --seconds 6 --seed 8100`"  # noqa: E501
SOLES = {"unitree_g1": "softfoot:fast", "quadruped": "softfoot_q:fast"}
"""Robots, and the feet they learn to walk on."""
MANY = {
    "legs": ("the G1's legs on SoftFeet", "softfoot:fast"),
    "quadruped": ("a quadruped on SoftFoot-Q", "softfoot_q:fast"),
}
"""Robots that were trained several times, and their feet."""
PLACES = {"flat": "level ground", "bars": "over bars", "rough": "over rough ground"}
"""Grounds of tasks."""
FEW = 0.001
"""Share of the feet that may be more than 1 % apart."""
SPEED = ROOT / "benchmarks" / "learn_speed_h200.jsonl"
COST = 1.25
"""How many times the cost of rigid feet soft ones may have."""
LOCKED = "x 1000 by"
"""In the name of what a walk is paired with: the same feet a thousand times as stiff."""
GROUNDS = {"bars": "bars", "rough": "rough field", "pushes": "pushes of 1 m/s"}
MIDDLE = ("0.5", "1", "2", "4")
SOFT = ("0.25", *MIDDLE, "16")


def learned() -> Record:
    """Trainings, work, falls, and the full foot against the fast one."""
    rows = [_trainings(), *_work(), _falls(), *_over_trainings("legs"), *_over_trainings("quadruped"), *_over_bars()]
    return Record(
        title="Learned policies",
        rows=[*rows, _full()],
        tables=[_learned(name, title) for name, title in GROUNDS.items()],
        origin="read",
        values={"source": "docs/results/learn"},
    )


def speed() -> Record:
    """Steps of environments on a GPU, from stored lines of the benchmark, and the two engines against each other."""
    lines = [json.loads(line) for line in SPEED.read_text(encoding="utf-8").splitlines()]
    f = Figures("learn")
    return Record(
        title="Learning on a GPU and on a CPU",
        rows=[
            *(_steps(lines, ground) for ground in ("flat", "rough")),
            _million(lines),
            _on_a_cpu(f),
            *(_agreement(f, robot, ground) for robot in SOLES for ground in ("flat", "bars", "rough")),
        ],
        origin="read",
        values={"source": "benchmarks/learn_speed_h200.jsonl", **{name: kept.value for name, kept in f.used.items()}},
    )


def _steps(lines: list[dict[str, Any]], ground: str) -> Row:
    """What soft feet cost."""
    turns = {line["foot"]: line for line in lines if line["task"] == ground and line["how"] == "in turns"}
    own, soft, locked = (turns[name] for name in ("own", "softfoot:fast", "locked:softfoot:fast"))
    return Row(
        what=f"learn: environment steps, G1, {ground} ground, {own['worlds']} worlds, in turns: own feet, fast "
        "SoftFeet, the same locked",
        published="soft at most 1.25 times the cost of own",
        ours=", ".join(f"{line['steps_per_s'] / 1000:.0f} k" for line in (own, soft, locked))
        + f" steps/s: {soft['cost']:.2f} and {locked['cost']:.2f} times",
        verdict="confirmed" if soft["cost"] <= COST else "not confirmed",
        command=f"`python benchmarks/learn_speed.py unitree_g1 --task {ground}`",
        n=f"three rounds; one {own['device']}",
        controls="the same feet locked",
        regime="random actions; measured before the light refresh between control steps (docs/learn.md)",
    )


def _million(lines: list[dict[str, Any]]) -> Row:
    """Whether anything diverges or runs out in ten million random steps."""
    (line,) = [one for one in lines if "ten million" in one["how"]]
    clean = not line["diverged"] and not any(line["short"].values())
    short = ", ".join(f"{100 * share:.0f} % of {what}" for what, share in line["short"].items())
    return Row(
        what=f"learn: {line['steps'] / 1e6:.2f} million random steps of the G1 on soft feet over {line['task']} "
        "ground: episodes that ended in a number that is not finite; worlds that ran out of rows, contacts, iterations",
        published="none",
        ours=f"{line['diverged']:.0f}; {short}",
        verdict="confirmed" if clean else "not confirmed",
        command="`python benchmarks/learn_speed.py unitree_g1 --task rough --feet softfoot:fast --worlds 8192 "
        "--steps 10000000 --seed 5`",
        n=f"{line['worlds']} worlds, one {line['device']}",
    )


def _on_a_cpu(f: Figures) -> Row:
    """MuJoCo's own engine on all cores in place of MuJoCo Warp's kernels."""
    turns = {
        (robot, way): f[f"cpu.{robot}.{way}{foot.replace(':', '_')}"]
        for robot, foot in SOLES.items()
        for way in ("", "warp_")
    }
    ours, warp = ([turns[robot, way]["steps_per_s"] for robot in SOLES] for way in ("", "warp_"))
    line = turns["unitree_g1", ""]
    return Row(
        what="learn: environment steps on a CPU, G1 on SoftFeet and quadruped on SoftFoot-Q: worlds stepped by MuJoCo "
        "itself; by MuJoCo Warp",
        published="none",
        ours=f"{', '.join(map(str, ours))} steps/s; {', '.join(map(str, warp))} steps/s: "
        + ", ".join(f"{one / other:.0f}" for one, other in zip(ours, warp, strict=True))
        + " times as fast",
        verdict="reported",
        command=f"`python benchmarks/learn_speed.py unitree_g1 --feet softfoot:fast warp:softfoot:fast --worlds "
        f"{line['worlds']} --device cpu`",
        n=f"three rounds in turns, {line['threads']} threads",
        regime="random actions, flat ground",
    )


def _agreement(f: Figures, robot: str, ground: str) -> Row:
    """MuJoCo Warp against MuJoCo."""
    where = robot if ground == "flat" else f"{robot}_{ground}"
    found = {what: f[f"agreement.{where}.{what}"] for what in ("force", "point", "pose")}
    force, point, pose = found.values()
    beyond = force["feet"] - round(force["feet"] * min(force["within_1"], point["within_1"]))
    why = {"flat": "", "bars": "; box on box", "rough": "; Warp keeps fewer contacts with height fields"}[ground]
    return Row(
        what="learn: MuJoCo Warp against MuJoCo, one step from the same state, "
        + ("G1 on SoftFeet" if robot == "unitree_g1" else "quadruped on SoftFoot-Q")
        + f" of drawn stiffness, friction and tendons, {PLACES[ground]}: force; pressure point; joints",
        published="within 1 % over 100 random walks' contacts",
        ours=f"99th percentile {100 * force['p99']:.2f} % (largest {100 * force['p100']:.1f} %); "
        f"{100 * point['p99']:.2f} % of the length (largest {100 * point['p100']:.1f} %); {pose['p100']:.1e} rad",
        verdict="confirmed" if not beyond else "only in a regime" if beyond <= FEW * force["feet"] else "not confirmed",
        command=f"`python benchmarks/learn_warp_agreement.py {robot} --foot {SOLES[robot]}"
        + (f" --task {ground}" if ground != "flat" else "")
        + " --worlds 16 --walks 100`",
        n=f"{force['walks']} walks, {force['feet']} loaded feet",
        regime="random actions, CPU device of Warp" + (f"; but for {beyond} feet{why}" if beyond else ""),
    )


def _trainings() -> Row:
    cards = {name: (CARDS / f"{name}.md").read_text(encoding="utf-8") for name in ("g1_softfoot", "g1_rigid")}

    def last(what: str) -> list[str]:
        """The last cell of a line of the table of each card."""
        return [re.findall(rf"^\| {what}.*\| ([^|]+) \|$", text, re.MULTILINE)[0].strip() for text in cards.values()]

    steps, lasted, fell, tracked = map(last, ("million steps", "mean episode", "end in a fall", "tracking of velocity"))
    return Row(
        what=f"learn: trainings of the G1, flat ground: soft feet of all stiffnesses, {steps[0]} M steps; own feet and "
        f"plate, {steps[1]} M steps",
        published="walks",
        ours=f"episodes of {lasted[0]} and {lasted[1]} of 20 s, {fell[0]} and {fell[1]} end in a fall, tracking "
        f"{tracked[0]} and {tracked[1]} of 2",
        verdict="reported",
        command="`plantar learn train unitree_g1 --foot softfoot:fast`, `--foot own,plate`, on one H200",
        n="one seed each",
        regime="one training seed each",
    )


def _work() -> list[Row]:
    """The cost of transport on soft feet against the same feet locked."""
    level = [_against_locked("bars", stiffness, "0") for stiffness in MIDDLE]
    heights = [_against_locked("bars", "1", f"{height}") for height in (0.01, 0.02, 0.03, 0.04)]
    others = [_against_locked("rough", "1", "0.02"), _against_locked("pushes", "1", "0")]
    what = {
        "level ground, 0.5, 1, 2 and 4 times the usual stiffness": (level, ON["bars"]),
        "bars of 10, 20, 30, 40 mm, usual stiffness": (heights, ON["bars"]),
        "a rough field of 20 mm; pushes of 1 m/s every two seconds, usual stiffness": (
            others,
            f"{ON['rough']}; {ON['pushes']}",
        ),
    }
    rows = []
    for place, (pairs, command) in what.items():
        less = sum(_interval(row, "transport")[2] < 0 for row in pairs)
        rows.append(
            Row(
                what=f"learn: cost of transport of one policy on SoftFeet, less that on the same feet locked: {place}: "
                "absolute work; positive work",
                published="what softness is worth (others: 17 % less for active toes, 17 % for a middle stiffness)",
                ours=f"{', '.join(_told(row, 'transport') for row in pairs)}; "
                f"{', '.join(_told(row, 'transport_positive') for row in pairs)}",
                verdict="reported",
                command=command,
                n=f"{pairs[0]['walks']} draws each, 95 %, one training seed",
                controls="the same feet locked, draw by draw",
                regime=f"absolute work is less with intervals apart in {less} of {len(pairs)}; one training, "
                "mjlab's G1, 0.5 m/s",
            )
        )
    return rows


def _falls() -> Row:
    """Falls on soft and on locked feet."""

    def fell(table: str, stiffness: str, level: str) -> int:
        summary = where(read("learn", f"{table}_summary.csv"), policy="g1_softfoot", foot="softfoot:fast", level=level)
        return int(where(summary, stiffness=stiffness, tendons="True")[0]["fallen"])

    low = [sum(fell("bars", s, f"{h}") for h in (0, 0.01, 0.02, 0.03)) for s in (*SOFT, "1000")]
    high, pushed = ([fell(table, s, h) for s in (*SOFT, "1000")] for table, h in (("bars", "0.04"), ("pushes", "0")))
    fewer = all(sum(counts[:-1]) / len(SOFT) < counts[-1] - 3 for counts in (high, pushed))
    return Row(
        what="learn: falls over bars of up to 30 mm, of 40 mm, and under pushes: SoftFeet of 0.25, 0.5, 1, 2, 4 and 16 "
        "times the stiffness; locked",
        published="fewer on soft feet",
        ours="; ".join(f"{', '.join(map(str, c[:-1]))} against {c[-1]}" for c in (low, high, pushed)),
        verdict="confirmed" if fewer else "not confirmed",
        command=f"{ON['bars']}; {ON['pushes']}",
        n="48, 12 and 12 draws a stiffness, one training seed",
        controls="the same feet locked",
        regime="12 draws tell no such differences apart; bars not trained on",
    )


def _over_trainings(robot: str) -> list[Row]:
    """Several trainings each of a robot: work against the same policy's locked feet, and against a plate."""
    who, foot = MANY[robot]
    grounds = {"level ground": ("bars", "0"), "rough": ("rough", "0.02"), "pushes": ("pushes", "0")}
    tables = {
        "the same policy on locked feet, draw by draw": "trainings",
        "a rigid plate of the same outline, height and mass with policies of its own": "feet",
    }
    rows = []
    for control, kind in tables.items():
        for key, work in (("transport", "absolute"), ("transport_positive", "positive")):
            found = {
                name: where(read("learn", f"{robot}_{t}_{kind}.csv"), foot=foot, stiffness="1", level=h)[0]
                for name, (t, h) in grounds.items()
            }
            ends = {name: _ends(row, f"{key}_percent") for name, row in found.items()}
            apart = [name for name, (_, low, high) in ends.items() if low * high > 0]
            rows.append(
                Row(
                    what=f"learn: {work} work of {who} of the usual stiffness, less that of {control}",
                    published="what softness is worth, over at least three trainings",
                    ours=", ".join(f"{name} {_percent(*three)}" for name, three in ends.items()),
                    verdict="reported",
                    command="`plantar learn evaluate` of docs/learn_softness.md",
                    n=_sample(next(iter(found.values()))),
                    controls=control,
                    regime=f"apart from 0: {', '.join(apart) or 'nowhere'}",
                )
            )
    return rows


def _over_bars() -> list[Row]:
    """Falls and arrivals of a quadruped over bars on soft feet against the same policies' locked feet."""
    _, foot = MANY["quadruped"]
    heights = ("0.02", "0.03", "0.04", "0.05")
    rows = [
        where(read("learn", "quadruped_bars_trainings.csv"), foot=foot, stiffness="1", level=height)[0]
        for height in heights
    ]
    found = []
    for key, word, better in (("fallen", "falls", -1), ("arrived", "arrivals in time", 1)):
        ends = [_ends(row, f"{key}_points") for row in rows]
        sure = sum(low * high > 0 and better * mean > 0 for mean, low, high in ends)
        found.append(
            Row(
                what=f"learn: {word} of a quadruped over three bars of 20, 30, 40 and 50 mm on SoftFoot-Q of the usual "
                "stiffness, less those of the same policies on locked feet",
                published=f"{'fewer' if better < 0 else 'more'} on soft feet, over at least three trainings",
                ours=", ".join(f"{mean:+.0f} points ({low:+.0f} to {high:+.0f})" for mean, low, high in ends),
                verdict="confirmed" if sure == len(ends) else "only in a regime" if sure else "not confirmed",
                command="`plantar learn evaluate` of docs/learn_softness.md",
                n=_sample(rows[0]),
                controls="the same policy on locked feet, draw by draw",
                regime=f"apart from 0 in {sure} of {len(ends)}; bars not trained on",
            )
        )
    return found


def _ends(row: dict[str, str], key: str) -> tuple[float, float, float]:
    mean, low, high = (float(row[f"{key}{end}"] or "nan") for end in ("", "_low", "_high"))
    return mean, low, high


def _percent(mean: float, low: float, high: float) -> str:
    return f"{mean:+.0f} % ({low:+.0f} to {high:+.0f})"


def _sample(row: dict[str, str]) -> str:
    """How many trainings and walks are behind a row."""
    return f"{row['policies']} trainings, {int(row['walks']) // int(row['policies'])} draws each; 95 % over trainings"


def _full() -> Row:
    """The full foot against the fast one."""
    pairs = read("learn", "full_pairs.csv")
    keys = {
        "transport": "cost of transport",
        "slip": "slip",
        "speed_error": "speed error",
        "force_peak": "peak force",
        "force_rate": "rate of force",
    }
    percent = {key: [float(row[f"{key}_percent"]) for row in pairs] for key in keys}
    worse = [name for key, name in keys.items() if max(percent[key]) > 10]
    unsure = [name for key, name in keys.items() if max(_interval(row, key)[2] for row in pairs) > 10]
    told = ", ".join(f"{name} {'; '.join(f'{p:+.0f}' for p in percent[key])} %" for key, name in keys.items())
    return Row(
        what="learn: the G1's policy on the full foot against the fast one, level ground; three bars of 20 mm",
        published="no more than 10 % worse",
        ours=f"falls {'; '.join(row['fallen'] for row in pairs)}; {told}",
        verdict="only in a regime" if worse or unsure else "confirmed",
        command=FULL,
        n=f"{pairs[0]['walks']} pairs a ground",
        controls="the same draws",
        regime=f"not {', '.join(worse)}" if worse else f"in the mean; intervals of {', '.join(unsure)} reach beyond",
    )


def _against_locked(table: str, stiffness: str, level: str) -> dict[str, str]:
    pairs: Rows = [row for row in read("learn", f"{table}_pairs.csv") if LOCKED in row["against"]]
    pairs = where(pairs, foot="softfoot:fast", tendons="True", stiffness=stiffness, level=level)
    return pairs[0]


def _interval(row: dict[str, str], key: str) -> tuple[float, float, float]:
    """Mean and ends of a difference in percent of the value on locked feet."""
    percent, mean = float(row[f"{key}_percent"]), float(row[key])
    low, high = sorted(percent / mean * float(row[f"{key}_{end}"]) for end in ("low", "high"))
    return percent, low, high


def _told(row: dict[str, str], key: str) -> str:
    return _percent(*_interval(row, key))


def _learned(name: str, title: str) -> dict[str, Any]:
    pairs = [row for row in read("learn", f"{name}_pairs.csv") if LOCKED in row["against"]]
    pairs = [row for row in pairs if row["foot"] == "softfoot:fast" and row["tendons"] == "True"]
    summary = read("learn", f"{name}_summary.csv")
    cells = []
    for row in pairs:
        fell = where(summary, policy=row["policy"], foot=row["foot"], stiffness=row["stiffness"], level=row["level"])
        fell = where(fell, push=row["push"], tendons=row["tendons"])
        told = [f"{float(row[f'{key}_percent']):+.0f} %" for key in ("transport_positive", "force_peak", "slip")]
        head = [f"{float(row['stiffness']):g}", f"{1000 * float(row['level']):.0f} mm", _told(row, "transport")]
        cells.append([*head, *told, f"{fell[0]['fallen']} of {fell[0]['walks']}" if fell else ""])
    columns = ["stiffness", "height", "absolute work", "positive work", "peak force", "slip", "falls"]
    return {
        "title": f"The G1's policy, {title}: SoftFeet against the same feet locked",
        "columns": columns,
        "rows": cells,
    }
