"""Large scenes: multigrid and augmented Lagrangian find what a factorisation and Gauss-Seidel find."""

from __future__ import annotations

import numpy as np
import pytest
from soft_cases import bar, body

from plantar.soft import (
    Ball,
    Cable,
    Contact,
    Corotational,
    FixedPosition,
    NeoHookean,
    Plane,
    RigidBody,
    Scene,
    SoftBody,
)
from plantar.soft.solve.blocks import expansion
from plantar.soft.solve.cycle import Cycles
from plantar.soft.solve.multigrid import build_hierarchy
from plantar.soft.solve.state import Method


def on_a_floor(backend, mu=0.6, law=Corotational, **options) -> Scene:
    mesh = bar((13, 6, 6), (0.2, 0.1, 0.1))
    cable = Cable(name="c", body="bar", points=[(0.01, 0.05, 0.09), (0.1, 0.05, 0.09), (0.19, 0.05, 0.09)])
    floor = Contact(name="floor", body="bar", against=Plane(point=(0, 0, -5e-4)), friction=mu)
    return Scene(
        [body(mesh, law(young=1e5, poisson=0.45))], [cable], contacts=[floor], dt=0.01, backend=backend, **options
    )


@pytest.mark.parametrize(("mu", "law"), [(0.0, Corotational), (0.6, Corotational), (0.3, NeoHookean)])
def test_falling_and_rubbing_bars_agree(mu, law, record_property):
    one, other = on_a_floor("auto", mu, law), on_a_floor("multigrid", mu, law)
    assert other.system.large and not one.system.large
    for k in range(6):
        one.step({"c": 4e-4 * k})
        result = other.step({"c": 4e-4 * k})
        assert result.converged and result.residual < 1e-5
    moved = np.abs(one.state.x - one.system.x0).max()
    apart = float(np.abs(one.state.x - other.state.x).max() / moved)
    record_property(f"soft.multigrid.bar_{law.__name__.lower()}_{round(10 * mu)}", apart)
    assert apart < 1e-5
    assert other.efforts["c"] == pytest.approx(one.efforts["c"], rel=1e-5)
    push = [np.sum([t.force for t in s.touches], axis=0) for s in (one, other)]
    np.testing.assert_allclose(push[1], push[0], atol=1e-4 * np.abs(push[0]).max())


def test_equilibria_agree(record_property):
    ends = []
    for backend in ("auto", "multigrid"):
        scene = on_a_floor(backend, 0.0, mode="static")
        scene.step({"c": 0.002})
        ends.append(scene.state.x)
    apart = float(np.abs(ends[0] - ends[1]).max() / np.abs(ends[0] - scene.system.x0).max())
    record_property("soft.multigrid.equilibrium", apart)
    assert apart < 1e-6


def test_bonds_rigid_parts_and_carried_obstacles_agree(record_property):
    mesh = bar((9, 4, 4), (0.2, 0.1, 0.1))
    tip = np.flatnonzero(mesh.nodes[:, 0] > 0.199)
    ends = []
    for backend in ("auto", "multigrid"):
        soft = SoftBody(
            name="bar",
            mesh=mesh,
            material=Corotational(young=1e5, poisson=0.3),
            density=1000,
            fixed=np.flatnonzero(mesh.nodes[:, 0] < 1e-9),
            rigid={"plate": tip},
        )
        ball = RigidBody.ball(name="ball", radius=0.02, mass=0.2, position=(0.1, 0.05, 0.1205))
        touch = Contact(
            name="on", body="bar", against=Ball(centre=(0.1, 0.05, 0.1205), radius=0.02), carrier="ball", friction=0.4
        )
        hold = FixedPosition(name="hold", body="bar", points=[(0.1, 0.05, 0.0)], axes="z")
        scene = Scene([soft, ball], bonds=[hold], contacts=[touch], dt=0.005, backend=backend)
        results = scene.run(0.05)
        assert results.converged and scene.touches
        ends.append((scene.state.x, scene.state.quat))
    moved = np.abs(ends[0][0] - scene.system.x0).max()
    apart = float(np.abs(ends[0][0] - ends[1][0]).max() / moved)
    record_property("soft.multigrid.bonds", apart)
    assert apart < 1e-4
    assert np.abs(ends[0][1] - ends[1][1]).max() < 1e-4


def test_the_cycle_is_symmetric_and_pays():
    """Conjugate gradients need a symmetric preconditioner; coarse levels must cut the work, whatever the size."""
    scene = on_a_floor("multigrid")
    system = scene.system
    system.assemble(scene.state.x, scene.state.quat, np.zeros((system.size, 3)))
    A = system.matrix(*scene.coefficients(Method(h=0.01)), system.inertia)
    levels = build_hierarchy(A, scene.state.x[system.free], np.zeros(0, dtype=np.int64))
    node = np.arange(0, 60, 3)
    cycle = Cycles(A, levels).stiffened(node, np.tile(100 * A.diagonal[0], (20, 1, 1)))
    rng = np.random.default_rng(0)
    for _ in range(3):
        a, b = rng.normal(size=(2, system.dofs))
        assert a @ cycle(b) == pytest.approx(b @ cycle(a), rel=1e-5)
        assert a @ cycle(a) > 0
    plain = Cycles(A, levels).stiffened(node[:0], np.zeros((0, 3, 3)))
    b = rng.normal(size=system.dofs)
    error = np.linalg.norm(b - A @ plain(b)) / np.linalg.norm(b)
    full = A.full()
    np.testing.assert_allclose(A @ b, full @ b, rtol=1e-12, atol=1e-12 * np.abs(full @ b).max())
    assert error < 1.0
    T = expansion(system)
    np.testing.assert_allclose((T @ b).reshape(-1, 3), system.expand(b, np.zeros((system.size, 3))))


def test_a_large_step_repeats_with_the_same_bits():
    scene = on_a_floor("multigrid")
    for k in range(3):
        scene.step({"c": 4e-4 * k})
    kept = scene.state
    ends = []
    for _ in range(2):
        scene.restore(kept)
        scene.step({"c": 2e-3})
        ends.append(scene.state.x.tobytes())
        scene.step({"c": 0.0})
    assert ends[0] == ends[1]
