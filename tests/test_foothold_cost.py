"""The analytic cost: bounded least squares cell by cell, closed holes, symmetry, NumPy against Numba, choice."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import lsq_linear

from plantar import feet
from plantar.errors import InvalidInput
from plantar.feet import FlatFoot, SoftFootQ
from plantar.foothold import (
    BallSole,
    ElevationMap,
    Quadruped,
    Reason,
    SoftSole,
    Stance,
    Status,
    Weights,
    choose,
    close_holes,
    cost_map,
    cost_maps,
    sole_of,
    terrain_cost,
)
from plantar.foothold import _terrain_numpy as plain
from plantar.foothold._jit import has_numba
from plantar.foothold._patch import patch_of
from plantar.foothold.terrain_cost import closed


def noise(rng: np.random.Generator, size: int = 24, scale: float = 0.03, cell: float = 0.02) -> ElevationMap:
    """Rubble, with a slope and a level of its own."""
    heights = rng.normal(0, scale, (size, size)) + rng.normal(0, 0.3) + rng.normal(0, 0.02) * np.arange(size)
    return ElevationMap(heights=heights, cell=cell)


def reference(heights: np.ndarray, sole: SoftSole, yaw: float, cell: float, j: int, i: int) -> tuple[np.ndarray, float]:
    """Coefficients and eq. 3 of one cell by SciPy's bounded-variable least squares, from the words of the paper."""
    rows, columns = np.indices(heights.shape)
    dx, dy = (columns - i) * cell, (rows - j) * cell
    x, y = np.cos(yaw) * dx + np.sin(yaw) * dy, np.cos(yaw) * dy - np.sin(yaw) * dx
    under = (np.abs(x) <= sole.length / 2 + 1e-9) & (np.abs(y) <= sole.width / 2 + 1e-9)
    x, y, z = x[under], y[under], heights[under]
    matrix = np.stack([np.ones_like(x), x, x**2, y, y**2], axis=1)
    (s1, s2), (k1, k2) = sole.slope_limit, sole.curvature_limit
    top = np.array([np.inf, s1, k1, s2, k2])
    # columns of similar size, so that SciPy's own tolerance is met
    scale = np.array([1, 1 / 0.1, 1 / 0.01, 1 / 0.1, 1 / 0.01])
    answer = lsq_linear(matrix * scale, z - z.mean(), bounds=(-top / scale, top / scale), method="bvls", tol=1e-15)
    c = answer.x * scale
    misfit = np.abs(matrix @ c - (z - z.mean())).sum()
    (p1, p2), (q1, q2) = sole.slope_preferred, sole.curvature_preferred
    cost = sole.fit_weight * misfit
    for weight, limit, wanted, found in (
        (sole.slope_weight[0], s1, p1, c[1]),
        (sole.slope_weight[1], s2, p2, c[3]),
        (sole.curvature_weight[0], k1, q1, c[2]),
        (sole.curvature_weight[1], k2, q2, c[4]),
    ):
        cost += weight / (2 * limit) * abs(wanted - found)
    c[0] += z.mean()
    return c, cost


def compare(maps: int, cells: int, seed: int) -> tuple[float, float, int]:
    """Largest difference of coefficients and cost from the reference on random maps, feet and yaws."""
    rng = np.random.default_rng(seed)
    worst = np.zeros(2)
    bound = 0
    for _ in range(maps):
        grid = noise(rng, scale=10 ** rng.uniform(-3, -1))
        sole = SoftSole(length=rng.uniform(0.1, 0.22), width=rng.uniform(0.058, 0.1))
        yaw = rng.uniform(-math.pi, math.pi)
        fit = terrain_cost(grid, sole, yaw, shape=True)
        heights = close_holes(grid.heights)
        good = np.argwhere(np.isfinite(fit.cost))
        for j, i in good[rng.integers(0, len(good), cells)]:
            c, cost = reference(heights, sole, yaw, grid.cell, j, i)
            worst = np.maximum(worst, [np.abs(c - fit.shape[:, j, i]).max(), abs(cost - fit.cost[j, i])])
            bound += int(np.isclose(abs(c[1]), sole.slope_limit[0]) or np.isclose(abs(c[2]), sole.curvature_limit[0]))
    return float(worst[0]), float(worst[1]), bound


