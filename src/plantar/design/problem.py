"""The question that a search answers, and its budget."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from plantar._checks import require, require_choice
from plantar._config import Checked
from plantar._extras import require_extra
from plantar.design.evaluate import Evaluation, check
from plantar.design.explore import BATCH
from plantar.design.judge import study_of
from plantar.design.measure import Goal, parse_goal, parse_limit
from plantar.design.rounding import rounded
from plantar.design.sampler import SAMPLERS, SamplerName
from plantar.design.space import Space
from plantar.design.subject import Ground, Setting, each_once
from plantar.errors import InvalidInput
from plantar.walk.study.feet import OWN, content_of


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
        how = {"goals": self.objectives, "limits": self.limits, "setting": self.setting, "files": self.files()}
        return Evaluation(foot=self.space.foot.to_dict(), **how)

    def files(self) -> str:
        """Hash of the files that measures read and that robot and controller are made from; empty without any."""
        asked = [parse_goal(text).asked for text in (*self.objectives, *self.screen)]
        asked += [parse_limit(text).asked for text in self.limits]
        read = [str(value) for one in asked for option, value in one.options.items() if option == "file"]
        courses = [Ground.parse(text).course for text in (*self.setting.grounds, *self.held_out)]
        return content_of(self.setting.robot, self.setting.mode, *courses, *read)

    def check(self, budget: Budget | None = None) -> list[Goal]:
        """The goals; refuse what does not exist, fit or is not installed before anything is run.

        Args:
            budget: What is to be spent, if that is known.

        Raises:
            InvalidInput: If a measure, robot or step cannot be used, or a measure does not apply to this foot.
            MissingExtra: If the packages that searching or walking needs are not installed.
        """
        require_extra("design")
        require_choice("sampler", self.sampler, SAMPLERS)
        rounded(self.space, {}, self.steps)
        self._check_setting()
        goals = check(self.evaluation())
        self._check_screen(goals)
        if budget is not None:
            self._check_judged(budget)
        return goals

    def _check_judged(self, budget: Budget) -> None:
        """Refuse a final evaluation that could not be."""
        if self.held_out and not budget.judged:
            raise InvalidInput("held_out grounds are walked on when chosen feet are judged: give judged, 1 or more")
        if budget.judged:
            ready = self.setting.robot and self.setting.grounds
            require(bool(ready), "judged", budget.judged, "0 without a robot and grounds that it walks on")
            self.space.foot.with_(fidelity=budget.judge)

    def _check_setting(self) -> None:
        """Refuse robots, grounds and walks that cannot be, here and not when the chosen feet are judged."""
        setting = self.setting
        require(setting.draws >= 1, "draws", setting.draws, "an integer, 1 or more")
        require(setting.seed >= 0, "seed", setting.seed, "an integer, 0 or more")
        searched, held_out = each_once("grounds", setting.grounds), each_once("held_out", self.held_out)
        both = [ground.text() for ground in held_out if ground in searched]
        require(not both, "held_out", ", ".join(self.held_out), f"grounds that are not searched on, as {both} are")
        if setting.robot:
            require_extra("walk")
            self.space.foot.with_(fidelity=setting.fidelity)
            study_of(setting, (*searched, *held_out) or (Ground("flat", 0.0),), (OWN,)).check()

    def _check_screen(self, goals: Sequence[Goal]) -> None:
        """Refuse measures that cannot select which feet walk."""
        for text in self.screen:
            if parse_goal(text).asked.measure.level == "walk":
                raise InvalidInput(f"screen {text!r} needs walks: give measures of models and presses")
        if self.screen and all(goal.asked.measure.level != "walk" for goal in goals):
            raise InvalidInput(
                f"screen {', '.join(self.screen)!r} selects feet that walk, and no objective needs walks"
            )
        if self.screen:
            check(replace(self.evaluation(), goals=self.screen, limits=()))

    def record(self) -> dict[str, Any]:
        """The problem as plain data."""
        names = ("objectives", "limits", "screen", "held_out", "seed", "sampler")
        own = {name: getattr(self, name) for name in names}
        return {
            **self.space.record(),
            **own,
            "setting": asdict(self.setting),
            "steps": dict(self.steps),
            "files": self.files(),
        }
