"""Statistics of walks: known cases, and intervals that hold what they promise on walkers with known answers."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from plantar.errors import InvalidInput
from plantar.walk.study.statistics import (
    compare_draws,
    compare_pairs,
    difference_interval,
    mean_interval,
    share_interval,
)
from plantar.walk.study.threshold import Search, difference


def test_share_interval_is_the_published_one():
    # Newcombe, Statistics in Medicine 17 (1998), table I, method 3
    for won, tried, low, high in ((81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611)):
        assert share_interval(won, tried) == pytest.approx((low, high), abs=5e-5)
    assert share_interval(0, 0) == (0.0, 1.0)


def test_pairs_are_tested_exactly():
    # 8 against 1 of the trials that tell two feet apart: two tails of a fair coin, 2 (1 + 9) / 2^9
    first = [True] * 8 + [False] + [True] * 11
    second = [False] * 8 + [True] + [True] * 11
    found = compare_pairs(first, second)
    assert (found.pairs, found.both, found.only_first, found.only_second) == (20, 11, 8, 1)
    assert found.p == pytest.approx(20 / 512) and found.difference == pytest.approx(0.35)
    assert found.sure and 0 < found.low < 0.35 < found.high
    swapped = compare_pairs(second, first)
    assert (swapped.low, swapped.high, swapped.p) == pytest.approx((-found.high, -found.low, found.p))


def test_few_or_equal_pairs_prove_nothing():
    two = compare_pairs([True, True], [False, False])
    assert not two.sure and two.p == 0.5
    alike = compare_pairs([True] * 20, [True] * 20)
    assert not alike.sure and alike.p == 1 and alike.low < 0 < alike.high
    none = compare_pairs([], [])
    assert not none.sure and math.isnan(none.difference)


@pytest.mark.parametrize("pairs", [20, 40])
def test_interval_of_a_difference_keeps_its_confidence(pairs, record_property):
    """Coverage summed over every possible outcome, for 66 pairs of probabilities of winning and losing."""
    splits = [(won, lost) for won in range(pairs + 1) for lost in range(pairs + 1 - won)]
    low, high = np.array([difference_interval(won, lost, pairs) for won, lost in splits]).T
    counts = np.array([(won, lost, pairs - won - lost) for won, lost in splits])
    chances = [(a / 10, b / 10) for a in range(11) for b in range(11 - a)]
    held = []
    for more, less in chances:
        mass = stats.multinomial.pmf(counts, pairs, (more, less, max(1 - more - less, 0.0)))
        held.append(mass[(low <= more - less + 1e-12) & (more - less - 1e-12 <= high)].sum())
    record_property(f"softfoot.pairs.held_{pairs}", {"mean": float(np.mean(held)), "least": float(min(held))})
    assert np.mean(held) > 0.95 and min(held) > 0.92


def test_draws_are_resampled_whole():
    rng = np.random.default_rng(0)
    luck = rng.choice([-1, 0, 1], size=30)
    once, many = ([[int(v)] for v in luck], [[int(v)] * 12 for v in luck])
    # twelve copies of a walk are no more evidence than one
    assert compare_draws(many) == pytest.approx(compare_draws(once))
    mean, low, high = compare_draws(once)
    assert low < mean < high and mean == pytest.approx(luck.mean())


def test_mean_interval_of_normal_values():
    values = np.random.default_rng(3).normal(5.0, 2.0, size=400)
    low, high = mean_interval(values)
    assert (high - low) / 2 == pytest.approx(1.96 * 2.0 / 20, rel=0.15) and low < 5 < high
    rng = np.random.default_rng(0)
    ends = [mean_interval(rng.exponential(1.0, 80)) for _ in range(60)]
    assert sum(low < 1.0 < high for low, high in ends) > 50  # skewed values too
    assert mean_interval([1.0, 1.0]) == (1.0, 1.0) and all(map(math.isnan, mean_interval([1.0])))


@pytest.mark.parametrize("count", [3, 5, 20])
def test_mean_interval_of_few_values_holds_the_mean_as_often(count):
    rng = np.random.default_rng(2)
    ends = np.array([mean_interval(rng.normal(0.0, 1.0, count)) for _ in range(1500)])
    assert 0.935 < ((ends[:, 0] <= 0) & (ends[:, 1] >= 0)).mean() < 0.965
    assert mean_interval([0.0, 0.0, 1.0])[0] == 0.0  # as numbers of collisions


class Walker:
    """Falls by a logistic curve with a threshold that is known."""

    def __init__(self, threshold: float, spread: float, lapse: float = 0.02):
        self.threshold, self.spread, self.lapse = threshold, spread, lapse

    def crosses(self, level: float, chance: float) -> bool:
        share = 1 / (1 + (level / self.threshold) ** (1 / self.spread))
        return chance < self.lapse + (1 - 2 * self.lapse) * share


def search_of(walker: Walker, rng: np.random.Generator, rounds: int = 4, batch: int = 8) -> Search:
    search = Search(0.005, 0.08)
    for _ in range(rounds):
        levels = search.next_levels(batch)
        search.add(levels, [walker.crosses(level, rng.uniform()) for level in levels])
    return search


@pytest.mark.parametrize(("spread", "widest"), [(0.05, 1.4), (0.15, 1.8), (0.35, 2.5)])
def test_threshold_search_holds_the_truth(spread, widest, record_property):
    rng, held, errors, widths = np.random.default_rng(7), 0, [], []
    runs = 250
    for _ in range(runs):
        walker = Walker(math.exp(rng.uniform(math.log(0.008), math.log(0.05))), spread)
        found = search_of(walker, rng).threshold()
        held += found.low <= walker.threshold <= found.high
        errors.append(math.log(found.level / walker.threshold))
        widths.append(math.log(found.high / found.low) if 0 < found.low and found.high < math.inf else math.nan)
    record_property(f"softfoot.half.held_{round(100 * spread)}", {"held": int(held), "runs": runs})
    assert 0.92 <= held / runs <= 0.995
    assert abs(np.mean(errors)) < 0.05  # no bias of more than 5 %
    assert np.nanmedian(widths) < math.log(widest)  # upper over lower end, 32 walks


def test_threshold_beyond_what_was_walked_is_said_to_be():
    rng = np.random.default_rng(0)
    high = search_of(Walker(0.3, 0.1), rng).threshold()
    assert math.isinf(high.high) and high.low > 0.05 and "above" in high.text()
    low = search_of(Walker(0.001, 0.1), rng).threshold()
    assert low.low == 0 and low.high < 0.02 and "below" in low.text()
    with pytest.raises(InvalidInput, match="range"):
        Search(0.0, 0.1)


def test_difference_of_thresholds_tells_feet_apart_only_when_they_differ():
    rng, wrong, right = np.random.default_rng(2), 0, 0
    runs = 150
    for _ in range(runs):
        base = math.exp(rng.uniform(math.log(0.012), math.log(0.03)))
        one, same, twice = (search_of(Walker(base * f, 0.15), rng) for f in (1, 1, 2))
        _, low, high = difference(one, same)
        wrong += low > 0 or high < 0
        middle, low, high = difference(twice, one)
        right += low > 0
        assert low <= middle <= high
    assert wrong / runs < 0.06 and right / runs > 0.9


def test_search_is_a_function_of_what_it_was_told():
    one, two = Search(0.005, 0.08), Search(0.005, 0.08)
    for search in (one, two):
        search.add(search.next_levels(6), [True, True, True, False, True, False])
    assert one.next_levels(6) == two.next_levels(6)
    assert one.next_levels(6) == sorted(one.next_levels(6))
