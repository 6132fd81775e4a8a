"""Results on disk: nothing is lost, tables are exact, settings are complete."""

from __future__ import annotations

import csv
import dataclasses
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import plantar
from plantar._files import replacing, to_json, write_config, write_table, write_text
from plantar._folders import open_output
from plantar.errors import InvalidInput


def test_a_new_folder_is_made_with_its_parents(tmp_path: Path) -> None:
    folder = open_output(tmp_path / "a" / "b")
    assert folder.is_dir()
    assert open_output(folder) == folder, "an empty folder may be used again"
    assert list(folder.iterdir()) == [], "the trial file is gone"


def test_a_folder_with_files_is_refused_with_advice_and_kept(tmp_path: Path) -> None:
    (tmp_path / "table.csv").write_text("mine")
    with pytest.raises(InvalidInput, match="already holds files.*overwrite"):
        open_output(tmp_path)
    assert open_output(tmp_path, overwrite=True) == tmp_path
    assert (tmp_path / "table.csv").read_text() == "mine"


@pytest.mark.parametrize("below", ["", "deeper"])
def test_a_file_in_the_way_is_refused(tmp_path: Path, below: str) -> None:
    (tmp_path / "file").write_text("mine")
    with pytest.raises(InvalidInput, match="output folder"):
        open_output(tmp_path / "file" / below, overwrite=True)
    assert (tmp_path / "file").read_text() == "mine"


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="needs a folder that nobody can write to")
@pytest.mark.parametrize("folder", ["/proc", "/proc/plantar", "/dev/null"])
def test_an_unwritable_folder_is_refused_even_for_root(folder: str) -> None:
    with pytest.raises(InvalidInput, match="output folder") as caught:
        open_output(folder, overwrite=True)
    assert "\n" not in str(caught.value)


def test_a_read_only_folder_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def denied(**_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("tempfile.TemporaryFile", denied)
    with pytest.raises(InvalidInput, match=r"cannot be written \(Permission denied\): give a folder"):
        open_output(tmp_path)


def test_a_failed_write_leaves_the_old_file_and_no_scratch(tmp_path: Path) -> None:
    path = write_text(tmp_path / "a.txt", "old")
    with pytest.raises(RuntimeError), replacing(path) as scratch:
        scratch.write_text("half of the ne")
        raise RuntimeError
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


@given(st.lists(st.floats(allow_nan=False), min_size=1, max_size=20))
def test_csv_keeps_every_digit(tmp_path_factory: pytest.TempPathFactory, values: list[float]) -> None:
    folder = tmp_path_factory.mktemp("csv")
    path = write_table(folder, "t", [{"x": np.float64(v)} for v in values])
    with path.open(newline="") as file:
        assert [float(row["x"]) for row in csv.DictReader(file)] == values


def test_columns_are_all_keys_in_order_and_gaps_are_empty(tmp_path: Path) -> None:
    path = write_table(tmp_path, "t", [{"b": 1, "a": True}, {"b": 2.5, "c": "x,y"}])
    assert path.read_text() == 'b,a,c\n1,True,\n2.5,,"x,y"\n'


def test_parquet_has_the_same_numbers_and_the_units(tmp_path: Path) -> None:
    pq = pytest.importorskip("pyarrow.parquet")
    rows = [{"load": 12.0, "trial": 1, "settled": True}, {"load": None, "trial": 2, "settled": False}]
    write_table(tmp_path, "t", rows)
    table = pq.read_table(tmp_path / "t.parquet")
    assert table.to_pylist() == rows
    assert b"SI" in table.schema.metadata[b"units"]


def test_parquet_of_long_integers_and_floats_is_floats(tmp_path: Path) -> None:
    """A table was left without its Parquet file, with a traceback: no float is 2^60 + 1."""
    pq = pytest.importorskip("pyarrow.parquet")
    write_table(tmp_path, "t", [{"x": 2**60 + 1}, {"x": 0.5}, {"x": None}])
    assert pq.read_table(tmp_path / "t.parquet").to_pylist() == [{"x": 2.0**60}, {"x": 0.5}, {"x": None}]


def test_parquet_of_a_column_of_two_kinds_is_text(tmp_path: Path) -> None:
    pq = pytest.importorskip("pyarrow.parquet")
    write_table(tmp_path, "t", [{"x": 1}, {"x": "none"}])
    assert pq.read_table(tmp_path / "t.parquet").to_pylist() == [{"x": "1"}, {"x": "none"}]


def test_an_empty_table_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="no rows"):
        write_table(tmp_path, "t", [])
    assert list(tmp_path.iterdir()) == []


def test_config_holds_versions_seed_units_and_settings(tmp_path: Path) -> None:
    import mujoco

    @dataclasses.dataclass(frozen=True)
    class Rig:
        tilt: float = 0.1

    path = write_config(tmp_path, seed=3, rig=Rig(), loads=np.array([12.0, np.nan]), file=Path("a.csv"))
    record = json.loads(path.read_text())
    assert record["plantar"] == plantar.__version__
    assert record["mujoco"] == mujoco.__version__
    assert record["seed"] == 3
    assert record["units"].startswith("SI")
    assert (record["rig"], record["loads"], record["file"]) == ({"tilt": 0.1}, [12.0, None], "a.csv")


def test_equal_runs_write_equal_configs(tmp_path: Path) -> None:
    first = write_config(tmp_path, seed=1, x=0.1).read_bytes()
    assert write_config(tmp_path, seed=1, x=0.1).read_bytes() == first


def test_json_is_strict() -> None:
    assert to_json({"a": float("inf"), "b": np.int64(2), "c": (1, 2)}) == '{"a": null, "b": 2, "c": [1, 2]}'


@pytest.mark.skipif(os.name == "nt", reason="Windows does not tell whether a process lives")
def test_what_a_killed_process_left_behind_goes_with_the_next_one(tmp_path):
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    left, others = tmp_path / f".table.{ended.pid}.csv", [tmp_path / ".table.1.csv", tmp_path / ".table.x.csv"]
    for path in (left, *others):
        path.write_text("half")
    write_text(tmp_path / "table.csv", "whole")
    assert not left.exists() and all(path.exists() for path in others), "of a process that lives, or of nobody"
