"""Options that the bench commands share."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from plantar._files import open_output
from plantar.cli.common import NEW_FOLDERS
from plantar.cli.feet.feet import find_foot, parse_change
from plantar.errors import InvalidInput

FootName = Annotated[
    str,
    typer.Option(
        "--foot", metavar="NAME", help="softfoot, published (the released twin), softfoot_q, or a foot's .json file."
    ),
]
Chains = Annotated[int | None, typer.Option("--chains", help="Chains of the foot, 1 to 5.")]
Set = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="FIELD=VALUE", help="Change a field of the foot, as in band.hardness=70."),
]
GroundFile = Annotated[
    Path | None,
    typer.Option("--ground", metavar="FILE", help="A ground.json of `plantar ground`, for the contacts of the rig."),
]
RigSet = Annotated[
    list[str] | None,
    typer.Option("--rig", metavar="FIELD=VALUE", help="A rig.json, or a field of the rig to change, as in tilt=0.05."),
]


def make_foot(name: str, chains: int | None, changes: list[str] | None, *, quadruped: bool = False) -> Any:
    """The SoftFoot that a command line describes, or where `quadruped` is on a SoftFoot-Q.

    Raises:
        InvalidInput: If there is no such foot, or the bench cannot hold it.
    """
    from plantar.feet import SoftFoot, SoftFootQ  # noqa: PLC0415  (MuJoCo is loaded only when a command needs it)

    foot = SoftFoot.published() if name == "published" else find_foot(name)
    if not isinstance(foot, SoftFoot) and not (quadruped and isinstance(foot, SoftFootQ)):
        known = "softfoot, published or softfoot_q" if quadruped else "softfoot or published"
        raise InvalidInput(f"--foot {name!r} is not allowed: this bench takes a SoftFoot, give {known}")
    if chains is not None and chains != foot.chains:
        even = {"chain_offsets": None} if isinstance(foot, SoftFoot) else {}
        foot = replace(foot, chains=chains, **even)
    return foot.with_(**dict(parse_change(text) for text in changes or []))


def bench_foot(name: str, chains: int | None, changes: list[str] | None, *, quadruped: bool = False) -> Any:
    """As `make_foot`, with a single chain unless told otherwise, as on the bench of the paper.

    A SoftFoot-Q keeps its chains: on a single one it would tip over about its roll hinges.
    """
    single = chains is None and not name.endswith(".json") and not name.startswith("softfoot_q")
    return make_foot(name, 1 if single else chains, changes, quadruped=quadruped)


def make_rig(changes: list[str] | None, ground: Path | None = None) -> Any:
    """The press that a command line describes: a rig.json, a ground for its contacts, fields to change."""
    from plantar._fields import edited  # noqa: PLC0415
    from plantar.bench.press.rig import PressRig, load_rig  # noqa: PLC0415

    files = [text for text in changes or [] if text.endswith(".json") and "=" not in text]
    if len(files) > 1:
        raise InvalidInput(f"--rig {files[1]!r} is not allowed: one rig file is enough")
    rig = load_rig(files[0]) if files else PressRig()
    if ground is not None:
        rig = _on_ground(rig, ground)
    return edited(rig, dict(parse_change(text) for text in changes or [] if text not in files))


def _on_ground(rig: Any, file: Path) -> Any:
    """The rig with supports and obstacle made of the ground in `file`."""
    from plantar.ground import Ground, load_ground  # noqa: PLC0415

    ground = load_ground(file)
    if not isinstance(ground, Ground):
        raise InvalidInput(f"--ground {str(file)!r} is not allowed: a bench does not yield, give solver parameters")
    contact = {"contact_solref": ground.solref, "contact_solimp": ground.solimp, "friction": ground.friction[0]}
    return replace(rig, **contact)


def numbers(option: str, text: str) -> list[float]:
    """The numbers of `A,B,...`.

    Raises:
        InvalidInput: If one of them is no number.
    """
    try:
        values = [float(item) for item in text.split(",")]
    except ValueError:
        values = [math.nan]
    if not all(map(math.isfinite, values)):
        raise InvalidInput(f"{option} {text!r} is not allowed: give numbers separated by commas, as in 12,24")
    return values


def whole_numbers(option: str, text: str) -> list[int]:
    """The whole numbers of `A,B,...`."""
    values = numbers(option, text)
    if any(value != int(value) for value in values):
        raise InvalidInput(f"{option} {text!r} is not allowed: give whole numbers separated by commas, as in 1,2,3")
    return [int(value) for value in values]


def results_folder(out: Path | None, name: str, overwrite: bool) -> Path:
    """The folder of `--out`, or the first free one of runs/NAME, runs/NAME-2, ..."""
    if out is None:
        number, out = 1, Path("runs") / name
        while out.exists():
            number += 1
            out = Path("runs") / f"{name}-{number}"
    if not out.exists():
        NEW_FOLDERS.append(out)
    return open_output(out, overwrite=overwrite)
