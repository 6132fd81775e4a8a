"""Folders of results: opened in one place, kept from other processes, and nothing that is there is lost."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import plantar
from plantar._folders import check_name, claim_numbered, file_name, filling, holding, open_output, read_path
from plantar.cli import app as cli
from plantar.cli.common import results_folder
from plantar.errors import InvalidInput

SRC = Path(plantar.__file__).parents[1]
OPEN = """
import sys
from plantar._folders import open_output
from plantar.errors import InvalidInput
try:
    open_output(sys.argv[1], overwrite=True)
except InvalidInput as error:
    print(error)
"""


def opened_elsewhere(folder: Path) -> str:
    """What another process is told that opens `folder`; empty if it may."""
    command, env = [sys.executable, "-c", OPEN, str(folder)], {**os.environ, "PYTHONPATH": str(SRC)}
    return subprocess.run(command, env=env, capture_output=True, text=True, check=True).stdout


def test_a_folder_that_is_held_is_closed_to_other_processes_until_it_is_let_go(tmp_path: Path) -> None:
    with holding():
        folder = open_output(tmp_path / "a")
        assert open_output(folder) == folder, "the same process may open it again"
        assert "in use by another run" in opened_elsewhere(folder)
    assert opened_elsewhere(folder) == ""


def test_one_who_only_looked_holds_nothing(tmp_path: Path) -> None:
    folder = open_output(tmp_path / "a")
    assert opened_elsewhere(folder) == ""


def test_numbered_folders_are_never_shared(tmp_path: Path) -> None:
    found = [claim_numbered(tmp_path / "runs" / "press") for _ in range(3)]
    assert [path.name for path in found] == ["press", "press-2", "press-3"]


@pytest.mark.parametrize("text", ["", "  ", "a\0b", "~nobody-of-that-name/x"])
def test_what_is_no_path_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput, match="is not allowed"):
        read_path(text)


def test_a_tilde_is_the_home_folder_even_after_an_equals_sign(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    assert cli.run(["feet", "export", "ball", "~/ball"]) == 0
    assert (tmp_path / "ball" / "ball.xml").exists()
    assert cli.run(["ground", "curve", "--out=~/curve"]) == 0
    assert (tmp_path / "curve").is_dir()
    assert not (tmp_path / "~").exists()


@pytest.mark.parametrize("below", ["", "deeper"])
def test_a_link_to_nowhere_is_refused(tmp_path: Path, below: str) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "gone")
    with pytest.raises(InvalidInput, match="link to nowhere"):
        open_output(tmp_path / "link" / below)


def test_a_name_that_is_too_long_is_refused_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="cannot be written"):
        open_output(tmp_path / "new" / ("x" * 300))
    assert list(tmp_path.iterdir()) == [], "the parent that was made is gone again"


BAD_NAMES = ["../../evil", "/etc/evil", "a/b", "a\\b", "..", ".", "", " ", ".hidden", "-x", "~x", "a\nb", "a\0"]
BAD_NAMES += ["x" * 300, "nul", "COM1.txt", "a:b", "a*", "end.", 7, None]


@pytest.mark.parametrize("name", BAD_NAMES)
def test_names_that_lead_elsewhere_are_refused(name: object) -> None:
    with pytest.raises(InvalidInput, match="body.name = .* is not allowed") as caught:
        check_name("body.name", name)
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize("name", ["finger", "left finger", "Füße-2", "v1.2", "足"])
def test_names_of_all_tongues_are_allowed(name: str) -> None:
    check_name("name", name)
    assert file_name(name) == name


@pytest.mark.parametrize("text", [name for name in BAD_NAMES if isinstance(name, str)])
def test_a_file_name_made_from_any_text_is_allowed(text: str) -> None:
    check_name("name", file_name(text))


def test_work_that_goes_on_opens_its_own_folder_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    first = results_folder(None, "study", False, {"seed": 1})
    (first / "rows.csv").write_text("done")
    assert results_folder(None, "study", False, {"seed": 1}) == first
    assert results_folder(None, "study", False, {"seed": 2}).name == "study-2"
    assert results_folder(None, "study", False, {"seed": 2}).name == "study-2"
    assert results_folder(first, "study", False, {"seed": 1}) == first
    with pytest.raises(InvalidInput, match="started with different settings"):
        results_folder(first, "study", False, {"seed": 2})
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "report.html").write_text("mine")
    with pytest.raises(InvalidInput, match="already holds files"):
        results_folder(tmp_path / "mine", "study", False, {"seed": 1})
    assert [f.name for f in (tmp_path / "mine").iterdir()] == ["report.html"]


def test_work_that_begins_anew_with_other_settings_leaves_no_sweep_that_refuses_them(tmp_path: Path) -> None:
    """--overwrite put its settings in the place of the old ones, and then neither could go on."""
    for file in (
        "sweep/a/sweep.sqlite",
        "sweep/a/sweep.json",
        "sweep/a/table.csv",
        "sweep/mine.csv",
        "else/sweep.sqlite",
    ):
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).write_text("old")
    results_folder(tmp_path, "study", True, {"seed": 1}, "sweep")
    left = {str(file.relative_to(tmp_path)) for file in tmp_path.rglob("*") if file.is_file()}
    assert left == {"settings.json", "sweep/mine.csv", "else/sweep.sqlite"}
    (tmp_path / "sweep/a/sweep.sqlite").write_text("begun")
    results_folder(tmp_path, "study", True, {"seed": 1}, "sweep")
    assert (tmp_path / "sweep/a/sweep.sqlite").exists(), "the same settings go on"


def test_filling_keeps_others_out_and_replaces_links_not_what_they_point_to(tmp_path: Path) -> None:
    (tmp_path / "treasure").write_text("mine")
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "LICENSE").symlink_to(tmp_path / "treasure")
    with filling(tmp_path / "a", overwrite=True) as scratch:
        (scratch / "LICENSE").write_text("new")
        assert "in use" in opened_elsewhere(tmp_path / "a")
    assert (tmp_path / "a" / "LICENSE").read_text() == "new"
    assert (tmp_path / "treasure").read_text() == "mine"


def test_drops_replace_no_file_but_their_own(tmp_path: Path) -> None:
    for name in ("d.parquet", "D.csv"):
        (tmp_path / name).write_text("mine")
    assert cli.run(["gait", "drops", str(tmp_path / "d.csv")]) == 0
    assert cli.run(["gait", "drops", str(tmp_path / "D.CSV")]) == 0
    assert {(tmp_path / name).read_text() for name in ("d.parquet", "D.csv")} == {"mine"}
    assert cli.run(["gait", "drops", str(tmp_path / "D.CSV")]) == 2


def test_a_gait_sweep_begun_anew_deletes_only_its_own_gaits(tmp_path: Path) -> None:
    from plantar.cli.gait.output import sweep_folder

    mine = [tmp_path / "gaits" / "notes.txt", tmp_path / "gaits" / "walk_0.3.npz"]
    own = tmp_path / "gaits" / "walk_0.4.npz"
    own.parent.mkdir()
    for file in [*mine, own]:
        file.write_text("mine")
    sweep_folder(tmp_path, {"starts": ["walk"], "speeds": [0.4]}, overwrite=True)
    assert [file.exists() for file in [*mine, own]] == [True, True, False]


def test_a_folder_that_cannot_be_used_is_refused_before_the_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Not after minutes of it, whose results would be lost."""
    worked: list[object] = []
    monkeypatch.setattr("plantar.cli.ground.fit_soil.read_soil", worked.append)
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine").write_text("mine")
    (tmp_path / "file").write_text("mine")
    for bad in ("full", "file", "file/below", "x" * 300):
        assert cli.run(["ground", "fit-soil", "data.csv", "--out", str(tmp_path / bad)]) == 2
        assert capsys.readouterr().err.startswith("plantar: error: output folder ")
    assert worked == []
    assert {p.name for p in tmp_path.iterdir()} == {"full", "file"}


