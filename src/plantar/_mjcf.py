"""MuJoCo's files, looked at before MuJoCo reads them: a few letters can ask for more bodies than fit into memory."""

from __future__ import annotations

import math
from pathlib import Path
from xml.etree import ElementTree

from plantar.errors import InvalidInput

MOST_ELEMENTS = 1_000_000
"""Elements that a model may be made of, its copies counted."""
MOST_FILES = 200
"""Files that a model may include."""


def check_size(path: str | Path) -> None:
    """Raise `InvalidInput` if a file in MJCF asks for more than `MOST_ELEMENTS` by `replicate`, grids and inclusion.

    What cannot be read is left to MuJoCo, which says why.
    """
    path = Path(path)
    count = _size(_root(path), path, [path])
    if count > MOST_ELEMENTS:
        raise InvalidInput(f"model {str(path)!r} has about {count:.3g} elements: {MOST_ELEMENTS} are the most")


def _root(path: Path) -> ElementTree.Element:
    try:
        return ElementTree.parse(path).getroot()
    except (ElementTree.ParseError, OSError, ValueError, LookupError):
        return ElementTree.Element("none")


def _size(element: ElementTree.Element, path: Path, files: list[Path]) -> float:
    """Elements in `element`, itself counted, as often as they are copied."""
    own = 1.0
    if element.tag in ("composite", "flexcomp"):
        own = math.prod(_counts(element))
    if element.tag == "include" and len(files) < MOST_FILES:
        inner = path.parent / element.get("file", "")
        files.append(inner)
        own += _size(_root(inner), inner, files)
    times = math.prod(_counts(element)) if element.tag == "replicate" else 1.0
    return own + times * sum(_size(child, path, files) for child in element)


def _counts(element: ElementTree.Element) -> list[float]:
    try:
        return [max(float(word), 1.0) for word in element.get("count", "1").split()]
    except ValueError:
        return [1.0]
