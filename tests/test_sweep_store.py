"""The folder of a sweep under hostile conditions: one clear line each, and no row that was kept is lost."""

from __future__ import annotations

import errno
import math
import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
import sweep_functions as functions
from sweep_functions import numbered

import plantar
from plantar import sweep
from plantar.errors import InvalidInput, PlantarError
from plantar.sweep import database, export, form, store
from plantar.sweep.engines import pool

COUNT = 200
ROOT = Path(__file__).parents[1]
FILES = {".lock", "sweep.json", "sweep.sqlite", "table.csv", "table.parquet"}


def one_line(error: pytest.ExceptionInfo[PlantarError]) -> str:
    assert "\n" not in str(error.value)
    return str(error.value)


def bits(out: Path) -> list[bytes]:
    return [(out / name).read_bytes() for name in ("table.csv", "table.parquet")]


@pytest.fixture
def whole(tmp_path: Path) -> list[bytes]:
    """The table of a sweep that nothing happened to."""
    sweep.run(functions.misbehave, numbered(COUNT), out=tmp_path / "whole")
    return bits(tmp_path / "whole")


@pytest.fixture
def small_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "WRITING_SHARE", math.inf)
    monkeypatch.setattr(form, "BLOCK", 10)
    monkeypatch.setattr(pool, "LARGEST_CHUNK", 3)


def test_a_finished_sweep_leaves_one_file_and_its_tables(tmp_path: Path) -> None:
    sweep.run(functions.draw, numbered(9), out=tmp_path / "run")
    assert {path.name for path in (tmp_path / "run").iterdir()} == FILES
    # nothing beside the file is needed to read it, even where nothing can be written
    copy = tmp_path / "copy"
    copy.mkdir()
    (copy / "sweep.sqlite").write_bytes((tmp_path / "run/sweep.sqlite").read_bytes())
    assert list(sweep.load(copy)) == list(sweep.load(tmp_path / "run"))


def test_numbers_that_are_none_and_not_finite_survive_a_stop(tmp_path: Path, small_steps: None) -> None:
    def stop(_: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        sweep.run(functions.odd_cells, numbered(12), out=tmp_path / "run", workers=1, progress=stop)
    sweep.run(functions.odd_cells, numbered(12), out=tmp_path / "run")
    for i, row in enumerate(sweep.load(tmp_path / "run")):
        expected = functions.odd_cells({"i": i}, 0)
        assert {name: repr(row[name]) for name in expected} == {name: repr(cell) for name, cell in expected.items()}


@pytest.mark.parametrize("name", ["table.csv", "table.parquet"])
def test_either_table_that_is_deleted_is_written_again(tmp_path: Path, name: str) -> None:
    sweep.run(functions.draw, numbered(9), out=tmp_path / "run")
    before = bits(tmp_path / "run")
    (tmp_path / "run" / name).unlink()
    assert sweep.run(functions.draw, numbered(9), out=tmp_path / "run").ran == 0
    assert bits(tmp_path / "run") == before


def test_a_full_disk_is_one_line_and_what_was_kept_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, small_steps: None, whole: list[bytes]
) -> None:
    begin = store.begin_writing

    def fill_up(connection: sqlite3.Connection, folder: Path) -> None:
        begin(connection, folder)
        used = connection.execute("PRAGMA page_count").fetchone()[0]
        connection.execute(f"PRAGMA max_page_count = {used}")

    out = tmp_path / "run"
    with monkeypatch.context() as patch, pytest.raises(PlantarError) as error:
        patch.setattr(store, "begin_writing", fill_up)
        sweep.run(functions.misbehave, numbered(COUNT), out=out, workers=1)
    assert "disk is full" in one_line(error) and "run again" in one_line(error)
    kept = sweep.status(out)["done"]
    assert 0 < kept < COUNT
    assert sweep.run(functions.misbehave, numbered(COUNT), out=out).ran == COUNT - kept
    assert bits(out) == whole


