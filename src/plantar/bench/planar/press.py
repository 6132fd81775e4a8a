"""The 48 trials by the planar model."""

from __future__ import annotations

from collections.abc import Sequence

from plantar._checks import require
from plantar.bench.planar.model import check_scope
from plantar.bench.planar.solve import PlanarResult, solve_trial
from plantar.bench.press.press import HEIGHTS, LOADS, Trial, trials
from plantar.bench.press.result import PressResult
from plantar.bench.press.rig import PressRig
from plantar.feet.foot import Foot
from plantar.feet.softfoot.softfoot import SoftFoot
from plantar.settle import Progress
from plantar.table import Row, Table


def press(
    foot: Foot | None = None,
    *,
    loads: Sequence[float] = LOADS,
    heights: Sequence[float] = HEIGHTS,
    positions: Sequence[int] | None = None,
    rig: PressRig | None = None,
    progress: Progress | None = None,
) -> PressResult:
    """Press a foot as `plantar.bench.press` does, by equilibrium in the plane and without MuJoCo.

    Args:
        foot: The foot; by default a single-chain `SoftFoot`.
        loads: Slider forces [N].
        heights: Obstacle heights [m].
        positions: Modules under which the obstacle stands; all of the foot's by default.
        rig: The bench, without friction; by default the paper's.
        progress: Called with the number of trials finished since the last call.

    Returns:
        One row per trial, with the columns of `plantar.bench.press`; `residual` is the gap that the loop is
        left with and `settled` says whether the equilibrium is stable.

    Raises:
        InvalidInput: If a trial or the rig is not planar and free of friction.
    """
    foot = SoftFoot(chains=1) if foot is None else foot
    rig = PressRig() if rig is None else rig
    places = range(1, len(foot.stations.module_x) + 1) if positions is None else positions
    table = run_trials(foot, rig, trials(loads, heights, places), progress)
    return PressResult(table=table, foot=foot, rig=rig, simulated=False)


def run_trials(foot: Foot, rig: PressRig, todo: Sequence[Trial], progress: Progress | None = None) -> Table:
    """Solve a list of trials; see `press`."""
    require(len(todo) > 0, "trials", list(todo), "at least one trial")
    softfoot = check_scope(foot, rig)
    rows = []
    for i, trial in enumerate(todo, start=1):
        rows.append(_row(i, softfoot, rig, solve_trial(softfoot, rig, trial)))
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
