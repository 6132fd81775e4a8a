"""What is trained, and how: plain data that needs neither PyTorch nor mjlab."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from plantar._checks import require, require_choice
from plantar._config import Checked, Count, Duration, NotNegative, Seed, Share
from plantar._kinds import Within
from plantar.errors import InvalidInput
from plantar.ground.terrain.registry import kinds, make

CHECKPOINT = "checkpoint.pt"
"""File with everything needed to resume a training."""
LOCKED = 1000.0
"""Factor on the stiffness of a foot's joints with which it is as good as locked (`plantar.learn.springs.held`)."""
SLACK = 1.0
"""Length limit that disables a tendon [m]."""
TERRAINS = ("flat", "rough", "bars")
"""Grounds of the tasks registered in mjlab."""
LOOSE = ("plates",)
"""Terrains of parts that move, which worlds that share a ground cannot have."""
SIZES = {"difficulty": (1.0, "difficulties"), "angle": (0.5, "slopes in radians")}
"""By field that is the size of a terrain, the largest size, and what it is; others are heights."""
HEIGHT, HIGHEST = (0.0, 0.02), 0.2
"""Heights of the ground unless others are given, and largest height [m]."""
FLATTEST, LEVELS = 1e-4, 10
"""A terrain of a smaller size is level ground; number of patches from the easiest to the hardest."""
LAYERS, WIDEST = 8, 4096
"""Largest number of hidden layers of a network, and largest width of one."""
Fraction = Annotated[float, Within(0.0, 1.0, above=True)]
"""A number above 0, 1 at most."""
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
    height: tuple[float, float] = HEIGHT
    """Size of the ground on the easiest and on the hardest patch: height of `bars`, `cobbles`, of a step of `stairs`,
    and by how much `stones` differ in height, at most 0.2 [m]; angle of a `slope`, at most 0.5 [rad]; `difficulty` of
    `potholes`, `rubble` and `trenches`, a factor on their heights, at most 1. Unless given, slopes go to 0.25 rad and
    difficulties to 1. `flat` and `rough` have none. Of a ground laid out around the start only what rises remains:
    pits of `potholes`, `rubble`, `trenches` and between `stones` are filled."""
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
        makers = {kind: getattr(maker, "size_field", None) for kind, maker in kinds().items()}
        sized = [kind for kind, field in makers.items() if field and kind not in ("rough", *LOOSE)]
        require_choice("task.terrain", self.terrain, tuple(dict.fromkeys([*TERRAINS, *sized])))
        for name, least in (("stiffness", 1e-3), ("friction", 0.05), ("height", 0.0)):
            low, high = getattr(self, name)
            require(least <= low <= high, f"task.{name}", (low, high), f"a smaller and a larger number from {least:g}")
        self._check_height(makers[self.terrain] if self.terrain in sized else None)
        most = f"factors up to {LOCKED:g}, with which feet are locked"
        require(self.stiffness[1] <= LOCKED, "task.stiffness", self.stiffness, most)
        require_choice("task.joints", self.joints, JOINTS)
        for name in ("forward", "sideways", "turn"):
            low, high = getattr(self, name)
            require(low <= high and max(-low, high) <= 5, f"task.{name}", (low, high), "two numbers from -5 to 5")
        require(self.push <= 5, "task.push", self.push, "a velocity from 0 to 5 m/s")

    def _check_height(self, field: str | None) -> None:
        """Check that the terrain can have these sizes."""
        if self.height == HEIGHT and field in SIZES:
            object.__setattr__(self, "height", (0.0, SIZES[field][0] / (2 if field == "angle" else 1)))
        most, what = SIZES.get(field or "", (HIGHEST, "heights in metres"))
        require(self.height[1] <= most, "task.height", self.height, f"{what}, {most:g} at most")
        if field is None:
            require(self.height == HEIGHT, "task.height", self.height, f"none, as {self.terrain} ground has no size")
            return
        low, high = self.height
        try:
            for size in (high - i / (LEVELS - 1) * (high - low) for i in range(LEVELS)):
                if size > FLATTEST:
                    make(self.terrain, **{field: size})
        except InvalidInput as error:
            raise InvalidInput(f"task.height = {self.height} is not allowed for {self.terrain}: {error}") from error


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
    rate: Fraction = 1e-3
    """First learning rate; it follows the divergence of the policy."""
    spread: Annotated[float, Within(0.0, 10.0, above=True)] = 1.0
    """First standard deviation of actions."""
    divergence: Fraction = 0.01
    """Divergence (Kullback-Leibler) of the policy that every update aims at; the learning rate follows it."""
    mirror: bool = False
    """Whether the policy learns from the mirror image of every step as well. The robot must be its own mirror image."""
    entropy: Share = 0.01
    """Weight of the entropy bonus."""
    seed: Seed = 0
    """Random seed."""

    def __post_init__(self) -> None:
        """Check the layers."""
        few = 1 <= len(self.hidden) <= LAYERS and 1 <= min(self.hidden) <= max(self.hidden) <= WIDEST
        require(few, "train.hidden", self.hidden, f"1 to {LAYERS} widths from 1 to {WIDEST}")
