"""What a foot wants of the ground: the terms of the terrain cost, for adaptive soles and for balls."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Literal

from plantar._arguments import checks_arguments
from plantar._checks import check_at_least, require, require_choice, require_positive
from plantar._config import Checked
from plantar._fields import from_record
from plantar._read import read_json, reading
from plantar.errors import InvalidInput
from plantar.feet import BallFoot, Foot, SoftFootQ

Two = tuple[float, float]


@dataclass(frozen=True, kw_only=True)
class SoftSole(Checked):
    r"""An adaptive sole and eq. 3 of Bednarek et al. (2020).

    Under the foot the ground is fitted by the least squares of
    $p = c_0 + c_{1,1} x + c_{1,2} x^2 + c_{2,1} y + c_{2,2} y^2$ (x along the foot, y across) with bounded
    slopes and curvatures; the cost is $\alpha_R c_R + \sum \alpha_{n,m} |c_{n,m}^{pref} - c_{n,m}| /
    (c_{n,m}^{max} - c_{n,m}^{min})$, where $c_R$ is the sum of |p - elevation| over the cells under the
    foot (eq. 4). Pairs are (along the foot, across it). Limits, weights and size are those of the
    authors' configuration for ANYmal (`LRMPUT/constraintsGM`); the preferred shape is the paper's Fig. 5b.
    """

    kind: ClassVar[str] = "soft"

    length: float = 0.159
    """Length of the sole [m]."""
    width: float = 0.056
    """Width of the sole [m]."""
    height: float = 0.0771
    """Leg's end above the ground [m]."""
    fit_weight: float = 2.0
    """alpha_R, weight of the misfit [1/m]."""
    slope_weight: Two = (0.25, 0.25)
    """Weights of the slopes, alpha_{1,1} and alpha_{2,1}."""
    curvature_weight: Two = (0.25, 0.25)
    """Weights of the curvatures, alpha_{1,2} and alpha_{2,2}."""
    slope_limit: Two = (0.87266, 0.43633)
    """Largest slopes that the sole follows, rise over run."""
    curvature_limit: Two = (2.4, 12.0)
    """Largest curvatures c_{1,2}, c_{2,2} [1/m]; twice that is the second derivative."""
    slope_preferred: Two = (0.0, 0.0)
    """Slopes that cost nothing."""
    curvature_preferred: Two = (-2.4, 0.0)
    """Curvatures that cost nothing [1/m]; -2.4 is a bump along the foot."""
    misfit: Literal["sum", "mean"] = "sum"
    """`sum` is eq. 4; `mean` times the sole's area in cells of 2 cm does not depend on cell size and yaw."""
    close_holes: bool = True
    """Whether holes of one cell are closed before the fit; `plantar.foothold.close_holes` says how."""

    def __post_init__(self) -> None:
        """Check every field; the first bad one is named."""
        require_positive(self, "", ("length", "width", "height"))
        for name in ("length", "width", "height"):
            require(getattr(self, name) <= 2, name, getattr(self, name), "a length in metres, 2 at most")
        check_at_least(self, "", ("fit_weight",))
        require_choice("misfit", self.misfit, ("sum", "mean"))
        for name in ("slope", "curvature"):
            limit, wanted = getattr(self, f"{name}_limit"), getattr(self, f"{name}_preferred")
            weight = getattr(self, f"{name}_weight")
            require(min(limit) > 0, f"{name}_limit", limit, "two numbers above 0")
            require(min(weight) >= 0, f"{name}_weight", weight, "two numbers, 0 or more")
            inside = all(abs(w) <= top for w, top in zip(wanted, limit, strict=True))
            require(inside, f"{name}_preferred", wanted, f"two numbers within +-{limit}")


