"""Faults around a command: a full disk, a folder that vanishes, a simulation that diverges, signals at any time."""

from __future__ import annotations

import json
import os
import random
import resource
import shutil
import signal
import sys
import time
from pathlib import Path

import pytest

from plantar.cli import app as cli

from .commands import BASE, commands
from .ground import lay_out
from .runner import group_members, run_case

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="cases are forks that are looked at through /proc")
QUICK = [("feet", "export"), ("robots", "mount"), ("bench", "press"), ("ground", "terrain"), ("soft", "run")]
QUICK += [("sweep", "press"), ("foothold", "data"), ("gait", "drops"), ("foothold", "map")]
LONG = {
    "gait": ["gait", "sweep", "--robot", "hopper", "--speeds", "0.2,0.3", "--out", "out"],
    "sweep": ["sweep", "press", "foot.friction=0.1,0.2,0.3,0.4,0.5", "--workers", "2", "--out", "out"],
    "processes": ["sweep", "press", "foot.friction=0.1,0.2", "--engine", "processes", "--out", "out"],
    "data": ["foothold", "data", "--grounds", "20", "--patches", "20", "--processes", "2", "--out", "out"],
    "walk": ["walk", "study", "biped", "--feet", "own", "--draws", "2", "--steps", "5", "--no-photos", "--out", "out"],
}
"""Commands that take longer than a few seconds."""


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("faults") / "work"
    lay_out(folder)
    list(commands())
    return folder


def line_of(room: str, verb: str) -> list[str]:
    """A quick command line that writes to `out`."""
    takes = next(command for r, v, command in commands() if (r, v) == (room, verb))
    out = ["--out", "out"] if any("--out" in p.opts for p in takes.params) else []
    return [room, verb, *BASE[room, verb], *out]


@pytest.mark.parametrize("size", [700, 9000])
@pytest.mark.parametrize(("room", "verb"), QUICK)
def test_a_disk_that_is_full(place: Path, room: str, verb: str, size: int) -> None:
    """No file may grow beyond `size`, which is what a quota does and a full disk."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    outcome = run_case(line_of(room, verb), place, before=limit, limit_s=60.0, codes=(0, 1))
    assert outcome.faults == (), outcome.text()


def test_a_folder_that_vanishes(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from plantar import _files

    def gone() -> None:
        before = _files.write_text

        def vanish(path: str | Path, text: str) -> Path:
            shutil.rmtree("out", ignore_errors=True)
            return before(path, text)

        for module in list(sys.modules.values()):
            if getattr(module, "write_text", None) is before:
                monkeypatch.setattr(module, "write_text", vanish)

    outcome = run_case(line_of("bench", "press"), place, before=gone, limit_s=60.0, codes=(1,))
    assert outcome.faults == (), outcome.text()


def test_a_divergence_leaves_its_state_with_the_results(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("plantar.settle.SPEED_LIMIT", 1e-9)
    assert cli.run(["bench", "press", "--loads", "12", "--heights", "0.01", "--positions", "1", "--out", "out"]) == 1
    said = capsys.readouterr().err
    assert "plantar bench replay out/diverged" in said and said.count("\n") == 1
    assert {file.name for file in (tmp_path / "out" / "diverged").iterdir()} == {"model.mjb", "state.npy", "facts.json"}
    assert cli.run(["bench", "replay", "out/diverged", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["diverged"] is True


def test_nothing_is_left_in_the_folder_you_are_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """MuJoCo would leave MUJOCO_LOG.TXT."""
    import mujoco
    import numpy as np

    monkeypatch.chdir(tmp_path)
    assert cli.run(["feet", "list"]) == 0
    body = "<body><freejoint/><geom size='.1'/></body>"
    model = mujoco.MjModel.from_xml_string(f"<mujoco><worldbody>{body}</worldbody></mujoco>")
    data = mujoco.MjData(model)
    data.qpos[0] = np.nan
    mujoco.mj_step(model, data)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.long
@pytest.mark.parametrize("name", LONG)
def test_signals_at_any_time(place: Path, name: str) -> None:
    """SIGINT, SIGTERM and SIGKILL at random times: nothing left running, and the same results after going on."""
    rng = random.Random(name)
    for k in range(100):
        which = (signal.SIGINT, signal.SIGTERM, signal.SIGKILL)[k % 3]
        outcome = interrupted(LONG[name], place, which, rng.uniform(0.0, 12.0))
        assert outcome == "", f"{name}, attempt {k}: {outcome}"
    shutil.rmtree(place / "out", ignore_errors=True)


def interrupted(args: list[str], place: Path, which: signal.Signals, after: float) -> str:
    """What is wrong with how a command takes a signal; empty if nothing is. What it wrote stays, so that it goes on."""
    child = os.fork()
    if child == 0:
        os.setpgid(0, 0)
        os.chdir(place)
        for number in (1, 2):
            os.dup2(os.open(place.parent / f"log{number}", os.O_WRONLY | os.O_CREAT | os.O_TRUNC), number)
        os.execv(sys.executable, [sys.executable, "-m", "plantar", *args])
    end, status = time.monotonic() + after, 0
    while time.monotonic() < end and not (done := os.waitpid(child, os.WNOHANG))[0]:
        time.sleep(0.01)
    if not done[0]:
        os.kill(child, which)
        _, status = os.waitpid(child, 0)
    else:
        status = done[1]
    time.sleep(1.0)
    left = group_members(child)
    for pid in left:
        os.kill(pid, signal.SIGKILL)
    code, err = os.waitstatus_to_exitcode(status), (place.parent / "log2").read_text(errors="replace")
    allowed = (0, 2, 128 + which, -which) if which != signal.SIGKILL else (0, 2, -which)
    if code not in allowed or "Traceback" in err:
        return f"exit code {code} after {after:.1f} s of {which.name}: {err[-500:]}"
    return f"{len(left)} processes left" if left else ""
