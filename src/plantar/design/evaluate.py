"""What a search runs for each foot: build it, check limits from cheap to expensive, measure what is requested."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from plantar import feet
from plantar._files import to_json
from plantar.design.measure import LEVELS, Asked, Goal, Level, Limit, parse_asked, parse_goal, parse_limit
from plantar.design.subject import Setting, Subject
from plantar.errors import InvalidInput, PlantarError

NOT_BUILT = 10.0
"""Violation of a foot that cannot be built, and of one whose simulation fails."""
VIOLATION = "violation"
"""Name of the column with the sum of all excesses over limits; 0 is a foot that keeps them."""


@dataclass(frozen=True, kw_only=True)
class Evaluation:
    """A function of (config, seed) for `plantar.sweep`; everything in it is plain data."""

    foot: Mapping[str, Any]
    """The foot to start from, as `Foot.to_dict` gives it."""
    goals: tuple[str, ...]
    """Goals, as texts."""
    limits: tuple[str, ...] = ()
    """Limits, as texts."""
    also: tuple[str, ...] = ()
    """Measures that are neither, to be in the table."""
    setting: Setting = field(default_factory=Setting)
    """Robot, grounds and chance."""
    levels: tuple[Level, ...] = LEVELS
    """Costs to spend; measures with other costs are left out."""
    files: str = ""
    """Hash of the files that are named above: with another content it is another search."""

    def __call__(self, config: Mapping[str, Any], seed: int) -> dict[str, Any]:
        """The measures of one foot; `violation` is above 0 and `reason` says why where it cannot be used."""
        asked = self.asked()
        found: dict[str, Any] = dict.fromkeys((one.label for one in asked), math.nan)
        found |= {one.parts: [] for one in asked if one.parts}
        try:
            subject = Subject(self.build(config["values"]), self.setting)
            excess, why = self._measure(subject, found, asked)
        except PlantarError as error:
            excess, why = NOT_BUILT, str(error)
        return {**found, VIOLATION: excess, "reason": why}

    def build(self, values: Mapping[str, Any]) -> feet.Foot:
        """The foot with these values."""
        return feet.parse(to_json(self.foot)).with_(**values)

    def asked(self) -> list[Asked]:
        """Everything that is measured, cheap things first, each once."""
        texts = [parse_goal(text).asked for text in self.goals]
        texts += [parse_limit(text).asked for text in self.limits]
        texts += [parse_asked(text) for text in self.also]
        once = {one.label: one for one in texts if one.measure.level in self.levels}
        return sorted(once.values(), key=lambda one: LEVELS.index(one.measure.level))

    def _measure(self, subject: Subject, found: dict[str, Any], asked: Sequence[Asked]) -> tuple[float, str]:
        """Measure level by level; a foot that breaks a limit is not measured further."""
        limits = [parse_limit(text) for text in self.limits]
        for level in self.levels:
            for one in (one for one in asked if one.measure.level == level):
                found[one.label], parts = one.all_of(subject)
                if one.parts:
                    found[one.parts] = parts
                if not math.isfinite(found[one.label]):
                    fell = "none of its walks arrived" if one.measure.level == "walk" else "it is not a number"
                    return NOT_BUILT, f"{one.label} is not known for this foot: {fell}"
            broken = [lim for lim in limits if lim.asked.label in found and lim.asked.measure.level == level]
            broken = [lim for lim in broken if lim.excess(found[lim.asked.label]) > 0]
            if broken:
                texts = ", ".join(f"{lim.text()} (it is {found[lim.asked.label]:.4g})" for lim in broken)
                return sum(lim.excess(found[lim.asked.label]) for lim in broken), f"breaks {texts}"
        return 0.0, ""


def check(evaluation: Evaluation) -> list[Goal]:
    """The goals of an evaluation, after checking that they apply to this foot.

    Raises:
        InvalidInput: If a measure does not exist or does not apply to this foot.
    """
    goals = [parse_goal(text) for text in evaluation.goals]
    if len({goal.label for goal in goals}) < len(goals) or not goals:
        raise InvalidInput(f"objectives = {', '.join(evaluation.goals)!r} is not allowed: give one or more, each once")
    walks = any(one.measure.level == "walk" for one in evaluation.asked())
    if walks and not (evaluation.setting.robot and evaluation.setting.grounds):
        raise InvalidInput("an objective or limit is measured in walks: give ROBOT and grounds, as in bars:0.015")
    subject = Subject(evaluation.build({}), evaluation.setting)
    for one in evaluation.asked():
        if one.measure.level != "walk":
            try:
                one.of(subject)
            except InvalidInput as error:
                raise InvalidInput(f"{one.label} does not apply to this foot: {error}") from error
    return goals


def limits_of(evaluation: Evaluation) -> list[Limit]:
    """The limits of an evaluation."""
    return [parse_limit(text) for text in evaluation.limits]
