"""The ankle-foot of tools/validation/data_ankle_model.py against torques that it made itself."""

from __future__ import annotations

import importlib
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[1]
TRUE = np.array([0.105, -0.2, 2e-4])


@pytest.fixture
def ankle(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The module with the model of the ankle-foot."""
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    return importlib.import_module("validation.data_ankle_model")


def made(ankle: ModuleType, slider: float, cam: int = 0, play: float = 0.0) -> dict:
    """A run by the model itself, down and up again."""
    angle = np.radians(np.concatenate([np.linspace(11, -9, 60), np.linspace(-9, 11, 60)]))
    run = {"slider": slider, "cam": cam, "angle": angle, "up": np.arange(120) >= 60}
    torque = ankle.tell_alone(TRUE, profile(ankle), run, play) if cam else ankle.tell(TRUE, profile(ankle), run)
    return {**run, "torque": torque, "peak": float(np.abs(torque).max())}


def profile(ankle: ModuleType) -> np.ndarray:
    """Torque over the angle, softer in the middle, shifted between the directions."""
    at = np.linspace(ankle.LOW, ankle.HIGH, ankle.KNOTS + 2)
    return np.array([60 * (at - shift) + 900 * (at - shift) ** 3 for shift in (-0.02, 0.02)])


def test_length_rest_and_frame_are_found_again_and_tell_a_position_that_was_left_out(ankle: ModuleType) -> None:
    runs = [made(ankle, slider) for slider in (0.0, 0.01, 0.025, 0.04)]
    found = ankle.fit(runs)
    assert found[0] == pytest.approx(TRUE[0], rel=0.02)
    assert found[1] == pytest.approx(TRUE[1], abs=0.05)
    other = made(ankle, 0.033)
    told = ankle.tell(found, ankle.profiles(found, runs)[0], other)
    assert ankle.share(told - other["torque"], other) < 0.01


def test_play_is_found_in_one_cam_and_tells_the_other(ankle: ModuleType) -> None:
    runs = [made(ankle, slider) for slider in (0.0, 0.01, 0.025, 0.04)]
    runs += [made(ankle, 0.033, 1, 0.01), made(ankle, 0.033, 2, 0.01)]
    for told in ankle.tell_single_cams(runs):
        assert told["loss"]["play"] == pytest.approx(0.01, abs=0.001)
        assert told["errors"]["play"] < 0.01 < told["errors"]["against"]


def test_against_its_direction_a_cam_gives_more_torque_rising_and_less_falling(ankle: ModuleType) -> None:
    plantar, plain = made(ankle, 0.02, 1, 0.01), made(ankle, 0.02, 1)
    assert (plantar["torque"] >= plain["torque"] - 1e-9).all()
    assert np.allclose(plantar["torque"][:60], plain["torque"][:60])
    dorsal, plain = made(ankle, 0.02, 2, 0.01), made(ankle, 0.02, 2)
    assert (dorsal["torque"] <= plain["torque"] + 1e-9).all()
    assert np.allclose(dorsal["torque"][60:], plain["torque"][60:])
