"""What proposes the next feet: optuna's samplers, through ask and tell in a fixed order."""

from __future__ import annotations

import importlib
import importlib.util
import math
import warnings
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np

from plantar._checks import require_choice
from plantar._extras import require_extra
from plantar.design.dimension import Dimension
from plantar.design.refine import SHARES, lowest
from plantar.design.space import Space
from plantar.errors import InvalidInput, MissingExtra

SamplerName = Literal["auto", "tpe", "nsga2", "cmaes", "gp", "random"]
SAMPLERS: tuple[SamplerName, ...] = ("auto", "tpe", "nsga2", "cmaes", "gp", "random")
"""Tree-structured Parzen estimators, NSGA-II, CMA-ES (one goal, numbers only), Gaussian processes (needs PyTorch)."""
VIOLATION = "violation"
SAME = 1e-9
"""Points that differ by less are the same foot, which is not measured twice."""


class Proposer:
    """Proposes values and takes their results; the same results in the same order give the same proposals.

    Args:
        space: What may be proposed.
        signs: 1 for each goal that is to be small, -1 for each that is to be large.
        sampler: Which sampler; `auto` takes CMA-ES for one goal over numbers, TPE otherwise.
        seed: Seed of the sampler.
        population: Individuals of NSGA-II.
        first: Values that are proposed before all others.
    """

    def __init__(
        self,
        space: Space,
        signs: Sequence[float],
        sampler: SamplerName = "auto",
        *,
        seed: int = 0,
        population: int = 24,
        first: Sequence[Mapping[str, Any]] = (),
    ):
        require_choice("sampler", sampler, SAMPLERS)
        require_extra("design")
        self.space, self.signs = space, tuple(signs)
        self.name = _chosen(space, len(self.signs)) if sampler == "auto" else sampler
        self._optuna: Any = importlib.import_module("optuna")
        self._optuna.logging.set_verbosity(self._optuna.logging.ERROR)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # samplers that are marked as new
            made = self._make(seed, population)
            self._study = self._optuna.create_study(directions=["minimize"] * len(self.signs), sampler=made)
            for values in first:
                self._study.enqueue_trial(self._encoded(values))
        self._worst = [0.0] * len(self.signs)
        self._best = [0.0] * len(self.signs)
        self._seen, self._credit = False, 0.0
        self._good: list[tuple[list[float], float, list[float]]] = []

    def ask(self, count: int) -> list[tuple[Any, dict[str, Any]]]:
        """The next `count` proposals: a handle to report back on, and the values."""
        found = []
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self._refine(count)
            for _ in range(count):
                trial = self._study.ask()
                values: dict[str, Any] = {}
                for dimension in self.space.dimensions:
                    if dimension.counts(values):
                        values[dimension.name] = _suggest(trial, dimension)
                found.append((trial, values))
        return found

    def tell(self, trial: Any, goals: Sequence[float], violation: float, parts: Sequence[float] | None = None) -> None:
        """What a proposal gave.

        Args:
            trial: What `ask` gave with the values.
            goals: The goals; they may be NaN where `violation` is above 0.
            violation: Above 0 where the proposal cannot be used.
            parts: Numbers whose root mean square the only goal is, if it is one; see `refine`.
        """
        losses = [sign * value for sign, value in zip(self.signs, goals, strict=True)]
        if violation <= 0 and all(map(math.isfinite, losses)):
            pairs = list(zip(losses, self._worst, self._best, strict=True))
            self._worst = [max(new, worst) if self._seen else new for new, worst, _ in pairs]
            self._best = [min(new, best) if self._seen else new for new, _, best in pairs]
            self._seen = True
            if self.name == "cmaes":
                own = [d.place(trial.params[d.name]) for d in self.space.dimensions]
                self._good.append((own, losses[0], list(parts or ())))
        else:  # worse than all that can be used, by how much it breaks limits
            spans = [(worst - best) or 1.0 for worst, best in zip(self._worst, self._best, strict=True)]
            ends = zip(self._worst, spans, strict=True)
            losses = [worst + span * (0.1 + max(violation, 0.0)) for worst, span in ends]
        trial.set_user_attr(VIOLATION, violation)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self._study.tell(trial, losses)

    def _refine(self, count: int) -> None:
        """Propose lowest points of quadratics first, a quarter of all at most; CMA-ES learns nothing from them."""
        self._credit = min(self._credit + count / 4, float(len(SHARES)))
        if not self._good or self._credit < 1:
            return
        places, values, parts = (list(column) for column in zip(*self._good, strict=True))
        there = np.array(parts) if parts[0] and len({len(one) for one in parts}) == 1 else None
        found = lowest(np.array(places), np.array(values), there)[: int(self._credit)]
        self._credit -= len(found)
        for place in found:
            if np.abs(np.array(places) - place).max(axis=1).min() > SAME:
                places.append(place.tolist())
                self._study.enqueue_trial(self.space.at(place.tolist()))

    def _make(self, seed: int, population: int) -> Any:
        samplers = self._optuna.samplers
        if self.name == "random":
            return samplers.RandomSampler(seed=seed)
        if self.name == "cmaes":
            if len(self.signs) > 1 or any(d.kind == "choice" or d.when for d in self.space.dimensions):
                raise InvalidInput("sampler 'cmaes' is for one objective over numbers: give tpe or nsga2")
            return samplers.CmaEsSampler(seed=seed, with_margin=any(d.kind == "int" for d in self.space.dimensions))
        if self.name == "nsga2":
            return samplers.NSGAIISampler(seed=seed, population_size=population, constraints_func=_constraint)
        if self.name == "gp":
            if importlib.util.find_spec("torch") is None:
                raise MissingExtra("sampler 'gp' needs torch: `pip install torch`, or give tpe")
            return samplers.GPSampler(seed=seed, constraints_func=_constraint)
        # field by field with the constant liar: in rounds of 8, joint estimates found no front of ZDT1 in 2 of 3 runs
        return samplers.TPESampler(seed=seed, multivariate=False, constant_liar=True, constraints_func=_constraint)

    def _encoded(self, values: Mapping[str, Any]) -> dict[str, Any]:
        own = {d.name: d for d in self.space.dimensions}
        return {k: own[k].number_of(v) if own[k].kind == "choice" else v for k, v in values.items() if k in own}


def _constraint(trial: Any) -> tuple[float]:
    return (trial.user_attrs.get(VIOLATION, 0.0),)


def _chosen(space: Space, goals: int) -> SamplerName:
    numbers = all(d.kind != "choice" and d.when is None for d in space.dimensions)
    return "cmaes" if goals == 1 and numbers and len(space.dimensions) > 1 else "tpe"


def _suggest(trial: Any, dimension: Dimension) -> Any:
    if dimension.kind == "float":
        return trial.suggest_float(dimension.name, dimension.low, dimension.high, log=dimension.log)
    if dimension.kind == "int":
        return trial.suggest_int(dimension.name, round(dimension.low), round(dimension.high), log=dimension.log)
    # numbers instead of values, as optuna takes no lists
    return dimension.values[trial.suggest_categorical(dimension.name, list(range(len(dimension.values))))]
