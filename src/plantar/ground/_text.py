"""Tables as aligned text."""

from __future__ import annotations

from plantar._rows import Rows, cell_text, columns_of, is_numeric


def columns(rows: Rows, digits: int = 5) -> str:
    """`rows` as aligned columns; numbers have `digits` significant digits."""
    names = columns_of(rows)
    cells = [[cell_text(row.get(c), digits) for c in names] for row in rows]
    widths = [max(map(len, column)) for column in zip(names, *cells, strict=True)]
    right = [is_numeric(rows, c) for c in names]
    lines = [names, ["-" * w for w in widths], *cells]
    return "\n".join(
        "  ".join(c.rjust(w) if r else c.ljust(w) for c, w, r in zip(line, widths, right, strict=True)).rstrip()
        for line in lines
    )
