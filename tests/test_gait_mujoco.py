"""The rubber law in MuJoCo: the same force, derivatives, energy; an optimal gait replayed with the same foot."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

from plantar.errors import InvalidInput
from plantar.feet import BallFoot
from plantar.gait import RubberContact, RubberFeet

LAW = RubberContact()


def ball(mass: float = 1.0) -> tuple[mujoco.MjModel, mujoco.MjData, RubberFeet]:
    """A BallFoot that slides, lifts and turns in the plane."""
    foot = BallFoot(radius=0.0282, shank_length=0.08, shank_radius=0.01, mass=mass)
    spec = mujoco.MjSpec()
    spec.option.timestep = 2e-5
    spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[0, 0, 1])
    carrier = spec.worldbody.add_body(name="carrier")
    slide, hinge = mujoco.mjtJoint.mjJNT_SLIDE, mujoco.mjtJoint.mjJNT_HINGE
    for kind, axis in ((slide, [1, 0, 0]), (slide, [0, 0, 1]), (hinge, [0, 1, 0])):
        carrier.add_joint(type=kind, axis=axis)
    spec.attach(foot.spec(), frame=carrier.add_frame(pos=[0, 0, 0.08]), prefix="foot/")
    model = spec.compile()
    return model, mujoco.MjData(model), RubberFeet(model, ["foot/ball"], LAW, foot.radius)


def test_contact_of_the_ball_itself_is_switched_off():
    model, data, feet = ball()
    data.qpos[1] = 0.0282 - 0.005
    mujoco.mj_forward(model, data)
    assert data.ncon == 0
    assert feet.forces(data)[0, 1] == pytest.approx(float(LAW.force(0.005)))


def test_depth_speed_and_slip_are_those_of_the_lowest_point():
    model, data, feet = ball()
    data.qpos[1] = 0.0282 - 0.004
    data.qvel[:] = 0.3, -0.2, 1.5
    mujoco.mj_forward(model, data)
    depth, sink, slip = feet.contact(data)
    assert depth[0] == pytest.approx(0.004) and sink[0] == pytest.approx(0.2)
    assert slip[0] == pytest.approx(0.3 - 0.0282 * 1.5), "a ball that turns about y runs its lowest point backward"
    assert np.allclose(feet.jacobian(data)[0] @ data.qvel, [slip[0], -sink[0]])


def test_the_wrench_equals_jacobian_times_force():
    model, data, feet = ball()
    data.qpos[:] = 0.1, 0.0282 - 0.006, 0.4
    data.qvel[:] = 0.2, -0.3, 0.7
    feet.deflection[:] = 0.001
    mujoco.mj_forward(model, data)
    want = np.einsum("fkv,fk->v", feet.jacobian(data), feet.forces(data))
    bias = data.qfrc_bias.copy()
    feet.apply(data)
    mujoco.mj_forward(model, data)
    moved = np.empty(model.nv)
    mujoco.mj_mulM(model, data, moved, data.qacc)
    assert np.allclose(moved + bias, want, rtol=1e-9, atol=1e-9)


def test_derivatives_equal_differences():
    model, data, feet = ball()
    start = np.array([0.0, 0.0282 - 0.005, 0.0]), np.array([0.05, -0.1, 0.3])
    feet.deflection[:] = 0.0005

    def force(q, v):
        data.qpos[:], data.qvel[:] = q, v
        mujoco.mj_forward(model, data)
        return np.einsum("fkv,fk->v", feet.jacobian(data), feet.forces(data))

    by_q, by_v = np.empty((3, 3)), np.empty((3, 3))
    for i in range(3):
        e = np.zeros(3)
        e[i] = 1e-6
        by_q[:, i] = (force(start[0] + e, start[1]) - force(start[0] - e, start[1])) / 2e-6
        by_v[:, i] = (force(start[0], start[1] + e) - force(start[0], start[1] - e)) / 2e-6
    data.qpos[:], data.qvel[:] = start
    mujoco.mj_forward(model, data)
    got_q, got_v = feet.derivatives(data)
    assert np.allclose(got_q, by_q, rtol=1e-6, atol=1e-6 * np.abs(by_q).max())
    assert np.allclose(got_v, by_v, rtol=1e-6, atol=1e-6 * np.abs(by_v).max())


def test_a_ball_comes_to_rest_at_the_static_depth():
    model, data, feet = ball(mass=2.0)
    model.opt.timestep = 2e-4
    data.qpos[1] = 0.0282 - 0.9 * LAW.static_depth(2.0 * 9.81)
    feet.run(data, np.zeros((3000, 0)))
    sunk = 0.0282 - data.qpos[1]
    assert sunk == pytest.approx(LAW.static_depth(2.0 * 9.81), rel=1e-3)


def test_a_body_that_is_not_there_is_named():
    model, _, _ = ball()
    with pytest.raises(InvalidInput, match="nobody"):
        RubberFeet(model, ["nobody"], LAW, 0.03)


def test_the_optimal_hop_happens_in_mujoco_too():
    pytest.importorskip("casadi")
    from plantar.gait import Effort, Hopper, replay, solve

    gait = solve(Hopper(), "soft", effort=Effort(tolerance=1e-4))
    errors = [replay(gait, step=step).error for step in (2e-4, 1e-4)]
    assert errors[1] < 2e-3, "leg lengths and radians, over a whole stride without any feedback"
    assert errors[1] < 0.75 * errors[0], "what is left is MuJoCo's first-order step"
    shown = replay(gait, step=2e-4)
    assert shown.peak_force == pytest.approx(gait.force[:, 1].max(), rel=0.02)


@pytest.mark.parametrize("name", ["hopper", "biped", "quadruped"])
def test_mujocos_mass_matrix_is_the_optimisers(name):
    pytest.importorskip("casadi")
    from plantar.gait._dynamics import Dynamics
    from plantar.gait.legged import ROBOTS
    from plantar.gait.replay import TINY, _units, build

    robot = ROBOTS[name]()
    model = build(robot).compile()
    data = mujoco.MjData(model)
    rng, names, bodies = np.random.default_rng(0), robot.coordinates, 3 + 2 * robot.legs
    q = rng.normal(0, 0.3, len(names))
    q[4:bodies:2] += 1.0
    unit, zero = _units(robot)
    data.qpos[[model.joint(n).qposadr[0] for n in names]] = (q - zero) * unit
    mujoco.mj_forward(model, data)
    full = np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(model, data, full)
    rows = [model.joint(n).dofadr[0] for n in names]
    mine = Dynamics(robot).terms(q[None], np.zeros((1, len(names))))["mass"][0]
    scale = np.outer(unit[:bodies], unit[:bodies]) / (robot.unit_mass * robot.unit_length**2)
    assert np.allclose(full[np.ix_(rows, rows)][:bodies, :bodies] * scale, mine, atol=1e-9)
    rotors = np.diag(full)[rows[bodies:]]
    motors = [m for _ in range(robot.legs) for m in (robot.hip_motor, robot.leg_motor)]
    want = [m.inertia * robot.unit_mass * (u if u == 1 else 1) for m, u in zip(motors, unit[bodies:], strict=True)]
    want = [w * (robot.unit_length**2 if i % 2 == 0 else 1) for i, w in enumerate(want)]
    assert np.allclose(rotors, want, rtol=1e-4, atol=2 * TINY)


def test_the_compiled_loop_is_the_python_one():
    pytest.importorskip("numba")
    ends = []
    for compiled in (False, True):
        model, data, feet = ball()
        model.opt.timestep = 1e-4
        data.qpos[:] = 0.0, 0.03, 0.2
        data.qvel[:] = 0.4, -0.8, 2.0
        peak = feet.run(data, np.zeros((400, 0)), compiled=compiled)
        ends.append([*data.qpos, *data.qvel, *feet.deflection, peak])
    assert ends[0][-1] > 10, "it has touched"
    assert np.allclose(ends[0], ends[1], rtol=1e-9, atol=1e-12)


def test_the_compiled_loop_has_no_law_of_its_own(monkeypatch):
    """Change one formula, and the compiled loop follows the law that NumPy and CasADi read."""
    pytest.importorskip("numba")
    from plantar.gait import _compiled, _formulas

    def twice(depth, alpha, m):
        return 2.0 * m.fmax(depth, 0.0)

    monkeypatch.setattr(_formulas, "gate", twice)
    _compiled.stepper.cache_clear()
    try:
        test_the_compiled_loop_is_the_python_one()
    finally:
        _compiled.stepper.cache_clear()
