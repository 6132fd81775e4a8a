"""Whether a map fits into memory, asked before it is read."""

from __future__ import annotations

import os
from collections.abc import Sequence

from plantar.errors import InvalidInput

COPIES = 8
"""Arrays of a map's size that are alive at once while it is scored."""


def check_memory(shape: Sequence[int], copies: int = COPIES) -> None:
    """Raise `InvalidInput` if arrays of `shape` would not fit into what memory is free."""
    cells = 1
    for size in shape:
        cells *= int(size)
    wanted, free = 8 * copies * cells, free_memory()
    if wanted > free:
        raise InvalidInput(
            f"a map of {' x '.join(map(str, shape))} cells needs {wanted / 1e9:.3g} GB and {free / 1e9:.3g} GB are "
            "free: give a part of it, or larger cells"
        )


def free_memory() -> float:
    """Memory that can be used [byte]; 4 GB where the system does not tell."""
    try:
        with open("/proc/meminfo", encoding="ascii") as file:
            lines = dict(line.split(":", 1) for line in file)
        return 1024.0 * int(lines["MemAvailable"].split()[0])
    except (OSError, KeyError, ValueError):
        pass
    try:
        return float(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")) / 2
    except (AttributeError, OSError, ValueError):
        return 4e9
