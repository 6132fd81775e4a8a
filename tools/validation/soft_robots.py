"""Soft robots: the table of Coevoet et al., sizes and times, and the modes of the Fetch."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from plantar.progress import Progress
from plantar.show.plots import COLOURS, figure, house_style
from plantar.soft import robots
from plantar.soft.reduction.card import ReductionCard
from plantar.soft.robots.reduced import reduce_robot, robot_cards
from validation.drawing import picture
from validation.records import Record, Row

SECONDS = 1.0
"""Of each demonstration; medians are over its steps."""
MACHINE = "Intel Core i5-4590"
"""Of the published times."""
PUBLISHED_MODES, WHOLE = 12, 15456
"""Of the paper's Fetch: degrees of freedom of the vertebrae that are kept, and before."""
TARGET = 0.05
"""Of the motion, within which a reduced robot is taken for the whole one."""
COMMAND = "`python tools/validate.py soft_robots --only {}`, `{}`"


def machine() -> str:
    """What computes here."""
    file = Path("/proc/cpuinfo")
    names = [line.split(":")[1].strip() for line in file.read_text().splitlines() if line.startswith("model name")]
    return names[0] if names else "a processor without a name"


def sizes() -> Record:
    """Degrees of freedom and time of a step, beside the published table."""
    found: dict[str, dict[str, Any]] = {}
    with Progress(len(robots.names()), "robots") as shown:
        for name in robots.names():
            robot = robots.get(name)
            done = robots.run(robot, duration=min(SECONDS, robot.duration))
            tally = done.scene.tally
            found[name] = {**done.row(), "steps": tally.steps, "converged": tally.converged}
            shown.advance()
    cells = [
        [name, row["material"], row["actuation"], "yes" if row["contact"] else "no", row["control"], str(row["dof"])]
        + [f"{row['dof_paper']}{f' of {WHOLE}' if name == 'fetch' else ''}", f"{row['dt_ms']:.0f}", f"{row['ms']:.1f}"]
        + [f"{row['ms_best']:.1f}", f"{row['ms_paper']:g}", "yes" if row["real_time"] else "no"]
        for name, row in found.items()
    ]
    columns = ["robot", "material", "actuators", "contact", "control", "degrees of freedom", "published"]
    columns += ["simulated [ms]", "median of a step [ms]", "quickest", "published", "faster than real time"]
    whole = {n: r for n, r in found.items() if n != "fetch"}
    slower = [n for n, r in whole.items() if r["ms"] > r["ms_paper"]]
    times = ", ".join(f"{n} {r['ms']:.1f} ({r['ms_paper']:g})" for n, r in whole.items())
    late = [n for n, r in found.items() if not r["real_time"]]
    steps, converged = (sum(r[key] for r in found.values()) for key in ("steps", "converged"))
    row = Row(
        what="time of a step, ours (published), six robots as whole models [ms]",
        place="Figure 3, table",
        published=f"real time, on an {MACHINE}",
        ours=f"{times}; slower than published: {', '.join(slower) or 'none'}; slower than the time they simulate: "
        f"{', '.join(late) or 'none'}; {converged} of {steps} steps converged",
        n=f"medians over {SECONDS:g} s of each demonstration, processor time of one core of a machine in use "
        f"({machine()}); nothing is scaled",
        controls="geometries, meshes and time steps are our own: the paper's are not published",
        verdict="only in a regime",
        regime=f"{len(whole) - len(slower)} of {len(whole)} as fast as published, "
        f"{len(found) - len(late)} of {len(found)} in real time without reduction, on a newer machine than the paper's",
        command=COMMAND.format("sizes", "python benchmarks/soft_robots.py"),
    )
    size = Row(
        what="degrees of freedom, largest difference from the published models",
        place="Figure 3, table",
        published=", ".join(f"{n} {r['dof_paper']}" for n, r in whole.items()),
        ours=", ".join(f"{n} {r['dof']}" for n, r in whole.items()),
        n="six robots; meshes were chosen to be near",
        verdict="reported",
        command=COMMAND.format("sizes", "plantar soft robot"),
    )
    real = Row(
        what="real diamond in open loop by the inverse: largest and mean error",
        place="Section VI-B",
        published="2.9 and 1.4 mm, by stereo vision",
        ours="no robot: not measured. The inverse of the simulated diamond meets its own goals (a row below), "
        "which says nothing about a real one",
        verdict="reported",
        command="`pytest tests/test_soft_inverse.py -k diamond`",
    )
    caption = "Time of a step of each robot, ours and published"
    return Record(
        title="The seven robots: sizes and times",
        text="The robots are the paper's in what they do and how they are driven, with geometries of our own. Its "
        f"times are those of an {MACHINE}; ours are not scaled. Where ours are slower, the row says so.",
        rows=[row, size, real],
        tables=[{"columns": columns, "rows": cells}],
        pictures=[picture("soft_robots", "sizes", _draw(found), caption)],
        values={"robots": found, "machine": machine()},
    )


