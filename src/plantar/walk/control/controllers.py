"""Controllers by name: a plan with torque-controlled or stiff joints, or your own."""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from importlib import metadata
from typing import Any

from plantar._arguments import checks_arguments
from plantar._checks import require, require_choice
from plantar._extras import require_extra
from plantar.errors import InvalidInput
from plantar.walk.control.controller import Joints, WalkController
from plantar.walk.control.protocol import Controller
from plantar.walk.control.tuning import Tuning
from plantar.walk.footholds import Chooser
from plantar.walk.plans.crawl import CrawlPlan
from plantar.walk.plans.gait import Gait
from plantar.walk.plans.gaits import Crawl, Trot
from plantar.walk.plans.known_ground import KnownGround
from plantar.walk.plans.pendulum import PendulumPlan
from plantar.walk.plans.plan import Plan
from plantar.walk.plans.trot import TrotPlan
from plantar.walk.robot.legged import Legged

GROUP = "plantar.controllers"
"""Entry-point group through which an installed package registers its controllers."""


@dataclass(frozen=True, kw_only=True)
class Setting:
    """Everything needed to set up a walk."""

    legged: Legged
    """The robot; shared by walks and not changed by them."""
    gait: Any
    """The walk: what the plan takes, as `Gait`, `Crawl` or `Trot`."""
    tuning: Tuning
    """Weights, gains and all else."""
    plan: str | None = None
    """Name of the plan; None: the one of the gait."""
    torque_limits: bool = True
    """Whether the controller knows the limits of the motors."""
    ground: KnownGround | None = None
    """The ground as the robot knows it; None: nothing."""
    chooser: Chooser | None = None
    """Foothold chooser; None: none."""


@dataclass(frozen=True, kw_only=True)
class PlanKind:
    """A plan that can be named."""

    gait: type
    """Type of its gait."""
    make: Callable[[Setting], Plan]
    """Makes it."""


def _predictive(s: Setting) -> Plan:
    require_extra("walk")
    from plantar.walk.plans.predictive.plan import PredictivePlan  # noqa: PLC0415  (it brings a second solver)

    return PredictivePlan(s.legged, s.gait, s.tuning, s.ground, s.chooser)


PLANS: dict[str, PlanKind] = {
    "dcm": PlanKind(gait=Gait, make=lambda s: PendulumPlan(s.legged, s.gait, s.tuning, s.ground, s.chooser)),
    "predictive": PlanKind(gait=Gait, make=_predictive),
    "crawl": PlanKind(gait=Crawl, make=lambda s: CrawlPlan(s.legged, s.gait, s.tuning, s.ground, s.chooser)),
    "trot": PlanKind(gait=Trot, make=lambda s: TrotPlan(s.legged, s.gait, s.tuning, s.ground, s.chooser)),
}
"""Plans by name; `register_plan` adds to them."""

Maker = Callable[[Setting], Controller]
"""Makes a controller from the setting of a walk."""


def _walker(setting: Setting, joints: Joints, plan: str | None = None) -> Controller:
    """A plan with torque-controlled or stiff joints."""
    name = plan or setting.plan or plan_of(setting.gait)
    require_choice("plan", name, tuple(PLANS))
    kind = PLANS[name]
    if not isinstance(setting.gait, kind.gait):
        raise InvalidInput(f"plan = {name!r} is not allowed with {setting.gait}: give a {kind.gait.__name__}")
    return WalkController(kind.make(setting), joints, torque_limits=setting.torque_limits)


def _torque(setting: Setting) -> Controller:
    return _walker(setting, "torque")


def _impedance(setting: Setting) -> Controller:
    return _walker(setting, "impedance")


def _position(setting: Setting) -> Controller:
    return _walker(replace(setting, tuning=replace(setting.tuning, feel=0.0)), "impedance")


def _predicting(setting: Setting) -> Controller:
    return _walker(setting, "torque", "predictive")


CONTROLLERS: dict[str, Maker] = {
    "torque": _torque,
    "impedance": _impedance,
    "position": _position,
    "predictive": _predicting,
}
"""Makers by the name of the mode; `register` adds to them. `position` is `impedance` without sensing where soles are
pressed, `predictive` that plan on torque-controlled joints."""


FILES: dict[str, Callable[[str], Maker]] = {}
"""Factories of makers by file suffix, such as `onnx` for a policy; entry points name those not loaded yet."""


@checks_arguments
def register_plan(name: str, gait: type, make: Callable[[Setting], Plan]) -> None:
    """Register a plan under a name; gaits of the type `gait` use it, unless another plan has that type."""
    PLANS[name] = PlanKind(gait=gait, make=make)


@checks_arguments
def register(name: str, maker: Maker) -> None:
    """Register a controller as mode `name` for trials and studies, including their worker processes."""
    CONTROLLERS[name] = maker


def plan_of(gait: Any) -> str:
    """Name of the plan that a gait uses.

    Raises:
        InvalidInput: If no plan takes such a gait.
    """
    for name, kind in PLANS.items():
        if isinstance(gait, kind.gait):
            return name
    kinds = ", ".join(sorted({kind.gait.__name__ for kind in PLANS.values()}))
    raise InvalidInput(f"gait = {gait!r} is not allowed: give one of {kinds}")


def find(mode: str) -> Maker:
    """The maker of a mode: registered, from an installed package, `module:function`, or `FILE.onnx`.

    Raises:
        InvalidInput: If there is no such mode; the message lists those that exist.
    """
    if mode in CONTROLLERS:
        return CONTROLLERS[mode]
    ending = mode.rpartition(".")[2] if "." in mode else ""
    if ending in FILES:
        return FILES[ending](mode)
    for point in metadata.entry_points(group=GROUP, name=ending) if ending else ():
        return point.load()(mode)
    if ":" in mode:
        return load(mode)
    for point in metadata.entry_points(group=GROUP, name=mode):
        return point.load()
    raise InvalidInput(f"mode = {mode!r} is not known: give {', '.join(CONTROLLERS)}, FILE.onnx, or module:function")


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
    """Where another process finds the maker of a mode, as `module:function`; empty if it knows the mode anyway.

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
    require(
        same,
        "mode",
        mode,
        "a controller whose maker is defined at the top level of a module, so that other processes can find it",
    )
    return path


def make(mode: str, setting: Setting) -> Controller:
    """The controller of a mode: `torque`, `impedance`, `predictive`, a registered name, or `module:function`.

    Raises:
        InvalidInput: If there is no such mode or plan; the message lists those that exist.
    """
    return find(mode)(setting)
