"""Tables in other units than they should be: they are refused with a question, not fitted."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from plantar.cli import app as cli
from plantar.gait.drops import DropRig, synthetic_drops

pytest.importorskip("casadi")


def scaled(path: Path, factors: dict[str, float]) -> Path:
    """Recorded drops with columns in another unit."""
    rows = [dict(row) for row in synthetic_drops(rig=DropRig(heights=(0.02,)), seed=0)]
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows({name: value * factors.get(name, 1.0) for name, value in row.items()} for row in rows)
    return path


@pytest.mark.parametrize(
    ("column", "factor"), [("time", 1e6), ("height", 1e3), ("height", 1e200), ("acceleration", 1e3), ("time", 1e200)]
)
def test_drops_in_other_units_are_refused(
    column: str, factor: float, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = scaled(tmp_path / "drops.csv", {column: factor})
    assert cli.run(["gait", "fit-drops", str(file), "--mass", "0.5", "--out", str(tmp_path / "out")]) == 2
    assert f"{column} goes to" in capsys.readouterr().err


def test_depths_of_nothing_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "press.csv"
    file.write_text("depth,force\n" + "".join(f"{k * 1e-300},{k * 1e-300}\n" for k in range(40)))
    assert cli.run(["ground", "fit", str(file), "--out", str(tmp_path / "out")]) == 2
    assert "give metres" in capsys.readouterr().err
