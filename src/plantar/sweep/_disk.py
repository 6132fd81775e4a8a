"""Files that a kill cannot spoil: written beside, made durable, then put in place."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from plantar._files import replacing
from plantar.errors import InvalidInput

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None


@contextlib.contextmanager
def durable(path: Path) -> Iterator[Path]:
    """Give a scratch path that takes the place of `path`, on the disk itself, if all goes well."""
    with replacing(path) as scratch:
        yield scratch
        with scratch.open("rb+") as file:
            os.fsync(file.fileno())
    sync_folder(path.parent)


def write_durably(path: Path, text: str) -> None:
    """Write UTF-8 text in one durable piece."""
    with durable(path) as scratch:
        scratch.write_text(text, encoding="utf-8", newline="\n")


def sync_folder(folder: Path) -> None:
    """Make the names in a folder durable, where the system can."""
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def lock(folder: Path) -> IO[str]:
    """Keep other runs out of `folder` until the file that is returned is closed or this process ends.

    Raises:
        InvalidInput: If another run is at work there.
    """
    file = (folder / ".lock").open("a")
    if fcntl is not None:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            file.close()
            raise InvalidInput(
                f"out = {str(folder)!r} is in use by another run: wait until it ends, or give another folder"
            ) from None
    return file
