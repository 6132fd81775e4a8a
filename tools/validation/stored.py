"""Stored tables of long studies: read, counted, and said."""

from __future__ import annotations

import csv

from validation.records import ROOT

Rows = list[dict[str, str]]


def read(*place: str) -> Rows:
    """The rows of a CSV file below docs/results."""
    with ROOT.joinpath("docs", "results", *place).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def where(rows: Rows, **wanted: str) -> Rows:
    """Rows whose columns have these values; numbers count as numbers."""
    return [row for row in rows if all(_same(row[key], value) for key, value in wanted.items())]


def walked(rows: Rows) -> tuple[int, int]:
    """Walks that ended well and all walks of rows of a summary."""
    return sum(int(row["successes"]) for row in rows), sum(int(row["trials"]) for row in rows)


def difference(row: dict[str, str]) -> str:
    """A paired difference with its interval of 95 %."""
    mean, low, high = (100 * float(row[key]) for key in ("difference", "low", "high"))
    return f"{mean:+.0f} % ({low:+.0f} to {high:+.0f})"


def _same(cell: str, value: str) -> bool:
    try:
        return float(cell) == float(value)
    except ValueError:
        return cell == value