def test_rows_that_found_no_room_are_written_once_there_is_some(tmp_path: Path, small_steps: None) -> None:
    """Names of columns are taken back with the rows that brought them, and come again with them."""
    plan = store.Plan(identity={"function": "f", "trials": 2}, fixed={}, varying=())
    kept = store.open_store(tmp_path / "run", plan)
    pages = kept._database.execute("PRAGMA page_count").fetchone()[0]
    kept._database.execute(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(PlantarError, match="full"):
        kept.add([(0, "ok", None, None, {"x": "long" * 2000}, 1, ()), (1, "ok", None, None, {"x": "s"}, 2, ())])
    kept._database.execute("PRAGMA max_page_count = 1000")
    kept.close()
    assert [row["x"] for row in sweep.load(tmp_path / "run")] == ["long" * 2000, "s"]


def test_no_room_for_the_table_is_one_line_and_the_next_run_writes_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, whole: list[bytes]
) -> None:
    def refuse(handle: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    out = tmp_path / "run"
    with monkeypatch.context() as patch, pytest.raises(PlantarError) as error:
        patch.setattr(export.os, "fsync", refuse)
        sweep.run(functions.misbehave, numbered(COUNT), out=out)
    assert "No space left" in one_line(error)
    assert {path.name for path in out.iterdir()} == FILES - {"table.csv", "table.parquet"}
    assert sweep.run(functions.misbehave, numbered(COUNT), out=out).ran == 0
    assert bits(out) == whole


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (lambda text: b"years of work, and no database\n" * 500, "not a database"),
        (lambda text: text[: len(text) // 2], "malformed"),
        (lambda text: text[:4096] + b"\x5a" * 4096 + text[8192:], "malformed"),
    ],
)
def test_a_damaged_file_is_one_line_and_left_as_it_is(tmp_path: Path, spoil, words: str) -> None:
    out = tmp_path / "run"
    sweep.run(functions.draw, numbered(400), out=out)
    path = out / "sweep.sqlite"
    path.write_bytes(spoil(path.read_bytes()))
    before = path.read_bytes()
    for look in (lambda: sweep.run(functions.draw, numbered(400), out=out), lambda: sweep.load(out)):
        with pytest.raises(InvalidInput) as error:
            look()
        assert words in one_line(error) and "sweep.sqlite is damaged" in one_line(error)
    assert path.read_bytes() == before


def test_a_database_of_something_else_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "sweep.sqlite"
    with sqlite3.connect(path) as other:
        other.execute("CREATE TABLE thesis (chapter TEXT)")
    other.close()
    before = path.read_bytes()
    for look in (lambda: sweep.run(functions.draw, numbered(4), out=tmp_path), lambda: sweep.load(tmp_path)):
        with pytest.raises(InvalidInput, match="another kind of database"):
            look()
    assert path.read_bytes() == before


def test_a_file_that_was_never_begun_is_no_sweep_and_can_be_begun(tmp_path: Path) -> None:
    (tmp_path / "sweep.sqlite").touch()
    with pytest.raises(InvalidInput, match="does not hold a sweep"):
        sweep.status(tmp_path)
    assert sweep.run(functions.draw, numbered(4), out=tmp_path).counts == {"ok": 4}


def test_a_second_process_is_refused_with_one_line(tmp_path: Path) -> None:
    out = tmp_path / "run"
    code = (
        "import sys; import sweep_functions as f; from plantar import sweep\n"
        "sweep.run(f.draw, f.numbered(9), out=sys.argv[1])\n"
    )
    paths = os.pathsep.join([str(Path(plantar.__file__).parents[1]), str(ROOT / "tests")])
    found = []

    def intrude(_: int) -> None:
        if not found:
            command = [sys.executable, "-c", code, str(out)]
            environment = {**os.environ, "PYTHONPATH": paths}
            found.append(subprocess.run(command, env=environment, capture_output=True, text=True, check=False))

    result = sweep.run(functions.draw, numbered(9), out=out, progress=intrude)
    assert found[0].returncode == 1
    assert f"InvalidInput: out = {str(out)!r} is in use by another run" in found[0].stderr.splitlines()[-1]
    assert result.counts == {"ok": 9}


@pytest.mark.parametrize("why", ["network", "no shared memory"])
def test_where_write_ahead_is_not_safe_a_plain_journal_is_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, small_steps: None, whole: list[bytes], why: str
) -> None:
    out, seen = tmp_path / "run with space", []
    if why == "network":
        mounts = tmp_path / "mounts"
        place = str(out.resolve()).replace(" ", "\\040")
        mounts.write_text(f"/dev/vda / ext4 rw 0 0\nserver:/home {place} nfs4 rw 0 0\n")
        monkeypatch.setattr(database, "MOUNTS", mounts)
    else:
        refuse_write_ahead(monkeypatch)

    def look(_: int) -> None:
        files = {path.name for path in out.iterdir()}
        seen.append((len(sweep.load(out)), "sweep.sqlite-wal" in files, "sweep.sqlite-journal" in files))
        if len(seen) == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        sweep.run(functions.misbehave, numbered(COUNT), out=out, workers=1, progress=look)
    assert [(wal, journal) for _, wal, journal in seen] == [(False, True)] * 3
    assert 0 < seen[0][0] < seen[2][0]
    sweep.run(functions.misbehave, numbered(COUNT), out=out)
    assert bits(out) == whole
    assert {path.name for path in out.iterdir()} == FILES


def refuse_write_ahead(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make SQLite behave as where no memory can be shared."""

    class Connection(sqlite3.Connection):
        def execute(self, statement: str, *args: object) -> sqlite3.Cursor:
            if statement.endswith("= WAL"):
                raise sqlite3.OperationalError("unable to open database file")
            return super().execute(statement, *args)  # type: ignore[arg-type]

    connect = sqlite3.connect
    monkeypatch.setattr(database.sqlite3, "connect", lambda *args, **more: connect(*args, factory=Connection, **more))


def test_a_folder_in_the_place_of_the_table_is_not_taken_for_it(tmp_path: Path) -> None:
    sweep.run(functions.draw, numbered(9), out=tmp_path / "s", workers=1)
    (tmp_path / "s" / "table.csv").unlink()
    (tmp_path / "s" / "table.csv").mkdir()
    with pytest.raises(PlantarError, match="cannot be written"):
        sweep.run(functions.draw, numbered(9), out=tmp_path / "s", workers=1)


def test_sweep_stands_alone() -> None:
    """Importing it loads neither MuJoCo nor any room; its files import nothing of a room."""
    code = "import sys, plantar.sweep; print([m for m in sys.modules if m.split('.')[0] in ('mujoco', 'plantar')])"
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    loaded = {name.removeprefix("plantar.").split(".")[0] for name in eval(done.stdout)}
    assert loaded & {"mujoco", *plantar.ROOMS, "cli"} == {"sweep"}
    for path in (ROOT / "src/plantar/sweep").rglob("*.py"):
        for line in path.read_text().splitlines():
            words = line.split()
            if words[:1] in (["from"], ["import"]) and words[1].startswith("plantar."):
                assert words[1].split(".")[1] not in {*plantar.ROOMS, "cli"} - {"sweep"}, (path.name, line)
