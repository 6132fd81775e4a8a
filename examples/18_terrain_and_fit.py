"""Measure a ground, fit it, and lay it out: from a table of forces to a scene with a soft patch.

python examples/18_terrain_and_fit.py [OUT]
"""

from __future__ import annotations

import sys
from pathlib import Path

import mujoco
import numpy as np

from plantar.ground import ContactLaw, Ground, Patch, Patches
from plantar.ground.fit.press_data import read_press
from plantar.ground.fit.press_fit import fit
from plantar.ground.terrain.plots import draw_terrain
from plantar.identify.contact_inertia import contact_inertia

HIDDEN = ContactLaw(stiffness=8e3, damping=60.0)


def measure(path: Path) -> Path:
    """A press test of a mat: 2 % noise, and every twentieth sample wrong."""
    rng = np.random.default_rng(1)
    depth, speed = rng.uniform(0, 0.01, 150), rng.uniform(-0.1, 0.1, 150)
    force = np.asarray(HIDDEN.force(depth, speed)) * (1 + 0.02 * rng.standard_normal(150))
    force[::20] *= 2
    np.savetxt(
        path, np.stack([1e3 * depth, force, speed], axis=1), delimiter=",", header="depth [mm],force,speed", comments=""
    )
    return path


def main(out: str | Path = "out/fit") -> dict[str, float]:
    folder = Path(out)
    folder.mkdir(parents=True, exist_ok=True)
    mass, contacts = contact_inertia("khr3hv")
    result = fit(read_press(measure(folder / "mat.csv")), "linear", effective_mass=mass, contacts=contacts, name="mat")
    for row in result.best.parameters:
        print(f"{row['parameter']:10s} {row['value']:9.1f} {row['unit']} ({row['low']:.1f} to {row['high']:.1f})")
    terrain = Patches(ground=Ground(name="floor"), patches=(Patch(x=(0.3, 1.0), y=(-0.3, 0.3), ground=result.ground),))
    spec = mujoco.MjSpec()
    print("geoms of the scene:", ", ".join(terrain.add(spec)))
    print("wrote", draw_terrain(terrain, folder / "patch.png"), terrain.save(folder / "terrain.json"))
    return {row["parameter"]: row["value"] for row in result.best.parameters}


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "out/fit")
