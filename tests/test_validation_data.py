"""The beams of tools/validation/data_beams.py against what is known of beams."""

from __future__ import annotations

import importlib
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture
def beams(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The module that lets beams sag."""
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    return importlib.import_module("validation.data_beams")


def test_the_centre_line_leaves_the_clamp_at_the_angle_that_was_measured(beams: ModuleType) -> None:
    # a soft beam shears by some degrees there: the angle of its section is not that of its line
    x, z = beams.shape(beams.sag(2e5, 1070.0, 0.3), np.array([0.0, 1e-4]))
    assert np.arctan2(-(z[1] - z[0]), x[1] - x[0]) == pytest.approx(0.3, abs=1e-3)


def test_a_stiff_beam_sags_as_timoshenko_says(beams: ModuleType) -> None:
    young, density = 1e8, 1000.0
    line, head = density * 9.81 * beams.HEIGHT, density * 9.81 * beams.HEAD[0] * beams.HEAD[1]
    length, bending, shear = beams.LENGTH, young * beams.HEIGHT**3 / 12, 5 / 6 * young / 3 * beams.HEIGHT
    moment = head * beams.HEAD[0] / 2
    by_hand = line * length**4 / (8 * bending) + head * length**3 / (3 * bending) + moment * length**2 / (2 * bending)
    # shear adds its sag, less what the line's slope at the clamp already holds of it
    by_hand += line * length**2 / (2 * shear) + head * length / shear - length * (line * length + head) / shear
    z = beams.shape(beams.sag(young, density, 0.0), np.array([length]))[1, 0]
    assert -z == pytest.approx(by_hand, rel=1e-3)


def test_a_head_is_straight_beyond_the_shaft(beams: ModuleType) -> None:
    places = np.array([beams.LENGTH, beams.LENGTH + 0.01, beams.LENGTH + 0.03])
    x, z = beams.shape(beams.sag(2e5, 1070.0, 0.3), places)
    assert np.hypot(x[2] - x[0], z[2] - z[0]) == pytest.approx(0.03)
    assert (z[2] - z[0]) / (x[2] - x[0]) == pytest.approx((z[1] - z[0]) / (x[1] - x[0]))
