"""How a quadruped should walk: crawls and trots."""

from __future__ import annotations

from dataclasses import dataclass

from plantar._checks import require, require_choice, require_positive
from plantar._config import Checked
from plantar.walk.control.tuning import Contact, Gains, Tuning, Weights
from plantar.walk.robot.legs import LEGS

_BODY = {"base": (120.0, 20.0), "height": (80.0, 16.0), "swing": (500.0, 42.0), "swing_most": 25.0}
"""Gains of a body on four legs."""
_WISHES = {"base": 30.0, "legs": 0.0, "upper": 0.0, "momentum": 0.0, "effort": 1e-3, "force": 5e-3}
"""Weights of a body on four legs: attitude by the base alone, and legs that take any posture."""
_GROUND = Contact(friction=0.4, touch=0.03)
"""The friction assumed by the controller is below the ground's, as a safety margin."""


@dataclass(frozen=True, kw_only=True)
class Crawl(Checked):
    """A gait with three feet on the ground at all times: shift the body, swing a foot, repeat."""

    distance: float = 1.5
    """Distance of the base after which the robot stops and stands [m]."""
    stride: float = 0.32
    """Distance per cycle of four steps [m]."""
    shift_time: float = 0.32
    """Time of a shift of the body [s]; longer ones take longer."""
    acceleration: float = 2.2
    """Largest acceleration of a shift [m/s^2]; beyond friction times gravity the body would rise instead."""
    swing_time: float = 0.42
    """Least duration of a swing [s]; longer paths take longer."""
    swing_acceleration: float = 10.0
    """Largest acceleration of a foot up, across and down [m/s^2]; beyond it legs throw the body about."""
    sequence: tuple[str, ...] = ("LH", "LF", "RH", "RF")
    """Order of the legs."""
    margin: float = 0.06
    """Desired distance of the centre of mass from the edge of the support [m]."""
    clearance: float = 0.06
    """Height of a swinging sole above the highest ground along its path [m]."""
    height: float = 0.46
    """Hips above the ends of the legs when standing [m]."""
    spread: tuple[float, float] = (0.03, 0.0)
    """How far feet stand forward and outward of their places under the hips [m]."""
    lean: float = 0.9
    """Fraction of the ground's slope that the base follows."""
    search: float = 0.16
    """Largest distance of a chosen foothold from the nominal one [m]."""

    def __post_init__(self) -> None:
        """Check every field."""
        names = ("stride", "shift_time", "acceleration", "swing_time", "swing_acceleration", "clearance", "height")
        require_positive(self, "", (*names, "search"))
        require(0.05 <= self.distance <= 100, "distance", self.distance, "metres from 0.05 to 100")
        require(self.stride <= 0.5, "stride", self.stride, "a length in metres, 0.5 at most")
        for name in self.sequence:
            require_choice("sequence", name, LEGS)
        require(len(set(self.sequence)) == 4, "sequence", self.sequence, "each of the four legs once")
        require(0 <= self.lean <= 1, "lean", self.lean, "a fraction from 0 to 1")
        require(0 <= self.margin <= 0.2, "margin", self.margin, "a length from 0 to 0.2 [m]")

    @staticmethod
    def tuning() -> Tuning:
        """Weights and gains that go with it."""
        return Tuning(weights=Weights(**_WISHES), gains=Gains(**_BODY), contact=_GROUND, rate=250.0)


@dataclass(frozen=True, kw_only=True)
class Trot(Checked):
    """A gait in which the feet of a diagonal swing together; balance is kept by where they are put."""

    distance: float = 1.5
    """Distance of the base after which the robot stops and stands [m]."""
    speed: float = 0.2
    """Speed ahead [m/s]."""
    swing_time: float = 0.30
    """Time of a swing [s]."""
    both_time: float = 0.05
    """Time between two swings in which all feet stand and load goes from one diagonal to the other [s]."""
    clearance: float = 0.06
    """Height of a swinging sole above the highest ground along its path [m]."""
    height: float = 0.46
    """Hips above the ends of the legs when standing [m]."""
    lean: float = 0.9
    """Fraction of the ground's slope that the base follows."""
    search: float = 0.06
    """Largest distance of a chosen foothold from the one that balance requires [m]."""
    capture: float = 0.92
    """Fraction of the capture point's offset by which feet respond to a velocity error."""
    centring: float = 0.05
    """Fraction of the offset from y = 0 by which each step is moved towards it."""

    def __post_init__(self) -> None:
        """Check every field."""
        require_positive(self, "", ("speed", "swing_time", "both_time", "clearance", "height", "search"))
        require(0.05 <= self.distance <= 100, "distance", self.distance, "metres from 0.05 to 100")
        require(self.speed <= 1.0, "speed", self.speed, "a speed in m/s, 1 at most")
        require(self.swing_time <= 1.0, "swing_time", self.swing_time, "a time in seconds, 1 at most")
        require(0 <= self.lean <= 1, "lean", self.lean, "a fraction from 0 to 1")

    @property
    def period(self) -> float:
        """Time of half a cycle [s]."""
        return self.swing_time + self.both_time

    @property
    def stance_time(self) -> float:
        """Time for which a foot stands: the swing of the other diagonal and all feet before and after it [s]."""
        return self.swing_time + 2 * self.both_time

    @property
    def posture(self) -> Crawl:
        """The equivalent crawl, for standing and choosing."""
        stride = min(2 * self.speed * self.period, 0.5)
        shared = {name: getattr(self, name) for name in ("distance", "clearance", "height", "lean", "search")}
        return Crawl(stride=stride, swing_time=self.swing_time, spread=(0.0, 0.0), **shared)

    @staticmethod
    def tuning() -> Tuning:
        """Attitude and height first: on two feet the centre of mass falls freely until the next step."""
        weights = Weights(**{**_WISHES, "com": 5.0, "base": 100.0, "height": 100.0})
        return Tuning(weights=weights, gains=Gains(com=(5.0, 5.0), **_BODY), contact=_GROUND, rate=250.0)
