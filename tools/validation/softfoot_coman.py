"""SoftFoot: COMAN+ over one bar of 5 and 10 mm, as in the paper, from the stored table of walks."""

from __future__ import annotations

import csv
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from plantar.feet import SoftFoot
from plantar.feet.sole import measure
from plantar.show.plots import COLOURS, figure, house_style
from plantar.walk.sim.obstacles import BANDS
from plantar.walk.study.statistics import compare_pairs, share_interval
from validation.drawing import picture
from validation.records import ROOT, Record, Row

FILE = ROOT / "docs" / "results" / "walk_coman" / "trials.csv"
FEET = {
    "own": "own feet",
    "softfoot:fast": "SoftFoot",
    "locked:softfoot:fast": "the same, locked",
    "like:softfoot:fast": "a plate of its outline",
}
SOFT, PAPER = "softfoot:fast", (0.005, 0.010)
COMMAND = (
    "`plantar walk study COGIMON.urdf --courses bar --levels 0.005,0.010 --draws 20 --rate 250 --seed 22050`, "
    "`... --modes impedance --levels 0.020,0.030 --draws 10 --seed 22051`"
)
Cells = dict[tuple[str, str, float], list[dict[str, Any]]]


def _read() -> Cells:
    cells: Cells = {}
    with FILE.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            key = row["foot"], row["mode"], float(row["level"])
            good = {"draw": int(row["draw"]), "walked": row["success"] == "True", "sway": float(row["com_excursion"])}
            good |= {"under": float(row["bar_under"]), "area": float(row["support_area_min"])}
            cells.setdefault(key, []).append(good)
    return cells


def coman() -> Record:
    """Who stays up, and how far the centre of mass is thrown."""
    cells = _read()
    places = list(dict.fromkeys((mode, level) for _, mode, level in cells))
    higher = [place for place in places if place[1] not in PAPER]
    rows = [
        *_fallen(cells),
        _thrown(cells),
        _supported(cells),
        _between(cells),
        *([_higher(cells, higher)] if higher else []),
    ]
    table = [
        [mode, f"{1000 * level:.0f} mm"]
        + [_count(cells[foot, mode, level]) for foot in FEET]
        + [f"{1000 * np.median([t['sway'] for t in cells[foot, mode, level]]):.1f}" for foot in FEET]
        for mode, level in places
    ]
    columns = ["mode", "bar", *FEET.values(), *(f"{name}: excursion [mm]" for name in FEET.values())]
    caption = "How far COMAN+'s centre of mass is thrown by one bar: each dot a walk (the same draws for every foot)"
    return Record(
        title="COMAN+ over a bar",
        text="COMAN+ (the COGIMON model) walks eight steps; one bar of square section lies at a random place under the "
        "fourth, the same in every foot's walk. The paper's controller is not public: ours walks with the paper's "
        "robot, feet and bars. Excursion is that of the centre of mass from its plan, medians.",
        rows=rows,
        tables=[{"title": "Walks that ended well", "columns": columns, "rows": table}],
        pictures=[picture("softfoot", "coman", _draw(cells, places), caption)],
        origin="read",
        values={"source": "docs/results/walk_coman"},
    )


def _count(trials: list[dict[str, Any]]) -> str:
    return f"{sum(t['walked'] for t in trials)} of {len(trials)}"


