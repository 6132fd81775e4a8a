"""`plantar learn export`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from plantar.cli.common import Json, Overwrite, check_file, emit
from plantar.errors import InvalidInput
from plantar.learn import Policy, load_learn


def export(
    checkpoint: Annotated[Path, typer.Argument(metavar="CHECKPOINT", help="checkpoint.pt from a training.")],
    to: Annotated[Path | None, typer.Option("--to", metavar="FILE.onnx", help="File to write.")] = None,
    light: Annotated[
        Path | None,
        typer.Option(metavar="FILE.pt", help="Also write a small checkpoint for `learn train --start`."),
    ] = None,
    overwrite: Overwrite = False,
    as_json: Json = False,
) -> None:
    """Write the policy of a checkpoint as policy.onnx with its card; needs PyTorch."""
    if not checkpoint.is_file():
        raise InvalidInput(f"{str(checkpoint)!r} is not a file: give checkpoint.pt from `plantar learn train`")
    path = to or checkpoint.with_name("policy.onnx")
    check_file(path, ".onnx", overwrite, "--to")
    if light is not None:
        check_file(light, ".pt", overwrite, "--light")
    exporting = load_learn("plantar.learn.exporting")
    exporting.export(checkpoint, path)
    record, text = {"policy": str(path)}, f"policy: {path}\nnext: {next_step(path)}"
    if light is not None:
        record["light"] = str(exporting.lighten(checkpoint, light))
        text = f"checkpoint: {light}\n{text}"
    emit(record, as_json=as_json, text=text)


def next_step(policy: Path) -> str:
    """The command that lets a policy walk."""
    return f"plantar learn evaluate {policy}" + (" --stiffness 1" if Policy(policy).card.unfelt else "")
