"""Set-points on a serial line: the frame, its reader, and a port at the other end of a pseudo-terminal."""

from __future__ import annotations

import os
import threading
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from plantar.errors import InvalidInput
from plantar.soft.serial.frame import FrameReader, crc16, encode, frame_size

pytest.importorskip("serial")
pty = pytest.importorskip("pty")

from plantar.soft.serial.port import Channel, Link, stream  # noqa: E402

values = st.lists(st.floats(width=32, allow_nan=False, allow_infinity=False), min_size=1, max_size=32)


class Board:
    """The other end of a serial line: reads frames and sends each back, like the sketch in docs/serial.md."""

    def __init__(self, answer: bool = True):
        self.master, slave = pty.openpty()
        self.port, self.slave = os.ttyname(slave), slave
        self.reader, self.frames, self.times, self.answer = FrameReader(), [], [], answer
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def _run(self) -> None:
        while True:
            try:
                data = os.read(self.master, 4096)
            except OSError:
                return
            if not data:
                return
            for frame in self.reader.feed(data):
                self.frames.append(frame)
                self.times.append(time.perf_counter())
                if self.answer:
                    os.write(self.master, encode(frame.sequence, frame.values))

    def wait_for(self, count: int) -> None:
        end = time.monotonic() + 5
        while len(self.frames) < count and time.monotonic() < end:
            time.sleep(0.005)

    def close(self) -> None:
        os.close(self.slave)
        self.thread.join(timeout=5)  # or its next read may take a frame from a later board given the same descriptor
        os.close(self.master)


@pytest.fixture
def board():
    end = Board()
    yield end
    end.close()


def test_checksum_is_the_documented_one():
    assert crc16(b"123456789") == 0x29B1


def test_frame_has_the_documented_bytes():
    frame = encode(7, [1.0, -2.5])
    assert frame[:4] == b"\xa5\x5a\x02\x07"
    assert frame[4:12] == b"\x00\x00\x80\x3f\x00\x00\x20\xc0"
    assert len(frame) == frame_size(2) == 14


@given(values, st.integers(0, 255), st.integers(1, 7))
def test_a_frame_cut_anywhere_is_read_back(numbers, sequence, piece):
    data, reader = encode(sequence, numbers), FrameReader()
    found = [f for i in range(0, len(data), piece) for f in reader.feed(data[i : i + piece])]
    assert len(found) == 1 and found[0].sequence == sequence
    np.testing.assert_array_equal(found[0].values, np.float32(numbers))
    assert reader.skipped == 0


@given(st.binary(max_size=60), values)
def test_a_frame_after_noise_is_found(noise, numbers):
    reader = FrameReader()
    # the noise may itself look like the start of a long frame, which only more data can refute
    found = reader.feed(noise + encode(3, numbers) * 12)
    assert found and found[-1].values == pytest.approx(np.float32(numbers).tolist())


@given(values, st.integers(0, 10_000), st.integers(1, 255))
def test_one_wrong_byte_is_never_taken_for_a_frame(numbers, where, change):
    data = bytearray(encode(5, numbers))
    data[where % len(data)] ^= change
    assert all(
        f.values != tuple(np.float32(numbers).tolist()) or f.sequence != 5 for f in FrameReader().feed(bytes(data))
    )


def test_missing_frames_are_counted():
    reader = FrameReader()
    reader.feed(encode(254, [1]) + encode(255, [1]) + encode(2, [1]))
    assert reader.lost == 2


@pytest.mark.parametrize("bad", [[], [1.0] * 33, [float("nan")], [float("inf")], [1e300]])
def test_what_cannot_be_sent_is_refused(bad):
    with pytest.raises(InvalidInput, match="values"):
        encode(0, bad)


def test_every_set_point_arrives_in_order_and_is_answered(board):
    rows = [[0.001 * i, 5.0 - i] for i in range(30)]
    with Link(board.port, [Channel(name="a"), Channel(name="b", rest=2.0)]) as link:
        report = stream(link, rows, rate=100)
        board.wait_for(31)
        time.sleep(0.05)
        link.receive()
    assert report.frames == 30 and board.reader.skipped == 0 and board.reader.lost == 0
    np.testing.assert_array_equal([f.values for f in board.frames[:30]], np.float32(rows))
    assert board.frames[30].values == (0.0, 2.0)  # the values of rest come last
    assert [f.sequence for f in board.frames] == list(range(31))
    assert len(link.replies) == 31


def test_the_mean_rate_is_the_wanted_one(board):
    with Link(board.port, [Channel(name="a")]) as link:
        report = stream(link, [[float(i)] for i in range(60)], rate=200)
    # frames have fixed times of their own: delays of single frames do not add up
    assert report.mean_period == pytest.approx(1 / 200, abs=report.latest / 50 + 1e-4)


def test_limits_are_kept(board):
    channel = Channel(name="cable", low=0.0, high=0.02, rate=0.1)
    with Link(board.port, [channel]) as link:
        report = stream(link, [[0.0], [0.5], [0.5], [-1.0]], rate=100)
        board.wait_for(5)
    sent = [f.values[0] for f in board.frames[:4]]
    assert sent == pytest.approx([0.0, 0.001, 0.002, 0.001])
    assert report.limited == 3


def test_a_number_that_is_none_stops_the_stream_and_rests(board):
    with Link(board.port, [Channel(name="cable", rest=0.25)]) as link:
        with pytest.raises(InvalidInput, match="nothing was sent"):
            stream(link, [[0.5], [float("nan")], [0.7]], rate=100)
        board.wait_for(2)
    assert [f.values[0] for f in board.frames] == [0.5, 0.25]


def test_a_line_that_is_too_slow_is_refused(board):
    with Link(board.port, [Channel(name=str(i)) for i in range(8)], baud=9600) as link:
        with pytest.raises(InvalidInput, match="at most 25 Hz at 9600 baud"):
            link.check_rate(100)


def test_a_port_that_is_not_there_is_named():
    with pytest.raises(InvalidInput, match=r"'/dev/no_such_port' cannot be opened .*ports here are"):
        Link("/dev/no_such_port", [Channel(name="a")])


def test_channel_limits_are_checked():
    with pytest.raises(InvalidInput, match="channel 'a' low"):
        Channel(name="a", low=1, high=0)
    with pytest.raises(InvalidInput, match="channel 'a' rest"):
        Channel(name="a", low=1, high=2)
