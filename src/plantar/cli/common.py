"""What every command shares: options, errors and exit codes, machine-readable output."""

from __future__ import annotations

import contextlib
import functools
import json
import math
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, NoReturn, ParamSpec

import typer

from plantar import progress as _progress
from plantar._files import open_output, to_json
from plantar._rows import table_text  # noqa: F401  (commands take it from here)
from plantar.errors import InvalidInput, PlantarError

FAILED, BAD_INPUT = 1, 2
"""Exit codes: the work failed; the input cannot be used. 0 means done."""

Out = Annotated[
    Path | None, typer.Option("--out", metavar="DIR", help="Write tables, figures and config.json to this folder.")
]
Json = Annotated[bool, typer.Option("--json", help="Print one line of JSON on stdout and nothing else.")]
Overwrite = Annotated[bool, typer.Option("--overwrite", help="Replace files of the same name in --out.")]
Seed = Annotated[int, typer.Option("--seed", min=0, help="Seed of everything random.")]
Draws = Annotated[
    int, typer.Option("--draws", min=1, help="Trials per cell; draw k is the same ground and start in every cell.")
]

Progress = _progress.Progress

NEW_FOLDERS: list[Path] = []
"""Folders made by the running command; they are removed if it fails before writing anything."""

P = ParamSpec("P")


def run_command(function: Callable[P, Any]) -> Callable[P, None]:
    """Turn Plantar's errors into one line on stderr and an exit code.

    Put it under `@app.command()`. `InvalidInput` exits with 2, any other `PlantarError` with 1; what
    was not foreseen keeps its traceback.
    """

    @functools.wraps(function)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            function(*args, **kwargs)
        except PlantarError as error:
            _remove_empty()
            fail(str(error), BAD_INPUT if isinstance(error, InvalidInput) else FAILED)

    return run


def _remove_empty() -> None:
    """Take back folders that were made for results which never came."""
    while NEW_FOLDERS:
        with contextlib.suppress(OSError):
            NEW_FOLDERS.pop().rmdir()  # refuses a folder that holds anything


def fail(message: str, code: int) -> NoReturn:
    """Print `message` as one line on stderr and leave with `code`."""
    print_error(message)
    raise typer.Exit(code)


def print_error(message: str) -> None:
    """Print `message` as one line on stderr."""
    print(f"plantar: error: {' '.join(message.split())}", file=sys.stderr)


def note(message: str) -> None:
    """Print a line for people on stderr, where it is never mistaken for a result."""
    print(message, file=sys.stderr)


def output_folder(out: Path | None, overwrite: bool = False) -> Path | None:
    """The folder of `--out`, ready to write to, or None if it was not given."""
    return None if out is None else results_folder(out, "", overwrite)


def results_folder(out: Path | None, name: str, overwrite: bool) -> Path:
    """The folder of `--out`, or the first free one of runs/NAME, runs/NAME-2, ..."""
    if out is None:
        number, out = 1, Path("runs") / name
        while out.exists():
            number += 1
            out = Path("runs") / f"{name}-{number}"
    NEW_FOLDERS.extend(folder for folder in reversed((out, *out.parents)) if not folder.exists())
    return open_output(out, overwrite=overwrite)


def parse_changes(option: str, changes: Sequence[str] | None) -> dict[str, Any]:
    """Fields and values of `FIELD=VALUE` texts; a value is a JSON number, list, true, false or null, else a string.

    Raises:
        InvalidInput: If one of them is not of that form; the message names `option`.
    """
    found = {}
    for text in changes or ():
        field, equals, value = text.partition("=")
        if not equals or not field.strip():
            raise InvalidInput(f"{option} {text!r} is not allowed: give FIELD=VALUE, as in {option} friction=0.8")
        try:
            found[field.strip()] = json.loads(value)
        except json.JSONDecodeError:
            found[field.strip()] = value.strip()
    return found


def words(text: str) -> tuple[str, ...]:
    """The parts of `A,B,...` without the spaces around them; empty ones are left out."""
    return tuple(part.strip() for part in text.split(",") if part.strip())


def numbers(option: str, text: str) -> list[float]:
    """The numbers of `A,B,...`.

    Raises:
        InvalidInput: If one of them is not a number.
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


def check_picture(path: Path, overwrite: bool) -> None:
    """Refuse a picture's path that cannot be written or would replace a file, before any work is done.

    Raises:
        InvalidInput: If it does not end in .png, exists and `overwrite` is off, or its folder does not exist.
    """
    if path.suffix.lower() != ".png":
        raise InvalidInput(f"--picture {str(path)!r} is not allowed: give a file that ends in .png")
    if path.exists() and not overwrite:
        raise InvalidInput(f"{path} exists: give another name, or --overwrite to replace it")
    if not path.absolute().parent.is_dir():
        raise InvalidInput(f"{path} cannot be written (no such folder): give a file in a folder that exists")


def emit(record: Mapping[str, Any], *, as_json: bool, text: str = "") -> None:
    """Print the result: `record` as one line of JSON, or `text` for people."""
    print(to_json(record) if as_json else text)
