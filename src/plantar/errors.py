"""The errors Plantar raises; all of them are `PlantarError`."""

from __future__ import annotations

from pathlib import Path

LONGEST = 600
"""Largest length of a message: it is a line for people to read."""


class PlantarError(Exception):
    """Root of every error Plantar raises on purpose; its message is one line of moderate length."""

    def __str__(self) -> str:
        """The message."""
        text = " ".join(super().__str__().split())
        return text if len(text) <= LONGEST else f"{text[: LONGEST // 2]} ... {text[-LONGEST // 2 :]}"


class InvalidInput(PlantarError, ValueError):
    """A value the user gave cannot be used; the message names it and what is allowed."""


class MissingExtra(PlantarError, ImportError):
    """An optional dependency is missing; the message says which extra to install."""


class Diverged(PlantarError, RuntimeError):
    """A simulation blew up.

    Attributes:
        reason: What happened and what to do about it.
        time: Simulated time at which the state stopped being finite [s].
        body: Name of the body that moved fastest just before.
        dump: Folder with the model and the last good state, or None if none was written.
    """

    def __init__(self, message: str, *, time: float, body: str, dump: Path | None = None):
        where = f"; replay it with `plantar bench replay {dump}`" if dump else ""
        super().__init__(f"{message} (t = {time:.4f} s, body {body!r}){where}")
        self.reason = message
        self.time = time
        self.body = body
        self.dump = dump
