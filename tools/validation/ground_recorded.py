"""Ground: fitted laws, soil and terrains, as tests and benchmarks have recorded them."""

from __future__ import annotations

from typing import Any

from validation.figures import Figures
from validation.records import Record, Row

CLOSE = 500
"""Steps over which worlds in single precision are held against the CPU before small differences grow."""
ROUNDING = 1e-12
"""Share of the energy that ground has taken which counts as rounding."""


def fits() -> Record:
    """Hidden laws found again under noise, from forces and from a foot's steps."""
    f = Figures("ground")
    found, sense = _of(f, "fit"), f["sense.rigid"]
    inside, worst = ([case[key] for case in found.values()] for key in ("inside", "worst"))
    seeds = next(iter(found.values()))["seeds"]
    share = [case["worst"] for name, case in found.items() if name.endswith("_share")]
    constant = [case["worst"] for name, case in found.items() if name.endswith("_constant")]
    names = [f"fit.{name}" for name in found]
    rows = [
        f.row(
            *names,
            good=min(inside) >= 0.9 * seeds,
            what=f"hidden laws, 2 % noise, 5 % outliers, {seeds} seeds: all parameters inside their 95 % intervals",
            published=f"at least {0.9 * seeds:.0f}",
            ours=f"{min(inside)} to {max(inside)} ({len(found)} cases)",
        ),
        f.row(
            *names,
            good=max(worst) < 0.02,
            what=f"the same: force curve over the range, worst of {seeds} seeds",
            published="within 2 %",
            ours=f"{100 * min(share):.1f} to {100 * max(share):.1f} % (400 samples, noise 2 % of each force), "
            f"{100 * min(constant):.1f} to {100 * max(constant):.1f} % (2000, noise 2 % of the largest)",
        ),
        f.row(
            "sense.rigid",
            good=sense["inside"] >= 0.9 * sense["walks"],
            what="`ground sense`: the true law inside the 95 % intervals; one leg treading ten times in the fitted "
            "sand, rigid foot, 2 % noise",
            published=f"at least {0.9 * sense['walks']:.0f} of {sense['walks']}",
            ours=f"{sense['inside']} of {sense['walks']}",
            n=f"{sense['walks']} walks, seeds from {sense['first_seed']}; the estimator was chosen on others",
        ),
    ]
    return f.record("Laws found again under noise", rows)


def soil() -> Record:
    """Yielding ground against theory, its own account of energy, its grid, its cost, and its form for many worlds."""
    f = Figures("ground")
    return f.record("Soil that yields", [_theory(f), _energy(f), _cells(f), _cost(f), _worlds(f)])


def _theory(f: Figures) -> Row:
    errors = [abs(error) for error in _of(f, "rft").values()]
    return f.row(
        *(f"rft.{name}" for name in _of(f, "rft")),
        good=max(errors) < 0.08,
        what=f"soil under plates at {len(errors)} pairs of angle and direction, no friction: normal stress",
        published="resistive force theory, within 8 %",
        ours=f"within {100 * max(errors):.1f} %, in the median {100 * sorted(errors)[len(errors) // 2]:.1f} %",
    )


def _energy(f: Figures) -> Row:
    gains = _of(f, "gain")
    shares = {name: max(0.0, case["most"]) / case["taken"] for name, case in gains.items()}
    ball, walk = gains["drop_ball"], gains["walk"]
    sure = max(shares.values()) < ROUNDING
    others = [share for name, share in shares.items() if name != "drop_ball"]
    return f.row(
        *(f"gain.{name}" for name in gains),
        good=sure,
        otherwise="only in a regime" if max(others) < ROUNDING else "not confirmed",
        what="yielding ground: what the ground has taken from plates, soles, a ball and a walking robot, from one "
        "moment to the next",
        published="never falls",
        ours=f"plates, soles and a walk in which it takes {walk['taken']:.0f} J: by {_small(max(others))} of what it "
        f"has taken at most; a ball: by {max(0.0, ball['most']):.0e} of {ball['taken']:.2f} J",
        n=f"{len(gains)} motions",
        regime="" if sure else "plates, soles and walks; a ball that rolls has points that hardly touch",
    )


def _cells(f: Figures) -> Row:
    told: dict[str, Any] = f["cells.walk"]
    depths, taken = told["depths"], told["taken"]
    return f.row(
        "cells.walk",
        good=_apart(depths) < 0.05 and _apart(taken) < 0.1,
        what=f"the same: cells of {_list(told['cells'], 1e3, 0)} mm, a walking biped: depth; energy taken",
        published="within 5 %; 10 %",
        ours=f"{_list(depths, 1e3, 1)} mm; {_list(taken, 1, 1)} J",
    )