def test_the_cost_is_bounded_least_squares_of_every_patch():
    shape, cost, bound = compare(maps=60, cells=3, seed=0)
    assert shape < 1e-9 and cost < 1e-9
    assert bound > 30, "the bounds were hardly ever reached: the test shows little"


@pytest.mark.long
def test_the_cost_is_bounded_least_squares_on_a_thousand_maps(record_property):
    maps, cells = 1000, 3
    shape, cost, bound = compare(maps=maps, cells=cells, seed=1)
    record_property("foothold.cost.count", {"maps": maps, "cells": maps * cells, "at_a_bound": bound})
    record_property("foothold.cost.coefficients_error", shape)
    record_property("foothold.cost.cost_error", cost)
    assert shape < 1e-9 and cost < 1e-9


def test_a_surface_that_the_sole_can_follow_has_no_misfit():
    c = (0.1, 0.3, -1.5, -0.2, 8.0)

    def bowl(x, y):
        return c[0] + c[1] * x + c[2] * x**2 + c[3] * y + c[4] * y**2

    grid = ElevationMap.from_function(bowl, x=(-0.2, 0.2), y=(-0.2, 0.2), cell=0.02)
    sole = SoftSole(close_holes=False)
    fit = terrain_cost(grid, sole, shape=True)
    j, i = grid.index(0.0, 0.0)
    assert fit.shape[:, j, i] == pytest.approx(c, abs=1e-9)
    expected = 0.25 * (0.3 / (2 * 0.87266) + 0.2 / (2 * 0.43633) + (2.4 - 1.5) / 4.8 + 8 / 24)
    assert fit.cost[j, i] == pytest.approx(expected, abs=1e-9)


def test_the_preferred_bump_is_free_and_flat_ground_costs_half_of_the_curvature_weight():
    bump = ElevationMap.from_function(lambda x, y: -2.4 * x**2, x=(-0.2, 0.2), y=(-0.2, 0.2), cell=0.02)
    j, i = bump.index(0, 0)
    assert terrain_cost(bump, SoftSole()).cost[j, i] == pytest.approx(0, abs=1e-12)
    flat = ElevationMap(heights=np.zeros((20, 20)), cell=0.02)
    assert np.nanmax(np.abs(terrain_cost(flat, SoftSole(), 0.7).cost - 0.125)) < 1e-12
    # Turned by a right angle the foot meets the same ridge with its other curvature.
    assert terrain_cost(bump, SoftSole(), math.pi / 2).cost[j, i] > 0.1


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10**6), yaw=st.floats(-3.2, 3.2), level=st.floats(-100, 100))
def test_symmetries(seed, yaw, level):
    grid = noise(np.random.default_rng(seed), size=16)
    sole = SoftSole()
    cost = terrain_cost(grid, sole, yaw).cost
    raised = terrain_cost(grid.shifted(dz=level), sole, yaw).cost
    assert np.allclose(cost, raised, atol=1e-9, equal_nan=True)
    mirrored = terrain_cost(grid.mirrored(), sole, -yaw).cost[::-1]
    assert np.allclose(cost, mirrored, atol=1e-10, equal_nan=True)
    about = terrain_cost(grid, sole, yaw + math.pi).cost
    assert np.allclose(cost, about, atol=1e-9, equal_nan=True), "the sole is the same turned by half a turn"
    quarter = ElevationMap(heights=np.rot90(grid.heights, -1), cell=grid.cell)
    turned = np.rot90(terrain_cost(quarter, sole, yaw + math.pi / 2).cost)
    assert np.allclose(cost, turned, atol=1e-9, equal_nan=True)


