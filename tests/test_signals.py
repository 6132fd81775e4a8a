"""Ctrl-C and SIGTERM: one line, an exit code that says so, no process and no empty folder left."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import mujoco
import pytest
from hostile.runner import group_members

import plantar
from plantar._signals import Stopped, passing_on
from plantar.show import picture
from plantar.show.view import View

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
SRC = Path(plantar.__file__).parents[1]
DATA = ["foothold", "data", "--grounds", "400", "--patches", "200", "--processes", "2"]
SWEEP = ["sweep", "press", "foot.friction=0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8,0.9", "--workers", "2"]


def start(args: list[str], folder: Path) -> subprocess.Popen[str]:
    """A command in a group of its own, as a shell would start it."""
    env = {**os.environ, "PYTHONPATH": str(SRC), "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-m", "plantar", *args]
    return subprocess.Popen(
        command,
        cwd=folder,
        env=env,
        text=True,
        start_new_session=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def wait_for(condition: object, seconds: float = 60.0) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():  # type: ignore[operator]
            return True
        time.sleep(0.1)
    return False


@pytest.fixture
def running(tmp_path: Path) -> Iterator[tuple[Path, list[subprocess.Popen[str]]]]:
    processes: list[subprocess.Popen[str]] = []
    yield tmp_path, processes
    for process in processes:
        for left in group_members(process.pid):
            os.kill(left, signal.SIGKILL)
        process.communicate()


@pytest.mark.parametrize("which", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_while_processes_work_is_one_line_and_leaves_none(running: tuple, which: signal.Signals) -> None:
    folder, processes = running
    process = start([*DATA, "--out", "d"], folder)
    processes.append(process)
    assert wait_for(lambda: len(group_members(process.pid)) >= 4), "the workers and their tracker have started"
    os.killpg(process.pid, which)  # as a terminal and a service manager do: to all of them
    out, err = process.communicate(timeout=60)
    assert process.returncode == 128 + which
    assert out == "" and err.count("\n") == 1 and err.startswith("plantar: error: stopped by ")
    assert wait_for(lambda: group_members(process.pid) == [], 10)
    assert list(folder.iterdir()) == [], "no empty folder"


def test_workers_of_a_killed_process_end_by_themselves(running: tuple) -> None:
    folder, processes = running
    process = start([*DATA, "--out", "d"], folder)
    processes.append(process)
    assert wait_for(lambda: len(group_members(process.pid)) >= 4)
    process.kill()
    process.communicate()
    assert wait_for(lambda: group_members(process.pid) == [], 20)


@pytest.mark.parametrize("engine", ["threads", "processes"])
def test_a_sweep_that_is_stopped_says_so_and_keeps_its_rows(running: tuple, engine: str) -> None:
    folder, processes = running
    process = start([*SWEEP, "--engine", engine, "--out", "s"], folder)
    processes.append(process)
    assert wait_for((folder / "s" / "sweep.sqlite").exists)
    time.sleep(1.5)
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err) == (130, "", "plantar: error: stopped by Ctrl-C\n")
    assert wait_for(lambda: group_members(process.pid) == [], 10)
    assert plantar.sweep.status(folder / "s")["trials"] == 432


STUCK = """
import hashlib, os, signal, threading, time
import plantar._signals as signals
signals.PATIENCE = 1.0
signals.stop_on_signals()
threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGTERM)).start()
hashlib.pbkdf2_hmac("sha256", b"", b"salt", 10**9)
"""


def test_a_library_that_does_not_listen_is_ended_all_the_same() -> None:
    env = {**os.environ, "PYTHONPATH": str(SRC)}
    command = [sys.executable, "-c", STUCK]
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stderr) == (143, "plantar: error: stopped by SIGTERM\n")


LOST = """
import ctypes, os, signal, time
from plantar._signals import Stopped, stop_on_signals
def busy():
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(0.01)
stop_on_signals()
ctypes.CFUNCTYPE(None)(busy)()
try:
    time.sleep(20)
except Stopped as stop:
    print(stop)
"""


def test_a_signal_that_a_callback_of_a_library_loses_comes_again() -> None:
    env = {**os.environ, "PYTHONPATH": str(SRC)}
    command = [sys.executable, "-c", LOST]
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (0, "stopped by SIGTERM\n", "")


RUINED = """
import os, signal, sys, typer
from plantar._signals import stop_on_signals
from plantar.cli.common import ends_in_a_line
stop_on_signals()
try:
    with ends_in_a_line():
        try:
            os.kill(os.getpid(), signal.SIGTERM)
        except BaseException:
            raise ERROR
except typer.Exit as end:
    sys.exit(end.exit_code)