def _cost(f: Figures) -> Row:
    names = [f"yielding_cost.{scene}_{cell}" for scene in ("walk", "khr3hv", "soles") for cell in ("10mm", "20mm")]
    walk, stand, soles = ([_ratio(f[name]) for name in names[i : i + 2]] for i in (0, 2, 4))
    with_robot = max(f[name]["median"] for name in names[:4]) <= 2
    return f.row(
        *names,
        good=max(f[name]["median"] for name in names) <= 2,
        otherwise="only in a regime" if with_robot else "not confirmed",
        what="the same: physics of a walk against a rigid height field of 10 and 20 mm cells, in turns",
        published="at most 2 times",
        ours=f"{' and '.join(walk)} times; under a KHR-3HV that stands {' and '.join(stand)}; "
        f"under two bare soles of its size {' and '.join(soles)}",
        regime="" if max(f[name]["median"] for name in names) <= 2 else "under a robot" if with_robot else "",
        n=f"median of {f[names[0]]['rounds']} rounds in turns, lowest to highest",
    )


def _worlds(f: Figures) -> Row:
    told = f["worlds.cpu_agreement"]
    sinks, every = told["trunk_sinks"], told["every"]
    early, late = (max(told["joints"][part]) / sinks for part in (slice(0, CLOSE // every), slice(None)))
    trunk, steps = max(told["trunk"]) / sinks, every * len(told["joints"])
    return f.row(
        "worlds.cpu_agreement",
        good=late < 0.01 and told["energy"] < 0.01,
        otherwise="only in a regime" if early < 0.01 and told["energy"] < 0.01 else "not confirmed",
        what="the same soil in a world of MuJoCo Warp, single precision, two feet treading by turns, against the CPU "
        f"in double precision: joints over what the trunk sinks, in {CLOSE} and in {steps} steps; energy taken",
        published="within 1 %",
        ours=f"{100 * early:.1g} % and {100 * late:.1f} % (the trunk's height {100 * trunk:.2f} %); "
        f"{100 * told['energy']:.2f} %",
        n=f"one world on Warp's device for processors, which runs the kernels of the GPU; every {every} steps of 1 ms",
        regime="until a foot that swings on an undamped spring leaves the ground at another moment; energy and the "
        "height of the trunk stay near"
        if late >= 0.01
        else "",
    )


def terrains() -> Record:
    """Maps against rays, and every kind of terrain in every room."""
    f = Figures("ground")
    rays = _of(f, "rays")
    kinds = {case["kind"] for case in rays.values()}
    most, off = max(case["most"] for case in rays.values()), sum(case["off"] for case in rays.values())
    pressed, drawn, scenes = _of(f, "pressed"), f["kinds.drawn"], f["kinds.scenes"]
    whole = [
        kind
        for kind, error in pressed.items()
        if abs(error) < 0.01 and f[f"chosen.{kind}"] and f[f"stood.{kind}"] and kind in drawn and kind in scenes
    ]
    rows = [
        f.row(
            *(f"rays.{name}" for name in rays),
            good=most < 2e-6 and not off,
            what=f"elevation maps of {len(kinds)} kinds of terrain against MuJoCo's rays",
            published="the same",
            ours=f"within {most:.0e} m" + (f"; {off} rays met the other side of an edge" if off else ""),
            n=f"{sum(case['rays'] for case in rays.values()):,} rays on {len(rays)} terrains",
        ),
        f.row(
            *(f"pressed.{kind}" for kind in pressed),
            "kinds.drawn",
            good=len(whole) == len(pressed),
            what="every registered kind of terrain on the press, for footholds, under a standing biped, drawn, and in "
            "plain MuJoCo; load and weight on the press",
            published="within 1 %",
            ours=f"{len(whole)} of {len(pressed)} kinds; within {100 * max(map(abs, pressed.values())):.2g} %",
        ),
    ]
    return f.record("Terrains", rows)


def _of(f: Figures, topic: str) -> dict[str, Any]:
    """Figures of a topic by the last word of their names."""
    return {name.rpartition(".")[2]: value for name, value in f.below(topic).items()}


def _small(share: float) -> str:
    return f"{share:.0e}" if share else "nothing"


def _apart(values: list[float]) -> float:
    return max(abs(value / values[0] - 1) for value in values)


def _list(values: list[float], scale: float, digits: int) -> str:
    return ", ".join(f"{scale * value:.{digits}f}" for value in values)


def _ratio(told: dict[str, float]) -> str:
    return f"{told['median']:.2f} ({told['low']:.2f} to {told['high']:.2f})"
