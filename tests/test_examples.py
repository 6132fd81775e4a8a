"""Every script of the course is run by a test, and those that no room's own tests run are run here."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
TESTS = {path.name: path.read_text(encoding="utf-8") for path in (ROOT / "tests").glob("test_*.py")}


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_is_run_by_a_test(path: Path) -> None:
    runs = [name for name, text in TESTS.items() if name != "test_docs.py" and path.stem in text]
    assert runs, f"no test runs {path.name}"


def test_a_solid_foot_condensed_is_near_its_finite_elements() -> None:
    pytest.importorskip("numba", reason="the extra soft is not installed")
    main = runpy.run_path(str(ROOT / "examples" / "13_solid_foot.py"))["main"]
    assert main(loads=(100.0, 300.0), cell=0.02) < 0.05


def test_a_search_for_a_foot_goes_on_where_it_stopped(tmp_path: Path) -> None:
    pytest.importorskip("optuna", reason="the extra design is not installed")
    main = runpy.run_path(str(ROOT / "examples" / "17_design.py"))["main"]
    first = main(tmp_path / "design", evaluations=8)
    assert (tmp_path / "design" / "report" / "report.html").is_file() and len(first.front) > 0
    again = main(tmp_path / "design", evaluations=8)
    assert again.text() == first.text()
