"""However a stream ends, the board is brought to rest, no faster than its rate."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable

import numpy as np
import pytest

pytest.importorskip("serial")
pytest.importorskip("pty")

from serial_board import Board

from plantar.errors import InvalidInput, PlantarError
from plantar.soft.serial import Channel, Link, PortLost, stream

RATE, HZ, REST = 2.0, 100.0, 0.05
"""Fastest change [1/s], frames a second, and the value of rest."""
CHANNEL = Channel(name="cable", rate=RATE, rest=REST)


def rising(count=10_000, at=-1, then=tuple):
    """Set-points that rise to 0.3 and stay; `then` is done at row `at`."""
    for k in range(count):
        if k == at:
            yield from then() or ()
        yield [min(0.3, REST + k * RATE / HZ)]


def kill(number):
    """Send a signal to this process from another thread, as a terminal or a service manager does."""
    threading.Thread(target=os.kill, args=(os.getpid(), number)).start()


def raiser(error):
    def then():
        raise error

    return then


@contextlib.contextmanager
def handlers(*numbers):
    """Signals that raise SystemExit here, in place of ending the process that runs the tests."""

    def leave(number, frame):
        raise SystemExit(128 + number)

    before = {number: signal.signal(number, leave) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@pytest.fixture
def check_rest(request, record_property) -> Callable[..., None]:
    """Whether the board came to rest, and no faster than its rate; told as a figure of the test."""
    name = re.sub(r"\W+", "_", request.node.name.removeprefix("test_").lower()).strip("_")

    def check(board: Board, *, late: bool = False) -> None:
        values, times = board.values()[:, 0], np.array(board.times)
        fastest = float(np.abs(np.diff(np.concatenate([[REST], values]))).max() * HZ / RATE)
        record_property(f"soft.serial.{name}", [bool(values[-1] == np.float32(REST)), fastest])
        assert values[-1] == np.float32(REST)
        assert fastest <= 1 + 1e-5
        down = int(np.flatnonzero(values == values.max())[-1])
        assert values[down] > REST
        # the board's thread may read a frame late, none early; one that was deaf reads all at once
        assert late or times[-1] - times[down] >= (values[down] - REST) / RATE - 2 / HZ

    return check


def bad_reply(frame):
    if frame.sequence == 8:
        raise RuntimeError("the board says no")


def swallow():
    """A generator that hides every exception from the stream."""
    for _ in range(10_000):
        try:
            yield [0.2]
            time.sleep(0.001)
        except (Exception, KeyboardInterrupt):
            pass


def long_step():
    """A step that takes far longer than a period."""
    kill(signal.SIGTERM)
    time.sleep(20)
    return ()


WAYS = {
    "end of the rows": (lambda: rising(12), None),
    "exception in the rows": (lambda: rising(at=8, then=raiser(RuntimeError("broken"))), RuntimeError),
    "error of ours in the rows": (lambda: rising(at=8, then=raiser(PlantarError("broken"))), PlantarError),
    "out of memory": (lambda: rising(at=8, then=raiser(MemoryError())), MemoryError),
    "sys.exit": (lambda: rising(at=8, then=raiser(SystemExit(3))), SystemExit),
    "KeyboardInterrupt in the rows": (lambda: rising(at=8, then=raiser(KeyboardInterrupt())), KeyboardInterrupt),
    "GeneratorExit": (lambda: rising(at=8, then=raiser(GeneratorExit())), GeneratorExit),
    "a row with a nan": (lambda: [*rising(8), [float("nan")], [0.2]], InvalidInput),
    "a row that is too long": (lambda: [*rising(8), [0.1, 0.2], [0.2]], InvalidInput),
    "a row of text": (lambda: [*rising(8), ["fast"], [0.2]], InvalidInput),
    "a row that is infinite": (lambda: [*rising(8), [float("inf")]], InvalidInput),
    "SIGINT": (lambda: rising(at=8, then=lambda: kill(signal.SIGINT)), KeyboardInterrupt),
    "SIGTERM": (lambda: rising(at=8, then=lambda: kill(signal.SIGTERM)), SystemExit),
    "SIGHUP": (lambda: rising(at=8, then=lambda: kill(signal.SIGHUP)), SystemExit),
    "SIGQUIT": (lambda: rising(at=8, then=lambda: kill(signal.SIGQUIT)), SystemExit),
    "SIGTSTP": (lambda: rising(at=8, then=lambda: kill(signal.SIGTSTP)), SystemExit),
    "SIGUSR1": (lambda: rising(at=8, then=lambda: kill(signal.SIGUSR1)), SystemExit),
    "SIGTERM in a long step": (lambda: rising(at=8, then=long_step), SystemExit),
}


@pytest.mark.parametrize("way", WAYS)
def test_rest_arrives_slowly(way, check_rest):
    rows, error = WAYS[way]
    board = Board()
    numbers = (signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGTSTP, signal.SIGUSR1)
    with handlers(*numbers), pytest.raises(error) if error else contextlib.nullcontext():
        with Link(board.port, [CHANNEL]) as link:
            stream(link, rows(), HZ)
    check_rest(board)
    board.close()


def test_rest_arrives_under_a_storm_of_signals(check_rest):
    board, taken = Board(), []
    before = {n: signal.signal(n, lambda n, frame: taken.append(n)) for n in (signal.SIGINT, signal.SIGTERM)}

    def storm():
        for k in range(40):
            os.kill(os.getpid(), (signal.SIGTERM, signal.SIGINT)[k % 2])
            time.sleep(0.004)

    thread = threading.Thread(target=storm)
    try:
        with pytest.raises(KeyboardInterrupt), Link(board.port, [CHANNEL]) as link:
            stream(link, rising(at=8, then=thread.start), HZ)
        thread.join()
        time.sleep(0.01)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    assert taken[0] == signal.SIGTERM  # the first one goes on to whom it was meant for
    check_rest(board)
    board.close()


def test_rest_arrives_if_a_reply_raises(check_rest):
    board = Board()
    with pytest.raises(RuntimeError, match="says no"), Link(board.port, [CHANNEL]) as link:
        stream(link, rising(), HZ, on_reply=bad_reply)
    check_rest(board)
    board.close()


def test_rest_arrives_if_the_rows_swallow_the_signal(check_rest):
    board = Board()
    timer = threading.Timer(0.15, os.kill, (os.getpid(), signal.SIGTERM))
    timer.start()
    with handlers(signal.SIGTERM), pytest.raises(SystemExit), Link(board.port, [CHANNEL]) as link:
        stream(link, swallow(), HZ)
    check_rest(board)
    board.close()


@pytest.mark.parametrize("error", [None, RuntimeError, KeyboardInterrupt])
def test_rest_arrives_after_frames_sent_by_hand(error, check_rest):
    board = Board()
    with contextlib.nullcontext() if error is None else pytest.raises(error), Link(board.port, [CHANNEL]) as link:
        for row in rising(10):
            link.send(row, 1 / HZ)
            time.sleep(1 / HZ)
        if error:
            raise error
    check_rest(board)
    board.close()


def test_rest_arrives_if_a_signal_comes_in_the_callers_code(check_rest):
    board = Board()
    with handlers(signal.SIGTERM), pytest.raises(SystemExit), Link(board.port, [CHANNEL]) as link:
        for row in rising(10):
            link.send(row, 1 / HZ)
            time.sleep(1 / HZ)
        threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGTERM)).start()
        time.sleep(20)
    check_rest(board)
    board.close()


def test_rest_arrives_at_a_board_that_was_deaf_for_a_while(check_rest):
    board = Board(deaf=0.4)
    with Link(board.port, [CHANNEL]) as link:
        stream(link, rising(12), HZ)
    board.wait_for(20)
    check_rest(board, late=True)
    board.close()


def test_rest_arrives_from_another_thread(check_rest):
    board, errors = Board(), []

    def work():
        try:
            with Link(board.port, [CHANNEL]) as link:
                stream(link, rising(at=8, then=raiser(RuntimeError("broken"))), HZ)
        except RuntimeError as error:
            errors.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert len(errors) == 1
    check_rest(board)
    board.close()


def test_handlers_are_put_back_and_ignored_signals_stay_ignored(check_rest):
    board = Board()
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with Link(board.port, [CHANNEL]) as link:
            report = stream(link, rising(30, at=8, then=lambda: kill(signal.SIGHUP)), HZ)
        assert report.frames == 30 and signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGHUP, before)
    check_rest(board)
    board.close()


@pytest.mark.parametrize("after", [8, 9, 10])
def test_a_device_that_disappears_is_one_error(after, record_property):
    board = Board(answer=False)

    def gone():
        board.pull_out()
        return ()

    with pytest.raises(PortLost) as caught, Link(board.port, [CHANNEL]) as link:
        stream(link, rising(at=after, then=gone), HZ)
    told = re.search("serial port stopped working .* may still hold its last set-point", str(caught.value))
    record_property(f"soft.serial.lost_{after}", told is not None)
    assert told


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_the_command_rests_on_signals(tmp_path, number, check_rest):
    board = Board()
    table = tmp_path / "rows.csv"
    table.write_text("cable\n" + "\n".join(f"{min(0.3, REST + k * 0.02)}" for k in range(3000)), encoding="utf-8-sig")
    command = [sys.executable, "-m", "plantar", "soft", "stream", table, "--port", board.port, "--rate", "100"]
    process = subprocess.Popen([*command, "--slew", "2", "--rest", "0.05"], stderr=subprocess.PIPE, text=True)
    board.wait_for(1)
    end = time.monotonic() + 20
    while len(board.frames) < 15 and time.monotonic() < end:
        time.sleep(0.01)
    process.send_signal(number)
    _, errors = process.communicate(timeout=60)
    check_rest(board)
    assert process.returncode != 0 and "Traceback" not in errors and "going to rest" in errors
    board.close()