def test_numpy_and_compiled_code_agree():
    if not has_numba():
        pytest.skip("Numba is not installed: there is nothing to compare")
    rng = np.random.default_rng(3)
    sole, ball = SoftSole(), BallSole()
    for yaw in (0.0, 0.4, 1.9):
        heights = noise(rng, 30, 0.05).heights.copy()
        heights[4, 20] = heights[17, 3] = np.nan
        grid = ElevationMap(heights=heights, cell=0.02)
        assert np.array_equal(closed(np.array(heights)), close_holes(heights), equal_nan=True)
        fit = terrain_cost(grid, sole, yaw, shape=True)
        limits = np.array([*sole.slope_limit, *sole.curvature_limit])
        wanted = np.array([*sole.slope_preferred, *sole.curvature_preferred])
        weights = np.array([*sole.slope_weight, *sole.curvature_weight]) / (2 * limits)
        patch = patch_of(sole, yaw, grid.cell)
        cost, shape = plain.soft_cost(close_holes(heights), patch, limits, wanted, weights, sole.fit_weight)
        assert np.allclose(cost, fit.cost, atol=1e-12, equal_nan=True)
        assert np.allclose(shape, fit.shape, atol=1e-11, equal_nan=True)
        there = plain.ball_cost(heights, patch_of(ball, 0, grid.cell), ball.slope, ball.roughness, ball.bump)
        assert np.allclose(there, terrain_cost(grid, ball).cost, atol=1e-10, equal_nan=True)


def test_holes_of_one_cell_are_closed_and_no_others():
    flat = np.zeros((9, 12))
    pit = flat.copy()
    pit[4, 3] = -0.1
    assert np.array_equal(close_holes(pit), flat)
    trench = flat.copy()
    trench[:, 6] = -0.1
    assert np.array_equal(close_holes(trench), flat), "a groove one cell wide is bridged across"
    slanting = np.where(np.eye(9, 12, 2), -0.1, 0.0)
    assert np.array_equal(close_holes(slanting)[1:-1, 1:-1], flat[1:-1, 1:-1])
    wide = flat.copy()
    wide[:, 6:8] = -0.1
    assert np.array_equal(close_holes(wide), wide), "two cells are not"
    pit2 = flat.copy()
    pit2[4:6, 4:6] = -0.1
    assert np.array_equal(close_holes(pit2), pit2)
    step = flat.copy()
    step[:, 6:] = 0.2
    assert np.array_equal(close_holes(step), step), "the base of a step is no hole"
    peak = flat.copy()
    peak[4, 4] = 0.1
    assert np.array_equal(close_holes(peak), peak)
    slope = np.add.outer(np.zeros(9), 0.02 * np.arange(12))
    dent = slope.copy()
    dent[4, 5] -= 0.1
    assert np.allclose(close_holes(dent)[1:-1, 1:-1], slope[1:-1, 1:-1])
    holed = flat.copy()
    holed[4, 4], holed[4, 5] = np.nan, -0.1
    done = close_holes(holed)
    assert np.isnan(done[4, 4]) and done[4, 5] == 0.0, "across it is a hole still; along x a neighbour is unknown"
    batch = np.stack([pit, wide])
    assert np.array_equal(close_holes(batch), np.stack([flat, wide]))


def test_unknown_ground_under_the_sole_is_no_foothold():
    heights = np.zeros((40, 40))
    heights[20, 20] = np.nan
    costs = cost_map(ElevationMap(heights=heights, cell=0.02), SoftSole())
    patch = patch_of(SoftSole(), 0, 0.02)
    blocked = {(20 + a, 20 + b) for a, b in zip(patch.rows, patch.columns, strict=True)}
    found = {tuple(p) for p in np.argwhere(costs.reason[5:35, 5:35] == Reason.UNKNOWN) + 5}
    assert found == blocked
    assert (costs.cost[~costs.feasible] == 255).all() and costs.cost[costs.feasible].max() <= 254
    assert costs.counts()["unknown"] == (~costs.feasible).sum()