def test_a_folder_is_kept_from_others_while_the_work_is_done(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []

    def work(path: object) -> None:
        told.append(opened_elsewhere(tmp_path / "out"))
        raise InvalidInput("no")

    monkeypatch.setattr("plantar.cli.ground.fit_soil.read_soil", work)
    assert cli.run(["ground", "fit-soil", "data.csv", "--out", str(tmp_path / "out")]) == 2
    assert "is in use by another run" in told[0]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL there")
def test_what_a_killed_process_had_begun_to_fill_goes_with_the_next(tmp_path: Path) -> None:
    program = f"""
import os, signal
from plantar._folders import filling
with filling({str(tmp_path / "out")!r}) as scratch:
    (scratch / "half.txt").write_text("half")
    os.kill(os.getpid(), signal.SIGKILL)
"""
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == -9
    assert list((tmp_path / "out").iterdir()) != []
    with filling(tmp_path / "out") as scratch, filling(tmp_path / "out") as inner:
        (scratch / "whole.txt").write_text("whole")
        (inner / "other.txt").write_text("other")
    assert sorted(file.name for file in (tmp_path / "out").iterdir()) == ["other.txt", "whole.txt"]


@pytest.mark.parametrize("name", ["x" * 300, "x" * 300 + "/x"])
@pytest.mark.parametrize(
    "line",
    [["feet", "export", "ball", "{}"], ["bench", "template", "{}.csv"], ["view", "{}"], ["robots", "show", "{}"]],
)
def test_a_place_that_cannot_be_looked_at_is_bad_input(
    line: list[str], name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """As a folder of somebody else cannot, which root never sees; a name that is too long fails in the same way."""
    monkeypatch.chdir(tmp_path)
    assert cli.run([part.format(name) for part in line]) == 2
    assert capsys.readouterr().err.startswith("plantar: error: ")
    assert list(tmp_path.iterdir()) == []
