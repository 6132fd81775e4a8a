"""Time integration: momentum, energy, rigid bodies, moving boundaries, and steps that fail."""

from __future__ import annotations

import numpy as np
import pytest
from soft_cases import bar, body, start

from plantar.errors import Diverged
from plantar.soft import (
    Ball,
    BeamBody,
    Contact,
    Corotational,
    FixedDistance,
    Load,
    NeoHookean,
    Plane,
    RigidBody,
    Scene,
    Section,
    SoftBody,
    SpringBody,
)


def test_free_fall_is_backward_euler_exactly():
    scene = Scene([body(bar(), fixed=())], dt=0.01, rayleigh=(0.0, 0.0))
    start = scene.positions("bar")
    for _ in range(20):
        scene.step()
    n = 20  # backward Euler falls g h^2 n (n + 1) / 2
    assert np.abs(scene.positions("bar") - start - [0, 0, -9.81 * 1e-4 * n * (n + 1) / 2]).max() < 1e-12


def test_momentum_is_kept_and_energy_falls():
    """Without loads linear momentum is constant; backward Euler only ever loses energy."""
    scene = Scene([body(bar(), fixed=())], gravity=(0, 0, 0), dt=0.002, rayleigh=(0.0, 0.0))
    rng = np.random.default_rng(0)
    start(scene, v=rng.normal(size=scene.state.v.shape) * 0.1)
    mass = scene.system.mass[:, None]
    before = (mass * scene.state.v).sum(axis=0)
    total = [sum(scene.energy().values())]
    for _ in range(30):
        scene.step()
        total.append(sum(scene.energy().values()))
    assert np.abs((mass * scene.state.v).sum(axis=0) - before).max() < 1e-12
    assert (np.diff(total) < 1e-12).all()
    assert total[-1] < 0.9 * total[0]


def test_energy_error_falls_with_the_step():
    """First order: half the step, half the energy lost in the same time."""
    lost = []
    for dt in (8e-5, 4e-5, 2e-5):
        scene = Scene([body(bar((5, 2, 2)))], gravity=(0, 0, 0), dt=dt, rayleigh=(0.0, 0.0))
        speed = scene.system.x0[:, 0] ** 2 * 10 * (scene.system.kind == 0)
        start(scene, v=np.outer(speed, [0, 0, 1]))
        first = sum(scene.energy().values())
        scene.run(0.004)
        lost.append(first - sum(scene.energy().values()))
    assert lost[0] / lost[1] == pytest.approx(2, rel=0.15)
    assert lost[1] / lost[2] == pytest.approx(2, rel=0.1)


def test_damped_motion_settles_at_the_static_equilibrium():
    scene = Scene([body(bar())], dt=0.02, rayleigh=(0.5, 0.05))
    scene.run(4.0)
    moving = scene.positions("bar")
    scene.mode = "static"
    scene.equilibrium()
    assert np.abs(moving - scene.positions("bar")).max() < 1e-7


def test_rigid_body_falls_and_spins():
    rod = RigidBody(name="rod", mass=2.0, inertia=(0.1, 0.2, 0.3))
    scene = Scene([rod], dt=1e-3, rayleigh=(0, 0))
    start(scene, v=[(0, 0, 0), (0, 0, 2)])
    scene.run(0.5)
    assert scene.positions("rod")[0, 2] == pytest.approx(-0.5 * 9.81 * 0.25, rel=0.01)
    angle = 2 * np.arctan2(scene.orientation("rod")[3], scene.orientation("rod")[0])
    assert angle == pytest.approx(1.0, abs=1e-9)


@pytest.mark.parametrize(("speed", "dt"), [(20.0, 0.01), (100.0, 0.01), (300.0, 0.01), (0.2, 0.01)])
def test_a_tumbling_body_keeps_its_angular_momentum_and_gains_no_energy(speed, dt):
    """It spins about the axis of its middle moment of inertia, from which it turns away."""
    stone = RigidBody(name="stone", mass=1.0, inertia=(1e-3, 2e-3, 3e-3))
    scene = Scene([stone], gravity=(0, 0, 0), dt=dt, rayleigh=(0, 0))
    start(scene, v=[(0, 0, 0), (0.01 * speed, speed, 0.01 * speed)])

    def momentum():
        return scene.system.world_inertia(scene.state.quat)[0] @ scene.state.v[1]

    before, energy = momentum(), [scene.energy()["kinetic"]]
    for _ in range(100):
        scene.step()
        energy.append(scene.energy()["kinetic"])
    assert np.abs(momentum() - before).max() < 1e-5 * np.linalg.norm(before)
    assert (np.diff(energy) < 1e-5 * energy[0]).all()


