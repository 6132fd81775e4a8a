"""`plantar bench windlass` and `plantar bench stiffness`: what the tendons and the sole do."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from plantar.cli.bench.options import Chains, FootName, Set, make_foot, numbers, results_folder
from plantar.cli.common import Json, Out, Overwrite, Progress, emit, run_command, table_text
from plantar.errors import InvalidInput

TAUT = 0.1
"""A tendon pulls from this tension on [N]."""
Beside = Annotated[
    bool, typer.Option(help="Measure the foot without tendons and the released twin beside it, on the same plots.")
]


@dataclass(frozen=True)
class Study:
    """A bench that is run on several feet."""

    name: str
    rows: int
    """Rows of each foot's table."""
    measure: Callable[[Any, Callable[[int], None]], Any]
    """The table of a foot; the second argument takes progress."""
    plot: Callable[[dict[str, Any]], Any]
    verdict: Callable[[Any], dict[str, Any]]
    """The few numbers that a foot's table comes down to."""
    columns: tuple[str, ...]
    """Columns that are printed."""
    settings: dict[str, Any]
    """What goes into config.json."""


@run_command
def windlass(
    foot: FootName = "softfoot",
    chains: Chains = None,
    changes: Set = None,
    stand: Annotated[
        float | None, typer.Option(metavar="N", help="Load of a foot standing on flat ground; without it, in the air.")
    ] = None,
    angles: Annotated[str, typer.Option(metavar="A,B,...", help="Toe angles [degrees].")] = "0,1,2,3,5,7,10,15,20,25",
    beside: Beside = True,
    out: Out = None,
    overwrite: Overwrite = False,
    as_json: Json = False,
) -> None:
    """Raise the toes step by step: arch height, heel-to-metatarsus distance, tendon tension, toe force."""
    from plantar.bench.windlass.plots import plot_windlass  # noqa: PLC0415
    from plantar.bench.windlass.windlass import LARGEST_ANGLE  # noqa: PLC0415  (MuJoCo is loaded only when needed)
    from plantar.bench.windlass.windlass import windlass as raise_toes  # noqa: PLC0415

    the_foot = make_foot(foot, chains, changes)
    wanted = [math.radians(angle) for angle in numbers("--angles", angles)]
    if not all(0 <= angle <= LARGEST_ANGLE for angle in wanted):
        most = math.degrees(LARGEST_ANGLE)
        raise InvalidInput(f"--angles {angles!r} is not allowed: give degrees from 0 to {most:g}")

    def measure(one: Any, progress: Callable[[int], None]) -> Any:
        return raise_toes(one, stand=stand, angles=wanted, progress=progress)

    columns = ("toe_angle", "arch_lift", "shortening", "tension", "toe_force", "vertical_stiffness", "settled")
    settings = {"stand": stand, "angles": wanted}
    study = Study("windlass", len(wanted), measure, plot_windlass, _windlass_verdict, columns, settings)
    _run(study, _feet(the_foot, beside), results_folder(out, study.name, overwrite), as_json)


@run_command
def stiffness(
    foot: FootName = "softfoot",
    chains: Chains = None,
    changes: Set = None,
    obstacle: Annotated[
        Literal["cylinder", "point", "flat"], typer.Option(help="What it is pressed on; cylinders lie across.")
    ] = "cylinder",
    radius: Annotated[float, typer.Option(help="Radius of the obstacle [m].")] = 0.025,
    loads: Annotated[str, typer.Option(metavar="A,B,...", help="Loads [N].")] = "0,5,10,20,40,70,100,150,200,300,400",
    beside: Beside = True,
    out: Out = None,
    overwrite: Overwrite = False,
    as_json: Json = False,
) -> None:
    """Press under a rising load: soft when lightly loaded, stiff when heavily loaded."""
    from plantar.bench.stiffness import stiffness as load_up  # noqa: PLC0415
    from plantar.bench.windlass.plots import plot_stiffness  # noqa: PLC0415

    the_foot = make_foot(foot, chains, changes, quadruped=True)
    forces = numbers("--loads", loads)

    def measure(one: Any, progress: Callable[[int], None]) -> Any:
        return load_up(one, obstacle=obstacle, radius=radius, loads=forces, progress=progress)

    columns = ("load", "deflection", "stiffness", "force_heel", "force_middle", "force_front", "tension", "settled")
    settings = {"obstacle": obstacle, "radius": radius, "loads": forces}
    study = Study("stiffness", len(forces), measure, plot_stiffness, _stiffness_verdict, columns, settings)
    _run(study, _feet(the_foot, beside), results_folder(out, study.name, overwrite), as_json)


