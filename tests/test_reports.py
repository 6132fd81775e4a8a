"""Reports and figures of commands: what every one that measures leaves for people."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from plantar._rows import readable, table_text
from plantar.cli import app as cli
from plantar.cli import common, lazy
from plantar.cli.app import run
from plantar.errors import InvalidInput
from plantar.show.report import Section, in_words, write_report
from plantar.sweep import grid, load
from plantar.sweep import run as sweep_run

MOVES = {
    "bench": {"press", "windlass"},
    "ground": {"tracks", "terrain"},
    "walk": {"trial"},
    "gait": {"solve"},
    "soft": {"run", "robot"},
    "foothold": {"map", "choose"},
    "learn": {"play"},
}
"""Commands whose result moves or has a shape."""


def options(room: str, verb: str) -> set[str]:
    command: Any = lazy.build(room, cli.ROOMS[room][0])
    return {name for option in command.get_command(None, verb).params for name in option.opts}


def test_results_that_move_can_be_sent_as_a_page_or_a_film():
    for room, verbs in MOVES.items():
        for verb in verbs:
            wanted = {"--html"} if room == "soft" else {"--html", "--video"}  # bodies that deform have pages only
            assert wanted <= options(room, verb), (room, verb)


def test_figures_come_in_the_format_that_is_asked_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    for kind, head in (("svg", b"<?xml"), ("pdf", b"%PDF")):
        out = tmp_path / kind
        words = [
            "ground",
            "curve",
            "--depth",
            "0.002",
            "--timestep",
            "1e-3",
            "--figure-format",
            kind,
            "--out",
            str(out),
        ]
        assert run([*words, "--json"]) == 0
        assert (out / f"curve.{kind}").read_bytes().startswith(head)
        assert (out / "curve.png").is_file(), "the report shows it"
    report = Path(json.loads(capsys.readouterr().out.splitlines()[-1])["report"]).read_text(encoding="utf-8")
    first = report.split("<p>")[1]
    assert all(word in first for word in ("Question:", "Result:", "Confidence:", "sinks 2 mm at rest"))
    assert run([*words[:-4], "--figure-format", "gif", "--out", str(tmp_path / "gif")]) == 2


def test_a_report_has_links_that_are_links_and_plays_its_first_film(tmp_path: Path):
    films = [tmp_path / "watch.html", tmp_path / "other.html"]
    section = Section(title="Watch <it>", text="See [the table](table.csv).", film=films, table=[{"tilt": 0.1}])
    page = write_report(tmp_path, "A run", [section], summary=in_words("a?", "b.", "c.")).read_text(encoding="utf-8")
    assert "<a href='table.csv'>the table</a>" in page
    assert page.count("<iframe") == 1 and "<iframe src='watch.html' title='Watch &lt;it&gt;'" in page
    assert "<a href='other.html'>other.html</a>" in page


def test_tables_for_people_have_units_degrees_and_millimetres():
    rows = [{"angle": 0.5, "height": 0.012, "force_heel": -0.0}, {"angle": 3e-12, "height": 0, "force_heel": 2.5}]
    lines = table_text(rows, units={"angle": "rad", "height": "m", "force_*": "N"}).splitlines()
    assert lines[0].split("  ") == ["angle [deg]", "height [mm]", "force_heel [N]"]
    assert lines[2].split() == ["28.65", "12", "0"] and lines[3].split() == ["0", "0", "2.5"]


def test_colours_only_where_there_is_a_terminal(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    text = f"{table_text([{'load': 1.0}])}\n\nreport: runs/x/report.html"
    common.emit({}, as_json=False, text=text)
    assert capsys.readouterr().out == f"{text}\n"
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    common.emit({}, as_json=False, text=text)
    assert capsys.readouterr().out.startswith("\x1b[1mload\x1b[0m\n----\n")
    monkeypatch.setenv("NO_COLOR", "1")
    common.emit({}, as_json=False, text=text)
    assert "\x1b" not in capsys.readouterr().out


def test_a_shell_completes_rooms_and_verbs():
    words = {"plantar be": "bench", "plantar gait so": "solve"}
    for text, wanted in words.items():
        env = {**os.environ, "_PLANTAR_COMPLETE": "complete_bash", "COMP_WORDS": text}
        env["COMP_CWORD"] = str(len(text.split()) - 1)
        call = [sys.executable, "-c", "from plantar.cli.app import run; run()"]
        done = subprocess.run(call, env=env, capture_output=True, text=True, check=False)
        assert wanted in done.stdout.split(), (text, done.stdout, done.stderr)


def square(config: dict[str, float], seed: int) -> dict[str, float]:
    return {"square": config["x"] ** 2}


def test_a_sweep_begins_anew_where_it_may_overwrite(tmp_path: Path):
    out = tmp_path / "sweep"
    sweep_run(square, grid({"x": [1.0, 2.0]}), out=out)
    (out / "notes.txt").write_text("mine")
    with pytest.raises(InvalidInput, match="sweep"):
        sweep_run(square, grid({"x": [3.0]}), out=out)
    sweep_run(square, grid({"x": [3.0]}), out=out, overwrite=True)
    assert [row["square"] for row in load(out)] == [9.0]
    assert (out / "notes.txt").read_text() == "mine"


def test_figures_of_a_trial_are_read_in_millimetres_and_degrees_and_unknown_ones_left_out():
    rows = [
        {"figure": "excursion", "value": 0.0157, "unit": "m"},
        {"figure": "tilt", "value": math.pi / 6, "unit": "rad"},
        {"figure": "moved", "value": math.nan, "unit": "m"},
        {"figure": "steps", "value": 8, "unit": ""},
    ]
    read = [(row["figure"], pytest.approx(row["value"]), row["unit"]) for row in readable(rows)]
    assert read == [("excursion", 15.7, "mm"), ("tilt", 30.0, "deg"), ("steps", 8, "")]


def test_columns_in_which_nothing_is_known_are_left_out_and_shares_are_percent():
    rows = [{"law": "a", "error": 0.062, "told": math.nan}, {"law": "b", "error": 0.5, "told": None}]
    head, _, first, _ = table_text(rows, units={"error": "share"}).splitlines()
    assert head.split() == ["law", "error", "[%]"] and first.split() == ["a", "6.2"]


def test_a_column_in_which_nothing_is_known_is_left_out(tmp_path: Path) -> None:
    section = Section(title="Trials", table=[{"load": 1.0, "error": None}, {"load": 2.0, "error": ""}])
    page = write_report(tmp_path, "A run", [section]).read_text(encoding="utf-8")
    assert ">load</th>" in page and ">error</th>" not in page and "<td></td>" not in page
