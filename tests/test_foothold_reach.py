"""Legs: kinematics and back, margins against tested points, collisions against MuJoCo's geometry."""

from __future__ import annotations

import math

import mujoco
import numpy as np
import pytest

from plantar.errors import InvalidInput
from plantar.foothold import LEGS, ElevationMap, Quadruped, Reason, Stance, leg_points, reach
from plantar.foothold import _reach_numpy as plain
from plantar.foothold.reach import _arrays, _other_legs, _plain

ROBOTS = {"C": Quadruped(), "B": Quadruped.anymal_b()}


def points_near(robot: Quadruped, leg: str, rng: np.random.Generator, count: int) -> np.ndarray:
    return robot.nominal(leg) + rng.uniform(-0.3, 0.3, (count, 3))


@pytest.mark.parametrize("name", ROBOTS)
@pytest.mark.parametrize("leg", LEGS)
def test_inverse_and_forward_kinematics_undo_each_other(name, leg, record_property):
    robot, rng = ROBOTS[name], np.random.default_rng(0)
    points = points_near(robot, leg, rng, 3000)
    angles = robot.inverse(leg, points)
    ok = np.isfinite(angles).all(axis=1)
    assert 0.2 < ok.mean() < 0.8
    back = np.abs(robot.forward(leg, angles[ok])[:, 2] - points[ok]).max()
    record_property(f"foothold.reach.back_{name}_{leg}".lower(), {"points": int(ok.sum()), "error": float(back)})
    assert back < 1e-12
    again = robot.inverse(leg, robot.forward(leg, angles[ok])[:, 2])
    assert np.nanmax(np.abs(again - angles[ok])) < 1e-7
    low, high = robot.roll_range
    assert (angles[ok, 0] >= low - 1e-9).all() and (angles[ok, 0] <= high + 1e-9).all()
    bend = np.abs(angles[ok, 2])
    assert (bend >= robot.knee_range[0] - 1e-9).all() and (bend <= robot.knee_range[1] + 1e-9).all()
    assert np.array_equal(ok, robot.margin(leg, points) >= 0)
    segments = np.linalg.norm(np.diff(robot.forward(leg, angles[ok]), axis=1), axis=2)
    aside = robot.foot_out - robot.knee_out
    assert np.allclose(segments[:, 1], math.hypot(robot.shank, aside))


def leg_model(robot: Quadruped, leg: str) -> mujoco.MjModel:
    """The leg's three hinges in MuJoCo, built from the offsets alone."""
    front, left = robot.sides(leg)
    spec = mujoco.MjSpec()
    hip = spec.worldbody.add_body(name="hip", pos=list(robot.hip_of(leg)))
    hip.add_joint(name="roll", axis=[left, 0, 0])
    thigh = hip.add_body(name="thigh", pos=[front * robot.hip_forward, left * robot.knee_out, 0])
    thigh.add_joint(name="pitch", axis=[0, 1, 0])
    shank = thigh.add_body(name="shank", pos=[0, 0, -robot.thigh])
    shank.add_joint(name="knee", axis=[0, 1, 0])
    shank.add_site(name="end", pos=[0, left * (robot.foot_out - robot.knee_out), -robot.shank])
    for body in (hip, thigh, shank):
        body.add_geom(type=mujoco.mjtGeom.mjGEOM_SPHERE, size=[0.01, 0, 0], mass=0.1)
    return spec.compile()


