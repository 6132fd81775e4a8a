"""The page docs/own_soft_foot.md, run top to bottom: a drawing becomes a foot that is pressed, mounted and walks."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("numba")
pytest.importorskip("daqp")

from plantar.cli.app import run

PAGE = (Path(__file__).parents[1] / "docs" / "own_soft_foot.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```(python|bash)\n(.*?)```", PAGE, flags=re.DOTALL)


def test_the_page_runs(tmp_path, monkeypatch, record_property):
    monkeypatch.chdir(tmp_path)
    names: dict = {}
    for language, code in BLOCKS:
        if language == "bash":
            assert run(shlex.split(code)[1:]) == 0
        else:
            exec(compile(code, "own_soft_foot.md", "exec"), names)  # noqa: S102
    errors = names["in_mujoco"].depth / names["by_elements"].depth - 1
    record_property("soft.own_foot.error", float(np.abs(errors).max()))
    record_property("soft.own_foot.loads", names["in_mujoco"].loads.tolist())
    record_property("soft.own_foot.status", names["result"].status.name)
    record_property("soft.own_foot.force_peak", float(names["result"].metrics.force_peak))
    assert np.abs(errors).max() < 0.01
    # twice as soft a foot would stand 0.2 mm deep: it is the rubber that gives way, not the contact
    assert 0.05e-3 < names["by_elements"].depth[0] < 0.2e-3
    mesh = names["foot"].mesh_file
    assert mesh == "foot.vtu" and Path(mesh).is_file()
    assert names["result"].status.name == "WALKED" and 0.9 < names["result"].metrics.force_peak < 2
    model = names["walker"].spec.compile()
    assert sum(model.body(i).name.endswith("pad1") for i in range(model.nbody)) == 2
