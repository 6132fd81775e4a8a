"""ffmpeg, from a wheel, as what takes the frames of a film."""

from __future__ import annotations

import contextlib
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from plantar._processes import kept_from_children
from plantar.errors import PlantarError


@contextlib.contextmanager
def encoding(path: Path, size: tuple[int, int], rate: int) -> Iterator[IO[bytes]]:
    """Give a pipe for frames of three bytes per pixel; after the block all of them are in the file.

    Args:
        path: The .mp4 to write.
        size: Width and height of frames [pixel]; an odd row or column is cut off, as players need even sizes.
        rate: Frames per second [1/s].

    Raises:
        PlantarError: If they cannot be written, as on a full disk.
    """
    import imageio_ffmpeg  # noqa: PLC0415  (an extra)

    frames = ["-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{size[0]}x{size[1]}", "-r", str(rate), "-i", "-"]
    film = ["-vcodec", "libx264", "-crf", "15", "-pix_fmt", "yuv420p", "-vf", "crop=trunc(iw/2)*2:trunc(ih/2)*2"]
    # a path with a colon or a leading dash would be a protocol or an option
    command = [imageio_ffmpeg.get_ffmpeg_exe(), "-v", "error", "-y", *frames, *film, f"file:{path.absolute()}"]
    encoder = None
    try:
        with kept_from_children():  # signals wait until it can be ended
            encoder = subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE)
        assert encoder.stdin is not None
        with contextlib.suppress(BrokenPipeError):  # it says why below
            yield encoder.stdin
        said = encoder.communicate()[1].decode(errors="replace").split("\n")[0]
        if encoder.returncode:
            raise PlantarError(f"the film cannot be written ({said or encoder.returncode}): is the disk full?")
    finally:
        if encoder is not None:
            encoder.kill()
            encoder.wait()