def test_a_ball_avoids_bumps_and_the_soft_sole_prefers_them():
    """Fig. 7: the ball takes flat ground or a hollow, the soft foot a small bump."""

    def dome(sign):
        shape = lambda x, y: sign * 0.03 * np.exp(-((x / 0.08) ** 2) - (y / 0.3) ** 2)  # noqa: E731
        return ElevationMap.from_function(shape, x=(-0.6, 0.6), y=(-0.6, 0.6), cell=0.02)

    def at(grid, sole, x):
        j, i = grid.index(x, 0.0)
        return cost_map(grid, sole).cost[j, i]

    soft, ball = SoftSole(), BallSole()
    assert at(dome(1), soft, 0.0) < at(dome(1), soft, 0.4) < at(dome(-1), soft, 0.0)
    assert at(dome(1), ball, 0.0) > at(dome(-1), ball, 0.0)
    assert at(dome(1), ball, 0.4) < at(dome(1), ball, 0.0)
    edge = ElevationMap.from_function(lambda x, y: 0.15 * (x > 0.005), x=(-0.6, 0.6), y=(-0.4, 0.4), cell=0.02)
    assert at(edge, ball, 0.0) > 5 * at(edge, ball, -0.3) + 50


@pytest.mark.parametrize("leg", ["LF", "LH"])
@pytest.mark.parametrize("seed", range(3))
def test_left_legs_are_mirrored_right_legs(leg, seed):
    rng = np.random.default_rng(seed)
    robot = Quadruped()
    half = 0.39
    heights = rng.normal(0, 0.03, (40, 40))
    heights[:, 26:] += 0.12
    grid = ElevationMap(heights=heights, cell=0.02, origin=(-half, -half))
    left = cost_map(grid, SoftSole(), 0.3, leg=leg, robot=robot)
    right = cost_map(grid.mirrored(), SoftSole(), -0.3, leg="R" + leg[1], robot=robot).mirrored()
    assert right.leg == leg and right.yaw == pytest.approx(0.3)
    assert np.array_equal(left.reason, right.reason)
    assert np.allclose(left.cost, right.cost, atol=1e-9)
    assert 100 < left.feasible.sum() < 1500


def test_costs_of_leg_and_terrain_add_up():
    grid = ElevationMap(heights=np.zeros((40, 40)), cell=0.02, origin=(-0.39, -0.39))
    weights = Weights(terrain=0.5, margin=0.5, full_margin=0.08)
    costs = cost_map(grid, SoftSole(), leg="RF", weights=weights)
    ok = costs.feasible
    assert costs.margin is not None
    expected = 255 * (0.5 * costs.terrain[ok] + 0.5 * (1 - np.clip(costs.margin[ok] / 0.08, 0, 1)))
    assert np.allclose(costs.cost[ok], np.minimum(expected, 254))
    # On flat ground the footholds are a disc about the place under the hip, as in Fig. 9.
    j, i = np.argwhere(ok).mean(axis=0)
    assert ok.sum() > 300 and abs(i - 19.5) < 8
    many = cost_maps([grid, grid], SoftSole(), (0.0, 0.5), leg="RF", weights=weights)
    assert np.array_equal(many[1][0].cost, costs.cost)
    again = cost_map(grid, SoftSole(), 0.5, leg="RF", weights=weights)
    assert np.array_equal(many[0][1].cost, again.cost) and np.array_equal(many[0][1].reason, again.reason)


