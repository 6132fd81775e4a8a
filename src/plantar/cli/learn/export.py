"""`plantar learn export`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from plantar.cli.common import Json, Overwrite, check_file, emit
from plantar.errors import InvalidInput
from plantar.learn import require_learn


def export(
    checkpoint: Annotated[Path, typer.Argument(help="checkpoint.pt of a training.")],
    to: Annotated[Path | None, typer.Option("--to", metavar="FILE.onnx", help="File to write.")] = None,
    overwrite: Overwrite = False,
    as_json: Json = False,
) -> None:
    """Write the policy of a checkpoint as policy.onnx with its card; needs PyTorch."""
    if not checkpoint.is_file():
        raise InvalidInput(f"{str(checkpoint)!r} is not a file: give checkpoint.pt of `plantar learn train`")
    path = to or checkpoint.with_name("policy.onnx")
    check_file(path, ".onnx", overwrite, "--to")
    require_learn()
    from plantar.learn.export import export as write  # noqa: PLC0415  (PyTorch; its help is there without)

    write(checkpoint, path)
    emit({"policy": str(path)}, as_json=as_json, text=f"policy: {path}\nnext: plantar learn evaluate {path}")
