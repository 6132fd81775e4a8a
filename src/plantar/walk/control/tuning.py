"""Weights and gains of the whole-body controller; one set for all robots."""

from __future__ import annotations

from dataclasses import dataclass, field, fields

from plantar._checks import require, require_positive
from plantar._config import Checked
from plantar.walk.plans.adaptation import Adaptation
from plantar.walk.plans.predictive.config import PredictiveConfig

REFERENCE_MASS = 60.0
"""Reference mass for joint stiffnesses and impulses of pushes [kg]."""


@dataclass(frozen=True, kw_only=True)
class Weights(Checked):
    """Weight of each task in the quadratic program."""

    stance: float = 500.0
    """Soles on the ground do not move."""
    com: float = 100.0
    """Centre of mass along the ground."""
    height: float = 50.0
    """Height of the centre of mass."""
    swing: float = 100.0
    """Place of the swinging foot."""
    swing_turn: float = 30.0
    """Attitude of the swinging foot."""
    base: float = 20.0
    """Attitude of the base."""
    legs: float = 0.1
    """Posture of the legs."""
    upper: float = 2.0
    """Posture of trunk and arms."""
    momentum: float = 1e-3
    """Rate of the angular momentum about the centre of mass."""
    effort: float = 2e-3
    """Accelerations of joints."""
    force: float = 2e-3
    """Distance of the forces from their expected values, in units of a tenth of the weight."""

    def __post_init__(self) -> None:
        """Check every field."""
        _check(self, "weights.")


@dataclass(frozen=True, kw_only=True)
class Gains(Checked):
    """Stiffness [1/s^2] and damping [1/s] of the desired accelerations."""

    dcm: float = 3.0
    """Rate at which the DCM returns to its plan [1/s]."""
    com: tuple[float, float] = (60.0, 14.0)
    """Centre of mass along the ground, of plans that give its place instead of a DCM."""
    height: tuple[float, float] = (60.0, 15.0)
    """Height of the centre of mass; of the base on four legs."""
    swing: tuple[float, float] = (600.0, 49.0)
    """Place of the swinging foot."""
    swing_most: float = 1e4
    """Largest acceleration with which a foot is brought back to its path [m/s^2]."""
    swing_turn: tuple[float, float] = (400.0, 40.0)
    """Attitude of the swinging foot."""
    stance: float = 20.0
    """Damping of the soles on the ground [1/s]; they have no stiffness, so that they follow the ground."""
    base: tuple[float, float] = (80.0, 16.0)
    """Attitude of the base."""
    posture: tuple[float, float] = (60.0, 12.0)
    """Joints."""

    def __post_init__(self) -> None:
        """Check every field."""
        _check(self, "gains.")


@dataclass(frozen=True, kw_only=True)
class Contact(Checked):
    """What the controller assumes about the ground and its soles."""

    friction: float = 0.6
    """Assumed friction."""
    margin: float = 0.01
    """Distance that the centre of pressure keeps from the edge of the sole [m], a quarter of its width at most."""
    beyond: float = 0.01
    """How far beyond the soles the desired centre of pressure may lie [m]."""
    touch: float = 0.05
    """Fraction of the weight above which a foot counts as on the ground."""
    firm: float = 0.12
    """Fraction of the weight above which a foot that searches for the ground stands, wherever it is."""

    def __post_init__(self) -> None:
        """Check every field."""
        _check(self, "contact.")


@dataclass(frozen=True, kw_only=True)
class Tuning(Checked):
    """Everything that can be set about how the body is controlled."""

    weights: Weights = field(default_factory=Weights)
    """Weight of each task."""
    gains: Gains = field(default_factory=Gains)
    """Gains of each task."""
    contact: Contact = field(default_factory=Contact)
    """Friction and soles."""
    adaptation: Adaptation = field(default_factory=Adaptation)
    """How steps respond to a push."""
    predictive: PredictiveConfig = field(default_factory=PredictiveConfig)
    """Horizon and objectives of the predictive plan."""
    bend: float = 0.06
    """How much shorter than straight the legs are, as a fraction of their length."""
    rate: float = 500.0
    """Control steps per second [1/s]."""
    stiffness: float = 1000.0
    """Joint stiffness of the impedance mode for a robot of 60 kg; it scales with the mass [N m/rad]."""
    damping: float = 0.03
    """Damping of that impedance over its stiffness [s]."""
    feel: float = 0.1
    """Time in which stiff legs turn a sole until it is pressed where it should be, using its sensors and the known
    compliance of leg and foot; 0 holds soles level, whatever they stand on [s]."""

    def __post_init__(self) -> None:
        """Check every field."""
        require_positive(self, "", ("rate", "stiffness"))
        require(0 <= self.bend <= 0.5, "bend", self.bend, "a fraction from 0 to 0.5")
        for name in ("damping", "feel"):
            value = getattr(self, name)
            require(0 <= value <= 1, name, value, "a time in seconds from 0 to 1")


def _check(owner: object, prefix: str) -> None:
    for one in fields(owner):  # type: ignore[arg-type]
        value = getattr(owner, one.name)
        values = value if isinstance(value, tuple) else (value,)
        require(all(0 <= v < 1e6 for v in values), prefix + one.name, value, "a number from 0 to 1e6")
