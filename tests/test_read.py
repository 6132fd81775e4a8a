"""Files that users give: no end, no doubt about what they mean, and one line where they cannot be used."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path

import pytest

import plantar
from plantar import _read, feet
from plantar._read import parse_json, read_csv, read_stdin, read_text, read_yaml
from plantar.errors import InvalidInput
from plantar.gait.compare_contact import read_recording
from plantar.gait.drops import read_drops
from plantar.ground.fit.press_data import read_press
from plantar.ground.soil.measured import read_soil
from plantar.soft.fit.table import read_stretches
from plantar.soft.serial.table import read_setpoints

SRC = Path(plantar.__file__).parents[1]
READERS = (read_drops, read_recording, read_press, read_soil, read_stretches, read_setpoints, feet.load)
posix = pytest.mark.skipif(os.name != "posix", reason="a device of POSIX")


@posix
@pytest.mark.parametrize("read", READERS, ids=lambda read: read.__name__)
def test_a_file_without_an_end_is_refused(read: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A link to a device says that it holds nothing, and never ends."""
    monkeypatch.setattr(_read, "LARGEST_TEXT", 1_000_000)
    (tmp_path / "zero.csv").symlink_to("/dev/zero")
    with pytest.raises(InvalidInput, match="1 MB"):
        read(tmp_path / "zero.csv")  # type: ignore[operator]


def test_standard_input_without_an_end_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_read, "LARGEST_TEXT", 1_000_000)
    monkeypatch.setattr(sys, "stdin", io.StringIO("x" * 1_000_001))
    with pytest.raises(ValueError, match="1 MB"):
        read_stdin()


@posix
@pytest.mark.parametrize(
    ("tail", "environment", "code"), [("<&-", {}, 2), ("< /dev/urandom", {}, 2), ("", {"MPLBACKEND": "evil"}, 0)]
)
def test_streams_and_variables_that_are_no_use(tail: str, environment: dict[str, str], code: int) -> None:
    args = "feet show -" if tail else "ground terrain --help"
    command = ["bash", "-c", f'"{sys.executable}" -m plantar {args} {tail}']
    env = {**os.environ, "PYTHONPATH": str(SRC), **environment}
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == code and done.stderr.count("\n") == (code != 0), done.stderr


def test_a_second_document_is_not_left_out_in_silence(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("dt: 0.1\n---\ndt: 0.2\n")
    with pytest.raises(ValueError, match="more than one document"):
        read_yaml(tmp_path / "a.yaml")
    assert read_yaml(tmp_path / "a.yaml", several=True) == {"dt": 0.1}
    (tmp_path / "b.yaml").write_text("---\ndt: 0.1\n---\n")
    assert read_yaml(tmp_path / "b.yaml") == {"dt": 0.1}


def test_bytes_that_no_text_has_are_not_yaml(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("a: \x03")
    with pytest.raises(ValueError, match="it is not YAML: unacceptable character"):
        read_yaml(tmp_path / "a.yaml")


def test_names_that_stand_twice_are_refused(tmp_path: Path) -> None:
    """Which one is meant would be a guess."""
    with pytest.raises(ValueError, match="'mass' twice"):
        parse_json('{"foot": {"mass": 1, "mass": 2}}')
    (tmp_path / "a.yaml").write_text("dt: 0.1\nbodies: []\ndt: 0.2\n")
    with pytest.raises(ValueError, match="'dt' twice"):
        read_yaml(tmp_path / "a.yaml")
    (tmp_path / "a.csv").write_text("time,height,height\n0,1,2\n")
    with pytest.raises(InvalidInput, match="'height' twice"):
        read_drops(tmp_path / "a.csv")


def test_rows_of_a_table(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(b'\xef\xbb\xbf# by hand\r\ntime,"a,b"\r\n0,1\r\n\r\n# more\r\n2, 3 \r\n')
    assert read_csv(path, "give a CSV file") == [{"time": "0", "a,b": "1"}, {"time": "2", "a,b": "3"}]
    for wrong in (b"a,b\n1\n", b"a,b\n1,2,3\n", b"", b"\xff\xfe\0a", b'a\n"' + b"x" * 200_000):
        path.write_bytes(wrong)
        with pytest.raises(InvalidInput, match=r"file '.*a\.csv' cannot be read .*: give a CSV file"):
            read_csv(path, "give a CSV file")


def test_line_ends_of_windows_are_lines(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"a\r\nb\r\n")
    assert read_text(tmp_path / "a.txt") == "a\nb\n"
