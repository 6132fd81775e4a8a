"""Controllers by name."""

from __future__ import annotations

from collections.abc import Callable

from plantar._extras import require_extra
from plantar.errors import InvalidInput
from plantar.walk.control.controller import DcmController
from plantar.walk.control.protocol import Controller
from plantar.walk.control.tuning import Tuning
from plantar.walk.plans.gait import Gait
from plantar.walk.robot.legged import Legged

Maker = Callable[[Legged, Gait, Tuning, bool], Controller]
"""Makes a controller from the robot, the walk, the tuning, and whether it has to respect torque limits."""


def _torque(legged: Legged, gait: Gait, tuning: Tuning, torque_limits: bool) -> Controller:
    return DcmController(legged, gait, tuning, "torque", torque_limits=torque_limits)


def _impedance(legged: Legged, gait: Gait, tuning: Tuning, torque_limits: bool) -> Controller:
    return DcmController(legged, gait, tuning, "impedance", torque_limits=torque_limits)


def _predictive(legged: Legged, gait: Gait, tuning: Tuning, torque_limits: bool) -> Controller:
    require_extra("walk")
    from plantar.walk.plans.predictive.controller import PredictiveController  # noqa: PLC0415  (it brings a second solver)

    return PredictiveController(legged, gait, tuning, torque_limits=torque_limits)


CONTROLLERS: dict[str, Maker] = {"torque": _torque, "impedance": _impedance, "predictive": _predictive}
"""Makers by the name of the mode; `register` adds to them."""


def register(name: str, maker: Maker) -> None:
    """Make a controller known as mode `name` to trials, studies and the command line."""
    CONTROLLERS[name] = maker


def make(mode: str, legged: Legged, gait: Gait, tuning: Tuning, torque_limits: bool = True) -> Controller:
    """The controller of a mode.

    Raises:
        InvalidInput: If there is no such mode; the message lists those there are.
    """
    if mode not in CONTROLLERS:
        raise InvalidInput(f"mode = {mode!r} is not known: give {', '.join(CONTROLLERS)}")
    return CONTROLLERS[mode](legged, gait, tuning, torque_limits)
