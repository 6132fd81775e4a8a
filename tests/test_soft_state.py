"""A state goes into a step and comes out: resets forget all, steps repeat, scenes share nothing."""

from __future__ import annotations

import ast
import graphlib
from pathlib import Path

import numpy as np
import pytest
from soft_cases import bar, body

import plantar
from plantar.errors import InvalidInput
from plantar.soft import Cable, Contact, Corotational, NeoHookean, Plane, Scene

POINTS = [(0.05, 0.015, 0.015), (0.09, 0.015, 0.028)]


def rubbing(friction=0.8, **options) -> Scene:
    """A bar on a floor with friction, pulled by a cable with friction at its way points."""
    cable = Cable(name="c", body="bar", points=POINTS, anchor=(0.05, 0.015, 0.1), friction=friction)
    floor = Contact(name="floor", body="bar", points="boundary", against=Plane(point=(0, 0, -0.001)), friction=0.5)
    return Scene([body(bar())], [cable], contacts=[floor], dt=0.005, **options)


def pulled(friction: float, **options) -> Scene:
    """A bar pulled by a cable."""
    cable = Cable(name="c", body="bar", points=POINTS, anchor=(0.05, 0.015, 0.1), friction=friction)
    return Scene([body(bar())], [cable], gravity=(0, 0, 0), **options)


def test_a_reset_forgets_which_way_cables_slid():
    scene = pulled(friction=0.8)
    first = scene.step({"c": 0.003}).efforts["c"]
    scene.step({"c": 0.001})
    scene.step({"c": 0.0})
    scene.reset()
    assert scene.step({"c": 0.003}).efforts["c"] == first


def test_an_equilibrium_knows_which_way_its_cable_slid():
    """Let out, friction helps to hold: the tension is below that without friction; pulled in, it is above."""
    smooth, rough = pulled(0.0, mode="static"), pulled(0.8, mode="static")
    free = smooth.step({"c": 0.002}).efforts["c"]
    more = rough.step({"c": 0.002}).efforts["c"]
    rough.step({"c": 0.003})
    less = rough.step({"c": 0.002}).efforts["c"]
    assert less < 0.9 * free < free < 0.9 * more


@pytest.mark.parametrize("law", [Corotational, NeoHookean])
def test_a_step_repeats_with_the_same_bits(law):
    scene = rubbing()
    other = Scene([body(bar(), law(young=1e5, poisson=0.3))], [scene.configs["c"]], contacts=[], dt=0.005)
    for one in (scene, other):
        for k in range(12):
            one.step({"c": 2e-4 * k})
        kept, ends = one.state, []
        for _ in range(3):
            one.restore(kept)
            one.step({"c": 0.003})
            ends.append(one.state)
            one.step({"c": -0.002})
        assert len({(s.x.tobytes(), s.v.tobytes(), str(s.efforts)) for s in ends}) == 1


def test_a_state_cannot_be_written():
    scene = rubbing()
    with pytest.raises(ValueError, match="read-only"):
        scene.state.x[0] = 1.0
    with pytest.raises(AttributeError):
        scene.state.time = 1.0  # type: ignore[misc]
    with pytest.raises(AttributeError):
        scene.state = scene.state  # type: ignore[misc]
    with pytest.raises(InvalidInput, match="a state of this scene"):
        scene.restore(Scene([body(bar((4, 2, 2)))]).state)


def test_scenes_made_of_the_same_parts_share_nothing():
    parts = body(bar()), Cable(name="c", body="bar", points=POINTS, friction=0.3)
    one, two, alone = (Scene([parts[0]], [parts[1]], dt=0.005) for _ in range(3))
    for k in range(10):
        one.step({"c": 3e-4 * k})
        two.step({"c": -1e-4 * k})
    for k in range(10):
        alone.step({"c": -1e-4 * k})
    np.testing.assert_array_equal(two.state.x, alone.state.x)


def test_contact_that_did_not_converge_says_so():
    scene = rubbing()
    good = scene.step()
    for _ in range(19):
        good = scene.step()
        assert good.converged and good.status == "converged"
    assert good.active > 0 and good.rounds > 1 and good.residual < 1e-8
    hurried = rubbing()
    hurried.contact_rounds = 1
    run = hurried.run(0.1)
    tally = run.tally
    assert not run.converged and tally.converged < tally.steps == len(run) and tally.residual > 1e-8
    assert "contact_rounds" in tally.status and "worst residual" in tally.summary()
    assert tally == hurried.tally and hurried.tally.active > 0


def test_an_equilibrium_says_whether_its_contacts_converged():
    scene = rubbing(friction=0.0, mode="static")
    found = scene.equilibrium()
    assert found.converged and found.active == len(scene.touches) > 0 and found.residual < 1e-8


def test_nothing_outside_solve_writes_a_state(record_property):
    """Neither a scene's state nor what it keeps behind an underscore."""
    room = Path(plantar.__file__).parent
    written = []
    for path in sorted([*room.glob("soft/**/*.py"), *room.glob("cli/soft/*.py")]):
        if path.is_relative_to(room / "soft" / "solve"):
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            targets = node.targets if isinstance(node, ast.Assign) else []
            targets = [node.target] if isinstance(node, ast.AugAssign | ast.AnnAssign) else targets
            for target in targets:
                written += [f"{path.name}:{target.lineno} {name}" for name in _written(target)]
    record_property("soft.modules.writes", written)
    assert written == []


def test_no_modules_of_the_room_import_each_other_in_a_circle(record_property):
    """Imports inside functions count too; those for types alone do not."""
    source = Path(plantar.__file__).parents[1]
    names = {_module(path, source): path for path in source.glob("plantar/soft/**/*.py")}
    graph = {}
    for name, path in names.items():
        tree = ast.parse(path.read_text(encoding="utf-8"))
        tests = [
            node for node in ast.walk(tree) if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
        ]
        types_alone = {id(child) for node in tests for child in ast.walk(node)}
        found = [n for n in ast.walk(tree) if isinstance(n, ast.ImportFrom) and n.module and id(n) not in types_alone]
        wanted = {full for n in found for full in (n.module, *(f"{n.module}.{a.name}" for a in n.names))}
        graph[name] = (wanted & set(names)) - {name}
    record_property("soft.modules.count", len(graph))
    record_property("soft.modules.imports", sum(map(len, graph.values())))
    record_property("soft.modules.circle", _circle(graph))
    assert len(graph) > 100 and sum(map(len, graph.values())) > 300
    assert _circle(graph) == [] and set(_circle({"a": {"b"}, "b": {"a"}})) == {"a", "b"}


def _circle(graph: dict[str, set[str]]) -> list[str]:
    """Modules that import each other in a circle; empty where there is none."""
    try:
        graphlib.TopologicalSorter(graph).prepare()
    except graphlib.CycleError as error:
        return list(error.args[1])
    return []


def _module(path: Path, source: Path) -> str:
    return ".".join(path.relative_to(source).with_suffix("").parts).removesuffix(".__init__")


def _written(target: ast.expr) -> list[str]:
    """Parts of a scene's state, and private names of something else than self, that an assignment writes."""
    if isinstance(target, ast.Tuple):
        return [name for one in target.elts for name in _written(one)]
    text = ast.unparse(target)
    parts = text.split("[")[0].split(".")
    state = any(p in ("state", "_state") for p in parts[:-1]) or parts[-1] in ("state", "_state") and len(parts) > 1
    private = parts[0] != "self" and any(p.startswith("_") and not p.startswith("__") for p in parts[1:])
    deeper = parts[0] == "self" and any(p.startswith("_") for p in parts[2:])
    return [text] if state or private or deeper else []
