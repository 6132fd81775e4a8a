"""The 48 trials by the planar model, and how far it is from the simulation."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from plantar._checks import require
from plantar.bench.planar.model import check_scope
from plantar.bench.planar.solve import PlanarResult, solve_trial
from plantar.bench.press.press import HEIGHTS, LOADS, POSITIONS, Trial, trials
from plantar.bench.press.rig import PressRig
from plantar.bench.press.settle import Progress
from plantar.feet.softfoot.softfoot import SoftFoot
from plantar.table import Row, Table

FORCES = ("force_heel", "force_module", "force_metatarsus", "force_total")
"""Columns that are compared as parts of the load."""


def press(
    foot: SoftFoot | None = None,
    *,
    loads: Sequence[float] = LOADS,
    heights: Sequence[float] = HEIGHTS,
    positions: Sequence[int] = POSITIONS,
    rig: PressRig | None = None,
    progress: Progress | None = None,
) -> Table:
    """Press a foot as `plantar.bench.press` does, by equilibrium in the plane and without MuJoCo.

    Args:
        foot: The foot; by default a single-chain `SoftFoot`.
        loads: Slider forces [N].
        heights: Obstacle heights [m].
        positions: Modules under which the obstacle stands.
        rig: The bench, without friction; by default the paper's.
        progress: Called with the number of trials finished since the last call.

    Returns:
        A row a trial, with the columns of `plantar.bench.press`; `residual` is the gap that the loop is
        left with and `settled` says whether the equilibrium is stable.

    Raises:
        InvalidInput: If a trial or the rig is not planar and free of friction.
    """
    foot = SoftFoot(chains=1) if foot is None else foot
    rig = PressRig() if rig is None else rig
    return run_trials(foot, rig, trials(loads, heights, positions), progress)


def run_trials(foot: SoftFoot, rig: PressRig, todo: Sequence[Trial], progress: Progress | None = None) -> Table:
    """Solve a list of trials; see `press`."""
    require(len(todo) > 0, "trials", list(todo), "at least one trial")
    check_scope(foot, rig)
    rows = []
    for i, trial in enumerate(todo, start=1):
        rows.append(_row(i, foot, rig, solve_trial(foot, rig, trial)))
        if progress:
            progress(1)
    return Table(rows)


def _row(number: int, foot: SoftFoot, rig: PressRig, result: PlanarResult) -> Row:
    trial = result.trial
    row: Row = {"trial": number, "load": trial.load, "height": trial.height, "position": trial.position}
    # On a floor heel and metatarsus are parts of the sole, on supports those of the bench.
    places = ({"body": "heel"}, {"body": "metatarsus"}) if rig.flat else _SUPPORTS
    row["force_heel"] = result.force(**places[0])
    row["force_module"] = result.force(bench="obstacle")
    row["force_metatarsus"] = result.force(**places[1])
    row["force_total"] = result.force()
    row["weight"] = result.weight
    row |= {f"rotation_{k}": float(result.rotations[k - 1]) for k in range(1, foot.modules + 1)}
    row |= {"tension": result.tension, "residual": result.residual, "settled": result.settled}
    return row


_SUPPORTS = ({"bench": "heel_support"}, {"bench": "metatarsus_support"})


def compare(simulated: Table, planar: Table) -> dict[str, float]:
    """Largest difference of each force over all trials [% of the load]."""
    table = differences(simulated, planar)
    return {name: float(np.abs(table.column(name)).max()) for name in FORCES}


def differences(simulated: Table, planar: Table) -> Table:
    """Planar model less simulation, trial by trial.

    Args:
        simulated: Table of `plantar.bench.press`.
        planar: Table of the same trials by the planar model.

    Returns:
        Forces in % of the load, or of load and weight where the load is 0, and `rotation`: the largest
        difference of a module's pitch [rad].

    Raises:
        InvalidInput: If the tables are not of the same trials.
    """
    keys = ("load", "height", "position")
    same = len(simulated) == len(planar) and bool(np.all(simulated.block(keys) == planar.block(keys)))
    require(same, "planar", planar, f"a table of the same {len(simulated)} trials as the simulation")
    return Table(_difference(a, b) for a, b in zip(simulated, planar, strict=True))


def _difference(simulated: Row, planar: Row) -> Row:
    row: Row = {key: planar[key] for key in ("trial", "load", "height", "position")}
    scale = planar["load"] or planar["weight"]
    row |= {name: 100 * (planar[name] - simulated[name]) / scale for name in FORCES}
    turns = [planar[name] - simulated[name] for name in planar if name.startswith("rotation_")]
    row["rotation"] = float(np.abs(turns).max())
    return row
