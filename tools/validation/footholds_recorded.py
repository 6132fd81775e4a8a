"""Footholds: checks of foot, cost, legs, forces and presses, their cost, as tests and benchmarks recorded it."""

from __future__ import annotations

from validation.figures import Figures
from validation.records import Record, Row

BUILDS = ("full", "hinge", "fast")
LEGS = ("lf", "rf", "lh", "rh")
RELIEFS = (
    *("flat", "slope", "rough", "waves", "steps", "stairs"),
    *("bumps", "hollows", "rubble", "stones", "ridges", "planks"),
)
GROUNDS = ("flat", "stairs", "trenches", "rubble", "potholes")
SLOPES, FRICTIONS = (10, 25), (30, 80)
"""Of the rig's tests, in hundredths."""
CELLS = 40
LOOP = 0.02
"""Time of a map that a control loop of 50 Hz leaves [s]."""


def checks() -> Record:
    """What foot, cost, legs, forces, network and presses were held against."""
    f = Figures("foothold")
    rows = [_bow(f), _cost(f), _kinematics(f), _collisions(f), _forces(f), _layer(f), _rig(f)]
    return f.record("Checks of foot, cost, legs and presses", rows)


def speeds() -> Record:
    """What SoftFoot-Q, walks and the learned score cost."""
    f = Figures("foothold")
    feet = {what: f[f"feet_speed.{what}_fast"] for what in ("standing", "stepping")}
    walks = {foot: [f[f"walk_speed.{foot}_{g}"] for g in GROUNDS] for foot in ("softfoot_q", "ball")}
    score = f[f"map_speed.cells_{CELLS}"]
    slowest = min(walk["real_time"] for walk in walks["softfoot_q"])
    step = feet["standing"]["timestep"]
    rows = [
        f.row(
            *(f"feet_speed.{what}_fast" for what in feet),
            good=min(one["real_time"] for one in feet.values()) > 1,
            what=f"four fast SoftFoot-Q on the built-in quadruped of 45 kg, {1000 * step:g} ms steps, one core",
            published="real time",
            ours=f"{feet['standing']['real_time']:.1f} times real time standing, "
            f"{feet['stepping']['real_time']:.1f} stepping in place",
            controls="time of a step over that on ball feet, in turns: "
            + ", ".join(f"{one['cost_over_ball']:.1f} {what}" for what, one in feet.items()),
        ),
        f.row(
            *(f"walk_speed.softfoot_q_{g}" for g in GROUNDS),
            good=slowest > 1,
            what="walking quadruped on four SoftFoot-Q (fast), control and physics, one core",
            published="real time",
            ours=f"{_span(walks['softfoot_q'], 'real_time')} times, {_span(walks['softfoot_q'], 'best')} at best",
            n=f"{len(GROUNDS)} grounds ({', '.join(GROUNDS)}), walks in turns",
            controls=f"ball feet {_span(walks['ball'], 'real_time')} times, {_span(walks['ball'], 'best')} at best",
        ),
        f.row(
            f"map_speed.cells_{CELLS}",
            good=max(score["learned"], score["turned"]) < LOOP,
            what=f"the learned score, a map of {CELLS} x {CELLS} cells, one core",
            published="usable in a control loop (50 Hz)",
            ours=f"{1e3 * score['learned']:.1f} ms, {1e3 * score['turned']:.1f} ms for a foot that is turned",
            controls=f"the analytic cost {1e3 * score['analytic']:.2f} ms in the same run, in turns",
        ),
    ]
    return f.record("Times of feet, walks and the learned score", rows)


def _span(several: list[dict[str, float]], key: str) -> str:
    values = [one[key] for one in several]
    return f"{min(values):.1f} to {max(values):.1f}"


def _bow(f: Figures) -> Row:
    names = [f"bow.{build}" for build in BUILDS]
    apart = {name: f[name]["chains"] / f[name]["ground"] - 1 for name in names}
    return f.row(
        *names,
        good=max(map(abs, apart.values())) < 0.05,
        what="loaded SoftFoot-Q on a floor: tension of the chains times their arm, against the moment of the ground's "
        "force",
        published="equal",
        ours=", ".join(f"{100 * v:+.1f} % ({build})" for build, v in zip(BUILDS, apart.values(), strict=True)),
        n=f"{f['bow.load']:g} N; deterministic",
    )


def _cost(f: Figures) -> Row:
    count, shape, cost = (f[f"cost.{name}"] for name in ("count", "coefficients_error", "cost_error"))
    return f.row(
        *("cost.count", "cost.coefficients_error", "cost.cost_error"),
        good=max(shape, cost) < 1e-9,
        what=f"foothold cost against bounded least squares cell by cell, {count['maps']} random maps, sizes and yaws",
        published="1e-9",
        ours=f"{cost:.0e} (cost), {shape:.0e} (coefficients)",
        n=f"{count['cells']:,} cells, {count['at_a_bound']:,} of them at a bound",
    )


