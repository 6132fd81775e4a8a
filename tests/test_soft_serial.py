"""Set-points on a serial line: the frame, its reader, and a port at the other end of a pseudo-terminal."""

from __future__ import annotations

import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from plantar.errors import InvalidInput
from plantar.soft.serial.frame import FrameReader, crc16, encode, frame_size

pytest.importorskip("serial")
pty = pytest.importorskip("pty")

from serial_board import Board  # noqa: E402

from plantar.soft.serial import Channel, Link, read_setpoints, stream  # noqa: E402

values = st.lists(st.floats(width=32, allow_nan=False, allow_infinity=False), min_size=1, max_size=32)


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
        board.wait_for(130)
        time.sleep(0.05)
        link.receive()
    assert report.frames == 30 and board.reader.skipped == 0 and board.reader.lost == 0
    np.testing.assert_array_equal([f.values for f in board.frames[:30]], np.float32(rows))
    # then to rest, in one second as no channel has a limit on its rate
    np.testing.assert_allclose(
        np.diff(board.values()[29:], axis=0), [np.subtract((0, 2), rows[-1]) / 100] * 100, atol=1e-5
    )
    assert board.frames[-1].values == (0.0, 2.0)
    assert [f.sequence for f in board.frames] == list(range(130))
    assert len(link.replies) == 130


def test_the_mean_rate_is_the_wanted_one(board):
    with Link(board.port, [Channel(name="a")]) as link:
        report = stream(link, [[float(i)] for i in range(60)], rate=200)
    # frames have fixed times of their own: delays of single frames do not add up
    assert report.mean_period == pytest.approx(1 / 200, abs=report.latest / 50 + 1e-4)


def test_limits_are_kept(board):
    channel = Channel(name="cable", low=0.0, high=0.02, rate=0.1)
    with Link(board.port, [channel]) as link:
        report = stream(link, [[0.0], [0.5], [0.5], [-1.0]], rate=100)
    sent = board.values()[:4, 0]
    # a frame that follows a late one sooner than a period may change by less
    assert 0 == sent[0] < sent[1] < sent[2] > sent[3] and np.abs(np.diff(sent)).max() <= 0.1 / 100 * (1 + 1e-6)
    assert report.limited == 3


def test_the_first_frame_starts_at_rest(board):
    with Link(board.port, [Channel(name="cable", rate=1.0, rest=0.5)]) as link:
        stream(link, [[2.0]], rate=100)
    np.testing.assert_allclose(board.values()[:, 0], [0.51, 0.5], atol=1e-6)


def test_a_pause_earns_no_leap(board):
    def slow():
        yield [0.0]
        time.sleep(0.2)
        yield [1.0]
        yield [1.0]

    with Link(board.port, [Channel(name="cable", rate=1.0)]) as link:
        report = stream(link, slow(), rate=100)
    sent = board.values()[:3, 0]
    assert np.diff(sent).max() <= 0.01 * (1 + 1e-6) and report.missed == 1
    assert board.times[2] - board.times[1] > 0.005  # nor are frames hurried after it


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
    with pytest.raises(InvalidInput, match="a different name"):
        Link("/dev/no_such_port", [Channel(name="a"), Channel(name="a")])


def write(path, text, encoding="utf-8"):
    path.write_text(text, encoding=encoding)
    return path


def test_a_byte_order_mark_shifts_no_channel(tmp_path):
    found = read_setpoints(write(tmp_path / "a.csv", "time,a,b\n0,1,2\n0.05,3,4\n", "utf-8-sig"))
    assert found.names == ("a", "b") and found.rows == [[1, 2], [3, 4]] and found.rate == pytest.approx(20)
    turned = read_setpoints(write(tmp_path / "b.csv", " a , b \n1,2\n\n3,4\n"), ["b", "a"])
    assert turned.names == ("b", "a") and turned.rows == [[2, 1], [4, 3]] and turned.rate is None


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("a,a\n1,2\n", "'a' more than once"),
        ("a,A\n1,2\n", "'a' more than once"),
        ("a, a\n1,2\n", "'a' more than once"),
        ("Time,a\n0,1\n", "'Time' may be a time"),
        ("time_s,a\n0,1\n", "'time_s' may be a time"),
        ("t [s],a\n0,1\n", "may be a time"),
        ("a,\n1,2\n", "column 2 is named ''"),
        ("0,1\n1,2\n", "column 1 is named '0'"),
        ("a;b\n1;2\n", "CSV with commas"),
        ("a,b\n1\n", "line 2 has 1 cells"),
        ("a,b\n1,2\n1,2,3\n", "line 3 has 3 cells"),
        ("a\n1\nx\n", "line 3: a = 'x'"),
        ("a\nnan\n", "not a finite number"),
        ('"0,5",a\n', "holds no rows"),
        ("a\n", "holds no rows"),
        ("", "is empty"),
        ("time\n0\n", "no column but 'time'"),
        ("time,a\n0,1\n1,2\n3,4\n", "even steps"),
        ("time,a\n1,1\n0,2\n", "even steps"),
        ('a\n"1\n', "cannot be read"),
    ],
)
def test_a_table_in_doubt_is_refused(tmp_path, text, says):
    with pytest.raises(InvalidInput, match=says):
        read_setpoints(write(tmp_path / "a.csv", text))


def test_wrong_columns_are_refused(tmp_path):
    path = write(tmp_path / "a.csv", "a,b\n1,2\n")
    for columns, says in ((["c"], "has no column 'c': it has a, b"), (["a", "a"], "give each once")):
        with pytest.raises(InvalidInput, match=says):
            read_setpoints(path, columns)
    with pytest.raises(InvalidInput, match="not valid UTF-8"):
        read_setpoints(write(tmp_path / "b.csv", "a\n1\n", "utf-16"))
