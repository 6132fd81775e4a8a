"""Soles over ground that keeps its footprint: pressed, rolled and rocked alike whatever the cells of the grid."""

from __future__ import annotations

import dataclasses

import mujoco
import numpy as np
import pytest

from plantar.ground import materials, sinkage
from plantar.ground.soil import rft
from plantar.ground.soil.yielding import YieldingGround
from plantar.identify.stage import Stage

SAND = YieldingGround.of("dry_sand", size=(1.0, 0.6), origin=(-0.5, -0.3))
FOOT = (0.1, 0.05, 0.01)
"""Half sides of a sole of 20 x 10 cm."""


def guided(ground, mass=1.0, half=FOOT, spacing=None):
    """A sole that moves along x and z and pitches, with its joints' names, over a grid that it does not fit."""
    spec = mujoco.MjSpec()
    spec.option.timestep = 1e-3
    ground.add(spec)
    body = spec.worldbody.add_body(name="foot", pos=[0, 0, half[2]])
    for name, axis in (("z", [0, 0, 1]), ("x", [1, 0, 0])):
        body.add_joint(name=name, type=mujoco.mjtJoint.mjJNT_SLIDE, axis=axis)
    body.add_joint(name="pitch", type=mujoco.mjtJoint.mjJNT_HINGE, axis=[0, 1, 0])
    body.add_geom(type=mujoco.mjtGeom.mjGEOM_BOX, size=half, mass=mass)
    model = spec.compile()
    return model, mujoco.MjData(model), ground.attach(model, ["foot"], spacing=spacing)


def roll(cell, *, spacing=None, steps=400):
    """Forces of a sole that rolls from heel to toe, and again half a foot further on; the ground's loss; depth."""
    ground = YieldingGround.of("dry_sand", origin=(-0.3013, -0.2017), size=(0.8, 0.4), cell=cell)
    model, data, tracks = guided(ground, spacing=spacing)
    forces, lost = [], []
    for shift in (0.0, 0.1):
        for i in range(steps):
            share = i / steps
            sunk = 0.05 * np.sin(np.pi * share)
            now = np.array([0.03 - sunk - 0.02, shift + 0.02 * share, 0.7 * (share - 0.5)])
            data.qvel[:] = (now - data.qpos) / model.opt.timestep if i else 0
            data.qpos[:] = now
            data.time += model.opt.timestep
            mujoco.mj_forward(model, data)
            tracks.apply(data)
            forces.append(tracks.wrench()[2])
            lost.append(tracks.lost_energy)
        data.qpos[0] = 0.3
        mujoco.mj_forward(model, data)
        tracks.apply(data)
    return np.array(forces).reshape(2, steps), np.array(lost), -tracks.elevation().heights.min()


def test_a_foot_that_rolls_presses_alike_whatever_the_cell():
    first, loss, depth = roll(0.003)
    for cell in (0.005, 0.01, 0.015):
        forces, lost, deepest = roll(cell)
        # the first print hardly knows of the grid, which points at its edges meet that come back; the second meets
        # what the grid has kept of the first
        assert forces[0] == pytest.approx(first[0], rel=1e-9, abs=1e-3 * first[0].max())
        assert forces[1].max() == pytest.approx(first[1].max(), rel=0.05)
        assert lost[-1] == pytest.approx(loss[-1], rel=0.02)
        assert deepest == pytest.approx(depth, rel=0.03)
        assert np.diff(lost).min() > -1e-12 * loss[-1]


def test_a_tilted_sole_converges_to_the_integral_of_the_law():
    tilt, sand, errors = 0.15, dataclasses.replace(SAND, k_c=0.0, friction=0.0, cohesion=0.0), []
    for spacing in (0.02, 0.01, 0.005):
        model, data, tracks = guided(sand, spacing=spacing)
        data.qpos[:] = [-0.03, 0.0, tilt]
        mujoco.mj_forward(model, data)
        tracks.apply(data)
        # the underside is a slope from z1 to z2 over the length of the sole; it and the front push along themselves
        middle = 0.03 - FOOT[2] + FOOT[2] * np.cos(tilt)
        z1, z2 = middle - FOOT[0] * np.sin(tilt), middle + FOOT[0] * np.sin(tilt)
        n, k, down = sand.n, sand.k_phi, np.array([[0.0, 0.0, -1.0]])
        under = k * 2 * FOOT[1] * (z2 ** (n + 1) - z1 ** (n + 1)) / (n + 1) / np.tan(tilt)
        outward = np.array([[-np.sin(tilt), 0.0, -np.cos(tilt)]])
        share = -float((rft.stress(outward, down, coefficients=rft.UNIT) * outward).sum())
        thick = 2 * FOOT[2] * np.cos(tilt)
        front = k * 2 * FOOT[1] * np.tan(tilt) * (z2 ** (n + 1) - (z2 - thick) ** (n + 1)) / (n + 1)
        outward = np.array([[np.cos(tilt), 0.0, -np.sin(tilt)]])
        beside = -float((rft.stress(outward, down, coefficients=rft.UNIT) * outward).sum())
        whole = share * under + beside * front
        errors.append(abs(float(tracks.wrench()[2]) / whole - 1))
    assert errors[2] < 5e-3


