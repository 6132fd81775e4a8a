"""Footholds: scores beside physics on kinds of ground that none was fitted on, and maps behind a scanner."""

from __future__ import annotations

from typing import Any

import numpy as np

from plantar import feet
from plantar.foothold.learned import Network
from plantar.foothold.networks.evaluate import config_of, evaluate
from plantar.foothold.networks.scores import difference, tally
from plantar.foothold.physics import (
    HELD_OUT,
    MosaicConfig,
    PhysicsConfig,
    PhysicsData,
    Presser,
    PressPlan,
    shipped,
)
from plantar.foothold.physics.judge import judge
from plantar.foothold.physics.scores import LABELS
from plantar.foothold.sensor import Sensor
from plantar.foothold.sole import load_sole
from plantar.progress import Progress
from validation.records import Record, Row

FOOT, SEED, MOSAICS = "softfoot_q", 2222, 1
"""Fresh grounds; no score was fitted or chosen on them."""
TILES, FOOTHOLDS, DIRECTIONS = 10, 6, 8
LEAST = 0.85
SCORES = {
    "slope": "slope alone",
    "roughness": "roughness alone",
    "published": "eq. 3",
    "calibrated": "eq. 3 calibrated",
}
GROUNDS, PATCHES = 1200, 6
CAREFUL, PLAIN, OURS = "analytic, smoothed and eroded", "analytic", "shipped"
COMMAND = "`python tools/validate.py footholds --only {}`, `{}`"


def pressed() -> Record:
    """Press SoftFoot-Q on fresh ground of kinds that were held out, and rank it by every score."""
    model = shipped(FOOT)
    found = judge(_footholds(), FOOT, load_sole("calibrated"), model, draws=1000)
    rows = {row["score"]: row for row in found["scores"]}
    ours, own = rows["learned"], model.card["judged"]
    above = all(ours[label] > max(LEAST, rows["slope"][label], rows["roughness"][label]) for label in LABELS)
    sure = min(ours["hold_low"], ours["slip_low"])
    cells = [[SCORES.get(name, name), _interval(row, "hold"), _interval(row, "slip")] for name, row in rows.items()]
    row = Row(
        what="footholds pressed and pushed in simulation, SoftFoot-Q: rank correlation of the shipped learned score on "
        "kinds of ground not fitted on, with hold and slip",
        published=f"above {LEAST} and above slope alone and roughness alone",
        ours=f"{_interval(ours, 'hold')} and {_interval(ours, 'slip')} by one score; "
        f"{rows['learned hold']['hold']:.3f} and {rows['learned slip']['slip']:.3f} by the outputs for each",
        n=f"{found['footholds']:,} footholds of {DIRECTIONS} presses each on {found['maps']} fresh maps of "
        f"{', '.join(HELD_OUT)}; 95 % over draws of maps. Its card names {own['cost_hold']:.3f} and "
        f"{own['cost_slip']:.3f} for the presses on these kinds that were made with it on a GPU; it is fitted to "
        f"{model.card['presses']:,} presses on the other kinds",
        controls="; ".join(f"{text} {_two(rows[name])}" for name, text in SCORES.items()),
        verdict="confirmed" if above else "not confirmed",
        regime="" if sure > LEAST else f"the intervals reach down to {sure:.3f}",
        command=COMMAND.format("pressed", "python benchmarks/foothold_physics.py make")
        + " and `python tools/ship_physics.py` (on a GPU, to make the score)",
    )
    return Record(
        title="Footholds proved by physics",
        text="The shipped score was fitted to presses on other kinds of ground ([how](foothold_physics.md)); here the "
        "foot is pressed again, in MuJoCo, on grounds that no score has seen.",
        rows=[row],
        tables=[{"title": "Rank correlations", "columns": ["score", "with hold", "with slip"], "rows": cells}],
        values={"judged": found, "card": own},
    )


