"""`reduce`: a fitted twin of any SoftFoot with an error card, in one call or one command."""

from __future__ import annotations

import json

import numpy as np
import pytest

import plantar
from plantar.bench.press.random_press import random_presses, run_presses
from plantar.bench.reduce import strips as _reduce_strips
from plantar.bench.reduce.fit import fit
from plantar.bench.reduce.reduce import headline, reduce
from plantar.bench.reduce.strips import choose_strips
from plantar.cli.app import run
from plantar.errors import InvalidInput
from plantar.feet import SoftFoot

SMALL = SoftFoot(chains=1)


def test_the_fit_finds_parameters_that_were_moved():
    """The twin itself, with another rod and stiffness, plays the full foot: the fit must come back to it."""
    true = SMALL.with_(fidelity="fast", fast__bend=1.15, fast__rod_offset=4e-5)
    presses = random_presses(SMALL, 12, seed=9, loads=(10, 100), heights=(0.008, 0.02))
    truth = run_presses(true, presses)
    twin, row = fit(SMALL.with_(fidelity="fast"), presses, truth)
    assert row["cost_after"] < 0.6 * row["cost_before"]
    assert twin.fast.bend == pytest.approx(1.15, abs=0.1)


def test_a_changed_foot_gets_its_twin_and_card():
    foot = SMALL.with_(modules=8, band__hardness=70.0)
    done = reduce(foot, presses=0, checks=8, seed=2, mechanism=False)
    assert done.foot.fidelity == "fast" and done.foot.modules == 8 and done.full.fidelity == "full"
    assert len(done.card) == 8 and "rotation_8_error" in done.card.columns
    facts = headline(done)
    assert np.median(np.abs(done.card.column("force_heel_error"))) < 0.02
    assert facts["presses"] == 8 and facts["settled"] >= 6


@pytest.mark.parametrize("foot", [SMALL.without_tendons(), SMALL.with_(tendon__slack=0.00196)])
def test_a_tendon_that_never_pulls_has_no_relative_error(foot, tmp_path):
    done = reduce(foot, presses=0, checks=2)
    slack = [row for row in done.mechanism if row["full"] == 0]
    assert [row["unit"] for row in slack] == ["N", "N"] and all(row["error"] is None for row in slack)
    assert "tension" in done.text() and done.write(tmp_path / "twin").is_file()


def test_counts_and_shapes_are_checked():
    with pytest.raises(InvalidInput, match="checks = 0"):
        reduce(SMALL, checks=0)
    with pytest.raises(InvalidInput, match="shapes = 'cone'"):
        reduce(SMALL, shapes=("cone",))  # type: ignore[arg-type]


def test_the_command_writes_twin_card_and_report(tmp_path, capsys):
    out = tmp_path / "twin"
    command = ["feet", "reduce", "softfoot", "--set", "chains=1", "--presses", "6", "--checks", "4"]
    assert run([*command, "--no-mechanism", "--seed", "1", "--out", str(out), "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["presses"] == 4 and "stretch" in record["fitted"]
    for name in ("softfoot_fast.json", "card.csv", "summary.csv", "errors.png", "report.html", "config.json"):
        assert (out / name).stat().st_size > 0
    twin = plantar.feet.load(out / "softfoot_fast.json")
    assert isinstance(twin, SoftFoot) and twin.fast.stretch == record["fitted"]["stretch"]
    assert run(["feet", "reduce", "flat"]) == 2
    assert "no light twin to fit" in capsys.readouterr().err


def test_stones_get_more_strips_and_beams_one(monkeypatch):
    # what is derived is good enough to choose by
    monkeypatch.setattr(_reduce_strips, "fit", lambda twin, presses, truth, threads: (twin, {}))
    foot = SoftFoot(chains=3)
    for shapes, strips in ((("sphere",), [1, 3]), (("cylinder",), [1])):
        presses = random_presses(foot, 10, seed=5, shapes=shapes, heights=(0.01, 0.02))
        truth = run_presses(foot, presses)
        found, fitted, rows = choose_strips(foot.with_(fidelity="fast"), presses, truth)
        assert [row["strips"] for row in rows] == strips
        assert found.built_chains == fitted["strips"] == strips[-1]
        assert rows[-1]["good_enough"] and rows[0]["force_mean"] >= rows[-1]["force_mean"]
