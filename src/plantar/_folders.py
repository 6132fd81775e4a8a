"""Folders of results: one function opens them all, keeps other runs out, and loses nothing that is there."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from plantar._checks import require
from plantar.errors import InvalidInput, PlantarError

try:
    import fcntl
except ImportError:  # not on Windows, where two runs are distinguished only by what they wrote
    fcntl = None

LONGEST_NAME = 100
"""Letters of a name that becomes the name of a file, at most."""
FORBIDDEN = '/\\:*?"<>|'
"""Characters that some file system takes for something else."""
RESERVED = {"CON", "PRN", "AUX", "NUL", *(f"{port}{i}" for port in ("COM", "LPT") for i in range(1, 10))}
"""Names that are devices of Windows."""
DISK_FAULTS = (errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EFBIG)
"""What a disk says that is full or broken: the work failed, though the input was right."""

DUMPS: list[Path | None] = []
"""Where simulations that diverge leave their last good state: the last one counts, None is nowhere; without any it is
the temporary folder of the system."""

_held: list[dict[tuple[int, int], int]] = []
"""Folders that each open `holding` keeps others out of: device and inode, and the descriptor that is locked."""


def check_name(field: str, name: object) -> None:
    """Raise unless `name` can be part of a path: what comes from a file and becomes a name of one goes through here.

    Raises:
        InvalidInput: If it is not a string, empty, too long, leads elsewhere (`../x`, `/x`), is hidden, or cannot be a
            name.
    """
    ok = isinstance(name, str) and name.strip() == name and 0 < len(name) <= LONGEST_NAME
    ok = ok and name[0] not in ".-~" and name[-1] != "." and name.isprintable()  # type: ignore[index]
    ok = ok and not set(FORBIDDEN) & set(name) and name.split(".")[0].upper() not in RESERVED  # type: ignore[arg-type]
    shown = f"{name[:40]}..." if isinstance(name, str) and len(name) > 40 else name
    allowed = f"a name of 1 to {LONGEST_NAME} letters, digits, spaces, _ and -, without folders"
    require(bool(ok), field, shown, allowed)


def file_name(text: str) -> str:
    """`text` with all that no file's name may hold replaced by `_`: for names of files made from labels."""
    kept = "".join("_" if c in FORBIDDEN or not c.isprintable() else c for c in text).strip(" .~-")[:LONGEST_NAME]
    return f"_{kept}" if not kept or kept.split(".")[0].upper() in RESERVED else kept


def read_path(text: str | Path, what: str = "output folder") -> Path:
    """The path that a user means by `text`; `~` is the home folder even where no shell has seen it.

    Raises:
        InvalidInput: If it is empty, or no path at all.
    """
    named = str(text)
    require(named.strip() != "", what, named, "a name, or . for the folder you are in")
    require("\0" not in named, what, named, "a name without zero bytes")
    try:
        return Path(named).expanduser()
    except RuntimeError as error:  # ~nobody
        raise InvalidInput(f"{what} {named!r} is not allowed: there is no such user, give a path") from error


@contextlib.contextmanager
def holding() -> Iterator[None]:
    """Keep other processes out of the folders that are opened inside the block, until it ends."""
    _held.append({})
    try:
        yield
    finally:
        for descriptor in _held.pop().values():
            os.close(descriptor)


def open_output(folder: str | Path, overwrite: bool = False) -> Path:
    """Make `folder` ready for results; every command and every `write` and `export` opens its folder here.

    Inside `holding` no other process can open the folder until that block ends.

    Args:
        folder: Where results go; made with its parents if it is not there.
        overwrite: Whether a folder that already holds files may be used; files of the same name are
            then replaced one by one, others stay.

    Raises:
        InvalidInput: If the folder cannot be made or written, is a file, holds files already, or is in use.
        PlantarError: If the disk is full or broken.
    """
    path = read_path(folder)
    made = [p for p in (path, *path.parents) if not os.path.lexists(p)]
    try:
        _make(path)
        _hold(path)
        _probe(path)
        if not overwrite and any(not item.name.startswith(".") for item in path.iterdir()):
            raise InvalidInput(
                f"output folder {str(path)!r} already holds files: give a new folder, or overwrite to replace them"
            )
    except BaseException:
        remove_empty(made)
        raise
    return path


