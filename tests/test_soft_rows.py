"""Rows of the page on soft robots: a recorded figure that gets worse takes the verdict with it."""

from __future__ import annotations

import copy
import importlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[1]


def worse(name: str, change: Callable[[Any], Any]) -> tuple[str, Callable[[Any], Any]]:
    return f"soft.{name}", change


def slow(size: dict[str, Any]) -> dict[str, Any]:
    """The same figures with settled steps that take 2 s."""
    return {**size, "rows": [{**row, "worst_s": 2.0} for row in size["rows"]]}


ENDED = "rest_arrives_slowly_sigterm"
CASES = {
    "a state of SOFA is missed": ("soft_bodies", "bodies", 0, worse("sofa.beams", lambda x: [*x[:-1], 0.002])),
    "a bar is not stretched as it must be": (
        "soft_bodies",
        "bodies",
        2,
        worse("bars.pulled", lambda x: {**x, "exact": 1.01 * x["exact"]}),
    ),
    "multigrid is off": ("soft_bodies", "bodies", 5, worse("multigrid.bonds", lambda x: 1e-3)),
    "settled steps are slow": ("soft_bodies_speed", "speed", 1, worse("size.friction_0", slow)),
    "one solver is faster": (
        "soft_bodies_speed",
        "speed",
        3,
        worse("size.solvers", lambda x: [{**row, "pcg_diagonal_s": 1e-3} for row in x]),
    ),
    "the press curve is off": ("soft_feet", "feet", 0, worse("foot.card", lambda x: {**x, "error_percent": 6.0})),
    "a bad ground is trusted": ("soft_feet", "feet", 1, worse("card.rod_trusted", lambda x: True)),
    "a stream does not rest": ("soft_feet", "robots", 1, worse(f"serial.{ENDED}", lambda x: [False, 1.0])),
}


@pytest.mark.parametrize("case", CASES)
def test_a_worse_figure_changes_the_verdict(case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    module, function, number, (name, change) = CASES[case]
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    figures = importlib.import_module("validation.figures")
    made = getattr(importlib.import_module(f"validation.{module}"), function)
    assert made().rows[number].verdict != "not confirmed"
    kept = copy.deepcopy(figures.read("soft"))
    kept[name] = replace(kept[name], value=change(kept[name].value))
    monkeypatch.setattr(figures, "read", lambda room: kept)
    if module == "soft_feet":
        monkeypatch.setattr(importlib.import_module("validation.soft_feet"), "read", lambda room: kept)
    assert made().rows[number].verdict == "not confirmed"
