"""Files that users give: whatever is wrong with one is a line that names it, and none can fill the memory."""

from __future__ import annotations

import contextlib
import json
import lzma
import struct
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from plantar._folders import DISK_FAULTS
from plantar._memory import free_memory
from plantar.errors import InvalidInput, PlantarError

LARGEST_TEXT = 256_000_000
"""Bytes of a JSON, YAML or CSV file, at most."""
MOST_VALUES = 1_000_000
"""Values that a YAML file may expand to through its aliases, at most."""
DAMAGE = (OSError, ValueError, LookupError, TypeError, AttributeError, ArithmeticError, EOFError, RecursionError)
DAMAGE += (MemoryError, SyntaxError, NotImplementedError, zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error)
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
        return "it is not text in UTF-8"
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
    path = Path(path)
    size = path.stat().st_size
    if size > LARGEST_TEXT:
        raise ValueError(f"it has {size / 1e6:.0f} MB, and {LARGEST_TEXT / 1e6:.0f} MB are the most")
    return path.read_text(encoding="utf-8-sig")


def parse_json(text: str) -> Any:
    """Strict JSON as plain data: NaN, Infinity and whole numbers beyond 64 bits are not in it."""
    return json.loads(text, parse_constant=_refuse, parse_int=_whole)


def read_json(path: str | Path) -> Any:
    """The data of a JSON file; to be called inside `reading`."""
    return parse_json(read_text(path))


def read_yaml(path: str | Path) -> Any:
    """The data of the first document of a YAML file, of plain kinds alone; to be called inside `reading`."""
    import yaml  # noqa: PLC0415  (extra `soft`)

    loader = yaml.SafeLoader(read_text(path))
    try:
        loader.check_data()
        node = loader.get_node()
        if node is None:
            return None
        _expanded(node, {}, set())
        return loader.construct_document(node)
    except yaml.YAMLError as error:
        raise ValueError(f"it is not YAML: {' '.join(str(error).split())}") from error
    finally:
        loader.dispose()


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


def _refuse(text: str) -> Any:
    raise ValueError(f"{text} is no number of JSON")


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
    parts = [part for pair in node.value for part in (pair if isinstance(pair, tuple) else (pair,))]
    known[id(node)] = 1 + sum(_expanded(part, known, above) for part in parts)
    above.discard(id(node))
    if known[id(node)] > MOST_VALUES:
        raise ValueError(f"its aliases stand for more than {MOST_VALUES} values")
    return known[id(node)]