"""


@pytest.mark.parametrize(
    "error", ["SystemError('returned a result with an exception set')", "ImportError('initialization failed')"]
)
def test_what_a_library_makes_of_a_signal_is_not_taken_for_an_error(error: str) -> None:
    """As CasADi does if a signal comes while it hands an array over, and an extension module while it is loaded."""
    env = {**os.environ, "PYTHONPATH": str(SRC)}
    command = [sys.executable, "-c", RUINED.replace("ERROR", error)]
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stderr) == (143, "plantar: error: stopped by SIGTERM\n")


def test_a_picture_that_a_signal_cut_off_is_not_drawn_in_another_way(monkeypatch: pytest.MonkeyPatch) -> None:
    """ctypes makes an error of its own of a signal that comes as arguments are converted, for OpenGL for one."""
    model = mujoco.MjModel.from_xml_string("<mujoco><worldbody><geom size='.1'/></worldbody></mujoco>")

    def cut_off(*_: object) -> None:
        raise ctypes.ArgumentError("argument 1: Stopped: stopped by SIGTERM")

    monkeypatch.setattr(picture, "_photograph", cut_off)
    monkeypatch.setattr(picture._opengl, "backend", lambda: "")
    monkeypatch.setattr(picture._opengl, "activate", lambda name: None)
    monkeypatch.setattr("plantar._signals._asked", [signal.SIGTERM])
    with pytest.raises(Stopped, match="SIGTERM"):
        picture.draw(model, mujoco.MjData(model), View(), (32, 32))


def test_what_a_library_swallows_is_raised_again() -> None:
    def swallow() -> None:
        try:
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(5)
        except KeyboardInterrupt:
            pass

    with pytest.raises(KeyboardInterrupt):  # noqa: SIM117
        with passing_on():
            swallow()
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_ctrl_c_during_an_optimisation_is_not_swallowed() -> None:
    from plantar.gait import Biped, Effort, Request, solve
    from plantar.gait import _run as run

    began = threading.Event()

    def hit() -> None:
        began.wait()
        time.sleep(0.3)
        os.kill(os.getpid(), signal.SIGINT)

    before, solver = run.run_ipopt, threading.Thread(target=hit, daemon=True)
    request = Request(speed=0.4, apex=None, objective="transport", symmetric=True)
    solver.start()

    def noted(*args: object, **kwargs: object) -> object:
        began.set()
        return before(*args, **kwargs)  # type: ignore[arg-type]

    try:
        run.run_ipopt = noted  # type: ignore[assignment]
        with pytest.raises((KeyboardInterrupt, Stopped)):
            solve(Biped(), "soft", request, guess="walk", effort=Effort(intervals=14, refinements=1, seconds=60.0))
    finally:
        run.run_ipopt = before


@pytest.mark.parametrize("stopped", [True, False])
def test_what_a_signal_cut_off_says_nothing_as_it_is_taken_apart(stopped: bool) -> None:
    """A renderer that is closed halfway complains when it is deleted; without a signal that would be worth knowing."""
    program = f"""
import signal
from plantar._signals import Stopped, stop_on_signals

class Halfway:
    def __del__(self):
        raise RuntimeError("bad context")

stop_on_signals()
thing = Halfway()
try:
    signal.raise_signal(signal.SIGTERM) if {stopped} else None
except Stopped:
    pass
del thing
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False)
    assert ("bad context" in done.stderr) is not stopped


@pytest.mark.parametrize("held", ["frame", "module"])
def test_what_a_signal_cut_off_in_a_c_library_is_not_taken_apart(held: str) -> None:
    """LLVM's objects that are cut off between giving memory back and noting that give it back again when they go."""
    program = f"""
import os, signal, typer
import plantar.__main__ as main, plantar.cli.app as app
from plantar.cli.common import ends_in_a_line

class Handle:
    freed = False

    def close(self):
        if self.freed:
            os.abort()  # as malloc does for memory that is given back twice
        self.freed = True
        signal.raise_signal(signal.SIGTERM)
        self.freed = False

    __del__ = close

def run():
    try:
        with ends_in_a_line():
            handle = Handle()
            if {held == "module"}:
                app.handle = handle
            handle.close()
    except typer.Exit as end:
        return end.exit_code

app.run = run
main.main()
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (143, "plantar: error: stopped by SIGTERM\n")


def test_semaphores_are_given_back_though_a_thread_still_works() -> None:
    """Python's tracker of them would say that they were lost, after the command's own last line."""
    program = """
import multiprocessing, threading, time
import plantar.__main__ as main, plantar.cli.app as app

def run():
    kept.append(multiprocessing.get_context("spawn").Lock())
    threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
    return 0

kept, app.run = [], run
main.main()
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(("target", "code"), [("/dev/full", 1), ("closed", 0), ("pipe", 0)])
def test_output_that_nobody_can_read(target: str, code: int, tmp_path: Path) -> None:
    redirect = {"/dev/full": "> /dev/full", "closed": ">&-", "pipe": "| true"}[target]
    text = f'"{sys.executable}" -m plantar feet list --json {redirect}'
    command = ["bash", "-c", f"{text}; exit ${{PIPESTATUS[0]}}"]
    env = {**os.environ, "PYTHONPATH": str(SRC)}
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == code
    assert done.stderr.count("\n") == code and "Traceback" not in done.stderr


INTERRUPTED_IMPORT = """
import os, signal, sys

class Interrupt:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name == "plantar.errors":
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Interrupt)
"""


def test_ctrl_c_before_the_command_is_ready_is_no_traceback(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(INTERRUPTED_IMPORT)
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])}
    script = [str(Path(sys.executable).with_name("plantar"))]
    for command in ([sys.executable, "-m", "plantar"], [sys.executable, *script]):
        done = subprocess.run([*command, "--help"], env=env, capture_output=True, text=True, check=False, timeout=60)
        assert (done.returncode, done.stdout, done.stderr) == (-signal.SIGINT, "", "")