def claim_numbered(folder: Path) -> Path:
    """The first of `folder`, `folder-2`, ... that is not there, made and opened; two processes never get the same."""
    number, path = 1, folder
    while True:
        with contextlib.suppress(FileExistsError):
            _make(path, fresh=True)
            return open_output(path)
        number += 1
        path = folder.with_name(f"{folder.name}-{number}")


def remove_empty(folders: list[Path]) -> None:
    """Take back folders that were made for results which never came; those that hold anything stay."""
    for folder in folders:
        with contextlib.suppress(OSError):
            folder.rmdir()


@contextlib.contextmanager
def filling(folder: str | Path, overwrite: bool = False) -> Iterator[Path]:
    """Give a scratch folder whose files go to `folder` only if all goes well; else nothing is left behind.

    Files of the same name are then replaced one by one, links among them and not what they point to; others stay.

    Args:
        folder: Where results go, as in `open_output`.
        overwrite: Whether a folder that already holds files may be used.

    Raises:
        InvalidInput: If the folder cannot be made or written, is a file, holds files already, or is in use.
    """
    path = read_path(folder)
    made = [p for p in (path, *path.parents) if not os.path.lexists(p)]
    with holding():
        open_output(path, overwrite)
        _clear_up(path)
        try:
            begun = f".filling-{os.getpid()}-"
            with tempfile.TemporaryDirectory(dir=path, prefix=begun, ignore_cleanup_errors=True) as name:
                yield Path(name)
                _move_files(Path(name), path)
        except BaseException:
            remove_empty(made)
            raise


def _clear_up(path: Path) -> None:
    """Take away scratch folders of processes that were killed on this machine while they filled `path`."""
    if os.name == "nt":  # where signal 0 is Ctrl-C
        return
    for left in path.glob(".filling-*-*"):
        with contextlib.suppress(OSError, ValueError, OverflowError):
            try:
                os.kill(int(left.name.split("-")[1]), 0)
            except ProcessLookupError:
                shutil.rmtree(left, ignore_errors=True)


def _make(path: Path, fresh: bool = False) -> None:
    """Make a folder; an error of the system says which and why. One that must be `fresh` may not be there."""
    with _explained(path):
        if fresh:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.mkdir()
            return
    with _explained(path), _nowhere(path):
        if path.exists() and not path.is_dir():
            raise InvalidInput(f"output folder {str(path)!r} is a file: give the name of a folder")
        path.mkdir(parents=True, exist_ok=True)


def _probe(path: Path) -> None:
    # mode bits lie for root and on network drives; a file written is the only sure answer
    with _explained(path), tempfile.TemporaryFile(dir=path):
        pass


def _hold(path: Path) -> None:
    """Lock a folder for as long as the innermost `holding` lasts; without one, only see that no other has it."""
    if fcntl is None:
        return
    with _explained(path):
        descriptor = os.open(path, os.O_RDONLY)
    place = os.fstat(descriptor)
    key = place.st_dev, place.st_ino
    kept = False
    try:
        if any(key in held for held in _held):
            return
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if _held:
            _held[-1][key], kept = descriptor, True
    except BlockingIOError:
        raise InvalidInput(
            f"output folder {str(path)!r} is in use by another run: wait until it ends, or give another folder"
        ) from None
    except OSError:  # a file system without locks
        pass
    finally:
        if not kept:
            os.close(descriptor)


@contextlib.contextmanager
def _nowhere(path: Path) -> Iterator[None]:
    try:
        yield
    except FileExistsError as error:
        message = f"output folder {str(path)!r} goes through a link to nowhere: give a folder that can be made"
        raise InvalidInput(message) from error


@contextlib.contextmanager
def _explained(path: Path) -> Iterator[None]:
    try:
        yield
    except (FileExistsError, InvalidInput):
        raise
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        if getattr(error, "errno", 0) in DISK_FAULTS:
            raise PlantarError(f"output folder {str(path)!r} cannot be written ({reason}): fix that first") from error
        raise InvalidInput(
            f"output folder {str(path)!r} cannot be written ({reason}): give a folder you may write to"
        ) from error


def _move_files(source: Path, target: Path) -> None:
    """Move all files of a folder and of those in it, over files of the same name."""
    for file in sorted(f for f in source.rglob("*") if f.is_file()):
        place = target / file.relative_to(source)
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
            os.replace(file, place)
        except OSError as error:
            raise InvalidInput(f"{str(place)!r} cannot be written ({error.strerror}): give a new folder") from error
