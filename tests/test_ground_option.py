"""`--ground FILE` of other commands."""

from __future__ import annotations

import json

import pytest

from plantar.cli.app import run
from plantar.cli.bench.options import make_rig
from plantar.errors import InvalidInput
from plantar.ground import Ground, YieldingGround

SOFT = Ground(solref=(0.01, 1.2), solimp=(0.9, 0.95, 0.002, 0.5, 2.0), friction=(0.1, 0.005, 0.0001))


def test_a_ground_gives_the_rig_its_contact(tmp_path):
    rig = make_rig(["tilt=0.03"], SOFT.save(tmp_path / "soft.json"))
    assert (rig.ground, rig.friction) == (SOFT, 0.1)
    assert rig.tilt == 0.03


def test_a_press_on_softer_ground_is_another_press(tmp_path, capsys):
    few = ["--loads", "12", "--heights", "0.007", "--positions", "3", "--duration", "5", "--json"]
    file = SOFT.save(tmp_path / "soft.json")
    records = []
    for i, more in enumerate(([], ["--ground", str(file)])):
        assert run(["bench", "press", *few, *more, "--out", str(tmp_path / f"out{i}")]) == 0
        capsys.readouterr()
        records.append(json.loads((tmp_path / f"out{i}" / "config.json").read_text()))
    assert records[0]["rig"]["ground"] is None
    assert records[1]["rig"]["ground"]["solref"] == list(SOFT.solref)


def test_a_yielding_ground_or_no_ground_is_refused(tmp_path):
    with pytest.raises(InvalidInput, match="a bench cannot yield"):
        make_rig(None, YieldingGround().save(tmp_path / "sand.json"))
    with pytest.raises(InvalidInput, match="cannot be read"):
        make_rig(None, tmp_path / "missing.json")
