"""Parts of a sweep in the order of their trials, a few of them in memory at a time."""

from __future__ import annotations

import bisect
from collections.abc import Iterator, Sequence
from pathlib import Path

from plantar.sweep import _parts
from plantar.sweep._parts import Columns

Place = tuple[int, int, int]
"""Number of a trial, minus the number of a part, place in that part."""


def merged(folder: Path, varying: Sequence[str], size: int) -> Iterator[Columns]:
    """All rows in order of their trials, `size` trial numbers at a time; of several rows of a trial the newest."""
    waiting = sorted((*_parts.span(path), _number(path), path) for path in _files(folder))
    held: dict[int, Columns] = {}
    end = 1 + max((last for _, last, _, _ in waiting), default=-1)
    waiting.reverse()
    for low in range(0, end, size):
        while waiting and waiting[-1][0] < low + size:
            _, _, number, path = waiting.pop()
            if columns := _parts.read_part(path, varying):
                held[number] = columns
        block = _block(held, low, low + size)
        if block["trial"]:
            yield block
        held = {number: columns for number, columns in held.items() if columns["trial"][-1] >= low + size}


def _block(held: dict[int, Columns], low: int, high: int) -> Columns:
    """The rows of trials `low` to `high` - 1 of the parts held."""
    ranges = {number: _range(columns["trial"], low, high) for number, columns in held.items()}
    ranges = {number: span for number, span in ranges.items() if span}
    if len(ranges) == 1:
        ((number, span),) = ranges.items()
        return {name: cells[span.start : span.stop] for name, cells in held[number].items()}
    places: list[Place] = []
    for number, span in ranges.items():
        trial = held[number]["trial"]
        places += [(trial[i], -number, i) for i in span]
    places.sort()
    places = [place for k, place in enumerate(places) if k == 0 or place[0] != places[k - 1][0]]
    names = dict.fromkeys(name for number in ranges for name in held[number])
    block: Columns = {"trial": []}
    for name in names:
        columns = {number: held[number].get(name) for number in ranges}
        block[name] = [None if (c := columns[-part]) is None else c[i] for _, part, i in places]
    return block


def _range(trial: list[int], low: int, high: int) -> range:
    return range(bisect.bisect_left(trial, low), bisect.bisect_left(trial, high))


def _files(folder: Path) -> list[Path]:
    """The parts, and the journals that are no part yet."""
    parts = sorted((folder / "parts").glob("part-*"))
    numbers = {_number(path) for path in parts}
    return parts + [path for path in sorted((folder / "parts").glob("journal-*")) if _number(path) not in numbers]


def _number(path: Path) -> int:
    return int(path.stem.split("-")[1])
