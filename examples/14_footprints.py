"""A robot steps over sand and leaves its tracks.

    python examples/14_footprints.py [OUT]

Dry sand by Bekker's law: it yields under the feet, springs back by a tenth, and is nine times as stiff the second time.
"""

from __future__ import annotations

import sys
from pathlib import Path

import mujoco
import numpy as np

from plantar.ground import YieldingGround
from plantar.identify.march import March, march
from plantar.identify.tracks_plots import plot_tracks, press_twice
from plantar.show.picture import render
from plantar.show.plots import save
from plantar.show.view import View


def main(out: str | Path = "out/footprints", steps: int = 4) -> dict[str, float]:
    folder = Path(out)
    folder.mkdir(parents=True, exist_ok=True)
    sand = YieldingGround.of("dry_sand", origin=(-0.2, -0.2), size=(0.7, 0.4))
    result = march("khr3hv", sand, March(steps=steps))
    lost = result.rows.column("lost")
    deepest = -float(result.tracks.elevation().heights.min())
    print(f"tracks {1e3 * deepest:.1f} mm deep, {lost[-1]:.2f} J lost to the sand, never given back")
    presses = press_twice(sand, width=0.04, area=0.002, deepest=deepest)
    print("wrote", save(plot_tracks(result, presses, title="KHR-3HV on dry sand"), folder / "tracks.png"))
    result.tracks.paint()
    model = result.tracks.model
    mujoco.mj_forward(model, result.data)
    view = View(azimuth=120, elevation=-25, distance=0.9, centre=(0.1, 0.0, 0.1))
    print("wrote", render(model, result.data, folder / "picture.png", camera=view))
    return {"deepest": deepest, "lost": float(lost[-1]), "least": float(np.diff(lost).min())}


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "out/footprints")
