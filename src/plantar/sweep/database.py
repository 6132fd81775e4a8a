"""The file of a sweep, `sweep.sqlite`: opened by one run at a time and any number of readers."""

from __future__ import annotations

import contextlib
import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from plantar._files import to_json
from plantar.errors import InvalidInput, PlantarError

FILE, LOCK = "sweep.sqlite", ".lock"
APPLICATION = 0x504C5357
"""What SQLite's `application_id` holds in the file of a sweep: PLSW."""
SCHEMA = """
CREATE TABLE plan (record TEXT NOT NULL);
CREATE TABLE shapes (id INTEGER PRIMARY KEY, names TEXT NOT NULL, kinds TEXT NOT NULL);
CREATE TABLE trials (trial INTEGER PRIMARY KEY, seed INTEGER, status TEXT NOT NULL, error_type TEXT, error TEXT,
  shape INTEGER NOT NULL, cells TEXT NOT NULL);
"""
"""`cells` is a JSON list: the varying fields of the config, then what was returned, named by the row's shape."""
BUSY_S = 60.0
"""How long to wait for a reader or writer that is about to be done [s]."""
MOUNTS = Path("/proc/self/mounts")
REMOTE = ("nfs", "cifs", "smb", "9p", "virtiofs", "vboxsf", "afs", "ceph", "lustre", "gpfs", "beegfs", "fuse.")
"""Prefixes of the names of network file systems."""


def open_database(folder: Path, record: dict[str, Any]) -> sqlite3.Connection:
    """Open the sweep in `folder` for writing, or start it with `record` as its plan.

    Nothing is changed in a file that is there.
    """
    database = _connect(folder, "rwc")
    try:
        if not _is_sweep(database, folder):
            _use_journal(database, folder)
            database.executescript(f"BEGIN; {SCHEMA} PRAGMA application_id = {APPLICATION};")
            database.execute("INSERT INTO plan VALUES (?)", (to_json(record),))
            database.execute("COMMIT")
    except BaseException:
        database.close()
        raise
    return database


def begin_writing(database: sqlite3.Connection, folder: Path) -> None:
    """Make ready for rows."""
    _use_journal(database, folder)
    # NORMAL would survive kills; FULL also survives a power cut, and the store limits the cost
    database.execute("PRAGMA synchronous = FULL")


def close_database(database: sqlite3.Connection) -> None:
    """Put all rows into a single file and close it, so that it can be copied or read from read-only places."""
    with contextlib.suppress(sqlite3.Error):  # a reader is at work: SQLite keeps what is beside the file
        database.execute("PRAGMA busy_timeout = 0")
        database.execute("PRAGMA journal_mode = DELETE")
    database.close()


@contextlib.contextmanager
def reading(folder: Path) -> Iterator[sqlite3.Connection]:
    """Open the sweep in `folder` for reading, even while it is running.

    Raises:
        InvalidInput: If there is none, or its file is damaged.
    """
    nothing = f"{str(folder)!r} does not hold a sweep: give the `out` folder of a sweep"
    if not (folder / FILE).is_file():
        raise InvalidInput(nothing)
    with explained(folder), contextlib.closing(_connect(folder, "rw")) as database:
        if not _is_sweep(database, folder):
            raise InvalidInput(nothing)
        yield database


def read_plan(database: sqlite3.Connection) -> dict[str, Any]:
    """The plan, as given by `Plan.record`."""
    return json.loads(database.execute("SELECT record FROM plan").fetchone()[0])


def lock(folder: Path) -> sqlite3.Connection:
    """Lock `folder` against other runs until the returned object is closed or this process ends."""
    holder = sqlite3.connect(folder / LOCK, timeout=0.0, isolation_level=None)
    try:
        holder.execute("BEGIN EXCLUSIVE")
    except BaseException:
        holder.close()
        raise
    return holder


@contextlib.contextmanager
def explained(folder: Path) -> Iterator[None]:
    """Turn errors of SQLite and of the disk into one line each.

    Raises:
        InvalidInput: If the folder is in use by another run, or its file is damaged.
        PlantarError: If the disk is full or broken.
    """
    place = str(folder)
    try:
        yield
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        if code == sqlite3.SQLITE_BUSY:
            message = f"out = {place!r} is in use by another run: wait until it ends, or give another folder"
            raise InvalidInput(message) from None
        if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR):
            message = f"{place}/{FILE} is damaged or not a sweep ({error}): move it away, or give another folder"
            raise InvalidInput(message) from error
        raise PlantarError(f"{place!r} cannot be used ({error}): fix that and run again; {KEPT}") from error
    except json.JSONDecodeError as error:
        raise InvalidInput(f"{place}/{FILE} is damaged ({error}): move it away, or give another folder") from error
    except OSError as error:
        reason = error.strerror or str(error)
        raise PlantarError(f"{place!r} cannot be written ({reason}): fix that and run again; {KEPT}") from error


KEPT = "trials that already have a row are kept"


def _connect(folder: Path, mode: str) -> sqlite3.Connection:
    address = f"{(folder / FILE).absolute().as_uri()}?mode={mode}"
    return sqlite3.connect(address, uri=True, timeout=BUSY_S, isolation_level=None)


def _is_sweep(database: sqlite3.Connection, folder: Path) -> bool:
    """Whether this is the file of a sweep that was started."""
    if database.execute("PRAGMA application_id").fetchone()[0] == APPLICATION:
        return True
    if database.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
        raise InvalidInput(f"{folder}/{FILE} is another kind of database: move it away, or give another folder")
    return False


def _use_journal(database: sqlite3.Connection, folder: Path) -> None:
    """Write ahead where it is safe: on network drives a reader on another machine would corrupt the file."""
    if not _is_remote(folder):
        with contextlib.suppress(sqlite3.OperationalError):  # no shared memory here
            if database.execute("PRAGMA journal_mode = WAL").fetchone()[0] == "wal":
                return
    database.execute("PRAGMA journal_mode = TRUNCATE")


def _is_remote(folder: Path) -> bool:
    """Whether other machines may access the folder, as far as this system can tell."""
    try:
        mounts = [line.split()[1:3] for line in MOUNTS.read_text(encoding="utf-8").splitlines()]
    except OSError:  # not Linux
        return False
    here = folder.resolve()
    inside = [(len(place), kind) for place, kind in mounts if here.is_relative_to(place.replace("\\040", " "))]
    return max(inside, default=(0, ""))[1].startswith(REMOTE)
