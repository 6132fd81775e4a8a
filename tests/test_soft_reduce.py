"""Reduced scenes: modes, elements, and how near they come to the whole."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("numba")

from soft_cases import start  # noqa: E402

from plantar.errors import InvalidInput  # noqa: E402
from plantar.soft import Cable, Corotational, Scene, SoftBody
from plantar.soft.fem.turning import rotation_vectors, spin_matrices, turned  # noqa: E402
from plantar.soft.mesh import shapes  # noqa: E402
from plantar.soft.reduction.card import reduction_card  # noqa: E402
from plantar.soft.reduction.ecsw import element_work, sparse_weights  # noqa: E402
from plantar.soft.reduction.pod import basis, displacement, rigid_modes  # noqa: E402
from plantar.soft.reduction.reduce import Reduction, reduce_scene, with_all_elements  # noqa: E402
from plantar.soft.reduction.snapshots import amplitudes, combinations, shake  # noqa: E402
from plantar.soft.reduction.system import ReducedSystem  # noqa: E402
from plantar.soft.solve.state import State  # noqa: E402


def build() -> Scene:
    """A bar along x with a cable on either side."""
    bar = SoftBody(
        name="bar",
        mesh=shapes.beam(0.2, 0.03, 0.03, 0.01),
        material=Corotational(young=3e5),
        density=1000.0,
        fixed="x0",
    )
    x = np.linspace(0.01, 0.195, 8)
    cables = [
        Cable(name=name, body="bar", points=np.column_stack([x, 0 * x, np.full(8, z)]), stroke=(0.0, 0.008))
        for name, z in (("up", 0.009), ("down", -0.009))
    ]
    return Scene([bar], cables, dt=0.05, gravity=(0, 0, 0), rayleigh=(0.5, 0.1))


@pytest.fixture(scope="module")
def states():
    return shake(build(), samples=6)


@pytest.fixture(scope="module")
def reduction(states):
    return reduce_scene(build(), states, modes=12, tolerance=1e-12)


def drive(scene: Scene, k: int) -> None:
    scene.step({"up": 0.006 * min(1.0, k / 20), "down": 0.001 * min(1.0, k / 20)})


def test_modes_are_orthonormal_in_mass(reduction):
    mass = np.repeat(build().system.mass[build().system.free], 3)
    np.testing.assert_allclose(
        reduction.modes.T @ (mass[:, None] * reduction.modes), np.eye(reduction.modes.shape[1]), atol=1e-9
    )


def test_snapshots_are_kept_within_the_tolerance(states):
    scene = build()
    U = np.stack([displacement(scene.system, s) for s in states], axis=1)
    mass = np.repeat(scene.system.mass[scene.system.free], 3)
    for tolerance in (1e-2, 1e-5):
        phi = basis(scene, U, modes=100, tolerance=tolerance)
        rest = U - phi @ (phi.T @ (mass[:, None] * U))
        assert (mass[:, None] * rest**2).sum() <= tolerance * (mass[:, None] * U**2).sum() * (1 + 1e-9)


def test_all_modes_are_the_whole_scene():
    scene = build()
    identity = Reduction(
        np.eye(scene.dofs),
        (np.arange(len(scene.system.groups[0].blocks)),),
        (np.ones(len(scene.system.groups[0].blocks)),),
    )
    whole, reduced = build(), identity.apply(build())
    for k in range(3):
        drive(whole, 10 * k)
        drive(reduced, 10 * k)
    np.testing.assert_allclose(reduced.state.x, whole.state.x, atol=1e-9)


def modes_of(system):
    assert isinstance(system, ReducedSystem)
    return system.modes


def test_weights_keep_the_work_of_all_elements(states, reduction):
    scene = build()
    group = scene.system.groups[0]
    system = with_all_elements(reduction, scene.system).apply(scene).system
    G = element_work(group, system.x0, [(s.x, modes_of(system)) for s in states[::6]])
    cells, weights = sparse_weights(G, tolerance=0.01, most=1000)
    assert (weights > 0).all() and len(cells) < 0.2 * G.shape[1]
    assert np.linalg.norm(G[:, cells] @ weights - G.sum(axis=1)) <= 0.01 * np.linalg.norm(G.sum(axis=1))


def test_the_work_of_elements_adds_up_to_that_of_the_body(states, reduction):
    scene = build()
    reduced = with_all_elements(reduction, scene.system).apply(scene)
    x, f = states[-1].x, np.zeros((scene.system.size, 3))
    G = element_work(scene.system.groups[0], scene.system.x0, [(x, modes_of(scene.system))])
    reduced.system.assemble(x, states[-1].quat, f)
    np.testing.assert_allclose(G.sum(axis=1), reduced.system.reduce(f[None])[0], rtol=1e-9, atol=1e-12)


def test_the_reduced_bar_bends_like_the_whole_one(reduction):
    card = reduction_card(build, reduction, drive, 30)
    assert card.modes <= 12 and card.elements < 0.15 * card.cells
    assert card.motion > 0.02
    assert card.relative < 0.03 and card.effort_error < 0.05


def test_more_modes_come_nearer(states):
    errors = []
    for modes in (2, 4, 12):
        found = with_all_elements(reduce_scene(build(), states, modes=modes, tolerance=1e-12), build().system)
        errors.append(reduction_card(build, found, drive, 20).relative)
    assert errors[0] > errors[1] > errors[2]
    assert errors[2] < 0.01


def test_rigid_modes_strain_nothing():
    from plantar.soft import RigidBody

    mesh = shapes.beam(0.1, 0.02, 0.02, 0.01)
    bar = SoftBody(name="bar", mesh=mesh, material=Corotational(young=3e5), density=1000.0, rigid={"plate": "x0"})
    scene = Scene([RigidBody.box(name="plate", size=(0.01, 0.03, 0.03), mass=0.1), bar], gravity=(0, 0, 0))
    system = scene.system
    system.turn_arms(system.quat0)
    f = np.zeros((system.size, 3))
    system.assemble(system.x0, system.quat0, f)
    for mode in rigid_modes(system, "plate").T:
        motion = system.expand(np.ascontiguousarray(mode), np.zeros((system.size, 3)))
        force = np.zeros((system.size, 3))
        system.multiply(motion, np.ones(system.size), force)
        assert np.abs(force).max() < 1e-9 * np.abs(system.K).max()


def on_a_plate() -> Scene:
    """A bar that carries a rigid plate at its end."""
    from plantar.soft import RigidBody

    mesh = shapes.beam(0.1, 0.02, 0.02, 0.01)
    bar = SoftBody(
        name="bar", mesh=mesh, material=Corotational(young=3e5), density=1e3, fixed="x0", rigid={"plate": "x1"}
    )
    plate = RigidBody.box(name="plate", size=(0.01, 0.03, 0.03), mass=0.1, position=(0.105, 0, 0))
    return Scene([plate, bar], gravity=(0, 0, 0))


def test_spins_are_rates_of_rotation_vectors():
    rng = np.random.default_rng(0)
    rest = rng.standard_normal((5, 4))
    rest /= np.linalg.norm(rest, axis=1, keepdims=True)
    vector, rate = 1.5 * rng.random((5, 3)), rng.standard_normal((5, 3))
    vector[0] = 0.0
    np.testing.assert_allclose(rotation_vectors(rest, turned(rest, vector)), vector, atol=1e-14)
    ahead, behind = turned(rest, vector + 1e-6 * rate), turned(rest, vector - 1e-6 * rate)
    spin = rotation_vectors(behind, ahead) / 2e-6
    np.testing.assert_allclose(np.einsum("fij,fj->fi", spin_matrices(vector), rate), spin, atol=1e-8)


def test_a_plate_led_round_a_circle_comes_back():
    """Added-up spins would leave it twisted by the area of the circle, here 0.28 rad."""
    system = on_a_plate().system
    reduced = ReducedSystem(system, rigid_modes(system, "plate"), list(system.groups))
    angles = np.linspace(0, 2 * np.pi, 81)
    q = np.zeros((81, 6))
    q[:, 4], q[:, 5] = 0.3 * np.cos(angles), 0.3 * np.sin(angles)
    state = reduced.posed(q[0])
    first = state
    for k in range(80):
        reduced.turn_arms(state.quat)
        d = reduced.expand(q[k + 1] - q[k], np.zeros((system.size, 3)))
        state = State(0.0, *reduced.advance(state.x, state.quat, state.v, d))
        if k == 19:
            there = reduced.posed(q[20])
            np.testing.assert_allclose(state.x, there.x, atol=1e-12)
            np.testing.assert_allclose(state.quat, there.quat, atol=1e-12)
    np.testing.assert_allclose(state.quat, first.quat, atol=1e-12)
    np.testing.assert_allclose(state.x, first.x, atol=1e-12)


@pytest.mark.parametrize("whole", [True, False])
def test_what_is_glued_to_a_plate_has_its_velocity(whole):
    scene = on_a_plate()
    if not whole:
        rest = scene.state
        states = [rest]
        rng = np.random.default_rng(0)
        for shape in rng.standard_normal((8, scene.dofs)):
            scene.system.turn_arms(scene.system.quat0)
            d = scene.system.expand(1e-4 * shape, np.zeros((scene.system.size, 3)))
            states.append(State(0.0, *scene.system.advance(rest.x, rest.quat, rest.v, d)))
        scene = with_all_elements(reduce_scene(scene, states, modes=8), scene.system).apply(on_a_plate())
    system = scene.system
    frame = system.frame_block[0]
    scene.system.turn_arms(system.quat0)
    free = system.kind != 1
    v = np.zeros((system.size, 3))
    v[free] = scene.system.expand(np.full(scene.dofs, 0.5), np.zeros((system.size, 3)))[free]
    start(scene, v=v)
    for _ in range(20):
        scene.step()
    v, s = scene.state.v, system.slaves
    assert np.linalg.norm(v[frame + 1]) > 0 and len(s)
    arm = scene.state.x[s] - scene.state.x[frame]
    np.testing.assert_allclose(v[s], v[frame] + np.cross(v[frame + 1], arm), atol=1e-12)


def test_a_reduction_is_written_and_read(tmp_path, reduction):
    again = Reduction.load(reduction.save(tmp_path / "bar.npz"))
    np.testing.assert_array_equal(again.modes, reduction.modes)
    np.testing.assert_array_equal(again.cells[0], reduction.cells[0])
    (tmp_path / "junk.npz").write_text("no")
    for name in ("junk.npz", "none.npz"):
        with pytest.raises(InvalidInput, match=f"{name}. cannot be read"):
            Reduction.load(tmp_path / name)


def test_what_does_not_fit_is_refused(reduction, states):
    other = SoftBody(
        name="bar", mesh=shapes.beam(0.1, 0.02, 0.02, 0.01), material=Corotational(young=1e5), density=1e3, fixed="x0"
    )
    with pytest.raises(InvalidInput, match="degrees of freedom"):
        reduction.apply(Scene([other]))
    with pytest.raises(InvalidInput, match="two or more states"):
        reduce_scene(build(), states[:1])
    with pytest.raises(InvalidInput, match="no motion"):
        reduce_scene(build(), [build().state, build().state])
    with pytest.raises(InvalidInput, match="carrier 'plate' is not rigid"):
        reduce_scene(build(), states, carrier="plate")


def test_shaking_covers_the_commands():
    assert amplitudes(build()) == {"up": 0.008, "down": 0.008}
    points = combinations(10, 3, seed=4)
    assert points.shape == (10, 3)
    assert all(sorted((points[:, i] * 10).astype(int)) == list(range(10)) for i in range(3))
    np.testing.assert_array_equal(points, combinations(10, 3, seed=4))


def test_a_condensed_scene_predicts_the_next_equilibrium():
    from plantar.soft import Goal
    from plantar.soft.reduction.condensed import condense_scene

    bar = build().bodies["bar"]
    cable = Cable(name="up", body="bar", points=[(0.01, 0, 0.009), (0.195, 0, 0.009)], drive="force")
    goal = Goal(name="tip", body="bar", point=(0.2, 0, 0), axes="xz")
    scene = Scene([bar], [cable], goals=[goal], mode="static", gravity=(0, 0, 0))
    found = condense_scene(scene)
    assert found.names == ("up", "tip_x", "tip_z") and found.actuators == 1 and found.goals == 2
    np.testing.assert_allclose(found.W, found.W.T, rtol=1e-9, atol=1e-18)
    small = 1e-4
    scene.step({"up": small})
    moved = scene.goals["tip"].position(scene.state.x, scene.state.quat) - scene.goals["tip"].target
    predicted = found.predict({"up": small})
    assert predicted["tip_z"] == pytest.approx(moved[2], rel=1e-2)
    assert predicted["up"] == pytest.approx(scene.strokes()["up"], rel=1e-2)
    np.testing.assert_allclose(found.jacobian(), scene.jacobian(), rtol=0.05)


FILE = """
dt: 0.05
gravity: [0, 0, 0]
bodies:
  - name: bar
    mesh: {shape: beam, length: 0.1, width: 0.02, height: 0.02, cell: 0.01}
    material: {law: corotational, young: 3.0e+5, poisson: 0.45}
    density: 1000
    fixed: [x0]
actuators:
  - {kind: cable, name: up, body: bar, points: [[0.01, 0, 0.006], [0.095, 0, 0.006]], stroke: [0, 0.004]}
"""


def test_the_command_writes_a_card_and_fails_above_the_tolerance(tmp_path, capsys):
    import json

    from plantar.cli.app import run as main

    path = tmp_path / "bar.yaml"
    path.write_text(FILE)
    command = ["soft", "reduce", str(path), "--modes", "6", "--samples", "2", "--json"]
    assert main([*command, "--out", str(tmp_path / "fine")]) == 0
    card = json.loads(capsys.readouterr().out)["cards"][0]
    assert card["modes"] <= 6 and card["error_percent"] < 10
    assert Reduction.load(tmp_path / "fine" / "reduction.npz").elements == card["elements"]
    tight = f"{card['error_percent'] / 200:.12f}"
    assert main([*command, "--tolerance", tight, "--out", str(tmp_path / "tight")]) == 1
    assert "off by" in capsys.readouterr().err and (tmp_path / "tight" / "reduction.npz").exists()
    assert main([*command, "--tolerance", "0", "--out", str(tmp_path / "none")]) == 2