def _run(study: Study, feet: dict[str, Any], folder: Path, as_json: bool) -> None:
    """Measure the feet, write tables, plot and report, print the first one's table."""
    from plantar._files import write_config, write_table  # noqa: PLC0415
    from plantar.bench.units import COLUMN_UNITS  # noqa: PLC0415
    from plantar.show.plots import save  # noqa: PLC0415
    from plantar.show.report import Section, write_report  # noqa: PLC0415

    with Progress(study.rows * len(feet), study.name) as bar:
        tables = {label: study.measure(one, bar.advance) for label, one in feet.items()}
    for label, table in tables.items():
        write_table(folder, label.replace(" ", "_"), table)
    write_config(folder, command=f"bench {study.name}", feet=feet, **study.settings)
    picture = save(study.plot(tables), folder / f"{study.name}.png")
    verdicts = [{"foot": label, **study.verdict(table)} for label, table in tables.items()]
    sections = [Section(title="At a glance", table=verdicts, units=COLUMN_UNITS, picture=picture)]
    sections += [Section(title=f"Foot: {label}", table=table, units=COLUMN_UNITS) for label, table in tables.items()]
    report = write_report(folder, f"{study.name.capitalize()} bench", sections)
    rows = {label: list(table) for label, table in tables.items()}
    record = {"summary": verdicts, "tables": rows, "folder": folder, "report": report}
    text = [table_text(tables["foot"], study.columns), "", table_text(verdicts), "", f"report: {report}"]
    emit(record, as_json=as_json, text="\n".join(text))


def _windlass_verdict(table: Any) -> dict[str, Any]:
    """When the tendons pull, how far the arch lifts, and how hard the toes resist; SI units."""
    taut = [row["toe_angle"] for row in table if row["tension"] > TAUT]
    last = table[-1]
    return {
        "taut_from_angle": taut[0] if taut else None,
        "tension_at_last": last["tension"],
        "highest_lift": float(table.column("arch_lift").max()),
        "lift_at_last": last["arch_lift"],
        "shortening_at_last": last["shortening"],
        "toe_force_at_last": last["toe_force"],
    }


def _stiffness_verdict(table: Any) -> dict[str, Any]:
    """Secant stiffness under light and heavy load and their ratio [N/m]; None where no such loads were run."""
    from plantar.bench.stiffness import secant  # noqa: PLC0415

    loads = set(table.column("load"))
    light = secant(table, 10, 40) if {10.0, 40.0} <= loads else None
    heavy = secant(table, 100, 200) if {100.0, 200.0} <= loads else None
    return {"from_10_to_40_N": light, "from_100_to_200_N": heavy, "ratio": heavy / light if heavy and light else None}


def _feet(foot: Any, beside: bool) -> dict[str, Any]:
    from plantar.feet import SoftFoot  # noqa: PLC0415

    feet = {"foot": foot}
    if not isinstance(foot, SoftFoot):
        return feet
    if beside and foot.tendon.present:
        feet["no tendons"] = foot.without_tendons()
    if beside and foot != SoftFoot.published():
        feet["released"] = SoftFoot.published().with_(chains=foot.chains, chain_offsets=None)
    return feet
