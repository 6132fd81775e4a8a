"""Colours and symbols shared by the plots of this room."""

from __future__ import annotations

HARD, SOFT, DATA = "#d1462f", "#1f5fa8", "#22262b"
"""Rigid feet red and rubber feet blue, as in Raff and Remy; recordings black."""
