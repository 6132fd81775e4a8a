"""`plantar learn train`."""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from plantar._files import write_text
from plantar._read import reading
from plantar.cli.common import (
    SETTINGS,
    Json,
    Out,
    Overwrite,
    Progress,
    Seed,
    emit,
    note,
    numbers,
    parse_changes,
    results_folder,
    words,
)
from plantar.cli.foot_options import Set, read_foot
from plantar.cli.learn.export import next_step
from plantar.errors import InvalidInput
from plantar.learn import TaskConfig, TrainConfig, load_learn
from plantar.learn.config import CHECKPOINT, TERRAINS
from plantar.learn.subject import OWN, PLATE

WORLDS, CPU_WORLDS = TrainConfig().worlds, 256
"""Worlds unless a number is given: on a GPU, and on a CPU, where small batches learn more from as many steps."""
OF_TASK = tuple(name for name in TaskConfig.__dataclass_fields__ if name != "terrain")
TUNED = ("rate", "spread", "divergence", "entropy")
"""Fields of a training without an option of their own."""


def train(
    robot: Annotated[
        str,
        typer.Argument(
            metavar="ROBOT",
            help="unitree_g1 or unitree_go1 from mjlab, a built-in or Menagerie name, or the path of a model.",
        ),
    ],
    foot: Annotated[
        str,
        typer.Option("--foot", help="NAME[:FIDELITY], plate, or own; several, separated by commas, share the worlds."),
    ] = "softfoot:fast",
    task: Annotated[
        str, typer.Option("--task", help=f"Ground: {', '.join(TERRAINS)}, or a terrain from `plantar ground terrain`.")
    ] = "flat",
    changes: Set = None,
    fields: Annotated[
        list[str] | None,
        typer.Option("--task-set", metavar="FIELD=VALUE", help="Change a field of the task, as in locked=0.5."),
    ] = None,
    worlds: Annotated[
        int | None, typer.Option(min=1, help=f"Number of parallel worlds. [default: {WORLDS}, on a CPU {CPU_WORLDS}]")
    ] = None,
    iterations: Annotated[int, typer.Option(min=1, help="Total number of policy updates.")] = 3000,
    steps: Annotated[int, typer.Option(min=1, help="Control steps per world between two updates.")] = 24,
    hidden: Annotated[
        str, typer.Option(metavar="WIDTHS", help="Widths of the network's hidden layers; small ones suit a CPU.")
    ] = ",".join(map(str, TrainConfig().hidden)),
    mirror: Annotated[
        bool, typer.Option("--mirror", help="Learn from the mirror image of every step as well.")
    ] = False,
    tuning: Annotated[
        list[str] | None,
        typer.Option("--train-set", metavar="FIELD=VALUE", help=f"Change a field of the training: {', '.join(TUNED)}."),
    ] = None,
    minutes: Annotated[
        float | None, typer.Option(min=0.1, help="Stop after this many minutes; run again to resume.")
    ] = None,
    save_every: Annotated[float, typer.Option(min=1.0, help="Seconds between two checkpoints.")] = 120.0,
    start: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Checkpoint of a similar task to start from.")
    ] = None,
    device: Annotated[Literal["auto", "cpu", "cuda"], typer.Option(help="Where to train.")] = "auto",
    threads: Annotated[int, typer.Option(min=0, max=256, help="Threads on a CPU; 0 takes all cores.")] = 0,
    seed: Seed = 0,
    out: Out = None,
    overwrite: Overwrite = False,
    as_json: Json = False,
) -> None:
    """Train a policy for a robot on feet, thousands of worlds at once, or go on with one; needs PyTorch and mjlab."""
    if any(one.partition("=")[0].strip() == "terrain" for one in fields or ()):
        raise InvalidInput("--task-set terrain is not allowed: give --task")
    task_config = TaskConfig(**{"terrain": task, **_fields("--task-set", fields, OF_TASK)})
    tuned = _fields("--train-set", tuning, TUNED)
    widths: tuple[Any, ...] = tuple(int(one) if one.is_integer() else one for one in numbers("--hidden", hidden))
    config = TrainConfig(
        worlds=worlds or WORLDS,
        iterations=iterations,
        steps=steps,
        hidden=widths,
        mirror=mirror,
        seed=seed,
        **tuned,
    )
    kinds = [word if word in (OWN, PLATE) else read_foot(word, changes) for word in words(foot)]
    if not kinds:
        raise InvalidInput(f"--foot {foot!r} is not allowed: give a foot, plate, or own")
    if changes and all(kind in (OWN, PLATE) for kind in kinds):
        raise InvalidInput(f"--set {changes[0]!r} is not allowed: --foot {foot} has no fields, give a foot by its name")
    begun = None if start is None else _check_start(start, out)
    training, exporting = load_learn("plantar.learn.training"), load_learn("plantar.learn.exporting")
    if worlds is None and training.device_of(device) == "cpu":
        config = replace(config, worlds=CPU_WORLDS)

    # training may be extended later: everything except the number of updates must stay the same
    same = {name: getattr(config, name) for name in ("worlds", "steps", "hidden", "mirror", "seed", *TUNED)}
    settings = {"robot": robot, "feet": kinds, "task": task_config, **same, **({"start": begun} if begun else {})}
    old = _settings_in(out)
    folder = results_folder(out, "learn-train", overwrite, settings)
    anew = overwrite and out is not None and _settings_in(folder) != old
    with _keeping(folder, old), Progress(config.iterations, "updates") as bar:
        result = training.train(
            robot,
            kinds,
            task_config,
            config,
            out=folder,
            device=device,
            threads=threads,
            minutes=minutes,
            save_every=save_every,
            start=start,
            overwrite=anew,
            progress=bar.advance,
            say=note,
        )
    policy = exporting.export(folder / CHECKPOINT, folder / training.POLICY)
    record = {**result.record(), "policy": str(policy)}
    emit(record, as_json=as_json, text=f"{result.text()}\nnext: {next_step(policy)}")


