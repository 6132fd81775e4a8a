"""MuJoCo's files, checked before MuJoCo reads them: a few characters can request more bodies than fit into memory."""

from __future__ import annotations

import contextlib
import math
import stat
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

from plantar.errors import InvalidInput

MOST_ELEMENTS = 1_000_000
"""Elements that a model may be made of, its copies counted."""
CELLS = 100
"""Cells of a height field that count as one element."""
DEEPEST = 1000
"""Elements within each other, at most."""
MOST_FILES = 200
"""Files that a model may include."""


@contextlib.contextmanager
def read_by_mujoco(path: str | Path, what: str) -> Iterator[None]:
    """Look at a file before the block lets MuJoCo read it, and say in one line what MuJoCo has against it.

    Raises:
        InvalidInput: If the file exceeds the limits, or MuJoCo raises in the block.
    """
    check_size(path)
    try:
        yield
    except InvalidInput:
        raise
    except (ValueError, OSError, RuntimeError, ElementTree.ParseError) as error:
        reason = " ".join(str(error).split())
        raise InvalidInput(f"{what} {str(path)!r} cannot be read by MuJoCo: {reason}") from error


def check_size(path: str | Path) -> None:
    """Raise `InvalidInput` if an MJCF file exceeds the limits on copies, grids, inclusion and nesting.

    What cannot be read is left to MuJoCo, which says why.
    """
    path = Path(path)
    count = _size(path)
    if count > MOST_ELEMENTS:
        raise InvalidInput(f"model {str(path)!r} has about {count:.3g} elements: {MOST_ELEMENTS} are the most")


def _root(path: Path) -> ElementTree.Element:
    try:
        return ElementTree.parse(path).getroot()
    except (ElementTree.ParseError, OSError, ValueError, LookupError):
        return ElementTree.Element("none")


def _size(file: Path) -> float:
    """Elements of a model, as often as they are copied; without recursion, as files may nest as deep as they like."""
    total, files, todo = 0.0, 1, [(_root(file), file, 1.0, 1)]
    while todo:
        element, path, times, depth = todo.pop()
        _check_named(element, file, path)
        if depth > DEEPEST:
            raise InvalidInput(f"model {str(file)!r} nests more than {DEEPEST} elements: make it flatter")
        total += times * _own(element)
        if element.tag == "include" and files < MOST_FILES:
            inner = path.parent / element.get("file", "")
            files += 1
            todo.append((_root(inner), inner, times, depth + 1))
        times *= math.prod(_counts(element)) if element.tag == "replicate" else 1.0
        todo += [(child, path, times, depth + 1) for child in element]
    return total


def _check_named(element: ElementTree.Element, file: Path, path: Path) -> None:
    """Refuse a pipe or device that a model names as one of its files: nobody may ever write to it."""
    named = element.get("file") or element.get("filename") or ""
    if any(_is_pipe(folder / named) for folder in (path.parent, file.parent)):
        raise InvalidInput(f"model {str(file)!r} names {named!r}, a pipe or device: give a file")


def _is_pipe(path: Path) -> bool:
    try:
        kind = path.stat().st_mode
    except (OSError, ValueError):  # not there, or no name at all: MuJoCo says so
        return False
    return not stat.S_ISREG(kind) and not stat.S_ISDIR(kind)


def _own(element: ElementTree.Element) -> float:
    """Elements that one stands for by itself."""
    if element.tag in ("composite", "flexcomp"):
        return math.prod(_counts(element))
    if element.tag == "hfield":
        return max(1.0, math.prod(_counts(element, "nrow") + _counts(element, "ncol")) / CELLS)
    return 1.0


def _counts(element: ElementTree.Element, name: str = "count") -> list[float]:
    try:
        return [max(float(word), 1.0) for word in element.get(name, "1").split()]
    except ValueError:
        return [1.0]
