"""The table of a sweep as files that other programs read: CSV, and Parquet where pyarrow is installed."""

from __future__ import annotations

import contextlib
import csv
import importlib.util
import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import plantar
from plantar._files import UNITS, replacing
from plantar.sweep.form import Columns, Form
from plantar.sweep.record import JSON_KIND

CSV, PARQUET = "table.csv", "table.parquet"
Writer = Callable[[Columns], Any]


def has_table(folder: Path) -> bool:
    """Whether the table has been written, in every form that can be written here."""
    return all((folder / name).is_file() for name in _forms())


def remove_table(folder: Path) -> None:
    """Remove a table that no longer matches the sweep."""
    for name in (CSV, PARQUET):
        (folder / name).unlink(missing_ok=True)


def write_table(folder: Path, form: Form, blocks: Iterable[Columns]) -> None:
    """Write the table; files appear complete, the CSV last."""
    with contextlib.ExitStack() as stack:
        writers = [stack.enter_context(_csv(folder / CSV, form))]
        if PARQUET in _forms():
            writers.append(stack.enter_context(_parquet(folder / PARQUET, form)))
        for columns in blocks:
            for write in writers:
                write(columns)


def _forms() -> tuple[str, ...]:
    return (CSV, PARQUET) if importlib.util.find_spec("pyarrow") else (CSV,)


@contextlib.contextmanager
def _csv(path: Path, form: Form) -> Iterator[Writer]:
    with _durably(path) as scratch, scratch.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(form.kinds)
        yield lambda columns: writer.writerows(zip(*columns.values(), strict=True))


@contextlib.contextmanager
def _parquet(path: Path, form: Form) -> Iterator[Writer]:
    import pyarrow as pa  # noqa: PLC0415  (extra `table`)
    import pyarrow.parquet as pq  # noqa: PLC0415

    note = {"plantar": plantar.__version__, "units": UNITS}
    schema = pa.schema([pa.field(name, _arrow_type(pa, kind)) for name, kind in form.kinds.items()], metadata=note)
    with _durably(path) as scratch, pq.ParquetWriter(scratch, schema) as writer:
        yield lambda columns: writer.write_table(pa.table(columns, schema=schema))


@contextlib.contextmanager
def _durably(path: Path) -> Iterator[Path]:
    with replacing(path) as scratch:
        yield scratch
        with scratch.open("rb+") as file:
            os.fsync(file.fileno())


def _arrow_type(pa: Any, kind: str | None) -> Any:
    if kind is None:
        return pa.null()
    if kind.startswith("["):
        return pa.list_(_arrow_type(pa, kind[1:-1]))
    return {"int": pa.int64, "float": pa.float64, "bool": pa.bool_, "str": pa.string, JSON_KIND: pa.string}[kind]()
