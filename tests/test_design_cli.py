"""`plantar design` on the command line."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("optuna", reason="needs the extra design")

from plantar.cli.app import run
from plantar.design import MEASURES
from plantar.design.result import DesignResult

QUICK = ["--foot", "softfoot:fast", "--evaluations", "4", "--batch", "4", "--engine", "threads", "--workers", "1"]
VARY = ["--vary", "band.hardness=40..80", "--vary", "chains=3..5"]
WALKS = ["biped", "--vary", "contact.stiffness=3e8..3e9", "--objectives", "way", "--grounds", "flat"]


def test_design_writes_its_report_and_goes_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    ask = ["design", *VARY, "--objectives", "mass,band_stress", *QUICK, "--out", str(tmp_path / "d")]
    assert run([*ask, "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert Path(record["report"]).is_file() and record["foot"]["foot"] == "softfoot"
    assert run([*ask, "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == record
    assert run([*ask, "--seed", "1"]) == 2
    assert "was started with different settings" in capsys.readouterr().err


def test_a_search_that_finds_no_foot_has_failed(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    ask = ["--vary", "radius=0.02..0.04", "--objectives", "mass", "--limit", "mass<=-1", "--evaluations", "2"]
    options = ["--batch", "2", "--engine", "threads", "--workers", "1", "--foot", "ball", "--out", str(tmp_path / "d")]
    assert run(["design", *ask, *options]) == 1
    said = capsys.readouterr()
    assert said.err.endswith("plantar: error: no foot meets all limits: loosen them, or vary more\n")
    assert "No foot can be chosen" in said.out and (tmp_path / "d" / "report.html").is_file()


def test_a_wanted_curve_that_was_edited_is_another_search(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    """The feet that followed the old curve were given as the answer for the new one."""
    told = replace(MEASURES["curve"], value=lambda subject, **_: [0.1, -0.2])
    monkeypatch.setitem(MEASURES, "curve", told)
    monkeypatch.setattr(DesignResult, "write", lambda self, folder, **_: Path(folder) / "report.html")
    file = tmp_path / "wanted.csv"
    ask = ["design", "none", *VARY, "--objectives", f"curve:file={file}", *QUICK, "--out", str(tmp_path / "d")]
    file.write_text("load,deflection\n10,0.015\n40,0.017\n")
    assert run(ask) == 0 and run(ask) == 0
    file.write_text("load,deflection\n10,0.011\n40,0.013\n")
    assert run(ask) == 2
    assert "was started with different settings" in capsys.readouterr().err
    assert run([*ask, "--overwrite"]) == 0 and run(ask) == 0


def test_measures_are_listed(capsys: pytest.CaptureFixture[str]):
    assert run(["design", "--measures"]) == 0
    said = capsys.readouterr().out
    for name in ("held", "contact_area", "sinkage", "lift", "hold", "transport"):
        assert name in said


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--objectives", "mass"], "--vary is needed"),
        (["--vary", "band.hardness=1..", "--objectives", "mass"], "FIELD=LOW..HIGH"),
        (["--vary", "band.hardness=80..40", "--objectives", "mass"], "LOW below HIGH"),
        (["--vary", "nothing=1..2", "--objectives", "mass"], "no such field"),
        ([*VARY], "give one or more"),
        ([*VARY, "--objectives", "weight"], "is not known"),
        ([*VARY, "--objectives", "lift:angel=3"], "the options of lift are angle"),
        ([*VARY, "--objectives", "lift:angle=abc"], "a number, 0 or more"),
        ([*VARY, "--objectives", "sinkage:soil=cheese"], "does not apply to this foot"),
        ([*VARY, "--objectives", "mass", "--judge", "rough"], "judge"),
        ([*VARY, "--objectives", "held"], "give ROBOT and grounds"),
        (["--foot", "ball", "--vary", "radius=0.02..0.04", "--objectives", "lift"], "does not apply to this foot"),
        ([*VARY, "--objectives", "mass", "--limit", "mass<0.9"], "NAME<=NUMBER"),
        ([*VARY, "--objectives", "mass", "--limit", "mass<=nan"], "NAME<=NUMBER"),
        ([*VARY, "--objectives", "mass", "--grounds", "bars"], "COURSE:LEVEL"),
        ([*VARY, "--objectives", "mass", "--step", "band.hardness=-1"], "a number above 0"),
        ([*VARY, "--objectives", "mass", "--evaluations", "0"], "evaluations"),
        ([*VARY, "--objectives", "mass", "--sampler", "magic"], "sampler"),
        ([*VARY, "--objectives", "mass", "--engine", "abacus"], "engine"),
        ([*VARY, "--objectives", "mass", "--out", "/proc/nothing/here"], "/proc/nothing"),
        (["nobody", *VARY, "--objectives", "held", "--grounds", "flat"], "nobody"),
        ([*WALKS, "--steps", "0"], "steps"),
        ([*WALKS, "--push", "nan"], "push"),
        ([*WALKS, "--grounds", "bars:0.01,bars:0.010"], "each ground once"),
        ([*WALKS, "--held-out", "cobbles:0.01,flat", "--judged", "2"], "not searched on"),
        ([*WALKS, "--held-out", "cobbles:0.01"], "give judged"),
        ([*WALKS, "--screen", "lift", "--foot", "ball", "--vary", "radius=0.02..0.04"], "does not apply to this foot"),
        (["quadruped", *VARY, "--objectives", "way", "--grounds", "heel:0.01"], "part of a biped's sole"),
        ([*VARY, "--objectives", "mass", "--screen", "lift"], "no objective needs walks"),
        ([*VARY, "--objectives", "mass", "--judged", "3"], "judged"),
    ],
)
def test_what_cannot_be_used_is_one_line(
    options: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.chdir(tmp_path)
    foot = [] if "--foot" in options else ["--foot", "softfoot:fast"]
    assert run(["design", *options, *foot]) == 2
    error = capsys.readouterr().err.strip()
    assert said in error and error.count("\n") == 0
    assert list(tmp_path.rglob("*.json")) == []