def _footholds() -> PhysicsData:
    ground = MosaicConfig(tiles=TILES, kinds=HELD_OUT, seed=SEED)
    plan = PressPlan(footholds=FOOTHOLDS, directions=DIRECTIONS, seed=SEED)
    presser = Presser(feet.get(FOOT, fidelity="fast"), PhysicsConfig(mosaic=ground, plan=plan), threads=1)
    parts = []
    with Progress(MOSAICS, "mosaics of presses") as shown:
        for number in range(MOSAICS):
            parts.append(presser.footholds(number))
            shown.advance()
    return PhysicsData.joined(parts)


def _interval(row: dict[str, Any], label: str) -> str:
    return f"{row[label]:.3f} ({row[f'{label}_low']:.3f}-{row[f'{label}_high']:.3f})"


def _two(row: dict[str, Any]) -> str:
    return f"{row['hold']:.2f} and {row['slip']:.2f}"


def scanner() -> Record:
    """The shipped network and the analytic cost on maps behind a scanner that no network was trained on."""
    network = Network.load(FOOT, threads=1)
    config = config_of(network, grounds=GROUNDS, patches=PATCHES, seed=SEED)
    with Progress(GROUNDS, "grounds behind a scanner") as shown:
        done = evaluate({OURS: network}, config, list(range(GROUNDS)), "lidar", progress=shown.advance)
    edges = np.array(network.card["class_edges"])
    counts = {name: tally(reading, done.samples, edges, config.cell) for name, reading in done.readings.items()}
    less = {name: difference([counts[OURS]], [counts[name]]) for name in (PLAIN, CAREFUL)}
    figures = done.figures
    worst = {key: max(one[key]["high"] for one in less.values()) for key in ("regret", "infeasible_picks")}
    apart = figures[OURS]["regret"]["high"] < min(figures[name]["regret"]["low"] for name in less)
    row = Row(
        what="behind a scanner not used in training, regret and picks that are no foothold: analytic; smoothed and "
        "eroded; the shipped network",
        published="the network best on both, intervals apart",
        ours="; ".join(_both(figures[name]) for name in (PLAIN, CAREFUL, OURS)),
        n=f"{GROUNDS * PATCHES} maps of {GROUNDS} fresh grounds, five nominal footholds each; 95 % over draws of "
        "grounds",
        controls="paired, shipped less each: "
        + "; ".join(f"{name} {_paired(one['regret'], 1, '')}, {_paired(one['infeasible_picks'], 100, ' %')}"
                    for name, one in less.items()),
        verdict="confirmed" if max(worst.values()) < 0 else "only in a regime" if worst["regret"] < 0
        else "not confirmed",
        regime=_regime(apart, worst),
        command=COMMAND.format("scanner", f"plantar foothold evaluate --sensors lidar --grounds {GROUNDS} --patches "
                               f"{PATCHES} --seed {SEED}"),
    )  # fmt: skip
    return Record(
        title="Footholds behind a scanner",
        text="Regret is how much more a choice costs than the best one ([how](foothold_networks.md)).",
        rows=[row],
        values={"figures": figures, "less": less, "sensor": vars(Sensor.lidar())},
    )


def _both(own: Any) -> str:
    regret, picks = own["regret"], own["infeasible_picks"]
    return (
        f"{regret['mean']:.1f} ({regret['low']:.1f}-{regret['high']:.1f}), {100 * picks['mean']:.2f} % "
        f"({100 * picks['low']:.2f}-{100 * picks['high']:.2f})"
    )


def _paired(one: dict[str, float], scale: float, unit: str) -> str:
    mean, low, high = (scale * one[key] for key in ("mean", "low", "high"))
    return f"{mean:+.2f}{unit} ({low:+.2f} to {high:+.2f})"


def _regime(apart: bool, worst: dict[str, float]) -> str:
    if max(worst.values()) >= 0:
        return "in regret; picks that are no foothold are not told apart" if worst["regret"] < 0 else ""
    return "apart in regret; in picks by paired differences" if apart else "by paired differences"
