"""`plantar feet check`."""

from __future__ import annotations

from typing import Annotated, Literal

import mujoco
import typer

from plantar._mjcf import read_by_mujoco
from plantar.bench.press.check_rig import on_press
from plantar.cli.common import Json, emit, table_text
from plantar.cli.foot_options import NAMING, Set, read_foot
from plantar.errors import InvalidInput
from plantar.feet.timestep import check_model


def check(
    foot: Annotated[str, typer.Argument(metavar="FOOT", help=f"{NAMING}; or an MJCF .xml file.")],
    changes: Set = None,
    mounted: Annotated[
        bool, typer.Option(help="Check the foot on the press; otherwise alone with its ankle fixed.")
    ] = True,
    integrator: Annotated[
        Literal["euler", "implicitfast", "implicit", "discrete"] | None,
        typer.Option(help="Integrator to use instead of the model's."),
    ] = None,
    verify: Annotated[bool, typer.Option(help="Also find the largest stable step by simulation.")] = True,
    as_json: Json = False,
) -> None:
    """Predict the largest stable time step of a foot or model, and say what limits it."""
    forecast = check_model(_spec(foot, changes, mounted), integrator=integrator, verify=verify)
    rows = [
        {"what": b.what, "element": b.element, "limit [ms]": 1e3 * b.step, "hard": b.hard, "why": b.why}
        for b in forecast.bounds[:8]
    ]
    emit(forecast.record(), as_json=as_json, text="\n".join([forecast.advice, "", table_text(rows)]))


def _spec(text: str, changes: list[str] | None, mounted: bool) -> mujoco.MjSpec:
    if not text.endswith(".xml"):
        foot = read_foot(text, changes)
        return on_press(foot) if mounted else foot.spec()
    if changes:
        raise InvalidInput(f"--set {changes[0]!r} is not allowed with {text}: an MJCF file has no fields")
    with read_by_mujoco(text, "model"):
        return mujoco.MjSpec.from_file(text)
