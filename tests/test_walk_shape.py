"""The shape of the one engine: files that fit on a desk, imports without circles, and footholds that know no engine."""

from __future__ import annotations

import ast
import graphlib
from pathlib import Path

import plantar

ROOT = Path(plantar.__file__).parent
LONGEST = 250


def _imports(path: Path) -> set[str]:
    """Modules of Plantar that a file imports when it is loaded, without those for type checkers alone."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    asides = [n for n in ast.walk(tree) if isinstance(n, ast.If) and "TYPE_CHECKING" in ast.unparse(n.test)]
    skipped = {id(node) for aside in asides for node in ast.walk(aside)}
    found = [n for n in ast.walk(tree) if isinstance(n, ast.ImportFrom) and id(n) not in skipped]
    return {f"{n.module}.{a.name}" for n in found for a in n.names if str(n.module).startswith("plantar")}


def _modules(room: str) -> dict[str, Path]:
    files = sorted((ROOT / room).rglob("*.py"))
    names = [".".join(("plantar", *f.relative_to(ROOT).with_suffix("").parts)).removesuffix(".__init__") for f in files]
    return dict(zip(names, files, strict=True))


def test_no_file_of_the_engine_is_long():
    lengths = {path.name: len(path.read_text(encoding="utf-8").splitlines()) for path in _modules("walk").values()}
    assert {name: lines for name, lines in lengths.items() if lines > LONGEST} == {}


def test_no_modules_of_the_engine_import_each_other_in_a_circle():
    modules = _modules("walk")
    graph: dict[str, set[str]] = {}
    for name, path in modules.items():
        targets = {t if t in modules else t.rpartition(".")[0] for t in _imports(path)}
        graph[name] = {t for t in targets if t in modules and t != name}
    assert len(list(graphlib.TopologicalSorter(graph).static_order())) == len(modules)  # it raises CycleError


def test_what_a_robot_is_knows_nothing_of_plans_control_and_scenes():
    found = {target for path in _modules("walk/robot").values() for target in _imports(path)}
    assert {t for t in found if t.startswith("plantar.walk.") and not t.startswith("plantar.walk.robot.")} == set()


def test_footholds_are_registered_with_the_engine_and_know_none_of_it():
    found = {target for path in _modules("foothold").values() for target in _imports(path)}
    allowed = ("plantar.walk.footholds.", "plantar.walk.robot.legs.")
    assert {t for t in found if t.startswith("plantar.walk") and not t.startswith(allowed)} == set()
    walking = {target for path in _modules("walk").values() for target in _imports(path)}
    assert not any(t.startswith("plantar.foothold") for t in walking)
