"""Soil at every angle: resistive force theory as it is published, in the ground, and never a gain of energy."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

from plantar.ground.soil import rft
from plantar.ground.soil.yielding import YieldingGround

FLAT = YieldingGround(k_c=0.0, k_phi=1e6, n=1.0, friction=0.0, cohesion=0.0, damping=0.0, grip=0.004)
"""Grains as the theory has them: pressure grows with depth alone, and they forget at once where they flowed."""
SAND = YieldingGround.of("testbed_sand", size=(1.0, 0.6), origin=(-0.5, -0.3))


def directions(tilt, below):
    """Outward direction of a plate, and motion below the horizontal; angles in degrees."""
    tilt, below = np.radians([tilt, below])
    return np.array([np.sin(tilt), 0.0, -np.cos(tilt)]), np.array([np.cos(below), 0.0, -np.sin(below)])


def test_a_level_plate_feels_what_is_documented():
    down = [0.0, 0.0, -1.0]
    assert rft.stress(down, down)[0] == pytest.approx([0, 0, 0.875], abs=1e-3)
    assert rft.stress(down, down, coefficients=rft.UNIT)[0, 2] == pytest.approx(1)
    # glass beads of the paper's check: 1310 kg/m3 and 0.21 give about 0.12 N/cm3
    assert rft.scale(1310, 0.21) == pytest.approx(1.3e5, rel=0.1)
    # what moves away feels nothing
    assert (rft.stress(down, [0.0, 0.0, 1.0]) == 0).all()


@pytest.mark.parametrize(
    ("tilt", "below", "level", "up"),
    # Li, Zhang, Goldman 2013: generic, over a level plate that goes straight down
    [(0, 90, 0.0, 1.0), (0, 60, -0.068, 0.916), (30, 30, -0.301, 0.654), (30, 60, -0.272, 0.784), (60, 0, -0.39, 0.26)],
)
def test_three_dimensions_agree_with_the_plane_where_both_are_known(tilt, below, level, up):
    stress = rft.stress(*directions(tilt, below), coefficients=rft.UNIT)[0]
    assert stress[0] == pytest.approx(level, abs=0.15)
    assert stress[2] == pytest.approx(up, abs=0.15)
    assert stress[1] == pytest.approx(0, abs=1e-12)


def test_all_motions_cost_energy():
    rng = np.random.default_rng(5)
    normal, motion = (v / np.linalg.norm(v, axis=1, keepdims=True) for v in rng.normal(size=(2, 4000, 3)))
    down = normal[:, 2] < 0
    stress = rft.stress(normal[down], motion[down], friction=0.4)
    assert ((stress * motion[down]).sum(axis=1) <= 1e-12).all()


def dragged(ground, tilt, below, way=0.03, thin=0.002):
    """Force on the underside of a thin plate that moves in a straight line [N]."""
    motion = directions(tilt, below)[1]
    spec = mujoco.MjSpec()
    spec.option.timestep = 1e-3
    quat = [np.cos(np.radians(tilt) / 2), 0, -np.sin(np.radians(tilt) / 2), 0]
    body = spec.worldbody.add_body(name="foot", quat=quat)
    for name, axis in (("x", [1, 0, 0]), ("y", [0, 1, 0]), ("z", [0, 0, 1])):
        body.add_joint(name=name, type=mujoco.mjtJoint.mjJNT_SLIDE, axis=(np.array(axis) @ _turn(quat)).tolist())
    body.add_geom(type=mujoco.mjtGeom.mjGEOM_BOX, size=[0.01, 0.02, thin], mass=1.0)
    model = spec.compile()
    data, tracks = mujoco.MjData(model), ground.attach(model, ["foot"], spacing=0.002)
    start = np.array([0.0, 0.0, -0.03]) if below < 60 else np.array([0.0, 0.0, 0.012])
    for step in range(601):
        data.qpos[:] = start + motion * way * step / 600 * (2 if below >= 60 else 1)
        data.qvel[:] = motion * way / 0.6 * (2 if below >= 60 else 1)
        data.time += 1e-3
        mujoco.mj_forward(model, data)
        tracks.apply(data)
    points = tracks.soles.points
    face = points[:, 3:6] @ np.array([0.0, 0.0, -1.0]) > 0.9
    force = tracks._memory[face, 16:19].sum(axis=0)
    return force


def _turn(quat):
    matrix = np.zeros(9)
    mujoco.mju_quat2Mat(matrix, np.array(quat))
    return matrix.reshape(3, 3)


@pytest.mark.parametrize(("tilt", "below"), [(0, 90), (30, 90), (60, 90), (30, 45), (60, 30), (60, 0), (45, 0)])
def test_the_ground_follows_the_theory_at_every_angle(tilt, below, record_property):
    force = dragged(FLAT, tilt, below)
    normal, motion = directions(tilt, below)
    stress = rft.stress(normal, motion, coefficients=rft.UNIT)[0]
    against = -stress @ normal
    # without friction the push is along the normal: the published part against the surface, at the mean depth
    area, depth = 0.02 * 0.04, _mean_depth(tilt, below)
    error = float(-force @ normal / (1e6 * area * depth * against) - 1)
    record_property(f"ground.rft.tilt{tilt}_below{below}", error)
    assert abs(error) < 0.08


def _mean_depth(tilt, below, thin=0.002):
    motion = directions(tilt, below)[1]
    start = -0.03 if below < 60 else 0.012
    centre = start + motion[2] * 0.03 * (2 if below >= 60 else 1)
    return -centre + thin * np.cos(np.radians(tilt))


def slid(wall):
    """Force against a sole that slides 6 cm at constant depth, and what the ground has taken."""
    ground = SAND
    spec = mujoco.MjSpec()
    spec.option.timestep = 1e-3
    body = spec.worldbody.add_body(name="foot")
    for name, axis in (("x", [1, 0, 0]), ("z", [0, 0, 1])):
        body.add_joint(name=name, type=mujoco.mjtJoint.mjJNT_SLIDE, axis=axis)
    body.add_geom(type=mujoco.mjtGeom.mjGEOM_BOX, size=[0.04, 0.03, wall], pos=[0, 0, wall], mass=1.0)
    model = spec.compile()
    data, tracks = mujoco.MjData(model), ground.attach(model, ["foot"])
    lost, forces = [], []
    for step in range(800):
        down, along = min(step, 200) / 200, max(0, step - 200) / 600
        data.qpos[:] = 0.06 * along, -0.02 * down
        data.qvel[:] = (0.1, 0.0) if step > 200 else (0.0, -0.1)
        data.time += 1e-3
        mujoco.mj_forward(model, data)
        tracks.apply(data)
        lost.append(tracks.lost_energy)
        forces.append(tracks.wrench())
    return np.array(forces), np.array(lost)


def test_a_foot_that_slides_ploughs(record_property):
    high, lost = slid(0.015)
    flat, _ = slid(0.0005)
    # a sole 30 mm high in a print 20 mm deep pushes sand before it, a thin one slides on it
    wall = 0.06 * 0.02 * float(SAND.law(area=1.0, diameter=0.07).force(0.01))
    share = -float(rft.stress([1.0, 0.0, 0.0], [1.0, 0.0, 0.0], coefficients=rft.UNIT)[0, 0])
    assert flat[-1, 0] - high[-1, 0] == pytest.approx(share * wall, rel=0.4)
    # soil that flows sideways carries less than soil that is pressed
    assert high[-1, 2] < 0.6 * high[200, 2]
    record_property("ground.gain.sliding_sole", {"most": float(-np.diff(lost).min()), "taken": float(lost[-1])})
    assert np.diff(lost).min() > -1e-9


@pytest.mark.parametrize("seed", range(6))
def test_closed_cycles_take_energy(seed, record_property):
    """A sole moves on random closed paths, tilts and turns; the ground never gives back what it was not given."""
    rng = np.random.default_rng(seed)
    spec = mujoco.MjSpec()
    spec.option.timestep = 1e-3
    body = spec.worldbody.add_body(name="foot")
    body.add_freejoint()
    body.add_geom(type=mujoco.mjtGeom.mjGEOM_BOX, size=[0.04, 0.03, 0.01], mass=1.0)
    model = spec.compile()
    data, tracks = mujoco.MjData(model), SAND.attach(model, ["foot"])
    size = np.array([0.02, 0.02, 0.015, 0.2, 0.2, 0.3])
    waves = rng.normal(size=(2, 3, 6)) * size / np.array([1, 2, 3])[:, None] * (rng.random() + 0.5)
    taken, steps = [], 1500

    def pose(at):
        phase = 2 * np.pi * at * np.array([1, 2, 3])[:, None]
        return (waves[0] * np.sin(phase) + waves[1] * (np.cos(phase) - 1)).sum(axis=0)

    for cycle in range(2):
        for step in range(steps):
            now, last = pose(step / steps), pose((step - 1) / steps)
            data.qpos[:3] = now[:3]
            mujoco.mju_axisAngle2Quat(data.qpos[3:7], np.array([0.0, 0.0, 1.0]), 0.0)
            mujoco.mju_quatIntegrate(data.qpos[3:7], now[3:], 1.0)
            before = np.array([1.0, 0, 0, 0])
            mujoco.mju_quatIntegrate(before, last[3:], 1.0)
            data.qvel[:3] = (now - last)[:3] / 1e-3
            mujoco.mju_subQuat(data.qvel[3:6], data.qpos[3:7], before)
            data.qvel[3:6] /= 1e-3
            data.time += 1e-3
            mujoco.mj_forward(model, data)
            tracks.apply(data)
            taken.append(tracks.lost_energy)
        assert tracks.work >= -1e-12, cycle
    taken = np.array(taken)
    record_property(f"ground.gain.cycle_{seed}", {"most": float(-np.diff(taken).min()), "taken": float(taken[-1])})
    assert taken[-1] >= 0
    assert np.diff(taken).min() > -1e-12 * taken[-1]
