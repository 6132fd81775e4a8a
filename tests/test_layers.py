"""Rooms import downwards only, keep their private names to themselves, and import at the top of their files."""

from __future__ import annotations

import ast
import functools
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import plantar

SOURCE = Path(plantar.__file__).parent

ORDER = (
    "cli",
    "design",
    "learn",
    "foothold",
    "walk",
    "gait",
    "bench",
    "identify",
    "robots",
    "soft",
    "feet",
    "ground",
    "show",
    "sweep",
    "model",
)
"""The rooms, highest first; what is in no room (errors, checks, files, progress) may be used by all."""

UPWARDS: dict[tuple[str, str], str] = {
    ("plantar.feet", "soft"): "feet.SolidFoot is defined in soft, which is loaded when it is asked for",
}
"""Modules that import a room above their own, with the reason; one that no longer does fails the test."""

PRIVATE: set[tuple[str, str]] = set()
"""Private modules and names of a room that another room imports; one that no longer is fails the test."""

INSIDE = {
    "cli": (53, "the bench's commands, which are not split into verbs yet; PyTorch"),
    "soft": (22, "extras (meshio, pyserial, YAML, sparse solvers), the solid foot's finite elements, one cycle"),
    "foothold": (17, "extras (ONNX Runtime, Numba, DAQP, GPU), pictures, cycles between data and files"),
    "walk": (12, "extras (DAQP), pictures, statistics, one cycle"),
    "sweep": (8, "extras (pyarrow, GPU, Ray)"),
    "ground": (11, "extras (Numba, YAML, cmaes), SciPy where it is slow to load, cycles of maps and tracks"),
    "robots": (4, "pictures are optional; a robot exports itself"),
    "bench": (7, "extras (mujoco.sysid), pictures, MuJoCo Menagerie, SciPy where it is slow to load"),
    "gait": (3, "extras (CasADi, Numba)"),
    "learn": (5, "extras (ONNX Runtime), mjlab's registry, which loads this room while it is loaded itself"),
    "show": (2, "extras (viser, ffmpeg)"),
    "feet": (3, "pictures are optional; a foot exports itself; the solid foot of another room"),
    "design": (2, "extras (optuna), the report, which draws"),
}
"""Statements that import inside functions of each room, at most, and why there are any."""


@dataclass(frozen=True)
class Import:
    """One imported name."""

    module: str
    """Module that imports, as in `plantar.walk.study`."""
    target: str
    """What is imported, as in `plantar.feet.registry.get`."""
    line: int
    """Line of the statement."""
    inside: bool
    """Whether it stands in a function."""

    @property
    def room(self) -> str:
        """Room that imports."""
        return room_of(self.module)


def room_of(name: str) -> str:
    """The room of a dotted name; empty if it is in none."""
    parts = name.split(".")
    return parts[1] if len(parts) > 1 and parts[0] == "plantar" and parts[1] in ORDER else ""


@functools.cache
def imports(source: Path = SOURCE) -> list[Import]:
    """Every import of the package; those for types alone are left out, as they never run."""
    found = []
    for path in sorted(source.rglob("*.py")):
        parts = path.relative_to(source.parent).with_suffix("").parts
        module = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        found += _walk(ast.parse(path.read_text(encoding="utf-8")), module, inside=False)
    return found


def _walk(node: ast.AST, module: str, inside: bool) -> Iterator[Import]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test):
            continue
        yield from (Import(module, target, child.lineno, inside) for target in _targets(child, module))  # type: ignore[attr-defined]
        yield from _walk(child, module, inside or isinstance(child, ast.FunctionDef | ast.Lambda))


def _targets(node: ast.AST, module: str) -> list[str]:
    """What a statement imports; `importlib.import_module("name")` counts."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        assert node.level == 0, f"{module}: imports are absolute"
        return [f"{node.module}.{alias.name}" for alias in node.names]
    if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("import_module"):
        return [arg.value for arg in node.args if isinstance(arg, ast.Constant)]  # type: ignore[misc]
    return []


def upwards(found: list[Import]) -> set[tuple[str, str]]:
    """Modules and the rooms above their own that they import."""
    return {
        (one.module, room_of(one.target))
        for one in found
        if room_of(one.target) and one.room and ORDER.index(room_of(one.target)) < ORDER.index(one.room)
    }


def private(found: list[Import]) -> list[Import]:
    """Imports of what is private to another room."""
    return [
        one
        for one in found
        if room_of(one.target) not in ("", one.room)
        and any(part.startswith("_") and not part.startswith("__") for part in one.target.split(".")[2:])
    ]


def test_rooms_import_downwards_only():
    assert {edge for edge in upwards(imports()) if edge not in UPWARDS} == set()


def test_every_exception_is_still_needed():
    assert set(UPWARDS) - upwards(imports()) == set(), "take these off the list"


def test_a_room_below_all_others_imports_none():
    loose = {one.module for one in imports() if not one.room and room_of(one.target) and not one.inside}
    assert loose <= {"plantar.__main__"}, "what stands in no room is for all rooms and knows none"


def test_private_names_stay_in_their_room():
    found = {(one.module, one.target) for one in private(imports())}
    assert found - PRIVATE == set(), "make public what other rooms need"
    assert PRIVATE - found == set(), "take these off the list"


def test_imports_stand_at_the_top():
    statements = {(one.room, one.module, one.line) for one in imports() if one.inside and one.room}
    count = Counter(room for room, _, _ in statements)
    assert {room: number for room, number in count.items() if number > INSIDE.get(room, (0, ""))[0]} == {}


def test_an_import_upwards_is_seen(tmp_path: Path):
    (tmp_path / "plantar" / "feet").mkdir(parents=True)
    text = "import plantar.show\nfrom plantar.walk._x import y\n\ndef f():\n    import_module('plantar.bench')\n"
    (tmp_path / "plantar" / "feet" / "foot.py").write_text(text)
    found = imports(tmp_path / "plantar")
    assert [(one.target, one.inside) for one in found] == [
        ("plantar.show", False),
        ("plantar.walk._x.y", False),
        ("plantar.bench", True),
    ]
    assert upwards(found) == {("plantar.feet.foot", "walk"), ("plantar.feet.foot", "bench")}
    assert [one.target for one in private(found)] == ["plantar.walk._x.y"]


def test_every_room_is_there_by_its_name_alone() -> None:
    assert {*plantar.ROOMS} == {*ORDER} - {"cli", "identify", "model"}, "identify is offered by ground"
    assert all(getattr(plantar, room).__name__ == f"plantar.{room}" for room in plantar.ROOMS)
