"""A robot walks over sand and leaves its tracks.

    python examples/14_footprints.py [OUT]

Dry sand yields under the feet, springs back by a tenth, and is nine times as stiff the second time.
"""

from __future__ import annotations

import sys
from pathlib import Path

from plantar import robots, walk
from plantar.ground import YieldingGround
from plantar.walk.pictures import photo_sequence


def main(out: str | Path = "out/footprints", steps: int = 4) -> dict[str, float]:
    folder = Path(out)
    folder.mkdir(parents=True, exist_ok=True)
    sand = YieldingGround.of("dry_sand", origin=(-0.5, -0.5), size=(1.8, 1.0))
    robot = robots.mount("biped", "softfoot:fast")
    course = walk.Course(robot, gait=walk.Gait(steps=steps), terrain=sand)
    result = course.run(record=True, frames=True)
    assert result.record is not None and result.record.tracks is not None
    tracks = result.record.tracks
    prints = tracks.elevation()
    deepest = -float(prints.heights.min())
    print(f"tracks {1e3 * deepest:.1f} mm deep, {tracks.lost_energy:.2f} J lost to the sand, never given back")
    print("wrote", prints.save(folder / "prints.npz"))
    print("wrote", photo_sequence(folder / "picture.png", course.scene, [result]))
    return {"deepest": deepest, "lost": tracks.lost_energy, "work": tracks.work}


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "out/footprints")
