"""Tell a robot how far to sink, in millimetres, and get MuJoCo's solref and solimp.

    python examples/08_ground.py [OUT]

The rule for a box (Gora and Dutta, eqs. 29-30) lets the KHR-3HV sink by 8.9 mm where 6 mm were requested, since the
solver scales contact forces with the inertia of the foot, not of the robot. `identify` uses what the solver uses.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

from plantar.ground import ContactLaw, identify, static_parameters
from plantar.identify.curve import robot_curve
from plantar.identify.curve_plots import plot_robot
from plantar.show.plots import save

DEPTH, RATIO = 0.006, 1.5


def main(out: str | Path = "out/ground") -> dict[str, float]:
    found = identify("khr3hv", DEPTH, RATIO)
    print(found.text())
    box = static_parameters(DEPTH, RATIO, contacts=4)
    grounds = {"box rule": replace(found.ground, solref=box.solref), "identified": found.ground}
    depths = {}
    for name, ground in grounds.items():
        curve = robot_curve("khr3hv", ground, deepest=0.01, points=1001)
        carried = next(row for row in curve if row["force"] >= found.weight)
        depths[name] = carried["load_depth"]
        print(f"{name:12s} solref {ground.solref[0]:9.1f} {ground.solref[1]:7.1f}: sinks {1e3 * depths[name]:.2f} mm")

    mat = ContactLaw(stiffness=21.3e3, damping=300.0)
    solref, solimp = mat.to_mujoco(effective_mass=1 / 14.98, contacts=4)
    print(f"a soft mat of 21.3 kN/m under one foot: solref {solref[0]:.0f} {solref[1]:.1f}, solimp {solimp[0]:g} ...")

    folder = Path(out)
    folder.mkdir(parents=True, exist_ok=True)
    curve = robot_curve("khr3hv", found.ground, deepest=1.5 * DEPTH)
    figure = plot_robot(curve, weight=found.weight, depth=DEPTH, title="KHR-3HV sinks 6 mm")
    print("wrote", save(figure, folder / "khr3hv.png"), found.ground.save(folder / "ground.json"))
    return depths


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "out/ground")