def test_choice_is_the_least_of_cost_and_distance():
    rng = np.random.default_rng(5)
    grid = ElevationMap(heights=rng.normal(0, 0.02, (40, 40)), cell=0.02, origin=(-0.39, -0.39))
    costs = cost_map(grid, SoftSole(), leg="LF")
    for k in (0.0, 50.0, 500.0):
        choice = choose(costs, (0.05, -0.03), k)
        total = costs.cost + k * np.hypot(grid.x[None] - 0.05, grid.y[:, None] + 0.03)
        total[~costs.feasible] = np.inf
        assert choice.total == pytest.approx(total.min())
        assert costs.feasible[choice.row, choice.column]
        assert (choice.x, choice.y) == pytest.approx(grid.position(choice.row, choice.column))
    near, far = choose(costs, (0.05, -0.03), 5000.0), choose(costs, (0.05, -0.03), 0.0)
    assert near.distance <= far.distance and near.cost >= far.cost
    turned = cost_maps([grid], SoftSole(), (0.0, 0.8, 1.6), leg="LF")[0]
    best = choose(turned, (0.0, 0.0))
    assert best.total == min(choose(one, (0.0, 0.0)).total for one in turned)
    with pytest.raises(InvalidInput, match="point"):
        choose(costs, (3.0, 0.0))
    with pytest.raises(InvalidInput, match="k ="):
        choose(costs, (0.0, 0.0), -1.0)


def test_ties_go_to_the_nominal_place_and_nowhere_to_step_is_said():
    flat = ElevationMap(heights=np.zeros((30, 30)), cell=0.02)
    choice = choose(cost_map(flat, SoftSole()), flat.position(11, 17), 0.0)
    assert (choice.row, choice.column, choice.distance) == (11, 17, 0.0)
    far = Stance(position=(0.3, 0.3, 3.0))
    none = choose(cost_map(flat, SoftSole(), leg="RF", stance=far), (0.3, 0.3))
    assert none.status is Status.NONE and not none.status.ok and math.isnan(none.x) and none.row == -1
    assert "move the body" in none.status.value


def test_soles_come_from_feet():
    sole = sole_of("softfoot_q")
    assert isinstance(sole, SoftSole)
    assert (sole.length, sole.width) == (pytest.approx(0.159, abs=1e-4), pytest.approx(0.056))
    assert sole.height == pytest.approx(SoftFootQ().sole_height)
    assert sole_of(feet.BallFoot(radius=0.04)) == BallSole(radius=0.04)
    wide = sole_of(SoftFootQ(chains=6))
    assert isinstance(wide, SoftSole) and wide.width > sole.width
    for bad in (FlatFoot(), "no_such_foot", 3):
        with pytest.raises(InvalidInput):
            sole_of(bad)


def test_cells_that_are_too_large_for_the_foot_are_refused():
    coarse = ElevationMap(heights=np.zeros((20, 20)), cell=0.1)
    with pytest.raises(InvalidInput, match=r"cell = 0.1 m is too large.*at most") as error:
        cost_map(coarse, SoftSole())
    assert "\n" not in str(error.value)
    with pytest.raises(InvalidInput, match="too large"):
        cost_map(coarse, BallSole())


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("length", 159.0),
        ("slope_limit", (0.0, 1.0)),
        ("curvature_preferred", (-3.0, 0.0)),
        ("misfit", "most"),
        ("width", -1.0),
    ],
)
def test_a_bad_sole_is_refused_by_name(field, value):
    with pytest.raises(InvalidInput, match=field):
        SoftSole(**{field: value})


def test_mean_misfit_does_not_depend_on_the_cell_size():
    ridge = lambda x, y: 0.03 * np.abs(np.sin(14 * x)) * np.cos(9 * y)  # noqa: E731
    costs = []
    for cell in (0.01, 0.005):
        grid = ElevationMap.from_function(ridge, x=(-0.2, 0.2), y=(-0.2, 0.2), cell=cell)
        j, i = grid.index(0.02, 0.01)
        costs.append(terrain_cost(grid, SoftSole(misfit="mean", close_holes=False)).cost[j, i])
    assert costs[0] == pytest.approx(costs[1], rel=0.1)
