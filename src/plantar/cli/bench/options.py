"""Options shared by the bench commands, and how they end."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from plantar._fields import edited
from plantar.bench.press.rig import PressRig, load_rig
from plantar.bench.result import Result
from plantar.cli.common import Progress, emit, parse_changes, results_folder
from plantar.cli.foot_options import read_foot
from plantar.cli.show_options import send_views
from plantar.errors import InvalidInput
from plantar.feet import Foot, SoftFoot
from plantar.ground import Ground, load_ground

Chains = Annotated[int | None, typer.Option("--chains", help="Chains of the foot, 1 to 5.")]
GroundFile = Annotated[
    Path | None,
    typer.Option(
        "--ground",
        metavar="FILE",
        help="A ground.json from `plantar ground`: its law is used on the bench and overrides the sole's contact.",
    ),
]
RigSet = Annotated[
    list[str] | None,
    typer.Option("--rig", metavar="FIELD=VALUE", help="A rig.json, or a field of the rig to change, as in tilt=0.05."),
]
Duration = Annotated[float, typer.Option(help="Maximum simulated time per trial [s].")]
Beside = Annotated[
    bool, typer.Option(help="Also measure the foot without tendons and the released twin, on the same plots.")
]


def make_foot(name: str, chains: int | None, changes: list[str] | None) -> Foot:
    """The foot that a command line describes.

    Raises:
        InvalidInput: If there is no such foot, or it has no chains to count.
    """
    foot = read_foot(name)
    if chains is not None:
        if not hasattr(foot, "chains"):
            raise InvalidInput(f"--chains {chains} is not allowed: foot {foot.name!r} has no chains")
        even = {"chain_offsets": None} if isinstance(foot, SoftFoot) and chains != foot.chains else {}
        foot = foot.with_(chains=chains, **even)
    return foot.with_(**parse_changes("--set", changes))


def bench_foot(name: str, chains: int | None, changes: list[str] | None) -> Foot:
    """As `make_foot`, a SoftFoot by name with a single chain by default, as on the bench of the paper."""
    by_name = not name.endswith(".json") and name != "-"
    single = chains is None and by_name and isinstance(read_foot(name), SoftFoot)
    return make_foot(name, 1 if single else chains, changes)


def make_rig(changes: list[str] | None, ground: Path | None = None) -> PressRig:
    """The press that a command line describes: a rig.json, a ground for its contacts, fields to change."""
    files = [text for text in changes or [] if text.endswith(".json") and "=" not in text]
    if len(files) > 1:
        raise InvalidInput(f"--rig {files[1]!r} is not allowed: give only one rig file")
    rig = load_rig(files[0]) if files else PressRig()
    if ground is not None:
        law = load_ground(ground)
        if not isinstance(law, Ground):
            raise InvalidInput(f"--ground {str(ground)!r} is not allowed: a bench cannot yield, give solver parameters")
        rig = replace(rig, ground=law, friction=law.friction[0])
    return edited(rig, parse_changes("--rig", [text for text in changes or [] if text not in files]))


@contextlib.contextmanager
def running(name: str, total: int, out: Path | None, overwrite: bool) -> Iterator[tuple[Path, Progress]]:
    """A folder for the results of a verb and a progress bar."""
    folder = results_folder(out, name, overwrite)
    with Progress(total, name) as bar:
        yield folder, bar


def finish(result: Result, folder: Path, as_json: bool, html: Path | None = None, video: Path | None = None) -> None:
    """Write a result and what is to be sent of it, and print it."""
    report = result.write(folder, overwrite=True)
    send_views(folder, html, video)
    record = {**result.record(), "folder": folder, "report": report}
    emit(record, as_json=as_json, text=f"{result.text()}\n\nreport: {report}")
