"""Every command with hostile options, files and folders: one line, the right exit code, nothing lost or left."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from .commands import cases, commands, some
from .ground import lay_out
from .runner import Outcome, run_cases

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="cases are forks that are looked at through /proc")
FEW, SEED = 90, 11
"""Cases of the seed set, and what chose them."""
FOUND = [
    ["foothold", "map", "map.npz", "--out", "out", f"--cells={'9' * 400}"],
    ["foothold", "map", "map.npz", "--out", "out", "--cells=9000000000000000000"],
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


def test_some_hostile_commands(place: Path) -> None:
    check(list(run_cases([*FOUND, *some(place, FEW, SEED)], place)))


@pytest.mark.long
def test_all_hostile_commands(place: Path) -> None:
    check(list(run_cases(list(cases(place)), place)))
