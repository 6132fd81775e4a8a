"""What all commands share: options, errors and exit codes, machine-readable output."""

from __future__ import annotations

import contextlib
import errno
import functools
import inspect
import json
import math
import os
import re
import signal
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, NoReturn, ParamSpec

import typer

from plantar import progress as _progress
from plantar._checks import require
from plantar._extras import require_extra
from plantar._figure_format import WANTED
from plantar._files import to_json, write_text
from plantar._folders import DUMPS, claim_numbered, holding, open_output, read_path, remove_empty
from plantar._read import reason, unique_names
from plantar._rows import table_text  # noqa: F401  (commands take it from here)
from plantar._signals import Stopped, asked_to_stop
from plantar.cli.terminal import emit, note, print_error  # noqa: F401  (commands take them from here)
from plantar.errors import InvalidInput, PlantarError

NO_ROOM = re.compile("failed to map segment|annot allocate memory")
"""What libraries say that cannot be loaded into what memory is left."""
CLOSED = (errno.EACCES, errno.ENAMETOOLONG, errno.ELOOP)
"""Errors of the system for paths that cannot exist or are not accessible."""
LARGEST = 2**63 - 1
"""Integers go into tables and files as 64 bits."""
FAILED, BAD_INPUT = 1, 2
"""Exit codes: the work failed; the input cannot be used. 0 means done, 128 + N stopped by signal N."""


def _folder(text: str | Path) -> Path:
    """The folder named by an option, checked before anything else is done."""
    try:
        return read_path(text, "--out")
    except InvalidInput as error:
        raise typer.BadParameter(str(error)) from error


_RESULTS = typer.Option(
    "--out", metavar="DIR", help="Folder for tables, report and config.json [default: runs/NAME].", parser=_folder
)
Out = Annotated[Path | None, _RESULTS]
OutTables = Annotated[Path | None, _RESULTS]
"""Folder of a command that draws no figures."""
OutModel = Annotated[
    Path | None,
    typer.Option("--out", metavar="DIR", help="Write the model here; else only report what changed.", parser=_folder),
]
"""Folder of a command that optionally writes a model."""
FigureFormat = Annotated[
    Literal["png", "svg", "pdf"],
    typer.Option("--figure-format", help="Format of figures; svg and pdf come in addition to the report's PNGs."),
]
"""Every command with `out: Out` has it."""
Json = Annotated[bool, typer.Option("--json", help="Print one line of JSON on stdout and nothing else.")]
Overwrite = Annotated[bool, typer.Option("--overwrite", help="Replace files of the same name.")]
Seed = Annotated[int, typer.Option("--seed", min=0, max=LARGEST, help="Random seed.")]
Draws = Annotated[
    int, typer.Option("--draws", min=1, help="Trials per cell; draw k is the same ground and start in every cell.")
]

Progress = _progress.Progress

NEW_FOLDERS: list[Path] = []
"""Folders made by the running command, inner ones first; those still empty at the end are removed."""
NEW_SETTINGS: list[Path] = []
"""Folders to which the running command gave settings; taken away again from those that hold nothing else at the end."""
VIEWS = {"html": ".html", "video": ".mp4"}
"""Options that name a file to view, and its suffix."""
SETTINGS = "settings.json"
"""Settings of a resumable run; it resumes only with the same ones."""
BEGUN = (SETTINGS, "sweep.sqlite")
"""Files of a folder whose run can be resumed."""

P = ParamSpec("P")


def run_command(function: Callable[P, Any]) -> Callable[P, None]:
    """Turn Plantar's errors into one line on stderr and an exit code.

    Put it under `@app.command()`. `InvalidInput` exits with 2; any other `PlantarError`, a full or
    missing disk and too little memory with 1; Ctrl-C and SIGTERM with 130 and 143. Others keep their traceback.
    """
    takes_folder = function.__annotations__.get("out") in ("Out", "OutTables", "OutModel")

    @functools.wraps(function)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        with ends_in_a_line(), holding():
            DUMPS.append(None)
            WANTED.set(str(kwargs.pop("figure_format", "png")))
            try:
                _refuse_early(kwargs, takes_folder)
                function(*args, **kwargs)
            finally:
                DUMPS.pop()
                _take_back()

    return _with_figures(run) if function.__annotations__.get("out") == "Out" else run


def _take_back() -> None:
    """Free the folders of a command that was refused, or stopped, before its first result."""
    for folder in NEW_SETTINGS:
        if _only_settings(folder):
            (folder / SETTINGS).unlink()
    remove_empty(NEW_FOLDERS)
    NEW_SETTINGS.clear()
    NEW_FOLDERS.clear()


