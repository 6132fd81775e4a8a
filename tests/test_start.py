"""The bootstrap script: arguments, when it installs, and what it says when it cannot."""

from __future__ import annotations

import functools
import hashlib
import http.server
import importlib.util
import io
import os
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from plantar.learn.versions import INSTALL

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture
def start(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> ModuleType:
    """The script with a project of its own, in which nothing is really installed."""
    spec = importlib.util.spec_from_file_location("start", ROOT / "start.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    (tmp_path / "pyproject.toml").write_text("version 1")
    monkeypatch.setattr(module, "ROOT", tmp_path)
    monkeypatch.delenv("PLANTAR_VENV", raising=False)
    return module


@pytest.fixture
def installs(start: ModuleType, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What was installed, in order; environments are empty folders with a Python that works."""
    done: list[str] = []

    def make_environment(folder: Path) -> None:
        python = start.python_of(folder)
        python.parent.mkdir(parents=True, exist_ok=True)
        python.touch()

    monkeypatch.setattr(start, "make_environment", make_environment)
    monkeypatch.setattr(start, "works", lambda python: python.exists())
    monkeypatch.setattr(start, "install", lambda folder, what: done.append(what[1].partition("[")[2] or " ".join(what)))
    return done


def test_a_second_call_installs_nothing(start: ModuleType, installs: list[str]) -> None:
    first = start.prepare(start.RUN_EXTRAS)
    assert start.prepare(start.RUN_EXTRAS) == first == start.python_of(start.ROOT / ".venv")
    assert installs == ["all]"]


def test_a_changed_project_file_installs_again(start: ModuleType, installs: list[str]) -> None:
    start.prepare(start.RUN_EXTRAS)
    (start.ROOT / "pyproject.toml").write_text("version 2")
    start.prepare(start.RUN_EXTRAS)
    assert len(installs) == 2


def test_the_tests_bring_what_a_run_needs_but_not_the_other_way(start: ModuleType, installs: list[str]) -> None:
    start.prepare(start.RUN_EXTRAS)
    start.prepare(start.TEST_EXTRAS)
    start.prepare(start.RUN_EXTRAS)
    start.prepare(start.TEST_EXTRAS)
    assert installs == ["all]", "dev]"]


def test_training_brings_what_it_needs_and_mjlab_alone(
    start: ModuleType, installs: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    ran: list[list[str]] = []
    monkeypatch.setattr(start.subprocess, "call", lambda command, **_: ran.append(command) or 0)
    for verb in ("train", "train", "evaluate"):
        assert start.main(["learn", verb]) == 0
    assert installs == ["all,learn]", "--no-deps mjlab==1.6.0 mjviser==0.0.14 rsl-rl-lib==5.4.2"]
    assert installs[1] in INSTALL, "what an error advises is what this script does"
    assert [command[-3:] for command in ran] == [["plantar", "learn", v] for v in ("train", "train", "evaluate")]


def test_a_failed_install_is_tried_again(
    start: ModuleType, installs: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(folder: Path, what: list[str]) -> None:
        raise start.SetupError("no")

    with monkeypatch.context() as patch:
        patch.setattr(start, "install", fails)
        with pytest.raises(start.SetupError):
            start.prepare(start.RUN_EXTRAS)
    start.prepare(start.RUN_EXTRAS)
    assert len(installs) == 1


def test_the_environment_can_be_elsewhere(
    start: ModuleType, installs: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PLANTAR_VENV", str(tmp_path / "other"))
    assert start.prepare(start.RUN_EXTRAS) == start.python_of(tmp_path / "other")
    assert not (start.ROOT / ".venv").exists()


def test_a_folder_that_is_no_environment_is_left_alone(start: ModuleType, tmp_path: Path) -> None:
    (tmp_path / "keep").write_text("mine")
    with pytest.raises(start.SetupError, match="not a virtual environment"):
        start.make_environment(tmp_path)
    assert (tmp_path / "keep").read_text() == "mine"


@pytest.fixture
def calls(start: ModuleType, monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """Commands that would have been run; ruff fails with code 3."""
    seen: list[list[str]] = []

    def call(command: list[str], **_: object) -> int:
        seen.append(command[2:])
        return 3 if command[2] == "ruff" else 0

    monkeypatch.setattr(start, "prepare", lambda extras: Path(sys.executable))
    monkeypatch.setattr(start.subprocess, "call", call)
    return seen


def test_arguments_go_to_plantar(start: ModuleType, calls: list[list[str]]) -> None:
    assert start.main(["bench", "press", "--out", "x"]) == 0
    assert calls == [["plantar", "bench", "press", "--out", "x"]]


def test_test_runs_all_checks_and_returns_the_first_failure(start: ModuleType, calls: list[list[str]]) -> None:
    assert start.main(["test", "-k", "windlass"]) == 3
    assert [command[0] for command in calls] == ["ruff", "pyright", "pytest"]
    assert calls[-1][-2:] == ["-k", "windlass"]


def test_help_installs_nothing(start: ModuleType, calls: list[list[str]], capsys: pytest.CaptureFixture[str]) -> None:
    assert start.main([]) == 0
    assert "start.py bench press" in capsys.readouterr().out
    assert calls == []


def test_the_users_python_path_stays_outside(start: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", "/elsewhere")
    python = start.python_of(Path("/venv"))
    env = start.environment(python)
    assert "PYTHONPATH" not in env
    assert env["PATH"].split(os.pathsep)[0] == str(python.parent)
    assert env["VIRTUAL_ENV"] == str(Path("/venv"))


def test_an_old_python_is_told_which_newer_one_is_there(start: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(start.shutil, "which", lambda name: name if name == "python3.12" else None)
    with pytest.raises(start.SetupError, match=r"this is Python 3\.8.*python3\.12 start\.py"):
        start.check_python((3, 8))
    start.check_python((3, 11))


@pytest.mark.parametrize(
    ("modules", "maker"),
    [
        ({"venv", "ensurepip", "pip"}, ["venv"]),
        ({"venv", "pip"}, ["venv", "--without-pip"]),
        ({"virtualenv"}, ["virtualenv", "--quiet"]),
        ({"venv"}, ["venv", "--without-pip"]),
    ],
)
def test_environments_are_made_with_what_there_is(
    start: ModuleType, monkeypatch: pytest.MonkeyPatch, modules: set[str], maker: list[str]
) -> None:
    monkeypatch.setattr(start, "has", lambda name: name in modules)
    assert start.environment_maker() == maker


def test_without_any_of_them_the_package_to_install_is_named(
    start: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(start, "has", lambda name: False)
    monkeypatch.setattr(start.shutil, "which", lambda name: name if name == "apt-get" else None)
    assert start.main(["doctor"]) == 1
    error = capsys.readouterr().err.splitlines()[-1]
    assert f"apt-get install python3.{sys.version_info[1]}-venv" in error


def test_pip_failures_become_one_line(start: ModuleType) -> None:
    offline = "WARNING: Retrying ... NewConnectionError(...)\nERROR: No matching distribution found for hatchling"
    assert "cannot reach the package index" in start.explain(offline, Path("log"))
    broken = "Collecting x\nERROR: No matching distribution found for mujoco>=4.0\n\n"
    assert "No matching distribution found for mujoco>=4.0; details are in log" in start.explain(broken, Path("log"))


@pytest.fixture
def index(tmp_path: Path) -> Iterator[Path]:
    """A package index on this machine, as a folder to fill; its address is in PIP_INDEX_URL."""
    folder = tmp_path / "index"
    (folder / "pip").mkdir(parents=True)
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server, pytest.MonkeyPatch.context() as patch:
        patch.setenv("PIP_INDEX_URL", f"http://127.0.0.1:{server.server_port}")
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield folder / "pip"
        server.shutdown()


def test_pip_is_fetched_and_checked_where_there_is_none(start: ModuleType, index: Path, tmp_path: Path) -> None:
    wheel = b"the newest pip"
    (index / "pip-10.1-py3-none-any.whl").write_bytes(wheel)
    link = '<a href="../pip/pip-{}-py3-none-any.whl#sha256={}">x</a>'
    digest = hashlib.sha256(wheel).hexdigest()
    links = [link.format("9.2", "0"), link.format("10.1", digest), link.format("10.2b1", "0")]
    (index / "index.html").write_text("".join(links))
    fetched = start.fetch_pip(tmp_path)
    assert fetched.name == "pip-10.1-py3-none-any.whl"
    assert fetched.read_bytes() == wheel
    (index / "index.html").write_text(link.format("10.1", "0" * 64))
    with pytest.raises(ValueError, match="not the one"):
        start.fetch_pip(tmp_path)


@pytest.mark.parametrize("terminal", [True, False])
def test_an_installation_says_on_a_terminal_what_it_does(
    start: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, terminal: bool
) -> None:
    stream = io.StringIO()
    monkeypatch.setattr(stream, "isatty", lambda: terminal)
    monkeypatch.setattr(start.sys, "stderr", stream)
    log = tmp_path / "log.txt"
    with log.open("w") as file:
        code = "import sys, time; print('Collecting rubber', flush=True); time.sleep(1.5); sys.exit(3)"
        work = start.subprocess.Popen([sys.executable, "-c", code], stdout=file)
        assert start.follow(work, log) == 3
    said = stream.getvalue()
    assert ("Collecting rubber" in said) is terminal
    assert not terminal or said.endswith("\r"), "the line is wiped at the end"
