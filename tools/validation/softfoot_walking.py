"""SoftFoot: mounting, exports, statistics of walks and the walks themselves, as tests and benchmarks recorded them."""

from __future__ import annotations

import json
import re

from plantar.walk.study.statistics import share_interval
from validation.figures import Figures
from validation.records import ROOT, Record, Row
from validation.softfoot_recorded import ROOM, names_of
from validation.stored import read

CASES = {
    "quadruped": "quadruped on balls",
    "quadruped_soft": "quadruped on SoftFoot-Q",
    "biped": "biped in torque mode on own feet",
    "biped_soft": "biped in torque mode on fast SoftFeet",
    "biped_unfelt": "biped on stiff joints that do not sense their soles",
    "biped_stiff": "biped on stiff joints that do, which is new",
}
"""Cases of walk_turns.py, in the order of the row."""
LEVEL = (
    "`plantar walk study jvrc1.xml biped pal_talos unitree_g1 --feet own,softfoot:fast --courses flat --levels 0 "
    "--steps 20 --modes torque,impedance --rate 250 --draws {draws} --seed {seed}`"
)


def mounting() -> Record:
    """Exports and mounting."""
    f = Figures(ROOM)
    return f.record("Mounting and exports", [_feet(f), _robots(f), _built_in(f)])


def walking() -> Record:
    """How walks are counted, and what was walked."""
    f = Figures(ROOM)
    rows = [_half(f), _pairs(f), _bits(f), _controls(f), _stones(f), _standing(f), _cost(f), _turns(f), _plan(f)]
    return f.record("Walking", rows)


def _feet(f: Figures) -> Row:
    apart = [name for name in names_of("foot_export") if name.endswith("_apart")]
    warned = [name for name in names_of("foot_export") if name.endswith("_warnings")]
    largest, warnings = max(f[name] for name in apart), sum(f[name] for name in warned)
    return f.row(
        *apart,
        *warned,
        good=largest == 0 and warnings == 0 and len(apart) == len(warned),
        what="exported folder of a foot: 500 noisy steps; warnings in 2 s",
        published="reloads to the same trajectory",
        ours=f"{_same(largest)}, {len(apart)} feet; {warnings or 'none'}",
    )


def _robots(f: Figures) -> Row:
    found = {name: f[name] for name in names_of("mounted")}
    fit = [one for one in found.values() if "refused" not in one]
    refused = [re.sub(r"\s+", " ", one["refused"]) for one in found.values() if "refused" in one]
    apart, lowest, highest = (max(one[key] for one in fit) for key in ("apart", "lowest", "highest"))
    warnings, lost = (sum(one[key] for one in fit) for key in ("warnings", "lost"))
    right = [one for one in fit if one["highest"] < 1e-3 and not (one["apart"] or one["warnings"] or one["lost"])]
    overlap = ", ".join(match[0] for text in refused if (match := re.search(r"overlap by [\d.]+ mm", text)))
    return f.row(
        *found,
        good=len(right) == len(fit) and lowest < 1e-6,
        what="mounting: G1, Talos (motor and position), JVRC1, COGIMON (URDF), KHR-3HV, ANYmal C, each on soft, flat "
        "and ball feet",
        place="Section V-C, Figure 1",
        published="exported, reloaded: same trajectory; soles within 1 mm; no warning in 5 s; nothing lost",
        ours=f"{len(right)} of {len(fit)} that fit: {_same(apart)}, lowest sole within "
        f"{lowest:.0e} m and every sole within {1e3 * highest:.1f} mm of the ground in every keyframe, "
        f"{warnings or 'no'} warnings, {lost or 'no'} elements lost; {len(refused)} refused as too big (a SoftFoot on "
        f"the KHR-3HV, {overlap})",
    )


def _same(apart: float) -> str:
    return "bit for bit" if apart == 0 else f"up to {apart:.1g} apart"


def _built_in(f: Figures) -> Row:
    found = {name: f[name] for name in names_of("built_in")}
    right = sum(not (one["apart"] or one["warnings"] or one["lost"]) for one in found.values())
    return f.row(
        *found,
        good=right == len(found),
        what=f"the same: built-in biped, quadruped and KHR-3HV, {len(found)} pairs",
        published="same trajectory; no warning in 5 s; nothing lost",
        ours=f"{right} of {len(found)}",
    )


def _half(f: Figures) -> Row:
    names = sorted(names_of("half"), key=lambda name: int(name.rpartition("_")[2]))
    shares = [f[name]["held"] / f[name]["runs"] for name in names]
    runs = f[names[0]]["runs"]
    within = [share_interval(f[name]["held"], f[name]["runs"]) for name in names]
    return f.row(
        *names,
        good=all(low <= 0.95 <= high or share > 0.95 for share, (low, high) in zip(shares, within, strict=True)),
        what=f"`walk study --half`: the level at which half of the walks fail, {len(names)} x {runs} searches of 32 "
        "walks of made walkers with known levels: share of 95 % intervals that hold it",
        published="95 %",
        ours=", ".join(f"{100 * share:.1f}" for share in shares) + " %",
        n=f"{runs} searches each: 95 % intervals from {100 * min(low for low, _ in within):.0f} to "
        f"{100 * max(high for _, high in within):.0f} %",
    )


