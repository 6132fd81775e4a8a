"""The plantar tendon of a chain: its route, its length and how it pulls."""

from __future__ import annotations

from dataclasses import dataclass

from plantar._checks import check_constraint, require, require_positive
from plantar._config import Checked

Point = tuple[float, float]

LARGEST_ARM = 0.05
"""No tendon runs further from its hinges than this [m]."""
LARGEST_SLACK = 0.05
"""A larger magnitude is a unit error [m]."""


@dataclass(frozen=True, kw_only=True)
class Tendon(Checked, prefix="tendon."):
    """The nearly inextensible cord that runs under every module from the heel to the toe tip.

    The cord is a length limit: it pulls when its path is longer than `rest_length + slack` and
    does nothing otherwise. Points are (x, z) in the straight foot, from the heel joint.
    """

    present: bool = True
    """False builds the foot without tendons."""
    slack: float = 0.0
    """Length to take up before the tendon pulls [m]; negative: it pulls in the straight foot."""
    rest_length: float | None = None
    """Length of the path in the straight foot [m]; None measures it on the built foot."""
    arm: float = 0.0038
    """How far the tendon passes below the hinge axes [m]; also its moment arm."""
    metatarsal_arm: float = 0.001
    """The same at the coupling behind the metatarsus [m]; as large as `arm`, it locks a standing foot's toes."""
    toe_arm: float = 0.0038
    """The same at the couplings of the toes [m]; larger winds up more tendon per degree."""
    pulley_radius: float = 0.0035
    """Radius of the virtual pulleys [m]; below `arm`."""
    start: Point = (-0.01369, 0.00234)
    """Where the tendon is tied to the heel [m]."""
    heel_roller: Point = (-0.03109, -0.01251)
    """Axis of the roller at the back of the heel, around which the tendon turns forward [m]."""
    heel_roller_radius: float = 0.0025
    """Radius of the heel roller [m]."""
    heel_exit: Point | None = None
    """Axis of the pulley at which the tendon leaves the heel; None puts it on the first hinge [m]."""
    heel_exit_guide: Point | None = None
    """Point that the tendon passes below that pulley; None puts it `arm` below [m]."""
    reverse_exit: float | None = None
    """Front pulley of the reverse module from its rear hinge [m]; None: on its front hinge."""
    metatarsus_exit: float | None = None
    """Front pulley of the metatarsus from its rear hinge [m]; None: on its front hinge."""
    solref: tuple[float, float] = (0.02, 1.0)
    """Time constant [s] and damping ratio of the limit; a shorter time is a stiffer cord."""
    solimp: tuple[float, float, float, float, float] = (0.9, 0.95, 0.001, 0.5, 2.0)
    """Impedance of the limit, in MuJoCo's terms."""

    def __post_init__(self) -> None:
        """Check every field."""
        require_positive(self, "tendon.", ("arm", "toe_arm", "pulley_radius", "heel_roller_radius"))
        require(
            self.pulley_radius < self.arm,
            "tendon.pulley_radius",
            self.pulley_radius,
            f"less than tendon.arm = {self.arm:g} m",
        )
        for name in ("arm", "toe_arm", "pulley_radius", "heel_roller_radius", "metatarsal_arm"):
            value = getattr(self, name)
            require(abs(value) <= LARGEST_ARM, f"tendon.{name}", value, f"metres, {LARGEST_ARM:g} at most")
        limit = LARGEST_SLACK
        require(abs(self.slack) < limit, "tendon.slack", self.slack, f"a length in metres within +-{limit:g}")
        check_constraint(self, "tendon.", "")
        if self.rest_length is not None:
            require_positive(self, "tendon.", ("rest_length",))