@dataclass(frozen=True, kw_only=True)
class BallSole(Checked):
    """A ball at the end of the leg, and a cost in the manner of the earlier method (Belter et al. 2019).

    That method keeps a ball away from edges and slopes and prefers flat ground and small hollows to bumps;
    its numbers are not published. Here, over the cells within `reach`, the cost is the sum of three shares,
    each against what is just acceptable: slope of the fitted plane, root mean square distance from it, and
    how far the cell stands out of the mean of its surroundings (a hollow costs nothing).
    """

    kind: ClassVar[str] = "ball"

    radius: float = 0.030
    """Radius of the ball, and height of the leg's end above the ground [m]."""
    reach: float = 0.06
    """Radius of the surroundings that count [m]."""
    slope: float = 0.7
    """Slope of cost 1."""
    roughness: float = 0.02
    """Root mean square distance from the plane of cost 1 [m]."""
    bump: float = 0.02
    """Height above the surroundings of cost 1 [m]."""

    def __post_init__(self) -> None:
        """Check every field; the first bad one is named."""
        require_positive(self, "", ("radius", "reach", "slope", "roughness", "bump"))

    @property
    def height(self) -> float:
        """Leg's end, the middle of the ball, above the ground [m]."""
        return self.radius


Sole = SoftSole | BallSole


class LearnedSole(ABC):
    """A learned score for a foot, used in place of its sole wherever a terrain cost is needed."""

    kind: ClassVar[str] = "learned"

    @property
    @abstractmethod
    def height(self) -> float:
        """Leg's end above the ground [m]."""

    @abstractmethod
    def terrain_cost(self, elevation: Any, yaw: float) -> Any:
        """Cost of every cell of an `ElevationMap` (rows, columns); NaN where it is unknown."""


@checks_arguments
def load_sole(path: str | Path, foot: str = "softfoot_q") -> Any:
    """Read a sole that `plantar foothold calibrate` wrote: weights (.json) or a learned score (.npz).

    `physics` is the learned score of `foot` that comes with Plantar, `calibrated` the weights for the SoftFoot-Q.

    Raises:
        InvalidInput: If the file does not exist or is neither.
    """
    if str(path) == "physics":
        from plantar.foothold.physics.model import shipped  # noqa: PLC0415

        return shipped(foot)
    if str(path) == "calibrated":
        path = Path(__file__).parent / "physics" / "weights" / "sole_softfoot_q.json"
    path = Path(path)
    if path.suffix == ".npz":
        from plantar.foothold.physics.model import load_model  # noqa: PLC0415  (above this in the room)

        return load_model(path)
    with reading(path, "sole", "give a sole.json or a learned .npz"):
        record = read_json(path)
    kinds = {"soft": SoftSole, "ball": BallSole}
    kind = record.pop("kind", "soft") if isinstance(record, dict) else None
    if kind not in kinds:
        raise InvalidInput(f"sole {str(path)!r} is not a sole: give the sole.json of `plantar foothold calibrate`")
    try:
        return from_record(kinds[kind], record)
    except InvalidInput as error:
        raise InvalidInput(f"{path}: {error}") from error


def sole_of(foot: Any) -> Any:
    """What a foot wants: its own sole, or that of a foot of `plantar.feet`, or of the foot of that name.

    Raises:
        InvalidInput: If there is no cost for such a foot.
    """
    from plantar import feet  # noqa: PLC0415

    if isinstance(foot, SoftSole | BallSole | LearnedSole):
        return foot
    if isinstance(foot, str):
        foot = feet.get(foot)
    if isinstance(foot, SoftFootQ):
        return SoftSole(length=foot.length, width=foot.width, height=foot.sole_height)
    if isinstance(foot, BallFoot):
        return BallSole(radius=foot.radius)
    if isinstance(foot, Foot):
        raise InvalidInput(f"foot {foot.name!r} has no terrain cost: give softfoot_q, ball, or a SoftSole of its size")
    raise InvalidInput(f"foot = {foot!r} is not allowed: give a foot, its name, a SoftSole or a BallSole")
