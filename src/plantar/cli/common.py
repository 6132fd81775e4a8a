"""What every command shares: options, errors and exit codes, machine-readable output."""

from __future__ import annotations

import contextlib
import functools
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, NoReturn, ParamSpec

import typer

from plantar import progress as _progress
from plantar._files import open_output, to_json
from plantar._rows import Rows, cell_text, columns_of, is_numeric
from plantar.errors import InvalidInput, PlantarError

FAILED, BAD_INPUT = 1, 2
"""Exit codes: the work failed; the input cannot be used. 0 means done."""

Out = Annotated[
    Path | None, typer.Option("--out", metavar="DIR", help="Write tables, figures and config.json to this folder.")
]
Json = Annotated[bool, typer.Option("--json", help="Print one line of JSON on stdout and nothing else.")]
Overwrite = Annotated[bool, typer.Option("--overwrite", help="Replace files of the same name in --out.")]
Seed = Annotated[int, typer.Option("--seed", min=0, help="Seed of everything random.")]

Progress = _progress.Progress

NEW_FOLDERS: list[Path] = []
"""Folders made by the running command; they go again if it fails before writing anything."""

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
    return None if out is None else open_output(out, overwrite=overwrite)


def emit(record: Mapping[str, Any], *, as_json: bool, text: str = "") -> None:
    """Print the result: `record` as one line of JSON, or `text` for people."""
    print(to_json(record) if as_json else text)


def table_text(rows: Rows, columns: Sequence[str] | None = None, digits: int = 4) -> str:
    """`rows` as aligned columns for a terminal; numbers have `digits` significant digits."""
    columns = list(columns or columns_of(rows))
    cells = [[cell_text(row.get(c), digits) for c in columns] for row in rows]
    widths = [max(map(len, column)) for column in zip(columns, *cells, strict=True)]
    right = [is_numeric(rows, c) for c in columns]
    lines = [columns, ["-" * w for w in widths], *cells]
    return "\n".join(
        "  ".join(c.rjust(w) if r else c.ljust(w) for c, w, r in zip(line, widths, right, strict=True)).rstrip()
        for line in lines
    )
