"""What a command finds around it: variables, streams that are closed, a folder that is gone, a user without a home."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import plantar

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="shells and folders of Linux")
SRC = Path(plantar.__file__).parents[1]
PLANTAR = f'"{sys.executable}" -m plantar'
MAP = ["ground", "terrain", "bars", "--out", "out", "--json"]
SURROUNDINGS = {
    "no home": {"HOME": "/dev/null", "TMPDIR": "/nonexistent", "XDG_CACHE_HOME": "", "XDG_CONFIG_HOME": "/proc/x"},
    "caches that cannot be": {"MPLCONFIGDIR": "/proc/x", "NUMBA_CACHE_DIR": "/proc/x", "XDG_CACHE_HOME": "/dev/null/x"},
    "wrong numbers": {"OMP_NUM_THREADS": "abc", "NUMBA_NUM_THREADS": "abc", "NUMBA_OPT": "evil", "COLUMNS": "0"},
    "wrong names": {"MPLBACKEND": "evil", "MUJOCO_GL": "evil", "NUMBA_THREADING_LAYER": "evil", "TERM": "evil"},
    "another language": {"LC_ALL": "C", "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0", "PYTHONOPTIMIZE": "2"},
    "strict": {"PYTHONWARNINGS": "error", "PYTHONDEVMODE": "0"},
}
"""Variables by what is wrong with them."""


def shell(text: str, folder: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """What a line of bash prints, with `variables` in its surroundings."""
    env = {**os.environ, "PYTHONPATH": str(SRC), **variables}
    return subprocess.run(
        ["bash", "-c", text], cwd=folder, env=env, capture_output=True, text=True, timeout=300, check=False
    )


@pytest.mark.parametrize("name", SURROUNDINGS)
def test_variables_change_nothing_that_a_command_says(name: str, tmp_path: Path) -> None:
    done = shell(f"{PLANTAR} {' '.join(MAP)}", tmp_path, **SURROUNDINGS[name])
    assert (done.returncode, done.stderr.replace(NO_OPENGL, "")) == (0, "")
    assert json.loads(done.stdout)["folder"] == "out"
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


NO_OPENGL = "OpenGL is not available: pictures are ray cast on the CPU; see `plantar doctor`\n"
"""A note, where there is none."""


def test_numba_says_nothing_about_its_settings(tmp_path: Path) -> None:
    pytest.importorskip("numba")
    program = f'"{sys.executable}" -W error -c "import plantar.cli, numba"'
    done = shell(program, tmp_path, NUMBA_NUM_THREADS="abc", NUMBA_OPT="evil")
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
@pytest.mark.parametrize(("args", "code"), [(["feet", "list"], 0), (["feet", "show", "none"], 2)])
def test_closed_streams(closed: str, args: list[str], code: int, tmp_path: Path) -> None:
    done = shell(f"{PLANTAR} {' '.join(args)} {closed}", tmp_path)
    assert done.returncode == code
    assert "Traceback" not in done.stderr and list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("args", ["view ball --html page.html", "ground terrain bars", "feet export ball out"])
def test_a_folder_that_is_gone(args: str, tmp_path: Path) -> None:
    pytest.importorskip("viser")
    done = shell(f"mkdir gone && cd gone && rmdir ../gone && {PLANTAR} {args}", tmp_path)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1), done.stderr
    assert "the folder you are in no longer exists" in done.stderr or "give a folder" in done.stderr
    assert list(tmp_path.iterdir()) == []
