"""Contact of soft bodies: complementarity, friction, obstacles of every kind, other bodies and themselves."""

from __future__ import annotations

import numpy as np
import pytest
from soft_cases import bar, body

from plantar.soft import (
    Ball,
    Box,
    Cable,
    Capsule,
    Contact,
    Corotational,
    Cylinder,
    NeoHookean,
    Plane,
    RigidBody,
    Scene,
    Skin,
    SoftBody,
    StableNeoHookean,
    StVenantKirchhoff,
    Surface,
    shapes,
)
from plantar.soft.solve.complementarity import Rows, solve_rows


def test_contact_fulfils_complementarity_and_weighs_the_body(record_property):
    mesh = bar((4, 4, 3), (0.1, 0.1, 0.05))
    floor = Contact(name="floor", body="bar", against=Plane(point=(0, 0, -0.001)), friction=0.5, margin=0.005)
    scene = Scene([body(mesh, fixed=())], contacts=[floor], dt=0.02, rayleigh=(5.0, 0.1))
    scene.run(2.0)
    gaps = scene.positions("bar")[:, 2] + 0.001
    forces = np.zeros(len(gaps))
    nodes, outside = scene.contacts["floor"].nodes, []
    assert nodes is not None
    weight = 1000 * 9.81 * 0.1 * 0.1 * 0.05
    for touch in scene.touches:
        forces[nodes[touch.point]] = touch.force[2]
        outside.append(float(np.hypot(*touch.force[:2]) - 0.5 * touch.force[2]))
        assert outside[-1] <= 0.5e-8 * touch.force[2] + 1e-12
    record_property("soft.contact.complementarity", float(np.abs(gaps * forces).max() / (weight * 0.1)))
    record_property("soft.contact.depth", float(max(0.0, -gaps.min() / 0.1)))
    record_property("soft.contact.outside_cone", float(max(0.0, *outside) / weight))
    assert forces.sum() == pytest.approx(weight, rel=1e-5)
    assert gaps.min() > -1e-8 * 0.1
    assert np.abs(gaps * forces).max() < 1e-8 * weight * 0.1


def test_friction_holds_below_its_angle_and_slides_above():
    """A block on a plane tilted by tan = 0.3 stays with friction 0.4 and slides as g (sin - mu cos) with 0.2."""
    slope = np.array([0.3, 0, 1]) / np.hypot(0.3, 1)
    mesh = bar((3, 3, 2), (0.1, 0.1, 0.03))
    turn = np.array([[slope[2], 0, slope[0]], [0, 1, 0], [-slope[0], 0, slope[2]]])
    mesh = mesh.moved(rotation=turn)
    down = turn @ [1, 0, 0]
    moved = {}
    for mu in (0.2, 0.4):
        plane = Contact(name="slope", body="bar", against=Plane(normal=tuple(slope)), friction=mu, margin=0.002)
        scene = Scene(
            [body(mesh, Corotational(young=1e6, poisson=0.3), fixed=())], contacts=[plane], dt=0.005, rayleigh=(0, 0.01)
        )
        scene.run(0.3)
        moved[mu] = float((scene.positions("bar") - mesh.nodes).mean(axis=0) @ down)
    c = 1 / np.hypot(0.3, 1)
    assert abs(moved[0.4]) < 1e-4
    assert moved[0.2] == pytest.approx(0.5 * 9.81 * (0.3 * c - 0.2 * c) * 0.09, rel=0.05)


OBSTACLES = {
    "plane": Plane(point=(0, 0, -0.03)),
    "ball": Ball(centre=(0.08, 0.015, -0.06), radius=0.04),
    "box": Box(centre=(0.08, 0.015, -0.04), size=(0.05, 0.05, 0.04)),
    "capsule": Capsule(start=(0.08, -0.1, -0.04), end=(0.08, 0.1, -0.04), radius=0.02),
    "cylinder": Cylinder(start=(0.08, -0.1, -0.04), end=(0.08, 0.1, -0.04), radius=0.02),
    "surface": Surface(
        nodes=[(0, -0.1, -0.03), (0.3, -0.1, -0.03), (0.3, 0.1, -0.03), (0, 0.1, -0.03)],
        triangles=[(0, 1, 2), (0, 2, 3)],
    ),
}


