"""Weights and gains of the quadruped's controller, and the crawl itself."""

from __future__ import annotations

from dataclasses import dataclass, field, fields

from plantar._checks import require, require_choice
from plantar._config import Checked
from plantar.foothold.legs import LEGS


@dataclass(frozen=True, kw_only=True)
class Weights(Checked):
    """How much each wish counts in the quadratic program."""

    com: float = 100.0
    """Centre of mass along the ground."""
    height: float = 50.0
    """Height of the base."""
    turn: float = 30.0
    """Attitude of the base."""
    stance: float = 500.0
    """Feet on the ground do not accelerate."""
    swing: float = 100.0
    """Path of the foot in the air."""
    effort: float = 1e-3
    """Accelerations."""
    force: float = 5e-3
    """Distance of the forces from their expected shares, in units of a tenth of the weight."""

    def __post_init__(self) -> None:
        """Check every field."""
        _check_positive(self, "weights.")


@dataclass(frozen=True, kw_only=True)
class Gains(Checked):
    """Stiffness [1/s^2] and damping [1/s] of the wished accelerations."""

    com: tuple[float, float] = (60.0, 14.0)
    """Centre of mass along the ground."""
    height: tuple[float, float] = (80.0, 16.0)
    """Height of the base."""
    turn: tuple[float, float] = (120.0, 20.0)
    """Attitude of the base."""
    swing: tuple[float, float] = (500.0, 42.0)
    """Path of the foot in the air."""
    stance: float = 20.0
    """Damping of feet on the ground [1/s]; they have no stiffness, so that they follow the ground."""

    def __post_init__(self) -> None:
        """Check every field."""
        for one in fields(self):
            value = getattr(self, one.name)
            low = min(value) if isinstance(value, tuple) else value
            require(low >= 0, f"gains.{one.name}", value, "0 or above")


@dataclass(frozen=True, kw_only=True)
class Tuning(Checked):
    """How the body is controlled."""

    weights: Weights = field(default_factory=Weights)
    """Weights of the program."""
    gains: Gains = field(default_factory=Gains)
    """Gains of its wishes."""
    friction: float = 0.4
    """Friction that the controller counts on; below the ground's, as there is always less than one thinks."""
    rate: float = 250.0
    """Control steps a second [1/s]."""
    touch: float = 0.03
    """A foot has touched the ground from this share of the weight on."""
    firm: float = 0.12
    """It stands from this share on, wherever it is."""

    def __post_init__(self) -> None:
        """Check every field."""
        _check_positive(self, "", ("friction", "rate", "touch", "firm"))


@dataclass(frozen=True, kw_only=True)
class Crawl(Checked):
    """A gait with three feet on the ground at all times: shift the body, swing a foot, and again."""

    stride: float = 0.32
    """Way of the robot in a cycle of four steps [m]."""
    shift_time: float = 0.32
    """Time of a shift of the body [s]; longer ones take longer."""
    acceleration: float = 2.2
    """Largest acceleration of a shift [m/s^2]; beyond friction times gravity the body would rise instead."""
    swing_time: float = 0.42
    """Least time of a swing [s]; longer ways take longer."""
    swing_acceleration: float = 10.0
    """Largest acceleration of a foot up, across and down [m/s^2]; beyond it legs throw the body about."""
    sequence: tuple[str, ...] = ("LH", "LF", "RH", "RF")
    """Order of the legs."""
    margin: float = 0.06
    """Wished distance of the centre of mass from the edge of the support [m]."""
    clearance: float = 0.06
    """Height of a swinging sole above the highest ground on its way [m]."""
    height: float = 0.46
    """Hips above the ends of the legs when standing [m]."""
    spread: tuple[float, float] = (0.03, 0.0)
    """How far feet stand forward and outward of their places under the hips [m]."""
    lean: float = 0.9
    """Share of the ground's slope that the base takes over."""
    search: float = 0.16
    """Largest distance of a chosen foothold from the nominal one [m]."""

    def __post_init__(self) -> None:
        """Check every field."""
        _check_positive(
            self, "", ("stride", "shift_time", "acceleration", "swing_time", "clearance", "height", "search")
        )
        require(self.swing_acceleration > 0, "swing_acceleration", self.swing_acceleration, "a number above 0")
        require(self.stride <= 0.5, "stride", self.stride, "a length in metres, 0.5 at most")
        for name in self.sequence:
            require_choice("sequence", name, LEGS)
        require(len(set(self.sequence)) == 4, "sequence", self.sequence, "each of the four legs once")
        require(0 <= self.lean <= 1, "lean", self.lean, "a share from 0 to 1")
        require(0 <= self.margin <= 0.2, "margin", self.margin, "a length from 0 to 0.2 [m]")


@dataclass(frozen=True, kw_only=True)
class Trot(Checked):
    """A gait in which the feet of a diagonal swing together; balance is kept by where they are put."""

    speed: float = 0.2
    """Speed ahead [m/s]."""
    swing_time: float = 0.30
    """Time of a swing [s]."""
    both_time: float = 0.05
    """Time between two swings in which all feet stand and load goes from one diagonal to the other [s]."""
    clearance: float = 0.06
    """Height of a swinging sole above the highest ground on its way [m]."""
    height: float = 0.46
    """Hips above the ends of the legs when standing [m]."""
    lean: float = 0.9
    """Share of the ground's slope that the base takes over."""
    search: float = 0.06
    """Largest distance of a chosen foothold from the one that balance asks for [m]."""
    capture: float = 0.92
    """Share of the capture point's offset by which feet answer to a wrong velocity."""
    centring: float = 0.05
    """Share of the way aside from y = 0 by which each step is put towards it."""

    def __post_init__(self) -> None:
        """Check every field."""
        _check_positive(self, "", ("speed", "swing_time", "both_time", "clearance", "height", "search"))
        require(self.speed <= 1.0, "speed", self.speed, "a speed in m/s, 1 at most")
        require(self.swing_time <= 1.0, "swing_time", self.swing_time, "a time in seconds, 1 at most")
        require(0 <= self.lean <= 1, "lean", self.lean, "a share from 0 to 1")

    @property
    def period(self) -> float:
        """Time of half a cycle [s]."""
        return self.swing_time + self.both_time

    @property
    def posture(self) -> Crawl:
        """The same as far as it is about standing and choosing."""
        stride = min(2 * self.speed * self.period, 0.5)
        shared = {name: getattr(self, name) for name in ("clearance", "height", "lean", "search")}
        return Crawl(stride=stride, swing_time=self.swing_time, spread=(0.0, 0.0), **shared)

    @staticmethod
    def tuning() -> Tuning:
        """Attitude and height first: over two feet the centre of mass falls as it falls, until the next step."""
        return Tuning(weights=Weights(com=5.0, turn=100.0, height=100.0), gains=Gains(com=(5.0, 5.0)))


def _check_positive(record: object, prefix: str, names: tuple[str, ...] | None = None) -> None:
    for name in names or tuple(f.name for f in fields(record)):  # type: ignore[arg-type]
        value = getattr(record, name)
        require(value > 0, f"{prefix}{name}", value, "a number above 0")
