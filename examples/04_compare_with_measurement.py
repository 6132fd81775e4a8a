"""Compare the simulated foot with presses measured on a bench.

Run it with your own file, in the layout of docs/bench_compare.md:

    python examples/04_compare_with_measurement.py MEASURED.csv

Without a file it makes synthetic data: the presses of another simulated foot, with softer bands and a
bench tilted a little less, plus 2 % of noise. Those are not measurements; they show what the
comparison finds when the answer is known.
"""

from __future__ import annotations

import math
import sys
from pathlib import Path

import numpy as np

from plantar.bench.compare.compare import Comparison, compare, in_percent
from plantar.bench.compare.measured import FORCES, rotation_columns, write_measured
from plantar.bench.compare.plots import plot_all
from plantar.bench.press.press import HEIGHTS, LOADS, POSITIONS, press
from plantar.bench.press.rig import PressRig
from plantar.errors import PlantarError
from plantar.feet.softfoot.softfoot import SoftFoot
from plantar.show.plots import save


def stand_in(path: Path, seed: int = 0, loads=LOADS, heights=HEIGHTS, positions=POSITIONS) -> Path:
    """Write presses of a foot that differs from the default one in ways we know."""
    foot = SoftFoot(chains=1).with_(band__hardness=50.0)
    table = press(foot, rig=PressRig(tilt=math.radians(2.0)), loads=loads, heights=heights, positions=positions)
    noise = np.random.default_rng(seed)
    rows = []
    for row in table:
        forces = {c: max(0.0, row[c] * (1 + 0.02 * noise.normal())) for c in FORCES}
        # Sensors glued on by hand: each has its own zero.
        rotations = {c: row[c] + 0.1 * k + 0.005 * noise.normal() for k, c in enumerate(rotation_columns(row))}
        rows.append(row | forces | rotations)
    return write_measured(path, rows)


def main(measured: Path, out: Path) -> Comparison:
    found = compare(measured)
    for row in in_percent(found.summary):
        print("  ".join(f"{cell:>28}" if i == 0 else f"{cell:>11}" for i, cell in enumerate(row.values())))
    for m in found.rotations:
        print(f"m{m['module']}: offset {m['offset']:+.3f} rad removed, largest error {m['largest']:.3f} rad")
    for note in found.notes:
        print("note:", note)
    for name, figure in plot_all(found).items():
        print("wrote", save(figure, out / f"{name}.png"))
    return found


if __name__ == "__main__":
    folder = Path("runs/04_compare")
    folder.mkdir(parents=True, exist_ok=True)
    if len(sys.argv) > 1:
        file = Path(sys.argv[1])
    else:
        file = folder / "stand_in.csv"
        file.unlink(missing_ok=True)
        stand_in(file)
    try:
        main(file, folder)
    except PlantarError as error:
        sys.exit(str(error))