@pytest.mark.parametrize("kind", OBSTACLES)
def test_bar_rests_on_every_kind_of_obstacle(kind):
    mesh = bar((7, 3, 3))
    touch = Contact(name="t", body="bar", against=OBSTACLES[kind], margin=0.002)
    scene = Scene([body(mesh, Corotational(young=2e4, poisson=0.3))], contacts=[touch], dt=0.02, rayleigh=(1.0, 0.1))
    scene.run(1.5)
    gap, normal = OBSTACLES[kind].distance(scene.positions("bar"), 1.0)
    assert scene.touches
    assert gap[np.isfinite(gap)].min() > -2e-4
    assert np.allclose(np.linalg.norm(normal[np.abs(gap) < 0.01], axis=1), 1)
    assert sum(t.force[2] for t in scene.touches) > 0


@pytest.mark.parametrize("mode", ["static", "dynamic"])
@pytest.mark.parametrize("under", ["rigid", "soft"])
def test_friction_takes_a_block_along_with_what_it_lies_on(under, mode):
    """A plate moves by 5 mm and what lies on it goes along, in equilibria as in time."""
    material = Corotational(young=1e5, poisson=0.3)
    block = SoftBody(
        name="block",
        mesh=shapes.box(size=(0.02, 0.02, 0.02), cells=(2, 2, 2)).moved(translation=(0.011, 0.0105, 0.02)),
        material=material,
        density=1000,
    )
    plate: RigidBody | SoftBody = RigidBody.box(
        name="plate", size=(0.04, 0.04, 0.02), mass=1, position=(0.02, 0.02, 0.01), fixed=True
    )
    box = Box(centre=(0.02, 0.02, 0.01), size=(0.04, 0.04, 0.02))
    lies = Contact(name="lies", body="block", points="z0", against=box, carrier="plate", friction=0.8)
    if under == "soft":
        mesh = shapes.box(size=(0.04, 0.04, 0.02), cells=(2, 2, 1))
        plate = SoftBody(name="plate", mesh=mesh, material=material, density=1000, fixed="z0")
        lies = Contact(name="lies", body="block", points="z0", against="plate", friction=0.8)
    scene = Scene([block, plate], contacts=[lies], mode=mode, dt=0.02)
    scene.run(0.02 if mode == "static" else 0.3)
    before = scene.positions("block")
    for _ in range(5):
        scene.move("plate", (0.001, 0.0005, 0))
        scene.step()
    scene.run(0.02 if mode == "static" else 0.3)
    assert scene.tally.converged == scene.tally.steps
    assert scene.positions("block") - before == pytest.approx(np.tile([0.005, 0.0025, 0], (len(before), 1)), abs=5e-6)


@pytest.mark.parametrize("law", [NeoHookean, StableNeoHookean, StVenantKirchhoff])
def test_a_block_of_hyperelastic_rubber_stays_on_the_floor(law):
    """Its own weight softens it: in steps that are too long contacts give way, and forces that fit would throw it."""
    mesh = bar((6, 3, 3), (0.1, 0.02, 0.02))
    floor = Contact(name="floor", body="bar", against=Plane(), friction=0.5)
    scene = Scene([body(mesh, law(young=2e5, poisson=0.45), fixed=())], contacts=[floor], dt=0.02)
    scene.run(0.5)
    assert sum(touch.force[2] for touch in scene.touches) == pytest.approx(mesh.volume * 1000 * 9.81, rel=1e-4)
    assert np.abs(scene.positions("bar") - mesh.nodes).max() < 2e-5
    assert scene.tally.converged == scene.tally.steps


