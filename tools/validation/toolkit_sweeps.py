"""The toolkit: sweeps, hidden feet, rods, pushed quadrupeds and hostile values, as they were recorded."""

from __future__ import annotations

import json
from typing import Any

from validation.figures import Figures
from validation.records import ROOT, Record, Row

GPU = ROOT / "benchmarks" / "gpu_speed_h200.jsonl"
SEEDS = (101, 202)
"""Of hidden feet."""


def sweeps() -> Record:
    """What a sweep costs beside its trials, and what kills change."""
    f = Figures("sweep")
    tiny, tenth, threads, processes, plain = (
        f[f"overhead.{name}"] for name in ("tiny", "tenth", "threads", "processes", "plain_threads")
    )
    machine = f["overhead.machine"]
    crowded = machine["load"] > machine["processors"] + 1
    others = f"other work ran beside it: load {machine['load']:.0f} on {machine['processors']} processors"
    grown = tiny["resident_mb"] / tenth["resident_mb"] - 1
    killed = {name: f[f"kills.{name}"] for name in ("busy_0", "random", "ray")}
    rows = [
        f.row(
            "overhead.tiny",
            good=tiny["wall_us"] < 50,
            what="sweep: overhead of a tiny trial with threads",
            published="below 50 us",
            ours=f"{tiny['wall_us']:.1f} us, {tiny['cpu_us']:.1f} us of processor time",
            n=f"{tiny['trials']:,} trials",
            regime=others if crowded else "",
        ),
        f.row(
            "overhead.threads",
            good=min(threads["ratio"], processes["ratio"]) >= 1.8,
            what="sweep: two cores against one",
            published="at least 1.8 times",
            ours=f"{threads['ratio']:.2f} (threads), {processes['ratio']:.2f} (processes)",
            controls=f"two plain threads without a sweep {plain['ratio']:.2f}; workers inside a trial "
            f"{100 * threads['busy']:.1f} and {100 * processes['busy']:.1f} % of the time",
            regime=others if crowded else "",
        ),
        f.row(
            "overhead.tenth",
            good=grown < 0.1,
            what=f"sweep: memory with {tenth['trials']:,} and {tiny['trials']:,} trials",
            published="does not grow (10 %)",
            ours=f"{tenth['resident_mb']:.0f} and {tiny['resident_mb']:.0f} MB",
        ),
        f.row(
            *("kills.busy_0", "kills.ray"),
            good=all(one["same"] for one in killed.values()) and killed["ray"]["nodes_left"] == 0,
            what="sweep: killed while it writes, at random times and at every operation on its files; a Ray node "
            "killed",
            published="same table",
            ours="same bits" if all(one["same"] for one in killed.values()) else "other bits",
            n=f"{killed['busy_0']['kills']} kills in {killed['busy_0']['trials']:,} trials, "
            f"{killed['random']['kills']} in {killed['random']['trials']}, {f['kills.operations']} operations; "
            f"one of two nodes in {killed['ray']['trials']} trials",
        ),
    ]
    return f.record("Sweeps", rows)


def gpu() -> Record:
    """A sweep of presses on a GPU beside threads, from the stored lines of the benchmark."""
    lines = [json.loads(line) for line in GPU.read_text(encoding="utf-8").splitlines()]
    line = next(one for one in lines if "presses" in one)
    worst = line["force_error_p100"]
    row = Row(
        what=f"sweep of {line['presses']} presses on the GPU against threads",
        published="forces within 1 %",
        ours=f"median {100 * line['force_error_p50']:.3f} %, largest {100 * worst:.2f} % of the load",
        n=f"{line['compared']} compared; one {line['device']}",
        verdict="confirmed" if worst < 0.01 and line["columns_agree"] else "not confirmed",
        command="`python benchmarks/gpu_speed.py sweep`",
    )
    return Record(
        title="A sweep on a GPU", rows=[row], origin="read", values={"source": "benchmarks/gpu_speed_h200.jsonl"}
    )


