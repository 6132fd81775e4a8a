"""Shared fixtures."""

from __future__ import annotations

from pathlib import Path

import pytest

SHARED = Path(__file__).resolve().parents[2] / "shared"


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of models and data beside the project; tests that need it skip without it."""
    if not SHARED.is_dir():
        pytest.skip("needs the folder ../shared with the released models, which is not here")
    return SHARED