@pytest.mark.parametrize("leg", LEGS)
def test_forward_kinematics_are_mujocos(leg, record_property):
    robot, rng = Quadruped(), np.random.default_rng(1)
    model = leg_model(robot, leg)
    data = mujoco.MjData(model)
    apart = []
    for angles in rng.uniform([-0.7, -1.0, -2.0], [0.4, 1.0, 2.0], (20, 3)):
        data.qpos[:] = angles
        mujoco.mj_kinematics(model, data)
        _, knee, end = robot.forward(leg, angles)
        apart += [np.abs(data.body("shank").xpos - knee).max(), np.abs(data.site("end").xpos - end).max()]
    record_property(f"foothold.reach.forward_{leg}".lower(), {"postures": len(apart) // 2, "error": float(max(apart))})
    assert max(apart) < 1e-12


def test_the_margin_is_the_radius_of_a_ball_within_reach():
    robot, rng = Quadruped(), np.random.default_rng(2)
    points = points_near(robot, "RF", rng, 400)
    margin = robot.margin("RF", points)
    directions = rng.normal(size=(4000, 3))
    directions /= np.linalg.norm(directions, axis=1)[:, None]
    tight, tested = 0, 0
    for point, radius in zip(points[margin > 0.01], margin[margin > 0.01], strict=True):
        inside = robot.inverse("RF", point + 0.999 * radius * directions)
        assert np.isfinite(inside).all(), "a point within the margin cannot be reached"
        tested += 1
        tight += not np.isfinite(robot.inverse("RF", point + (1.03 * radius + 1e-3) * directions)).all()
    assert tested > 80
    assert tight > 0.9 * tested, "the margin is much smaller than it could be"


def scene(seed: int) -> tuple[ElevationMap, Stance]:
    rng = np.random.default_rng(seed)
    heights = rng.normal(0, 0.015, (40, 40))
    heights[:, 24:] += rng.uniform(0.05, 0.3)
    heights[28:, :] += rng.uniform(0, 0.25)
    grid = ElevationMap(heights=heights, cell=0.02, origin=(-0.39, -0.39))
    return grid, Stance(position=(rng.uniform(-0.5, -0.2), rng.uniform(-0.1, 0.4), 0.5), yaw=rng.uniform(-0.4, 0.4))


@pytest.mark.parametrize("seed", range(4))
def test_numpy_and_compiled_code_agree(seed):
    grid, stance = scene(seed)
    robot = Quadruped()
    for leg in LEGS:
        fast = reach(grid, leg, robot, stance, 0.077)
        share = 1 - robot.ankle_free / robot.shank
        others, gaps = _other_legs(leg, robot, stance, *_arrays(robot, stance, 0.077, share))
        standing = [robot.forward(name, robot.inverse(name, robot.nominal(name))) for name in LEGS if name != leg]
        parts = [stance.to_map(points[n : n + 2]) for points in standing for n in range(2)]
        assert np.allclose(others, parts, atol=1e-12)
        slow = _plain(grid, grid.heights, leg, robot, stance, 0.077, others, gaps, share)
        assert np.allclose(fast.margin, slow.margin, atol=1e-12)
        assert (fast.reason != slow.reason).mean() < 2e-3, "they may differ where a leg just touches"


def capsules(spec: mujoco.MjSpec, count: int, radius: float) -> None:
    for k in range(count):
        body = spec.worldbody.add_body(name=f"c{k}", mocap=True)
        body.add_geom(name=f"c{k}", type=mujoco.mjtGeom.mjGEOM_CAPSULE, size=[radius, 0.1, 0])


def test_distances_between_legs_are_mujocos(record_property):
    rng = np.random.default_rng(4)
    apart, inside = [], []
    for _ in range(200):
        p, q, r, s = rng.uniform(-0.3, 0.3, (4, 3))
        spec = mujoco.MjSpec()
        for name, (a, b) in {"one": (p, q), "two": (r, s)}.items():
            line = [*a, *b]
            spec.worldbody.add_geom(name=name, type=mujoco.mjtGeom.mjGEOM_CAPSULE, fromto=line, size=[0.02, 0, 0])
        model = spec.compile()
        data = mujoco.MjData(model)
        mujoco.mj_forward(model, data)
        theirs = mujoco.mj_geomDistance(model, data, model.geom("one").id, model.geom("two").id, 5.0, None)
        ours = float(plain.segment_distance(p, q, r, s)) - 0.04
        if theirs > 0:
            apart.append(abs(ours - theirs))
        else:
            inside.append(ours)
    record_property("foothold.reach.legs_apart", {"pairs": len(apart), "error": max(apart)})
    record_property("foothold.reach.legs_touching", {"pairs": len(inside), "largest": max(inside)})
    assert max(apart) < 1e-6
    assert max(inside) < 1e-6


def test_legs_that_would_cross_are_refused():
    robot = Quadruped()
    grid = ElevationMap(heights=np.zeros((60, 60)), cell=0.02, origin=(-0.6, -0.9))
    near = robot.nominal("RH") + [0.28, 0.0, 0.0]
    stance = Stance(position=(0.0, 0.0, 0.5), feet={"RH": tuple(near + [0, 0, 0.5])})
    crossed, free = reach(grid, "RF", robot, stance, 0.077), reach(grid, "RF", robot, Stance(), 0.077)
    assert (free.reason == Reason.LEGS).sum() < (crossed.reason == Reason.LEGS).sum()
    # MuJoCo agrees on every cell that is in reach.
    points = leg_points(grid, "RF", robot, stance, 0.077)
    start, knee, foot = stance.to_map(robot.forward("RH", robot.inverse("RH", stance.to_base(stance.feet["RH"]))))
    others = [(start, knee), (knee, foot)]
    for j, i in np.argwhere(crossed.reason == Reason.LEGS)[::5]:
        gap = min(
            float(plain.segment_distance(points[j, i, n], points[j, i, n + 1], other[0], other[1]))
            - (robot.thigh_radius, robot.shank_radius)[n]
            - radius
            for other, radius in zip(others, (robot.thigh_radius, robot.shank_radius), strict=True)
            for n in range(2)
        )
        assert gap < 1e-9


@pytest.mark.parametrize("seed", [1, 2, 5])
def test_legs_hit_the_ground_where_mujocos_height_field_does(seed, record_property):
    """Cells that are told to be free have no deep contact in MuJoCo, and those that hit have one."""
    grid, stance = scene(seed)
    smooth = grid.heights.copy()
    smooth[1:-1, 1:-1] = (smooth[:-2, 1:-1] + smooth[2:, 1:-1] + smooth[1:-1, :-2] + smooth[1:-1, 2:]) / 4
    grid = ElevationMap(heights=smooth, cell=grid.cell, origin=grid.origin)
    robot, leg = Quadruped(ankle_free=0.09), "LF"
    found = reach(grid, leg, robot, stance, 0.077)
    points = leg_points(grid, leg, robot, stance, 0.077)
    model, data = ground_and_leg(grid, robot)
    depth_free, depth_hit = [], []
    for j, i in np.argwhere((found.reason == Reason.OK) | (found.reason == Reason.GROUND)):
        depth = deepest(model, data, points[j, i], robot)
        (depth_free if found.reason[j, i] == Reason.OK else depth_hit).append(depth)
    touching = float(np.mean(np.array(depth_hit) > -0.001))
    found_free = {"cells": len(depth_free), "deepest": float(max(depth_free))}
    record_property(f"foothold.reach.ground_{seed}", {**found_free, "hits": len(depth_hit), "touching": touching})
    assert len(depth_hit) >= 10 and len(depth_free) > 50
    # Between the samples of the ground, 2 cm apart, a leg may dip in by a few millimetres.
    assert max(depth_free) < 0.006
    assert touching > 0.95


def ground_and_leg(grid: ElevationMap, robot: Quadruped) -> tuple[mujoco.MjModel, mujoco.MjData]:
    h = grid.heights
    spec = mujoco.MjSpec()
    size = [(h.shape[1] - 1) * grid.cell / 2, (h.shape[0] - 1) * grid.cell / 2, float(np.ptp(h)), 0.5]
    spec.add_hfield(name="g", nrow=h.shape[0], ncol=h.shape[1], size=size, userdata=((h - h.min()) / np.ptp(h)).ravel())
    at = [*grid.centre, float(h.min())]
    spec.worldbody.add_geom(name="g", type=mujoco.mjtGeom.mjGEOM_HFIELD, hfieldname="g", pos=at)
    for name, radius, length in (
        ("thigh", robot.thigh_radius, robot.thigh),
        ("shank", robot.shank_radius, robot.shank),
    ):
        body = spec.worldbody.add_body(name=name)
        body.add_freejoint()
        body.add_geom(
            name=name, type=mujoco.mjtGeom.mjGEOM_CAPSULE, size=[radius, length / 2, 0], contype=2, margin=0.01
        )
    spec.geom("g").conaffinity = 2
    spec.geom("g").contype = 0
    model = spec.compile()
    return model, mujoco.MjData(model)


def deepest(model: mujoco.MjModel, data: mujoco.MjData, leg: np.ndarray, robot: Quadruped) -> float:
    """How deep thigh and the checked part of the shank are in the ground [m]; negative: how far off, -1 at most."""
    share = 1 - robot.ankle_free / robot.shank
    ends = (leg[0], leg[1]), (leg[1], leg[1] + share * (leg[2] - leg[1]))
    for name, (a, b) in zip(("thigh", "shank"), ends, strict=True):
        start = model.joint(model.body(name).jntadr[0]).qposadr[0]
        axis = (b - a) / np.linalg.norm(b - a)
        quat = np.zeros(4)
        mujoco.mju_quatZ2Vec(quat, axis)
        data.qpos[start : start + 7] = [*((a + b) / 2), *quat]
        model.geom_size[model.geom(name).id, 1] = np.linalg.norm(b - a) / 2
        model.geom_rbound[model.geom(name).id] = np.linalg.norm(b - a) / 2 + model.geom_size[model.geom(name).id, 0]
    mujoco.mj_kinematics(model, data)
    mujoco.mj_collision(model, data)
    return max((-data.contact[k].dist for k in range(data.ncon)), default=-1.0)


def test_unknown_ground_is_not_hit():
    grid, stance = scene(1)
    heights = grid.heights.copy()
    blind = ElevationMap(heights=np.where(heights > 0.1, np.nan, heights), cell=grid.cell, origin=grid.origin)
    found = reach(blind, "LF", Quadruped(), stance, 0.077)
    assert (found.reason[np.isnan(blind.heights)] == Reason.UNKNOWN).all()
    assert (found.reason == Reason.GROUND).sum() < (reach(grid, "LF", Quadruped(), stance, 0.077).reason == 3).sum()


@pytest.mark.parametrize(
    ("field", "value"),
    [("thigh", -0.1), ("roll_range", (0.5, -0.5)), ("knee_range", (0.1, 4.0)), ("shank", 327.5), ("hip", (0.1, 0.2))],
)
def test_a_bad_robot_is_refused_by_name(field, value):
    with pytest.raises(InvalidInput, match=field):
        Quadruped(**{field: value})


def test_a_bad_stance_is_refused_by_name():
    with pytest.raises(InvalidInput, match="feet"):
        Stance(feet={"XX": (0, 0, 0)})
    with pytest.raises(InvalidInput, match="leg"):
        Quadruped().margin("front", np.zeros(3))
