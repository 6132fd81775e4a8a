"""Cables, cavities, bonds: gradients, friction at way points, faults, and independence of the time step."""

from __future__ import annotations

import numpy as np
import pytest
from soft_cases import bar, body, start

from plantar.errors import InvalidInput
from plantar.soft import (
    Barycentric,
    BeamBody,
    Cable,
    Cavity,
    Contact,
    Corotational,
    FixedDistance,
    FixedPosition,
    Goal,
    Load,
    Mesh,
    Plane,
    Scene,
    Section,
    Skin,
    SoftBody,
    SpringBody,
    shapes,
)

TOP = [(0.01, 0.015, 0.025), (0.05, 0.015, 0.025), (0.09, 0.015, 0.025)]


LINE = [(0.0, 0.0, 0.0), (0.1, 0.0, 0.0), (0.2, 0.0, 0.0)]
EDGES = [(0, 1), (1, 2)]
ON_NONE = Barycentric(nodes=np.array([[-1]]), weights=np.array([[1.0]]))


def beam(name, fixed=(0,)):
    section = Section.circle(0.002)
    return BeamBody(name=name, nodes=LINE, edges=EDGES, section=section, young=1e6, density=1000, fixed=fixed)


def masses(name, fixed=(0,)):
    return SpringBody(name=name, nodes=LINE, edges=EDGES, stiffness=10.0, mass=0.1, fixed=fixed)


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
    start(scene, x=scene.state.x + 1e-3 * rng.normal(size=scene.state.x.shape))
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
    from plantar.soft.scene.cable import cable_pull

    p, load = np.array([[0.0, 0, 0], [0, 0, 1]]), np.zeros((2, 3))
    cable_pull(p, np.array([-1.0, 0, 0]), True, 1e-9, 0.3, 1.0, load)
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
def test_settled_results_do_not_depend_on_the_step(what, record_property):
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
    apart = [float(np.abs(other - settled[0]).max() / size) for other in settled[1:]]
    record_property(f"soft.step.{what}", apart)
    assert max(apart) < 0.005


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
    "nodes of another beam": (lambda: Scene([beam("a"), beam("b", fixed=[-1])]), "'b': fixed = .-1. .* 0 to 2"),
    "masses of another body": (lambda: Scene([masses("a", fixed=[3]), masses("b")]), "'a': fixed = .3. .* 0 to 2"),
    "weights on another body": (
        lambda: Scene([masses("a"), masses("b")], goals=[Goal(name="g", body="b", point=ON_NONE)]),
        "goal 'g': nodes = .-1. ",
    ),
    "cavity of another body": (
        lambda: Scene([body(bar())], [Cavity(name="g", body="bar", surface=bar((2, 2, 2)).boundary + 43)]),
        "cavity 'g': surface = .45. ",
    ),
    "weights on two bodies": (lambda: Cable(name="c", body=["a"], points=ON_NONE, anchor=(0, 0, 0)), "one name"),
    "region of a beam": (
        lambda: Scene([beam("a")], loads=[Load(name="l", body="a", points="tip", force=(0, 0, 1))]),
        "load 'l': body 'a' has no region 'tip'",
    ),
    "world first": (lambda: FixedDistance(name="d", bodies=("world", "a"), points=[(0, 0, 0), (1, 0, 0)]), "bodies"),
    "skin of another body": (
        lambda: Scene(
            [body(bar()), beam("a")],
            skins=[Skin(name="k", body="a", nodes=[(0.0, 0, 0)])],
            contacts=[Contact(name="t", body="bar", points="k", against=Plane())],
        ),
        "skin 'k' is on body 'a', not 'bar'",
    ),
    "move": (lambda: Scene([body(bar())]).move("bar", (0, 0)), "displacement"),
    "duration": (lambda: Scene([body(bar())]).run(float("nan")), "duration"),
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
