"""`plantar soft stream`."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from plantar._fields import to_record
from plantar.cli.common import Json, Progress, emit, note, numbers, table_text, words
from plantar.errors import InvalidInput
from plantar.soft.serial.channel import Channel
from plantar.soft.serial.port import Link
from plantar.soft.serial.stream import stream as send
from plantar.soft.serial.table import read_setpoints

RATE = 50.0
"""Frame rate if neither the table nor the user gives one [Hz]."""
_EACH = "; one number for all channels, or one for each, separated by commas."


def stream(
    table: Annotated[
        Path, typer.Argument(metavar="TABLE.csv", help="One row per set-point, one named column per channel [SI].")
    ],
    port: Annotated[str, typer.Option(help="Serial port, such as /dev/ttyUSB0 or COM3.")],
    rate: Annotated[
        float | None, typer.Option(help="Frame rate [Hz]; from the column `time`, or 50, if left out.")
    ] = None,
    baud: Annotated[int, typer.Option(help="Speed of the line [bit/s].")] = 115200,
    columns: Annotated[
        str | None,
        typer.Option(help="Columns to send, in this order, separated by commas; all but `time` if left out."),
    ] = None,
    low: Annotated[str | None, typer.Option(help="Smallest value ever sent [SI]" + _EACH)] = None,
    high: Annotated[str | None, typer.Option(help="Largest value ever sent [SI]" + _EACH)] = None,
    slew: Annotated[str | None, typer.Option(help="Fastest change [SI/s]" + _EACH)] = None,
    rest: Annotated[str, typer.Option(help="Value before the first and after the last frame [SI]" + _EACH)] = "0",
    as_json: Json = False,
) -> None:
    """Send the rows of a table to a board at a fixed rate, then bring it to rest (docs/serial.md)."""
    points = read_setpoints(table, None if columns is None else words(columns))
    limits = zip(
        points.names,
        _each("--low", low, points.names, -math.inf),
        _each("--high", high, points.names, math.inf),
        _each("--slew", slew, points.names, math.inf),
        _each("--rest", rest, points.names, 0.0),
        strict=True,
    )
    channels = [Channel(name=n, low=a, high=b, rate=r, rest=z) for n, a, b, r, z in limits]
    used = rate if rate is not None else points.rate or RATE
    with Link(port, channels, baud=baud, tell=note) as link, Progress(len(points.rows), "soft stream") as bar:
        note("channels: " + ", ".join(f"{k} {name}" for k, name in enumerate(points.names, start=1)))
        if points.rate and abs(used / points.rate - 1) > 0.01:
            note(f"at {used:g} Hz the table runs {used / points.rate:.3g} times as fast as its column `time` says")
        report = send(link, _told(points.rows, bar), used)
    record = {"channels": points.names, **to_record(report)}
    emit(record, as_json=as_json, text=table_text([{"figure": k, "value": v} for k, v in to_record(report).items()]))


def _each(option: str, text: str | None, names: tuple[str, ...], default: float) -> list[float]:
    """The numbers of an option, one per channel."""
    found = [default] if text is None else numbers(option, text)
    if len(found) not in (1, len(names)):
        raise InvalidInput(f"{option} {text!r} is not allowed: give 1 number or {len(names)}, one per channel")
    return found * len(names) if len(found) == 1 else found


def _told(rows: list[list[float]], bar: Progress) -> Iterator[list[float]]:
    for row in rows:
        yield row
        bar.advance()