def checks() -> Record:
    """Rods, hidden feet, pushed quadrupeds and hostile values."""
    rooms = {name: Figures(name) for name in ("learn", "design", "walk", "hostile")}
    rows = [_rods(rooms["learn"]), _hidden(rooms["design"]), _pushed(rooms["walk"]), _hostile(rooms["hostile"])]
    parts = [f.record("", []).values for f in rooms.values()]
    values: dict[str, Any] = {name: value for part in parts for name, value in part.items() if name != "recorded"}
    dates = sorted(date for part in parts for date in part["recorded"].split(" to "))
    when = dates[0] if dates[0] == dates[-1] else f"{dates[0]} to {dates[-1]}"
    return Record(
        title="Checks of feet, walks and configurations",
        rows=rows,
        origin="recorded",
        values=values | {"recorded": when},
    )


def _rods(f: Figures) -> Row:
    rows, apart = f["touch.rows"], f["touch.apart"]
    return f.row(
        *("touch.rows", "touch.apart"),
        good=rows["rod"] < rows["box"] and apart < 0.01,
        what=f"learn: rods against boxes under the fast foot, {f['touch.tilts']} tilts, {f['touch.load']:g} N",
        published="fewer contacts, the same pressure (1 % of the sole)",
        ours=f"constraint rows {rows['box']:.0f} to {rows['rod']:.0f}; pressure point within {100 * apart:.2f} % of "
        "the sole",
    )


def _hidden(f: Figures) -> Row:
    feet = [foot for seed in SEEDS for foot in f[f"recover.seed_{seed}"]]
    presses = max(f[f"recover.presses_{seed}"] for seed in SEEDS)
    good = sum(max(foot.values()) < 0.05 for foot in feet)
    worst, field = max((error, name) for foot in feet for name, error in foot.items())
    return f.row(
        *(f"recover.seed_{seed}" for seed in SEEDS),
        good=good == len(feet) and presses <= 150,
        what=f"design: fields of {len(feet)} hidden feet (seeds {', '.join(map(str, SEEDS))}) from their press curves, "
        f"{presses} presses each",
        published="within 5 % in 150",
        ours=f"{good} of {len(feet)}, worst {100 * worst:.1g} % ({field.replace('.', ' ')})",
    )


def _pushed(f: Figures) -> Row:
    ends = {foot: f[f"pushed.{foot}"] for foot in ("softfoot_q", "ball")}
    walks = {foot: sum(sum(one.values()) for one in own.values()) for foot, own in ends.items()}
    falls = {foot: {case: one["fell"] for case, one in own.items() if one.get("fell")} for foot, own in ends.items()}
    up = {foot: walks[foot] - sum(falls[foot].values()) for foot in ends}
    soft = up["softfoot_q"] == walks["softfoot_q"]
    fell = "; ".join(f"{n} of the walks on balls fell ({case})" for case, n in falls["ball"].items())
    return f.row(
        "pushed.softfoot_q",
        good=soft and not falls["ball"],
        otherwise="only in a regime" if soft else "not confirmed",
        what="quadrupeds crawling and trotting, pushed by 15 N s (for 60 kg), estimating their state, both: "
        "SoftFoot-Q; balls",
        published="stay up",
        ours="; ".join(f"{up[foot]} of {walks[foot]}" for foot in ends),
        n=f"{len(ends['ball'])} cases of {walks['ball'] // len(ends['ball'])} draws",
        regime=f"SoftFoot-Q; {fell}" if soft and fell else "",
    )


def _hostile(f: Figures) -> Row:
    cases, wrong, scenes = f["configs.cases"], f["configs.wrong"], f["scenes.tried"]
    return f.row(
        *("configs.cases", "scenes.tried"),
        good=wrong == 0 and scenes["wrong"] == 0,
        what="hostile values in every field of every configuration; in scene files",
        published="refused by name",
        ours=f"{cases:,} cases, {wrong or 'none'} wrong; {scenes['cases']:,} of {scenes['of']:,}, "
        f"{scenes['wrong'] or 'none'} wrong",
        n=f"{f['configs.classes']} configurations",
    )
