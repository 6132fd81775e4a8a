"""What soil costs: processor time of a step of two feet that tread in sand, and of the same feet on a plane.

    python benchmarks/soil_step.py
    python benchmarks/beside.py OTHER $PWD/benchmarks/soil_step.py [--rounds 5]

The second line is the same feet on two versions of Plantar, by turns. A trunk of 40 kg stands on two boxes of 20 by
10 cm that press down by turns. Figures are medians over slices of 100 steps.
"""

from __future__ import annotations

import statistics
import time

import mujoco
import numpy as np

from plantar.ground import YieldingGround

FLOOR = '<geom name="floor" type="plane" size="2 2 .1"/>'
MODEL = """<mujoco><option timestep="0.002" integrator="implicitfast"/><worldbody>{floor}
<body name="trunk" pos="0 0 .3"><joint name="rise" type="slide" axis="0 0 1"/><geom size=".1" mass="40" contype="0"
conaffinity="0"/>{legs}</body></worldbody><actuator>{motors}</actuator></mujoco>"""
LEG = """<body name="foot_{i}" pos="{x} {y} -.3"><joint name="leg_{i}" type="slide" axis="0 0 1" damping="400"/>
<joint type="slide" axis="1 0 0" stiffness="2000" damping="80"/><geom name="foot_{i}" type="box" size=".1 .05 .02"
pos="0 0 .02" mass="1"/></body>"""
MOTOR = '<position joint="leg_{i}" kp="40000"/>'


def make(floor: bool) -> mujoco.MjModel:
    legs = "".join(LEG.format(i=i, x=0.0, y=0.15 * (2 * i - 1)) for i in range(2))
    motors = "".join(MOTOR.format(i=i) for i in range(2))
    return mujoco.MjModel.from_xml_string(MODEL.format(floor=FLOOR if floor else "", legs=legs, motors=motors))


def cost(soil: bool, slices: int = 40) -> float:
    """Median processor time of a step [us]."""
    model = make(not soil)
    data = mujoco.MjData(model)
    ground = YieldingGround.of("dry_sand", origin=(-1.0, -1.0), size=(2.0, 2.0))
    tracks = ground.attach(model, ["foot_0", "foot_1"]) if soil else None
    times = []
    for k in range(slices):
        start = time.process_time()
        for i in range(100):
            lift = 0.05 * np.sin(2 * np.pi * (100 * k + i) / 500)
            data.ctrl[:] = max(lift, 0.0), max(-lift, 0.0)
            if tracks is None:
                mujoco.mj_step(model, data)
            else:
                tracks.step(data)
        times.append((time.process_time() - start) / 100)
    return 1e6 * statistics.median(times[5:])


def main() -> None:
    for name, soil in (("plane", False), ("sand", True)):
        print(f"{name:8s} {cost(soil):8.1f} us a step")


if __name__ == "__main__":
    main()
