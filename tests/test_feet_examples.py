"""The examples about feet run, and their headline numbers hold."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

from plantar.feet import export

ROOT = Path(__file__).parents[1]
EXAMPLES = ROOT / "examples"


def test_build_a_foot(capsys):
    travel = runpy.run_path(str(EXAMPLES / "01_build_a_foot.py"))["main"]()
    assert travel[40.0] > travel[75.0] + 0.001, "a softer sole lets the ankle come down further"
    assert "ground force     109.19 N" in capsys.readouterr().out


def test_export(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(export, "draw", lambda foot, path: None)
    assert runpy.run_path(str(EXAMPLES / "02_export.py"))["main"](str(tmp_path / "foot"))
    assert "softfoot.xml" in capsys.readouterr().out


def test_the_page_about_feet_runs():
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "feet.md").read_text(), re.DOTALL)
    assert len(blocks) == 2
    names: dict[str, object] = {}
    for block in blocks:
        exec(block, names)
    assert names["harder"].band.hardness == 70  # type: ignore[attr-defined]
    assert names["model"].nv == 93  # type: ignore[attr-defined]