def _fallen(cells: Cells) -> list[Row]:
    modes = list(dict.fromkeys(m for _, m, level in cells if level in PAPER))
    told = {
        foot: "; ".join(f"{mode} " + ", ".join(_count(cells[foot, mode, v]) for v in PAPER) for mode in modes)
        for foot in FEET
    }
    fell = {foot: sum(not t["walked"] for mode in modes for v in PAPER for t in cells[foot, mode, v]) for foot in FEET}
    at_ten = sum(not t["walked"] for mode in modes for t in cells["own", mode, PAPER[1]])
    count = len(cells["own", modes[0], PAPER[1]])
    low, _ = share_interval(count, count)
    n = f"{count} paired fresh draws a cell; 95 % interval of a full cell from {100 * low:.0f} %"
    return [
        Row(
            what="COMAN+ over a bar of 5 and of 10 mm: walks that end well on SoftFeet",
            place="Section V-C, Figures 9 and 10",
            published="the SoftFoot generally handled both obstacle heights without issue (no counts)",
            ours=told[SOFT],
            n=n,
            controls="; ".join(f"{FEET[f]}: {told[f]}" for f in FEET if f not in (SOFT, "own")),
            verdict="confirmed" if fell[SOFT] == 0 else "not confirmed",
            command=COMMAND,
        ),
        Row(
            what="COMAN+ over a bar of 5 and of 10 mm: walks that end well on own feet",
            place="Section V-C, Figures 9 and 10",
            published="sometimes able to maintain balance on 5 mm, consistently fell on 10 mm (no counts)",
            ours=told["own"],
            n=n,
            controls="SoftFeet: " + told[SOFT],
            verdict="not confirmed" if at_ten == 0 else "reported",
            regime=""
            if at_ten
            else "our controller, which differs from the paper's unpublished one, keeps own feet up at "
            "both heights; they fall at 20 mm",
            command=COMMAND,
        ),
    ]


def _thrown(cells: Cells) -> Row:
    return _paired(
        cells,
        "sway",
        -1,
        what="the same, 10 mm: excursion of the centre of mass on SoftFeet against own feet",
        published="filtering the obstacle significantly reduces the motion of the centre of mass",
    )


def _supported(cells: Cells) -> Row:
    return _paired(
        cells,
        "area",
        1,
        what="the same, 10 mm: least support area of the walk on SoftFeet against own feet",
        published="the SoftFoot filters the obstacle, optimizing the contact surface and the support area",
    )


def _paired(cells: Cells, key: str, better: int, *, what: str, published: str) -> Row:
    """Paired ratios of the SoftFoot to every other foot at the higher bar; `better` is the sign that is claimed."""
    modes = list(dict.fromkeys(m for _, m, level in cells if level in PAPER))
    texts: dict[str, list[str]] = {foot: [] for foot in FEET if foot != SOFT}
    sure = dict.fromkeys(modes, True)
    for foot, told in texts.items():
        for mode in modes:
            mean, low, high = _ratio(cells[SOFT, mode, PAPER[1]], cells[foot, mode, PAPER[1]], key)
            told.append(f"{mode} {100 * mean:+.0f} % ({100 * low:+.0f} to {100 * high:+.0f})")
            sure[mode] &= min(better * low, better * high) > 0
    good = [mode for mode in modes if sure[mode]]
    return Row(
        what=what,
        place="Section V-C, Figure 10",
        published=published,
        ours="; ".join(texts["own"]),
        n=f"medians of paired ratios over {len(cells[SOFT, modes[0], PAPER[1]])} draws, 95 % by bootstrap",
        controls="; ".join(f"against {FEET[f]}: {', '.join(v)}" for f, v in texts.items() if f != "own"),
        verdict="confirmed" if len(good) == len(modes) else "only in a regime" if good else "not confirmed",
        regime=f"in {' and '.join(good)} mode, against own feet and both controls"
        if good
        else "not against every control",
        command=COMMAND,
    )


def _between(cells: Cells) -> Row:
    modes = list(dict.fromkeys(m for _, m, level in cells if level in PAPER))
    length = measure(SoftFoot()).length
    low, high = (length * (end - 0.5) for end in BANDS["arch"])
    rng, told, sure, count = np.random.default_rng(0), {}, True, [0, 0]
    for foot in FEET:
        for mode in modes:
            trials = cells[foot, mode, PAPER[1]]
            parts = [np.array([t["sway"] for t in trials if (low < t["under"] < high) == way]) for way in (True, False)]
            inside, outside = (np.median(rng.choice(p, (4000, len(p))), axis=1) for p in parts)
            mean, ends = (
                np.median(parts[0]) / np.median(parts[1]) - 1,
                np.quantile(inside / outside - 1, [0.025, 0.975]),
            )
            sure &= foot != SOFT or ends[1] < 0
            told[foot, mode] = f"{mode} {100 * mean:+.0f} % ({100 * ends[0]:+.0f} to {100 * ends[1]:+.0f})"
            count = [len(p) for p in parts]
    return Row(
        what="the same, 10 mm: excursion on SoftFeet where the bar lies between the arches, against elsewhere",
        place="Section V-C",
        published="the most robust performance when the contact occurred between the posterior and anterior arches",
        ours="; ".join(told[SOFT, mode] for mode in modes),
        n=f"{count[0]} and {count[1]} draws, medians, 95 % by bootstrap; between the arches: {BANDS['arch'][0]:.2f} to "
        f"{BANDS['arch'][1]:.2f} of the sole's length, as in the course `arch`",
        controls="; ".join(f"{FEET[f]}: " + ", ".join(told[f, m] for m in modes) for f in FEET if f != SOFT),
        verdict="confirmed" if sure else "only in a regime",
        regime="by the motion of the centre of mass; nobody fell" if sure else "not in every mode",
        command=COMMAND,
    )