def _pairs(f: Figures) -> Row:
    names = names_of("pairs")
    mean, least = (min(f[name][key] for name in names) for key in ("mean", "least"))
    return f.row(
        *names,
        good=mean > 0.95 and least > 0.92,
        what="interval of a paired difference, summed over all outcomes, 20 and 40 pairs: mean coverage; least",
        published="95 %; 92 %",
        ours=f"{100 * mean:.1f} %; {100 * least:.1f} %",
    )


def _bits(f: Figures) -> Row:
    names = names_of("same_bits")
    apart, cells = (sum(f[name][key] for name in names) for key in ("apart", "cells"))
    return f.row(
        *names,
        good=apart == 0 and len(names) == 2,
        what="one study on threads, on processes, on Ray",
        published="same bits",
        ours=f"{apart} of {cells} cells differ",
    )


def _controls(f: Figures) -> Row:
    names = names_of("controls")
    worst = max(value for name in names for value in f[name].values())
    return f.row(
        *names,
        good=worst < 1e-3,
        what="controls of the SoftFoot on the biped (locked, plate): outline, mass, height, support, contact",
        published="equal",
        ours=f"within {100 * worst:.1g} %",
    )


def _stones(f: Figures) -> Row:
    found = f["stones.crossed"]
    return f.row(
        "stones.crossed",
        good=found["choosing"] >= 18 and found["blind"] <= 5,
        what="biped on stepping stones 7 to 11 cm beside its footholds: choosing; blind",
        published="at least 18; at most 5 of 20",
        ours=f"{found['choosing']}; {found['blind']} of {found['grounds']}",
    )


def _standing(f: Figures) -> Row:
    found = {name: f[name] for name in names_of("standing")}
    light = sum(one["stood"] and one["steps"] == 0 and one["seconds"] >= 30 for one in found.values())
    hard = sum(one["hard"] for one in found.values())
    return f.row(
        *found,
        good=light == hard == len(found),
        what="biped, Talos, G1, JVRC1, COGIMON on fast SoftFeet: 30 s of standing with a push of 8 N s (for 60 kg) "
        "from each side; 15 N s",
        published="no step; no fall",
        ours=f"{light} of {len(found)}; {hard} of {len(found)}",
    )


def _cost(f: Figures) -> Row:
    paces = f["walk_cost.paces"]
    torque, stiff = (paces[f"biped, softfoot:fast, {mode}"]["processor"] for mode in ("torque", "impedance"))
    return f.row(
        "walk_cost.paces",
        good=min(torque, stiff) >= 1,
        what="control and physics of a walk on fast SoftFeet, biped, one core: simulated over processor time",
        published="real time",
        ours=f"{torque:.1f} times (torque), {stiff:.1f} (impedance)",
    )


def _turns(f: Figures) -> Row:
    found = {case: f[f"walk_turns.{case}"] for case in CASES}
    slower = {CASES[case]: one["control"][0] - 1 for case, one in found.items() if one["control"][1] > 1}
    told = ["{:.2f} ({:.2f}-{:.2f})".format(*one["control"]) for one in found.values()]
    return f.row(
        *(f"walk_turns.{case}" for case in CASES),
        good=not slower,
        otherwise="only in a regime" if len(slower) < len(found) else "not confirmed",
        what="one walking engine beside the two before it, time of a control step, in turns of 50: "
        + "; ".join(CASES.values()),
        published="no slower",
        ours="; ".join(told),
        n=f"{found['biped']['turns']} turns each; 95 % intervals",
        controls="the version before, in turns (`../before` is a checkout of 4155303)",
        regime="; ".join(f"{100 * more:.0f} % slower: {case}" for case, more in slower.items()),
    )


def _plan(f: Figures) -> Row:
    names = names_of("predictive")
    worst = max(f[name] for name in names)
    return f.row(
        *names,
        good=worst < 1e-6,
        what="predictive plan against Newton's and Euler's equations integrated: largest difference",
        published="equal: 1e-6",
        ours=f"{worst:.1e}",
    )


def level() -> Record:
    """Twenty steps on level ground from random starts, from the stored table."""
    rows = read("walk_level", "trials.csv")
    walked = [row for row in rows if row["success"] == "True"]
    drift = max(float(row["drift"]) for row in walked)
    study = json.loads(ROOT.joinpath("docs", "results", "walk_level", "config.json").read_text(encoding="utf-8"))[
        "study"
    ]
    draws = study["draws"]
    low, _ = share_interval(len(walked), len(rows))
    row = Row(
        what=f"{study['steps']} steps on level ground, random starts: JVRC1, biped, Talos, G1, own and fast soft "
        "feet, torque and impedance mode",
        published="all walk, straight within 5 %",
        ours=f"{len(walked)} of {len(rows)}; largest drift {100 * drift:.2f} %",
        n=f"fresh starts for each robot, foot and mode: {draws}; 95 % interval of the share that walks from "
        f"{100 * low:.0f} %",
        verdict="confirmed" if len(walked) == len(rows) > 0 and drift < 0.05 else "not confirmed",
        command=LEVEL.format(draws=draws, seed=study["seed"]),
    )
    return Record(title="Level ground", rows=[row], origin="read", values={"source": "docs/results/walk_level"})