def _only_settings(folder: Path) -> bool:
    """Whether a folder holds settings and no result."""
    try:
        return os.listdir(folder) == [SETTINGS]
    except OSError:
        return False


def _with_figures(run: Callable[P, None]) -> Callable[P, None]:
    """The command with `--figure-format` before its `--out`."""
    signature = inspect.signature(run, eval_str=True)
    options = list(signature.parameters.values())
    at = list(signature.parameters).index("out")
    kind = inspect.Parameter.KEYWORD_ONLY
    options = [option.replace(kind=kind) for option in options]
    options.insert(at, inspect.Parameter("figure_format", kind, default="png", annotation=FigureFormat))
    run.__signature__ = signature.replace(parameters=options)  # type: ignore[attr-defined]
    run.__annotations__ = {**run.__annotations__, "figure_format": FigureFormat}
    return run


def _refuse_early(options: Mapping[str, Any], takes_folder: bool) -> None:
    """Refuse unusable options before the work starts, and lock the folder of `--out` while it runs."""
    for name, value in options.items():
        small = not isinstance(value, int) or abs(value) <= LARGEST
        require(small, f"--{name.replace('_', '-')}", value, f"an integer, {LARGEST} at most")
        if name in VIEWS and isinstance(value, Path):
            require_extra("show")
            check_file(value, VIEWS[name], bool(options["overwrite"]), f"--{name}")
    if takes_folder and (out := options["out"]) is not None:
        NEW_FOLDERS.extend(folder for folder in (out, *out.parents) if not os.path.lexists(folder))
        # resumable work checks the folder itself
        goes_on = "overwrite" not in options or any(os.path.isfile(out / name) for name in BEGUN)
        open_output(out, overwrite=goes_on or options["overwrite"])


@contextlib.contextmanager
def ends_in_a_line() -> Iterator[None]:
    """Turn foreseen errors in the block into one line on stderr and an exit code."""
    try:
        try:
            yield
        except Exception as error:
            stop = asked_to_stop()  # of which a library has made an error of its own
            if stop is None or isinstance(error, typer.Exit | PlantarError):
                raise
            raise stop from error
    except PlantarError as error:
        fail(str(error), BAD_INPUT if isinstance(error, InvalidInput) else FAILED)
    except (MemoryError, ImportError) as error:
        if isinstance(error, ImportError) and not NO_ROOM.search(str(error)):
            raise
        fail(f"not enough memory ({str(error) or 'none is left'}): do less at once", FAILED)
    except OSError as error:
        if isinstance(error, FileNotFoundError) and error.filename is None:  # of `os.getcwd`
            fail("the folder you are in no longer exists: go to another one", BAD_INPUT)
        # files named by users are checked where they are opened; what remains is the disk itself
        place = f"{error.filename!r}: " if error.filename else ""
        fail(f"{place}{error.strerror or error}", BAD_INPUT if error.errno in CLOSED else FAILED)
    except (KeyboardInterrupt, Stopped) as stop:
        number = getattr(stop, "signal", signal.SIGINT)
        fail(str(stop) or "stopped by Ctrl-C", 128 + number)


def fail(message: str, code: int) -> NoReturn:
    """Print `message` as one line on stderr and exit with `code`."""
    print_error(message)
    raise typer.Exit(code)


def results_folder(
    out: Path | None, name: str, overwrite: bool, settings: Mapping[str, Any] | None = None, sweeps: str = ""
) -> Path:
    """The folder of `--out`, or the first free one of runs/NAME, runs/NAME-2, ...; no other process gets the same.

    It is locked against other processes until the command ends, and removed if the command leaves nothing in it but
    its settings.

    Args:
        out: Value of `--out`, or None.
        name: Name of the folder if `--out` is not given.
        overwrite: Whether a folder that holds files may be used; files of the same name are then replaced.
        settings: Everything the results depend on, for resumable work: they are written to settings.json, and a
            folder that holds the same ones, or nothing else, is opened again without `--overwrite`. Without `--out`
            that is the first one in runs/ that holds them.
        sweeps: Folder in it with the sweeps of the work, which begin anew where other settings are overwritten.

    Raises:
        InvalidInput: If the folder cannot be used, holds files, or holds other settings.
    """
    text = None if settings is None else to_json(settings, indent=2) + "\n"
    begun = _begun(out, name, text)
    if begun is not None:
        return _dumping(open_output(begun, overwrite=True))
    bare = out is not None and text is not None and _only_settings(out)
    if out is not None and text is not None and (out / SETTINGS).is_file() and not (overwrite or bare):
        raise InvalidInput(
            f"--out {str(out)!r} was started with different settings: give the same ones to resume, or another folder"
        )
    wanted = Path("runs") / name if out is None else out
    NEW_FOLDERS.extend(folder for folder in (wanted, *wanted.parents) if not folder.exists())
    folder = claim_numbered(wanted) if out is None else open_output(out, overwrite=overwrite or bare)
    if folder not in NEW_FOLDERS and out is None:
        NEW_FOLDERS.insert(0, folder)
    if text is not None:
        if sweeps:
            _forget(folder / sweeps)
        NEW_SETTINGS.append(folder)
        write_text(folder / SETTINGS, text)
    return _dumping(folder)


