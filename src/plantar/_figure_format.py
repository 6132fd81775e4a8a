"""The file format of figures besides PNG; lightweight, because every command sets it."""

from __future__ import annotations

from contextvars import ContextVar

FORMATS = ("png", "svg", "pdf")
"""Formats of figures."""
WANTED: ContextVar[str] = ContextVar("figure_format", default="png")
"""Format in which `plantar.show.plots.save` writes a figure beside the PNG that reports show."""
