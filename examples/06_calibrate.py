"""Calibrate foot and bench from measured presses, and learn what the data cannot determine.

Run it with your own file, in the layout of docs/bench_compare.md:

    python examples/06_calibrate.py MEASURED.csv

Without a file it makes synthetic data: the 48 presses of a simulated foot whose bands are softer and whose
bench is tilted and shifted, with 2 % of noise. Those are not measurements; they show that the hidden
parameters are found. It takes one to three minutes on two cores.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from plantar.bench.calibrate.calibrate import DEFAULT, Calibration, calibrate
from plantar.bench.calibrate.plots import plot_all
from plantar.bench.compare.measured import FORCES, read_measured, rotation_columns, write_measured
from plantar.bench.press.press import HEIGHTS, LOADS, POSITIONS, press
from plantar.bench.press.rig import PressRig
from plantar.errors import PlantarError
from plantar.feet.softfoot.softfoot import SoftFoot
from plantar.show.plots import save

FOOT = SoftFoot(chains=1).with_(band__stiffness=0.62)
RIG = PressRig(tilt=math.radians(1.9), heel_shift=0.004, metatarsus_shift=-0.004)


def stand_in(path: Path, seed: int = 0, loads=LOADS, heights=HEIGHTS, positions=POSITIONS) -> Path:
    """Write noisy presses of `FOOT` on `RIG`: 2 % on the forces, 0.0025 rad on the rotations."""
    noise = np.random.default_rng(seed)
    rows = []
    for row in press(FOOT, rig=RIG, loads=loads, heights=heights, positions=positions):
        forces = {c: row[c] * (1 + 0.02 * noise.normal()) for c in FORCES}
        # Sensors glued on by hand: each has its own zero.
        rotations = {c: row[c] + 0.1 * k + 0.0025 * noise.normal() for k, c in enumerate(rotation_columns(row))}
        rows.append(row | forces | rotations)
    return write_measured(path, rows)


def main(measured: Path, out: Path, parameters: Sequence[str] = DEFAULT) -> Calibration:
    found = calibrate(read_measured(measured), parameters=parameters)
    print(found.text())
    if found.holdout:
        print(f"held-out trials are predicted within {found.holdout.force:.2g} N (root mean square)")
    print("wrote", found.write(out, overwrite=True), "- `plantar bench press --foot .../foot.json` presses that foot")
    for name, figure in plot_all(found).items():
        print("wrote", save(figure, out / f"{name}.png"))
    return found


if __name__ == "__main__":
    folder = Path("runs/06_calibrate")
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