def _kinematics(f: Figures) -> Row:
    back = [f"reach.back_{robot}_{leg}" for robot in "bc" for leg in LEGS]
    forward = [f"reach.forward_{leg}" for leg in LEGS]
    worst = [max(f[name]["error"] for name in names) for names in (back, forward)]
    points, postures = sum(f[name]["points"] for name in back), sum(f[name]["postures"] for name in forward)
    return f.row(
        *back,
        *forward,
        good=max(worst) < 1e-12,
        what="leg kinematics there and back; forward kinematics against MuJoCo",
        published="1e-12 m",
        ours="; ".join(f"{v:.0e} m" for v in worst),
        n=f"{points:,} points in reach of eight legs; {postures} postures of four",
    )


def _collisions(f: Figures) -> Row:
    legs, touching = f["reach.legs_apart"], f["reach.legs_touching"]
    grounds = [f[f"reach.ground_{seed}"] for seed in (1, 2, 5)]
    cells, hits = (sum(one[key] for one in grounds) for key in ("cells", "hits"))
    deepest = max(one["deepest"] for one in grounds)
    met = sum(one["touching"] * one["hits"] for one in grounds) / hits
    return f.row(
        "reach.legs_apart",
        "reach.ground_1",
        good=legs["error"] < 1e-6 and touching["largest"] < 1e-6 and deepest < 6e-3 and met > 0.95,
        what="legs against ground and legs, MuJoCo's geometry",
        published="same distances between legs (1e-6 m); on 2 cm cells, none called free deeper than 6 mm in the "
        "ground",
        ours=f"distances within {legs['error']:.0e} m; legs called free at most {1e3 * deepest:.1f} mm in the ground, "
        f"{100 * met:.0f} % of those called hitting do",
        n=f"{legs['pairs']} pairs apart, {touching['pairs']} touching; {cells} free and {hits} hitting cells of "
        f"{len(grounds)} grounds",
    )


def _forces(f: Figures) -> Row:
    cone, base, jacobians = (f[f"quadruped.{name}"] for name in ("cone", "base_residual", "jacobian_errors"))
    worst = max(jacobians.values())
    return f.row(
        *("quadruped.cone", "quadruped.base_residual", "quadruped.jacobian_errors"),
        good=cone["least"] >= 0 and cone["beyond"] < 1e-6 and base < 1e-6 and worst < 1e-6,
        what="walking quadruped: feet within the friction cone, base's equations of motion, Jacobians against "
        "differences",
        published="within; 1e-6 N; 1e-6 of SI units",
        ours=f"{-cone['beyond']:.0f} N inside its edge at least, pushed forwards at 20 m/s^2; {base:.0e} N; "
        f"{worst:.0e}",
        n=f"points of up to {f['quadruped.fastest_point']:.1f} m/s, forces of up to "
        f"{f['quadruped.largest_force']:.0f} N",
    )


def _layer(f: Figures) -> Row:
    names = [f"layer.{kind}" for kind in RELIEFS]
    return f.row(
        *names,
        good=max(f[name]["error"] for name in names) < 2e-5,
        what="network's first layer against the analytic cost",
        published="the same (2e-5)",
        ours=f"{max(f[name]['error'] for name in names):.0e}",
        n=f"{sum(f[name]['cells'] for name in names):,} cells on {len(names)} kinds of ground",
    )


def _rig(f: Figures) -> Row:
    level = {foot: _off(f, "level", foot, FRICTIONS) for foot in ("ball", "softfoot_q", "flat")}
    incline = {foot: _off(f, "incline", foot, SLOPES) for foot in ("ball", "softfoot_q")}
    return f.row(
        *(f"rig.level_ball_{friction}" for friction in FRICTIONS),
        good=level["ball"] < 0.02 and incline["ball"] < 0.05,
        what="the press rig on a plane and on inclines: held push of a ball",
        published="friction (2 %); tan(phi -+ slope) (5 %)",
        ours=f"within {100 * level['ball']:.1f} %; within {100 * incline['ball']:.1f} %",
        n=f"frictions {' and '.join(f'{v / 100:g}' for v in FRICTIONS)}; slopes "
        f"{' and '.join(f'{v / 100:g}' for v in SLOPES)} rad; pushed both ways",
        controls=f"SoftFoot-Q within {100 * level['softfoot_q']:.0f} %; {100 * incline['softfoot_q']:.0f} %, flat foot "
        f"{100 * level['flat']:.0f} % on the plane: parts that swing as a foot breaks loose add to its largest reading",
    )


def _off(f: Figures, what: str, foot: str, steps: tuple[int, ...]) -> float:
    """Largest error of what a foot holds, as a share."""
    return max(abs(held - 1) for step in steps for held in f[f"rig.{what}_{foot}_{step}"])