def _ratio(one: list[dict[str, Any]], two: list[dict[str, Any]], key: str) -> tuple[float, float, float]:
    """Median of the paired ratio less one, and its 95 % interval."""
    other = {t["draw"]: t[key] for t in two}
    ratios = np.array([t[key] / other[t["draw"]] for t in one])
    drawn = np.random.default_rng(0).choice(ratios, (4000, len(ratios)))
    low, high = np.quantile(np.median(drawn, axis=1), [0.025, 0.975])
    return float(np.median(ratios)) - 1, float(low) - 1, float(high) - 1


def _higher(cells: Cells, places: list[tuple[str, float]]) -> Row:
    shown = [
        f"{1000 * level:.0f} mm: " + ", ".join(_count(cells[foot, mode, level]) for foot in FEET)
        for mode, level in places
    ]
    walked = {foot: [t["walked"] for p in places for t in cells[foot, *p]] for foot in FEET}
    told = {foot: compare_pairs(walked[SOFT], walked[foot]) for foot in FEET if foot != SOFT}
    sure = [foot for foot, pair in told.items() if pair.low > 0]
    alone = [
        1000 * level
        for mode, level in places
        if compare_pairs(*([t["walked"] for t in cells[foot, mode, level]] for foot in (SOFT, "own"))).low > 0
    ]
    texts = {f: f"{100 * p.difference:+.0f} % ({100 * p.low:+.0f} to {100 * p.high:+.0f})" for f, p in told.items()}
    return Row(
        what=f"higher bars, {places[0][0]} mode: " + ", ".join(FEET.values()) + "; SoftFoot less own feet",
        place="beyond the paper",
        published="",
        ours="; ".join(shown) + f"; {texts['own']}",
        n=f"{len(walked['own'])} paired fresh draws in all; 95 % interval of the paired difference",
        controls="; ".join(f"less {FEET[f]} {texts[f]}" for f in told if f != "own"),
        verdict="confirmed" if len(sure) == len(told) else "only in a regime" if sure else "not confirmed",
        regime="against own feet and both controls; by itself at "
        + (" and ".join(f"{v:.0f} mm" for v in alone) or "no height") if len(sure) == len(told)
        else f"against {', '.join(FEET[f] for f in sure)}" if sure else "these walks tell no difference",
        command=COMMAND,
    )  # fmt: skip


def _draw(cells: Cells, places: list[tuple[str, float]]) -> Figure:
    with house_style():
        fig, axes = figure(1, len(places), size=(2.1 * len(places) + 1, 3.6), sharey=True)
        for ax, (mode, level) in zip(axes[0], places, strict=True):
            for x, foot in enumerate(FEET):
                trials = cells[foot, mode, level]
                spread = x + np.linspace(-0.25, 0.25, len(trials))
                marks = ["o" if t["walked"] else "x" for t in trials]
                for at, t, mark in zip(spread, trials, marks, strict=True):
                    ax.plot(at, 1000 * t["sway"], mark, color=COLOURS[x], ms=3.5)
            ax.set(yscale="log", title=f"{mode}, {1000 * level:.0f} mm")
            ax.title.set_fontsize(9)
            ax.set_xticks(range(len(FEET)), ["own", "soft", "locked", "plate"], fontsize=8)
        axes[0, 0].set_ylabel("excursion [mm]; x: fell")
    return fig
