"""`plantar soft stream`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from plantar._fields import to_record
from plantar.cli.common import Json, Progress, emit, table_text
from plantar.soft.serial.port import Channel, Link
from plantar.soft.serial.port import stream as send
from plantar.soft.serial.table import read_setpoints


def stream(
    table: Annotated[
        Path, typer.Argument(metavar="TABLE.csv", help="One row per set-point, one column per channel [SI].")
    ],
    port: Annotated[str, typer.Option(help="Serial port, such as /dev/ttyUSB0 or COM3.")],
    rate: Annotated[float, typer.Option(help="Frames per second [Hz].")] = 50.0,
    baud: Annotated[int, typer.Option(help="Speed of the line [bit/s].")] = 115200,
    columns: Annotated[
        str | None, typer.Option(help="Columns to send, with commas between; all but `time` if left out.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Send the rows of a table to a board at a fixed rate (docs/serial.md)."""
    names, rows = read_setpoints(table, None if columns is None else columns.split(","))
    with Link(port, [Channel(name=n) for n in names], baud=baud) as link, Progress(len(rows), "soft stream") as bar:
        report = send(link, _told(rows, bar), rate)
    record = {"channels": names, **to_record(report)}
    emit(record, as_json=as_json, text=table_text([{"figure": k, "value": v} for k, v in to_record(report).items()]))


def _told(rows: list[list[float]], bar: Progress) -> Iterator[list[float]]:
    for row in rows:
        yield row
        bar.advance()
