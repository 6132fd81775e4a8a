"""Files that users give: whatever is wrong with one is a line that names it, and none can fill the memory."""

from __future__ import annotations

import contextlib
import csv
import io
import json
import lzma
import struct
import sys
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TextIO

from plantar._folders import DISK_FAULTS
from plantar._memory import free_memory
from plantar.errors import InvalidInput, PlantarError

LARGEST_TEXT = 256_000_000
"""Bytes of a JSON, YAML or CSV file, at most."""
MOST_VALUES = 1_000_000
"""Values that a YAML file may expand to through its aliases, at most."""
DAMAGE = (OSError, ValueError, LookupError, TypeError, AttributeError, ArithmeticError, EOFError, RecursionError)
DAMAGE += (MemoryError, SyntaxError, NotImplementedError, zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error)
DAMAGE += (csv.Error,)
"""What reading a file can raise that is damaged, cut off, of another kind, or made to do harm."""


@contextlib.contextmanager
def reading(path: str | Path, what: str, advice: str) -> Iterator[Path]:
    """Turn whatever goes wrong while a file is read in the block into one line.

    Args:
        path: The file.
        what: What it is, as in `motion file`.
        advice: What to give instead.

    Raises:
        InvalidInput: If the file cannot be read or is not what it should be.
    """
    try:
        yield Path(path)
    except PlantarError:
        raise
    except DAMAGE as error:
        if isinstance(error, OSError) and error.errno in DISK_FAULTS:  # of what was written meanwhile, such as a cache
            raise
        raise InvalidInput(f"{what} {str(path)!r} cannot be read ({reason(error)}): {advice}") from error


def reason(error: BaseException) -> str:
    """Why a file cannot be read, for people."""
    if isinstance(error, UnicodeDecodeError):
        return "it is not valid UTF-8"
    if isinstance(error, RecursionError):
        return "it is nested too deeply"
    if isinstance(error, EOFError):
        return "it is cut off or empty"
    if isinstance(error, KeyError):
        return f"it has no {' '.join(map(str, error.args))}"
    if isinstance(error, json.JSONDecodeError):
        return f"it is not JSON, line {error.lineno}: {error.msg}"
    return getattr(error, "strerror", None) or " ".join(str(error).split()) or type(error).__name__


def read_text(path: str | Path) -> str:
    """The text of a file in UTF-8, with or without a byte-order mark; to be called inside `reading`."""
    with Path(path).open(encoding="utf-8-sig") as file:
        return _all_of(file)


def read_stdin() -> str:
    """The text of standard input; to be called inside `reading`."""
    return _all_of(sys.stdin)


def _all_of(file: TextIO) -> str:
    # the size that a system tells is that of a file, and not of a device or a pipe
    text = file.read(LARGEST_TEXT + 1)
    if len(text) > LARGEST_TEXT:
        raise ValueError(f"it has more than {LARGEST_TEXT / 1e6:.0f} MB")
    return text


def read_csv(path: str | Path, advice: str) -> list[dict[str, str]]:
    """Rows of a CSV file with a line of names; lines that start with # and empty ones are left out.

    Raises:
        InvalidInput: If it cannot be read, is empty, names a column twice, or has rows of other lengths.
    """
    with reading(path, "file", advice):
        lines = (line for line in io.StringIO(read_text(path)) if not line.startswith("#"))
        records = [[cell.strip() for cell in record] for record in csv.reader(lines, strict=True) if record]
        if not records:
            raise EOFError
        names = list(unique_names([(name, None) for name in records[0]]))
        if wrong := [record for record in records if len(record) != len(names)]:
            raise ValueError(f"it has a row of {len(wrong[0])} cells below {len(names)} names")
        return [dict(zip(names, record, strict=True)) for record in records[1:]]


def parse_json(text: str) -> Any:
    """Strict JSON as plain data: NaN, Infinity and whole numbers beyond 64 bits are not in it."""
    return json.loads(text, parse_constant=_refuse, parse_int=_whole, object_pairs_hook=unique_names)


def read_json(path: str | Path) -> Any:
    """The data of a JSON file; to be called inside `reading`."""
    return parse_json(read_text(path))


def read_yaml(path: str | Path, several: bool = False) -> Any:
    """The data of a YAML file, of plain kinds alone; to be called inside `reading`.

    Args:
        path: The file.
        several: Whether it may hold more than one document, of which the first is read.
    """
    import yaml  # noqa: PLC0415  (extra `soft`)

    try:
        loader = yaml.SafeLoader(read_text(path))
        with contextlib.ExitStack() as after:
            after.callback(loader.dispose)
            loader.check_data()
            node = loader.get_node()
            if node is None:
                return None
            _expanded(node, {}, set())
            data = loader.construct_document(node)
            if not several and loader.check_node() and getattr(loader.get_node(), "value", None) != "":
                raise ValueError("it has more than one document")
            return data
    except yaml.YAMLError as error:
        raise ValueError(f"it is not YAML: {' '.join(str(error).split())}") from error


@contextlib.contextmanager
def read_arrays(path: str | Path) -> Iterator[Any]:
    """The arrays of an .npz file, without running anything; to be called inside `reading`."""
    import numpy as np  # noqa: PLC0415  (the command line's help is quick without it)

    with zipfile.ZipFile(path) as archive:
        size = sum(member.file_size for member in archive.infolist())
    if size > free_memory():
        raise ValueError(f"it unpacks to {size / 1e9:.3g} GB, which is more than there is memory")
    with np.load(path, allow_pickle=False) as arrays:
        yield arrays


def unique_names(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Names and values as a table; a name that stands twice is in doubt."""
    table = dict(pairs)
    if len(table) < len(pairs):
        names = [name for name, _ in pairs]
        raise ValueError(f"it has {next(name for name in names if names.count(name) > 1)!r} twice")
    return table


def _refuse(text: str) -> Any:
    raise ValueError(f"{text} is not a JSON number")


def _whole(text: str) -> int:
    if len(text) > 19:
        raise ValueError(f"{text[:20]}... has too many digits")
    return int(text)


def _expanded(node: Any, known: dict[int, int], above: set[int]) -> int:
    """How many values a node of YAML stands for, every alias written out."""
    if id(node) in known:
        return known[id(node)]
    if id(node) in above:
        raise ValueError("a part of it holds itself")
    if isinstance(node.value, str):
        return 1
    above.add(id(node))
    unique_names(
        [(key.value, None) for key, _ in node.value if isinstance(key.value, str)] if node.id == "mapping" else []
    )
    parts = [part for pair in node.value for part in (pair if isinstance(pair, tuple) else (pair,))]
    known[id(node)] = 1 + sum(_expanded(part, known, above) for part in parts)
    above.discard(id(node))
    if known[id(node)] > MOST_VALUES:
        raise ValueError(f"its aliases stand for more than {MOST_VALUES} values")
    return known[id(node)]
