"""Options that the bench commands share."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from plantar.cli.common import numbers, parse_changes, results_folder, whole_numbers  # noqa: F401
from plantar.cli.foot_options import FootOption, Set, read_foot  # noqa: F401
from plantar.errors import InvalidInput

FootName = FootOption
Chains = Annotated[int | None, typer.Option("--chains", help="Chains of the foot, 1 to 5.")]
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

    foot = read_foot(name)
    if not isinstance(foot, SoftFoot) and not (quadruped and isinstance(foot, SoftFootQ)):
        known = "softfoot, softfoot_published or softfoot_q" if quadruped else "softfoot or softfoot_published"
        raise InvalidInput(f"--foot {name!r} is not allowed: this bench takes a SoftFoot, give {known}")
    if chains is not None and chains != foot.chains:
        even = {"chain_offsets": None} if isinstance(foot, SoftFoot) else {}
        foot = replace(foot, chains=chains, **even)
    return foot.with_(**parse_changes("--set", changes))


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
    return edited(rig, parse_changes("--rig", [text for text in changes or [] if text not in files]))


def _on_ground(rig: Any, file: Path) -> Any:
    """The rig with supports and obstacle made of the ground in `file`."""
    from plantar.ground import Ground, load_ground  # noqa: PLC0415

    ground = load_ground(file)
    if not isinstance(ground, Ground):
        raise InvalidInput(f"--ground {str(file)!r} is not allowed: a bench does not yield, give solver parameters")
    contact = {"contact_solref": ground.solref, "contact_solimp": ground.solimp, "friction": ground.friction[0]}
    return replace(rig, **contact)