def rocked(cell, slide, cycles=4):
    """Depth of a sole of 300 N that rocks, and slides to and fro; the least step of the ground's loss."""
    ground = YieldingGround.of("dry_sand", origin=(-0.4013, -0.3017), size=(0.8, 0.6), cell=cell, damping=20.0)
    model, data, tracks = guided(ground, mass=300 / 9.81)
    depths, lost = [], []
    for i in range(1000 + 800 * cycles):
        phase = 2 * np.pi * max(0, i - 1000) / 800
        data.qpos[1:] = np.sin(phase) * np.array([slide, 0.1])
        data.qvel[1:] = np.cos(phase) * np.array([slide, 0.1]) * 2 * np.pi / 0.8 if i >= 1000 else 0
        tracks.step(data)
        lost.append(tracks.lost_energy)
        if i >= 999 and (i - 999) % 800 == 0:
            depths.append(-float(data.qpos[0]))
    return np.array(depths), np.diff(lost).min()


@pytest.mark.parametrize("slide", [0.0, 0.04], ids=["rocks", "rocks and slides"])
def test_a_foot_that_rocks_sinks_alike_whatever_the_cell(slide):
    fine, least = rocked(0.005, slide)
    coarse, _ = rocked(0.015, slide)
    assert coarse == pytest.approx(fine, rel=0.1 if slide else 1e-4)
    assert least > -1e-12
    # it digs itself in, ever more slowly; it does not sink at every turn
    sunk = np.diff(fine)
    assert (sunk > 0).all()
    assert (np.diff(sunk) < 0).all()
    flat = SAND.law(area=4 * FOOT[0] * FOOT[1], diameter=0.147).static_depth(300)
    assert fine[0] == pytest.approx(flat, rel=0.02)
    # soil that flows sideways carries less, so that a sole that slides sinks on
    assert fine[-1] < (4 if slide else 2.5) * flat


def box_on_slide(length, width, mass, yaw=0.0):
    """A box on a slide along z, turned about z within its body."""
    spec = mujoco.MjSpec()
    foot = spec.worldbody.add_body(name="foot", pos=[0, 0, 0.02])
    foot.add_joint(type=mujoco.mjtJoint.mjJNT_SLIDE, axis=[0, 0, 1], damping=[200, 0, 0])
    quat = [np.cos(yaw / 2), 0, 0, np.sin(yaw / 2)]
    foot.add_geom(type=mujoco.mjtGeom.mjGEOM_BOX, size=[length / 2, width / 2, 0.02], mass=mass, quat=quat)
    return spec


@pytest.mark.parametrize(("length", "width"), [(0.1, 0.1), (0.1, 0.06), (0.2, 0.05)])
def test_the_sinkage_of_a_material_is_that_of_its_soil(length, width):
    """In sand whose modulus grows with the width of a sole, half the width is half the depth."""
    spec = box_on_slide(length, width, 3.0)
    model = spec.compile()
    data, tracks = mujoco.MjData(model), YieldingGround.of("testbed_sand").attach(model, ["foot"])
    tracks.step(data, 1000)
    assert sinkage(spec, materials.get("testbed_sand")) == pytest.approx(-data.qpos[0], rel=0.1)


@pytest.mark.parametrize("yaw", [0.3, np.pi / 4, 2.0])
def test_the_sinkage_of_a_turned_sole_is_that_of_a_straight_one(yaw):
    soil = materials.get("dry_sand")
    straight, turned = (sinkage(box_on_slide(0.2, 0.05, 3.0, angle), soil) for angle in (0.0, yaw))
    assert turned == pytest.approx(straight, rel=1e-6)


def test_the_sole_of_a_ball_does_not_depend_on_how_it_is_turned():
    spec = mujoco.MjSpec()
    leg = spec.worldbody.add_body(name="foot", pos=[0, 0, 0.1])
    leg.add_joint(type=mujoco.mjtJoint.mjJNT_SLIDE, axis=[0, 0, 1])
    leg.add_geom(type=mujoco.mjtGeom.mjGEOM_SPHERE, size=[0.02, 0, 0], mass=1, quat=[0.9, 0.1, 0.4, 0.1])
    stage = Stage(spec, ["foot"], None)
    stage.place(stage.touch_height())
    assert stage.sole() == pytest.approx((0.04, 0.04, 0.0016))
