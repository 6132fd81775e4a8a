"""Cables, cavities, contact: gradients, complementarity, friction, and independence of the time step."""

from __future__ import annotations

import numpy as np
import pytest
from soft_cases import bar, body

from plantar.errors import InvalidInput
from plantar.soft import (
    Ball,
    Barycentric,
    Box,
    Cable,
    Capsule,
    Cavity,
    Contact,
    Corotational,
    Cylinder,
    FixedPosition,
    Mesh,
    Plane,
    RigidBody,
    Scene,
    Skin,
    SoftBody,
    Surface,
    shapes,
)
from plantar.soft._complementarity import Rows, solve_rows

TOP = [(0.01, 0.015, 0.025), (0.05, 0.015, 0.025), (0.09, 0.015, 0.025)]


def hollow(**fields):
    mesh = shapes.hollow_box((0.06, 0.04, 0.04), 0.01, (2, 2, 2))
    mesh = shapes.with_cavities(mesh) if not mesh.surfaces else mesh
    fixed = np.flatnonzero(mesh.nodes[:, 0] < mesh.bounds[0, 0] + 1e-9)
    name = next(iter(mesh.surfaces))
    return SoftBody(
        name="box", mesh=mesh, material=Corotational(young=1e5, poisson=0.4), density=1000, fixed=fixed
    ), Cavity(name="gas", body="box", surface=name, **fields)


def jolted(scene):
    rng = np.random.default_rng(0)
    scene.state.x += 1e-3 * rng.normal(size=scene.state.x.shape)
    return scene


def gradient_error(scene, name):
    live, x = scene.actuators[name], scene.state.x.copy()
    H = np.zeros_like(x)
    live.evaluate(x, scene.state.quat, H)
    rng, worst = np.random.default_rng(1), 0.0
    for _ in range(5):
        d, h = rng.normal(size=x.shape), 1e-7
        slope = (live.measure(x + h * d, scene.state.quat) - live.measure(x - h * d, scene.state.quat)) / (2 * h)
        worst = max(worst, abs((H * d).sum() - slope) / abs(slope))
    return worst


def test_cable_gradient_equals_finite_differences():
    scene = jolted(Scene([body(bar())], [Cable(name="c", body="bar", points=TOP, anchor=(-0.02, 0.01, 0.03))]))
    assert gradient_error(scene, "c") < 1e-6


def test_pressure_gradient_equals_finite_differences():
    box, gas = hollow()
    assert gradient_error(jolted(Scene([box], [gas])), "gas") < 1e-6


def test_cable_by_force_and_by_length_agree():
    mesh = bar()
    scene = Scene([body(mesh)], [Cable(name="c", body="bar", points=TOP)], mode="static")
    scene.step({"c": 0.004})
    force, shape = scene.efforts["c"], scene.positions("bar")
    again = Scene([body(mesh)], [Cable(name="c", body="bar", points=TOP, drive="force")], mode="static")
    again.step({"c": force})
    assert again.strokes()["c"] == pytest.approx(0.004, rel=1e-6)
    assert np.abs(again.positions("bar") - shape).max() < 1e-8
    assert force > 0


def test_slack_cable_pulls_nothing_and_a_rod_pushes():
    scene = Scene([body(bar())], [Cable(name="c", body="bar", points=TOP)], mode="static", gravity=(0, 0, 0))
    scene.step({"c": -0.002})
    assert scene.efforts["c"] == 0.0
    rod = Scene(
        [body(bar())], [Cable(name="c", body="bar", points=TOP, unilateral=False)], mode="static", gravity=(0, 0, 0)
    )
    rod.step({"c": -0.002})
    assert rod.efforts["c"] < 0
    assert rod.strokes()["c"] == pytest.approx(-0.002, rel=1e-6)


def test_friction_at_way_points_follows_the_capstan():
    """A cable bent by a right angle over a fixed corner: the far end pulls with exp(-mu pi/2) of the tension."""
    from plantar.soft.cable import cable_pull

    p, load = np.array([[0.0, 0, 0], [0, 0, 1]]), np.zeros((2, 3))
    cable_pull(p, np.array([-1.0, 0, 0]), True, 0.3, 1.0, load)
    far = np.exp(-0.3 * np.pi / 2)
    assert load[1] == pytest.approx([0, 0, -far])
    assert load[0] == pytest.approx([-1, 0, far])
    scene = Scene(
        [body(bar())],
        [
            Cable(
                name="c",
                body="bar",
                points=[(0.05, 0.015, 0.015), (0.09, 0.015, 0.028)],
                anchor=(0.05, 0.015, 0.1),
                friction=0.3,
            )
        ],
        mode="static",
        gravity=(0, 0, 0),
    )
    free = Scene(
        [body(bar())],
        [Cable(name="c", body="bar", points=[(0.05, 0.015, 0.015), (0.09, 0.015, 0.028)], anchor=(0.05, 0.015, 0.1))],
        mode="static",
        gravity=(0, 0, 0),
    )
    scene.step({"c": 0.003})
    free.step({"c": 0.003})
    assert scene.strokes()["c"] == pytest.approx(0.003, rel=1e-6)
    assert scene.efforts["c"] > 1.01 * free.efforts["c"]


def test_pressure_by_volume_and_by_pressure_agree():
    box, gas = hollow()
    scene = Scene([box], [gas], mode="static")
    scene.step({"gas": 3000.0})
    grown = scene.strokes()["gas"]
    box, gas = hollow(drive="volume")
    again = Scene([box], [gas], mode="static")
    again.step({"gas": grown})
    assert grown > 0
    assert again.efforts["gas"] == pytest.approx(3000.0, rel=1e-6)


