"""Contact: checks of the rubber law and of gaits, as tests and benchmarks have recorded them."""

from __future__ import annotations

from typing import Any

from validation.figures import Figures
from validation.records import Record, Row

ORDER = 2**3.5
"""Ratio of defects from which a scheme counts as one of fourth order when intervals are halved."""
SAME = 1e-3
"""Leg lengths, radians, or share of the cost within which two integrators show the same motion."""


def checks() -> Record:
    """What the laws and the solver were held against."""
    f = Figures("gait")
    return f.record("Checks of laws and gaits", [_rubber(f), _mesh(f), _quadruped(f)])


def families() -> Record:
    """Gaits that nobody prescribed, and whether they are motions."""
    f = Figures("gait")
    return f.record("Walk or run", [_walk_or_run(f), _again(f)])


def _rubber(f: Figures) -> Row:
    slopes = max(f["rubber.normal_slope_error"], f["rubber.tangential_slope_error"])
    return f.row(
        "rubber.normal_slope_error",
        "rubber.least_force",
        "rubber.least_heat",
        good=slopes < 1e-6 and f["rubber.least_force"] >= 0 and f["rubber.least_heat"] >= 0,
        what=f"rubber law over {f['rubber.states']:,} random states: derivatives against differences; least force; "
        "least heat",
        published="1e-6; never negative; never negative",
        ours=f"{slopes:.1e}; {f['rubber.least_force']:g} N; {f['rubber.least_heat']:g} W",
    )


def _mesh(f: Figures) -> Row:
    largest, back = f["mesh.hard_largest"], f["mesh.hard_return"]
    return f.row(
        "mesh.hard_largest",
        "mesh.hard_return",
        good=min(largest + back) > ORDER,
        what=f"mesh halved from {f['mesh.intervals'][0]} to {f['mesh.intervals'][-1]} intervals, rigid hopper: defect; "
        "end state",
        published="divided by 16",
        ours="; ".join(", ".join(f"{ratio:.1f}" for ratio in ratios) for ratios in (largest, back)),
    )


def _refined(f: Figures) -> list[dict[str, Any]]:
    """Gaits of the biped whose meshes reached their tolerance: those that were integrated again."""
    return [gait for gait in f["families.gaits"] if "replay" in gait]


def _walk_or_run(f: Figures) -> Row:
    gaits = _refined(f)
    best: dict[float, dict[str, Any]] = {}
    for gait in sorted(gaits, key=lambda gait: -gait["transport"]):
        best[gait["speed"]] = gait
    walks, runs = ([speed for speed in sorted(best) if best[speed]["gait"] == name] for name in ("walk", "run"))
    others = [best[speed] for speed in sorted(best) if best[speed]["gait"] not in ("walk", "run")]
    parted = bool(walks and runs) and max(walks) < min(runs)
    ends = parted and min(best) in walks and max(best) in runs
    run_at = {gait["speed"]: gait["transport"] for gait in gaits if gait["gait"] == "run"}
    low, high = (min((g for g in gaits if g["gait"] == name), key=lambda g: g["transport"]) for name in ("walk", "run"))
    return f.row(
        "families.gaits",
        good=ends and not others,
        otherwise="only in a regime" if ends else "not confirmed",
        what="biped saving electrical energy: walk at low, run at high speed (Srinivasan and Ruina 2006, for work)",
        place="Section IV",
        published="the soft contact model is contact invariant: an advantage where the sequence is unknown (walk, then "
        "run)",
        ours=f"walk cheapest at {low['speed']:g} ({low['transport']:.4f}), run at {high['speed']:g} "
        f"({high['transport']:.4f}); the walk is the cheapest gait up to {max(walks):g}, the run from {min(runs):g}",
        n=f"{len(gaits)} of {f['families.tried']} gaits (two starts, each followed over {len(best)} speeds) with "
        "defects below 1e-4",
        regime="between them, " + ", ".join(_beside(gait, run_at) for gait in others) if others and ends else "",
    )


def _beside(gait: dict[str, Any], run_at: dict[float, float]) -> str:
    """A gait that is neither, beside the run at its speed."""
    beside = f" against {run_at[gait['speed']]:.4f} of the run" if gait["speed"] in run_at else ""
    return f"at {gait['speed']:g} a {gait['gait']} is cheapest ({gait['transport']:.4f}{beside})"


def _again(f: Figures) -> Row:
    gaits = _refined(f)
    back, cost, played = (max(gait[name] for gait in gaits) for name in ("return_error", "cost_error", "replay"))
    return f.row(
        "families.gaits",
        good=max(back, cost, played) < SAME,
        what=f"all {len(gaits)} of those gaits integrated with DOP853; in MuJoCo, 1e-4 s",
        published=f"same motion, within {SAME:g}",
        ours=f"back within {back:.1e}, cost within {cost:.1e}; within {played:.1e} leg lengths or radians",
    )


def _quadruped(f: Figures) -> Row:
    trot, bound = f["quadruped.trot"], f["quadruped.bound"]
    defect, back, played = (max(trot[key], bound[key]) for key in ("defect", "return_error", "replay_error"))
    return f.row(
        "quadruped.trot",
        "quadruped.bound",
        good=max(defect, back, played) < SAME,
        what="quadruped at 0.5: trot and bound, thermal losses over weight and distance; defect; back to the start; in "
        "MuJoCo",
        published=f"two gaits, errors below {SAME:g}",
        ours=f"{trot['transport']:.4f} and {bound['transport']:.4f}; {defect:.0e}; within {back:.0e}; within "
        f"{played:.0e}",
    )
