"""A soft finger of silicone pulled by a tendon: direct, then inverse.

    python examples/12_soft.py [OUT]

The finger is a beam of tetrahedra clamped at one end, with four tendons along its edges. First one tendon is pulled in
by 8 mm and the finger curls; then the inverse finds strokes of all four that draw a circle with the tip, and says which
targets are out of reach.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from plantar.soft import Cable, Corotational, Goal, Recorder, Scene, SoftBody, shapes
from plantar.soft.scene.record import Film

LENGTH, EDGE = 0.12, 0.02


def finger(mode: str = "dynamic") -> Scene:
    mesh = shapes.beam(length=LENGTH, width=EDGE, height=EDGE, cell=0.01)
    body = SoftBody(
        name="finger", mesh=mesh, material=Corotational(young=3e5, poisson=0.45), density=1070.0, fixed=["x0"]
    )
    off = 0.4 * EDGE
    ways = [0.005, LENGTH / 2, LENGTH - 0.005]
    cables = [
        Cable(name=name, body="finger", points=[(x, y, z) for x in ways], stroke=(-0.01, 0.02), max_force=40.0)
        for name, (y, z) in {"up": (0, off), "down": (0, -off), "left": (off, 0), "right": (-off, 0)}.items()
    ]
    goal = Goal(name="tip", body="finger", point=(LENGTH, 0, 0), axes="yz")
    return Scene([body], cables, goals=[goal], dt=0.02, mode=mode, rayleigh=(0.5, 0.05))  # type: ignore[arg-type]


def main(out: str | Path = "out/soft") -> dict[str, float]:
    folder = Path(out)
    folder.mkdir(parents=True, exist_ok=True)
    scene = finger()
    recorder, film = Recorder(scene), Film(scene, folder)
    for i in range(60):
        scene.step({"up": 0.008 * min(1.0, i / 30)})
        recorder.note()
        if i % 10 == 0:
            film.add()
    lift = recorder.rows[-1]["tip_z"]
    recorder.write(folder)
    recorder.plot(folder / "record.png")
    print(f"8 mm of tendon lift the tip to {1e3 * lift:.1f} mm with {scene.efforts['up']:.1f} N")

    inverse = finger("static")
    worst = 0.0
    for angle in np.linspace(0, 2 * np.pi, 13):
        target = (LENGTH, 0.015 * np.cos(angle), 0.015 * np.sin(angle))
        for _ in range(15):
            inverse.solve_inverse({"tip": target})
        worst = max(worst, inverse.solve_inverse({"tip": target}).error)
    print(f"circle of 15 mm followed within {1e6 * worst:.1f} um")
    inverse = finger("static")
    for _ in range(40):
        inverse.solve_inverse({"tip": (LENGTH, 0.0, 0.2)})
    result = inverse.solve_inverse({"tip": (LENGTH, 0.0, 0.2)})
    print(f"200 mm up: {result.status.value}; {1e3 * result.error:.0f} mm short")
    return {"lift": lift, "worst": worst, "short": result.error}


if __name__ == "__main__":
    main(*sys.argv[1:2])
