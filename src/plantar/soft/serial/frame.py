"""The frame in which set-points travel to a microcontroller, and its reader.

    byte 0-1          0xA5 0x5A            start
    byte 2            n                    number of values, 1 to 32
    byte 3            sequence             0 to 255, one more each frame, 0 after 255
    byte 4 ... 4n+3   n x float32          values in SI units, little endian
    last two bytes    CRC-16/CCITT-FALSE   over bytes 2 to 4n+3, little endian

The same frame carries measurements back. docs/serial.md has the sketch for the board's side.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from plantar._checks import require

START = b"\xa5\x5a"
MOST_VALUES = 32
"""Values in one frame at most: what a small board can hold twice."""
OVERHEAD = 6
"""Bytes of a frame beside its values."""


@dataclass(frozen=True)
class Frame:
    """One frame."""

    sequence: int
    """Number of the frame, 0 to 255."""
    values: tuple[float, ...]
    """Values in SI units, with the digits of a 32-bit float."""


def encode(sequence: int, values: Sequence[float]) -> bytes:
    """The bytes of one frame.

    Raises:
        InvalidInput: If there are no values, more than 32, or one that is not a finite 32-bit number.
    """
    numbers = np.asarray(values, dtype=np.float64)
    require(numbers.ndim == 1 and 1 <= len(numbers) <= MOST_VALUES, "values", values, f"1 to {MOST_VALUES} numbers")
    limit = float(np.finfo(np.float32).max)
    require(bool((np.abs(numbers) <= limit).all()), "values", list(values), "finite numbers only")
    body = struct.pack(f"<BB{len(numbers)}f", len(numbers), sequence % 256, *numbers)
    return START + body + struct.pack("<H", crc16(body))


def frame_size(count: int) -> int:
    """Bytes of a frame with `count` values."""
    return OVERHEAD + 4 * count


def crc16(data: bytes) -> int:
    """CRC-16/CCITT-FALSE: polynomial 0x1021, start 0xFFFF; of b"123456789" it is 0x29B1."""
    crc = 0xFFFF
    for byte in data:
        crc ^= byte << 8
        for _ in range(8):
            crc = (crc << 1 ^ 0x1021 if crc & 0x8000 else crc << 1) & 0xFFFF
    return crc


class FrameReader:
    """Finds frames in a stream of bytes that may start anywhere, be cut anywhere and hold errors.

    Attributes:
        skipped: Bytes that belonged to no valid frame.
        lost: Frames whose numbers were missed between two valid ones.
    """

    def __init__(self) -> None:
        self.skipped = self.lost = 0
        self._buffer = bytearray()
        self._last: int | None = None

    def feed(self, data: bytes) -> list[Frame]:
        """The frames completed by `data`."""
        self._buffer += data
        found = []
        while (frame := self._next()) is not None:
            if self._last is not None:
                self.lost += (frame.sequence - self._last - 1) % 256
            self._last = frame.sequence
            found.append(frame)
        return found

    def _next(self) -> Frame | None:
        while True:
            start = self._buffer.find(START)
            # half a start may be waiting for its other half
            waste = start if start >= 0 else max(0, len(self._buffer) - 1)
            self._drop(waste)
            if start < 0 or len(self._buffer) < OVERHEAD:
                return None
            count = self._buffer[2]
            size = frame_size(count)
            if 1 <= count <= MOST_VALUES:
                if len(self._buffer) < size:
                    return None
                body, check = bytes(self._buffer[2 : size - 2]), self._buffer[size - 2 : size]
                if struct.unpack("<H", check)[0] == crc16(body):
                    del self._buffer[:size]
                    return Frame(body[1], struct.unpack(f"<{count}f", body[2:]))
            self._drop(1)

    def _drop(self, count: int) -> None:
        self.skipped += count
        del self._buffer[:count]
