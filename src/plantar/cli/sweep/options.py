"""Options shared by the sweep commands."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from typing import Annotated

import typer

Workers = Annotated[int | None, typer.Option(min=1, help="Number of workers; all processors by default.")]


@contextlib.contextmanager
def stdout_is_ours() -> Iterator[None]:
    """Redirect what Ray prints to stderr: stdout is for the result."""
    with contextlib.redirect_stdout(sys.stderr):
        yield
