"""Film one draw of an experiment: the SoftFoot, and the same foot with its joints locked, side by side in real time.

    python tools/front_film.py docs/images/soft_and_locked.gif
    python tools/front_film.py docs/images/learned_soft_and_locked.gif --policy g1_softfoot.onnx

The first shows the built-in biped in impedance mode over three bars of 15.8 mm, draw 0 of seed 7 of the four-foot
experiment; the second the robot of a policy over three bars of 40 mm, draw 0 of docs/learn_softness.md.
"""

from __future__ import annotations

import argparse
import contextlib
from dataclasses import replace
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

from plantar.learn import Pace, Policy
from plantar.learn.config import LOCKED
from plantar.learn.controller import found_file
from plantar.learn.walker import walker_of
from plantar.learn.walks import course_of
from plantar.progress import Progress
from plantar.show.clip import Clip
from plantar.show.theatre import Theatre
from plantar.walk import courses
from plantar.walk.clips import walk_clip
from plantar.walk.study.study import Study
from plantar.walk.study.walks import laid, walk, way_of

SIZE, RATE, COLOURS = (330, 300), 10, 64
"""Pixels of each half, frames a second, colours."""
HEIGHT, SEED, DRAW = 0.0158, 7, 0
"""Height of the bars [m], seed of the study, draw."""
FEET = {"softfoot:fast": "SoftFoot", "locked:softfoot:fast": "the same foot, joints locked"}
STIFFNESS = {1.0: "SoftFoot", LOCKED: "the same foot, joints locked"}
LEARNED_HEIGHT, LEARNED_SEED = 0.04, 5000
"""Height of the bars [m] and seed for a policy."""


def learned_clips(name: str) -> list[Clip]:
    """The same walk of a policy on soft and on locked feet."""
    policy, made = Policy(found_file(name)), []
    walker = walker_of(policy.card.robot, policy.feet[0], policy.card.drives)
    for stiffness, title in STIFFNESS.items():
        course = course_of(policy, walker, Pace(distance=3.0, speed=0.5), stiffness)
        layout = courses.lay("bars", LEARNED_HEIGHT, LEARNED_SEED, way_of(course))
        result = course.run(bars=layout.bars, seed=LEARNED_SEED, frames=True)
        ended, transport = result.status.name.lower(), result.metrics.transport
        print(f"{title}: {ended}, {result.distance:.2f} m, cost of transport {transport:.3f}", flush=True)
        made.append(replace(walk_clip(course.scene, result), title=f"{title}: {ended}"))
    return made


def clips() -> dict[str, Clip]:
    """The same walk on each foot."""
    study = Study(
        robots=("biped",),
        feet=tuple(FEET),
        modes=("impedance",),
        courses=("bars",),
        levels=(HEIGHT,),
        rate=250.0,
        seed=SEED,
    )
    made = {}
    for cell in study.cells():
        config = study.trial(cell, HEIGHT, DRAW)
        result = walk(config, frames=True)
        print(f'figure film.{cell["foot"].replace(":", "_")} = "{result.status.name.lower()}"', flush=True)
        clip = walk_clip(laid(config)[0].scene, result)
        made[cell["foot"]] = replace(clip, title=f"{FEET[cell['foot']]}: {result.status.name.lower()}")
    return made


def film(path: Path, halves: list[Clip]) -> None:
    """Write the clips side by side as a GIF at real time; one that is over stays at its end."""
    count = round(RATE * max(clip.seconds for clip in halves))
    pictures = []
    with contextlib.ExitStack() as stack, Progress(count, "film") as bar:
        theatres = [stack.enter_context(contextlib.closing(Theatre(clip, SIZE))) for clip in halves]
        for k in range(count):
            both = Image.new("RGB", (SIZE[0] * len(halves), SIZE[1]))
            for i, theatre in enumerate(theatres):
                clip, time = theatre.clip, min((k + 0.5) / RATE, theatre.clip.seconds)
                half = Image.fromarray(theatre.picture(clip.frame_at(time)))
                pen = ImageDraw.Draw(half)
                title = clip.title if time > clip.seconds - 1 else clip.title.partition(":")[0]
                pen.text((8, 6), title, (34, 38, 43), font())
                pen.text((8, 24), f"{time:.1f} s, real time", (92, 102, 112), font())
                both.paste(half, (i * SIZE[0], 0))
            pictures.append(both.quantize(COLOURS, dither=Image.Dither.NONE))
            bar.advance()
    pictures[0].save(path, save_all=True, append_images=pictures[1:], duration=1000 // RATE, loop=0, optimize=True)


def font() -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    """The font of the captions."""
    return ImageFont.load_default(13)


def main() -> None:
    """Walk and film."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path, help="the GIF")
    parser.add_argument("--policy", help="film this policy's robot in place of the built-in biped")
    args = parser.parse_args()
    film(args.file, learned_clips(args.policy) if args.policy else list(clips().values()))


if __name__ == "__main__":
    main()