def test_a_rigid_body_with_parts_glued_beside_it_keeps_its_momentum():
    """Its centre of mass is not its frame, which circles round it."""
    mesh = bar((3, 3, 3), (0.02, 0.02, 0.02)).moved(translation=(0.05, 0, 0))
    hub = RigidBody.ball(name="hub", radius=0.01, mass=0.01)
    scene = Scene([hub, body(mesh, fixed=(), rigid={"hub": np.arange(27)})], gravity=(0, 0, 0), rayleigh=(0, 0))
    spin, turning = np.array([1.0, 0.0, 10.0]), scene.system.rotational
    start(scene, v=np.where(turning[:, None], spin, np.cross(spin, scene.state.x)))
    mass = scene.system.mass[~turning, None]
    before, first = (mass * scene.state.v[~turning]).sum(axis=0), scene.energy()["kinetic"]
    scene.run(0.5)
    assert (mass * scene.state.v[~turning]).sum(axis=0) == pytest.approx(before, abs=1e-9)
    assert 0.9 * first < scene.energy()["kinetic"] < first * (1 + 1e-9)


def test_rigid_region_stays_rigid_and_weighs_the_same():
    mesh = bar((7, 3, 3))
    tip = np.flatnonzero(mesh.nodes[:, 0] > 0.066)
    scene = Scene([body(mesh, rigid={"plate": tip})], mode="static")
    scene.equilibrium()
    x = scene.positions("bar")
    before, after = mesh.nodes[tip], x[tip]
    distance = lambda p: np.linalg.norm(p[:, None] - p, axis=2)  # noqa: E731
    assert np.abs(distance(before) - distance(after)).max() < 1e-12
    assert np.abs(after - before).max() > 1e-4
    # the fixed end carries all the weight
    f = np.zeros_like(scene.state.x)
    scene.system.assemble(scene.state.x, scene.state.quat, f, True)
    weight = scene.system.mass[:, None] * scene.gravity
    fixed = scene.system.kind == 1
    assert (f + weight)[fixed].sum(axis=0)[2] == pytest.approx(weight[:, 2].sum(), rel=1e-8)


def test_rigid_region_is_the_limit_of_a_stiff_part():
    mesh = bar((7, 3, 3)).with_cells("stiff", lambda p: p[:, 0] > 0.066)
    tip = np.flatnonzero(mesh.nodes[:, 0] > 0.066)
    rigid = Scene([body(mesh, rigid={"plate": tip})], mode="static")
    stiff = Scene([body(mesh, parts={"stiff": Corotational(young=1e10, poisson=0.3)})], mode="static")
    rigid.equilibrium()
    stiff.equilibrium()
    deepest = np.abs(rigid.positions("bar") - mesh.nodes).max()
    assert np.abs(rigid.positions("bar") - stiff.positions("bar")).max() < 1e-4 * deepest


def test_soft_part_carries_a_rigid_body():
    mesh = bar((7, 3, 3))
    tip = np.flatnonzero(mesh.nodes[:, 0] > 0.0999)
    load = RigidBody.box(name="weight", size=(0.02, 0.02, 0.02), mass=0.01, position=(0.11, 0.015, 0.015))
    scene = Scene([body(mesh, rigid={"weight": tip}), load], mode="static")
    scene.equilibrium()
    alone = Scene([body(mesh)], mode="static")
    alone.equilibrium()
    assert scene.positions("weight")[0, 2] < 0.015 - 1e-3
    assert scene.positions("bar")[-1, 2] < alone.positions("bar")[-1, 2] - 1e-3


def test_moved_boundary_shears_a_block():
    mesh = bar((4, 4, 4), (0.1, 0.1, 0.1))
    low, high = np.flatnonzero(mesh.nodes[:, 2] < 1e-9), np.flatnonzero(mesh.nodes[:, 2] > 0.0999)
    for mode in ("static", "dynamic"):
        both = np.concatenate([low, high])
        scene = Scene([body(mesh, fixed=both)], gravity=(0, 0, 0), mode=mode, dt=0.05, rayleigh=(0.1, 0.5))
        scene.move("bar", (0.01, 0.0, 0.0), region=high)
        scene.step()
        assert np.abs(scene.positions("bar")[high] - mesh.nodes[high] - [0.01, 0, 0]).max() < 1e-12
        for _ in range(40):
            scene.step()
        middle = np.isclose(mesh.nodes[:, 2], 1 / 30) & np.isclose(mesh.nodes[:, 0], 1 / 30)
        assert scene.positions("bar")[middle, 0].mean() - 1 / 30 == pytest.approx(0.01 / 3, rel=0.25)


def cantilever(elements, **fields):
    nodes = np.stack([np.linspace(0, 1, elements + 1), np.zeros(elements + 1), np.zeros(elements + 1)], axis=1)
    edges = np.stack([np.arange(elements), np.arange(elements) + 1], axis=1)
    return BeamBody(
        name="rod",
        nodes=nodes,
        edges=edges,
        section=Section.circle(0.01),
        young=1e9,
        density=1000.0,
        fixed=[0],
        **fields,
    )


def test_beam_deflects_as_euler_and_bernoulli_say():
    bending = 1e9 * np.pi * 0.01**4 / 4
    force = 1e-3
    load = Load(name="end", body="rod", points=[(1.0, 0.0, 0.0)], force=(0, 0, -force))
    scene = Scene([cantilever(4)], loads=[load], gravity=(0, 0, 0), mode="static")
    scene.equilibrium(tolerance=1e-13)
    assert scene.positions("rod")[-1, 2] == pytest.approx(-force / (3 * bending), rel=1e-6)