def _draw(found: dict[str, dict[str, Any]]) -> Figure:
    with house_style():
        fig, axes = figure(1, 1, size=(8, 3.2))
        places = range(len(found))
        for shift, key, colour, name in ((-0.2, "ms", 0, "ours"), (0.2, "ms_paper", 3, "published")):
            bars = [row[key] for row in found.values()]
            axes[0, 0].bar([x + shift for x in places], bars, 0.4, color=COLOURS[colour], label=name)
        axes[0, 0].set_xticks(list(places), [f"{n}{' (whole)' if n == 'fetch' else ''}" for n in found])
        axes[0, 0].set(yscale="log", ylabel="a step [ms]")
        axes[0, 0].legend()
    return fig


def fetch() -> Record:
    """The Fetch reduced to the paper's 12 numbers and to ours."""
    robot, cards = robots.get("fetch"), {}
    with Progress(2, "reductions") as shown:
        for modes in (PUBLISHED_MODES, robot.modes):
            cards[modes] = {card.run: card for card in robot_cards(robot, reduce_robot(robot, modes=modes))}
            shown.advance()
    few, own = cards[PUBLISHED_MODES], cards[robot.modes]
    runs = list(own)
    enough = all(few[run].relative < TARGET for run in runs)
    row = Row(
        what=f"reduced Fetch with {PUBLISHED_MODES} and with {robot.modes} modes: largest error of a node over its "
        "demonstration; with the whole robot's pressures; with commands that were not seen; time of a step",
        place="Section VI-C",
        published=f"{PUBLISHED_MODES} degrees of freedom (rigid vertebrae), 7.5 ms; its error is not given",
        ours="; ".join(f"{100 * few[run].relative:.1f} and {100 * own[run].relative:.1f} %" for run in runs)
        + f" of the motion; {few[runs[0]].ms_reduced:.1f} and {own[runs[0]].ms_reduced:.1f} ms",
        n="one run of each kind, two stacked platforms; deterministic",
        controls="the whole robot, every node",
        verdict="confirmed" if enough else "only in a regime",
        regime="modes of motion in the place of the paper's vertebrae"
        + ("" if enough else f"; {PUBLISHED_MODES} of them err by more than {100 * TARGET:.0f} % in one of the runs"),
        command=COMMAND.format("fetch", "plantar soft reduce fetch --modes 12"),
    )
    names = ["run", "modes", "elements kept", "largest error [mm]", "of the motion", "efforts", "whole step [ms]"]
    return Record(
        title="The Fetch, reduced",
        text="The paper keeps the six motions of each of two rigid vertebrae. We keep modes of all that moves, by "
        "proper orthogonal decomposition, and weigh a part of the elements.",
        rows=[row],
        tables=[{
            "columns": [*names, "reduced step [ms]"],
            "rows": [_cells(card) for some in cards.values() for card in some.values()],
        }],
        values={f"{k} {run}": card.row() for k, some in cards.items() for run, card in some.items()},
    )  # fmt: skip


def _cells(card: ReductionCard) -> list[str]:
    errors = [f"{1000 * card.error:.2f}", f"{100 * card.relative:.1f} %", f"{100 * card.effort_error:.0f} %"]
    return [card.run, str(card.modes), str(card.elements), *errors, f"{card.ms_full:.1f}", f"{card.ms_reduced:.1f}"]