def _forget(folder: Path) -> None:
    """Take away the sweeps in a folder, which other settings would be refused for; all other files stay."""
    for database in sorted(folder.rglob("sweep.sqlite")):
        # the database last, so that what is left by a kill is still a sweep
        for file in ("table.csv", "table.parquet", "sweep.json", "sweep.sqlite-wal", "sweep.sqlite-shm"):
            database.with_name(file).unlink(missing_ok=True)
        database.unlink()


def _dumping(folder: Path) -> Path:
    """The folder, which also receives the last state of a simulation that diverges."""
    if DUMPS:
        DUMPS[-1] = folder
    return folder


def _begun(out: Path | None, name: str, text: str | None) -> Path | None:
    """The folder in which a run with these settings was started."""
    if text is None:
        return None
    named = [Path("runs") / name, *sorted(Path("runs").glob(f"{name}-*"))] if out is None else [out]
    return next((folder for folder in named if _text_of(folder / SETTINGS) == text), None)


def _text_of(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return None


def parse_changes(option: str, changes: Sequence[str] | None) -> dict[str, Any]:
    """Fields and values of `FIELD=VALUE` strings; a value is a JSON number, list, true, false or null, else a string.

    Raises:
        InvalidInput: If one of them is not of that form; the message names `option`.
    """
    found = {}
    for text in changes or ():
        field, equals, value = text.partition("=")
        if not equals or not field.strip():
            raise InvalidInput(f"{option} {text!r} is not allowed: give FIELD=VALUE, as in {option} friction=0.8")
        if field.strip() in found:
            raise InvalidInput(f"{option} {text!r} is not allowed: {field.strip()} is set twice, give it once")
        found[field.strip()] = parse_value(f"{option} {field.strip()}", value)
    return found


def parse_value(field: str, text: str) -> Any:
    """A JSON number, list, true, false or null; anything else is a string.

    Raises:
        InvalidInput: If it is nested too deeply, a number has too many digits, or a name stands twice.
    """
    try:
        return json.loads(text, object_pairs_hook=unique_names)
    except json.JSONDecodeError:
        return text.strip()
    except (RecursionError, ValueError) as error:
        raise InvalidInput(
            f"{field} is not allowed ({reason(error)}): give a short JSON value, each name once"
        ) from error


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
    """The integers of `A,B,...`."""
    values = numbers(option, text)
    if any(value != int(value) for value in values):
        raise InvalidInput(f"{option} {text!r} is not allowed: give integers separated by commas, as in 1,2,3")
    return [int(value) for value in values]


def check_file(path: Path, suffix: str, overwrite: bool, option: str = "file") -> None:
    """Refuse the name of a file that cannot be written or would replace another, before any work is done.

    Raises:
        InvalidInput: If it does not end in `suffix`, exists and `overwrite` is off, or its folder does not exist.
    """
    if path.suffix.lower() != suffix:
        raise InvalidInput(f"{option} {str(path)!r} is not allowed: give a file that ends in {suffix}")
    try:
        with contextlib.suppress(FileNotFoundError):
            os.lstat(path)
    except OSError as error:
        raise InvalidInput(f"{option} {str(path)!r} cannot be written ({error.strerror}): give another") from error
    if path.is_dir():
        raise InvalidInput(f"{option} {str(path)!r} is a folder: give the name of a file")
    if path.exists() and not path.is_file():
        raise InvalidInput(f"{option} {str(path)!r} is a pipe or device: give the name of a file")
    if os.path.lexists(path) and not overwrite:
        raise InvalidInput(f"{option} {str(path)!r} exists: give another name, or --overwrite to replace it")
    folder = path.absolute().parent
    if not folder.is_dir() or not os.access(folder, os.W_OK):
        raise InvalidInput(f"{option} {str(path)!r} cannot be written: give a file in a folder you may write to")