def _check_start(start: Path, out: Path | None) -> str:
    """The SHA-256 of a checkpoint to start from, by which a folder knows it again."""
    if not start.is_file():
        raise InvalidInput(f"--start {str(start)!r} is not a file: give a checkpoint from `plantar learn train`")
    if out is not None and start.resolve() == (out / CHECKPOINT).resolve():
        raise InvalidInput(f"--start {str(start)!r} is the one in --out: resume without --start, or give another --out")
    with reading(start, "--start", "give a checkpoint from `plantar learn train`"):
        return hashlib.sha256(start.read_bytes()).hexdigest()


def _settings_in(folder: Path | None) -> str | None:
    """The settings of the training in a folder."""
    file = None if folder is None else folder / SETTINGS
    return file.read_text(encoding="utf-8", errors="replace") if file is not None and file.is_file() else None


@contextlib.contextmanager
def _keeping(folder: Path, settings: str | None) -> Iterator[None]:
    """Leave an earlier training in a folder its settings if the block fails before its checkpoint is replaced."""
    file, before = folder / CHECKPOINT, _changed(folder / CHECKPOINT)
    try:
        yield
    except BaseException:
        if settings is not None and before is not None and _changed(file) == before:
            write_text(folder / SETTINGS, settings)
        raise


def _changed(file: Path) -> int | None:
    return file.stat().st_mtime_ns if file.exists() else None


def _fields(option: str, changes: list[str] | None, known: tuple[str, ...]) -> dict[str, Any]:
    """Fields of a configuration."""
    found = parse_changes(option, changes)
    if unknown := [name for name in found if name not in known]:
        raise InvalidInput(f"{option} {unknown[0]} is not one of its fields: choose one of {', '.join(known)}")
    return found
