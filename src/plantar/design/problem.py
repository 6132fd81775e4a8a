"""The question that a search answers, and its budget."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from plantar._checks import require, require_choice
from plantar._config import Checked
from plantar._extras import require_extra
from plantar.design.evaluate import Evaluation, check
from plantar.design.explore import BATCH
from plantar.design.measure import Goal, parse_goal
from plantar.design.rounding import rounded
from plantar.design.sampler import SAMPLERS, SamplerName
from plantar.design.space import Space
from plantar.design.subject import Setting
from plantar.errors import InvalidInput
from plantar.walk.control import controllers
from plantar.walk.study.feet import find_walker


@dataclass(frozen=True, kw_only=True)
class Budget(Checked):
    """The budget."""

    evaluations: int = 64
    """Feet that are measured in full."""
    presses: int = 64
    """Feet that are pressed first, if walks are requested too; 0 skips this."""
    keep: int = 8
    """The most promising of these, which walk first."""
    batch: int = BATCH
    """Feet of a round."""
    finalists: int = 0
    """Best feet that walk again on separate draws; the choice uses the means of both, so that luck matters less."""
    judged: int = 0
    """Walks of each chosen foot on each ground on fresh draws; 0 skips the evaluation."""
    judge: str = "full"
    """Build of the foot in the final evaluation."""

    def __post_init__(self) -> None:
        """Check every number."""
        for name, least in (
            ("evaluations", 1),
            ("presses", 0),
            ("keep", 0),
            ("batch", 1),
            ("finalists", 0),
            ("judged", 0),
        ):
            value = getattr(self, name)
            ok = isinstance(value, int) and least <= value <= 10**6
            require(ok, name, value, f"an integer from {least} to a million")
        require_choice("judge", self.judge, ("full", "hinge", "fast"))


@dataclass(frozen=True, kw_only=True)
class Problem:
    """A question for a search to answer."""

    space: Space
    """Feet that may be built."""
    objectives: tuple[str, ...]
    """Goals, as `NAME[:OPTION=VALUE]...`, with `min:` or `max:` before it to set the direction."""
    limits: tuple[str, ...] = ()
    """Limits, as `mass<=0.9`."""
    screen: tuple[str, ...] = ()
    """Goals of the presses that come before walks; empty takes those of the objectives that need no walks."""
    setting: Setting = field(default_factory=Setting)
    """Robot, grounds and chance."""
    held_out: tuple[str, ...] = ()
    """Grounds on which the chosen feet are judged and that the search does not walk on; empty takes the same ones."""
    steps: Mapping[str, float] = field(default_factory=dict)
    """Increments by field in which parts are available; see `plantar.design.rounding`."""
    seed: int = 0
    """Seed of the proposals."""
    sampler: SamplerName = "auto"
    """The sampler."""

    def evaluation(self) -> Evaluation:
        """What is run for each foot."""
        how = {"goals": self.objectives, "limits": self.limits, "setting": self.setting}
        return Evaluation(foot=self.space.foot.to_dict(), **how)

    def check(self) -> list[Goal]:
        """The goals; refuse what does not exist, fit or is not installed before anything is run.

        Raises:
            InvalidInput: If a measure, robot or step cannot be used, or a measure does not apply to this foot.
            MissingExtra: If the packages that searching or walking needs are not installed.
        """
        require_extra("design")
        require_choice("sampler", self.sampler, SAMPLERS)
        rounded(self.space, {}, self.steps)
        for text in self.screen:
            if parse_goal(text).asked.measure.level == "walk":
                raise InvalidInput(f"screen {text!r} needs walks: give measures of models and presses")
        setting = self.setting
        require(setting.draws >= 1, "draws", setting.draws, "an integer, 1 or more")
        if setting.robot:
            require_extra("walk")
            find_walker(setting.robot)
            controllers.find(setting.mode)
        return check(self.evaluation())

    def record(self) -> dict[str, Any]:
        """The problem as plain data."""
        names = ("objectives", "limits", "screen", "held_out", "seed", "sampler")
        own = {name: getattr(self, name) for name in names}
        return {**self.space.record(), **own, "setting": asdict(self.setting), "steps": dict(self.steps)}
