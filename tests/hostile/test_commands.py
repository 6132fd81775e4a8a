"""Every command with hostile options, files and folders: one line, the right exit code, nothing lost or left."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from .commands import BASE, NEED_MORE, cases, commands, some
from .ground import lay_out
from .runner import Outcome, run_case, run_cases

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="cases are forks that are looked at through /proc")
FEW, SEED = 90, 11
"""Cases of the seed set, and what chose them."""
FOUND = [
    ["foothold", "map", "map.npz", "--out", "out", f"--cells={'9' * 400}"],
    ["foothold", "map", "map.npz", "--out", "out", "--cells=9000000000000000000"],
    ["foothold", "choose", "--nominal", "0,0", "--out", "out", "--", "bad_complex_origin.npz"],
    ["foothold", "choose", "--nominal", "0,0", "--out", "out", "--", "bad_nan_origin.npz"],
    ["gait", "drops", "\udcff.csv"],
    ["view", "ball", "--html=fifo.html", "--overwrite"],
    ["ground", "explain", "bad_field.xml", "floor", "ball"],
    ["robots", "show", "bad_nest.xml"],
    ["soft", "mesh", "cube.stl", "out.vtu", "--size=1e-300"],
    ["robots", "show", "biped", "--ankle=\udcff"],
    ["ground", "fit", "press.csv", "--out", "out"],
    ["ground", "fit-soil", "plates.csv", "--out", "out"],
    ["ground", "curve", "--depth", "0.005", "--duration", "0.01", "--out", "out"],
    ["ground", "curve", "--depth", "0.005", "--duration", "0.01", "--out", "out", "--deepest=1e-300"],
    ["ground", "fit", "press.csv", "--out", "out", "--effective-mass=1e-300"],
    ["bench", "windlass", "--angles", "10", "--out", "out", "--stand=1e-300"],
    ["soft", "reduce", "scene.yaml", "--samples", "1", "--out", "out", "--tolerance=1e-9"],
    ["soft", "run", "scene.yaml", "--out", "out", "--duration=inf"],
    ["gait", "compare-contact", "--count", "1", "--out", "out", "--straight=1e-300"],
    ["gait", "fit-drops", "drops.csv", "--out", "out", "--mass=1e-300"],
    ["gait", "fit-drops", "drops.csv", "--out", "out", "--mass=1000"],
    ["foothold", "choose", "map.npz", "--nominal", "0,0", "--out", "out", "--cell=1e-300"],
]
"""Cases that were wrong once."""


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("hostile") / "work"
    lay_out(folder)
    return folder


def check(outcomes: list[Outcome]) -> None:
    """Fail with every case that went wrong."""
    wrong = [outcome.text() for outcome in outcomes if outcome.faults]
    assert wrong == [], f"{len(wrong)} of {len(outcomes)} cases"


def test_every_command_is_tried_with_every_option(place: Path) -> None:
    tried = {tuple(case[:2]) for case in cases(place)}
    assert {(room, verb) for room, verb, _ in commands() if verb} <= tried
    assert len(list(cases(place))) > 5000


@pytest.mark.long
def test_every_line_that_cases_are_made_of_is_a_good_one(place: Path) -> None:
    """A line that is refused for another reason would let any value pass."""
    lines = {
        (room, verb): [room, *([verb] if verb else []), *BASE.get((room, verb), []), *_out(command)]
        for room, verb, command in commands()
        if (room, verb) not in NEED_MORE
    }
    outcomes = [run_case(line, place, limit_s=60.0) for line in lines.values()]
    check(outcomes)
    assert [outcome.text() for outcome in outcomes if outcome.code == 2] == []


def _out(command: Any) -> list[str]:
    return ["--out", "out"] if any("--out" in param.opts for param in command.params) else []


def test_some_hostile_commands(place: Path) -> None:
    check(list(run_cases([*FOUND, *some(place, FEW, SEED)], place)))


@pytest.mark.long
def test_all_hostile_commands(place: Path) -> None:
    check(list(run_cases(list(cases(place)), place)))
