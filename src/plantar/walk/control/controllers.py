"""Controllers by name."""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable
from importlib import metadata

from plantar._checks import require
from plantar._extras import require_extra
from plantar.errors import InvalidInput
from plantar.walk.control.controller import DcmController
from plantar.walk.control.protocol import Controller
from plantar.walk.control.tuning import Tuning
from plantar.walk.plans.gait import Gait
from plantar.walk.robot.legged import Legged

GROUP = "plantar.controllers"
"""Entry-point group under which an installed package makes its controllers known."""
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
    """Make a controller known as mode `name` to trials and studies, in their worker processes as well."""
    CONTROLLERS[name] = maker


def find(mode: str) -> Maker:
    """The maker of a mode: one that is registered, an installed package's, or `module:function`.

    Raises:
        InvalidInput: If there is no such mode; the message lists those there are.
    """
    if mode in CONTROLLERS:
        return CONTROLLERS[mode]
    if ":" in mode:
        return load(mode)
    for point in metadata.entry_points(group=GROUP, name=mode):
        return point.load()
    raise InvalidInput(f"mode = {mode!r} is not known: give {', '.join(CONTROLLERS)}, or module:function")


def load(path: str) -> Maker:
    """The maker at `module:function`.

    Raises:
        InvalidInput: If there is none.
    """
    module, _, name = path.partition(":")
    try:
        found = functools.reduce(getattr, name.split("."), importlib.import_module(module))
    except (ImportError, AttributeError, ValueError) as error:
        raise InvalidInput(f"mode = {path!r} cannot be loaded ({error}): give module:function of a maker") from error
    require(callable(found), "mode", path, "module:function of a maker")
    return found  # type: ignore[return-value]


def where(mode: str) -> str:
    """Where another process finds the maker of a mode, as `module:function`; empty if it knows the mode by itself.

    Raises:
        InvalidInput: If no other process could find it.
    """
    maker = CONTROLLERS.get(mode)
    if maker is None or maker.__module__ == __name__:
        return ""
    path = f"{maker.__module__}:{getattr(maker, '__qualname__', '')}"
    try:
        same = load(path) is maker
    except InvalidInput:
        same = False
    require(same, "mode", mode, "a controller whose maker is defined at the top of a module, as others must find it")
    return path


def make(mode: str, legged: Legged, gait: Gait, tuning: Tuning, torque_limits: bool = True) -> Controller:
    """The controller of a mode.

    Raises:
        InvalidInput: If there is no such mode; the message lists those there are.
    """
    return find(mode)(legged, gait, tuning, torque_limits)
