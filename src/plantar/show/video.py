"""A clip as a film, by the ffmpeg of a wheel."""

from __future__ import annotations

import contextlib
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from plantar._extras import require_extra
from plantar._files import replacing
from plantar.progress import Progress
from plantar.show.clip import Clip
from plantar.show.encoder import encoding
from plantar.show.theatre import SIZE, Stills, Theatre

RATE = 25
"""Frames per second [1/s]."""


def write_video(path: str | Path, clip: Clip, *, size: tuple[int, int] = SIZE, rate: int = RATE) -> Path:
    """Write a clip as an .mp4 in real time; the title, the time and the speed are in the picture.

    Raises:
        MissingExtra: If the extra `show` is not installed.
        PlantarError: If the film cannot be written completely.
    """
    require_extra("show")
    deforms = any(shape.corners.ndim == 3 for shape in clip.shapes)
    theatre, count = (Stills if deforms else Theatre)(clip, size), max(1, round(clip.seconds * rate))
    with replacing(path) as scratch, Progress(count, "film") as bar, contextlib.closing(theatre):
        with encoding(scratch, size, rate) as frames:
            for k in range(count):
                moment = min((k + 0.5) / rate, clip.seconds)
                frames.write(_captioned(theatre.picture(clip.frame_at(moment)), clip, moment))
                bar.advance()
    return Path(path)


def _captioned(image: np.ndarray, clip: Clip, time: float) -> bytes:
    """The picture with its title, and with time and speed, as bytes."""
    picture = Image.fromarray(image)
    pen, large, small = ImageDraw.Draw(picture), ImageFont.load_default(20), ImageFont.load_default(15)
    pen.text((16, 12), clip.title, fill=(34, 38, 43), font=large)
    pen.text((16, 38), f"{time:.2f} s of {clip.seconds:.2f} s, real time", fill=(92, 102, 112), font=small)
    frame = clip.frame_at(time)
    for k, (name, values) in enumerate(clip.readings.items()):
        pen.text((16, 60 + 18 * k), f"{name}: {values[frame]:.4g}", fill=(92, 102, 112), font=small)
    return picture.tobytes()