@pytest.mark.parametrize("what", ["cable", "pressure"])
def test_settled_results_do_not_depend_on_the_step(what):
    settled = []
    for dt in (0.1, 0.05, 0.01):
        if what == "cable":
            scene = Scene(
                [body(bar())], [Cable(name="a", body="bar", points=TOP, drive="force")], dt=dt, rayleigh=(2.0, 0.1)
            )
            scene.command(a=0.5)
        else:
            box, gas = hollow()
            scene = Scene([box], [gas], dt=dt, rayleigh=(2.0, 0.1))
            scene.command(gas=3000.0)
        scene.run(4.0)
        name = next(iter(scene.bodies))
        settled.append(scene.positions(name) - scene.system.x0)
    size = np.abs(settled[0]).max()
    assert np.abs(settled[1] - settled[0]).max() < 0.005 * size
    assert np.abs(settled[2] - settled[0]).max() < 0.005 * size


def test_contact_fulfils_complementarity_and_weighs_the_body():
    mesh = bar((4, 4, 3), (0.1, 0.1, 0.05))
    floor = Contact(name="floor", body="bar", against=Plane(point=(0, 0, -0.001)), friction=0.5, margin=0.005)
    scene = Scene([body(mesh, fixed=())], contacts=[floor], dt=0.02, rayleigh=(5.0, 0.1))
    scene.run(2.0)
    gaps = scene.positions("bar")[:, 2] + 0.001
    forces = np.zeros(len(gaps))
    nodes = scene.contacts["floor"].nodes
    assert nodes is not None
    for touch in scene.touches:
        forces[nodes[touch.point]] = touch.force[2]
        assert np.hypot(*touch.force[:2]) <= 0.5 * touch.force[2] * (1 + 1e-8) + 1e-12
    weight = 1000 * 9.81 * 0.1 * 0.1 * 0.05
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
            found = scene.contacts["self"].found
            assert found is not None and found.gap.min() > -5e-4
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


def test_bonds_hold_points_of_two_bodies_together():
    left, right = bar(), bar().moved(translation=(0.1, 0, 0))
    a = SoftBody(
        name="a",
        mesh=left,
        material=Corotational(young=1e5, poisson=0.3),
        density=1000,
        fixed=np.flatnonzero(left.nodes[:, 0] < 1e-9),
    )
    b = SoftBody(name="b", mesh=right, material=Corotational(young=1e5, poisson=0.3), density=1000)
    face = np.flatnonzero(right.nodes[:, 0] < 0.1 + 1e-9)
    hold = FixedPosition(
        name="glue", body="b", to="a", points=Barycentric(nodes=face[:, None], weights=np.ones((len(face), 1)))
    )
    scene = Scene([a, b], bonds=[hold], mode="static")
    scene.equilibrium()
    whole = bar((9, 3, 3), (0.2, 0.03, 0.03))
    one = Scene([body(whole)], mode="static")
    one.equilibrium()
    assert scene.positions("b")[:, 2].min() == pytest.approx(one.positions("bar")[:, 2].min(), rel=1e-6)


FAULTS = {
    "outside": (
        lambda: Scene([body(bar())], [Cable(name="c", body="bar", points=[*TOP, (0.5, 0, 0)])]),
        "cable 'c'.*point 3",
    ),
    "unknown body": (lambda: Scene([body(bar())], [Cable(name="c", body="arm", points=TOP)]), "unknown body 'arm'"),
    "open cavity": (
        lambda: Scene([body(bar())], [Cavity(name="g", body="bar", surface=bar().boundary[:-1])]),
        "cavity 'g' is not closed",
    ),
    "incompressible": (lambda: Corotational(young=1e5, poisson=0.5), "poisson = 0.5.*0.49"),
    "inverted": (lambda: body(Mesh(bar().nodes, bar().tets[:, [0, 2, 1, 3]])), "bar.*(inverted|inside out|negative)"),
    "over-constrained": (
        lambda: Scene([body(bar())], bonds=[FixedPosition(name="h", body="bar", points=[(0.0, 0.015, 0.015)])]),
        "'h' is over-constrained",
    ),
    "held twice": (
        lambda: Scene(
            [body(bar(), fixed=())],
            bonds=[FixedPosition(name=n, body="bar", points=[(0.05, 0.015, 0.015)]) for n in "ab"],
        ),
        "'b' is over-constrained",
    ),
    "fixed and rigid": (lambda: Scene([body(bar(), rigid={"p": [0, 1, 2]})]), "over-constrained"),
    "two names": (lambda: Scene([body(bar()), body(bar())]), "name 'bar' is used twice"),
    "nothing moves": (lambda: Scene([body(bar(), fixed=np.arange(45))]), "nothing in this scene can move"),
    "command": (lambda: Scene([body(bar())]).step({"c": 1.0}), "unknown actuator 'c'"),
    "not rigid": (
        lambda: Scene([body(bar())], contacts=[Contact(name="t", body="bar", against=Plane(), carrier="bar")]),
        "carrier 'bar' is not rigid",
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_faults_are_named_before_anything_moves(fault):
    make, message = FAULTS[fault]
    with pytest.raises(InvalidInput, match=f"(?s){message}") as caught:
        make()
    assert "\n" not in str(caught.value)


def test_doubled_nodes_and_flat_elements_are_named():
    mesh = bar((3, 2, 2))
    nodes = np.concatenate([mesh.nodes, mesh.nodes[:1]])
    tets = mesh.tets.copy()
    tets[0][tets[0] == 0] = len(mesh.nodes)
    with pytest.raises(InvalidInput, match="bar"):
        body(Mesh(nodes, tets))
    flat = mesh.nodes.copy()
    flat[:, 2] = 0.0
    with pytest.raises(InvalidInput, match="bar"):
        body(Mesh(flat, mesh.tets))