def test_surface_and_plane_are_the_same_floor():
    found = []
    for kind in ("plane", "surface"):
        touch = Contact(name="t", body="bar", against=OBSTACLES[kind], margin=0.002)
        scene = Scene([body(bar((7, 3, 3)), Corotational(young=2e4, poisson=0.3))], contacts=[touch], dt=0.02)
        scene.run(0.5)
        found.append(scene.positions("bar"))
    assert np.abs(found[0] - found[1]).max() < 1e-9


def test_soft_bodies_touch_with_opposite_forces():
    low = SoftBody(
        name="low",
        mesh=bar((4, 4, 3), (0.06, 0.06, 0.03)),
        material=Corotational(young=1e5, poisson=0.3),
        density=1000,
        fixed=np.flatnonzero(bar((4, 4, 3), (0.06, 0.06, 0.03)).nodes[:, 2] < 1e-9),
    )
    mesh = bar((3, 3, 3), (0.03, 0.03, 0.03)).moved(translation=(0.014, 0.016, 0.031))
    high = SoftBody(name="high", mesh=mesh, material=Corotational(young=1e5, poisson=0.3), density=1000)
    touch = Contact(name="t", body="high", against="low", margin=0.003)
    scene = Scene([low, high], contacts=[touch], dt=0.01, rayleigh=(10.0, 0.05))
    scene.run(1.0)
    push = np.sum([t.force for t in scene.touches], axis=0)
    assert push[2] == pytest.approx(1000 * 9.81 * 0.03**3, rel=1e-3)
    assert scene.positions("high")[:, 2].min() > 0.0285


def test_body_does_not_pass_through_itself():
    """Two arms of a U are pulled together and stop each other."""
    mask = np.ones((9, 2, 7), dtype=bool)
    mask[2:, :, 2:5] = False
    mesh = shapes.voxels(mask, 0.01)
    fixed = np.flatnonzero(mesh.nodes[:, 0] < mesh.bounds[0, 0] + 1e-9)
    ends = [(0.085, 0.01, 0.015), (0.085, 0.01, 0.055)] + mesh.bounds[0]
    u = SoftBody(name="u", mesh=mesh, material=Corotational(young=5e4, poisson=0.3), density=1000, fixed=fixed)
    gaps = {}
    for touching in (True, False):
        contacts = [Contact(name="self", body="u", against="u", margin=0.004, depth=0.004)] if touching else []
        scene = Scene([u], [Cable(name="c", body="u", points=ends)], contacts=contacts, gravity=(0, 0, 0), dt=0.02)
        for part in np.linspace(0, 1, 30):
            scene.step({"c": 0.035 * part})
        x = scene.positions("u") - mesh.bounds[0]
        rest = mesh.nodes - mesh.bounds[0]
        arm = rest[:, 0] > 0.05
        lower, upper = arm & (np.isclose(rest[:, 2], 0.02)), arm & (np.isclose(rest[:, 2], 0.05))
        gaps[touching] = float((x[upper, 2] - x[lower, 2]).min())
        if touching:
            assert scene.touches
            near = scene.contacts["self"].detect(scene.state)
            assert near is not None and near.found.gap.min() > -5e-4
    assert gaps[False] < -0.003


def test_rigid_ball_comes_to_rest_on_a_soft_block():
    mesh = bar((5, 5, 3), (0.08, 0.08, 0.03))
    block = body(mesh, Corotational(young=5e4, poisson=0.3), fixed=np.flatnonzero(mesh.nodes[:, 2] < 1e-9))
    ball = RigidBody.ball(name="ball", radius=0.02, mass=0.2, position=(0.04, 0.04, 0.051))
    obstacle = Ball(centre=(0.04, 0.04, 0.051), radius=0.02)
    touch = Contact(
        name="t",
        body="bar",
        points=mesh.nodes[mesh.nodes[:, 2] > 0.0299],
        against=obstacle,
        carrier="ball",
        margin=0.004,
    )
    scene = Scene([block, ball], contacts=[touch], dt=0.01, rayleigh=(3.0, 0.05))
    scene.run(1.5)
    assert -np.sum([t.force for t in scene.touches], axis=0)[2] == pytest.approx(0.2 * 9.81, rel=1e-3)
    assert 0.03 < scene.positions("ball")[0, 2] < 0.0505


