"""What is trained, and how: plain data that needs neither PyTorch nor mjlab."""

from __future__ import annotations

from dataclasses import dataclass

from plantar._checks import require, require_choice
from plantar._config import Checked, Count, Duration, NotNegative, Positive, Seed, Share
from plantar.ground.terrain.registry import kinds

LOCKED = 1000.0
"""Factor on the stiffness of a foot's joints with which it is as good as locked (`plantar.learn.laws.stiffened`)."""
SLACK = 1.0
"""Length limit that disables a tendon [m]."""
TERRAINS = ("flat", "rough", "bars")
"""Grounds of the tasks registered in mjlab."""
LAYERS, WIDEST = 8, 4096
"""Largest number of hidden layers of a network, and largest width of one."""
JOINTS = ("all", "legs")
"""Joints that a policy may move: all that have motors, or those of the legs."""


@dataclass(frozen=True, kw_only=True)
class TaskConfig(Checked, prefix="task."):
    """A velocity task: the ground, what is drawn for each world, and the commands of the robot."""

    terrain: str = "flat"
    """Ground: `flat`, `rough` (bumps, waves and slopes), `bars`, or another terrain of `plantar.ground` with a size."""
    joints: str = "all"
    """Joints that the policy moves: `all` that have motors, or those of the `legs`, the others being held rigid as the
    robot stands. Fewer joints train faster."""
    stiffness: tuple[float, float] = (0.25, 64.0)
    """Least and largest factor on the stiffness of a soft foot's joints; each world draws one, log-uniformly,
    and the policy observes it."""
    locked: Share = 0.2
    """Fraction of the worlds whose soft feet are locked by a factor of 1000."""
    tendons: Share = 0.75
    """Fraction of the worlds whose feet have their tendons; in the others they are slack."""
    friction: tuple[float, float] = (0.3, 1.2)
    """Least and largest sliding friction of the soles; each world draws one."""
    height: tuple[float, float] = (0.0, 0.02)
    """Heights of bars, or sizes of another terrain, from the easiest to the hardest patch of ground [m]."""
    push: NotNegative = 0.5
    """Largest push: a sudden change of the base's velocity along the ground, every one to three seconds [m/s]."""
    forward: tuple[float, float] = (-1.0, 1.0)
    """Commanded velocity forward [m/s]."""
    sideways: tuple[float, float] = (-0.5, 0.5)
    """Commanded velocity to the left [m/s]."""
    turn: tuple[float, float] = (-0.5, 0.5)
    """Commanded yaw rate [rad/s]."""
    episode: Duration = 20.0
    """Length of an episode [s]."""

    def __post_init__(self) -> None:
        """Check how the fields go together."""
        sized = [kind for kind, maker in kinds().items() if getattr(maker, "size_field", None) and kind != "rough"]
        require_choice("task.terrain", self.terrain, tuple(dict.fromkeys([*TERRAINS, *sized])))
        for name, least in (("stiffness", 1e-3), ("friction", 0.05), ("height", 0.0)):
            low, high = getattr(self, name)
            require(least <= low <= high, f"task.{name}", (low, high), f"a smaller and a larger number from {least:g}")
        require_choice("task.joints", self.joints, JOINTS)
        require(self.height[1] <= 0.2, "task.height", self.height, "heights in metres, 0.2 at most")
        for name in ("forward", "sideways", "turn"):
            low, high = getattr(self, name)
            require(low <= high and max(-low, high) <= 5, f"task.{name}", (low, high), "two numbers from -5 to 5")
        require(self.push <= 5, "task.push", self.push, "a velocity from 0 to 5 m/s")


@dataclass(frozen=True, kw_only=True)
class TrainConfig(Checked, prefix="train."):
    """Proximal policy optimisation: how many worlds, for how long, how large a network."""

    worlds: Count = 4096
    """Number of parallel worlds, all feet together."""
    iterations: Count = 3000
    """Total number of policy updates, including earlier parts of the same training."""
    steps: Count = 24
    """Control steps in each world between two updates."""
    hidden: tuple[int, ...] = (512, 256, 128)
    """Widths of the hidden layers of actor and critic."""
    rate: Positive = 1e-3
    """First learning rate; it follows the divergence of the policy."""
    spread: Positive = 1.0
    """First standard deviation of actions."""
    divergence: Positive = 0.01
    """Divergence (Kullback-Leibler) of the policy that every update aims at; the learning rate follows it."""
    mirror: bool = False
    """Whether the policy learns from the mirror image of every step as well. The robot must be its own mirror image."""
    entropy: NotNegative = 0.01
    """Weight of the entropy bonus."""
    seed: Seed = 0
    """Random seed."""

    def __post_init__(self) -> None:
        """Check the layers."""
        few = 1 <= len(self.hidden) <= LAYERS and 1 <= min(self.hidden) <= max(self.hidden) <= WIDEST
        require(few, "train.hidden", self.hidden, f"1 to {LAYERS} widths from 1 to {WIDEST}")