def test_beam_rolls_up_into_a_circle(record_property):
    """A moment 2 pi E I / L at the end bends a cantilever into a full circle."""
    scene = Scene([cantilever(40)], gravity=(0, 0, 0), mode="static")
    bending = 1e9 * np.pi * 0.01**4 / 4

    class Twist:
        name, moment = "twist", 0.0

        def add(self, state, F):
            F[-1, 1] -= self.moment

    twist = Twist()
    scene.loads["twist"] = twist
    for part in np.linspace(0.1, 1, 10):
        twist.moment = part * 2 * np.pi * bending
        scene.equilibrium(tolerance=1e-8)
    record_property("soft.elements.elastica_gap", float(np.linalg.norm(scene.positions("rod")[-1])))
    record_property("soft.elements.elastica_height", float(scene.positions("rod")[20, 2] * np.pi - 1))
    assert np.linalg.norm(scene.positions("rod")[-1]) < 0.02
    assert scene.positions("rod")[20, 2] == pytest.approx(1 / np.pi, rel=0.02)


def test_beam_turned_rigidly_has_no_force():
    scene = Scene([cantilever(3)], gravity=(0, 0, 0))
    from scipy.spatial.transform import Rotation

    turn = Rotation.from_rotvec([0.3, -0.8, 0.5])
    blocks = scene.system.frame_block
    x, quat = scene.system.x0.copy(), np.tile(np.roll(turn.as_quat(), 1), (len(blocks), 1))
    x[blocks] = x[blocks] @ turn.as_matrix().T
    start(scene, x=x, quat=quat)
    f = np.zeros_like(scene.state.x)
    scene.system.assemble(scene.state.x, scene.state.quat, f)
    assert np.abs(f).max() < 1e-10 * 1e9 * np.pi * 1e-4


def test_springs_swing_with_the_right_period():
    spring = SpringBody(
        name="s", nodes=[(0, 0, 0), (0, 0, -1)], edges=[(0, 1)], stiffness=100.0, mass=[1.0, 1.0], fixed=[0]
    )
    scene = Scene([spring], gravity=(0, 0, 0), dt=np.pi / 10 / 600, rayleigh=(0, 0))
    start(scene, x=scene.state.x - [(0, 0, 0), (0, 0, 0.1)])
    scene.run(np.pi / 10)  # half a period
    assert scene.positions("s")[1, 2] == pytest.approx(-0.9, abs=0.002)


def test_held_distance_is_held():
    nodes = [(0, 0, 0), (0.5, 0, 0)]
    pendulum = SpringBody(name="p", nodes=nodes, edges=[(0, 1)], stiffness=1e-6, mass=[1.0, 1.0], fixed=[0])
    rod = FixedDistance(name="rod", bodies=("p", "p"), points=nodes)
    scene = Scene([pendulum], bonds=[rod], dt=1e-3, rayleigh=(0, 0))
    scene.run(0.3)
    assert np.linalg.norm(scene.positions("p")[1]) == pytest.approx(0.5, abs=1e-4)


def test_a_failing_step_is_cut_and_a_hopeless_one_stops(tmp_path):
    mesh = bar()
    hit = Load(name="hit", body="bar", points=mesh.nodes[-1:], force=(0, 0, 0))
    rubber = body(mesh, NeoHookean(young=2e4, poisson=0.4))
    scene = Scene([rubber], loads=[hit], gravity=(0, 0, -200.0), dt=0.1, rayleigh=(0, 0), dump=tmp_path / "d")
    result = scene.step()
    assert result.substeps > 1
    assert np.isfinite(scene.state.x).all()
    assert scene.time == pytest.approx(0.1)
    scene.loads["hit"].force = np.array([0.0, 0.0, -1e12])
    before = scene.positions("bar")
    with pytest.raises(Diverged, match="bar"):
        scene.step()
    assert np.array_equal(scene.positions("bar"), before)
    assert np.isfinite(np.load(tmp_path / "d" / "state.npz")["x"]).all()


def test_same_scene_gives_the_same_bits():
    def final():
        floor = Contact(name="floor", body="bar", against=Plane(point=(0, 0, -0.01)), friction=0.3)
        scene = Scene([body(bar())], contacts=[floor], dt=0.01)
        scene.run(0.1)
        return scene.state.x.tobytes()

    assert final() == final()


def test_soft_body_bounces_off_nothing_when_nothing_is_there():
    far = Contact(name="far", body="bar", against=Ball(centre=(5, 5, 5), radius=0.1))
    scene = Scene([body(bar())], contacts=[far], mode="static")
    scene.equilibrium()
    alone = Scene(
        [
            SoftBody(
                name="bar",
                mesh=bar(),
                material=Corotational(young=1e5, poisson=0.3),
                density=1000,
                fixed=np.flatnonzero(bar().nodes[:, 0] < 1e-12),
            )
        ],
        mode="static",
    )
    alone.equilibrium()
    assert np.array_equal(scene.positions("bar"), alone.positions("bar"))
