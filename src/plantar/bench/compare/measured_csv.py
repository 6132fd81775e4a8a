"""The text of a measured CSV file, split into cells that know their row."""

from __future__ import annotations

import csv
import re
from pathlib import Path
from typing import NoReturn

from plantar.errors import InvalidInput


def bad(path: Path, message: str) -> NoReturn:
    """Raise `InvalidInput` in one line that names the file."""
    raise InvalidInput(f"measured file {str(path)!r}: {message}")


def reason(error: Exception) -> str:
    """Why a file could not be opened, without its path."""
    return getattr(error, "strerror", None) or str(error)


def read_text(path: Path) -> str:
    """The text of a UTF-8 file that is not empty."""
    try:
        if not path.is_file():
            bad(path, "is a folder: give a CSV file" if path.is_dir() else "does not exist: check its name")
        data = path.read_bytes()
    except OSError as error:
        bad(path, f"cannot be read ({reason(error)}): check its permissions")
    if data.startswith(b"PK\x03\x04"):
        bad(path, "is a spreadsheet, not text: save it as CSV (UTF-8, comma separated)")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = "\0"
    if "\0" in text:
        bad(path, "is not UTF-8 text: save it as CSV (UTF-8, comma separated)")
    if not text.strip():
        bad(path, "is empty: start from a template")
    return text


def split_cells(path: Path, text: str) -> tuple[list[str], dict[int, dict[str, str]]]:
    """Header, and the cells of every row by row number."""
    # Comments become empty lines, so that rows keep their numbers; spreadsheets quote those with commas.
    lines = ["" if re.match(r'\s*"?#', line) else line for line in re.split(r"\r\n|\r|\n", text)]
    reader = csv.reader(lines, strict=True)
    try:
        table = [(reader.line_num, [cell.strip() for cell in cells]) for cells in reader]
    except csv.Error as error:
        bad(path, f"row {reader.line_num} is not CSV ({error}): check its quotes")
    table = [(n, cells) for n, cells in table if any(cells)]
    if not table:
        bad(path, "has only comments: start from a template")
    header = [name.lower() for name in table[0][1]]
    for separator, name in ((";", "semicolons"), ("\t", "tabs")):
        if len(header) == 1 and separator in header[0]:
            bad(path, f"cells are separated by {name}: save it with commas, and with decimal points in numbers")
    records = {}
    for n, cells in table[1:]:
        if any(cells[len(header) :]) or len(cells) < len(header):
            bad(path, f"row {n} has {len(cells)} cells and the header {len(header)}: make them equal")
        records[n] = dict(zip(header, cells, strict=False))
    if not records:
        bad(path, "has a header and no rows: add one row per trial")
    return header, records


def short(cell: str) -> str:
    """A cell as one short piece of a line."""
    cell = " ".join(cell.split())
    return cell if len(cell) <= 40 else cell[:37] + "..."
