"""Faults around a command: a full disk, a folder that vanishes, a simulation that diverges, signals at any time."""

from __future__ import annotations

import json
import resource
import shutil
import sys
from pathlib import Path

import pytest

from plantar.cli import app as cli

from .commands import BASE, commands
from .ground import lay_out
from .long import LONG
from .runner import run_case
from .signals import attempts

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="cases are forks that are looked at through /proc")
QUICK = [("feet", "export"), ("robots", "mount"), ("bench", "press"), ("ground", "terrain"), ("soft", "run")]
QUICK += [("sweep", "press"), ("foothold", "data"), ("gait", "drops"), ("foothold", "map")]


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
    """SIGINT, SIGTERM and SIGKILL at random times: nothing left running, and the same tables after going on."""
    delivered = 0
    for attempt in attempts(name, place):
        assert attempt.fault == "", attempt
        delivered += attempt.delivered
        if delivered >= 100 and attempt.outcome != "stopped":
            break
    shutil.rmtree(place / "out", ignore_errors=True)
