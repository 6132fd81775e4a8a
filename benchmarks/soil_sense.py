"""How often the true law lies in the intervals of `sense`: simulated walks of 10 steps with 2 % noise.

    python benchmarks/soil_sense.py [WALKS] [FIRST_SEED] [rigid]

One leg treads in the sand of the test bed (the simulation and law of `YieldingGround`), rigid and with a foot of
15 kN/m whose stiffness is to be found too, unless only the rigid foot is asked for. Pressure and exponent, and the
stiffness, must all lie in their intervals.
"""

from __future__ import annotations

import json
import sys

from plantar.ground.soil.sense import sense
from plantar.ground.soil.stepping import Stepping
from plantar.ground.soil.yielding import YieldingGround

SAND = YieldingGround.of("testbed_sand", origin=(-0.2, -0.2), size=(2.4, 0.4), cell=0.01)


def held(seed: int, stiffness: float | None) -> bool:
    log = Stepping(stiffness=stiffness).walk(SAND, seed)
    found = sense(log, stiffness=stiffness is not None)
    truth = {"pressure": float(SAND.law(area=1.0, diameter=log.diameter).force(found.depth)), "n": SAND.n}
    if stiffness:
        truth["foot_stiffness"] = stiffness
    return found.holds(**truth)


def main(walks: int = 100, first: int = 5000, *, feet: tuple[float | None, ...] = (None, 15e3)) -> None:
    for stiffness in feet:
        name = "rigid" if stiffness is None else f"{1e-3 * stiffness:g} kN/m"
        inside = 0
        for done, seed in enumerate(range(first, first + walks), start=1):
            inside += held(seed, stiffness)
            if done % 10 == 0 or done == walks:
                print(f"{name}: {inside} of {done} walks hold the true law", flush=True)
        key = "rigid" if stiffness is None else "soft"
        print(f"figure ground.sense.{key} = {json.dumps({'walks': walks, 'first_seed': first, 'inside': inside})}")


if __name__ == "__main__":
    numbers = [int(word) for word in sys.argv[1:] if word != "rigid"]
    main(*numbers, feet=(None,) if "rigid" in sys.argv else (None, 15e3))