def test_contact_through_a_skin_of_other_points():
    mesh = bar((7, 3, 3))
    pads = [(0.099, 0.01, 0.001), (0.099, 0.02, 0.001)]
    skin = Skin(name="pads", body="bar", nodes=pads)
    touch = Contact(name="t", body="bar", points="pads", against=Plane(point=(0, 0, -0.01)), margin=0.002)
    scene = Scene([body(mesh, Corotational(young=2e4, poisson=0.3))], contacts=[touch], skins=[skin], mode="static")
    scene.equilibrium()
    heights = scene.skins["pads"].positions(scene.state)[:, 2]
    assert heights.min() == pytest.approx(-0.01, abs=1e-8)


def test_rows_are_solved_exactly():
    """Random rows with limits: w = 0 inside the limits, pointing away at them."""
    rng = np.random.default_rng(3)
    for _ in range(30):
        n = int(rng.integers(2, 12))
        B = rng.normal(size=(n, n))
        W, d = B @ B.T + 0.01 * np.eye(n), rng.normal(size=n)
        low, high = np.zeros(n), np.where(rng.random(n) < 0.3, 0.5, np.inf)
        low[rng.random(n) < 0.3] = -np.inf
        found = solve_rows(W, d, Rows(low, high, np.full(n, -1.0)))
        w, f = W @ found.value + d, found.value
        assert ((f >= low - 1e-10) & (f <= high + 1e-10)).all()
        inside = (f > low + 1e-9) & (f < high - 1e-9)
        assert np.abs(w[inside]).max(initial=0) < 1e-8
        assert (w[f <= low + 1e-9] > -1e-8).all()
        assert (w[f >= high - 1e-9] < 1e-8).all()


@pytest.mark.parametrize("seed", range(6))
def test_friction_under_the_corners_of_a_rigid_body_is_found_in_few_sweeps(seed):
    """Four corners share the load in many ways; sweeps alone may take hundreds to a slip of 1e-10 of the motion."""
    rng = np.random.default_rng(seed)
    corners = np.array([[x, y, -0.5] for x in (-1, 1) for y in (-1, 1)]) * rng.uniform(0.5, 2, 3)
    turns = np.array([[[0, z, -y], [-z, 0, x], [y, -x, 0]] for x, y, z in corners])
    J = np.concatenate([np.tile(np.eye(3), (4, 1, 1)), turns], axis=2)[:, [2, 0, 1]].reshape(12, 6)
    W = J @ np.diag([1.0, 1.0, 1.0, 3.0, 3.0, 3.0]) @ J.T
    d = J @ np.append(rng.normal(size=2), [-3.0, *0.3 * rng.normal(size=3)])
    mu = 0.4
    rows = Rows(np.tile([0.0, -np.inf, -np.inf], 4), np.full(12, np.inf), np.tile([mu, -2.0, -2.0], 4))
    found = solve_rows(W, d, rows, limit=40)
    assert found.converged and found.residual < 1e-10 and found.iterations <= 40
    w, f = (W @ found.value + d).reshape(4, 3), found.value.reshape(4, 3)
    assert (f[:, 0] >= 0).all() and (w[:, 0] > -1e-9).all() and np.abs(f[:, 0] * w[:, 0]).max() < 1e-8
    size = np.linalg.norm(f[:, 1:], axis=1)
    assert (size <= mu * f[:, 0] + 1e-9).all()
    sticks = size < mu * f[:, 0] - 1e-6
    assert np.abs(w[sticks, 1:]).max(initial=0.0) < 1e-9
    slides = ~sticks & (f[:, 0] > 1e-6)
    along = np.einsum("ij,ij->i", f[slides, 1:], w[slides, 1:])
    assert along == pytest.approx(-size[slides] * np.linalg.norm(w[slides, 1:], axis=1), abs=1e-7)
