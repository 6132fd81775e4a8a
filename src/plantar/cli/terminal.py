"""What commands print: results, notes and errors; a terminal gets colours, and tables as wide as it is."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import sys
import textwrap
from collections.abc import Mapping, Sequence
from itertools import zip_longest
from typing import Any, TextIO

from plantar._files import to_json
from plantar.errors import PlantarError

RED, BOLD, UNDERLINED = "1;31", "1", "4"
"""Colours of a terminal."""
RULE = re.compile(r"-+(  -+)*")
"""The line below the head of a table, as `table_text` draws it."""
NARROWEST = 20
"""Least letters of a column of sentences."""


def emit(record: Mapping[str, Any], *, as_json: bool, text: str = "") -> None:
    """Print the result: `record` as one line of JSON, or `text` for people."""
    flush_output(f"{to_json(record) if as_json else _for_terminal(text)}\n")


def print_error(message: str) -> None:
    """Print `message` as one line on stderr."""
    with contextlib.suppress(OSError):  # there is nobody to tell
        print(f"{_paint('plantar: error:', RED, sys.stderr)} {' '.join(message.split())}", file=sys.stderr, flush=True)


def note(message: str) -> None:
    """Print a line for people on stderr, so that it is never mistaken for a result."""
    print(message, file=sys.stderr)


def flush_output(more: str = "") -> None:
    """Flush what was printed, and `more`; carry on even if the reader has closed the pipe.

    Characters that stdout cannot encode are written as escapes, as on stderr.

    Raises:
        PlantarError: If it cannot be written, as on a full disk.
    """
    letters = sys.stdout.encoding or "utf-8"
    try:
        sys.stdout.write(more.encode(letters, "backslashreplace").decode(letters))
        sys.stdout.flush()
    except BrokenPipeError:
        _discard_output()
    except OSError as error:
        _discard_output()
        raise PlantarError(f"standard output cannot be written ({error.strerror})") from error


def _discard_output() -> None:
    """Discard pending output, which Python would otherwise try to write again at exit."""
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, sys.stdout.fileno())
    os.close(null)


def _for_terminal(text: str) -> str:
    """The text as it is in a pipe; on a terminal tables fit, their heads are bold and the report is underlined."""
    if not sys.stdout.isatty():
        return text
    lines = []
    for table, part in _parts(text.split("\n")):
        if not table:
            lines.append(re.sub(r"(?<=^report: ).+$", lambda at: _paint(at[0], UNDERLINED, sys.stdout), part[0]))
            continue
        head, rest = fit_table(part, shutil.get_terminal_size().columns)
        lines += [*(_paint(line, BOLD, sys.stdout) for line in head), *rest]
    return "\n".join(lines)


def _parts(lines: Sequence[str]) -> list[tuple[bool, list[str]]]:
    """Tables in one piece, other lines one by one, each with whether it is a table."""
    found, k = [], 0
    while k < len(lines):
        end = k + 1
        if end < len(lines) and lines[k].strip() and RULE.fullmatch(lines[end]):
            gaps = [at.end() for at in re.finditer("-+", lines[end])][:-1]
            while end < len(lines) and lines[end].strip() and all(not lines[end][g : g + 2].strip() for g in gaps):
                end += 1
        found.append((end > k + 1, list(lines[k:end])))
        k = end
    return found


def fit_table(lines: Sequence[str], width: int) -> tuple[list[str], list[str]]:
    """Lines of a table's head, and its rule and rows, made as narrow as `width` where that can be done.

    Long heads are broken after `_` and at spaces, then the widest column of text into lines.
    """
    spans = [at.span() for at in re.finditer("-+", lines[1])]
    if max(map(len, lines)) <= width:
        return [lines[0]], list(lines[1:])
    raw = [[line[a:b].ljust(b - a) for a, b in spans[:-1]] + [line[spans[-1][0] :]] for line in (lines[0], *lines[2:])]
    cells = [[cell.strip() for cell in row] for row in raw]
    right = [all(row[j][-1:].strip() for row in raw[1:] if row[j].strip()) for j in range(len(spans))]
    right[-1] = all(
        row[-1].startswith(" ") or len(row[-1]) == spans[-1][1] - spans[-1][0] for row in raw[1:] if row[-1]
    )
    bodies = [max((len(row[j]) for row in cells[1:]), default=0) for j in range(len(spans))]
    heads = [_broken(head, body) for head, body in zip(cells[0], bodies, strict=True)]
    widths = [max(body, *map(len, head)) for body, head in zip(bodies, heads, strict=True)]
    least = [_least(column, head) for column, head in zip(zip(*cells[1:], strict=True), heads, strict=True)]
    while sum(widths) + 2 * (len(widths) - 1) > width:
        j = max((j for j in range(len(spans)) if not right[j]), key=lambda j: widths[j] - least[j], default=None)
        if j is None or widths[j] <= least[j]:
            break
        widths[j] -= 1
    top = max(map(len, heads))
    head = [[part[k - top + len(part)] if k >= top - len(part) else "" for part in heads] for k in range(top)]
    rows = [line for row in cells[1:] for line in _wrapped(row, widths)]
    placed = [_line(row, widths, right) for row in (*head, ["-" * w for w in widths], *rows)]
    return placed[:top], placed[top:]


def _least(cells: Sequence[str], head: Sequence[str]) -> int:
    """How narrow a column of text may become: as its longest word, and not so that sentences are columns of words."""
    longest = max((len(word) for cell in cells for word in cell.split()), default=0)
    return max(longest, *map(len, head), min(NARROWEST, max(map(len, cells), default=0)))


def _broken(head: str, width: int) -> list[str]:
    """A head in lines as narrow as `width`, or as its longest word."""
    words = re.findall(r"[^_ ]+_?|_", head)
    lines = [""]
    for word in words:
        space = " " if lines[-1] and not lines[-1].endswith("_") else ""
        if lines[-1] and len(lines[-1] + space + word) > max(width, *map(len, words)):
            lines.append(word)
        else:
            lines[-1] += space + word
    return lines


def _wrapped(row: Sequence[str], widths: Sequence[int]) -> list[list[str]]:
    """The lines of a row whose longest cells are broken."""
    pieces = [textwrap.wrap(cell, w) if len(cell) > w else [cell] for cell, w in zip(row, widths, strict=True)]
    return [list(line) for line in zip_longest(*pieces, fillvalue="")]


def _line(cells: Sequence[str], widths: Sequence[int], right: Sequence[bool]) -> str:
    placed = (c.rjust(w) if r else c.ljust(w) for c, w, r in zip(cells, widths, right, strict=True))
    return "  ".join(placed).rstrip()


def _paint(text: str, how: str, stream: TextIO) -> str:
    """The text in a colour, if the stream is a terminal that supports colours."""
    shown = stream.isatty() and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"
    return f"\x1b[{how}m{text}\x1b[0m" if shown else text
